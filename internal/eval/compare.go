package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

// The data sets of a data directory, by the names of their directories.
const (
	agentDojoDir  = "agentdojo"
	injecAgentDir = "injecagent"
	rolesDir      = "mcp-tools"
	provenanceDir = "provenance"
)

// dojoNoiseSeeds is the number of random role sets for each share on recordings,
// which take longer than the scenarios.
const dojoNoiseSeeds = 3

// Options configure [Compare].
type Options struct {
	// Contracts is a directory of reviewed contracts for AgentDojo's suites; when
	// empty, contracts are synthesized.
	Contracts string
	// Progress, when set, receives the number of finished jobs. It is never
	// called concurrently.
	Progress func(done, total int)
}

// Comparison holds the rates of every defense on every available data set.
type Comparison struct {
	// DataSets are the measured data sets, in the order of the tables.
	DataSets []string `json:"data_sets"`
	// defenses are in the order of [defenses].
	Defenses []DefenseRates `json:"defenses"`
	// RoleNoise are the rates of Remit with wrong roles.
	RoleNoise []NoiseRates `json:"role_noise"`
	// Reports of the engine's parts; nil without their data.
	AgentDojo  *DojoReport       `json:"agentdojo,omitempty"`
	InjecAgent *InjecReport      `json:"injecagent,omitempty"`
	Roles      *RolesReport      `json:"roles,omitempty"`
	Provenance *ProvenanceReport `json:"provenance,omitempty"`
	// Diagnostics are the rates of the shipped diagnostics.
	Diagnostics *DiagnosticReport `json:"diagnostics"`
}

// DefenseRates are the rates of one defense by data set.
type DefenseRates struct {
	Description
	Rates map[string]SetRates `json:"rates"`
}

// SetRates are the three rates that every data set has.
type SetRates struct {
	// Security is the share of attacks that failed.
	Security Rate
	// Utility is the share of the user's tasks (of AgentDojo) or calls (of the
	// others) that were let through, nothing injected.
	Utility Rate
	// FalsePositives is the share of the user's own calls that were stopped.
	FalsePositives Rate
}

// MarshalJSON implements [json.Marshaler]; see [Rate] for the members.
func (r SetRates) MarshalJSON() ([]byte, error) {
	o := object{}
	o.rate("security", r.Security)
	o.rate("utility", r.Utility)
	o.rate("false_positives", r.FalsePositives)
	return json.Marshal(o)
}

// Compare measures every defense on the data sets of a directory, which has any
// of agentdojo, injecagent, mcp-tools and provenance, and on the shipped
// diagnostics.
func Compare(ctx context.Context, dir string, o Options) (*Comparison, error) {
	c, err := newComparisonRun(dir, o)
	if err != nil {
		return nil, err
	}
	c.plan()
	return c.out, c.run(ctx, o.Progress)
}

// comparisonRun is a running comparison. Its jobs write to separate places, so
// that they can run in parallel.
type comparisonRun struct {
	dir   string
	o     Options
	out   *Comparison
	dojo  *dojoSet
	injec *injecSet
	dia   *diagnostics
	jobs  []func(context.Context) error
	mu    sync.Mutex // guards the rates of out.Defenses
}

func newComparisonRun(dir string, o Options) (*comparisonRun, error) {
	c := &comparisonRun{dir: dir, o: o, out: &Comparison{}}
	found := false
	for _, set := range []struct {
		name string
		load func(string) error
	}{
		{agentDojoDir, func(path string) (err error) { c.dojo, err = newDojoSet(path, o.Contracts); return err }},
		{injecAgentDir, func(path string) (err error) { c.injec, err = loadInjec(path); return err }},
		{rolesDir, func(path string) (err error) { c.out.Roles, err = Roles(Synthesized, path); return err }},
		{provenanceDir, func(path string) (err error) { c.out.Provenance, err = Provenance(path); return err }},
	} {
		path := filepath.Join(dir, set.name)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, fmt.Errorf("read the data directory: %w", err)
		}
		if err := set.load(path); err != nil {
			return nil, err
		}
		found = true
	}

	if !found {
		return nil, fmt.Errorf("%s holds none of %s, %s, %s and %s: give a directory that holds data sets in directories of these names, or one data set with remit-eval agentdojo, injecagent, roles or provenance",
			dir, agentDojoDir, injecAgentDir, rolesDir, provenanceDir)
	}
	var err error
	c.dia, err = loadDiagnostics("")
	return c, err
}

// plan lists the jobs.
func (c *comparisonRun) plan() {
	defenses := defenses()
	c.out.Defenses = make([]DefenseRates, len(defenses))
	for i, by := range defenses {
		c.out.Defenses[i] = DefenseRates{by.Describe(), map[string]SetRates{}}
	}
	each := func(name string, measure func(context.Context, Defense) (SetRates, error)) {
		c.out.DataSets = append(c.out.DataSets, name)
		for i, by := range defenses {
			c.jobs = append(c.jobs, func(ctx context.Context) error {
				r, err := measure(ctx, by)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", name, by.Describe().Name, err)
				}
				c.mu.Lock()
				defer c.mu.Unlock()
				c.out.Defenses[i].Rates[name] = r
				return nil
			})
		}
	}

	if c.dojo != nil {
		each("agentdojo", c.onDojo)
		c.jobs = append(c.jobs, func(ctx context.Context) (err error) {
			c.out.AgentDojo, err = AgentDojo(ctx, filepath.Join(c.dir, agentDojoDir), c.o.Contracts, "")
			return err
		})
	}
	if c.injec != nil {
		each("injecagent", c.onInjec)
		c.jobs = append(c.jobs, func(ctx context.Context) (err error) {
			c.out.InjecAgent, err = c.injec.run(ctx, remitDefense())
			return err
		})
	}

	each("diagnostics", c.onDiagnostics)
	if c.dia.plans != nil {
		each("replanning", c.onPlans)
	}
	c.jobs = append(c.jobs, func(ctx context.Context) (err error) {
		c.out.Diagnostics, err = Diagnostics(ctx, "")
		return err
	})
	noise := roleErrors(dojoNoiseSeeds)
	c.out.RoleNoise = make([]NoiseRates, len(noise))

	for i, n := range noise {
		c.jobs = append(c.jobs, func(ctx context.Context) (err error) {
			c.out.RoleNoise[i], err = c.dia.noiseOf(ctx, n, c.dojo)
			return err
		})
	}
}

func (c *comparisonRun) onDojo(ctx context.Context, by Defense) (SetRates, error) {
	var r DojoRates
	err := c.dojo.run(ctx, by, false, &r)
	return SetRates{r.ASR.Complement(), r.Utility, r.FalsePositives}, err
}

func (c *comparisonRun) onInjec(ctx context.Context, by Defense) (SetRates, error) {
	r, err := c.injec.run(ctx, by)
	if err != nil {
		return SetRates{}, err
	}
	var out SetRates
	out.Security.merge(r.Base.AttackStopped)
	out.Security.merge(r.Enhanced.AttackStopped)
	out.Utility.merge(r.UserAllowed)
	out.Utility.merge(r.TwinAllowed)
	out.FalsePositives = out.Utility.Complement()
	return out, nil
}

func (c *comparisonRun) onDiagnostics(ctx context.Context, by Defense) (SetRates, error) {
	r, err := c.dia.run(ctx, by)
	return SetRates{r.Security, r.Utility, r.Utility.Complement()}, err
}

func (c *comparisonRun) onPlans(ctx context.Context, by Defense) (SetRates, error) {
	var all DiagnosticRates
	for _, n := range planLengths {
		r, err := c.dia.replan(ctx, by, n, PlanSeeds)
		if err != nil {
			return SetRates{}, err
		}
		all.merge(r)
	}
	return SetRates{all.Security, all.Utility, all.Utility.Complement()}, nil
}

// run does the jobs, as many at once as there are processors.
func (c *comparisonRun) run(ctx context.Context, progress func(done, total int)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan func(context.Context) error)
	var wg sync.WaitGroup
	var mu sync.Mutex

	done := 0
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for job := range next {
				if err := job(ctx); err != nil {
					cancel(err) // the first one counts
					continue
				}
				mu.Lock()
				done++
				if progress != nil {
					progress(done, len(c.jobs))
				}
				mu.Unlock()
			}
		})
	}

	for _, job := range c.jobs {
		if ctx.Err() != nil {
			break
		}
		next <- job
	}

	close(next)
	wg.Wait()
	return context.Cause(ctx)
}
