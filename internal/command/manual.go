package command

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// Manual is the command that prints the program's manual page.
type Manual struct{}

// Help is shown below the flags.
func (Manual) Help() string {
	return `Prints the manual page with every command and flag, in the form that man reads.

Example:
  remit manual | man -l -
  remit manual > ~/.local/share/man/man1/remit.1`
}

// Run prints the page.
func (Manual) Run(model *kong.Application, s *Streams, p Program) error {
	var page strings.Builder
	fmt.Fprintf(&page, ".TH %s 1\n.SH NAME\n%s \\- %s\n", roff(strings.ToUpper(p.Name)), roff(p.Name), roff(p.Description))
	fmt.Fprintf(&page, ".SH SYNOPSIS\n.B %s\n.I command\n.RI [ flags ]\n.SH COMMANDS\n", roff(p.Name))

	manualCommands(&page, model.Node, p.Name)
	if p.Reference != "" {
		page.WriteString(".SH NOTES\n" + verbatim(p.Reference))
	}
	_, err := io.WriteString(s.Out, page.String())
	return err
}

// manualCommands writes the commands below a node, without those that only hold others: their
// name begins the names of these.
func manualCommands(page *strings.Builder, node *kong.Node, path string) {
	for _, child := range node.Children {
		name := path + " " + child.Name
		switch {
		case child.Hidden:
		case len(child.Children) > 0:
			manualCommands(page, child, name)
		default:
			manualCommand(page, child, name)
		}
	}
}

// manualCommand writes one command: what it does, its flags, and its help.
func manualCommand(page *strings.Builder, node *kong.Node, name string) {
	for _, positional := range node.Positional {
		name += " " + positional.Summary()
	}
	fmt.Fprintf(page, ".SS %s\n%s\n", roff(name), roff(node.Help))

	for _, group := range node.AllFlags(true) {
		for _, f := range group {
			fmt.Fprintf(page, ".TP\n.B %s\n%s\n", roff(f.String()), roff(f.Help))
		}
	}
	if node.Detail != "" {
		page.WriteString(".P\n" + verbatim(node.Detail))
	}
}

// verbatim writes text whose lines stay as they are.
func verbatim(text string) string {
	var b strings.Builder
	b.WriteString(".nf\n")
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		b.WriteString(roff(line) + "\n")
	}
	b.WriteString(".fi\n")
	return b.String()
}

// escapes are the characters that mean something to roff within a line.
var escapes = strings.NewReplacer(`\`, `\e`, "-", `\-`)

// roff writes one line of text so that roff prints it as it is: a line that begins
// with a point or an apostrophe would be a request.
func roff(text string) string {
	text = escapes.Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		return `\&` + text
	}
	return text
}
