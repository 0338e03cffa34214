package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/document"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/compiler"
	"github.com/remit-project/remit/internal/policydoc/generation"
	"github.com/remit-project/remit/internal/policydoc/prompt"
	"github.com/remit-project/remit/label"
)

type policyCompileCommand struct {
	deploymentFlags
	Document string   `arg:"" placeholder:"DOCUMENT" help:"The policy document: Markdown, text, HTML, DOCX or PDF."`
	Sessions []string `placeholder:"FILE" sep:"none" help:"Recorded sessions, whose results show the shape of what tools return. Repeatable."`
	Lookups  string   `name:"try-lookups" placeholder:"FILE" help:"Ask the look-ups of which nobody knows what they return, once, with the servers of a gateway's configuration (remit.yaml). Only tools that only read, as the contracts say."`
	Out      string   `default:"policy" placeholder:"DIR" help:"Where mapping/, guards/, unmapped.yaml and policy.lock are (policy)."`
	Only     []string `placeholder:"TOOL" sep:"," help:"Compile the policies of these tools only; * are those of every tool."`
	Stop     string   `name:"stop-after" placeholder:"mapping" enum:",mapping" default:"" help:"Stop after the mapping, for people to review it before rules are made."`
	Mapping  bool     `name:"keep-mapping" help:"Leave the mapping as it is, and make the rules of its policies."`

	Otherwise string `enum:"deny,ask" default:"ask" placeholder:"deny|ask" help:"What becomes of calls under a policy whose rule could not be made (ask)."`
	Attempts  int    `default:"5" placeholder:"N" help:"How often a model may try a rule (5)."`
	Judge     bool   `help:"Rules may ask a judge: every enforcement point has one (--judge MODEL of remit gateway and serve)."`
	Prompts   string `placeholder:"DIR" help:"Prompts of your own, one file a stage: see remit policy prompts."`

	Plan   bool   `help:"Only say how many questions, tokens and USD it would take."`
	Record string `placeholder:"DIR" help:"Where everything that models say is recorded, and what was recorded is used again (DIR/.recordings in --out)."`
	Replay string `placeholder:"DIR" help:"Answer from recordings alone, and ask nobody."`
	JSON   bool   `help:"Print what was done as JSON."`

	tryFlags
	modelFlags
}

// Help is shown below the flags.
func (policyCompileCommand) Help() string {
	return `Finds the policies of a document for each tool, and makes rules of them with tests: what a model proposes is held to
the document's own sentences, to the tools' schemas, and to tests. Run again, it redoes only what changed, and keeps
what people edited. An interrupted run goes on where it was.

The key of the model's provider is read from OPENAI_API_KEY or ANTHROPIC_API_KEY.

Example:
  remit policy compile handbook.pdf --tools tools.json --model gpt-5.2 --plan
  remit policy compile handbook.pdf --tools tools.json --model claude-opus-4-8 --out policy
  remit policy compile handbook.pdf --tools tools.json --model qwen3 --base-url http://127.0.0.1:8000/v1`
}

// Run compiles the document.
func (c *policyCompileCommand) Run(ctx context.Context, s *command.Streams) error {
	in, err := c.input()
	if err != nil {
		return err
	}
	prompts, err := c.prompts()
	if err != nil {
		return err
	}
	if info, err := os.Stat(c.Out); err == nil && !info.IsDir() {
		return command.UsageError(fmt.Errorf("--out %s is a file: name a folder, which gets mapping/, guards/, unmapped.yaml and policy.lock", c.Out))
	}
	directory, err := policydoc.ReadDirectory(c.Out)
	if err != nil {
		return err
	}

	o, err := c.options(prompts.Stages())
	if c.Plan && (err == nil || errors.Is(err, errNoModel)) {
		return c.plan(s, compiler.New(compiler.Options{Prompts: prompts, ModelName: c.name}).Plan(in, directory, func(stage string) llm.Price {
			if e, ok := o.Stages[stage]; ok {
				return e.Price
			}
			return o.Default.Price
		}))
	}

	if err != nil {
		return err
	}
	recorded, err := readRecorded(c.Sessions, in.Deployment)
	if err != nil {
		return err
	}
	if err := c.tryLookups(ctx, s, in.Deployment, directory.Samples, recorded); err != nil {
		return err
	}
	report := newCompileProgress(s)
	o.Progress = report.event

	if o.Recordings, err = c.recordings(); err != nil {
		return err
	}
	client, err := llm.New(o)
	if err != nil {
		return err
	}
	work := compiler.New(compiler.Options{
		Model: client, Prompts: prompts, ModelName: c.name,
		Samples: recorded.samples,
		Generation: generation.Options{
			Attempts: c.Attempts, Results: recorded.results, Otherwise: label.Verdict(c.Otherwise),
			Judge: c.Judge,
		},
	})

	var failures []compiler.Failure
	if !c.Mapping {
		failures = work.Map(ctx, in, directory)
		if err := directory.Write(); err != nil {
			return err
		}
	}
	if c.Stop != "mapping" {
		failures = append(failures, work.Guards(ctx, in, directory)...)
		if err := directory.Write(); err != nil {
			return err
		}
	}
	report.clear()
	return c.summary(ctx, s, in, directory, client.Usage(), shapeless(in.Deployment, recorded.results), failures)
}

func (c *policyCompileCommand) input() (compiler.Input, error) {
	in := compiler.Input{}
	data, err := inputs.ReadAs(c.Document, "a policy document")
	if err != nil {
		return in, err
	}
	if in.Document, err = document.Read(c.Document, data); err != nil {
		return in, err
	}
	if c.Mapping && c.Stop != "" {
		return in, command.UsageError(errors.New("--keep-mapping and --stop-after mapping leave nothing to do: give one of them"))
	}

	if len(c.Tools) == 0 {
		return in, command.UsageError(hint.Wrap(errors.New("no tools are given"), "give their definitions with --tools FILE: policies are about calls of tools"))
	}
	if in.Deployment, err = c.scope(); err != nil {
		return in, err
	}

	for _, name := range c.Only {
		if !slices.Contains(compiler.Keys(in.Deployment), name) {
			return in, command.UsageError(fmt.Errorf("--only %s: there is no such tool; there are %s", name, strings.Join(compiler.Keys(in.Deployment), ", ")))
		}
		in.Only = append(in.Only, name)
	}
	return in, nil
}

func (c *policyCompileCommand) prompts() (*prompt.Set, error) {
	if c.Prompts == "" {
		return prompt.Load(nil)
	}
	if _, err := os.Stat(c.Prompts); err != nil {
		return nil, inputs.Missing(err)
	}
	return prompt.Load(os.DirFS(c.Prompts))
}

// recordings returns where a run is recorded. So that the run can be continued, this is beside
// the result by default, in files that are not to be committed.
func (c *policyCompileCommand) recordings() (*llm.Recordings, error) {
	switch {
	case c.Replay != "" && c.Record != "":
		return nil, command.UsageError(errors.New("--record and --replay exclude each other"))
	case c.Replay != "":
		return llm.Replay(c.Replay), nil
	case c.Record != "":
		return llm.Record(c.Record), nil
	}

	dir := filepath.Join(c.Out, ".recordings")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	ignore := filepath.Join(dir, ".gitignore")
	if _, err := os.Stat(ignore); errors.Is(err, fs.ErrNotExist) {
		if err := os.WriteFile(ignore, []byte("*\n"), 0o644); err != nil {
			return nil, err
		}
	}
	return llm.Record(dir), nil
}
