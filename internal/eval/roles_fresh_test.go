package eval

import (
	"path/filepath"
	"testing"
)

// The labels of testdata/fresh were written before synthesis had seen the servers; the
// README there has the first figures and how two readers agree. The bounds are what
// has been reached since, with a small margin.
func TestRolesOfFreshServers(t *testing.T) {
	r, err := Roles(filepath.Join("testdata", "fresh"), Synthesized)
	if err != nil {
		t.Fatal(err)
	}
	if r.Arguments < 640 || r.Tools < 175 {
		t.Errorf("only %d arguments of %d tools are labelled", r.Arguments, r.Tools)
	}
	if r.AuthorityMissed.N != 0 {
		t.Errorf("%d arguments that bear authority were missed", r.AuthorityMissed.N)
	}
	for _, c := range []struct {
		name  string
		got   float64
		bound float64
		most  bool
	}{
		{"roles, strict", r.Strict.Value, 0.89, false},
		{"roles, lenient", r.Lenient.Value, 0.965, false},
		{"floors, unsafe", r.FloorsUnsafe.Value, 0.005, true},
		{"floors, over-blocking", r.FloorsOverblocking.Value, 0.01, true},
		{"marked for review", r.Reviewed.Value, 0.12, true},
		{"effects, strict", r.EffectStrict.Value, 0.89, false},
		{"effects, lenient", r.EffectLenient.Value, 0.98, false},
		{"outputs, lenient", r.OutputLenient.Value, 0.97, false},
	} {
		if c.most && c.got > c.bound {
			t.Errorf("%s: %.4f, want at most %.4f", c.name, c.got, c.bound)
		}
		if !c.most && c.got < c.bound {
			t.Errorf("%s: %.4f, want at least %.4f", c.name, c.got, c.bound)
		}
	}
}
