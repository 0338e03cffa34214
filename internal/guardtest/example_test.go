package guardtest_test

import (
	"testing"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/guardtest"
)

// TestRun runs examples of every kind: each is judged by its own rule, by what it
// gives, and by the history that it tells.
func TestRun(t *testing.T) {
	f, err := guard.Load("pay.yaml", []byte(`tool: pay
policies:
  - name: small
    require: args.amount < 10
    message: m
    examples:
      - {name: passes, expect: allow, args: {amount: 9.99}}
      - {name: wrong, expect: allow, args: {amount: 10}}
      - {name: undecided, expect: deny, args: {}}
  - name: never
    require: "false"
    otherwise: ask
    message: m
    examples: [{name: asks, expect: ask}]
  - name: agreed
    require: judge("Did the user agree?") && session.user_said("yes please") && session.principal.id == "ann" && label(args.to).trust == EXTERNAL && now > timestamp("2026-01-01T00:00:00Z")
    message: m
    examples:
      - name: all of it
        expect: allow
        args: {to: bob}
        now: 2026-03-01T12:00:00Z
        labels: {/to: EXTERNAL}
        principal: {id: ann}
        history: [{user: "Yes, please!"}]
        given: [{judge: Did the user agree?, answer: true}]
      - {name: no answer is needed, expect: deny, args: {to: bob}}
duties:
  - name: receipt
    when: args.amount > 1
    require: session.calls("send").exists(c, c.index > call.index)
    message: m
    examples:
      - {name: open, expect: deny, history: [{call: {tool: send}}, {call: {tool: pay, args: {amount: 2}}}]}
      - {name: fulfilled, expect: allow, history: [{call: {tool: pay, args: {amount: 2}}}, {call: {tool: send}}]}
      - {name: none, expect: allow, history: [{call: {tool: pay, args: {amount: 1}}}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	set, err := guard.Compile([]*guard.File{f}, guard.Deployment{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"passes": true, "wrong": false, "undecided": false, "asks": true, "all of it": true, "no answer is needed": true,
		"open": true, "fulfilled": true, "none": true}
	results := guardtest.Run(t.Context(), set.Guards()[0])
	if len(results) != len(want) {
		t.Errorf("%d results", len(results))
	}
	for _, r := range results {
		if r.Passed() != want[r.Example] {
			t.Errorf("%s: passed %v, got %s %s", r.Example, r.Passed(), r.Got, r.Failed)
		}
	}
}
