package planner_test

import (
	"encoding/json"
	"testing"

	"github.com/remit-project/remit/internal/llm/llmtest"
	"github.com/remit-project/remit/internal/planner"
	"github.com/remit-project/remit/internal/validate"
)

// TestTeach: endpoints can hold models to the schema, and every answer that models are
// taught with is valid and has no mistake.
func TestTeach(t *testing.T) {
	if err := llmtest.Strict([]byte(planner.Schema)); err != nil {
		t.Error(err)
	}
	schema, err := validate.Compile([]byte(planner.Schema))
	if err != nil {
		t.Fatal(err)
	}
	requests, answers, err := planner.Taught()
	if err != nil || len(requests) == 0 {
		t.Fatal(err)
	}
	for i, r := range requests {
		var value any
		if err := json.Unmarshal(answers[i], &value); err != nil {
			t.Fatal(err)
		}
		for _, m := range schema.Mistakes(value, "the answer") {
			t.Errorf("example %d: %s", i+1, m)
		}
		scope, mistakes, err := planner.Read(r, answers[i])
		if err != nil || len(mistakes) > 0 || len(scope) == 0 {
			t.Errorf("example %d: %v %v", i+1, mistakes, err)
		}
	}
	text, err := planner.Teach()
	if err != nil || len(text) > 24<<10 {
		t.Errorf("%d bytes: %v", len(text), err)
	}
}
