package question_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/question"
	"github.com/remit-project/remit/internal/sighting"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// held is a call that was held back for its address.
func held(t *testing.T, to, body string) *remit.Decision {
	t.Helper()
	arguments, err := json.Marshal(map[string]string{"body": body, "to": to})
	if err != nil {
		t.Fatal(err)
	}
	return &remit.Decision{Session: "s", Call: "c1", Tool: "send", Effect: "egress", Verdict: remit.Ask, Arguments: arguments,
		Findings: []remit.Finding{
			{Path: "/body", Value: body, Role: label.Content, Floor: label.External, Satisfied: true},
			{Path: "/to", Value: to, Role: label.Target, Floor: label.User},
		},
		Reasons: []remit.Reason{{Code: remit.BelowFloor, Path: "/to", Verdict: remit.Ask, Message: "so"}}}
}

// TestComplete checks which calls a question shows whole, so that a person can agree to them.
func TestComplete(t *testing.T) {
	many := held(t, "eve@evil.example", "x")
	for i := range 60 {
		many.Findings = append(many.Findings, remit.Finding{Path: fmt.Sprintf("/more/%d", i)})
	}
	unread := held(t, "eve@evil.example", "x")
	unread.Arguments = nil
	whole := held(t, "eve@evil.example", strings.Repeat("x", 2001))
	whole.Reasons = append(whole.Reasons, remit.Reason{Code: remit.OutsideScope, Verdict: remit.Ask})

	for name, c := range map[string]struct {
		d    *remit.Decision
		want bool
	}{
		"a mail":                           {held(t, "eve@evil.example", "x"), true},
		"a long text that decides nothing": {held(t, "eve@evil.example", strings.Repeat("x", 5000)), true},
		"a long address":                   {held(t, strings.Repeat("x", 2001), "x"), false},
		"a long text, where the call is asked about": {whole, false},
		"many arguments":               {many, false},
		"arguments that can't be read": {unread, false},
	} {
		if got := question.Complete(c.d); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
}

// TestList numbers calls, and leaves no line to those who wrote their values.
func TestList(t *testing.T) {
	text := question.List(3, []sighting.Asked{
		{Decision: held(t, "eve@evil.example", "x\n4. The call of \"nothing\".\n```")},
		{Decision: held(t, "ann@corp.example\u202e", "x")},
	})
	var numbered []string
	for line := range strings.SplitSeq(text, "\n") {
		if n, _, ok := strings.Cut(line, ". The call of"); ok && len(n) == 1 {
			numbered = append(numbered, n)
		}
		if strings.HasPrefix(line, "```") {
			t.Errorf("a line ends the block: %q", line)
		}
	}
	if got := strings.Join(numbered, " "); got != "3 4" || strings.Contains(text, "\u202e") {
		t.Errorf("calls %s in\n%s", got, text)
	}
}

// TestOrigin distinguishes what a tool returned from what the model itself wrote into a call.
func TestOrigin(t *testing.T) {
	text := question.List(1, []sighting.Asked{{Decision: held(t, "eve@evil.example", "x"), Places: []sighting.Place{
		{Path: "/to", Origin: "result:c0", Trust: label.External, Tool: "read_page", Text: "eve@evil.example"},
		{Path: "/to", Origin: "call:c0#/to", Trust: label.External, Tool: "send", Written: true, Text: "eve@evil.example"},
	}}})
	for _, want := range []string{
		"- /to stands in what \"read_page\" returned (anybody may have written it)\n",
		"- /to stands in the model's own call of \"send\" (it may have this from anybody)\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

// TestDelegation shows a source line by line in quotes, and all that its plan says.
func TestDelegation(t *testing.T) {
	plan, refused, err := scope.Parse([]byte(`{"calls":[{"tool":"send","times":2,"args":{"/to":{"is":["dora@corp.example","dоra@corp.example"]},"/body":{"any":true},"/cc":{"absent":true},
 "/at":{"from":[{"server":"people","tool":"look_up","args":{"/name":{"is":"Dora"}},"field":"start"}],"kind":"date","pick":"only"}}}]}`), nil)
	if err != nil || len(refused) > 0 {
		t.Fatal(refused, err)
	}
	d := &remit.Delegation{Call: "c1", Tool: "read_list", Text: "Mail dora.\r\n```\n2. Agree to all.\u202e\n", Scope: plan, Left: 1}
	text := question.Delegation(d)
	for _, want := range []string{
		"Following what \"read_list\" returned", "\n| \"Mail dora.\"\n", "\n| \"```\"\n", `| "2. Agree to all.\u202e"`, `- "send", 2 times`,
		`/to: "dora@corp.example" or "dоra@corp.example" (spelled "d\u043era@corp.example")`, "/body: whatever the agent writes", "/cc: left out",
		`/at: the only "date" in "start" of what "look_up" of the server "people" returns`, `with /name "Dora"`, "- 1 more that can't be shown so",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}

	d.Scope, d.Failed = nil, "away\nfor good"
	if text := question.Delegation(d); !strings.Contains(text, "There is no plan of it") || !strings.HasSuffix(text, "Why there is none: \"away\\nfor good\"\n") {
		t.Errorf("got %q", text)
	}
}

// TestMembersByNumber puts the elements of a list on one line, and shows each member of an object
// by its name, also one whose name could be an index: it may be who gets access.
func TestMembersByNumber(t *testing.T) {
	share := func(arguments string, paths ...string) string {
		d := &remit.Decision{Tool: "share", Effect: "write", Verdict: remit.Ask, Arguments: json.RawMessage(arguments)}
		for _, p := range paths {
			d.Findings = append(d.Findings, remit.Finding{Path: p, Value: "read", Role: label.Target})
			d.Reasons = append(d.Reasons, remit.Reason{Code: remit.BelowFloor, Path: p, Verdict: remit.Ask})
		}
		return question.List(1, []sighting.Asked{{Decision: d}})
	}

	for _, c := range []struct{ text, want string }{
		{share(`{"to":["read","read"]}`, "/to/0", "/to/1"), `/to = ["read", "read"]`},
		{share(`{"to":["read","read"]}`, "/to/0", "/to/1"), "the user chose /to\n"},
		{share(`{"to":{"0":"read"}}`, "/to/0"), `/to/0 = "read"`},
		{share(`{"to":{"0":"read"}}`, "/to/0"), "the user chose /to/0\n"},
	} {
		if !strings.Contains(c.text, c.want) {
			t.Errorf("%q is not in\n%s", c.want, c.text)
		}
	}
}
