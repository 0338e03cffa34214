package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/enforcement"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/compiler"
)

// compileProgress is one line on standard error while models are asked, and what
// went wrong above it.
type compileProgress struct {
	*progress
	s    *command.Streams
	open int
}

func newCompileProgress(s *command.Streams) *compileProgress {
	return &compileProgress{newProgress(s, nil), s, 0}
}

// event shows what happens to a question.
func (p *compileProgress) event(e llm.Event) {
	switch e.Step {
	case llm.Started:
		p.open++
	case llm.Answered, llm.Failed:
		p.open--
	}
	if e.Step == llm.Retried {
		p.clear()
		fmt.Fprintf(p.s.Err, "%s %s: %s; asking again in %s\n", display.Line(e.Stage), display.Line(e.Subject), display.Line(e.Err.Error()), e.Wait.Round(1e8))
	}
	p.draw(fmt.Sprintf("%d answered, %d open, %d tokens, %s  %s", e.Usage.Calls+e.Usage.Reused, p.open,
		e.Usage.Input+e.Usage.Output, dollars(e.Usage.Cost), display.Line(e.Stage+" "+e.Subject)))
}

func dollars(usd float64) string { return fmt.Sprintf("$%.2f", usd) }

// compiled is the JSON form of what a run did.
type compiled struct {
	Document   string           `json:"document"`
	Sentences  int              `json:"sentences"`
	Unmapped   int              `json:"unmapped"`
	Suspicious int              `json:"suspicious"`
	Tools      []compiledTool   `json:"tools"`
	Usage      []compiledUsage  `json:"usage"`
	Failures   []compileFailure `json:"failures"`
	Shapeless  []string         `json:"results_of_unknown_shape,omitempty"`
	Words      []policyWords    `json:"rules_on_words"`
	// Points are what each enforcement point makes of the rules.
	Points []policyPoint `json:"points"`

	reports []enforcement.Report
}

type compiledTool struct {
	Tool     string `json:"tool"`
	Enforced int    `json:"enforced"`
	// NotEnforced are the policies without a rule that decides; Unguarded those of
	// them without any rule, so that calls pass. The others stop every call.
	NotEnforced int `json:"not_enforced"`
	Unguarded   int `json:"unguarded"`
	Archived    int `json:"archived"`
	Conflicts   int `json:"conflicts"`
}

type compiledUsage struct {
	Stage  string  `json:"stage"`
	Calls  int     `json:"calls"`
	Reused int     `json:"reused"`
	Input  int     `json:"input_tokens"`
	Output int     `json:"output_tokens"`
	USD    float64 `json:"usd"`
}

type compileFailure struct {
	Tool   string `json:"tool,omitempty"`
	Policy string `json:"policy,omitempty"`
	Error  string `json:"error"`
}

// policyWords is a policy whose rule hangs on what is said.
type policyWords struct {
	Tool   string   `json:"tool"`
	Policy string   `json:"policy"`
	Words  []string `json:"words"`
}

// guardFiles returns the guard files of a compiled document.
func guardFiles(d *policydoc.Directory) ([]*guard.File, error) {
	var files []*guard.File
	for _, key := range slices.Sorted(maps.Keys(d.Guards)) {
		f, err := d.Guards[key].File()
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// wordsOf lists the policies whose rules hang on what is said.
func wordsOf(files []*guard.File, scope guard.Deployment) ([]policyWords, error) {
	out := []policyWords{}
	set, err := guard.Compile(files, scope)
	if set == nil {
		return nil, err
	}

	for _, g := range set.Guards() {
		for _, p := range g.File.Policies {
			if n := g.Needs(p.Name); len(n.Words) > 0 {
				out = append(out, policyWords{policydoc.Key(g.File.Server, g.Tool), p.Name, n.Words})
			}
		}
	}
	return out, nil
}

// summary says what a run did, and what is left.
func (c *policyCompileCommand) summary(ctx context.Context, s *command.Streams, in compiler.Input, d *policydoc.Directory, used map[string]llm.Usage, shapeless []string, failures []compiler.Failure) error {
	r := compiled{
		Document: in.Document.Name, Suspicious: len(in.Document.Suspicions), Tools: []compiledTool{},
		Usage: []compiledUsage{}, Failures: []compileFailure{}, Shapeless: shapeless,
	}
	if d.Lock != nil {
		r.Sentences = len(d.Lock.Sentences)
		for _, sentence := range d.Lock.Sentences {
			if sentence.Suspicious {
				r.Suspicious++
			}
		}
	}

	files, err := guardFiles(d)
	if err != nil {
		return err
	}
	if r.Words, err = wordsOf(files, in.Deployment); err != nil {
		return err
	}
	r.reports = examine(ctx, files, in.Deployment)
	r.Points = pointsOf(r.reports)
	if d.Unmapped != nil {
		r.Unmapped = len(d.Unmapped.Sentences)
	}
	for _, key := range d.Keys() {
		t, err := compiledOf(d, key)
		if err != nil {
			return err
		}
		if t != (compiledTool{Tool: key}) {
			r.Tools = append(r.Tools, t)
		}
	}

	for stage, u := range used {
		r.Usage = append(r.Usage, compiledUsage{stage, u.Calls, u.Reused, u.Input, u.Output, u.Cost})
	}
	slices.SortFunc(r.Usage, func(a, b compiledUsage) int { return strings.Compare(a.Stage, b.Stage) })
	for _, f := range failures {
		r.Failures = append(r.Failures, compileFailure{f.Tool, f.Policy, f.Err.Error()})
	}

	if c.JSON {
		if err := command.WriteJSON(s.Out, r); err != nil {
			return err
		}
	} else if err := c.print(s, &r); err != nil {
		return err
	}
	if len(failures) == 0 {
		return nil
	}

	var errs []error
	for _, f := range failures {
		errs = append(errs, f)
	}
	return hint.Wrap(errors.Join(errs...), "what was there before stays for these; run the command again, and it goes on where it was")
}

// compiledOf counts what became of the policies of a tool.
func compiledOf(d *policydoc.Directory, key string) (compiledTool, error) {
	t := compiledTool{Tool: key}
	file := d.Mappings[key]
	if file == nil {
		return t, nil
	}
	m, err := file.Mapping()
	if err != nil {
		return t, err
	}

	rules := map[string]bool{}
	if g := d.Guards[key]; g != nil {
		f, err := g.File()
		if err != nil {
			return t, err
		}
		for i := range f.Policies {
			p := &f.Policies[i]
			partial := d.Lock != nil && d.Lock.Policies[key][p.Name].Rule.Partial(p)
			rules[p.Name] = !p.Require.Empty() && !partial
		}
	}

	for _, i := range m.Policies {
		t.Conflicts += len(i.Conflicts)
		switch {
		case i.Status == policydoc.Archived:
			t.Archived++
		case rules[i.Name]:
			t.Enforced++
		default:
			t.NotEnforced++
			if _, guarded := rules[i.Name]; !guarded {
				t.Unguarded++
			}
		}
	}

	return t, nil
}

func (c *policyCompileCommand) print(s *command.Streams, r *compiled) error {
	rows := [][]string{{"tool", "enforced", "stops all calls", "no rule, calls pass", "archived", "conflicts"}}
	for _, t := range r.Tools {
		rows = append(rows, []string{
			display.Line(t.Tool), fmt.Sprint(t.Enforced), fmt.Sprint(t.NotEnforced - t.Unguarded),
			fmt.Sprint(t.Unguarded), fmt.Sprint(t.Archived), fmt.Sprint(t.Conflicts),
		})
	}
	t := command.NewTables(s)
	t.Title(fmt.Sprintf("%s: %s, %d of which no policy refers to", display.Line(r.Document), display.Count(r.Sentences, "sentence", "sentences"), r.Unmapped))
	t.Rows(rows...)
	t.End()

	rows = [][]string{{"stage", "questions", "from recordings", "input tokens", "output tokens", "USD"}}
	for _, u := range r.Usage {
		rows = append(rows, []string{
			u.Stage, fmt.Sprint(u.Calls), fmt.Sprint(u.Reused), fmt.Sprint(u.Input), fmt.Sprint(u.Output),
			dollars(u.USD),
		})
	}
	t.Title("models")
	t.Rows(rows...)
	t.End()
	p := newPrinter(s)
	if r.Suspicious > 0 {
		p.line(0, p.Warn(fmt.Sprintf("%s of the document may speak to whoever compiles it, or not be visible to its readers: see the review.", display.Count(r.Suspicious, "part", "parts"))))
	}

	if len(r.Words) > 0 {
		names := make([]string, len(r.Words))
		for i, w := range r.Words {
			names[i] = w.Tool + " " + w.Policy
		}
		p.para(0, "", fmt.Sprintf("These rules hang on what is said: %s. Where words don't settle one, the judge decides (--judge where they are enforced), or the call is asked about.", display.Line(strings.Join(names, ", "))))
	}
	printPoints(s, r.reports)
	if len(r.Shapeless) > 0 {
		p.para(0, "", fmt.Sprintf("Nobody says what these tools return, so that rules had to guess: %s. Recordings with results (--sessions FILE), or output schemas, make better rules.", strings.Join(r.Shapeless, ", ")))
	}
	if len(r.Tools) > 0 {
		next := []string{"remit", "policy", "review", c.Out, "--document", c.Document}
		for _, name := range c.Tools {
			next = append(next, "--tools", name)
		}
		p.line(0, display.Line("Next: "+display.Command(next...)))
	}
	return t.Err
}

// plan prints what a run would take.
func (c *policyCompileCommand) plan(s *command.Streams, plan *compiler.Plan) error {
	if c.JSON {
		return command.WriteJSON(s.Out, plan)
	}
	rows := [][]string{{"stage", "questions", "input tokens", "output tokens", "USD"}}

	total := compiler.Planned{Stage: "all"}
	priced := slices.ContainsFunc(plan.Stages, func(p compiler.Planned) bool { return p.Cost > 0 })
	for _, p := range append(plan.Stages, compiler.Planned{}) {
		if p.Stage == "" {
			p = total
		}
		cost := "-"
		if priced {
			cost = dollars(p.Cost)
		}
		rows = append(rows, []string{p.Stage, fmt.Sprint(p.Calls), fmt.Sprint(p.Input), fmt.Sprint(p.Output), cost})
		total.Calls, total.Input, total.Output, total.Cost = total.Calls+p.Calls, total.Input+p.Input, total.Output+p.Output, total.Cost+p.Cost
	}

	t := command.NewTables(s)
	t.Title(fmt.Sprintf("%s, %d of them new, and %s: about %s", display.Count(plan.Sentences, "sentence", "sentences"), plan.New,
		display.Count(plan.Tools, "tool", "tools"), display.Count(plan.Policies, "policy", "policies")))
	t.Rows(rows...)
	t.End()
	p := newPrinter(s)
	p.para(0, "", "What the lock knows is counted; the rest is an estimate from what documents hold as a rule.")
	if !priced {
		p.para(0, "", "What it costs needs a price: --price MODEL=IN/OUT, in USD for a million tokens.")
	}
	return t.Err
}
