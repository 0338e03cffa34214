// Package guardtest runs the examples of a guard file as tests.
package guardtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

// Result is the result of one example.
type Result struct {
	Server, Tool string
	// Rule is the policy or duty that the example is about.
	Rule     string
	Example  string
	Position guard.Position
	// Want is the verdict that the example expects, and Got the verdict of the rule.
	Want, Got label.Verdict
	// Failed says why the rule could not be decided, or the example not be run.
	Failed string
	// Values are the parts of the rule that decided.
	Values []guard.Value
	Took   time.Duration
}

// Passed reports whether the rule has the verdict that the example expects. A rule that
// could not be decided passes no example, not even one that expects a denial.
func (r Result) Passed() bool { return r.Failed == "" && r.Want == r.Got }

// Run runs the examples of a guard, each with the rule of its own policy alone.
func Run(ctx context.Context, g *guard.Guard) []Result {
	var out []Result
	for i := range g.File.Policies {
		p := &g.File.Policies[i]
		one, ok := g.Only(p.Name)
		for j := range p.Examples {
			e := &p.Examples[j]
			r := result(g, p.Name, e)
			began := time.Now()
			switch {
			case g.Err() != nil || !ok:
				r.Failed = "the rule has mistakes: remit policy lint lists them"
			default:
				Judge(ctx, one, e, &r)
			}
			r.Took = time.Since(began)
			out = append(out, r)
		}
	}

	for i := range g.File.Duties {
		d := &g.File.Duties[i]
		for j := range d.Examples {
			e := &d.Examples[j]
			r := result(g, d.Name, e)
			began := time.Now()
			fulfil(g, d.Name, e, &r)
			r.Took = time.Since(began)
			out = append(out, r)
		}
	}

	return out
}

func result(g *guard.Guard, rule string, e *guard.Example) Result {
	return Result{Server: g.Server, Tool: g.Tool, Rule: rule, Example: e.Name, Position: e.Position, Want: e.Expect}
}

// Judge judges the call of an example by a guard, and records the verdict in the
// result.
func Judge(ctx context.Context, g *guard.Guard, e *guard.Example, r *Result) {
	doc, err := strictjson.Parse(e.Args, strictjson.DefaultLimits())
	if err != nil {
		r.Failed = "args: " + err.Error()
		return
	}
	if err := g.Callable(e); err != nil {
		r.Failed = err.Error()
		return
	}

	given := &fixtures{given: e.Given}
	r.Got = label.Allow
	for _, v := range g.Evaluate(ctx, requestOf(e, doc, given)).Violations {
		if r.Got != label.Deny {
			r.Got = v.Verdict
		}
		if v.Failed != "" {
			r.Failed = v.Failed
		}
		r.Values = append(r.Values, v.Values...)
	}
	if unanswered := given.unanswered.Load(); unanswered != nil && r.Failed == "" {
		r.Failed = (*unanswered).Error()
	}
}

// Request returns the call of an example.
func Request(e *guard.Example) (guard.Request, error) {
	doc, err := strictjson.Parse(e.Args, strictjson.DefaultLimits())
	if err != nil {
		return guard.Request{}, fmt.Errorf("args: %w", err)
	}
	return requestOf(e, doc, &fixtures{given: e.Given}), nil
}

func requestOf(e *guard.Example, doc *strictjson.Document, given *fixtures) guard.Request {
	return guard.Request{
		Server: e.Server, Tool: e.Tool,
		Arguments: doc.Canonical(),
		Labels:    func() []guard.LabeledValue { return labeled(doc, e.Labels) },
		History:   history(e),
		Now:       e.Now,
		Reader:    given, Judge: given,
	}
}

func history(e *guard.Example) *guard.History {
	h := &guard.History{Principal: e.Principal, Entries: make([]guard.Entry, len(e.History))}
	for i, event := range e.History {
		if event.Time.IsZero() {
			event.Time = e.Now
		}
		if event.Call != nil && event.Call.ID == "" {
			call := *event.Call
			call.ID = fmt.Sprintf("c%d", i+1)
			event.Call = &call
		}
		h.Entries[i] = event
	}
	return h
}

// labeled returns the leaves of the arguments. A leaf without a label in the example is
// the user's.
func labeled(doc *strictjson.Document, labels map[string]label.Trust) []guard.LabeledValue {
	var out []guard.LabeledValue
	for _, l := range doc.Leaves() {
		leaf := guard.LabeledValue{Pointer: l.Pointer, Type: l.Kind.String(), Text: l.Text, Trust: label.User, Origins: []string{"user"}}
		if t, ok := labels[l.Pointer]; ok {
			leaf.Trust, leaf.Origins = t, nil
		}
		out = append(out, leaf)
	}
	return out
}

// fulfil decides whether a duty is open after the history of an example.
func fulfil(g *guard.Guard, name string, e *guard.Example, r *Result) {
	r.Got = label.Allow
	for _, open := range g.Duties(history(e), e.Now) {
		if open.Duty != name {
			continue
		}
		r.Got = label.Deny
		if open.Failed != "" {
			r.Failed = open.Failed
		}
	}
}

// fixtures answer look-ups and questions.
type fixtures struct {
	given []guard.Fixture
	// unanswered is that a rule asked the judge what the example doesn't answer.
	unanswered atomic.Pointer[error]
}

// ErrNotGiven is the error of a look-up for which an example gives no result, and of a
// question to the judge without an answer.
var ErrNotGiven = errors.New("the example gives nothing")

// Read implements [guard.Reader].
func (f *fixtures) Read(_ context.Context, server, tool string, arguments json.RawMessage) (*guard.Result, error) {
	for _, g := range f.given {
		otherServer := g.Server != "" && g.Server != server
		otherArguments := g.Args != nil && !guard.SameArguments(g.Args, arguments)
		if g.Tool != tool || otherServer || otherArguments {
			continue
		}
		if g.Error != "" {
			return nil, errors.New(g.Error)
		}
		return guard.ResultOf(g.Result), nil
	}
	return nil, fmt.Errorf("%w for %s %s", ErrNotGiven, tool, arguments)
}

// Judge implements [guard.Judge].
func (f *fixtures) Judge(_ context.Context, q guard.Question, _ *guard.History) (bool, string, error) {
	of := func(question string) int {
		return slices.IndexFunc(f.given, func(g guard.Fixture) bool { return g.Judge == question })
	}
	at := of(q.Text)
	if at < 0 && q.Notion {
		at = of(guard.AnyQuestion)
	}

	if at >= 0 {
		g := f.given[at]
		if g.Error != "" {
			return false, "", errors.New(g.Error)
		}
		return g.Answer, "", nil
	}
	err := fmt.Errorf("%w as an answer to %q", ErrNotGiven, q.Text)
	if !q.Notion {
		f.unanswered.Store(&err)
	}
	return false, "", err
}
