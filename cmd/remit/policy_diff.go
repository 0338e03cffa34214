package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/change"
)

type policyDiffCommand struct {
	deploymentFlags
	Sessions []string `placeholder:"FILE" sep:"none" help:"Recorded sessions whose calls are decided by both, to find those that turn. Repeatable."`
	Store    string   `placeholder:"NAME" help:"A store whose sessions' calls are decided by both: a file, postgres://… or nats://…"`
	Now      string   `placeholder:"TIME" help:"What \"today\" means in recorded sessions, as 2026-03-31T09:00:00Z. A recording's own time comes before it."`
	JSON     bool     `xor:"form" help:"Print the changes as JSON."`
	Markdown bool     `xor:"form" help:"Print the changes as Markdown, for a comment on a pull request."`
	FailOn   string   `enum:"never,laxer,any" default:"never" help:"Exit with 1 when something gets laxer, or on any change."`
	Old      string   `arg:"" help:"The compiled directory before; an empty one is that there was none."`
	New      string   `arg:"" help:"The compiled directory after."`
}

// Help is shown below the flags.
func (policyDiffCommand) Help() string {
	return `Says in words what becomes different: which policies come, go and change, what is no longer enforced, which rules get
stricter or laxer by the examples of both sides, and which recorded decisions would turn.

Example:
  git worktree add ../main main
  remit policy diff ../main/policies policies --tools tools.json --sessions week.jsonl.gz --markdown`
}

// policyDiff is the JSON form of what changes.
type policyDiff struct {
	*change.Report
	// Mistakes are those of guard files; their rules are not compared.
	Mistakes []string `json:"mistakes,omitempty"`
	// Calls are how many were decided by both sides, Decisions those that turn.
	Calls     int      `json:"calls"`
	Decisions []turned `json:"decisions"`
}

// Run compares two compiled directories.
func (c *policyDiffCommand) Run(ctx context.Context, s *command.Streams) error {
	scope, err := c.scope()
	if err != nil {
		return err
	}
	diff := policyDiff{Decisions: []turned{}}

	var sides [2]change.Side
	var guards [2][]*guard.File
	for i, root := range [...]string{c.Old, c.New} {
		var mistakes guard.Errors
		if sides[i].Directory, err = compiledDirectory(root); err != nil {
			return err
		}
		if guards[i], err = sides[i].Directory.GuardFiles(); err != nil {
			return err
		}
		if sides[i].Guards, mistakes, err = compileGuards(guards[i], scope); err != nil {
			return err
		}
		for _, m := range mistakes {
			diff.Mistakes = append(diff.Mistakes, m.Error())
		}
	}

	if diff.Report, err = change.Compare(ctx, sides[0], sides[1]); err != nil {
		return err
	}
	if len(c.Sessions) > 0 || c.Store != "" {
		if len(diff.Mistakes) > 0 {
			return hint.Wrap(errors.New("calls can't be decided by rules with mistakes: "+diff.Mistakes[0]), "name the tool definitions with --tools; remit policy lint lists all mistakes")
		}
		if err := c.decisions(ctx, s, guards, &diff); err != nil {
			return err
		}
	}

	switch {
	case c.JSON:
		err = writeJSON(s.Out, diff)
	case c.Markdown:
		err = writePolicyDiff(s.Out, &diff)
	default:
		newPrinter(s).policyDiff(&diff)
	}

	laxer := c.FailOn == "laxer" && diff.laxer() > 0
	changed := c.FailOn == "any" && diff.any()
	if err == nil && (laxer || changed) {
		return command.Status(exitLaxer)
	}
	return err
}

// compiledDirectory reads a directory that has to be there.
func compiledDirectory(root string) (*policydoc.Directory, error) {
	info, err := os.Stat(root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, inputs.Missing(err)
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, hint.Wrap(fmt.Errorf("%s is not a directory", root), "give the directory that the policy document was compiled into")
	}
	return policydoc.ReadDirectory(root)
}

// laxer counts the policies and decisions that get laxer.
func (d *policyDiff) laxer() int {
	n := 0
	for i := range d.Policies {
		if d.Policies[i].Loosens() {
			n++
		}
	}
	for i := range d.Decisions {
		if d.Decisions[i].laxer() {
			n++
		}
	}
	return n
}

func (d *policyDiff) any() bool {
	return len(d.Policies)+len(d.Unmapped)+len(d.Mapped)+len(d.Decisions) > 0
}
