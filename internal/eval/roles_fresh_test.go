package eval

import (
	"path/filepath"
	"testing"

	"github.com/remit-project/remit/internal/raced"
)

// The labels of testdata/fresh were written before synthesis had seen the servers; the
// README there has the first figures and how two readers agree. The bounds are what
// has been reached since, with a small margin.
func TestRolesOfFreshServers(t *testing.T) {
	raced.SkipTable(t)
	r, err := Roles(Synthesized, filepath.Join("testdata", "fresh"))
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
		{"roles, strict", r.Strict.Value, 0.91, false},
		{"roles, lenient", r.Lenient.Value, 0.965, false},
		{"floors, unsafe", r.FloorsUnsafe.Value, 0.005, true},
		{"floors, over-blocking", r.FloorsOverblocking.Value, 0.01, true},
		{"marked for review", r.Reviewed.Value, 0.21, true},
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

// The servers of testdata/unseen and testdata/further were labelled before synthesis had seen
// them. It has been developed on those in dev, and the estimate is fitted on them; those in
// held told what to expect elsewhere, as those in apart do, which both were made without. The
// bounds are what has been reached, with a margin.
func TestRolesOfUnseenServers(t *testing.T) {
	raced.SkipTable(t)
	for _, c := range []struct {
		set                              string
		missed                           int
		strict, lenient, unsafe, over    float64
		effectStrict, effectLenient, out float64
	}{
		{"unseen/dev", 0, 0.90, 0.955, 0.005, 0.03, 0.87, 0.96, 0.56},
		{"unseen/held", 0, 0.83, 0.945, 0.006, 0.035, 0.84, 0.91, 0.6},
		{"further/dev", 0, 0.88, 0.965, 0.006, 0.06, 0.8, 0.87, 0.65},
		{"further/held", 0, 0.83, 0.90, 0.016, 0.015, 0.83, 0.94, 0.64},
		{"apart", 5, 0.81, 0.92, 0.006, 0.075, 0.76, 0.89, 0.69},
	} {
		r, err := Roles(Synthesized, filepath.Join("testdata", filepath.FromSlash(c.set)))
		if err != nil {
			t.Fatal(err)
		}
		if r.AuthorityMissed.N > c.missed {
			t.Errorf("%s: %d arguments that bear authority were missed, want at most %d", c.set, r.AuthorityMissed.N, c.missed)
		}
		if r.Strict.Value < c.strict || r.Lenient.Value < c.lenient {
			t.Errorf("%s: roles %.3f strict, %.3f lenient, want %.3f and %.3f", c.set, r.Strict.Value, r.Lenient.Value, c.strict, c.lenient)
		}
		if r.FloorsUnsafe.Value > c.unsafe || r.FloorsOverblocking.Value > c.over {
			t.Errorf("%s: floors %.4f unsafe, %.4f over-blocking, want at most %.4f and %.4f", c.set, r.FloorsUnsafe.Value, r.FloorsOverblocking.Value, c.unsafe, c.over)
		}
		if r.EffectStrict.Value < c.effectStrict || r.EffectLenient.Value < c.effectLenient {
			t.Errorf("%s: effects %.3f strict, %.3f lenient, want %.3f and %.3f", c.set, r.EffectStrict.Value, r.EffectLenient.Value, c.effectStrict, c.effectLenient)
		}
		if r.OutputLenient.Value < c.out {
			t.Errorf("%s: outputs %.3f lenient, want %.3f", c.set, r.OutputLenient.Value, c.out)
		}
	}
}

// TestCrossedLeavesTheServerOut asks that an estimate for a server isn't fitted on it, and
// still beats the rules on servers that they were not developed on.
func TestCrossedLeavesTheServerOut(t *testing.T) {
	raced.SkipTable(t)
	dir := filepath.Join("testdata", "unseen", "dev")
	examples, err := ReadExamples(dir)
	if err != nil {
		t.Fatal(err)
	}
	groups := map[string]bool{}
	for _, e := range examples.Roles {
		groups[e.Group] = true
	}
	if len(groups) != 12 || len(examples.Roles) < 300 || len(examples.Floors) < 300 {
		t.Errorf("%d examples of %d servers, want 301 of 12", len(examples.Roles), len(groups))
	}

	crossed, err := Roles(Cross(examples).Contracts, dir)
	if err != nil {
		t.Fatal(err)
	}
	seen, err := Roles(Synthesized, dir)
	if err != nil {
		t.Fatal(err)
	}
	if crossed.Strict.N >= seen.Strict.N {
		t.Errorf("%d roles are right without the server's own examples, and %d with them", crossed.Strict.N, seen.Strict.N)
	}
}
