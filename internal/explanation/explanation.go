// Package explanation makes a decision ready for showing: every argument with
// its value in pieces by trust, and the places in the session that it came from
// with the text around them. All of that text may be an attacker's, so that it is
// never shown raw. It also says in words what a turn of the user's authorises.
package explanation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// Explanation is a decision made ready for showing, on a terminal or a page.
type Explanation struct {
	*remit.Decision
	Findings []Finding `json:"findings"`
}

// Finding is what is known about one leaf of the arguments, with its value in pieces by trust.
type Finding struct {
	*remit.Finding
	// State says whether the contract accepts the value, Way how its trust was
	// found.
	State  string  `json:"state"`
	Way    string  `json:"way"`
	Pieces []Piece `json:"pieces"`
	Places []Place `json:"places"`
	// More is the number of places that are not shown.
	More int `json:"more,omitempty"`
}

// Piece is a part of a value.
type Piece struct {
	Text  string      `json:"text"`
	Trust label.Trust `json:"trust"`
}

// Place is a piece of evidence with the text around it.
type Place struct {
	remit.Evidence
	Before string `json:"before"`
	Match  string `json:"match"`
	After  string `json:"after"`
}

// Texts look up the text of an origin, as [ledger.Session.Text] does; false for one that isn't
// kept.
type Texts interface {
	Text(ctx context.Context, origin string) (string, bool, error)
}

// OfSession joins a decision with the text of its session. It fails where a text can't be read.
func OfSession(ctx context.Context, s Texts, d *remit.Decision) (*Explanation, error) {
	var failed error
	e := Of(d, func(origin string) (string, bool) {
		text, ok, err := s.Text(ctx, origin)
		failed = errors.Join(failed, err)
		return text, ok && err == nil
	})
	if failed != nil {
		return nil, fmt.Errorf("look up what a decision rests on: %w", failed)
	}
	return e, nil
}

// Of joins a decision with the session's text, as [remit.Session.Text] gives it.
func Of(d *remit.Decision, text func(origin string) (string, bool)) *Explanation {
	e := &Explanation{Decision: d, Findings: []Finding{}}
	for i := range d.Findings {
		f := &d.Findings[i]
		a := Finding{Finding: f, State: state(d, f), Way: way(f), Pieces: Pieces(f), Places: []Place{}}
		for _, ev := range Ranked(f.Evidence) {
			if len(a.Places) == maxPlaces {
				a.More++
				continue
			}
			a.Places = append(a.Places, locate(ev, text))
		}
		e.Findings = append(e.Findings, a)
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

// Ranked puts what the trust rests on first, then the lowest trust.
func Ranked(evidence []remit.Evidence) []remit.Evidence {
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

// Pieces cuts a value where evidence for it begins or ends. A piece has the
// trust of what explains it: of vouching evidence, else the lowest, else the
// value's own.
func Pieces(f *remit.Finding) []Piece {
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

	var out []Piece
	for i := 1; i < len(cuts); i++ {
		p := Piece{f.Value[cuts[i-1]:cuts[i]], f.Trust}
		found, vouched := false, false
		for _, e := range f.Evidence {
			if e.ValueStart > cuts[i-1] || e.ValueEnd < cuts[i] {
				continue
			}
			firstToVouch := e.Vouches && !vouched
			lower := e.Vouches == vouched && e.Trust < p.Trust
			if !found || firstToVouch || lower {
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
func locate(ev remit.Evidence, text func(string) (string, bool)) Place {
	p := Place{Evidence: ev, Match: ev.Text}
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
