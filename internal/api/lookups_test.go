package api

import (
	"fmt"
	"strings"
	"testing"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/schema"
)

// shopRules look an order up, and then the user whose it is.
const shopRules = `tool: cancel
policies:
  - name: own-pending-order
    variables: {order: 'tools.get_order({"id": args.id})'}
    require: order.status == "pending" && args.id in tools.get_user({"id":order.user}).orders
    message: Only the user's own pending orders can be cancelled.
`

const shopContracts = `version: 1
server: shop
tools:
  get_order: {effect: read, args: {/id: {role: selector}}, output: {trust: TOOL_OUTPUT}}
  get_user: {effect: read, args: {/id: {role: selector}}, output: {trust: TOOL_OUTPUT}}
  cancel: {effect: write, args: {/id: {role: selector, floor: USER}}}
`

const cancelling = `"tool":"cancel","arguments":{"id":"W1"}`

// newShop is a server whose rules look things up, with a session in which the user asked
// for a cancellation.
func newShop(t *testing.T, rules string) *bench {
	t.Helper()
	f, err := contract.Load("shop.yaml", []byte(shopContracts))
	must(t, err)
	g, err := guard.Load("cancel.yaml", []byte(rules))
	must(t, err)
	files := []*contract.File{f}
	set, err := guard.Compile([]*guard.File{g}, guard.Deployment{Contracts: files})
	must(t, err)
	b := newBench(t, func(o *Options) {
		o.Monitor = func([]*schema.Catalogue) (*remit.Monitor, error) {
			return remit.New(remit.Options{Contracts: files, Guards: set, Reader: Callers()})
		}
	})
	b.post(t, 201, "agent", "/v1/sessions", `{"id":"s"}`)
	b.post(t, 204, "agent", "/v1/sessions/s/events", `{"type":"user","text":"Cancel my order W1"}`)
	return b
}

// cancel proposes the call with the results of look-ups.
func (b *bench) cancel(t *testing.T, status int, id string, results ...string) *answerOf {
	t.Helper()
	return b.post(t, status, "agent", "/v1/sessions/s/decisions", fmt.Sprintf(`{"id":%q,%s,"lookups":[%s]}`, id, cancelling, strings.Join(results, ",")))
}

// asks returns the only look-up that an answer asks for.
func asks(t *testing.T, a *answerOf, tool string) string {
	t.Helper()
	got := into[struct{ Lookups []question }](t, a).Lookups
	if len(got) != 1 || got[0].Tool != tool || got[0].ID == "" {
		t.Fatalf("asks %s, want %s", a.body, tool)
	}
	return got[0].ID
}

func looked(id, result string) string { return fmt.Sprintf(`{"id":%q,%s}`, id, result) }

const (
	pending = `"structured":{"status":"pending","user":"u1"}`
	itsUser = `"content":"{\"orders\":[\"W1\"]}"`
)

// TestLookupsOfTheCaller decides a call by what the caller looked up, and nothing before:
// the log has one decision, by which a restored session decides the same.
func TestLookupsOfTheCaller(t *testing.T) {
	b := newShop(t, shopRules)
	order := asks(t, b.cancel(t, 202, "c1"), "get_order")
	user := asks(t, b.cancel(t, 202, "c1", looked(order, pending)), "get_user")
	if got := b.cancel(t, 200, "c1", looked(order, pending), looked(user, itsUser)); verdictOf(got) != "allow" {
		t.Fatalf("got %s", got.body)
	}

	var calls []remit.Event
	for rec, err := range b.store.Read(t.Context(), "s", 0) {
		must(t, err)
		if rec.Event.Kind == remit.CallEvent {
			calls = append(calls, rec.Event)
		}
	}
	if len(calls) != 1 || len(calls[0].Facts.Lookups) != 2 || calls[0].Facts.Lookups[0].Result.From != "caller:agent" {
		t.Fatalf("the log has %+v", calls)
	}
	m, err := b.Server.o.Monitor(nil)
	must(t, err)
	session, err := ledger.New(b.store, ledger.Options{}).Open(t.Context(), m, "s")
	must(t, err)
	must(t, session.AwaitedResult(t.Context(), remit.Result{Call: "c1", Content: "done"}))
}

// TestLookupsThatAreNoAnswer never allows a call by an answer that isn't one.
func TestLookupsThatAreNoAnswer(t *testing.T) {
	b := newShop(t, shopRules)
	order := asks(t, b.cancel(t, 202, "c1"), "get_order")
	user := asks(t, b.cancel(t, 202, "c1", looked(order, pending)), "get_user")
	for name, c := range map[string]struct {
		status  int
		results []string
	}{
		"of another look-up":    {409, []string{looked(order, pending), looked(user, itsUser), looked("0123", itsUser)}},
		"answered twice":        {400, []string{looked(order, pending), looked(order, pending)}},
		"result and error":      {400, []string{looked(order, pending+`,"error":"x"`)}},
		"nothing":               {400, []string{looked(order, `"error":""`)}},
		"another member":        {400, []string{looked(order, pending+`,"verdict":"allow"`)}},
		"too many":              {400, strings.Split(strings.Repeat(looked(order, pending)+"\n", 33), "\n")[:33]},
		"an error":              {200, []string{looked(order, `"error":"no such order"`)}},
		"another state":         {200, []string{looked(order, `"structured":{"status":"delivered","user":"u1"}`)}},
		"somebody else's":       {200, []string{looked(order, pending), looked(user, `"structured":{"orders":["W2"]}`)}},
		"text that is not JSON": {200, []string{looked(order, `"content":"pending"`)}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := b.cancel(t, c.status, "c-"+name, c.results...); verdictOf(got) == "allow" {
				t.Errorf("got %s", got.body)
			}
		})
	}
}

// TestLookupsOfAGuess asks a person where the caller's answer isn't what a rule guessed, and where
// nobody looks anything up.
func TestLookupsOfAGuess(t *testing.T) {
	b := newShop(t, strings.Replace(shopRules, "    message", `    guessed: [get_user]
    examples:
      - {name: own, expect: allow, args: {id: W1}, given: [{tool: get_order, result: {status: pending, user: u1}}, {tool: get_user, result: {orders: [W1]}}]}
    message`, 1))
	order := asks(t, b.cancel(t, 202, "c1"), "get_order")
	user := asks(t, b.cancel(t, 202, "c1", looked(order, pending)), "get_user")
	for name, c := range map[string]struct{ order, user, want string }{
		"as guessed":          {pending, itsUser, "allow"},
		"another's":           {pending, `"structured":{"orders":["W2"]}`, "deny"},
		"in another form":     {pending, `"structured":{"orders":{"W1":"pending"}}`, "ask"},
		"not found":           {pending, `"error":"no such user"`, "ask"},
		"a known one failing": {`"error":"no such order"`, "", "deny"},
	} {
		t.Run(name, func(t *testing.T) {
			results := []string{looked(order, c.order)}
			if c.user != "" {
				results = append(results, looked(user, c.user))
			}
			if got := b.cancel(t, 200, "c-"+name, results...); verdictOf(got) != c.want {
				t.Errorf("got %s, want %s", got.body, c.want)
			}
		})
	}
}

// TestCallersWithoutLookups decides for callers who don't answer look-ups by what the agent
// looked up itself, and asks no caller who may not report what tools return.
func TestCallersWithoutLookups(t *testing.T) {
	b := newShop(t, shopRules)
	propose := func(id string) *answerOf {
		return b.post(t, 200, "agent", "/v1/sessions/s/decisions", fmt.Sprintf(`{"id":%q,%s}`, id, cancelling))
	}
	if got := propose("c1"); verdictOf(got) != "deny" || !strings.Contains(string(got.body), "call get_order") {
		t.Errorf("got %s", got.body)
	}
	for id, call := range map[string][2]string{"r1": {`"tool":"get_order","arguments":{"id":"W1"}`, pending}, "r2": {`"tool":"get_user","arguments":{"id":"u1"}`, itsUser}} {
		b.post(t, 200, "agent", "/v1/sessions/s/decisions", fmt.Sprintf(`{"id":%q,%s}`, id, call[0]))
		b.post(t, 204, "agent", "/v1/sessions/s/events", fmt.Sprintf(`{"type":"result","call":%q,%s}`, id, call[1]))
	}
	if got := propose("c2"); verdictOf(got) != "allow" {
		t.Errorf("got %s", got.body)
	}

	b.post(t, 201, "narrow", "/v1/sessions", `{"id":"n"}`)
	if got := b.post(t, 403, "narrow", "/v1/sessions/n/decisions", `{`+cancelling+`,"lookups":[]}`); !strings.Contains(string(got.body), "events:write") {
		t.Errorf("got %s", got.body)
	}
}

// TestConfirmWithLookups looks things up again when a person agreed.
func TestConfirmWithLookups(t *testing.T) {
	b := newShop(t, shopRules)
	b.post(t, 201, "operator", "/v1/sessions", `{"id":"o"}`)
	at := "/v1/sessions/o/"
	b.post(t, 204, "operator", at+"events", `{"type":"attach","text":"Cancel W1"}`)
	held := b.post(t, 202, "operator", at+"decisions", `{"id":"c1",`+cancelling+`,"lookups":[]}`)
	order := asks(t, held, "get_order")
	held = b.post(t, 202, "operator", at+"decisions", `{"id":"c1",`+cancelling+`,"lookups":[`+looked(order, pending)+`]}`)
	user := asks(t, held, "get_user")
	both := looked(order, pending) + "," + looked(user, itsUser)
	if got := b.post(t, 200, "operator", at+"decisions", `{"id":"c1",`+cancelling+`,"lookups":[`+both+`]}`); verdictOf(got) != "ask" {
		t.Fatalf("got %s", got.body)
	}
	asks(t, b.post(t, 202, "operator", at+"confirmations", `{"call":"c1","for":"once","lookups":[]}`), "get_order")
	if got := b.post(t, 200, "operator", at+"confirmations", `{"call":"c1","for":"once","lookups":[`+both+`]}`); verdictOf(got) != "allow" {
		t.Errorf("got %s", got.body)
	}
}
