package generation_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/policydoc/generation"
	"github.com/remit-project/remit/label"
)

// junk draws a value that a schema accepts. Its texts are what the places of the
// answers could have, at whatever place.
func junk(t *rapid.T, schema map[string]any) any {
	if any, ok := schema["anyOf"].([]any); ok {
		return junk(t, rapid.SampledFrom(any).Draw(t, "form").(map[string]interface{}))
	}
	switch schema["type"] {
	case "object":
		out := map[string]any{}
		for name, property := range schema["properties"].(map[string]any) {
			out[name] = junk(t, property.(map[string]any))
		}
		return out
	case "array":
		out := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "elements") {
			out = append(out, junk(t, schema["items"].(map[string]any)))
		}
		return out
	case "boolean":
		return rapid.Bool().Draw(t, "flag")
	}
	if words, ok := schema["enum"].([]any); ok {
		return rapid.SampledFrom(words).Draw(t, "word")
	}
	return rapid.OneOf(rapid.SampledFrom([]string{
		"", "member", "get_member", "extend_loan", "C1", "C2", "C3", "S1", "S2", "at the limit", "2031-03-01T09:00:00Z", "0000-01-01T00:00:00Z",
		`{"member_id":"M-1"}`, `{"copy_id":"C-1","member_id":"M-1","days":7}`, `{"fines":[{"amount":10,"paid":false}]}`, "null", "10", "1e999", `"x"`, "/fines/0/amount", "/fines", "/-", "/days",
		"true", "args.days <= 14", "args.days > 3 || true", goodRule, `tools.get_member({"member_id": args.member_id})`, "member.fines[0].amount < 10", "[1].map(x, x)",
		finesSentence, "a\x00b", "\u2028: - {", "🙂\u202e", "|\n  x: y\n", "{{.}}",
	}), rapid.String()).Draw(t, "text")
}

// careless is a model that answers with whatever the schema accepts, or with what
// would be right at another time.
func careless(t *rapid.T) modelFunc {
	sensible := map[string][]string{
		"tests": {goodTests(), testsOf(oneTest("some", "allow", "5"), oneTest("much", "deny", "100")), testsOf(oneTest("some", "deny", "5"), oneTest("much", "allow", "100"), paidTest())},
		"rule":  {rule(goodRule), rule("args.days <= 7"), rule("member.fines.size() < 1"), rule("member.fines.exists(f, f.amount < 7) && args.days > 3"), rule("!(" + goodRule + ")"), rule("args.days != 7 || args.days == 7")},
	}
	return func(_ context.Context, p llm.Prompt) (*llm.Answer, error) {
		var schema map[string]any
		if err := json.Unmarshal(p.Schema.JSON, &schema); err != nil {
			return nil, err
		}
		var err error
		for range 3 {
			var answer json.RawMessage
			if ready := sensible[p.Stage]; ready != nil && rapid.IntRange(0, 4).Draw(t, "sensible") > 0 {
				answer = json.RawMessage(rapid.SampledFrom(ready).Draw(t, "answer"))
			} else if p.Stage == "reading" && rapid.IntRange(0, 4).Draw(t, "sensible") > 0 {
				readings := []any{}
				for _, label := range callLabel.FindAllString(p.Messages[0].Text, -1) {
					words, verdict := finesSentence, rapid.SampledFrom([]string{"allow", "deny", "undecided", "undecided", "undecided"}).Draw(t, "verdict")
					readings = append(readings, map[string]string{"call": label, "words": words, "reason": "r", "verdict": verdict})
				}
				answer = marshal(map[string]any{"readings": readings})
			} else {
				answer = marshal(junk(t, schema))
			}
			if err = p.Check(answer); err == nil || rapid.IntRange(0, 9).Draw(t, "unchecked") == 0 {
				return &llm.Answer{Value: answer}, nil
			}
		}
		return nil, &llm.InvalidError{Mistakes: []string{err.Error()}}
	}
}

func marshal(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("%v: %v", v, err))
	}
	return b
}

// Whatever a model answers, a rule that comes of it passes its own tests, of both
// verdicts, and all else stops calls.
func TestNoAnswerMakesARuleThatFailsItsTests(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := generator(t, careless(rt), func(o *generation.Options) {
			o.Attempts = 3
			o.Otherwise = rapid.SampledFrom([]label.Verdict{label.Deny, label.Ask}).Draw(rt, "otherwise")
			o.Judge = rapid.Bool().Draw(rt, "judge")
		})
		r, err := g.Generate(t.Context(), finesTask())
		if err != nil {
			rt.Fatal(err)
		}
		sound(rt, library(t), "extend_loan", r)
	})
}
