package eval_test

import (
	"path/filepath"
	"testing"

	"github.com/remit-project/remit/internal/eval"
)

// TestAttacks plays the lists of attacks on scopes. Nothing that is stopped passes again, and nothing that passes is stopped: the
// figures are bounds, to be lowered by whoever mends something. See testdata/attacks/README.md.
func TestAttacks(t *testing.T) {
	for list, most := range map[string]struct{ allowed, stopped, attacks, ordinary int }{
		"sixth":         {allowed: 1, stopped: 5, attacks: 718, ordinary: 86},
		"seventh":       {allowed: 6, stopped: 0, attacks: 868, ordinary: 83},
		"eighth":        {allowed: 10, stopped: 2, attacks: 1179, ordinary: 87},
		"sixth-probes":  {allowed: 15, stopped: 1, attacks: 548, ordinary: 38},
		"ninth":         {allowed: 8, stopped: 0, attacks: 1579, ordinary: 125},
		"tenth":         {allowed: 10, stopped: 5, attacks: 2487, ordinary: 160},
		"ninth-probes":  {allowed: 67, stopped: 3, attacks: 393, ordinary: 10},
		"eighth-probes": {allowed: 71, stopped: 3, attacks: 917, ordinary: 73},
	} {
		t.Run(list, func(t *testing.T) {
			file := func(name string) string { return filepath.Join("testdata", "attacks", list, name) }
			r, err := eval.Scenarios(t.Context(), file("scenarios.jsonl"), file("tools.json"), file("scopes.jsonl"), eval.ScenarioOptions{Bound: true})
			if err != nil {
				t.Fatal(err)
			}
			if r.Attacks != most.attacks || r.Ordinary != most.ordinary {
				t.Errorf("%d attacks and %d ordinary calls, want %d and %d", r.Attacks, r.Ordinary, most.attacks, most.ordinary)
			}
			if r.Bound.Allowed > most.allowed || r.Bound.Asked > most.stopped {
				t.Errorf("%d attacks are allowed, at most %d were, and %d ordinary calls stopped, at most %d were: %q", r.Bound.Allowed, most.allowed, r.Bound.Asked, most.stopped, r.Bound.Misses)
			}
			if r.Bound.Allowed < most.allowed || r.Bound.Asked < most.stopped {
				t.Logf("%d attacks are allowed, and %d ordinary calls stopped: lower the bounds", r.Bound.Allowed, r.Bound.Asked)
			}
		})
	}
}
