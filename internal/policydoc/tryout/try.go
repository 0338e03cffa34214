package tryout

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/guardtest"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/strictjson"
)

// Tried is what came of trying one policy.
type Tried struct {
	Tool, Policy string
	Position     guard.Position
	// Lookups are those of the rule.
	Lookups []string
	// Decided is how many calls the rule decided on what the real look-ups return.
	Decided int
	// Example is the first one that it could not decide, and Failed says why.
	Example, Failed string
	// Unasked says why no call could be tried, where Decided is 0 and nothing failed.
	Unasked string
}

// Proven reports whether the rule was decided on real results, and never failed on them.
func (t Tried) Proven() bool { return t.Failed == "" && t.Decided > 0 }

// maxExamples bounds the examples of a policy that are tried.
const maxExamples = 20

// Try decides the examples of each rule that looks things up with the real look-ups. Of an
// example, the ids and values in the results it makes up are replaced by what the real results
// have at the same places; what it expects is not held to that.
func Try(ctx context.Context, set *guard.Set, reader guard.Reader, asked map[string]Asked) []Tried {
	cached := &cache{reader: reader, known: map[string]answer{}}

	var out []Tried
	for _, g := range set.Guards() {
		if g.Err() != nil {
			continue
		}
		for i := range g.File.Policies {
			p := &g.File.Policies[i]
			needs := g.Needs(p.Name)
			rule, ok := g.Only(p.Name)
			if len(needs.Lookups) == 0 || !ok {
				continue
			}
			t := Tried{Tool: g.Tool, Policy: p.Name, Position: p.Position, Lookups: needs.Lookups}
			t.try(ctx, rule, p.Examples, cached, asked)
			out = append(out, t)
		}
	}
	return out
}

func (t *Tried) try(ctx context.Context, rule *guard.Guard, examples []guard.Example, reader *cache, asked map[string]Asked) {
	t.Unasked = "it has no examples"
	for i := range examples[:min(len(examples), maxExamples)] {
		e := translated(&examples[i], asked)
		request, err := guardtest.Request(&e)
		if err != nil {
			t.Unasked = err.Error()
			continue
		}
		call := &watched{cache: reader}
		request.Reader = call
		failed := ""
		for _, v := range rule.Evaluate(ctx, request).Violations {
			if failed == "" {
				failed = v.Failed
			}
		}

		switch why, looked := call.outcome(); {
		case why != nil:
			t.Unasked = fmt.Sprintf("%s: %s", e.Name, why)
		case failed != "":
			if t.Failed == "" {
				t.Example, t.Failed = e.Name, failed
			}
		case looked:
			t.Decided++
		default:
			t.Unasked = e.Name + ": the rule was decided without a look-up"
		}
	}
}

// translated returns an example with the values of the real look-ups in place of those that it
// makes up.
func translated(e *guard.Example, asked map[string]Asked) guard.Example {
	table := map[string]json.RawMessage{}
	for _, f := range e.Given {
		a, ok := asked[policydoc.Key(f.Server, f.Tool)]
		if !ok {
			for _, other := range asked {
				if other.Tool == f.Tool {
					a, ok = other, true
				}
			}
		}
		if f.Judge != "" || !ok || a.Why != nil {
			continue
		}
		pair(table, f.Args, a.Args)
		pair(table, f.Result, a.Result)
	}

	out := *e
	out.Given = slices.DeleteFunc(slices.Clone(e.Given), func(f guard.Fixture) bool { return f.Judge == "" })
	out.Args = replaced(e.Args, table)
	out.History = slices.Clone(e.History)
	for i := range out.History {
		if c := out.History[i].Call; c != nil {
			call := *c
			call.Arguments = replaced(c.Arguments, table)
			out.History[i].Call = &call
		}
	}
	if p := table[string(strictjson.Quote(e.Principal.ID))]; p != nil {
		out.Principal.ID = textOf(p)
	}
	return out
}

func textOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}

// pair notes what is at the same places of two JSON values: the texts of the first with those of
// the second.
func pair(table map[string]json.RawMessage, made, actual json.RawMessage) {
	a, err := strictjson.Parse(made, strictjson.OutputLimits())
	b, other := strictjson.Parse(actual, strictjson.OutputLimits())
	if err != nil || other != nil {
		return
	}
	for _, l := range a.Leaves() {
		at := b.At(l.Pointer)
		if l.Kind != strictjson.String || at.Kind() != strictjson.String {
			continue
		}
		if key := string(strictjson.Quote(l.Text)); table[key] == nil {
			table[key] = at.Raw()
		}
	}
}

// replaced returns a JSON value with other texts in place of those that a table has.
func replaced(raw json.RawMessage, table map[string]json.RawMessage) json.RawMessage {
	doc, err := strictjson.Parse(raw, strictjson.DefaultLimits())
	if err != nil {
		return raw
	}
	out := doc.Canonical()
	for _, l := range doc.Leaves() {
		value := table[string(strictjson.Quote(l.Text))]
		if l.Kind != strictjson.String || value == nil {
			continue
		}
		again, err := strictjson.Parse(out, strictjson.DefaultLimits())
		if err != nil {
			return raw
		}
		out = strictjson.Splice(out, again.At(l.Pointer).Span(), value)
	}
	return out
}

// cache makes each look-up once.
type cache struct {
	reader guard.Reader
	mu     sync.Mutex
	known  map[string]answer
}

type answer struct {
	result *guard.Result
	err    error
}

func (c *cache) read(ctx context.Context, server, tool string, arguments json.RawMessage) answer {
	key := server + "\x00" + tool + "\x00" + string(arguments)
	c.mu.Lock()
	defer c.mu.Unlock()
	if a, ok := c.known[key]; ok {
		return a
	}
	a := answer{err: fmt.Errorf("more than %d look-ups were made", maxCalls)}
	if len(c.known) < maxCalls {
		a.result, a.err = c.reader.Read(ctx, server, tool, arguments)
	}
	c.known[key] = a
	return a
}

// watched notes what came of the look-ups of one call. It implements [guard.Reader].
type watched struct {
	*cache
	mu     sync.Mutex
	why    error
	looked bool
}

// Read implements [guard.Reader].
func (w *watched) Read(ctx context.Context, server, tool string, arguments json.RawMessage) (*guard.Result, error) {
	a := w.read(ctx, server, tool, arguments)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looked = true
	if a.err != nil && w.why == nil {
		w.why = fmt.Errorf("%s %s: %w", tool, arguments, a.err)
	}
	return a.result, a.err
}

func (w *watched) outcome() (why error, looked bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.why, w.looked
}
