package remit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/schema"
)

const (
	guardTools = `{"tools": [
  {"name": "refund", "inputSchema": {"type": "object", "required": ["order", "amount"], "properties": {"order": {"type": "string"}, "amount": {"type": "number"}}}},
  {"name": "get_order", "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}}},
  {"name": "send", "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}},
  {"name": "call", "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}, "arguments": {"type": ["object", "string"]}}}}]}`
	guardContracts = `version: 1
server: shop
tools:
  refund: {effect: write, args: {/order: {role: selector, allow: [ord-77]}, /amount: {role: content}}}
  get_order: {effect: read, args: {/id: {role: selector, floor: EXTERNAL}}}
  send: {effect: write, args: {/text: {role: content}}}
  call: {effect: execute, args: {/name: {role: selector}, /arguments: {role: content}, /arguments_note: {role: content}}, unwrap: {tool: /name, arguments: /arguments}}
`
	refundRules = `tool: refund
policies:
  - name: paid
    references: ["A refund is never more than what was paid."]
    variables: {order: 'tools.get_order({"id": args.order})'}
    require: args.amount <= order.paid
    message: The refund is more than what was paid.
  - name: few
    require: session.calls("refund").size() < 2
    message: There are two refunds at most.
  - name: large
    require: args.amount < 1000
    otherwise: ask
    message: Large refunds are for a person.
duties:
  - name: tell
    references: ["The customer is told of every refund."]
    when: args.amount > 0
    require: session.calls("send").exists(c, c.index > call.index && c.args.text.contains(args.order))
    message: Tell the customer.
`
)

// shop is a monitor with rules, whose look-ups are counted.
type shop struct {
	asked int
	fails error
	paid  string
}

func (s *shop) Read(context.Context, string, string, json.RawMessage) (*guard.Result, error) {
	s.asked++
	if s.fails != nil {
		return nil, s.fails
	}
	return guard.ResultOf(json.RawMessage(`{"paid": ` + s.paid + `}`)), nil
}

// options are those of a monitor with the rules of some files.
func (s *shop) options(t tb, files ...string) remit.Options {
	c, err := schema.ParseMCP("shop", []byte(guardTools))
	if err != nil {
		t.Fatal(err)
	}
	f, err := contract.Load("shop.yaml", []byte(guardContracts))
	if err != nil {
		t.Fatal(err)
	}
	c.Server = f.Server
	o := remit.Options{Contracts: []*contract.File{f}, Reader: s, Now: func() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) }}
	var guards []*guard.File
	for _, rules := range files {
		g, err := guard.Load("rules.yaml", []byte(rules))
		if err != nil {
			t.Fatal(err)
		}
		guards = append(guards, g)
	}
	if len(guards) == 0 {
		return o
	}
	if o.Guards, err = guard.Compile(guards, guard.Deployment{Tools: []*schema.Catalogue{c}, Contracts: o.Contracts}); err != nil {
		t.Fatal(err)
	}
	return o
}

func (s *shop) session(t tb, files ...string) *remit.Session {
	m, err := remit.New(s.options(t, files...))
	if err != nil {
		t.Fatal(err)
	}
	return m.Session("s")
}

func refund(id, amount string) remit.Call {
	return remit.Call{ID: id, Tool: "refund", Arguments: json.RawMessage(`{"order":"o1","amount":` + amount + `}`)}
}

func decideCall(t tb, s *remit.Session, c remit.Call) *remit.Decision {
	d, err := s.Decide(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// rulesOf lists the rules that stopped a call.
func rulesOf(d *remit.Decision) string {
	out := []string{string(d.Verdict)}
	for _, r := range d.Reasons {
		out = append(out, fmt.Sprintf("%s %s", r.Code, r.Policy))
	}
	return strings.Join(out, "; ")
}

// TestGuards decides calls by the rules of a company, all of them at once.
func TestGuards(t *testing.T) {
	for name, c := range map[string]struct {
		amount string
		before []string // amounts that were refunded before
		fails  error
		want   string
	}{
		"all hold":           {"9.99", nil, nil, "allow"},
		"one doesn't":        {"10.01", nil, nil, "deny; policy-violation paid"},
		"all that don't":     {"2000", []string{"1", "1"}, nil, "deny; policy-violation paid; policy-violation few; policy-violation large"},
		"a look-up fails":    {"1", nil, errors.New("the server is down"), "deny; guard-failed paid"},
		"the third is a no":  {"1", []string{"1", "1"}, nil, "deny; policy-violation few"},
		"not as the schema":  {`"1"`, nil, nil, "deny; guard-failed "},
		"more than a number": {"1e90000", nil, nil, "deny; guard-failed "},
	} {
		t.Run(name, func(t *testing.T) {
			shop := &shop{paid: "10", fails: c.fails}
			s := shop.session(t, refundRules)
			for i, amount := range c.before {
				decideCall(t, s, refund(fmt.Sprintf("b%d", i), amount))
			}
			d := decideCall(t, s, refund("c", c.amount))
			if got := rulesOf(d); got != c.want {
				t.Errorf("got %s", got)
			}
			if c.want == "deny; policy-violation paid" {
				if got := d.Explain(); !strings.Contains(got, "The refund is more than what was paid.") || !strings.Contains(got, "A refund is never more than what was paid.") {
					t.Errorf("explained as %s", got)
				}
				if v := d.Reasons[0].Values; !slices.Contains(v, guard.Value{Name: "args.amount", Value: "10.01"}) || !slices.Contains(v, guard.Value{Name: "order.paid", Value: "10"}) {
					t.Errorf("values %v", v)
				}
			}
		})
	}
}

// TestGuardsAsk: a rule may leave a call to a person, who agrees to it by name.
func TestGuardsAsk(t *testing.T) {
	s := (&shop{paid: "5000"}).session(t, refundRules)
	d := decideCall(t, s, refund("c", "2000"))
	if got := rulesOf(d); got != "ask; policy-violation large" {
		t.Fatal(got)
	}
	d, err := s.Confirm(t.Context(), "c")
	if err != nil || d.Verdict != remit.Allow || !d.Confirmed {
		t.Errorf("got %+v, %v", d, err)
	}
}

// TestGuardsOnAGuess: where a look-up doesn't turn out as a rule guessed, a person decides the
// call, and can let it run.
func TestGuardsOnAGuess(t *testing.T) {
	const rules = `tool: refund
policies:
  - name: paid
    require: 'args.amount <= tools.get_order({"id": args.order}).paid'
    message: The refund is more than what was paid.
    guessed: [get_order]
    examples:
      - {name: less, expect: allow, args: {order: o1, amount: 1}, given: [{tool: get_order, args: {id: o1}, result: {paid: 5}}]}
`
	for name, c := range map[string]struct {
		shop shop
		want string
	}{
		"as guessed, and enough": {shop{paid: "5"}, "allow"},
		"as guessed":             {shop{paid: "1"}, "deny; policy-violation paid"},
		"a text for a number":    {shop{paid: `"a lot"`}, "ask; guard-unproven paid"},
		"it fails":               {shop{fails: errors.New("the server is down")}, "ask; guard-unproven paid"},
	} {
		t.Run(name, func(t *testing.T) {
			s := c.shop.session(t, rules)
			d := decideCall(t, s, refund("c", "2"))
			if got := rulesOf(d); got != c.want {
				t.Fatalf("got %s, want %s", got, c.want)
			}
			if d.Verdict != remit.Ask {
				return
			}
			if got := d.Explain(); !strings.Contains(got, "rests on a guess of what this look-up returns") || !strings.Contains(got, "remit policy test --live") {
				t.Errorf("explained as %s", got)
			}
			if d, err := s.Confirm(t.Context(), "c"); err != nil || d.Verdict != remit.Allow || !d.Confirmed {
				t.Errorf("confirmed: %+v, %v", d, err)
			}
		})
	}
}

// TestGuardsAfterContracts: nothing is looked up with values that the contract
// refused, and what can be said without is said.
func TestGuardsAfterContracts(t *testing.T) {
	shop := &shop{paid: "10"}
	s := shop.session(t, refundRules)
	d := decideCall(t, s, remit.Call{ID: "c", Tool: "refund", Arguments: json.RawMessage(`{"order":"o1","amount":2000,"more":1}`)})
	if shop.asked != 0 || d.Verdict != remit.Deny {
		t.Errorf("asked %d times: %s", shop.asked, rulesOf(d))
	}
}

// TestGuardsThroughAnotherTool: the rules of the inner tool hold.
func TestGuardsThroughAnotherTool(t *testing.T) {
	s := (&shop{paid: "10"}).session(t, refundRules)
	for _, arguments := range []string{`{"order":"o1","amount":11}`, `"{\"order\":\"o1\",\"amount\":11}"`} {
		d := decideCall(t, s, remit.Call{Tool: "call", Arguments: json.RawMessage(`{"name":"refund","arguments":` + arguments + `}`)})
		if !strings.Contains(rulesOf(d), "policy-violation paid") {
			t.Errorf("got %s", rulesOf(d))
		}
	}
}

// TestLabelsOfTheInnerToolAlone: the labels that the inner tool's rules see are those of its own
// arguments, not of one beside them whose name begins like theirs.
func TestLabelsOfTheInnerToolAlone(t *testing.T) {
	s := (&shop{}).session(t, "tool: refund\npolicies: [{name: known, require: label(args.order).trust >= USER, message: m}]\n")
	s.User("Refund my order.")
	s.Attach("page", "The order is ord-77.")
	d := decideCall(t, s, remit.Call{Tool: "call", Arguments: json.RawMessage(`{"name":"refund","arguments":{"order":"ord-77","amount":5},"arguments_note":"ord-77"}`)})
	if strings.Contains(rulesOf(d), "policy-violation") {
		t.Errorf("got %s", rulesOf(d))
	}
}

// TestHeldCallsAreBounded: a call that is proposed again and again counts each time.
func TestHeldCallsAreBounded(t *testing.T) {
	s := (&shop{}).session(t, refundRules)
	again := remit.Call{ID: "c1", Tool: "nobody"}
	for range remit.MaxCalls {
		decideCall(t, s, again)
	}
	if d := decideCall(t, s, remit.Call{ID: "c2", Tool: "send", Arguments: json.RawMessage(`{"text":"hello"}`)}); !strings.HasPrefix(rulesOf(d), "deny; limit-reached") {
		t.Errorf("got %s", rulesOf(d))
	}
}

// TestGuardsHistory: a call that was not allowed and ran all the same counts.
func TestGuardsHistory(t *testing.T) {
	s := (&shop{paid: "10"}).session(t, refundRules)
	for i := range 2 {
		id := fmt.Sprintf("w%d", i)
		decideCall(t, s, refund(id, "11")) // denied, but run in shadow
		if err := s.Result(t.Context(), remit.Result{Call: id, Content: "done"}); err != nil {
			t.Fatal(err)
		}
	}
	if got := rulesOf(decideCall(t, s, refund("c", "1"))); !strings.HasSuffix(got, "policy-violation few") {
		t.Errorf("got %s", got)
	}
}

// TestDuties: a duty is open from its call until it is fulfilled.
func TestDuties(t *testing.T) {
	s := (&shop{paid: "10"}).session(t, refundRules)
	open := func(want int) {
		t.Helper()
		if got := s.Duties(); len(got) != want || want > 0 && (got[0].Duty != "tell" || got[0].Call != "c1" || got[0].Message == "" || got[0].Failed != "") {
			t.Errorf("got %+v", got)
		}
	}
	open(0)
	decideCall(t, s, refund("c0", "0"))
	open(0)
	decideCall(t, s, refund("c1", "5"))
	open(1)
	decideCall(t, s, remit.Call{ID: "m0", Tool: "send", Arguments: json.RawMessage(`{"text":"hello"}`)})
	open(1)
	decideCall(t, s, remit.Call{ID: "m1", Tool: "send", Arguments: json.RawMessage(`{"text":"o1 is refunded"}`)})
	open(0)
}

// TestGuardsPrincipal: rules speak of the principal, who comes back from the log.
func TestGuardsPrincipal(t *testing.T) {
	rules := "tool: refund\npolicies: [{name: clerks, require: '\"clerks\" in session.principal.groups', message: Clerks only.}]\n"
	shop := &shop{}
	clerk := guard.Principal{ID: "ann", Groups: []string{"clerks"}}
	s := shop.session(t, rules)
	if got := rulesOf(decideCall(t, s, refund("c1", "1"))); got != "deny; policy-violation clerks" {
		t.Errorf("got %s", got)
	}
	s.Principal(clerk)
	if got := rulesOf(decideCall(t, s, refund("c2", "1"))); got != "allow" {
		t.Errorf("got %s", got)
	}
	m, err := remit.New(shop.options(t, rules))
	if err != nil {
		t.Fatal(err)
	}
	restored, err := m.Restore(t.Context(), "s", events([]remit.Event{{Kind: remit.PrincipalEvent, Principal: &clerk}}))
	if err != nil {
		t.Fatal(err)
	}
	if got := rulesOf(decideCall(t, restored, refund("c3", "1"))); got != "allow" {
		t.Errorf("got %s", got)
	}
}

// conditions are what rules of random guards are made of.
var conditions = []string{
	`args.amount < 10`, `args.order == "o1"`, `tools.get_order({"id": args.order}).paid >= args.amount`, `session.calls().size() < 3`,
	`args.amount / 0 == 1`, `label(args.order).trust >= USER`, `session.user_said("yes")`, `judge("Is it fine?")`, `true`, `false`,
	`session.messages.exists(m, m.text.contains("o1"))`,
}

// TestGuardsOnlyMakeWorse runs random sessions with and without random rules:
// no verdict is better with them. Their order changes nothing but the order of
// the reasons, and what is restored from the log decides alike without looking
// anything up.
func TestGuardsOnlyMakeWorse(t *testing.T) {
	rank := map[remit.Verdict]int{remit.Allow: 0, remit.Ask: 1, remit.Deny: 2}
	rapid.Check(t, func(t *rapid.T) {
		chosen := rapid.SliceOfN(rapid.SampledFrom(conditions), 1, 4).Draw(t, "conditions")
		file := func(order []int) string {
			text := "tool: refund\npolicies:\n"
			for _, i := range order {
				text += fmt.Sprintf("  - {name: r%d, require: '%s', message: no, otherwise: %s}\n", i, chosen[i], []string{"deny", "ask"}[i%2])
			}
			return text
		}
		order := make([]int, len(chosen))
		for i := range order {
			order[i] = i
		}
		world := &shop{paid: rapid.SampledFrom([]string{"5", `"a lot"`, "1e3"}).Draw(t, "paid")}
		if rapid.Bool().Draw(t, "fails") {
			world.fails = errors.New("the server is down")
		}
		without, with := world.session(t), world.session(t, file(order))
		shuffled := world.session(t, file(rapid.Permutation(order).Draw(t, "order")))
		var log []remit.Event
		for i := range rapid.IntRange(1, 5).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "says") {
				text := rapid.SampledFrom([]string{"yes, refund o1", "no"}).Draw(t, "text")
				for _, s := range []*remit.Session{without, with, shuffled} {
					s.User(text)
				}
				log = append(log, remit.Event{Kind: remit.UserEvent, Text: text})
			}
			c := refund(fmt.Sprintf("c%d", i), rapid.SampledFrom([]string{"1", "7.5", "100", `"x"`}).Draw(t, "amount"))
			a, b, other := decideCall(t, without, c), decideCall(t, with, c), decideCall(t, shuffled, c)
			if rank[b.Verdict] < rank[a.Verdict] {
				t.Fatalf("%s without rules, %s with", a.Verdict, b.Verdict)
			}
			if sorted(b) != sorted(other) {
				t.Fatalf("%s in one order, %s in the other", rulesOf(b), rulesOf(other))
			}
			log = append(log, remit.Event{Kind: remit.CallEvent, Call: &c, Verdict: b.Verdict, Facts: b.Facts})
		}
		asked := world.asked
		m, err := remit.New(world.options(t, file(order)))
		if err != nil {
			t.Fatal(err)
		}
		for r, err := range m.Review(context.Background(), "s", events(log)) {
			if err != nil {
				t.Fatal(err)
			}
			if r.Decision.Verdict != r.Event.Verdict {
				t.Fatalf("replayed as %s, was %s", rulesOf(r.Decision), r.Event.Verdict)
			}
		}
		if world.asked != asked {
			t.Fatal("something was looked up again")
		}
	})
}

func sorted(d *remit.Decision) string {
	parts := strings.Split(rulesOf(d), "; ")
	slices.Sort(parts)
	return strings.Join(parts, "; ")
}

// general are conditions that the rules of any tool can have.
var general = []string{
	`session.calls().size() < 2`, `session.calls().all(c, has(c.result))`, `call.tool != "send"`, `call.server == "shop" && call.index < 4`, `call.args.?amount.orValue(0) < 10`,
	`label(args).trust >= USER`, `session.user_said("yes") || call.tool == "get_order"`, `tools.get_order({"id": "o1"}).paid >= 7`, `judge("Is it fine?")`, `true`, `false`, `1 / 0 == 1`,
}

// TestGuardsForEveryTool runs random sessions, some of whose calls go through
// another tool, with policies for every tool, and with the same rules in the file of
// each tool: all decisions are the same, with the same reasons in the same order
// and the same look-ups, and so are the duties.
func TestGuardsForEveryTool(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(from []string, what string) string {
			text := ""
			for i, c := range rapid.SliceOfN(rapid.SampledFrom(from), 0, 3).Draw(t, what) {
				text += fmt.Sprintf("  - {name: %s%d, require: '%s', message: no, otherwise: %s}\n", what, i, c, []string{"deny", "ask"}[i%2])
			}
			return text
		}
		shared := "policies:\n" + draw(general, "all")
		own := map[string]string{}
		if rapid.Bool().Draw(t, "own file") {
			own["refund"] = draw(conditions, "own")
		}
		duty := fmt.Sprintf("duties:\n  - {name: tell, when: '%s', require: 'session.calls(\"send\").exists(c, c.index > call.index)', message: no}\n",
			rapid.SampledFrom([]string{`call.tool == "refund"`, `has(call.args.amount)`, `true`}).Draw(t, "when"))
		every := []string{"tool: \"*\"\n" + shared + duty}
		var copied []string
		for _, tool := range []string{"refund", "get_order", "send", "call"} {
			copied = append(copied, "tool: "+tool+"\n"+shared+own[tool]+duty)
			if own[tool] != "" {
				every = append(every, "tool: "+tool+"\npolicies:\n"+own[tool])
			}
		}
		world := &shop{paid: rapid.SampledFrom([]string{"5", `"a lot"`, "1e3"}).Draw(t, "paid")}
		a, b := world.session(t, every...), world.session(t, copied...)
		for i := range rapid.IntRange(1, 6).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "says") {
				for _, s := range []*remit.Session{a, b} {
					s.User("yes, refund 7.5 for o1")
				}
			}
			c := rapid.SampledFrom([]remit.Call{
				refund("", "1"), refund("", "7.5"), refund("", "100"), refund("", `"x"`),
				{Tool: "get_order", Arguments: json.RawMessage(`{"id":"o1"}`)}, {Tool: "get_order", Arguments: json.RawMessage(`{"id":null}`)}, {Tool: "send", Arguments: json.RawMessage(`{"text":"o1"}`)},
				{Tool: "call", Arguments: json.RawMessage(`{"name":"refund","arguments":{"order":"o1","amount":7.5}}`)},
				{Tool: "call", Arguments: json.RawMessage(`{"name":"send","arguments":"{\"text\":\"yes\"}"}`)},
			}).Draw(t, "call")
			c.ID = fmt.Sprintf("c%d", i)
			x, y := decideCall(t, a, c), decideCall(t, b, c)
			if rulesOf(x) != rulesOf(y) {
				t.Fatalf("%s %s: %s by the policies for every tool, %s by copies", c.Tool, c.Arguments, rulesOf(x), rulesOf(y))
			}
			if p, q := fmt.Sprint(facts(x)), fmt.Sprint(facts(y)); p != q {
				t.Fatalf("looked up %s, and %s by copies", p, q)
			}
			if x.Verdict == remit.Allow && rapid.Bool().Draw(t, "returns") {
				for _, s := range []*remit.Session{a, b} {
					if err := s.Result(context.Background(), remit.Result{Call: c.ID, Content: "done"}); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		if p, q := a.Duties(), b.Duties(); !reflect.DeepEqual(p, q) {
			t.Fatalf("open duties %+v, and %+v by copies", p, q)
		}
	})
}

// facts are the look-ups and judgments of a decision.
func facts(d *remit.Decision) string {
	raw, err := json.Marshal(d.Facts)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// TestGuardsForEveryToolAlone: a tool that has no file of its own is held, also
// through another tool.
func TestGuardsForEveryToolAlone(t *testing.T) {
	s := (&shop{}).session(t, "tool: \"*\"\npolicies: [{name: quiet, require: 'call.tool != \"send\"', message: Nothing is sent.}]\n")
	for _, c := range []struct {
		call remit.Call
		want string
	}{
		{remit.Call{Tool: "send", Arguments: json.RawMessage(`{"text":"x"}`)}, "deny; policy-violation quiet"},
		{remit.Call{Tool: "call", Arguments: json.RawMessage(`{"name":"send","arguments":{"text":"x"}}`)}, "deny; policy-violation quiet"},
		{remit.Call{Tool: "get_order", Arguments: json.RawMessage(`{"id":"o1"}`)}, "allow"},
	} {
		d := decideCall(t, s, c.call)
		if got := rulesOf(d); got != c.want {
			t.Errorf("%s: got %s", c.call.Tool, got)
		}
	}
}

// TestTheMoment: what the agent says beside a call, and the calls that it makes
// together, count for this call; the corrected call is not held to them for good.
func TestTheMoment(t *testing.T) {
	const rules = `tool: "*"
policies:
  - {name: silent, require: 'session.beside() == ""', message: Say nothing beside a call.}
  - {name: single, require: session.together().size() == 0, message: Make one call at a time.}
  - {name: patient, require: session.denied().size() < 3, message: This went on for too long.}
`
	s := (&shop{paid: "100"}).session(t, rules)
	want := func(c remit.Call, verdict remit.Verdict, policy string) {
		t.Helper()
		d := decideCall(t, s, c)
		named := len(d.Reasons) == 1 && d.Reasons[0].Policy == policy
		if d.Verdict != verdict || (policy != "" && !named) {
			t.Errorf("%s: got %s by %+v", c.ID, d.Verdict, d.Reasons)
		}
	}

	look := func(id, order string) remit.Call {
		return remit.Call{ID: id, Tool: "get_order", Arguments: json.RawMessage(`{"id":"` + order + `"}`)}
	}

	s.User("Look at 5, 6, 7 and 8")
	s.Assistant("One moment, I'll look.")
	want(look("c1", "5"), remit.Deny, "silent")
	want(look("c2", "5"), remit.Allow, "") // the same without the text
	want(look("c3", "6"), remit.Deny, "single")
	mustReturn(t, s, "c2")
	want(look("c4", "6"), remit.Allow, "")
	s.User("Hello?") // c4's result is lost
	want(look("c5", "7"), remit.Allow, "")
	mustReturn(t, s, "c5")
	s.Assistant("Now this.")
	want(look("c6", "8"), remit.Deny, "silent")
	want(look("c7", "8"), remit.Deny, "patient")
}

// TestHeldCallsAreMadeToo: of the calls in one message, those that were held back or denied
// count as well; a person's yes doesn't hold a call to itself.
func TestHeldCallsAreMadeToo(t *testing.T) {
	const rules = `tool: "*"
policies:
  - {name: single, require: session.together().size() == 0, message: Make one call at a time.}
  - {name: agreed, tools: [refund], require: session.agreed(), message: Get the customer's yes.}
`
	s := (&shop{paid: "100"}).session(t, rules)
	s.User("Refund 5 on o1")
	s.Assistant("I'll refund 5 on o1. OK?")
	s.User("My dog is here")
	in := func(c remit.Call, message string) remit.Call { c.Message = message; return c }
	look := remit.Call{ID: "c2", Tool: "get_order", Arguments: json.RawMessage(`{"id":"5"}`)}
	if d := decideCall(t, s, in(refund("c1", "5"), "m1")); d.Verdict != remit.Ask {
		t.Fatalf("got %s: %+v", d.Verdict, d.Reasons)
	}
	if d := decideCall(t, s, in(look, "m1")); d.Verdict != remit.Deny {
		t.Errorf("beside a call that is held back: %s", d.Verdict)
	}
	if d, err := s.ConfirmOnce(context.Background(), "c1"); err != nil || d.Verdict != remit.Allow {
		t.Errorf("after the person's yes: got %v, %v", d, err)
	}
	look.ID = "c3"
	if d := decideCall(t, s, in(look, "m2")); d.Verdict != remit.Allow {
		t.Errorf("in the next message: %s, %+v", d.Verdict, d.Reasons)
	}
}

// TestHeldCallsOfMessagesWithoutNames: where messages have no names, as behind a gateway, a call
// made while another waits for a person runs alone: the one that waited is decided again, against
// what runs by then.
func TestHeldCallsOfMessagesWithoutNames(t *testing.T) {
	const rules = `tool: "*"
policies:
  - {name: single, require: session.together().size() == 0, message: Make one call at a time.}
  - {name: agreed, tools: [refund], require: session.agreed(), message: Get the customer's yes.}
`
	s := (&shop{paid: "100"}).session(t, rules)
	s.User("Refund 5 on o1")
	s.Assistant("I'll refund 5 on o1. OK?")
	s.User("My dog is here")
	if d := decideCall(t, s, refund("c1", "5")); d.Verdict != remit.Ask {
		t.Fatalf("got %s: %+v", d.Verdict, d.Reasons)
	}
	if d := decideCall(t, s, remit.Call{ID: "c2", Tool: "get_order", Arguments: json.RawMessage(`{"id":"5"}`)}); d.Verdict != remit.Allow {
		t.Fatalf("got %s: %+v", d.Verdict, d.Reasons)
	}
	if d, err := s.ConfirmOnce(context.Background(), "c1"); err != nil || d.Verdict != remit.Deny {
		t.Errorf("while the other runs: got %v, %v", d, err)
	}
	mustReturn(t, s, "c2")
	if d, err := s.ConfirmOnce(context.Background(), "c1"); err != nil || d.Verdict != remit.Ask {
		t.Errorf("after it returned, the person is asked again: got %v, %v", d, err)
	}
}

// TestWordsThatSettleNothing: a person is asked, and their yes lets the call run.
func TestWordsThatSettleNothing(t *testing.T) {
	const rules = `tool: refund
policies:
  - {name: agreed, require: session.agreed(), message: Get the customer's yes.}
`
	s := (&shop{paid: "100"}).session(t, rules)
	s.User("Refund 5 on o1")
	s.Assistant("I'll refund 5 on o1. OK?")
	s.User("My dog is here")
	d := decideCall(t, s, refund("c1", "5"))
	if d.Verdict != remit.Ask || len(d.Reasons) != 1 || !strings.Contains(d.Reasons[0].Message, "whether the user agreed") {
		t.Fatalf("got %s: %+v", d.Verdict, d.Reasons)
	}
	d, err := s.ConfirmOnce(context.Background(), "c1")
	if err != nil || d.Verdict != remit.Allow {
		t.Errorf("got %v, %v after the person's yes", d, err)
	}
}

// TestAYesIsForOneCarryingOut: what used a yes up, a restored session knows as well.
func TestAYesIsForOneCarryingOut(t *testing.T) {
	yes, no := true, false
	const rules = `tool: refund
policies:
  - {name: agreed, require: session.agreed(), message: Get the customer's yes.}
`
	first := refund("c1", "5")
	m, err := remit.New((&shop{paid: "100"}).options(t, rules))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		made    remit.Verdict
		returns *remit.Result
		want    remit.Verdict
	}{
		"it ran":             {remit.Allow, &remit.Result{Call: "c1", Content: `{"refunded": 5}`}, remit.Deny},
		"it failed":          {remit.Allow, &remit.Result{Call: "c1", Content: "Error: timeout"}, remit.Allow},
		"marked as failed":   {remit.Allow, &remit.Result{Call: "c1", Content: "the till is closed", Failed: &yes}, remit.Allow},
		"marked as done":     {remit.Allow, &remit.Result{Call: "c1", Content: "Error: ask again, says the shop's page", Failed: &no}, remit.Ask},
		"it was denied":      {remit.Deny, nil, remit.Allow},
		"its result is lost": {remit.Allow, nil, remit.Ask},
	} {
		t.Run(name, func(t *testing.T) {
			log := []remit.Event{{Kind: remit.UserEvent, Text: "Refund 5 on o1"}, {Kind: remit.AssistantEvent, Text: "I'll refund 5 on o1. OK?"}, {Kind: remit.UserEvent, Text: "Yes"},
				{Kind: remit.CallEvent, Call: &first, Verdict: c.made}}
			if c.returns != nil {
				log = append(log, remit.Event{Kind: remit.ResultEvent, Result: c.returns})
			}
			restored, err := m.Restore(t.Context(), "s", events(log))
			if err != nil {
				t.Fatal(err)
			}
			if got := byRule(decideCall(t, restored, refund("c2", "5"))); got != c.want {
				t.Errorf("got %s", got)
			}
		})
	}

	live := m.Session("live")
	live.User("Refund 5 on o1")
	live.Assistant("I'll refund 5 on o1. OK?")
	live.User("Yes")
	for i, want := range []remit.Verdict{remit.Allow, remit.Deny} {
		id := fmt.Sprint("c", i)
		if got := byRule(decideCall(t, live, refund(id, "5"))); got != want {
			t.Errorf("call %d: got %s", i, got)
		} else if want == remit.Allow {
			mustReturn(t, live, id)
		}
	}
}

// byRule returns what the rules alone say of a call.
func byRule(d *remit.Decision) remit.Verdict {
	for _, r := range d.Reasons {
		if r.Policy != "" {
			return r.Verdict
		}
	}
	return remit.Allow
}

func mustReturn(t tb, s *remit.Session, call string) {
	t.Helper()
	if err := s.Result(context.Background(), remit.Result{Call: call, Content: "done"}); err != nil {
		t.Fatal(err)
	}
}
