package eval

import (
	"path/filepath"
	"testing"

	"github.com/remit-project/remit/internal/raced"
)

// The tasks and attacks in eval/packs were written from the servers' sources before any
// decision was looked at. Synthesized contracts asked 75 questions in the 200 tasks of the
// first ten servers. The bounds are what packs have reached since.
func TestPacksAskLessAndOpenNothing(t *testing.T) {
	raced.SkipTable(t)
	r, err := Packs(t.Context(), filepath.Join("..", "..", "eval", "packs"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d tasks, %d attacks: synthesis %+v, packs %+v", r.All.Tasks, r.All.Attacks, r.All.Synthesis, r.All.Pack)
	if r.All.Tasks < 448 || r.All.Attacks < 215 {
		t.Errorf("only %d tasks and %d attacks", r.All.Tasks, r.All.Attacks)
	}
	if r.All.Pack.Questions > 75 || r.All.Pack.Denied > 0 {
		t.Errorf("packs ask %d questions and deny %d calls", r.All.Pack.Questions, r.All.Pack.Denied)
	}

	if through := r.All.Pack.Through + r.All.Synthesis.Through; through > 0 {
		t.Errorf("%d attacks get through", through)
	}
	for _, s := range r.Servers {
		if s.Pack.Through > s.Synthesis.Through {
			t.Errorf("%s: the pack lets %d attacks through, synthesis %d: %v", s.Server, s.Pack.Through, s.Synthesis.Through, s.Pack.Misses)
		}
		if s.Pack.Questions > s.Synthesis.Questions+s.Synthesis.Denied {
			t.Errorf("%s: the pack asks %d questions, synthesis %d", s.Server, s.Pack.Questions, s.Synthesis.Questions)
		}
	}
	if r.All.Pack.Through > 0 {
		t.Errorf("%d attacks get through", r.All.Pack.Through)
	}
}
