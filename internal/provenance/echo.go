package provenance

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/provenance/normal"
	"github.com/remit-project/remit/label"
)

// lowerEcho lowers a field that repeats something lower: an argument of the
// call that produced it, what an earlier call wrote, or, where the contract
// doesn't name the field, text that was seen earlier in the session with less
// trust. A text that was written through a tool and is read back keeps its label that
// way. Later texts don't count: the service can't have copied them, and a
// label that others could still lower would make a decision depend on what
// follows it.
func (s *Session) lowerEcho(l label.Label, event int32, text string, explicit bool) (_ label.Label, written bool) {
	if !s.work.spend(fieldWork + len(text)) {
		return label.Merge(l, s.Ambient()), true
	}
	for _, by := range s.writtenBefore(event, text) {
		l, written = mergeLower(l, by, written)
	}
	if len(text) < minEcho {
		return l, written
	}

	for _, a := range s.events[event].out.argText {
		if !s.work.spend(len(text) + len(a.text)) {
			return label.Merge(l, s.Ambient()), true
		}
		if strings.Contains(text, a.text) || strings.Contains(a.text, text) {
			l, written = mergeLower(l, a.label, written)
		}
	}
	for _, seg := range s.wroteWith(text) {
		if seg < uint32(event) {
			l, written = mergeLower(l, s.events[seg].label, written)
		}
	}
	if explicit || l.Trust == label.External {
		return l, written
	}

	s.work.spend(decodeWork * len(text))
	l = s.lowerSeen(l, event, text)
	// A text that a service encoded is still the one that it was given.
	for _, view := range normal.Decode(text) {
		if len(view.Text) >= minEcho {
			l = s.lowerSeen(l, event, view.Text)
		}
	}
	if plain, ok := decodedWhole(text); ok {
		l = s.lowerSeen(l, event, plain)
	}
	return l, written
}

// mergeLower merges a lower label into a field's, and reports whether the field has now
// repeated something that the user does not vouch for.
func mergeLower(l, by label.Label, written bool) (label.Label, bool) {
	if by.Trust < l.Trust {
		l = label.Merge(l, by)
	}
	return l, written || by.Trust < label.User
}

// writtenBefore returns the labels of the short values that the model wrote before an
// event, and that a text is or has.
func (s *Session) writtenBefore(event int32, text string) []label.Label {
	if len(s.written) == 0 {
		return nil
	}

	var out []label.Label
	if w, ok := s.written[fieldKey(text)]; ok && w.before <= event {
		out = append(out, w.label)
	}
	for atom := range firstAtoms(text) {
		if w, ok := s.written[atom]; ok && w.before <= event && typedAtom(atom) {
			out = append(out, w.label)
		}
	}
	return out
}

// decodedWhole decodes a field that is base64 or hexadecimal digits as a whole:
// [normal.Decode] takes short ones for noise, as in running text they are.
func decodedWhole(text string) (string, bool) {
	bare := strings.TrimRight(text, "=")
	for _, decode := range [...]func(string) ([]byte, error){
		hex.DecodeString, base64.RawStdEncoding.DecodeString, base64.RawURLEncoding.DecodeString,
	} {
		b, err := decode(bare)
		if err == nil && len(b) >= minEcho && utf8.Valid(b) && !bytes.ContainsFunc(b, unicode.IsControl) {
			return string(b), true
		}
	}
	return "", false
}

// lowerSeen lowers the label of a field to that of the texts before it that
// have its text.
func (s *Session) lowerSeen(l label.Label, event int32, text string) label.Label {
	segments, overflow := s.wide.Segments(text, &s.work.left)
	if overflow {
		return label.Merge(l, s.Ambient()) // any text may have it
	}
	for _, seg := range segments {
		if o := &s.events[seg]; seg < uint32(event) && o.label.Trust < l.Trust {
			l = label.Merge(l, o.label)
		}
	}
	return l
}

// wroteWith returns the events in which the model wrote a text, or an address or
// another whole value that the text has, through a call.
func (s *Session) wroteWith(text string) []uint32 {
	if s.writes == 0 {
		return nil
	}

	fuel := min(maxFieldFuel, max(0, s.work.left))
	tank := fuel
	segments, overflow := s.own.Segments(text, &s.work.left)
	matches, truncated := s.own.Cover(text, &fuel)
	s.work.spend(tank - fuel)
	for _, m := range matches {
		if m.Start == 0 && m.End == len(s.events[m.Seg].text) {
			segments = append(segments, m.Seg)
		}
	}
	for atom := range firstAtoms(text) {
		if len(atom) >= minEcho && len(atom) < len(text) && typedAtom(atom) {
			more, out := s.own.Segments(atom, &s.work.left)
			segments, overflow = append(segments, more...), overflow || out
		}
	}

	if overflow || truncated {
		// Too frequent to tell: it may be any of them.
		s.work.spend(candidateWork * len(s.events))
		for i := range s.events {
			if s.events[i].written {
				segments = append(segments, uint32(i))
			}
		}
	}
	return segments
}
