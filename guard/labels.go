package guard

import (
	"fmt"
	"slices"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/remit-project/remit/internal/decimal"
	"github.com/remit-project/remit/internal/record"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

// labelOf is the label of a value of the arguments. Values have no place of
// their own in an expression, so that it is the worst of all arguments that are
// the value; of an object or list it is the worst of what is in it. A value that
// is none of the arguments has no label, and asking for it fails.
func (x *evaluation) labelOf(v ref.Val) ref.Val {
	if x.leaves == nil && x.request.Labels != nil {
		x.leaves = x.request.Labels()
	}
	whole := LabeledValue{Trust: label.Trusted}
	if !x.merge(&whole, v) {
		return x.fail(fmt.Errorf("label: %s is no value of the arguments", textOf(v)))
	}
	if slices.Contains(whole.Origins, label.OriginMore.String()) {
		return x.fail(fmt.Errorf("label: %s has more origins than are kept by name", textOf(v)))
	}
	list := func(s []string) ref.Val { return types.NewStringList(types.DefaultTypeAdapter, s) }
	return x.types.label.New(types.Int(whole.Trust), list(whole.Origins), list(whole.Obligations))
}

// merge adds the label of a value to that of a whole; false when part of it is
// no argument.
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
		if !l.is(v) {
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

// is tells whether the leaf is the value.
func (l *LabeledValue) is(v ref.Val) bool {
	switch v := v.(type) {
	case types.String:
		return l.Kind == strictjson.String && l.Text == string(v)
	case types.Bool:
		return l.Kind == strictjson.Bool && (l.Text == "true") == bool(v)
	case types.Null:
		return l.Kind == strictjson.Null
	case types.Int, *decimal.Decimal:
		if l.Kind != strictjson.Number {
			return false
		}
		n, err := decimal.Parse(l.Text)
		return err == nil && n.Equal(v) == types.True
	}
	return false
}
