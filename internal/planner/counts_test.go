package planner_test

import (
	"strings"
	"testing"
	"time"

	"github.com/remit-project/remit/internal/planner"
)

// TestCounts adds up what plans took.
func TestCounts(t *testing.T) {
	var c planner.Counts
	c.Add(2*time.Second, false, 5000, 200)
	c.Add(500*time.Millisecond, true, 0, 0)
	c.Add(time.Second, false, 6000, 100)
	for _, want := range []string{`remit_plans_total{remit_outcome="planned"} 2`, `remit_plans_total{remit_outcome="failed"} 1`, `remit_plan_tokens_total{gen_ai_token_type="input"} 11000`,
		`remit_plan_tokens_total{gen_ai_token_type="output"} 300`, `remit_plan_duration_seconds_sum 3.5`, `remit_plan_duration_seconds_count 3`} {
		if !strings.Contains(c.String(), want+"\n") {
			t.Errorf("no %s in\n%s", want, c.String())
		}
	}

	var none *planner.Counts
	if none.Add(time.Second, false, 1, 1); none.String() != "" {
		t.Errorf("counted by nobody: %s", none)
	}
}
