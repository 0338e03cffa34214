package eval

import "testing"

func TestInjecAgentOnSharedData(t *testing.T) {
	r, err := InjecAgent(t.Context(), shared(t, "injecagent"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("stopped: base %d/%d, enhanced %d/%d; user allowed %d/%d; twin allowed %d/%d and %d credential questions",
		r.Base.AttackStopped.N, r.Base.AttackStopped.Of, r.Enhanced.AttackStopped.N, r.Enhanced.AttackStopped.Of,
		r.UserAllowed.N, r.UserAllowed.Of, r.TwinAllowed.N, r.TwinAllowed.Of, r.TwinAsked)
	for _, list := range [][]string{r.NotStopped, r.NotAllowed, r.TwinNotPassed} {
		if len(list) > 0 {
			t.Errorf("%q", list)
		}
	}
}
