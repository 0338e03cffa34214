package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/command"
)

// cancelRules are rules that look an order up, and then the user whose it is.
const cancelRules = `tool: cancel_order
policies:
  - name: own-pending-order
    variables:
      order: |
        tools.get_order({"id": args.id})
    require: |
      order.status == "pending" && args.id in tools.get_user({"id": order.user}).orders
    message: Only the user's own pending orders can be cancelled.
  - name: agreed
    require: session.listed(args.id) && session.agreed()
    message: Say which order it is, and let the user agree.
`

// shopLines begin a session in which an order may be cancelled by what was said.
const shopLines = `{"type":"tools","server":"shop","tools":[
{"name":"cancel_order","description":"Cancel an order.","inputSchema":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}},
{"name":"get_order","description":"Get an order.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}},
{"name":"get_user","description":"Get a user.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}}]}
{"type":"user","text":"Cancel my order W1"}
{"type":"assistant","text":"I will cancel order W1. Do you confirm?"}
{"type":"user","text":"Sounds good, thanks!"}
`

const (
	proposal     = `{"type":"call","id":"c1","tool":"cancel_order","arguments":{"id":"W1"}}`
	pendingOrder = `"structured":{"id":"W1","status":"pending","user":"u1"}`
	itsUser      = `"structured":{"id":"u1","orders":["W1"]}`
)

// talking is the other side of a session command.
type talking struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Scanner
	end chan error
}

// sessionOf starts a session command with the rules, and begins a session.
func sessionOf(t *testing.T, rules string) *talking {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "cancel.yaml"), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	x := &talking{t, inW, bufio.NewScanner(outR), make(chan error, 1)}
	go func() {
		c := sessionCommand{engineFlags: engineFlags{Policies: dir}}
		err := c.Run(t.Context(), &command.Streams{In: inR, Out: outW, Err: io.Discard})
		outW.Close()
		x.end <- err
	}()
	lines := strings.SplitAfterN(shopLines, "]}\n", 2)
	x.send(strings.ReplaceAll(lines[0], "\n", ""))
	for line := range strings.Lines(lines[1]) {
		x.send(strings.TrimSpace(line))
	}
	return x
}

func (x *talking) send(line string) {
	x.t.Helper()
	if _, err := io.WriteString(x.in, line+"\n"); err != nil {
		x.t.Fatal(err)
	}
}

// answer answers a look-up with members of a line.
func (x *talking) answer(id, members string) {
	x.t.Helper()
	x.send(fmt.Sprintf(`{"type":"lookup_result","lookup":%q,%s}`, id, members))
}

// sessionLine is a line of the command, of any type.
type sessionLine struct {
	Type, Lookup, Tool, Verdict, Call, Message, Hint, Explanation string
	Line                                                          int
}

// hear reads a line of a type.
func (x *talking) hear(kind string) sessionLine {
	x.t.Helper()
	if !x.out.Scan() {
		x.t.Fatalf("no line of type %s: %v", kind, x.out.Err())
	}
	var r sessionLine
	if err := json.Unmarshal(x.out.Bytes(), &r); err != nil || r.Type != kind {
		x.t.Fatalf("got %s, want a line of type %s", x.out.Bytes(), kind)
	}
	return r
}

// close ends the input and expects a clean end without another line.
func (x *talking) close() {
	x.t.Helper()
	x.in.Close()
	if x.out.Scan() {
		x.t.Errorf("one more line: %s", x.out.Bytes())
	}
	if err := <-x.end; err != nil {
		x.t.Error(err)
	}
}

// TestSessionAsksForLookups decides a call by what the other side looked up, and reads
// the lines that came meanwhile after it.
func TestSessionAsksForLookups(t *testing.T) {
	x := sessionOf(t, cancelRules)
	x.send(proposal)
	q := x.hear("lookup")
	x.send(`{"type":"call","id":"c2","tool":"cancel_order","arguments":{"id":7}}`)
	x.answer(q.Lookup, pendingOrder)
	q = x.hear("lookup")
	x.answer(q.Lookup, itsUser)
	if d := x.hear("decision"); d.Call != "c1" || d.Verdict != "allow" {
		t.Errorf("got %+v", d)
	}
	if d := x.hear("decision"); d.Call != "c2" || d.Verdict != "deny" {
		t.Errorf("got %+v", d)
	}
	x.close()
}

// TestSessionLookupsThatFail denies what could not be looked up, whatever the other side
// says instead.
func TestSessionLookupsThatFail(t *testing.T) {
	for name, c := range map[string]struct{ answer, why string }{
		"an error":              {`"error":"no such order"`, `the agent could not make it: "no such order"`},
		"no record":             {`"content":"Error: no such order"`, "no such key"},
		"a record without it":   {`"structured":{"id":"W1"}`, "no such key: status"},
		"another state":         {`"structured":{"status":"delivered","user":"u1"}`, "Only the user's own pending orders"},
		"text that is not JSON": {`"content":"{\"status\":\"pending\",\"status\":\"x\"}"`, "no such key"},
	} {
		t.Run(name, func(t *testing.T) {
			x := sessionOf(t, cancelRules)
			x.send(proposal)
			x.answer(x.hear("lookup").Lookup, c.answer)
			if d := x.hear("decision"); d.Verdict != "deny" || !strings.Contains(d.Explanation, c.why) {
				t.Errorf("got %+v", d)
			}
			x.close()
		})
	}
}

// TestSessionRefusesAnswers refuses answers without a question, and keeps waiting.
func TestSessionRefusesAnswers(t *testing.T) {
	x := sessionOf(t, cancelRules)
	x.answer("lookup-1", pendingOrder) // before it is asked for
	x.hear("error")
	x.send(proposal)
	first := x.hear("lookup").Lookup

	for _, line := range []string{
		`{"type":"lookup_result","lookup":"lookup-7",` + pendingOrder + `}`,
		`{"type":"lookup_result","lookup":"` + first + `"}`,
		`{"type":"lookup_result","lookup":"` + first + `","content":"x","error":"y"}`,
		`{"type":"lookup_result",` + pendingOrder + `}`,
	} {
		x.send(line)
		if e := x.hear("error"); !strings.Contains(e.Message, "look") && !strings.Contains(e.Message, "answer") {
			t.Errorf("%s: %+v", line, e)
		}
	}

	x.answer(first, pendingOrder)
	second := x.hear("lookup").Lookup
	x.answer(first, pendingOrder) // once more
	x.hear("error")
	x.answer(second, `"structured":{"id":"u1","orders":[]}`)
	if d := x.hear("decision"); d.Verdict != "deny" {
		t.Errorf("got %+v", d)
	}
	x.answer(second, itsUser) // too late
	x.hear("error")
	x.close()
}

// TestSessionLateAnswers denies a call whose look-ups are not answered in time, and
// refuses the answer that comes after.
func TestSessionLateAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := sessionOf(t, cancelRules)
		x.send(proposal)
		q := x.hear("lookup")
		time.Sleep(guard.FactsTimeout)
		if d := x.hear("decision"); d.Verdict != "deny" || !strings.Contains(d.Explanation, "has not answered") {
			t.Errorf("got %+v", d)
		}
		x.answer(q.Lookup, pendingOrder)
		x.hear("error")
		x.close()
	})
}

// TestSessionInputEnds decides a call that waits when the input ends: by what the agent
// looked up itself, or not at all.
func TestSessionInputEnds(t *testing.T) {
	looked := []string{
		`{"type":"call","id":"r1","tool":"get_order","arguments":{"id":"W1"}}`, `{"type":"result","call":"r1",` + pendingOrder + `}`,
		`{"type":"call","id":"r2","tool":"get_user","arguments":{"id":"u1"}}`, `{"type":"result","call":"r2",` + itsUser + `}`,
	}
	for name, c := range map[string]struct {
		before  []string
		verdict string
	}{"nothing was looked up": {nil, "deny"}, "the agent looked it up": {looked, "allow"}} {
		t.Run(name, func(t *testing.T) {
			x := sessionOf(t, cancelRules)
			for _, line := range c.before {
				if x.send(line); strings.Contains(line, `"call","id"`) {
					x.hear("decision")
				}
			}
			x.send(proposal)
			x.hear("lookup")
			x.in.Close()
			if d := x.hear("decision"); d.Verdict != c.verdict {
				t.Errorf("got %+v", d)
			}
			x.close()
		})
	}
}

// TestSessionLookupsOfAGuess asks a person where the other side's answer isn't what a rule
// guessed.
func TestSessionLookupsOfAGuess(t *testing.T) {
	rules := strings.Replace(cancelRules, "    message", `    guessed: [get_user]
    examples:
      - {name: own, expect: allow, args: {id: W1}, given: [{tool: get_order, result: {status: pending, user: u1}}, {tool: get_user, result: {orders: [W1]}}]}
    message`, 1)
	for name, c := range map[string]struct{ answer, verdict, why string }{
		"as guessed":      {itsUser, "allow", ""},
		"another's":       {`"structured":{"orders":["W2"]}`, "deny", "Only the user's own pending orders"},
		"in another form": {`"structured":[{"order":"W1"}]`, "ask", "get_user: what it returned is a list, where the rule expects an object"},
		"not found":       {`"error":"no such user"`, "ask", "The rule rests on a guess"},
	} {
		t.Run(name, func(t *testing.T) {
			x := sessionOf(t, rules)
			x.send(proposal)
			x.answer(x.hear("lookup").Lookup, pendingOrder)
			x.answer(x.hear("lookup").Lookup, c.answer)
			if d := x.hear("decision"); d.Verdict != c.verdict || !strings.Contains(d.Explanation, c.why) {
				t.Errorf("got %+v", d)
			}
			x.close()
		})
	}
}

// TestSessionWithoutTheTool: sessions bring their own tools, and a guard for one that they don't
// have decides nothing.
func TestSessionWithoutTheTool(t *testing.T) {
	x := sessionOf(t, "tool: refund_order\npolicies: [{name: never, require: 'false', message: no}]\n")
	x.send(proposal)
	if d := x.hear("decision"); d.Verdict != "allow" {
		t.Errorf("got %+v", d)
	}
	x.close()
}

// TestSessionLacksAToolOfAPolicy: a policy of several tools, one of which the session lacks, holds for the
// others, and denies no call that it isn't about.
func TestSessionLacksAToolOfAPolicy(t *testing.T) {
	for tools, verdict := range map[string]string{"cancel_order, refund_order": "deny", "refund_order": "allow"} {
		x := sessionOf(t, "tool: '*'\npolicies: [{name: p, tools: ["+tools+"], require: 'false', message: m}]\n")
		x.send(proposal)
		x.in.Close()
		if d := x.hear("decision"); string(d.Verdict) != verdict {
			t.Errorf("%s: got %+v", tools, d)
		}
		x.close()
	}
}
