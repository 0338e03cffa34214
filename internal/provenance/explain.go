package provenance

import (
	"strings"

	"github.com/remit-project/remit/internal/provenance/atom"
	"github.com/remit-project/remit/internal/provenance/index"
	"github.com/remit-project/remit/label"
)

// explain finds where a value that nothing vouches for, or its pieces, appear.
// It is wide and only illustrates: no label depends on what it finds.
func (s *Session) explain(v *Value, fuel *int) []label.Evidence {
	text := v.Text
	if len(text) < 2 || *fuel <= 0 {
		return nil
	}

	x := explanation{s: s, value: text}
	if len(text) <= maxExplainedWhole {
		*fuel -= len(text)
		matches, _ := s.wide.Some(text, 4*maxWholePlaces, fuel)
		for _, m := range matches[:min(len(matches), maxWholePlaces)] {
			x.add(m)
		}
	}
	if len(x.out) == 0 {
		x.pieces(0, min(len(text), maxExplainedPieces), fuel)
		x.pieces(max(maxExplainedPieces, len(text)-maxExplainedPieces), len(text), fuel)
	}
	if !v.Brief && !x.complete() {
		x.words(fuel)
	}
	return x.out
}

// pieces shows where the pieces of a part of the value appear.
func (x *explanation) pieces(start, end int, fuel *int) {
	if start >= end {
		return
	}
	tank := min(*fuel, maxPiecesFuel)
	*fuel -= tank
	matches, _ := x.s.wide.Cover(x.value[start:end], &tank)
	*fuel += tank
	for _, m := range matches {
		m.ValueStart, m.ValueEnd = m.ValueStart+start, m.ValueEnd+start
		x.add(m)
	}
}

// complete reports whether a result has all of the value: its words say no more.
func (x *explanation) complete() bool {
	for i, e := range x.out {
		if x.s.events[x.shown[i]].out != nil && e.ValueStart == 0 && e.ValueEnd == len(x.value) {
			return true
		}
	}
	return false
}

// Bounds of an explanation.
const (
	// maxExplainedWhole is the longest value that is looked for as a whole in
	// every text, in bytes; of a longer one the pieces are shown.
	maxExplainedWhole = 256
	// maxWholePlaces is how many texts that have a whole value are shown.
	maxWholePlaces = 4
	// maxExplainedPieces is how much of a long value is looked for piece by
	// piece, in bytes from its beginning and to its end: what is shown of a
	// value are a few dozen pieces.
	maxExplainedPieces = 8 << 10
	// maxPiecesFuel is how many comparisons that may cost: text that was copied
	// needs few, and text that was not has little to show.
	maxPiecesFuel = 20 << 10
	// maxWordPlaces is how many places of a word are looked at.
	maxWordPlaces = 8
	// maxExplainedWords is how many words of a value are looked for one by one.
	maxExplainedWords = 4
)

type explanation struct {
	s     *Session
	value string
	out   []label.Evidence
	shown []uint32 // the events of out
}

func (x *explanation) has(event uint32) bool {
	for _, e := range x.shown {
		if e == event {
			return true
		}
	}
	return false
}

func (x *explanation) add(m index.Match) {
	e := &x.s.events[m.Seg]
	if len(x.out) >= maxPieces || m.End > len(e.text) || m.Start > m.End {
		return
	}
	x.shown = append(x.shown, m.Seg)
	x.out = append(x.out, label.Evidence{
		Origin: e.name, Trust: e.label.Trust, Start: m.Start, End: m.End,
		ValueStart: m.ValueStart, ValueEnd: m.ValueEnd, Text: e.text[m.Start:m.End],
	})
}

// words looks for the telling words of a value in texts that are not shown yet:
// the file in a path of the user's, the search word in a URL.
func (x *explanation) words(fuel *int) {
	n := 0
	for start, end := range atom.Words(x.value) {
		if end-start < 4 || end-start > 64 {
			continue
		}
		w := strings.ToLower(x.value[start:end])
		if vocabulary().Starters.Has(w) || x.covers(start, end) {
			continue
		}
		if n++; n > maxExplainedWords || *fuel <= 0 {
			return
		}

		*fuel -= end - start
		if list := x.s.vouch.words[w]; len(list) > 0 {
			x.vouching(list, start, end)
		}
		matches, _ := x.s.wide.Some(w, maxWordPlaces, fuel)
		known := len(matches) == 0
		for _, m := range matches {
			known = known || (x.has(m.Seg) && x.s.events[m.Seg].out != nil)
		}
		if known {
			continue
		}

		for _, m := range matches {
			if x.s.events[m.Seg].out != nil {
				m.ValueStart, m.ValueEnd = start, end
				x.add(m)
				break
			}
		}
	}
}

// covers reports whether a result that is shown has a part of the value.
func (x *explanation) covers(start, end int) bool {
	for i, e := range x.out {
		if e.ValueStart <= start && end <= e.ValueEnd && x.s.events[x.shown[i]].out != nil {
			return true
		}
	}
	return false
}

// vouching shows a word of the user's, once for each of the user's texts.
func (x *explanation) vouching(list []position, start, end int) {
	p := list[0]
	event := x.s.vouch.sources[p.source].event
	if x.has(uint32(event)) || len(x.out) >= maxPieces {
		return
	}
	e := &x.s.events[event]
	x.shown = append(x.shown, uint32(event))
	x.out = append(x.out, label.Evidence{
		Origin: e.name, Trust: e.label.Trust, Start: int(p.start), End: int(p.end),
		ValueStart: start, ValueEnd: end, Text: e.text[p.start:p.end],
	})
}

// Whole reports whether a piece of evidence is by itself in its text: a part of a
// longer word may be found or not, as the index happens to sample.
func (s *Session) Whole(e label.Evidence) bool {
	text, ok := s.Text(e.Origin)
	return ok && e.Start >= 0 && e.End <= len(text) && atom.IsBounded(text, e.Start, e.End)
}
