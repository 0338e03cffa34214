package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/estimate"
	"github.com/remit-project/remit/internal/eval"
	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/reader"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

type rolesCommand struct {
	Dirs   []string `arg:"" type:"path" help:"Directories with labels*.jsonl and SERVER.json."`
	Misses bool     `help:"List every disagreement."`
	Model  string   `placeholder:"MODEL" help:"Weigh the contracts against what a model reads, as anthropic:NAME or openai:NAME."`
	Base   string   `name:"base-url" placeholder:"URL" help:"Where the model's API begins."`
	Cross  []string `type:"path" placeholder:"DIR" help:"Leave each server out in turn, and fit the estimates to the others and to the servers of these directories."`

	Reviewed bool `help:"Take everything that the model says, as for definitions that a person has read and found honest."`

	Parallel int           `default:"4" placeholder:"N" help:"How many questions are out at once (4)."`
	Timeout  time.Duration `default:"10m" placeholder:"TIME" help:"How long one answer may take (10m)."`
	Record   string        `type:"path" placeholder:"DIR" help:"Record what the model says, and use again what was recorded."`
	jsonFlag
}

// Run measures contract synthesis.
func (c *rolesCommand) Run(ctx context.Context, s *command.Streams) error {
	contracts, err := c.contracts(ctx)
	if err != nil {
		return err
	}
	r, err := eval.Roles(contracts, c.Dirs...)
	if err != nil {
		return err
	}
	return c.print(s, r, func(t *command.Tables) {
		rolesTable(t, r)
		if c.Misses {
			lines := make([]string, len(r.Misses))
			for i, m := range r.Misses {
				lines[i] = m.String()
			}
			t.List("disagreements (! is wrong in every reading):", lines)
		}
	})
}

// contracts says how contracts are made: by the rules, and with a model by what it
// reads as well.
func (c *rolesCommand) contracts(ctx context.Context) (eval.Contracts, error) {
	contracts, opinions := eval.Contracts(eval.Synthesized), synth.Opinions
	if len(c.Cross) > 0 {
		others := slices.DeleteFunc(slices.Clone(c.Cross), func(dir string) bool { return slices.Contains(c.Dirs, dir) })
		examples, err := eval.ReadExamples(append(others, c.Dirs...)...)
		if err != nil {
			return nil, err
		}
		crossed := eval.Cross(examples)
		contracts, opinions = crossed.Contracts, crossed.Opinions
	}
	if c.Model == "" {
		return contracts, nil
	}

	e, err := llm.Named(c.Model)
	if err != nil {
		return nil, command.UsageError(fmt.Errorf("--model: %w", err))
	}
	e.BaseURL = c.Base
	o := reader.Options{Endpoint: e.FromEnvironment(os.LookupEnv), Parallel: c.Parallel, Timeout: c.Timeout, Opinions: opinions, Reviewed: c.Reviewed}
	if c.Record != "" {
		o.Recordings = llm.Record(c.Record)
	}
	r, err := reader.New(o)
	if err != nil {
		return nil, command.UsageError(err)
	}

	return func(catalogue *schema.Catalogue) (*contract.File, error) {
		made, err := contracts(catalogue)
		if err != nil {
			return nil, err
		}
		result, err := r.Weigh(ctx, catalogue, made, nil)
		return result.File, err
	}, nil
}

func rolesTable(t *command.Tables, r *eval.RolesReport) {
	t.Title(fmt.Sprintf("roles of %d arguments and %d tools", r.Arguments, r.Tools))
	t.Rows(
		rated("roles, strict", r.Strict),
		rated("roles, lenient", r.Lenient),
		rated("roles, strict, with containers", r.WithContainers),
		rated("authority missed without a mark", r.AuthorityMissed),
		rated("authority missed with a mark", r.AuthorityMarked),
		rated("floors, unsafe", r.FloorsUnsafe),
		rated("floors, over-blocking", r.FloorsOverblocking),
		rated("marked for review", r.Reviewed),
		rated("effects, strict", r.EffectStrict),
		rated("effects, lenient", r.EffectLenient),
		rated("outputs, strict", r.OutputStrict),
		rated("outputs, lenient", r.OutputLenient),
		rated("outputs, trusted too much", r.OutputsUnsafe),
	)
	t.End()
}

type fitCommand struct {
	Dirs []string `arg:"" type:"path" help:"Directories with labels*.jsonl and SERVER.json."`
	Of   string   `default:"roles" enum:"roles,floors,effects,outputs" help:"Which estimate is fitted: roles, floors, effects or outputs."`
}

// Run fits an estimate, and writes its table.
func (c *fitCommand) Run(s *command.Streams) error {
	examples, err := eval.ReadExamples(c.Dirs...)
	if err != nil {
		return err
	}
	of := map[string][]estimate.Example{"roles": examples.Roles, "floors": examples.Floors, "effects": examples.Effects, "outputs": examples.Outputs}
	_, err = io.WriteString(s.Out, estimate.Fit(of[c.Of]).String())
	return err
}
