package planner

import (
	"fmt"
	"sync"
	"time"
)

// Counts are what plans took, for a page of metrics, under the
// names that telemetry gives them. The zero value is ready, and a nil one
// counts nothing.
type Counts struct {
	mu              sync.Mutex
	planned, failed int
	input, output   int
	took            time.Duration
}

// Add counts a planner's work on a turn: how long it took, whether there is no plan, and
// the tokens.
func (c *Counts) Add(took time.Duration, failed bool, input, output int) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if failed {
		c.failed++
	} else {
		c.planned++
	}
	c.input, c.output, c.took = c.input+input, c.output+output, c.took+took
}

// String returns the counts in Prometheus's text format; nothing for nil.
func (c *Counts) String() string {
	if c == nil {
		return ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprintf(`# HELP remit_plans_total Turns of users that a planner was asked about, by outcome.
# TYPE remit_plans_total counter
remit_plans_total{remit_outcome="planned"} %d
remit_plans_total{remit_outcome="failed"} %d
# HELP remit_plan_tokens_total Tokens that planners took.
# TYPE remit_plan_tokens_total counter
remit_plan_tokens_total{gen_ai_token_type="input"} %d
remit_plan_tokens_total{gen_ai_token_type="output"} %d
# HELP remit_plan_duration_seconds The time that planners took.
# TYPE remit_plan_duration_seconds summary
remit_plan_duration_seconds_sum %g
remit_plan_duration_seconds_count %d
`, c.planned, c.failed, c.input, c.output, c.took.Seconds(), c.planned+c.failed)
}
