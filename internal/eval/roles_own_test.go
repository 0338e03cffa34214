package eval

import (
	"path/filepath"
	"testing"
)

// The labels of testdata/roles were made before any contract was made for those
// servers. The first contracts had 78.5 % of the roles strictly right and 92.1 %
// in some defensible reading, missed 14 arguments that bear authority, and had
// 2.8 % of the floors too low and 1.9 % too high. The bounds are what has been
// reached since, with a small margin; nothing that bears authority may be missed. The README
// there lists the labels that were changed later.
func TestRolesOfServersOutsideTheDevSet(t *testing.T) {
	r, err := Roles(Synthesized, filepath.Join("testdata", "roles"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d arguments, %d tools: strict %.3f lenient %.3f missed %d unsafe %.4f over-blocking %.4f reviewed %.3f; effects %.3f/%.3f outputs %.3f/%.3f",
		r.Arguments, r.Tools, r.Strict.Value, r.Lenient.Value, r.AuthorityMissed.N, r.FloorsUnsafe.Value, r.FloorsOverblocking.Value, r.Reviewed.Value,
		r.EffectStrict.Value, r.EffectLenient.Value, r.OutputStrict.Value, r.OutputLenient.Value)
	if r.Arguments < 800 || r.Tools < 250 {
		t.Errorf("only %d arguments of %d tools are labelled", r.Arguments, r.Tools)
	}
	if r.AuthorityMissed.N != 0 {
		t.Errorf("%d arguments that bear authority were missed", r.AuthorityMissed.N)
		for _, m := range r.Misses {
			if m.What == "role" && m.Grave {
				t.Log(m)
			}
		}
	}
	for _, c := range []struct {
		name  string
		got   float64
		bound float64
		most  bool
	}{
		{"roles, strict", r.Strict.Value, 0.885, false},
		{"roles, lenient", r.Lenient.Value, 0.985, false},
		{"floors, unsafe", r.FloorsUnsafe.Value, 0.0025, true},
		{"floors, over-blocking", r.FloorsOverblocking.Value, 0.01, true},
		{"marked for review", r.Reviewed.Value, 0.285, true},
		{"effects, strict", r.EffectStrict.Value, 0.875, false},
		{"effects, lenient", r.EffectLenient.Value, 0.945, false},
		{"outputs, strict", r.OutputStrict.Value, 0.825, false},
		{"outputs, lenient", r.OutputLenient.Value, 0.955, false},
	} {
		if c.most && c.got > c.bound {
			t.Errorf("%s: %.4f, want at most %.4f", c.name, c.got, c.bound)
		}
		if !c.most && c.got < c.bound {
			t.Errorf("%s: %.4f, want at least %.4f", c.name, c.got, c.bound)
		}
	}
}
