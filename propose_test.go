package remit_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/remit-project/remit"
)

// TestAProposalThatIsGivenUpLeavesNoTrace gives up proposals between the steps of a
// session: every decision is what it is in a session without them.
func TestAProposalThatIsGivenUpLeavesNoTrace(t *testing.T) {
	run := func(givenUp int) []*remit.Decision {
		s := archive(t, 3, "", `session.calls().size() < 2`).Session("s")
		var out []*remit.Decision
		for _, c := range []remit.Call{toolCall("", "hr", "q", "x"), toolCall("", "hr", "q", "y"), toolCall("", "note", "text", "x"), toolCall("", "gone", "q", "x")} {
			for range givenUp {
				p, err := s.Propose(context.Background(), c)
				if err != nil {
					t.Fatal(err)
				}
				if p.Decision().Call == "" {
					t.Error("a proposal has no call id")
				}
			}
			out = append(out, decideCall(t, s, c))
			returns(t, s, remit.Result{Call: out[len(out)-1].Call, Content: "Number 712347 is red."})
		}
		return out
	}
	want := run(0)
	for i, id := range []string{"c1", "c2", "c3", "c4"} {
		if want[i].Call != id {
			t.Errorf("call %d has the id %q", i+1, want[i].Call)
		}
	}
	if diff := cmp.Diff(want, run(2)); diff != "" {
		t.Errorf("decisions (-without +with proposals given up):\n%s", diff)
	}
}
