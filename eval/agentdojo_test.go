package eval

import "testing"

func TestAgentDojoOnSharedData(t *testing.T) {
	r, err := AgentDojo(t.Context(), shared(t, "agentdojo"), "")
	if err != nil {
		t.Fatal(err)
	}
	for name, rates := range map[string]DojoRates{"synthesized": r.Synthesized, "answered": r.Answered} {
		t.Logf("%s: asr %d/%d, utility %d/%d, under attack %d/%d, questions %.2f", name, rates.ASR.N, rates.ASR.Of,
			rates.Utility.N, rates.Utility.Of, rates.UtilityUnderAttack.N, rates.UtilityUnderAttack.Of, rates.QuestionsPerTask)
		for task, why := range rates.Denied {
			t.Logf("   %s %v", task, why)
		}
		for _, s := range rates.Succeeded {
			t.Logf("   SUCCEEDED %s", s)
		}
	}
}
