package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/examples/airline"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/trace"
)

// airlineDir is the directory of τ-bench's airline in one of all data sets.
const airlineDir = "airline"

// AirlineReport is how the guards of the airline example decide the calls of
// labelled cases.
type AirlineReport struct {
	Cases int
	// AllowRight is the share of allowed calls among those that the policy
	// document allows, DenyRight that of calls that a guard denied among those it
	// forbids. A question is neither.
	AllowRight, DenyRight Rate
	// Literal are the same of the cases that the document decides by its words,
	// Interpretive those in which it can be read in two ways.
	Literal, Interpretive AirlineRates
	// ByRule is the share of right decisions by the rule that a case is about.
	ByRule map[string]Rate
	// Wrong are the cases that were decided otherwise.
	Wrong []AirlineMiss
}

// AirlineRates are rates of a part of the cases.
type AirlineRates struct{ AllowRight, DenyRight Rate }

// AirlineMiss is a case that was decided otherwise than it says.
type AirlineMiss struct {
	Case     string        `json:"case"`
	Name     string        `json:"name"`
	Rule     string        `json:"rule"`
	Reading  string        `json:"reading"`
	Want     remit.Verdict `json:"want"`
	Got      remit.Verdict `json:"got"`
	Policies []string      `json:"policies,omitempty"`
	Why      []string      `json:"why,omitempty"`
}

// MarshalJSON implements [json.Marshaler]; see [Rate] for the members.
func (r AirlineReport) MarshalJSON() ([]byte, error) {
	o := object{"cases": r.Cases, "wrong": r.Wrong}
	if r.Wrong == nil {
		o["wrong"] = []AirlineMiss{}
	}
	rates := func(o object, a AirlineRates) object {
		o.rate("allow_right", a.AllowRight)
		o.rate("deny_right", a.DenyRight)
		return o
	}
	rates(o, AirlineRates{r.AllowRight, r.DenyRight})
	o["literal"], o["interpretive"] = rates(object{}, r.Literal), rates(object{}, r.Interpretive)
	rules := object{}
	for name, rate := range r.ByRule {
		rules.rate(name, rate)
	}
	o["by_rule"] = rules
	return json.Marshal(o)
}

// airlineCase is a call with what happened before it, and the verdict that the
// policy document comes to.
type airlineCase struct {
	ID, Name, Tool, Rule, Reading string
	Expected                      remit.Verdict
	Args                          json.RawMessage
	Now                           time.Time
	History                       []json.RawMessage
	// Message is what the agent says with the call, where that is more than the
	// call.
	Message json.RawMessage `json:"assistant_message"`
}

// Airline decides the calls of DIR/cases*.json by the contracts and guards of the
// airline example. What guards look up comes from the records in DIR.
func Airline(ctx context.Context, dir string) (*AirlineReport, error) {
	dir = within(dir, airlineDir)
	names, err := find(dir, "cases", ".json")
	if err != nil {
		return nil, err
	}
	rig, err := newAirlineRig(dir)
	if err != nil {
		return nil, err
	}
	r := &AirlineReport{ByRule: map[string]Rate{}}
	for _, name := range names {
		var cases []airlineCase
		if err := readJSON(name, &cases); err != nil {
			return nil, err
		}
		for i := range cases {
			c := &cases[i]
			d, err := rig.decide(ctx, c)
			if err != nil {
				return nil, fmt.Errorf("%s: case %s: %w", name, c.ID, err)
			}
			r.add(c, d)
		}
	}
	if r.Cases == 0 {
		return nil, fmt.Errorf("%s: cases*.json holds no case", dir)
	}
	return r, nil
}

func (r *AirlineReport) add(c *airlineCase, d *remit.Decision) {
	right := d.Verdict == c.Expected && (d.Verdict == remit.Allow || slices.ContainsFunc(d.Reasons, func(r remit.Reason) bool { return r.Policy != "" }))
	part := &r.Literal
	if c.Reading != "literal" {
		part = &r.Interpretive
	}
	r.Cases++
	if c.Expected == remit.Allow {
		r.AllowRight.add(right)
		part.AllowRight.add(right)
	} else {
		r.DenyRight.add(right)
		part.DenyRight.add(right)
	}
	rule := r.ByRule[c.Rule]
	rule.add(right)
	r.ByRule[c.Rule] = rule
	if right {
		return
	}
	miss := AirlineMiss{Case: c.ID, Name: c.Name, Rule: c.Rule, Reading: c.Reading, Want: c.Expected, Got: d.Verdict}
	for _, reason := range d.Reasons {
		if reason.Policy != "" {
			miss.Policies = append(miss.Policies, reason.Policy)
		}
		miss.Why = append(miss.Why, reason.Message)
	}
	sort.Strings(miss.Policies)
	r.Wrong = append(r.Wrong, miss)
}

// airlineRig is what all cases share.
type airlineRig struct {
	scope  guard.Scope
	guards *guard.Set
	// airline has the records as the cases begin with them.
	airline *airline.Airline
}

func newAirlineRig(dir string) (*airlineRig, error) {
	records, err := airline.LoadRecords(dir)
	if err != nil {
		return nil, err
	}
	g := &airlineRig{}
	if g.airline, err = airline.New(records); err != nil {
		return nil, err
	}
	if g.scope, err = airline.Scope(); err != nil {
		return nil, err
	}
	policies, err := airline.Policies()
	if err != nil {
		return nil, err
	}
	g.guards, err = guard.Compile(policies, g.scope)
	return g, err
}

// decide plays what happened, as it happened, and decides the call.
func (g *airlineRig) decide(ctx context.Context, c *airlineCase) (*remit.Decision, error) {
	history, last, err := c.recording()
	if err != nil {
		return nil, err
	}
	records := g.airline.Fork()
	monitor, err := remit.New(remit.Options{Tools: g.scope.Tools, Contracts: g.scope.Contracts, Guards: g.guards, Reader: records,
		Now: func() time.Time { return c.Now }})
	if err != nil {
		return nil, err
	}
	session := monitor.Session(c.ID)
	if _, err := trace.Feed(ctx, session, history, trace.Options{Recorded: true}); err != nil {
		return nil, err
	}
	for _, m := range history.Messages {
		for _, call := range m.Calls {
			// What failed then fails again, and changes nothing again.
			_, _ = records.Call(call.Tool, call.Arguments)
		}
	}
	if last.Text != "" {
		if err := session.Assistant(last.Text); err != nil {
			return nil, err
		}
	}
	// The calls of one message have no order. The one that the case is about is
	// decided beside all others.
	var decision *remit.Decision
	at := -1
	for i, call := range last.Calls {
		if at < 0 && call.Tool == c.Tool && sameJSON(call.Arguments, c.Args) {
			at = i
			continue
		}
		if _, err := session.Decide(ctx, remit.Call{ID: call.ID, Tool: call.Tool, Arguments: call.Arguments}); err != nil {
			return nil, err
		}
	}
	if at < 0 {
		return nil, fmt.Errorf("the message doesn't make the call of %s", c.Tool)
	}
	decision, err = session.Decide(ctx, remit.Call{ID: last.Calls[at].ID, Tool: c.Tool, Arguments: last.Calls[at].Arguments})
	return decision, err
}

// recording is the session before the call, and the message that makes it.
func (c *airlineCase) recording() (*trace.Session, *trace.Message, error) {
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
	return nil, nil, fmt.Errorf("the case has no messages")
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	if json.Compact(&x, a) != nil || json.Compact(&y, b) != nil {
		return false
	}
	return x.String() == y.String()
}

// Summary is one line for people.
func (m AirlineMiss) Summary() string {
	return fmt.Sprintf("%s (%s, %s) %s: got %s, want %s: %s", m.Case, m.Rule, m.Reading, m.Name, m.Got, m.Want, strings.Join(m.Why, "; "))
}
