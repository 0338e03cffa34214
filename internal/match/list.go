package match

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/scope"
)

// A result may be nothing but a list of values: the names of channels. Each is a record of
// its own then, and whatever a planner calls the field, the value is meant.

// ofValues reports whether a document is nothing but one list of scalars, which is not a
// record's.
func ofValues(leaves []strictjson.Leaf) bool {
	list := ""
	for i := range leaves {
		l := &leaves[i]
		at := strings.LastIndexByte(l.Pointer, '/')
		scalar := l.Kind == strictjson.String || l.Kind == strictjson.Number
		if at < 0 || !scalar || !strictjson.IsIndex(l.Pointer[at+1:]) || (i > 0 && l.Pointer[:at] != list) {
			return false
		}
		list = l.Pointer[:at]
	}
	return len(leaves) > 0 && !isListed(list)
}

// item matches a line that is an element of a list in a text.
var item = pattern.OnUse(`^(?:[-*•]|\d{1,4}[.)]) ([^\s'"\[{&*!|>%@#` + "`" + `].*)$`)

// listOfNames returns the elements of a text that is nothing but a list of names, one a line; nil
// for another text. A line end in a name adds an element: nothing that can't be taken back relies
// on such a list by itself.
func listOfNames(text string) []string {
	var out []string
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		m := item().FindStringSubmatch(strings.TrimRight(line, " \r"))
		if m == nil || len(out) == maxBlocks || strings.Contains(m[1], ": ") || len(m[1]) > 8*maxTitle || len(strings.Fields(m[1])) > maxTitle {
			return nil
		}
		out = append(out, m[1])
	}
	return out
}

// areOf reports whether all values of a list may be of a kind: of one without a shape, or of
// that shape.
func (r *Result) areOf(k scope.Kind) bool {
	return shapes[k] == nil || !slices.ContainsFunc(r.fields, func(f field) bool { return !isOf(f.text, k) })
}
