package eval

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/examples/airline"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/guardtest"
	"github.com/remit-project/remit/internal/trace"
	"github.com/remit-project/remit/ledger"
)

// guardCase is a call with its history, and the verdict of the policy document.
type guardCase struct {
	ID, Name, Tool, Rule string
	// Violates are the rules that a forbidden call breaks, Rule among them.
	Violates []string
	// Reading is "literal", or another word such as "interpretive" if the
	// document is ambiguous.
	Reading  string
	Expected remit.Verdict
	Args     json.RawMessage
	Now      time.Time
	History  []json.RawMessage
	// Message is the agent's message with the call, if it has more than the call.
	Message json.RawMessage `json:"assistant_message"`
	// Given holds the results of look-ups and questions, in the form of the
	// examples in guard files. Records answer the rest.
	Given []caseFixture
}

// caseFixture is a [guard.Fixture] in JSON.
type caseFixture struct {
	Server, Tool string
	Args, Result json.RawMessage
	Error, Judge string
	Answer       bool
}

// literal is the reading of a case that the document's wording decides.
const literal = "literal"

// CaseMiss is a case with another decision than expected.
type CaseMiss struct {
	Case    string        `json:"case"`
	Name    string        `json:"name"`
	Tool    string        `json:"tool"`
	Rule    string        `json:"rule"`
	Reading string        `json:"reading"`
	Want    remit.Verdict `json:"want"`
	Got     remit.Verdict `json:"got"`
	// Policies are the rules that objected to the call, and Why are all reasons.
	Policies []string `json:"policies,omitempty"`
	Why      []string `json:"why,omitempty"`
}

// miss returns the case with its wrong decision.
func (c *guardCase) miss(d *remit.Decision) CaseMiss {
	m := CaseMiss{Case: c.ID, Name: c.Name, Tool: c.Tool, Rule: c.Rule, Reading: c.Reading, Want: c.Expected, Got: d.Verdict}
	for _, r := range d.Reasons {
		if r.Policy != "" {
			m.Policies = append(m.Policies, r.Policy)
		}
		m.Why = append(m.Why, r.Message)
	}
	slices.Sort(m.Policies)
	return m
}

// Summary returns one line for people.
func (m CaseMiss) Summary() string {
	return fmt.Sprintf("%s %s (%s, %s) %s: got %s, want %s: %s", m.Case, m.Tool, m.Rule, m.Reading, m.Name, m.Got, m.Want, strings.Join(m.Why, "; "))
}

// readCases reads all cases of DIR/cases*.json.
func readCases(dir string) ([]guardCase, error) {
	names, err := find(dir, "cases", ".json")
	if err != nil {
		return nil, err
	}

	var all []guardCase
	for _, name := range names {
		var cases []guardCase
		if err := readJSON(name, &cases); err != nil {
			return nil, err
		}
		for i := range cases {
			cases[i].Reading = cmp.Or(cases[i].Reading, literal)
			if len(cases[i].Args) == 0 || string(cases[i].Args) == "null" {
				cases[i].Args = json.RawMessage("{}")
			}
			if v := cases[i].Expected; v != remit.Allow && v != remit.Deny {
				return nil, fmt.Errorf("%s: case %s: expected is %q: write allow or deny", name, cases[i].ID, v)
			}
		}
		all = append(all, cases...)
	}

	if len(all) == 0 {
		return nil, fmt.Errorf("%s: cases*.json holds no case", dir)
	}
	return all, nil
}

// guardRig is the part that all cases share.
type guardRig struct {
	scope  guard.Deployment
	guards *guard.Set
	// airline has the initial records of the cases; nil unless the data set is an
	// airline's.
	airline *airline.Airline
	// judge answers what cases give no answer to; nil for none.
	judge guard.Judge
	// records answer the look-ups of which neither a case nor its history has the result.
	records *records
}

// newAirline returns the airline with a directory's records.
func newAirline(dir string) (*airline.Airline, error) {
	records, err := airline.LoadRecords(dir)
	if err != nil {
		return nil, err
	}
	return airline.New(records)
}

// decide replays a case's history and decides its call.
func (g *guardRig) decide(ctx context.Context, c *guardCase) (*remit.Decision, error) {
	history, last, err := c.recording()
	if err != nil {
		return nil, err
	}
	given, err := guardtest.Request(c.example())
	if err != nil {
		return nil, err
	}
	results := trace.NewResults()
	look := lookups{given.Reader, lookups{results, g.records}}
	var records *airline.Airline

	if g.airline != nil {
		records = g.airline.Fork()
		look.known = bareReader{records, g.scope.Tools}
	}
	monitor, err := remit.New(remit.Options{Tools: g.scope.Tools, Contracts: g.scope.Contracts, Guards: g.guards, Reader: look, Judge: judges{given.Judge, g.judge},
		Now: func() time.Time { return c.Now }})
	if err != nil {
		return nil, err
	}

	session := ledger.Begin(monitor, c.ID)
	if _, err := trace.Feed(ctx, session, history, trace.Options{Recorded: true, Results: results}); err != nil {
		return nil, err
	}
	if records != nil {
		for _, m := range history.Messages {
			for _, call := range m.Calls {
				// A call that failed fails again, and changes nothing again.
				_, _ = records.Call(call.Tool, call.Arguments)
			}
		}
	}

	if last.Text != "" {
		if err := session.Assistant(ctx, last.Text); err != nil {
			return nil, err
		}
	}

	// The calls of one message have no order: decide the case's call beside all
	// others, those that are stopped among them.
	message := remit.Call{Message: "proposed", Beside: last.Text}
	propose := func(call trace.Call) (*remit.Decision, error) {
		return session.Decide(ctx, remit.Call{ID: call.ID, Tool: call.Tool, Arguments: call.Arguments, Message: message.Message, Beside: message.Beside})
	}
	at := -1
	for i, call := range last.Calls {
		if at < 0 && call.Tool == c.Tool && guard.SameArguments(call.Arguments, c.Args) {
			at = i
			continue
		}
		if _, err := propose(call); err != nil {
			return nil, err
		}
	}

	if at < 0 {
		return nil, fmt.Errorf("the message doesn't make the call of %s", c.Tool)
	}
	return propose(last.Calls[at])
}

// example returns the case as an example of a guard, in which the given look-ups
// mean the same.
func (c *guardCase) example() *guard.Example {
	e := &guard.Example{Args: c.Args}
	for _, f := range c.Given {
		e.Given = append(e.Given, guard.Fixture{Server: f.Server, Tool: f.Tool, Args: f.Args, Result: f.Result, Error: f.Error, Judge: f.Judge, Answer: f.Answer})
	}
	return e
}

// recording returns the session before the call, and the message that makes it.
func (c *guardCase) recording() (*trace.Session, *trace.Message, error) {
	last := c.Message
	if len(last) == 0 {
		var err error
		if last, err = json.Marshal(map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{
			"id": "proposed", "type": "function", "function": map[string]any{"name": c.Tool, "arguments": string(c.Args)}}}}); err != nil {
			return nil, nil, err
		}
	}
	document, err := json.Marshal(map[string]any{"id": c.ID, "messages": append(c.History[:len(c.History):len(c.History)], last)})
	if err != nil {
		return nil, nil, err
	}

	for s, err := range trace.Read(bytes.NewReader(document)) {
		if err != nil {
			return nil, nil, err
		}
		n := len(s.Messages) - 1
		m := s.Messages[n]
		s.Messages = s.Messages[:n]
		return s, &m, nil
	}

	return nil, nil, errors.New("the case has no messages")
}
