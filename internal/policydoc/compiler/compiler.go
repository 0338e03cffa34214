package compiler

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/document"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/generation"
	"github.com/remit-project/remit/internal/policydoc/prompt"
)

// Options configure a [Compiler].
type Options struct {
	Model   Model
	Prompts *prompt.Set
	// ModelName returns the name of a stage's model. Another name makes the compiler
	// repeat what the stage contributed to.
	ModelName func(stage string) string
	// Samples are those that recordings have, by [policydoc.Key]. A model makes up the
	// others.
	Samples map[string]policydoc.Sample
	// Generation are the options for rules. The compiler sets the model, the prompts,
	// the samples and the deployment.
	Generation generation.Options
}

// Compiler compiles policy documents. It is safe for concurrent use.
type Compiler struct{ o Options }

// New returns a compiler.
func New(o Options) *Compiler { return &Compiler{o} }

// Input is what to compile.
type Input struct {
	Document   *document.Document
	Deployment guard.Deployment
	// Only are the keys of the tools to compile; nil means all. The files of other
	// tools don't change.
	Only []string
}

// Keys returns the keys of the tools of a deployment, and [policydoc.EveryTool].
func Keys(s guard.Deployment) []string {
	var out []string
	for _, t := range new(Compiler).tools(s) {
		out = append(out, t.key)
	}
	return out
}

// Failure is a part of the work that failed. Its files don't change, and a later run
// tries it again.
type Failure struct {
	// Tool is the tool's key; empty if sentences could not be assigned to tools.
	Tool string
	// Policy is the policy's name, if its rule could not be made.
	Policy string
	Err    error
}

// Error implements error.
func (f Failure) Error() string {
	switch {
	case f.Policy != "":
		return fmt.Sprintf("%s, policy %s: %v", f.Tool, f.Policy, f.Err)
	case f.Tool != "":
		return fmt.Sprintf("%s: %v", f.Tool, f.Err)
	}
	return f.Err.Error()
}

// Unwrap gives access to the reason.
func (f Failure) Unwrap() error { return f.Err }

// Map finds the policies of the document for the tools, and updates the mapping files,
// the unmapped sentences and the lock. It asks only about what changed since the lock was
// written.
func (c *Compiler) Map(ctx context.Context, in Input, d *policydoc.Directory) []Failure {
	corpus, all := newCorpus(in.Document), c.tools(in.Deployment)
	lock(d)
	routed := c.routes(ctx, corpus, all, d.Lock)
	failures := routed.failures
	every, err := d.Mapping("", policydoc.EveryTool).Mapping()
	if err != nil {
		return append(failures, Failure{Tool: policydoc.EveryTool, Err: err})
	}
	shared := c.sharing(corpus, all, d.Lock, every)
	some := all
	if in.Only != nil {
		some = slices.DeleteFunc(slices.Clone(all), func(t *tool) bool { return !slices.Contains(in.Only, t.key) })
		some = shared.with(some, all)
	}

	works, found, errs := map[string]*work{}, map[string]*mapped{}, map[string]error{}
	var ready []*tool
	for _, t := range some {
		mapping, err := d.Mapping(t.server, t.name).Mapping()
		if err = errors.Join(err, routed.broken[t.key]); err != nil {
			errs[t.key] = err
			continue
		}
		w := c.work(corpus, t, routed.now, d.Lock, mapping, shared)
		works[t.key], found[t.key] = w, nil
		if w.none() {
			continue
		}
		if again := len(w.anew) + len(w.shared); len(failures) > 0 && again > 0 {
			// What takes the place of their sentences may be among those that wait: no
			// rule goes before that is known.
			errs[t.key] = fmt.Errorf("its policies wait for sentences that could not be assigned to tools: %w", failures[0].Err)
			continue
		}
		ready = append(ready, t)
	}

	var wg sync.WaitGroup
	var mu sync.Mutex
	for _, t := range ready {
		wg.Go(func() {
			m := &mapper{Compiler: c, corpus: corpus, tool: t, work: works[t.key]}
			result, err := m.run(ctx)
			mu.Lock()
			defer mu.Unlock()
			if found[t.key] = result; err != nil {
				errs[t.key] = err
			}
		})
	}

	wg.Wait()
	together := c.shareFound(ctx, corpus, shared, found, errs)
	done := map[string]*mapped{}
	for _, t := range some {
		if errs[t.key] == nil && found[t.key] != nil {
			errs[t.key] = c.write(d, corpus, t, works[t.key], found[t.key], all)
		}
		if errs[t.key] != nil {
			failures = append(failures, Failure{Tool: t.key, Err: errs[t.key]})
			continue
		}
		done[t.key] = found[t.key]
	}
	again := shared.again(func(key string) bool { _, ok := done[key]; return ok })
	if len(together)+len(again) > 0 {
		t := all[len(all)-1]
		if err := c.write(d, corpus, t, &work{anew: again}, &mapped{drafts: together}, all); err != nil {
			failures = append(failures, Failure{Tool: t.key, Err: err})
		}
	}

	c.account(d, in, corpus, all, routed, done)
	return append(failures, strangers(d, all)...)
}

// strangers returns the tools that policies were compiled for and that are not given: what
// changed in the document is not looked for in them.
func strangers(d *policydoc.Directory, all []*tool) []Failure {
	var out []Failure
	for _, key := range slices.Sorted(maps.Keys(d.Mappings)) {
		if len(d.Lock.Policies[key]) > 0 && !slices.ContainsFunc(all, func(t *tool) bool { return t.key == key }) {
			out = append(out, Failure{Tool: key, Err: errors.New("there are policies of it, and no such tool is given: give its definition, or remove its files in mapping and guards")})
		}
	}
	return out
}

// lock adds a lock to a directory without one.
func lock(d *policydoc.Directory) {
	if d.Lock == nil {
		d.Lock = policydoc.NewLock()
	}
}

// routed is what the sentences have to do with the tools.
type routed struct {
	// now are those of which it is known: by the lock, or by what was asked. Lost are those for
	// which no answer came about some tool; they wait for the next run.
	now      routing
	lost     map[string]bool
	failures []Failure
	// broken are the errors of tools that are new or changed, by key, where no answer came about
	// which of the old sentences are about them.
	broken map[string]error
}

// routes finds what the sentences have to do with the tools: as the lock knows, and
// as is asked of what it doesn't know.
func (c *Compiler) routes(ctx context.Context, corpus *corpus, all []*tool, lock *policydoc.Lock) *routed {
	jobs := c.routeJobs(corpus, all, lock)
	answers := make([]routing, len(jobs))
	errs := make([]error, len(jobs))
	var wg sync.WaitGroup
	for i, job := range jobs {
		wg.Go(func() { answers[i], errs[i] = c.route(ctx, corpus, job) })
	}
	wg.Wait()
	r := &routed{now: c.known(corpus, all, lock), lost: map[string]bool{}, broken: map[string]error{}}
	for i, job := range jobs {
		switch {
		case errs[i] == nil:
			r.now.merge(answers[i])
		case job.known:
			for _, t := range job.tools {
				r.broken[t.key] = errs[i]
			}
		default:
			r.failures = append(r.failures, Failure{Err: errs[i]})
			for _, id := range job.sentences {
				r.lost[id] = true
			}
		}
	}

	maps.DeleteFunc(r.now, func(id string, _ policydoc.LockedSentence) bool { return r.lost[id] })
	return r
}

// note records the models and prompts of stages in a lock.
func (c *Compiler) note(lock *policydoc.Lock, stages ...string) {
	for _, s := range stages {
		lock.Stages[s] = policydoc.LockedStage{Model: c.o.ModelName(s), Prompt: c.o.Prompts.Version(s)}
	}
}

// known returns what the lock knows about the sentences that still exist, for the tools
// that didn't change.
func (c *Compiler) known(corpus *corpus, all []*tool, lock *policydoc.Lock) routing {
	now := routing{}
	if lock.Routing != c.made(stageRoute) {
		return now
	}
	for id, s := range lock.Sentences {
		if corpus.number[id] == 0 {
			continue
		}
		s.Tools = slices.DeleteFunc(slices.Concat(s.Pending, s.Tools), func(key string) bool {
			return !slices.ContainsFunc(all, func(t *tool) bool { return t.key == key && lock.Tools[key] == t.fingerprint })
		})
		s.Pending = nil
		now[id] = s
	}
	return now
}

// made returns a hash of the models and prompts of stages.
func (c *Compiler) made(stages ...string) string {
	var parts []string
	for _, s := range stages {
		parts = append(parts, s, c.o.ModelName(s), c.o.Prompts.Version(s))
	}
	return digest(parts...)
}

// mappingMade returns a hash of what the policies of a tool, or of several, are made with.
func (c *Compiler) mappingMade(t *tool) string {
	return digest(t.fingerprint, c.made(mappingStages...))
}
