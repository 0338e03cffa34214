package remit_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/remit-project/remit"
)

var errGivenUp = errors.New("given up")

// TestAProposalThatIsGivenUpLeavesNoTrace gives up proposals between the steps of a
// session: every decision is what it is in a session without them.
func TestAProposalThatIsGivenUpLeavesNoTrace(t *testing.T) {
	run := func(givenUp int) []*remit.Decision {
		s := archive(t, 3, "", `session.calls().size() < 2`).Session("s")
		var out []*remit.Decision
		for _, c := range []remit.Call{toolCall("", "hr", "q", "x"), toolCall("", "hr", "q", "y"), toolCall("", "note", "text", "x"), toolCall("", "gone", "q", "x")} {
			for range givenUp {
				_, err := s.DecideRecorded(context.Background(), c, func(p *remit.Proposal) error {
					if p.Decision().Call == "" {
						t.Error("a proposal has no call id")
					}
					return errGivenUp
				})
				if !errors.Is(err, errGivenUp) {
					t.Fatal(err)
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

// TestADecisionOfAnotherSession: a decision that was recorded doesn't count in a
// session that went on meanwhile.
func TestADecisionOfAnotherSession(t *testing.T) {
	s := archive(t, 3, "", `session.calls().size() < 2`).Session("s")
	c := toolCall("c", "hr", "q", "x")
	_, err := s.DecideRecorded(context.Background(), c, func(*remit.Proposal) error {
		s.User("Stop.")
		return nil
	})
	if !errors.Is(err, remit.ErrChanged) {
		t.Errorf("err %v", err)
	}
	if err := s.Awaits("c"); !errors.Is(err, remit.ErrUnknownCall) {
		t.Errorf("the session knows of the call: %v", err)
	}
}
