package main

import (
	"fmt"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inputs"
)

type showCommand struct {
	File string `arg:"" name:"contract" help:"The contract file."`
	Tool string `arg:"" optional:"" help:"The tool; without it, all tools are listed."`
}

// Help is shown below the flags.
func (showCommand) Help() string {
	return `Each argument is a row: its role, the least trust that it accepts, and what else it needs.

Example:
  remit contract show contracts/mail.yaml send_email`
}

// Run shows a contract.
func (c *showCommand) Run(s *command.Streams) error {
	f, err := inputs.Contract(c.File)
	if err != nil {
		return err
	}
	p := newPrinter(s)
	if c.Tool == "" {
		p.tools(f)
		return nil
	}

	t, ok := f.Tool(c.Tool)
	if !ok {
		return hint.Wrap(fmt.Errorf("%s: there is no tool %q", c.File, c.Tool), "remit contract show "+c.File+" lists the tools")
	}
	p.tool(t)
	return nil
}

// tools lists the tools of a contract file.
func (p *printer) tools(f *contract.File) {
	p.line(0, p.Dim(fmt.Sprintf("%-32s  %-11s  %5s  %-11s  %s", "tool", "effect", "args", "output", "review")))
	for i := range f.Tools {
		t := &f.Tools[i]
		p.line(0, fmt.Sprintf("%-32s  %-11s  %5d  %s  %s", display.ShortName(t.Name, 32), t.Effect, len(t.Args),
			p.trust(t.Output.Trust, fmt.Sprintf("%-11s", t.Output.Trust)), p.Warn(marks(t))))
	}
}

// marks says how many parts of a tool's contract a person has yet to look at.
func marks(t *contract.Tool) string {
	n := 0
	count := func(review string, args []contract.Arg, output *contract.Output) {
		if review != "" {
			n++
		}
		for i := range args {
			if args[i].Review != "" {
				n++
			}
		}
		if output != nil && output.Review != "" {
			n++
		}
	}

	count(t.Review, t.Args, &t.Output)
	if t.Variants != nil {
		for i := range t.Variants.Cases {
			v := &t.Variants.Cases[i]
			count(v.Review, v.Args, v.Output)
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d to review", n)
}

// tool writes one tool's contract, and below it what differs by variant.
func (p *printer) tool(t *contract.Tool) {
	p.line(0, p.Bold(display.Name(t.Name))+"  "+string(t.Effect))
	p.note(2, t.Why, t.Review)
	p.args(2, t.Args)
	p.output(2, &t.Output)
	if u := t.Unwrap; u != nil {
		p.line(2, fmt.Sprintf("calls the tool named in %s with %s, which is decided by that tool's contract", display.Name(u.Tool), display.Name(u.Arguments)))
	}
	if t.Variants == nil {
		return
	}

	for i := range t.Variants.Cases {
		v := &t.Variants.Cases[i]
		p.line(0, "")
		p.line(2, p.Bold(display.Name(t.Variants.Argument)+" = "+display.Name(v.Value))+"  "+string(v.Effect))
		p.note(4, v.Why, v.Review)
		p.args(4, v.Args)
		if v.Output != nil {
			p.output(4, v.Output)
		}
	}
}

func (p *printer) args(indent int, args []contract.Arg) {
	width := len("argument")
	for i := range args {
		width = max(width, len([]rune(display.Name(args[i].Pattern))))
	}
	width = min(width, p.width/3)
	if len(args) > 0 {
		p.line(indent, p.Dim(fmt.Sprintf("%-*s  %-10s  %s", width, "argument", "role", "floor")))
	}
	for i := range args {
		a := &args[i]
		p.line(indent, fmt.Sprintf("%-*s  %-10s  %s", width, display.ShortName(a.Pattern, width), a.Role, p.trust(a.Floor, a.Floor.String())))
		p.note(indent+4, a.Why, a.Review)
	}
}

func (p *printer) output(indent int, o *contract.Output) {
	derived := ""
	if o.Derived {
		derived = ", never better than the arguments"
	}
	format := ""
	if o.Format != "" {
		format = ", written as " + string(o.Format)
	}

	p.line(indent, "output "+p.trust(o.Trust, o.Trust.String())+derived+format)
	if len(o.Returns) > 0 {
		p.line(indent+2, "returns "+display.Line(strings.Join(o.Returns, " ")))
	}
	for _, shape := range o.Shapes {
		p.line(indent+2, "read for task scopes where it looks so:")
		for line := range strings.SplitSeq(shape, "\n") {
			p.line(indent+4, display.Line(line))
		}
	}
	for _, f := range o.Fields {
		p.line(indent+2, display.Name(f.Pattern)+" "+p.trust(f.Trust, f.Trust.String()))
	}
	for _, c := range o.Certify {
		p.line(indent+2, fmt.Sprintf("%s: %s vouches up to %s when %s reached %s", c.Procedure, display.Line(c.Field), c.Max, display.Line(c.Key), c.KeyFloor))
	}
	p.note(indent+2, "", o.Review)
}

func (p *printer) note(indent int, why, review string) {
	if why != "" {
		p.para(indent, "", display.Line(why))
	}
	if review != "" {
		p.para(indent, "review: ", display.Line(review))
	}
}
