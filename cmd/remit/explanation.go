package main

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/label"
)

// The text around a place that an explanation shows, and how many places of
// one argument it shows: evidence can be plentiful, a reader's patience isn't.
const (
	contextBytes = 160
	maxPlaces    = 4
)

// explanation is a decision made ready for showing, on a terminal or a page.
type explanation struct {
	*remit.Decision
	Arguments []argument
}

// argument is one leaf with its value in pieces by trust.
type argument struct {
	*remit.Finding
	// State says whether the contract accepts the value, Way how its trust was
	// found.
	State, Way string
	Pieces     []piece
	Places     []place
	// More is the number of places that are not shown.
	More int
}

// piece is a part of a value.
type piece struct {
	Text  string
	Trust label.Trust
}

// place is a piece of evidence with the text around it.
type place struct {
	remit.Evidence
	Before, Match, After string
}

// explain joins a decision with the session's text.
func explain(d *remit.Decision, text func(origin string) (string, bool)) *explanation {
	e := &explanation{Decision: d}
	for i := range d.Findings {
		f := &d.Findings[i]
		a := argument{Finding: f, State: state(d, f), Way: way(f), Pieces: pieces(f)}
		for _, ev := range ranked(f.Evidence) {
			if len(a.Places) == maxPlaces {
				a.More++
				continue
			}
			a.Places = append(a.Places, locate(ev, text))
		}
		e.Arguments = append(e.Arguments, a)
	}
	return e
}

func state(d *remit.Decision, f *remit.Finding) string {
	switch {
	case f.Satisfied:
		return "accepted"
	case d.Confirmed:
		return "confirmed by a person"
	}
	return "not accepted"
}

// way spells out the one word that doesn't explain itself.
func way(f *remit.Finding) string {
	if f.How == "ambient" {
		return "nothing vouches for it, so it is worth the least of what was read before"
	}
	return f.How
}

// ranked puts what the trust rests on first, then the lowest trust.
func ranked(evidence []remit.Evidence) []remit.Evidence {
	out := slices.Clone(evidence)
	slices.SortStableFunc(out, func(a, b remit.Evidence) int {
		if a.Vouches != b.Vouches {
			if a.Vouches {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Trust, b.Trust)
	})
	return out
}

// pieces cuts a value where evidence for it begins or ends. A piece has the
// trust of what explains it: of vouching evidence, else the lowest, else the
// value's own.
func pieces(f *remit.Finding) []piece {
	cuts := []int{0, len(f.Value)}
	for _, e := range f.Evidence {
		for _, at := range [...]int{e.ValueStart, e.ValueEnd} {
			if at > 0 && at < len(f.Value) && utf8.RuneStart(f.Value[at]) {
				cuts = append(cuts, at)
			}
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var out []piece
	for i := 1; i < len(cuts); i++ {
		p := piece{f.Value[cuts[i-1]:cuts[i]], f.Trust}
		found, vouched := false, false
		for _, e := range f.Evidence {
			if e.ValueStart > cuts[i-1] || e.ValueEnd < cuts[i] {
				continue
			}
			if !found || e.Vouches && !vouched || e.Vouches == vouched && e.Trust < p.Trust {
				p.Trust = e.Trust
			}
			found, vouched = true, vouched || e.Vouches
		}
		if n := len(out); n > 0 && out[n-1].Trust == p.Trust {
			out[n-1].Text += p.Text
			continue
		}
		out = append(out, p)
	}
	return out
}

// locate finds the text around a piece of evidence. A session that doesn't
// know the place any more leaves what the evidence itself repeats.
func locate(ev remit.Evidence, text func(string) (string, bool)) place {
	p := place{Evidence: ev, Match: ev.Text}
	whole, ok := text(ev.Origin)
	if !ok || ev.Start < 0 || ev.End > len(whole) || ev.Start > ev.End {
		return p
	}
	p.Match = whole[ev.Start:ev.End]
	if len(p.Match) > remit.MaxShownValue {
		p.Match = strings.ToValidUTF8(p.Match[:remit.MaxShownValue], "") + "…"
	}
	from, to := max(ev.Start-contextBytes, 0), min(ev.End+contextBytes, len(whole))
	p.Before = strings.ToValidUTF8(whole[from:ev.Start], "")
	p.After = strings.ToValidUTF8(whole[ev.End:to], "")
	if from > 0 {
		p.Before = "…" + p.Before
	}
	if to < len(whole) {
		p.After += "…"
	}
	return p
}

// explanation writes it to the terminal.
func (p *printer) explanation(e *explanation) {
	p.headline(0, e.Decision)
	for _, a := range e.Arguments {
		p.line(0, "")
		p.argument(&a)
	}
	if len(e.Reasons) > 0 {
		p.line(0, "")
		p.reasons(0, e.Decision)
	}
}

func (p *printer) argument(a *argument) {
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
func (p *printer) place(at *place) {
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

var arrows = strings.NewReplacer("»", escape('»'), "«", escape('«'))

// tail shortens text to its last n characters.
func tail(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return "…" + string(r[len(r)-n+1:])
}
