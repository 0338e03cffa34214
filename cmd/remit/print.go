package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/label"
)

// printer writes decisions for people.
type printer struct {
	w io.Writer
	paint
	width int
}

func (s *streams) printer() *printer {
	return &printer{w: s.out, paint: paint(s.color), width: s.width}
}

func (p *printer) line(indent int, text string) {
	fmt.Fprintf(p.w, "%s%s\n", strings.Repeat(" ", indent), text)
}

// para writes wrapped text, the first line behind a lead.
func (p *printer) para(indent int, lead, text string) {
	for i, l := range wrap(text, max(p.width-indent-len([]rune(lead)), minWidth/2)) {
		if i > 0 {
			lead = strings.Repeat(" ", len([]rune(lead)))
		}
		p.line(indent, lead+l)
	}
}

// headline writes the verdict, the tool and what it does.
func (p *printer) headline(indent int, d *remit.Decision) {
	what := name(d.Tool)
	if d.Variant != "" {
		what += " " + name(d.Variant)
	}
	detail := fmt.Sprintf("call %s", name(d.Call))
	if d.Through != "" {
		detail = fmt.Sprintf("through %s, %s", name(d.Through), detail)
	}
	if d.Effect != "" {
		detail = fmt.Sprintf("%s, %s", d.Effect, detail)
	}
	p.line(indent, fmt.Sprintf("%s  %s  %s", p.verdict(d.Verdict, fmt.Sprintf("%-5s", d.Verdict)), p.bold(what), p.dim("("+detail+")")))
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
		pathWidth = max(pathWidth, len([]rune(name(d.Findings[i].Path))))
	}
	pathWidth = min(pathWidth, 24)
	for i := range d.Findings {
		p.finding(indent, pathWidth, &d.Findings[i], d.Confirmed)
	}
}

// finding writes one argument: on one line when it fits, else with the label
// on a second one, since the value is what a reader looks for.
func (p *printer) finding(indent, pathWidth int, f *remit.Finding, confirmed bool) {
	mark, tail := p.good("✓"), ""
	switch {
	case f.Satisfied:
	case confirmed:
		mark, tail = p.warn("✓"), "; confirmed by a person"
	default:
		mark = p.bad("✗")
		if f.Trust < f.Floor {
			tail = fmt.Sprintf("; needs %s", f.Floor)
		}
	}
	path := "(the whole)"
	if f.Path != "" {
		path = nameIn(f.Path, pathWidth)
	}
	tail = fmt.Sprintf("%s, %s", f.Trust, how(f)) + tail
	if f.Role != label.NoRole {
		tail = fmt.Sprintf("%s, %s", f.Role, tail)
	}
	lead := fmt.Sprintf("%s %-*s  ", mark, pathWidth, path)
	at := indent + 4 + pathWidth
	value := cut(escaped(f.Value), max(p.width-at-2, 16))
	quoted := p.trust(f.Trust, `"`+value+`"`)
	if at+len([]rune(value))+4+len([]rune(tail)) <= p.width {
		p.line(indent, lead+quoted+"  "+p.dim(tail))
		return
	}
	p.line(indent, lead+quoted)
	p.line(at, p.dim(tail))
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
	return word + " " + origin(where)
}

// reasons writes why a call was stopped, and what would settle it. Remedies
// that several reasons share are written once.
func (p *printer) reasons(indent int, d *remit.Decision) {
	if d.Confirmed {
		return
	}
	for i, r := range d.Reasons {
		text := visible(r.Message)
		if r.Path != "" {
			text = name(r.Path) + ": " + text
		}
		p.para(indent, "why: ", text)
		for _, sentence := range r.References {
			p.para(indent, "  policy: ", visible(sentence))
		}
		for _, v := range r.Values {
			p.para(indent, "  ", visible(v.Name)+" = "+visible(v.Value))
		}
		if i+1 < len(d.Reasons) && slices.Equal(r.Remedies, d.Reasons[i+1].Remedies) {
			continue
		}
		for _, remedy := range r.Remedies {
			p.para(indent, "  →  ", visible(remedy))
		}
	}
}

// plural counts things in words.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
