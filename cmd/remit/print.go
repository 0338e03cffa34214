package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/label"
)

// printer writes decisions for people.
type printer struct {
	w io.Writer
	display.Paint
	width int
}

func newPrinter(s *command.Streams) *printer {
	return &printer{w: s.Out, Paint: display.Paint(s.Color), width: s.Width}
}

// verdict colours a verdict's word.
func (p *printer) verdict(v remit.Verdict, s string) string {
	switch v {
	case remit.Allow:
		return p.SGR("1;32", s)
	case remit.Ask:
		return p.SGR("1;33", s)
	}
	return p.SGR("1;31", s)
}

// trust colours text by how far it is believed.
func (p *printer) trust(t label.Trust, s string) string {
	switch t {
	case label.Trusted:
		return p.SGR("36", s)
	case label.User:
		return p.SGR("32", s)
	case label.ToolOutput:
		return p.SGR("33", s)
	}
	return p.SGR("31", s)
}

func (p *printer) line(indent int, text string) {
	fmt.Fprintf(p.w, "%s%s\n", strings.Repeat(" ", indent), text)
}

// para writes wrapped text, the first line after a lead.
func (p *printer) para(indent int, lead, text string) {
	for i, l := range display.Wrap(text, max(p.width-indent-len([]rune(lead)), command.MinWidth/2)) {
		if i > 0 {
			lead = strings.Repeat(" ", len([]rune(lead)))
		}
		p.line(indent, lead+l)
	}
}

// headline writes the verdict, the tool and what it does.
func (p *printer) headline(indent int, d *remit.Decision) {
	what := display.Name(d.Tool)
	if d.Variant != "" {
		what += " " + display.Name(d.Variant)
	}
	detail := fmt.Sprintf("call %s", display.Name(d.Call))
	if d.Through != "" {
		detail = fmt.Sprintf("through %s, %s", display.Name(d.Through), detail)
	}
	if d.Effect != "" {
		detail = fmt.Sprintf("%s, %s", d.Effect, detail)
	}
	p.line(indent, fmt.Sprintf("%s  %s  %s", p.verdict(d.Verdict, fmt.Sprintf("%-5s", d.Verdict)), p.Bold(what), p.Dim("("+detail+")")))
}

// decision writes a decision in full: arguments with their labels, then the
// reasons and what would settle them.
func (p *printer) decision(indent int, d *remit.Decision) {
	p.headline(indent, d)
	p.arguments(indent+2, d)
	p.reasons(indent+2, d)
}

func (p *printer) arguments(indent int, d *remit.Decision) {
	pathWidth := 0
	for i := range d.Findings {
		pathWidth = max(pathWidth, len([]rune(display.Name(d.Findings[i].Path))))
	}
	pathWidth = min(pathWidth, 24)
	for i := range d.Findings {
		p.finding(indent, pathWidth, &d.Findings[i], d.Confirmed)
	}
}

// finding writes one argument: on one line when it fits, else with the label
// on a second one, since the value is what a reader looks for.
func (p *printer) finding(indent, pathWidth int, f *remit.Finding, confirmed bool) {
	mark, tail := p.Good("✓"), ""
	switch {
	case f.Satisfied:
	case confirmed:
		mark, tail = p.Warn("✓"), "; confirmed by a person"
	default:
		mark = p.Bad("✗")
		if f.Trust < f.Floor {
			tail = fmt.Sprintf("; needs %s", f.Floor)
		}
	}

	path := "(the whole)"
	if f.Path != "" {
		path = display.ShortName(f.Path, pathWidth)
	}
	tail = fmt.Sprintf("%s, %s", f.Trust, how(f)) + tail
	if f.Role != label.NoRole {
		tail = fmt.Sprintf("%s, %s", f.Role, tail)
	}
	lead := fmt.Sprintf("%s %-*s  ", mark, pathWidth, path)

	at := indent + 4 + pathWidth
	value := display.Clip(display.InQuotes(f.Value), max(p.width-at-2, 16))
	quoted := p.trust(f.Trust, `"`+value+`"`)
	if at+len([]rune(value))+4+len([]rune(tail)) <= p.width {
		p.line(indent, lead+quoted+"  "+p.Dim(tail))
		return
	}
	p.line(indent, lead+quoted)
	p.line(at, p.Dim(tail))
}

// how says in words in which way a label was found, and where.
func how(f *remit.Finding) string {
	where := ""
	for _, e := range f.Evidence {
		if where == "" || e.Vouches {
			where = e.Origin
		}
		if e.Vouches {
			break
		}
	}
	word := f.How
	if len(f.Certificates) > 0 {
		word += " + " + f.Certificates[0].Procedure
	}
	if where == "" {
		return word
	}
	return word + " " + display.Origin(where)
}

// reasons writes why a call was stopped, and what would settle it. Remedies
// that several reasons share are written once.
func (p *printer) reasons(indent int, d *remit.Decision) {
	if d.Confirmed {
		return
	}

	for i, r := range d.Reasons {
		text := display.Line(r.Message)
		if r.Path != "" {
			text = display.Name(r.Path) + ": " + text
		}
		p.para(indent, "why: ", text)
		for _, sentence := range r.References {
			p.para(indent, "  policy: ", display.Line(sentence))
		}
		for _, v := range r.Values {
			p.para(indent, "  ", display.Line(v.Name)+" = "+display.Line(v.Value))
		}
		if i+1 < len(d.Reasons) && slices.Equal(r.Remedies, d.Reasons[i+1].Remedies) {
			continue
		}
		for _, remedy := range r.Remedies {
			p.para(indent, "  →  ", display.Line(remedy))
		}
	}
}
