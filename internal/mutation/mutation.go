// Package mutation measures the examples of a guard. It changes each rule in one place,
// as people get rules wrong, and checks whether an example notices the change.
package mutation

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/guardtest"
)

// MaxMutants bounds the mutants of one expression. The longest that people write have a
// few dozen.
const MaxMutants = 500

// Fate is what became of a mutant.
type Fate string

// The fates.
const (
	// Killed mutants fail an example that the rule passes.
	Killed Fate = "killed"
	// Survived mutants pass all examples.
	Survived Fate = "survived"
	// Crashed mutants can't be decided on some example, and pass the others. People
	// would notice them, so that they don't count.
	Crashed Fate = "crashed"
)

// Mutant is a rule that was changed in one place.
type Mutant struct {
	Part guard.Part
	// Change says what was done, such as "<= becomes <", and Text is the
	// expression then.
	Change string
	Text   string
	Fate   Fate
	// By is the name of the example that killed it.
	By string
	// Apart is a call that the rule and the mutant judge differently; nil if none was
	// found.
	Apart *Apart
}

// Result is what became of a guard's mutants.
type Result struct {
	Server, Tool string
	Mutants      []Mutant
	// Refused counts the changes that don't compile: lint finds such mistakes.
	Refused int
	// Skipped are the policies without examples, or whose own rule fails one.
	Skipped []string
}

// Score returns the share of killed mutants among those that didn't crash, from 0 to 1;
// 1 if there are none.
func Score(mutants []Mutant) float64 {
	killed, survived := 0, 0
	for _, m := range mutants {
		switch m.Fate {
		case Killed:
			killed++
		case Survived:
			survived++
		}
	}
	if killed+survived == 0 {
		return 1
	}
	return float64(killed) / float64(killed+survived)
}

// Run makes and judges all mutants of a guard, in the order of the file.
func Run(ctx context.Context, g *guard.Guard) (*Result, error) {
	out := &Result{Server: g.Server, Tool: g.Tool}
	skip := map[string]bool{}
	examples := map[string][]guard.Example{}
	for i := range g.File.Policies {
		p := &g.File.Policies[i]
		examples[p.Name] = p.Examples
		if p.Require.Empty() {
			continue
		}
		if skip[p.Name] = g.Err() != nil || len(p.Examples) == 0 || !passes(ctx, g, p); skip[p.Name] {
			out.Skipped = append(out.Skipped, p.Name)
		}
	}

	for _, part := range g.Parts() {
		if skip[part.Policy] || ctx.Err() != nil {
			continue
		}
		changes, err := changesOf(g, part.Expression.Text, editsOf)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part.Expression.Position, err)
		}
		mutants, refused := judge(ctx, g, part, changes, examples[part.Policy])
		out.Mutants, out.Refused = append(out.Mutants, mutants...), out.Refused+refused
	}

	return out, ctx.Err()
}

func passes(ctx context.Context, g *guard.Guard, p *guard.Policy) bool {
	one, ok := g.Only(p.Name)
	for i := range p.Examples {
		r := guardtest.Result{Want: p.Examples[i].Expect}
		if ok {
			guardtest.Judge(ctx, one, &p.Examples[i], &r)
		}
		if !ok || !r.Passed() {
			return false
		}
	}
	return true
}

// judge runs the examples on every mutant, in parallel.
func judge(ctx context.Context, g *guard.Guard, part guard.Part, changes []change, examples []guard.Example) (mutants []Mutant, refused int) {
	only, ok := g.Only(part.Policy)
	if !ok {
		return nil, 0
	}
	rule := &verdicts{rule: only, known: map[string]guardtest.Result{}}

	fates := make([]*Mutant, len(changes))
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(runtime.GOMAXPROCS(0), len(changes)) {
		wg.Go(func() {
			for i := range next {
				mutant, err := g.With(part, changes[i].text)
				if err != nil {
					continue
				}
				m := &Mutant{Part: part, Change: changes[i].what, Text: changes[i].text}
				m.Fate, m.By = fate(ctx, mutant, examples)
				if m.Fate == Survived {
					m.Apart = tell(ctx, g, mutant, rule, part, m.Text, examples)
				}
				fates[i] = m
			}
		})
	}
	for i := range changes {
		next <- i
	}
	close(next)
	wg.Wait()
	for _, m := range fates {
		if m == nil {
			refused++
		} else {
			mutants = append(mutants, *m)
		}
	}
	return mutants, refused
}

// fate runs the examples, which the rule itself passes, on a mutant.
func fate(ctx context.Context, mutant *guard.Guard, examples []guard.Example) (Fate, string) {
	worst := Survived
	for i := range examples {
		r := guardtest.Result{Want: examples[i].Expect}
		guardtest.Judge(ctx, mutant, &examples[i], &r)
		switch {
		case r.Failed != "":
			worst = Crashed
		case r.Got != r.Want:
			return Killed, examples[i].Name
		}
	}
	return worst, ""
}
