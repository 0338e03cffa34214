package main

import (
	"strings"

	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/explanation"
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

// turn writes what the scope of a turn authorises.
func (p *printer) turn(t *explanation.Turn) {
	p.line(0, "")
	if len(t.Scope) == 0 {
		p.line(0, "scope: the user's turn has none")
		return
	}
	p.line(0, "scope: "+display.Count(t.Calls, "call is authorised", "calls are authorised"))
	for _, w := range t.Words {
		p.para(2, "", w)
	}
	for _, r := range t.Refused {
		p.para(2, p.Warn("left out: "), display.Line(r.String()))
	}
}

func (p *printer) argument(a *explanation.Finding) {
	mark := p.Bad("✗")
	if a.Satisfied {
		mark = p.Good("✓")
	}
	path := "(the whole)"
	if a.Path != "" {
		path = display.Name(a.Path)
	}
	p.line(0, mark+" "+p.Bold(path)+"  "+p.Dim(a.Role.String()+", floor "+a.Floor.String()+", "+a.State))

	var value strings.Builder
	for _, part := range a.Pieces {
		value.WriteString(p.trust(part.Trust, display.InQuotes(part.Text)))
	}
	p.line(4, `"`+value.String()+`"`)
	p.line(4, "is "+p.trust(a.Trust, a.Trust.String())+p.Dim(" ("+a.Way+")"))
	for i := range a.Places {
		p.place(&a.Places[i])
	}

	if a.More > 0 {
		p.line(4, p.Dim(display.Count(a.More, "more place", "more places")))
	}
	for _, c := range a.Certificates {
		p.para(4, "certificate: ", c.Procedure+", up to "+c.Max.String()+": "+display.Line(c.Basis))
	}

	if a.Why != "" {
		why := "contract: " + a.Why
		if a.Contract != "" {
			why += " (" + a.Contract + ")"
		}
		p.para(4, "", display.Line(why))
	}
}

// place writes where a value appears, with the text around it on one line and the place itself
// marked: underlined in colour, and between arrows without.
func (p *printer) place(at *explanation.Place) {
	verb := "stands in "
	if at.Vouches {
		verb = "vouched for by "
	}
	p.line(4, verb+p.trust(at.Trust, display.Origin(at.Origin))+" "+p.Dim(at.Trust.String()))
	shown := display.Line
	if !p.Paint {
		// The arrows are the program's alone.
		shown = func(s string) string { return arrows.Replace(display.Line(s)) }
	}

	match := display.Clip(shown(at.Match), p.width/2)
	room := max((p.width-8-len([]rune(match)))/2, 8)
	before, after := display.ClipStart(shown(at.Before), room), display.Clip(shown(at.After), room)
	if p.Paint {
		match = p.Underline(p.trust(at.Trust, match))
	} else {
		match = "»" + match + "«"
	}
	p.line(6, p.Dim(before)+match+p.Dim(after))
}

var arrows = strings.NewReplacer("»", display.Escape('»'), "«", display.Escape('«'))
