package compiler

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/document"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/generation"
)

// maxContext bounds the other sentences of the document in requests for a rule, in
// bytes.
const maxContext = 16 << 10

// maxParallel bounds the rules that are made in parallel: each takes some memory, and
// models are asked for fewer of them at a time. Lists of [generation.MaxTogether] fit.
const maxParallel = 64

// rule is a rule to be made.
type rule struct {
	tool   *tool
	policy *policydoc.Policy
	made   string
	// previous is the previous rule, or nil.
	previous *guard.Policy
	// room is how many more policies the guard file of the tool may have.
	room *int
	// result is the result of generation.
	result *generation.Result
	err    error
}

// Guards makes rules for the policies of the mapping that have none, or whose text, tool
// or look-ups changed since their rule was made. It removes the rules of policies that
// are archived or gone. Edits in guard files stay.
func (c *Compiler) Guards(ctx context.Context, in Input, d *policydoc.Directory) []Failure {
	lock(d)
	c.note(d.Lock, append(c.generationStages(), stageSamples)...)
	corpus := newCorpus(in.Document)
	var failures []Failure
	var rules []*rule
	all := c.tools(in.Deployment)
	for _, t := range all {
		whole := in.Only == nil || slices.Contains(in.Only, t.key)
		if !whole && t.key != policydoc.EveryTool {
			continue
		}
		m, err := d.Mapping(t.server, t.name).Mapping()
		if err != nil {
			failures = append(failures, Failure{Tool: t.key, Err: err})
			continue
		}

		c.retire(d, t, m)
		had, err := d.Guard(t.server, t.name).File()
		if err != nil {
			failures = append(failures, Failure{Tool: t.key, Err: err})
			continue
		}

		room := guard.MaxPolicies - len(had.Policies)
		for i := range m.Policies {
			if !whole && !slices.ContainsFunc(m.Policies[i].Tools, func(key string) bool { return slices.Contains(in.Only, key) }) {
				continue
			}
			if r := c.rule(d, all, t, &m.Policies[i]); r != nil {
				r.previous, r.room = policy(had, r.policy.Name), &room
				rules = append(rules, r)
			}
		}
	}

	if len(rules) > 0 {
		if err := c.samples(ctx, in.Deployment, corpus, d); err != nil {
			failures = append(failures, Failure{Err: fmt.Errorf("samples of look-ups: %w", err)})
		}
		for _, r := range rules { // what a rule is made of has the samples
			if with := c.rule(d, all, r.tool, r.policy); with != nil {
				r.made = with.made
			}
		}
	}
	c.generate(ctx, in, d, corpus, rules)
	for _, r := range rules {
		if r.err != nil {
			failures = append(failures, Failure{Tool: r.tool.key, Policy: r.policy.Name, Err: r.err})
		}
		if r.result == nil { // there is a rule, of a run before
			if locked, ok := d.Lock.Policies[r.tool.key][r.policy.Name]; ok {
				locked.Rule = outdated(locked.Rule)
				d.Lock.Policies[r.tool.key][r.policy.Name] = locked
			}
			continue
		}
		if err := r.write(d); err != nil {
			failures = append(failures, Failure{Tool: r.tool.key, Policy: r.policy.Name, Err: err})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(d.Guards)) {
		if err := d.Guards[key].Renew(); err != nil {
			failures = append(failures, Failure{Tool: key, Err: err})
		}
	}

	return failures
}

// retire removes the rules of policies that are archived or gone. Policies that people
// wrote into the guard file alone stay.
func (c *Compiler) retire(d *policydoc.Directory, t *tool, m *policydoc.Mapping) {
	for name, locked := range d.Lock.Policies[t.key] {
		p, ok := policyNamed(m, name)
		inForce := ok && p.Status != policydoc.Archived
		if locked.Rule == nil || inForce {
			continue
		}
		d.Guard(t.server, t.name).Remove(name)
		locked.Rule = nil
		d.Lock.Policies[t.key][name] = locked
		if len(locked.Sentences) == 0 { // the policy went before
			delete(d.Lock.Policies[t.key], name)
		}
	}
}

// rule returns the rule to make for a policy, or nil.
func (c *Compiler) rule(d *policydoc.Directory, all []*tool, t *tool, i *policydoc.Policy) *rule {
	if i.Status == policydoc.Archived {
		return nil
	}
	fields := i.Fields()
	definitions := []string{t.fingerprint}
	for _, of := range all {
		if slices.Contains(i.Tools, of.key) {
			definitions = append(definitions, of.fingerprint)
		}
	}
	for _, r := range t.readable {
		definitions = append(definitions, r.Definition.Fingerprint)
	}

	for _, r := range t.readable {
		if s, ok := d.Samples[policydoc.Key(r.Server, r.Name)]; ok {
			definitions = append(definitions, digest(string(s.Args), string(s.Result)))
		}
	}
	made := digest(strings.Join(definitions, " "), c.made(c.generationStages()...),
		fields["description"], fields["references"], fields["compliance_examples"], fields["violation_examples"], fields["tools"])
	if had := d.Lock.Policies[t.key][i.Name].Rule; had != nil && had.Made == made {
		return nil
	}
	return &rule{tool: t, policy: i, made: made}
}

// generationStages returns the stages that make a rule: all that have a prompt and are not of the
// mapping.
func (c *Compiler) generationStages() []string {
	return slices.DeleteFunc(c.o.Prompts.Stages(), func(s string) bool {
		return s == stageRoute || s == stageShare || s == stageSamples || slices.Contains(mappingStages, s)
	})
}

// generate makes rules in parallel, those of a tool together.
func (c *Compiler) generate(ctx context.Context, in Input, d *policydoc.Directory, corpus *corpus, rules []*rule) {
	var wg sync.WaitGroup
	generators := map[*tool]func() (*generation.Generator, error){}
	slots := make(chan struct{}, maxParallel)
	for _, some := range fellows(rules) {
		of := some[0].tool
		if generators[of] == nil {
			generators[of] = sync.OnceValues(func() (*generation.Generator, error) {
				o := c.o.Generation
				o.Model, o.Prompts, o.Deployment, o.Samples = c.o.Model, c.o.Prompts, scopeOf(in.Deployment, of), d.Samples
				return generation.New(o)
			})
		}

		generator, tasks := generators[of], make([]generation.Task, len(some))
		for i, r := range some {
			tasks[i] = r.task(corpus, d.Lock)
			slots <- struct{}{}
		}
		wg.Go(func() {
			defer func() {
				for range some {
					<-slots
				}
			}()
			g, err := generator()
			if err != nil {
				for _, r := range some {
					r.err = err
				}
				return
			}
			for i, out := range g.Together(ctx, tasks) {
				some[i].settle(g, out)
			}
		})
	}

	wg.Wait()
}

// fellows returns the rules of each tool in lists that share questions.
func fellows(rules []*rule) [][]*rule {
	var out [][]*rule
	of := map[*tool]int{} // the last list of a tool
	for _, r := range rules {
		i, ok := of[r.tool]
		if !ok || len(out[i]) == generation.MaxTogether {
			i, out = len(out), append(out, nil)
			of[r.tool] = i
		}
		out[i] = append(out[i], r)
	}
	return out
}

// task returns what a rule is to be made of.
func (r *rule) task(corpus *corpus, lock *policydoc.Lock) generation.Task {
	sentences := sentencesOf(corpus, r.policy, lock.Policies[r.tool.key][r.policy.Name].Sentences)
	return generation.Task{
		Server: r.tool.server, Tool: r.tool.name, Policy: r.policy, Sentences: sentences, Previous: r.previous,
		Context:  corpus.around(sentences, r.policy.Description, append([]string{r.tool.key}, r.policy.Tools...), lock),
		Document: corpus.sentences,
	}
}

// settle takes what came of a rule.
func (r *rule) settle(g *generation.Generator, out generation.Outcome) {
	r.result, r.err = out.Result, out.Err
	if r.err != nil && r.previous == nil {
		// Until a later run makes its rule, the policy stops calls.
		r.made = ""
		r.result = &generation.Result{Policy: g.Unenforced(r.policy), NotEnforced: "the run ended before it had a rule"}
	}
}

// scopeOf returns a scope without the tools to look things up with that the rules of a tool have
// no use for: a scope's environment is told to models in full.
func scopeOf(s guard.Deployment, t *tool) guard.Deployment {
	useful := func(server, name string) bool {
		return slices.ContainsFunc(t.readable, func(r guard.Readable) bool { return r.Server == server && r.Name == name })
	}
	useless := map[string]bool{}
	for _, r := range s.Readable() {
		if !useful(r.Server, r.Name) {
			useless[r.Server+"/"+r.Name] = true
		}
	}
	out := guard.Deployment{Tools: s.Tools}
	for _, f := range s.Contracts {
		some := *f
		some.Tools = slices.DeleteFunc(slices.Clone(f.Tools), func(tool contract.Tool) bool { return useless[f.Server+"/"+tool.Name] })
		out.Contracts = append(out.Contracts, &some)
	}
	return out
}

// sentencesOf returns the sentences that a policy in the file refers to.
func sentencesOf(c *corpus, i *policydoc.Policy, known []string) []document.Sentence {
	var out []document.Sentence
	seen := map[string]bool{}
	for _, text := range i.References {
		for _, s := range c.quoted(text, known) {
			if !seen[s.ID] {
				out = append(out, s)
			}
			seen[s.ID] = true
		}
	}
	return out
}

// around returns the sentences that explain some: the next ones under the same heading, and of the
// others, those that share a telling word with the policy, or tell a number and are about no tool.
// These stand near to it under the heading, or there or, where the document is small, anywhere and
// are about the same tools or none, with no policy of these tools that rests on them. What has a
// rule of its own explains little, and a question shows no more than it needs.
func (c *corpus) around(sentences []document.Sentence, description string, tools []string, lock *policydoc.Lock) []document.Sentence {
	ruled := map[string]bool{}
	for _, key := range tools {
		for _, p := range lock.Policies[key] {
			for _, id := range p.Sentences {
				ruled[id] = true
			}
		}
	}
	of := func(n int) []string {
		known := lock.Sentences[c.sentences[n-1].ID]
		return slices.Concat(known.Tools, known.Pending)
	}
	explains := func(n int) bool {
		ofTools := len(of(n)) == 0 || slices.ContainsFunc(tools, func(key string) bool { return slices.Contains(of(n), key) })
		return ofTools && !ruled[c.sentences[n-1].ID]
	}

	in := map[string]bool{}
	about := c.telling(description)
	for _, s := range sentences {
		in[s.ID] = true
		maps.Copy(about, c.telling(s.Text))
	}

	// A number that a rule may have to know is one of no tool in particular.
	tells := func(n int) bool {
		return c.sharesWord(n, about) || (len(of(n)) == 0 && c.tellsNumber(n))
	}
	var near []int
	for _, s := range sentences {
		for _, n := range c.topics[topic(s)] {
			apart := max(n-c.number[s.ID], c.number[s.ID]-n)
			ofSubject := (apart <= neighbours || explains(n)) && tells(n)
			if apart <= 1 || ofSubject {
				near = append(near, n)
			}
		}
	}
	if c.size <= maxContext {
		for _, n := range c.numbers(c.ids()) {
			if explains(n) && tells(n) {
				near = append(near, n)
			}
		}
	}

	slices.Sort(near)
	var out []document.Sentence
	size := 0
	for _, n := range slices.Compact(near) {
		s := c.sentences[n-1]
		if in[s.ID] {
			continue
		}
		if size += len(s.Text); size > maxContext {
			break
		}
		out = append(out, s)
	}

	return out
}

// policy returns the policy of a guard file with a name, or nil.
func policy(f *guard.File, name string) *guard.Policy {
	i := slices.IndexFunc(f.Policies, func(p guard.Policy) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return &f.Policies[i]
}

// write writes a rule into the guard file and the lock.
func (r *rule) write(d *policydoc.Directory) error {
	file := d.Guard(r.tool.server, r.tool.name)
	if r.previous == nil {
		if *r.room == 0 {
			return fmt.Errorf("the guard file of a tool has at most %d rules: bring policies of the mapping together, or archive some; nothing checks this one", guard.MaxPolicies)
		}
		*r.room--
	}

	if d.Lock.Policies[r.tool.key] == nil {
		d.Lock.Policies[r.tool.key] = map[string]policydoc.LockedPolicy{}
	}
	locked := d.Lock.Policies[r.tool.key][r.policy.Name]
	var base map[string]string
	if locked.Rule != nil {
		base = locked.Rule.Fields
	}
	fresh := r.result.Policy
	file.Apart()
	merged, conflicts := policydoc.MergeRule(r.previous, base, &fresh, r.policy.Conflicts)
	if err := file.Put(&merged); err != nil {
		return err
	}

	i := *r.policy
	i.Conflicts = slices.DeleteFunc(slices.Clone(i.Conflicts), policydoc.Conflict.OfRule)
	i.Conflicts = append(i.Conflicts, conflicts...)
	d.Mapping(r.tool.server, r.tool.name).Put(&i)
	locked.Rule = &policydoc.LockedRule{
		Made: r.made, Fields: policydoc.RuleFields(&fresh), NotEnforced: r.result.NotEnforced,
		Attempts: r.result.Attempts, Tests: r.result.Tests, Killed: r.result.Killed, Survived: r.result.Survived, Contested: r.result.Contested, Untested: r.result.Untested, Unseen: r.result.Unseen,
	}
	d.Lock.Policies[r.tool.key][r.policy.Name] = locked
	return nil
}
