package remit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/label"
)

// archive is a monitor with many tools, the last of which reads what only some may see.
func archive(t tb, tools int, forbidden, rule string) *remit.Monitor {
	var b strings.Builder
	b.WriteString("version: 1\nserver: desk\ntools:\n")
	for i := range tools {
		fmt.Fprintf(&b, "  look_%d: {effect: read, output: {trust: TOOL_OUTPUT}, args: {/q: {role: content}}}\n", i)
	}
	fmt.Fprintf(&b, "  note: {effect: write, args: {/text: {role: content, forbidden: [%s]}}}\n", forbidden)
	b.WriteString("  hr: {effect: read, output: {trust: TOOL_OUTPUT}, args: {/q: {role: content}}}\n")
	f, err := contract.Load("desk.yaml", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	o := remit.Options{Contracts: []*contract.File{f}, Now: func() time.Time { return time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC) }}
	if rule != "" {
		g, err := guard.Load("note.yaml", fmt.Appendf(nil, "tool: note\npolicies:\n  - {name: kept, require: %q, message: That is kept here.}\n", rule))
		if err != nil {
			t.Fatal(err)
		}
		if o.Guards, err = guard.Compile([]*guard.File{g}, guard.Deployment{Contracts: o.Contracts}); err != nil {
			t.Fatal(err)
		}
	}
	m, err := remit.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func toolCall(id, tool, name, value string) remit.Call {
	return remit.Call{ID: id, Tool: tool, Arguments: fmt.Appendf(nil, "{%q: %q}", name, value)}
}

func returns(t tb, s *remit.Session, r remit.Result) {
	if err := s.Result(context.Background(), r); err != nil {
		t.Fatal(err)
	}
}

// codes are the codes of a decision's reasons.
func codes(d *remit.Decision) []remit.Code {
	var out []remit.Code
	for _, r := range d.Reasons {
		out = append(out, r.Code)
	}
	return out
}

// TestOriginsOfManyTools notes what one of the tools returned, and what another did,
// with a rule and a contract against the one, among few tools and many.
func TestOriginsOfManyTools(t *testing.T) {
	for name, c := range map[string]struct {
		forbidden, rule string
		want            remit.Code
	}{
		"a rule":     {"", `!("desk.hr" in label(args.text).origins)`, remit.PolicyViolation},
		"a contract": {"desk.hr", "", remit.ForbiddenOrigin},
	} {
		for _, tools := range []int{3, 57, 58, 59, 72, 500} {
			t.Run(fmt.Sprintf("%s, %d tools", name, tools), func(t *testing.T) {
				s := archive(t, tools, c.forbidden, c.rule).Session("s")
				s.User("Look things up, and note them.")
				for _, from := range []struct {
					tool string
					want []remit.Code
				}{{fmt.Sprintf("look_%d", tools-1), nil}, {"hr", []remit.Code{c.want}}} {
					d := decideCall(t, s, toolCall(from.tool, from.tool, "q", "x"))
					text := "What " + from.tool + " keeps is 712347."
					returns(t, s, remit.Result{Call: d.Call, Content: text})
					if got := codes(decideCall(t, s, toolCall("note_"+from.tool, "note", "text", text))); !slices.Equal(got, from.want) {
						t.Errorf("the reasons against what %s returned are %q", from.tool, got)
					}
				}
			})
		}
	}
}

// TestOriginsOfOtherSessions reads what another session kept.
func TestOriginsOfOtherSessions(t *testing.T) {
	var many []string
	for i := range 300 {
		many = append(many, fmt.Sprintf("else.tool%d", i))
	}
	for name, c := range map[string]struct {
		stored remit.Stored
		want   []remit.Code
	}{
		"from elsewhere":              {remit.Stored{Trust: label.ToolOutput, Origins: []string{"user", "desk.look_1"}}, nil},
		"no less trusted than others": {remit.Stored{Trust: label.ToolOutput, Origins: []string{"user", "desk.hr"}}, []remit.Code{remit.PolicyViolation}},
		"from outside":                {remit.Stored{Trust: label.External, Origins: []string{"unknown", "desk.hr"}}, []remit.Code{remit.PolicyViolation}},
		"of more than a store keeps":  {remit.Stored{Trust: label.ToolOutput, Origins: []string{"…"}}, []remit.Code{remit.GuardFailed}},
		"of more than a session does": {remit.Stored{Trust: label.ToolOutput, Origins: many}, []remit.Code{remit.GuardFailed}},
		"of what is not a name":       {remit.Stored{Trust: label.ToolOutput, Origins: []string{"desk.look_1\x00desk.look_2"}}, []remit.Code{remit.GuardFailed}},
	} {
		t.Run(name, func(t *testing.T) {
			s := archive(t, 72, "", `!("desk.hr" in label(args.text).origins)`).Session("s")
			s.User("Look things up, and note them.")
			d := decideCall(t, s, toolCall("l", "look_70", "q", "x"))
			c.stored.Records = label.Trusted
			returns(t, s, remit.Result{Call: d.Call, Content: "The salary of number 7 is 712347 crowns.", Stored: &c.stored})
			if got := codes(decideCall(t, s, toolCall("n", "note", "text", "The salary of number 7 is 712347 crowns."))); !slices.Equal(got, c.want) {
				t.Errorf("the reasons are %q", got)
			}
		})
	}
}

// TestAResultOfACallThatWasNotAllowedKeepsItsOrigin has the results of two calls come
// that should not have been made.
func TestAResultOfACallThatWasNotAllowedKeepsItsOrigin(t *testing.T) {
	s := archive(t, 3, "", `!("desk.hr" in label(args.text).origins)`).Session("s")
	s.User("Look things up, and note them.")
	if d := decideCall(t, s, remit.Call{ID: "h", Tool: "hr", Arguments: json.RawMessage(`{"q": "x", "more": 1}`)}); d.Verdict == remit.Allow {
		t.Fatal("the call is allowed")
	}
	returns(t, s, remit.Result{Call: "h", Content: "The salary of number 7 is 712347 crowns."})
	if got := codes(decideCall(t, s, toolCall("n", "note", "text", "The salary of number 7 is 712347 crowns."))); !slices.Contains(got, remit.PolicyViolation) {
		t.Errorf("the reasons are %q", got)
	}
}

// happening is something that happens in a session.
type happening func(t tb, s *remit.Session) *remit.Decision

// anyHappening draws what happens next in a session, which has the number of steps so far.
func anyHappening(t *rapid.T, n int) happening {
	text := rapid.SampledFrom([]string{"The plan of the harbour is red.", "Ann keeps 4711 keys.", "Nothing is known of it."}).Draw(t, "text")
	id := fmt.Sprintf("c%d", n)
	switch rapid.SampledFrom([]string{"user", "read", "read", "note", "confirm"}).Draw(t, "kind") {
	case "user":
		return func(_ tb, s *remit.Session) *remit.Decision { s.User(text); return nil }
	case "read":
		tool := fmt.Sprintf("look_%d", rapid.IntRange(0, 19).Draw(t, "tool"))
		stored := &remit.Stored{Trust: rapid.SampledFrom([]label.Trust{label.External, label.ToolOutput}).Draw(t, "trust"), Records: label.Trusted}
		first := rapid.IntRange(0, 400).Draw(t, "first")
		for i := range rapid.IntRange(0, 64).Draw(t, "origins") {
			stored.Origins = append(stored.Origins, fmt.Sprintf("else.tool%d", first+i))
		}
		return func(t tb, s *remit.Session) *remit.Decision {
			d := decideCall(t, s, toolCall(id, tool, "q", "x"))
			returns(t, s, remit.Result{Call: id, Content: text, Stored: stored})
			return d
		}
	case "confirm":
		return func(_ tb, s *remit.Session) *remit.Decision {
			d, _ := s.Confirm(context.Background(), fmt.Sprintf("c%d", n-1)) // there may be none
			return d
		}
	}
	return func(t tb, s *remit.Session) *remit.Decision {
		return decideCall(t, s, toolCall(id, "note", "text", text))
	}
}

// TestSessionsAreApart runs sessions of one monitor side by side, and each once more by
// itself with a monitor of its own: the decisions are the same.
func TestSessionsAreApart(t *testing.T) {
	const rule = `!("desk.look_7" in label(args.text).origins) && label(args.text).origins.size() < 40`
	rapid.Check(t, func(t *rapid.T) {
		shared := archive(t, 20, "desk.look_9, else.tool7", rule)
		var sessions [3]*remit.Session
		var steps [3][]happening
		var got [3][]*remit.Decision
		for i := range sessions {
			sessions[i] = shared.Session("s")
		}
		for range rapid.IntRange(2, 20).Draw(t, "steps") {
			i := rapid.IntRange(0, len(sessions)-1).Draw(t, "session")
			next := anyHappening(t, len(steps[i]))
			steps[i] = append(steps[i], next)
			got[i] = append(got[i], next(t, sessions[i]))
		}

		for i := range sessions {
			alone := archive(t, 20, "desk.look_9, else.tool7", rule).Session("s")
			for j, next := range steps[i] {
				if diff := cmp.Diff(next(t, alone), got[i][j]); diff != "" {
					t.Fatalf("step %d of session %d (-alone +beside others):\n%s", j, i, diff)
				}
			}
		}
	})
}
