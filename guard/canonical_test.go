package guard_test

import (
	"testing"

	"github.com/remit-project/remit/guard"
)

// TestCanonical distinguishes expressions that mean something else, and none that are only
// written otherwise.
func TestCanonical(t *testing.T) {
	for name, c := range map[string]struct {
		a, b string
		same bool
	}{
		"spaces and lines":  {"args.total<5&&args.note==\"\"", "args.total < 5\n  && args.note == ''\n", true},
		"comments":          {"args.total < 5 // contract", "args.total < 5", true},
		"brackets":          {"(args.total) < (5)", "args.total < 5", true},
		"brackets that say": {"(a || b) && c", "a || b && c", false},
		"a number":          {"args.total < 5", "args.total < 6", false},
		"a text's spaces":   {`args.note == "a b"`, `args.note == "a  b"`, false},
		"loops":             {"args.items.all(i,i.quantity>0)", "args.items.all(i, i.quantity > 0)", true},
		"another loop":      {"args.items.all(i, i.quantity > 0)", "args.items.exists(i, i.quantity > 0)", false},
		"optional values":   {"args.?note.orValue('')", `args.?note.orValue("")`, true},
		"what is not CEL":   {"args.total <", " args.total <", true},
		"or another":        {"args.total <", "args.total >", false},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := guard.Expression{Text: c.a}.Canonical(), guard.Expression{Text: c.b}.Canonical()
			if (a == b) != c.same {
				t.Errorf("%q and %q", a, b)
			}
		})
	}
}
