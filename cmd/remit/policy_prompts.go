package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/policydoc/prompt"
)

type policyPromptsCommand struct {
	Dir string `arg:"" placeholder:"DIR" help:"Where to write them."`
}

// Help is shown below the flags.
func (policyPromptsCommand) Help() string {
	return `Writes what the policy compiler says to models into a directory, one file a stage. Keep those that you change and
give the directory to remit policy compile --prompts; for all others the ones that come with Remit count.

Example:
  remit policy prompts my-prompts`
}

// Run writes the prompts that come with Remit. Files that are there already stay.
func (c *policyPromptsCommand) Run(_ context.Context, s *command.Streams) error {
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return err
	}
	names, err := fs.Glob(prompt.Files(), "*.md")
	if err != nil {
		return err
	}

	for _, name := range names {
		text, err := fs.ReadFile(prompt.Files(), name)
		if err != nil {
			return err
		}
		to := filepath.Join(c.Dir, name)
		f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return hint.Wrap(err, "write into an empty directory, so that no prompt of yours is lost")
		}
		_, err = f.Write(text)
		if err2 := f.Close(); err == nil {
			err = err2
		}
		if err != nil {
			return fmt.Errorf("%s: %w", to, err)
		}
		fmt.Fprintln(s.Out, display.Line(to))
	}

	return nil
}
