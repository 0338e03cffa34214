package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/atomicfile"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/doctor"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/pack"
	"github.com/remit-project/remit/internal/reader"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

type synthCommand struct {
	Out      string   `placeholder:"DIR" help:"Write SERVER.yaml and .SERVER.generated.yaml there, instead of printing. An existing SERVER.yaml keeps its edits."`
	Pack     []string `placeholder:"NAME" sep:"none" help:"Take the reviewed contracts of a pack for the definitions that it reviewed. Repeatable."`
	Reviewed bool     `help:"You have read the definitions and found them honest: what the model says counts also where it is milder than the rules."`
	Tools    []string `arg:"" name:"tools" help:"Tool definitions: MCP tools/list, OpenAI functions or OpenAPI. The server is called like the file."`
	readerFlags

	packs pack.Set
}

// Help is shown below the flags.
func (synthCommand) Help() string {
	return `With --out, what was generated last time is kept beside each file, as the base of a three-way merge:
your edits stay, new tools come in marked for review, and what both sides changed is reported.
Commit both files. Exit code 4 when there are conflicts; your version is kept.

With --model, a language model reads each definition once. The contracts take what it says where that is stricter than
the rules. Where the model is milder the rules stay, and the disagreement is listed for you, the most consequential
first. A tool that the model can't read keeps what the rules say, with a mark. Where you have read the definitions, --reviewed
takes what the model says in both directions, and marks what then bears no authority any more.

Example:
  remit contract synth --out contracts mail.json payments.json
  remit contract synth --out contracts --model claude-opus-4-8 --record readings mail.json`
}

// Run makes contracts.
func (c *synthCommand) Run(ctx context.Context, s *command.Streams) error {
	catalogues, err := inputs.Tools(c.Tools)
	if err != nil {
		return err
	}
	if c.packs, err = packsNamed(c.Pack); err != nil {
		return command.UsageError(err)
	}
	made, err := c.contracts(ctx, s, catalogues)
	if err != nil {
		return err
	}
	if c.Out == "" {
		return c.print(s, made)
	}
	if err := os.MkdirAll(c.Out, 0o755); err != nil {
		return err
	}

	conflicts := 0
	for i, f := range made {
		newPrinter(s).packs(c.packs, catalogues[i])
		n, err := c.write(s, f)
		if err != nil {
			return err
		}
		conflicts += n
	}

	if conflicts > 0 {
		return command.Status(exitFindings)
	}
	return nil
}

// contracts makes the contracts of catalogues: by the rules, and weighed against a model
// where there is one. A model that fails is told about, and loosens nothing.
func (c *synthCommand) contracts(ctx context.Context, s *command.Streams, catalogues []*schema.Catalogue) ([]*contract.File, error) {
	if c.Reviewed && c.Model == "" {
		return nil, command.UsageError(hint.Wrap(errors.New("--reviewed says what a model's word counts for, and no model is named"), "name one with --model MODEL"))
	}
	c.readerFlags.reviewed = c.Reviewed
	r, err := c.reader()
	if err != nil {
		return nil, err
	}
	var out []*contract.File
	var queue []reader.Disagreement
	p := newPrinter(&command.Streams{Out: s.Err, Err: s.Err})
	for _, cat := range catalogues {
		made := c.packs.Contract(cat)
		if r != nil {
			result, err := r.Weigh(ctx, cat, made, c.packs.Reviewed(cat))
			if ctx.Err() != nil {
				return nil, err
			}
			if err != nil {
				p.line(0, p.Warn("not read: ")+display.Line(err.Error()))
			}
			made, queue = result.File, append(queue, result.Disagreements...)
		}
		out = append(out, made)
	}

	if len(queue) > 0 {
		reader.Sort(queue)
		p.line(0, display.Count(len(queue), "disagreement", "disagreements")+" of the model with the rules, the most consequential first:")
		for _, d := range queue {
			p.line(2, d.String())
		}
	}
	return out, nil
}

func (c *synthCommand) print(s *command.Streams, made []*contract.File) error {
	for i, f := range made {
		text, err := contractText(f.Server+".yaml", f)
		if err != nil {
			return err
		}
		if i > 0 {
			fmt.Fprintln(s.Out, "---")
		}
		if _, err := s.Out.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// write brings one server's file up to date, and returns how many conflicts
// there were.
func (c *synthCommand) write(s *command.Streams, generated *contract.File) (int, error) {
	if strings.ContainsAny(generated.Server, `/\`) || strings.HasPrefix(generated.Server, ".") {
		return 0, fmt.Errorf("the server name %q can't be a file name", generated.Server)
	}
	file := filepath.Join(c.Out, generated.Server+".yaml")
	base, err := inputs.ExistingContract(baseOf(file))
	if err != nil {
		return 0, err
	}
	// The definitions don't say for which directories the server is started.
	for i := range generated.Tools {
		synth.Below(&generated.Tools[i], synth.Directories(base))
	}
	return mergeContract(s, file, generated)
}

// baseOf returns the file that keeps what was generated for a contract file.
func baseOf(file string) string {
	return filepath.Join(filepath.Dir(file), "."+strings.TrimSuffix(filepath.Base(file), ".yaml")+".generated.yaml")
}

// mergeContract brings a contract file up to date with what was generated, and
// returns how many conflicts there were.
func mergeContract(s *command.Streams, file string, generated *contract.File) (int, error) {
	baseFile := baseOf(file)
	base, err := inputs.ExistingContract(baseFile)
	if err != nil {
		return 0, err
	}

	result, verb := generated, "nothing to change in"
	var conflicts []contract.Conflict
	_, err = atomicfile.Edit(file, func(was []byte) ([]byte, error) {
		edited, err := contract.Load(file, was)
		if err != nil {
			return nil, err
		}
		result, conflicts = contract.Merge(base, generated, edited)
		if _, err := contractText(file, result); err != nil {
			return nil, err
		}
		text, err := result.MarshalOver(file, was)
		if !bytes.Equal(text, was) {
			verb = "updated"
		}
		return text, err
	})
	if errors.Is(err, fs.ErrNotExist) {
		verb = "wrote"
		err = writeContract(file, generated)
	}
	if err != nil {
		return 0, err
	}

	// The base last: if the second write fails, the next run merges from the old base once more,
	// with the same result.
	if err := writeContract(baseFile, based(generated, conflicts)); err != nil {
		return 0, err
	}
	reportSynth(s, file, result, verb, conflicts)
	return len(conflicts), nil
}

// based returns what a later merge takes as generated. Tools that stayed whole are not in it: they are
// in conflict until a person has read their definition.
func based(generated *contract.File, conflicts []contract.Conflict) *contract.File {
	out := generated.Clone()
	out.Tools = slices.DeleteFunc(out.Tools, func(t contract.Tool) bool {
		return slices.ContainsFunc(conflicts, func(c contract.Conflict) bool {
			return c.Path == contract.Definition && c.Tool == t.Name
		})
	})
	return out
}

// writeContract writes a contract into a new file.
func writeContract(file string, f *contract.File) error {
	text, err := contractText(file, f)
	if err != nil {
		return err
	}
	return atomicfile.Write(file, text, 0o644)
}

func reportSynth(s *command.Streams, file string, f *contract.File, verb string, conflicts []contract.Conflict) {
	p := newPrinter(s)
	p.line(0, fmt.Sprintf("%s %s: %s, %d for review", verb, file, display.Count(len(f.Tools), "tool", "tools"), doctor.CountReviews(f)))
	for _, c := range conflicts {
		p.para(2, p.Warn("conflict: "), display.Line(conflictText(file, c)))
	}
	if len(conflicts) > 0 {
		p.line(2, "your version was kept; edit it where the new one is right")
	}
}

// conflictText says what a conflict is about, and what a person can do.
func conflictText(file string, c contract.Conflict) string {
	whole := c.Path == "" && c.Tool != ""
	switch {
	case c.Path == contract.Definition:
		return c.Tool + ": its definition has changed, and " + baseOf(file) + " doesn't tell your edits from what was generated: " +
			"the contract stays as it was reviewed, and calls are denied. When you have read the new definition, write fingerprint: " +
			c.Generated + " there, and do this again"
	case whole && c.Generated == "":
		return c.Tool + ": its contract was edited, and there is no such tool any more; take it out of " + file + " if that is so"
	case whole:
		return c.Tool + ": it was taken out of " + file + ", and its definition has changed since; it stays out"
	}
	return c.String()
}

// contractText returns what is written to a contract file. It is read back first: a file that
// can't be read keeps the next start from all of its servers.
func contractText(name string, f *contract.File) ([]byte, error) {
	text, err := f.Marshal()
	if err != nil {
		return nil, err
	}
	if _, err := contract.Load(name, text); err != nil {
		return nil, fmt.Errorf("the contract was not written, because it could not be read back: %w", err)
	}
	return text, nil
}
