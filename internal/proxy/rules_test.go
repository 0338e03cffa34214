package proxy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/proxy"
)

const shopTools = `[{"type":"function","function":{"name":"cancel_order","description":"Cancels an order.","parameters":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}}},` +
	`{"type":"function","function":{"name":"get_order","description":"Gets an order.","parameters":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}}}]`

// shopRules hold a cancellation to the order and to what was said, and every call to be
// made alone.
var shopRules = []string{`tool: cancel_order
policies:
  - name: pending
    require: |
      tools.get_order({"id": args.id}).status == "pending"
    message: Only pending orders can be cancelled.
  - name: agreed
    require: session.listed(args.id) && session.agreed()
    message: Say which order it is, and let the user agree.
`, `tool: "*"
policies:
  - name: nothing-beside
    require: session.beside() == ""
    message: Make the call without words beside it.
  - name: one-at-a-time
    require: session.together().size() == 0
    message: Make one call at a time.
`}

func ruled(t *testing.T, rules ...string) func(*proxy.Options) {
	t.Helper()
	var files []*guard.File
	for i, text := range rules {
		f, err := guard.Load(fmt.Sprintf("rules-%d.yaml", i), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return func(o *proxy.Options) { o.Policies, o.Retries = files, -1 }
}

// shopping is a conversation in which an order may be cancelled by what was said.
func shopping(t *testing.T, change func(*proxy.Options), agreement string) *talk {
	t.Helper()
	c := newTalk(t, change)
	c.tools = shopTools
	c.say("user", "Cancel my order W1")
	c.ask(said("I will cancel order W1. Do you confirm?"))
	c.say("user", agreement)
	return c
}

func cancelling(id string) string { return calls(id, "cancel_order", `{"id":"W1"}`) }

// looks lets the agent look the order up.
func (c *talk) looks(id, result string) {
	c.t.Helper()
	c.want(c.ask(calls(id, "get_order", `{"id":"W1"}`)), true)
	c.result(id, result)
}

// TestRulesByOwnLookups holds calls to rules where only the agent itself can look things up,
// whose answer may come by another proxy.
func TestRulesByOwnLookups(t *testing.T) {
	for name, c := range map[string]struct {
		agreement, order string
		runs             bool
	}{
		"agreed, and pending":  {"Sounds good, thanks!", `{"status":"pending"}`, true},
		"another state":        {"Sounds good, thanks!", `{"status":"delivered"}`, false},
		"no record":            {"Sounds good, thanks!", `Error: no such order`, false},
		"a doubt":              {"I'm not sure.", `{"status":"pending"}`, false},
		"a refusal":            {"No, leave it.", `{"status":"pending"}`, false},
		"agreed, in few words": {"Sí", `{"status":"pending"}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			x := shopping(t, ruled(t, shopRules...), c.agreement)
			denied := x.ask(cancelling("k1"))
			x.want(denied, false)
			if c.runs && !strings.Contains(denied, "call get_order") {
				t.Errorf("the model isn't told what to look up: %s", denied)
			}
			x.looks("r1", c.order)
			x.want(x.ask(cancelling("k2")), c.runs)
		})
	}
}

// TestRulesAfterRestart decides by a history of which the proxy knows nothing: it looks
// nothing up for calls that have passed, and holds the next one to its rules.
func TestRulesAfterRestart(t *testing.T) {
	asked := 0
	count := ruled(t, shopRules[0])
	x := shopping(t, func(o *proxy.Options) {
		count(o)
		o.Monitor.Reader = orders{&asked, "pending"}
	}, "Yes, please.")
	x.want(x.ask(cancelling("k1")), true)
	x.result("k1", "cancelled")
	x.ask(said("It is cancelled. Shall I cancel W1 again?"))
	x.say("user", "Yes")

	before := asked
	y := newTalk(t, func(o *proxy.Options) {
		count(o)
		o.Monitor.Reader = orders{&asked, "cancelled"}
	})
	y.tools, y.messages = shopTools, x.messages
	y.want(y.ask(cancelling("k2")), false)
	if asked != before+1 {
		t.Errorf("looked up %d times after the restart", asked-before)
	}
}

// orders answers look-ups with the status of an order, and counts them.
type orders struct {
	asked  *int
	status string
}

func (o orders) Read(context.Context, string, string, json.RawMessage) (*guard.Result, error) {
	*o.asked++
	return guard.ResultOf(json.RawMessage(`{"status":"` + o.status + `"}`)), nil
}

// TestRulesOfTheMoment sees what comes beside a call and together with it, and lets the
// corrected call run: no answer locks the session.
func TestRulesOfTheMoment(t *testing.T) {
	get := func(id, order string) string {
		return fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":"get_order","arguments":"{\"id\":\"%s\"}"}}`, id, order)
	}
	x := newTalk(t, ruled(t, shopRules[1]))
	x.tools = shopTools
	x.say("user", "How are my orders W1 and W2?")
	x.want(x.ask(`{"role":"assistant","content":"One moment.","tool_calls":[`+get("r1", "W1")+`]}`), false)
	x.say("user", "Well?")
	both := x.ask(`{"role":"assistant","content":null,"tool_calls":[` + get("r2", "W1") + "," + get("r3", "W2") + `]}`)
	if !strings.Contains(both, `"r2"`) || strings.Contains(both, `"r3"`) {
		t.Errorf("of two calls at once: %s", both)
	}
	x.result("r2", `{"status":"pending"}`)
	x.want(x.ask(calls("r4", "get_order", `{"id":"W2"}`)), true)

	// The result of r4 gets lost.
	x.messages = x.messages[:len(x.messages)-1]
	x.say("user", "And?")
	x.want(x.ask(calls("r5", "get_order", `{"id":"W2"}`)), true)
}

// TestRulesThatCannotBeUsed denies the calls of a tool whose rules have a mistake, and no
// others.
func TestRulesThatCannotBeUsed(t *testing.T) {
	x := newTalk(t, ruled(t, "tool: cancel_order\npolicies: [{name: a, require: 'tools.get_ordr({}).x == 1', message: no}]\n"))
	x.tools = shopTools
	x.say("user", "Cancel my order W1")
	x.want(x.ask(calls("r1", "get_order", `{"id":"W1"}`)), true)
	x.result("r1", "{}")
	x.want(x.ask(cancelling("k1")), false)
}
