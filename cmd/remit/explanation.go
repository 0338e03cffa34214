package main

import (
	"strings"

	"github.com/remit-project/remit/internal/explanation"
	"github.com/remit-project/remit/internal/legible"
)

// explanation writes it to the terminal.
func (p *printer) explanation(e *explanation.Explanation) {
	p.headline(0, e.Decision)
	for _, a := range e.Findings {
		p.line(0, "")
		p.argument(&a)
	}
	if len(e.Reasons) > 0 {
		p.line(0, "")
		p.reasons(0, e.Decision)
	}
}

func (p *printer) argument(a *explanation.Finding) {
	mark := p.bad("✗")
	if a.Satisfied {
		mark = p.good("✓")
	}
	path := "(the whole)"
	if a.Path != "" {
		path = name(a.Path)
	}
	p.line(0, mark+" "+p.bold(path)+"  "+p.dim(a.Role.String()+", floor "+a.Floor.String()+", "+a.State))
	var value strings.Builder
	for _, part := range a.Pieces {
		value.WriteString(p.trust(part.Trust, escaped(part.Text)))
	}
	p.line(4, `"`+value.String()+`"`)
	p.line(4, "is "+p.trust(a.Trust, a.Trust.String())+p.dim(" ("+a.Way+")"))
	for i := range a.Places {
		p.place(&a.Places[i])
	}
	if a.More > 0 {
		p.line(4, p.dim(plural(a.More, "more place", "more places")))
	}
	for _, c := range a.Certificates {
		p.para(4, "certificate: ", c.Procedure+", up to "+c.Max.String()+": "+visible(c.Basis))
	}
	if a.Why != "" {
		why := "contract: " + a.Why
		if a.Contract != "" {
			why += " (" + a.Contract + ")"
		}
		p.para(4, "", visible(why))
	}
}

// place writes where a value stands, with the text around it on one line and
// the place itself marked: underlined in colour, and between arrows without.
func (p *printer) place(at *explanation.Place) {
	verb := "stands in "
	if at.Vouches {
		verb = "vouched for by "
	}
	p.line(4, verb+p.trust(at.Trust, origin(at.Origin))+" "+p.dim(at.Trust.String()))
	shown := visible
	if !p.paint {
		// The arrows are the program's alone.
		shown = func(s string) string { return arrows.Replace(visible(s)) }
	}
	match := cut(shown(at.Match), p.width/2)
	room := max((p.width-8-len([]rune(match)))/2, 8)
	before, after := tail(shown(at.Before), room), cut(shown(at.After), room)
	if p.paint {
		match = p.underline(p.trust(at.Trust, match))
	} else {
		match = "»" + match + "«"
	}
	p.line(6, p.dim(before)+match+p.dim(after))
}

var arrows = strings.NewReplacer("»", legible.Escape('»'), "«", legible.Escape('«'))

// tail shortens text to its last n characters.
func tail(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return "…" + string(r[len(r)-n+1:])
}
