package generation

import (
	"context"
	"slices"
	"time"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/guardtest"
	"github.com/remit-project/remit/internal/mutation"
)

// kept returns a rule with the tests that people read, each as short as it can be.
func (w *work) kept(ctx context.Context, p guard.Policy) (guard.Policy, error) {
	p, err := w.folded(ctx, p)
	if err != nil {
		return p, err
	}
	if p, err = w.pruned(ctx, p); err != nil {
		return p, err
	}
	return w.answered(ctx, p)
}

// folded returns a rule with those of its tests that people read: few that notice every slip
// which any test notices, examples in words where they do. The rule was held to the others, which
// say the same again.
func (w *work) folded(ctx context.Context, p guard.Policy) (guard.Policy, error) {
	rule, err := w.compile(&p)
	if err != nil {
		return p, err
	}
	inWords := map[string]bool{}
	for _, name := range w.shown {
		inWords[name] = true
	}
	p.Examples, err = mutation.Cover(ctx, rule, p.Name, func(name string) bool { return inWords[name] })
	return p, err
}

// pruned returns a rule whose tests have only what it reads: the results of look-ups that it
// makes in one of them, and of the session, the time and the others what it asks for. The rest
// says nothing about it. A rule that needs it after all keeps it.
func (w *work) pruned(ctx context.Context, p guard.Policy) (guard.Policy, error) {
	rule, err := w.compile(&p)
	if err != nil {
		return p, err
	}
	var made []guard.Lookup
	for i := range p.Examples {
		request, err := guardtest.Request(&p.Examples[i])
		if err != nil {
			return p, err
		}
		if facts := rule.Evaluate(ctx, request).Facts; facts != nil {
			made = append(made, facts.Lookups...)
		}
	}

	fewer, reads := p, rule.Reads(p.Name)
	fewer.Examples = slices.Clone(p.Examples)
	for i := range fewer.Examples {
		e := &fewer.Examples[i]
		e.Given = slices.DeleteFunc(slices.Clone(e.Given), func(f guard.Fixture) bool {
			return f.Judge == "" && !slices.ContainsFunc(made, func(l guard.Lookup) bool {
				return l.Tool == f.Tool && (f.Args == nil || guard.SameArguments(l.Arguments, f.Args))
			})
		})
		unread(e, reads)
	}
	return w.passing(ctx, fewer, p)
}

// passing returns a rule with other tests if it passes them; otherwise the rule as it was.
func (w *work) passing(ctx context.Context, changed, p guard.Policy) (guard.Policy, error) {
	tried, err := w.compile(&changed)
	if err != nil {
		return p, err
	}
	for _, r := range guardtest.Run(ctx, tried) {
		if !r.Passed() {
			return p, ctx.Err()
		}
	}
	return tried.File.Policies[0], ctx.Err()
}

// unread takes out of a test what its rule doesn't read.
func unread(e *guard.Example, reads guard.Reads) {
	switch {
	case !reads.Session:
		e.History = nil
	case !reads.Messages:
		e.History = slices.DeleteFunc(slices.Clone(e.History), func(h guard.Entry) bool { return h.Call == nil })
	}

	if !reads.Now {
		e.Now = time.Time{}
		e.History = slices.Clone(e.History)
		for i := range e.History {
			e.History[i].Time = time.Time{}
		}
	}
	if !reads.Principal {
		e.Principal = guard.Principal{}
	}
	if !reads.Labels {
		e.Labels = nil
	}
}

// answered returns a rule whose tests have one answer of the judge's for all that words don't
// settle, where a test's answers are alike and no slip passes for it.
func (w *work) answered(ctx context.Context, p guard.Policy) (guard.Policy, error) {
	least := -1
	for i := range p.Examples {
		given, ok := oneAnswer(p.Examples[i].Given)
		if !ok {
			continue
		}
		if least < 0 {
			var err error
			if least, err = w.noticed(ctx, p); err != nil {
				return p, err
			}
		}

		briefer := p
		briefer.Examples = slices.Clone(p.Examples)
		briefer.Examples[i].Given = given
		tried, err := w.passing(ctx, briefer, p)
		if err != nil {
			return p, err
		}
		noticed, err := w.noticed(ctx, tried)
		if err != nil {
			return p, err
		}
		if noticed >= least {
			p = tried
		}
	}
	return p, nil
}

// oneAnswer writes answers of the judge's that are alike as one.
func oneAnswer(given []guard.Fixture) (out []guard.Fixture, ok bool) {
	asked := slices.DeleteFunc(slices.Clone(given), func(f guard.Fixture) bool { return f.Judge == "" })
	if len(asked) == 0 || slices.ContainsFunc(asked, func(f guard.Fixture) bool { return f.Answer != asked[0].Answer || f.Error != "" }) {
		return nil, false
	}
	out = slices.DeleteFunc(slices.Clone(given), func(f guard.Fixture) bool { return f.Judge != "" })
	return append(out, guard.Fixture{Judge: guard.AnyQuestion, Answer: asked[0].Answer}), true
}

// noticed counts the slips of a rule that its tests notice.
func (w *work) noticed(ctx context.Context, p guard.Policy) (int, error) {
	rule, err := w.compile(&p)
	if err != nil {
		return 0, err
	}
	r, err := mutation.Run(ctx, rule)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, m := range r.Mutants {
		if m.Fate == mutation.Killed {
			n++
		}
	}
	return n, nil
}
