// Package sighting finds where the values of a call appear in what its session has
// seen, for a person who is asked about the call: which tool returned them, the
// text around, and the record that an identifier belongs to. All of it may be an
// attacker's, and is never to be shown raw.
package sighting

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

// Place is a place in a session where a value appears, with the text around it.
type Place struct {
	// Path is the argument that the place explains.
	Path   string      `json:"path"`
	Origin string      `json:"origin"`
	Trust  label.Trust `json:"trust"`
	// Vouches is set when the value's trust rests on the place.
	Vouches bool   `json:"vouches,omitempty"`
	Before  string `json:"before,omitempty"`
	Text    string `json:"text"`
	After   string `json:"after,omitempty"`
	// Tool is the one whose result the place is in, or into whose call the model wrote
	// it; empty when it is in neither.
	Tool string `json:"tool,omitempty"`
	// Written is set when the place is in an earlier call.
	Written bool `json:"written,omitempty"`
	// Record are the other members of the record that the value is a member of.
	Record []Member `json:"record,omitempty"`
}

// Asked is a call that a person is asked about, with the places of its values.
type Asked struct {
	Decision *remit.Decision `json:"decision"`
	Places   []Place         `json:"places,omitempty"`
}

// Member is a member of a record.
type Member struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Session is what the places are in.
type Session interface {
	// Text returns the text of an event, or of a field of a result, by the name
	// that [remit.Evidence] gives it.
	Text(ctx context.Context, origin string) (text string, ok bool, err error)
	// Last returns the last decision on a call.
	Last(ctx context.Context, call string) (*remit.Decision, error)
}

const (
	// Max bounds the places of one question, and MaxText the text around each, on
	// either side, in bytes.
	Max     = 16
	MaxText = 160
	// maxEach bounds the places of one argument: evidence can be plentiful, and a
	// person's patience isn't.
	maxEach = 2
	// maxRecord bounds the members that are shown of a record, and maxMember the
	// bytes of each.
	maxRecord = 8
	maxMember = 120
)

// Of returns the places of the arguments that a decision is in doubt about: those
// that vouch first, then those of the lowest trust.
func Of(ctx context.Context, s Session, d *remit.Decision) ([]Place, error) {
	doc, err := strictjson.Parse(d.Arguments, strictjson.DefaultLimits())
	if err != nil {
		doc = nil // the decision shows as much of each value as it has
	}
	tools := map[string]string{}
	var out []Place
	for i := range d.Findings {
		f := &d.Findings[i]
		asked := slices.ContainsFunc(d.Reasons, func(r remit.Reason) bool { return r.Path == f.Path })
		if f.Satisfied && !asked {
			continue
		}

		value := f.Value
		if doc != nil {
			if leaf, ok := doc.Get(f.Path); ok {
				value = leaf.Text
			}
		}
		shown := map[string]bool{}
		for _, e := range telling(value, f.Evidence) {
			event, _ := eventOf(e.Origin)
			switch {
			case len(out) == Max:
				return out, nil
			case len(shown) == maxEach || shown[event]:
				continue
			}
			shown[event] = true
			p, err := locate(ctx, s, f.Path, e, tools)
			if err != nil {
				return nil, err
			}
			out = append(out, p)
		}
	}
	return out, nil
}

// telling returns the evidence that helps a person: the value as a whole, or most of it, in whole
// words. A path has its directories in common with a hundred others.
func telling(value string, evidence []remit.Evidence) []remit.Evidence {
	out := slices.DeleteFunc(slices.Clone(evidence), func(e remit.Evidence) bool {
		from, to := e.ValueStart, e.ValueEnd
		if e.Vouches || from < 0 || from > to || to > len(value) {
			return false
		}
		most := 3*(to-from) >= 2*len(value) || to-from >= longPiece
		return !most || within(value, from) || within(value, to) || directory(value, to)
	})
	slices.SortStableFunc(out, func(a, b remit.Evidence) int {
		if a.Vouches != b.Vouches {
			if a.Vouches {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.Trust, b.Trust), cmp.Compare(b.ValueEnd-b.ValueStart, a.ValueEnd-a.ValueStart))
	})
	return out
}

// longPiece is the length in bytes from which a piece of a value is not there by chance.
const longPiece = 40

// directory reports whether a piece of a path ends above the file that the path names.
func directory(value string, to int) bool {
	rooted := strings.HasPrefix(value, "/") || strings.HasPrefix(value, "~/") || strings.HasPrefix(value, "./")
	return rooted && to < len(value) && to <= strings.LastIndexByte(value, '/')+1
}

// within reports whether a place in a text is inside of a word.
func within(s string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at:])
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return at > 0 && at < len(s) && word(before) && word(after)
}

// locate finds the text around a piece of evidence, the tool that returned it or that the
// model called with it, and the record that it is of.
func locate(ctx context.Context, s Session, path string, e remit.Evidence, tools map[string]string) (Place, error) {
	p := Place{Path: path, Origin: e.Origin, Trust: e.Trust, Vouches: e.Vouches, Text: e.Text}
	text, ok, err := s.Text(ctx, e.Origin)
	if err != nil {
		return p, err
	}
	if ok && e.Start >= 0 && e.Start <= e.End && e.End <= len(text) {
		p.Before = text[runeStart(text, e.Start-MaxText):e.Start]
		p.After = text[e.End:max(e.End, runeStart(text, e.End+MaxText))]
	}

	event, field := eventOf(e.Origin)
	call, isResult := strings.CutPrefix(event, "result:")
	if !isResult {
		if call, p.Written = strings.CutPrefix(event, "call:"); !p.Written {
			return p, nil
		}
	}
	name, known := tools[call]
	if !known {
		// A call that the log doesn't know has no name to show.
		if d, err := s.Last(ctx, call); err == nil {
			name = d.Tool
		}
		tools[call] = name
	}
	p.Tool = name
	if p.Written {
		return p, nil
	}
	if field != "" {
		whole, ok, err := s.Text(ctx, event)
		if err != nil || !ok {
			return p, err
		}
		p.Record = record(whole, field)
		return p, nil
	}
	if ok {
		p.Record = recordAt(text, e)
	}
	return p, nil
}

// eventOf splits the origin of a piece of evidence into the event and the field of
// its result. A result that has both a text and a structure is one event. The id of a call may
// have the sign that divides them; a field is a pointer, which begins with a stroke.
func eventOf(origin string) (event, field string) {
	event, field = strings.TrimSuffix(origin, "#"), ""
	if at := strings.Index(origin, "#/"); at >= 0 {
		event, field = origin[:at], origin[at+1:]
	}
	return strings.TrimSuffix(event, "/structured"), field
}

// record returns the members of the object that has a field of a result.
func record(text, field string) []Member {
	doc, err := strictjson.Parse([]byte(text), strictjson.OutputLimits())
	if err != nil {
		return nil
	}
	return members(doc, field)
}

// recordAt is [record] for a result that is JSON in a text: of the member which the
// evidence is, or else of the first one that has the same value as a whole.
func recordAt(text string, e remit.Evidence) []Member {
	doc, err := strictjson.Parse([]byte(text), strictjson.OutputLimits())
	if err != nil {
		return nil
	}

	field := ""
	for _, l := range doc.Leaves() {
		if l.Text != e.Text {
			continue
		}
		if l.Start <= e.Start && e.End <= l.End {
			return members(doc, l.Pointer)
		}
		if field == "" {
			field = l.Pointer
		}
	}
	if field == "" {
		return nil
	}
	return members(doc, field)
}

func members(doc *strictjson.Document, field string) []Member {
	above := field[:max(0, strings.LastIndexByte(field, '/'))]
	var out []Member
	for _, l := range doc.Leaves() {
		name, ok := strings.CutPrefix(l.Pointer, above+"/")
		if !ok || l.Pointer == field || strings.Contains(name, "/") {
			continue
		}
		if len(out) == maxRecord {
			break
		}
		value := l.Text
		if len(value) > maxMember {
			value = value[:runeStart(value, maxMember)] + "…"
		}
		out = append(out, Member{strictjson.UnescapeToken(name), value})
	}
	return out
}

// runeStart returns the nearest place at or before n where a character begins. Bytes
// that are not text are cut anywhere.
func runeStart(s string, n int) int {
	n = min(max(n, 0), len(s))
	for i := n; i > 0 && i > n-utf8.UTFMax; i-- {
		if i == len(s) || utf8.RuneStart(s[i]) {
			return i
		}
	}
	return n
}
