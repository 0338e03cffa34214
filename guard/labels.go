package guard

import (
	"fmt"
	"slices"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/remit-project/remit/internal/decimal"
	"github.com/remit-project/remit/internal/record"
	"github.com/remit-project/remit/label"
)

// labelOf returns the label of a value of the arguments. A value in an expression has
// no place, so that it gets the merge of the labels of all arguments that equal it,
// and an object or list that of its parts. A value that no argument equals has no
// label: asking for it fails.
func (x *evaluation) labelOf(v ref.Val) ref.Val {
	if x.leaves == nil && x.request.Labels != nil {
		x.leaves = x.request.Labels()
	}
	whole := LabeledValue{Trust: label.Trusted}
	if !x.merge(&whole, v) {
		return x.fail(fmt.Errorf("label: no argument has the value %s", textOf(v)))
	}
	if slices.Contains(whole.Origins, label.OriginMore.String()) {
		return x.fail(fmt.Errorf("label: %s has more origins than are kept by name", textOf(v)))
	}
	list := func(s []string) ref.Val { return types.NewStringList(types.DefaultTypeAdapter, s) }
	return x.types.label.New(types.Int(whole.Trust), list(whole.Origins), list(whole.Obligations))
}

// merge merges the label of a value into whole. It returns false if no argument
// equals the value, or a part of it.
func (x *evaluation) merge(whole *LabeledValue, v ref.Val) bool {
	switch v := v.(type) {
	case *record.Object:
		all := true
		v.Members(func(_ string, member ref.Val) { all = x.merge(whole, member) && all })
		return all
	case traits.Lister:
		for it := v.Iterator(); it.HasNext() == types.True; {
			if !x.merge(whole, it.Next()) {
				return false
			}
		}
		return true
	}

	found := false
	for i := range x.leaves {
		l := &x.leaves[i]
		if !l.equals(v) {
			continue
		}
		found = true
		whole.Trust = min(whole.Trust, l.Trust)
		whole.Origins = union(whole.Origins, l.Origins)
		whole.Obligations = union(whole.Obligations, l.Obligations)
	}

	return found
}

func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(slices.Clip(a), s)
		}
	}
	return a
}

// equals reports whether the leaf has the value v.
func (l *LabeledValue) equals(v ref.Val) bool {
	switch v := v.(type) {
	case types.String:
		return l.Type == "string" && l.Text == string(v)
	case types.Bool:
		return l.Type == "boolean" && (l.Text == "true") == bool(v)
	case types.Null:
		return l.Type == "null"
	case types.Int, *decimal.Decimal:
		if l.Type != "number" {
			return false
		}
		n, err := decimal.Parse(l.Text)
		return err == nil && n.Equal(v) == types.True
	}
	return false
}
