package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/remit-project/remit/internal/atomicfile"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/fileschema"
)

type schemaCommand struct {
	Kind string `arg:"" optional:"" help:"The kind of file: configuration, contract, guard, mapping or scope."`
	Out  string `placeholder:"DIR" help:"Write the schemas of all kinds into this directory, and print the settings for editors."`
}

// Help is shown below the flags.
func (schemaCommand) Help() string {
	return `Prints the JSON Schema of a kind of file, with which editors complete and check what you
write. Without a kind it lists them. Remit itself checks more than a schema can say: run
remit contract lint, remit policy lint or remit doctor before you rely on a file.

Example:
  remit schema --out .remit/schemas      # then put the settings that it prints where it says
  remit schema contract > contract.schema.json`
}

// Run prints or writes schemas.
func (c *schemaCommand) Run(_ context.Context, s *command.Streams) error {
	switch {
	case c.Out != "" && c.Kind != "":
		return command.UsageError(errors.New("write a kind, or --out for the schemas of all kinds"))
	case c.Out != "":
		return c.write(s)
	case c.Kind != "":
		text, err := fileschema.Of(c.Kind)
		if err != nil {
			return command.UsageError(err)
		}
		_, err = s.Out.Write(text)
		return err
	}
	for _, k := range fileschema.Kinds() {
		fmt.Fprintf(s.Out, "%-14s %s\n", k.Name, k.What)
	}
	return nil
}

// write writes all schemas and prints what editors need to find them.
func (c *schemaCommand) write(s *command.Streams) error {
	if err := os.MkdirAll(c.Out, 0o755); err != nil {
		return fmt.Errorf("make the directory of the schemas: %w", err)
	}

	globs := map[string][]string{}
	for _, k := range fileschema.Kinds() {
		text, err := fileschema.Of(k.Name)
		if err != nil {
			return err
		}
		name := filepath.Join(c.Out, k.File())
		if err := atomicfile.Write(name, text, 0o644); err != nil {
			return err
		}
		if k.Name != "scope" {
			globs["./"+filepath.ToSlash(name)] = k.Globs
		}
	}

	settings, err := json.MarshalIndent(map[string]any{"yaml.schemas": globs}, "", "  ")
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Out, `%d schemas are in %s.

VS Code and editors with its settings (.vscode/settings.json), with the YAML extension:
%s

Any editor with the YAML language server, as the first line of a file:
# yaml-language-server: $schema=%s
`, len(fileschema.Kinds()), c.Out, settings, filepath.ToSlash(filepath.Join(c.Out, "contract.schema.json")))
	return nil
}
