package eval

import (
	"encoding/json"
	"strings"
	"testing"
)

// Every share in the JSON forms is a plain number with its interval and its
// cases beside it, and counts stay counts at the names that they have.
func TestRatesInJSONHaveIntervalAndCases(t *testing.T) {
	rate := rateOf(1, 4)
	dojo := &DojoRates{ASR: rate, Utility: rate, UtilityUnderAttack: rate, FalsePositives: rate}
	for _, tt := range []struct {
		name          string
		report        any
		rates, counts string
	}{
		{"roles", (&scorer{args: 4, tools: 4, strict: 1, lenient: 1, authority: 4, missed: 1, marked: 1, reviewed: 1, floors: 4, unsafe: 1, over: 1,
			effectStrict: 1, effectLenient: 1, outputStrict: 1, outputLenient: 1, outputUnsafe: 1}).report(),
			"strict lenient strict_with_containers authority_missed_rate authority_marked floors_unsafe floors_overblocking reviewed effect_strict effect_lenient output_strict output_lenient outputs_unsafe",
			"arguments tools authority_missed"},
		{"provenance", &ProvenanceReport{Cases: 4, Leaves: 4, Ambiguous: 1, Laundered: rate, OverTainted: rate, OriginsRecall: rate},
			"laundered_rate over_tainted_rate origins_recall", "cases leaves ambiguous laundered over_tainted"},
		{"agentdojo", dojo, "asr utility utility_under_attack false_positives", "questions_per_task"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, err := json.Marshal(tt.report)
			if err != nil {
				t.Fatal(err)
			}
			var got map[string]any
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatal(err)
			}
			members := 0
			for _, name := range strings.Fields(tt.rates) {
				members += 4
				if got[name] != 0.25 || got[name+"_n"] != 1.0 || got[name+"_of"] != 4.0 {
					t.Errorf("%s is %v, of %v in %v", name, got[name], got[name+"_n"], got[name+"_of"])
				}
				if ci, ok := got[name+"_ci"].([]any); !ok || len(ci) != 2 {
					t.Errorf("%s_ci is %v", name, got[name+"_ci"])
				}
			}
			for _, name := range strings.Fields(tt.counts) {
				members++
				if _, ok := got[name].(float64); !ok {
					t.Errorf("%s is %v, not a number", name, got[name])
				}
			}
			if len(got) != members {
				t.Errorf("%d members, want %d: %s", len(got), members, text)
			}
		})
	}
}
