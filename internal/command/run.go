// Package command runs the programs of Remit: it parses the command line, prints
// help and errors in one form, and ends with documented exit codes.
//
// Colour appears only on a terminal that has it. Nothing moves on standard
// output. Progress is one line on standard error, shown only if that is a
// terminal, and removed when the work is done.
package command

import (
	"context"
	"io"
	"os"
	"os/signal"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/remit-project/remit/internal/hint"
)

// Program describes a program to [Run].
type Program struct {
	// Name is how the program is called.
	Name string
	// Description is one sentence on what the program does.
	Description string
	// Overview is the help for the program as a whole: its main tasks, on one screen.
	// If it is empty, the help lists all commands.
	Overview string
	// Reference is the end of the full help: what there is to know beside commands.
	Reference string
	// Commands is a pointer to a struct with a field for each command, tagged for
	// package kong. A command has a method Run, which takes the [Streams], after a
	// context.Context where it needs one.
	Commands any
}

// HelpFlag prints the help of a command. Each program has it as --help.
type HelpFlag bool

// help prints the help of what the arguments select.
func (p Program) help(c *kong.Context) error {
	if c.Selected() == nil && len(c.Args) <= 1 && p.Overview != "" {
		_, err := io.WriteString(c.Stdout, p.Overview)
		return err
	}
	return c.PrintUsage(false)
}

// Run runs a program with the arguments after its name, and returns its exit code.
// An interrupt cancels the context that commands get.
func Run(p Program, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	s := newStreams(stdin, stdout, stderr)
	err := p.run(ctx, args, s)
	s.Report(err)
	return exitCode(err)
}

func (p Program) run(ctx context.Context, args []string, s *Streams) error {
	parser, err := kong.New(only(p.Commands, args),
		kong.Name(p.Name),
		kong.Description(p.Description),
		kong.NoDefaultHelp(),
		kong.Writers(s.Out, s.Err),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: s.Width}),
	)
	if err != nil {
		return err
	}

	switch {
	case len(args) == 0:
		args = []string{"--help"}
	case args[0] == completeWord:
		return complete(parser.Model, args[1:], s.Out)
	case args[0] == "help" && slices.Equal(args[1:], []string{"all"}):
		return p.helpAll(parser, s)
	case args[0] == "help":
		args = append(args[1:], "--help")
	}

	c, err := trace(parser, args)
	if err == nil && wantsHelp(c) {
		return p.help(c)
	}
	if err == nil {
		err = apply(c)
	}
	if err != nil {
		return UsageError(hint.Wrap(reworded(err), p.advice(c)))
	}
	return p.start(ctx, c, s)
}

// helpAll prints the help with every command, and the reference.
func (p Program) helpAll(parser *kong.Kong, s *Streams) error {
	c, err := kong.Trace(parser, nil)
	if err != nil {
		return err
	}
	if err := c.PrintUsage(false); err != nil {
		return err
	}
	_, err = io.WriteString(s.Out, p.Reference)
	return err
}
