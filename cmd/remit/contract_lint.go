package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/doctor"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/schema"
)

type lintCommand struct {
	Tools []string `placeholder:"FILE" sep:"none" help:"Tool definitions that the contracts are about; the server is called like the file. Repeatable."`
	Paths []string `arg:"" name:"contracts" help:"Contract files, or directories of them."`
}

// Help is shown below the flags.
func (lintCommand) Help() string {
	return `Prints one finding a line, as file:line:column: message. Exit code 4 when a file has errors.

Example:
  remit contract lint contracts --tools mail.json`
}

// Run checks contract files.
func (c *lintCommand) Run(s *command.Streams) error {
	tools, err := inputs.Tools(c.Tools)
	if err != nil {
		return err
	}

	var names []string
	for _, path := range c.Paths {
		files, err := inputs.ContractFiles(path)
		if err != nil {
			return err
		}
		for _, f := range files {
			if !slices.Contains(names, f) {
				names = append(names, f)
			}
		}
	}

	failed, unread := false, false
	servers := map[string]string{}
	for _, name := range names {
		read, ok, err := lintFile(s, name, tools, servers)
		if err != nil {
			return err
		}
		failed = failed || !ok
		unread = unread || !read
	}

	for _, cat := range tools {
		if servers[cat.Server] == "" && !unread {
			failed = true
			fmt.Fprintf(s.Out, "%s no contract file is about server %q\n", display.Paint(s.Color).Bad("error:"), display.Line(cat.Server))
		}
	}

	if failed {
		return command.Status(exitFindings)
	}
	return nil
}

// lintFile prints what is the matter with one file, and reports whether it can be read, and used. It adds
// the file to servers, which has the first file of each.
func lintFile(s *command.Streams, name string, tools []*schema.Catalogue, servers map[string]string) (read, ok bool, err error) {
	p := display.Paint(s.Color)
	f, err := inputs.Contract(name)
	var mistakes contract.Errors
	switch {
	case errors.As(err, &mistakes):
		for _, m := range mistakes {
			fmt.Fprintf(s.Out, "%s: %s %s\n", m.Position, p.Bad("error:"), display.Line(m.Message))
			if m.Hint != "" {
				fmt.Fprintf(s.Out, "  %s %s\n", p.Dim("hint:"), display.Line(m.Hint))
			}
		}
		return false, false, nil
	case err != nil:
		return false, false, err
	}

	ok = true
	if first := servers[f.Server]; first != "" {
		ok = false
		fmt.Fprintf(s.Out, "%s: %s server %q has contracts in %s already; keep one file a server\n",
			display.Line(name), p.Bad("error:"), display.Line(f.Server), display.Line(first))
	} else {
		servers[f.Server] = name
	}

	for _, cat := range tools {
		if cat.Server != f.Server {
			continue
		}
		findings := contract.Lint(f, cat)
		for _, finding := range findings {
			fmt.Fprintln(s.Out, display.Line(finding.String()))
		}
		ok = ok && findings.Err() == nil
	}

	if ok {
		fmt.Fprintf(s.Out, "%s: %s: %s, %d for review\n", name, p.Good("ok"), display.Count(len(f.Tools), "tool", "tools"), doctor.CountReviews(f))
	}
	return true, ok, nil
}
