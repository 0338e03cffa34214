package provenance

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

// procedureOf is one of the procedures of a result.
type procedureOf struct{ event, procedure int32 }

// namedRecords returns the records that the user named by the fields that a procedure asks for: a
// value of such a field appears in the user's words, and is in no other record of the result. Of
// the records of a directory there may be several, each by its own name, which is not external:
// outsiders add none. In other results two that fit leave open which is meant, whatever their
// source. They are looked for once a decision.
func (s *Session) namedRecords(of procedureOf) map[string]bool {
	if found, ok := s.memo.named[of]; ok {
		return found
	}
	out := s.events[of.event].out
	certify := out.spec.Certify[of.procedure]
	directory := certify.Procedure == "directory"

	holders := map[string]string{} // the record that a value of the user's names
	named, several := map[string]bool{}, false
	for i, leaf := range out.doc.Leaves() {
		if !s.work.spend(candidateWork) {
			return nil
		}
		if !isScalar(leaf) || !certify.By(leaf.Pointer) {
			continue
		}
		if !s.mayName(fieldRef{event: of.event, leaf: int32(i)}, directory) || !s.userSaid(leaf, directory) {
			continue
		}

		own, key := recordPrefix(leaf.Pointer), strings.ToLower(leaf.Text)
		held, known := holders[key]
		if holders[key] = own; known && held != own {
			several = true
			delete(named, held)
			continue
		}
		named[own] = true
		several = several || len(named) > 1
	}

	if several && !directory {
		named = nil
	}
	s.memo.named = remember(s.memo.named, of, named)
	return named
}

// mayName reports whether a field may name its record: in a directory, one that no outsider
// wrote; elsewhere, one that doesn't repeat what the model wrote through a call with less trust.
func (s *Session) mayName(ref fieldRef, directory bool) bool {
	if directory {
		l, _, _ := s.fieldLabel(ref)
		return l.Trust >= label.ToolOutput
	}
	text := s.events[ref.event].out.doc.Leaves()[ref.leaf].Text
	l, _ := s.lowerEcho(label.Label{Trust: label.ToolOutput}, ref.event, text, true)
	return l.Trust >= label.ToolOutput
}

// pickedByName reports whether a field is in the one record of a result that has what the
// user said, such as "the booking of B-AB 123", and returns that. Others may have written
// it, so that it picks no record as soon as another one has the same words in it.
func (s *Session) pickedByName(ref fieldRef, pointer string, n name) (key string, ok bool) {
	out := s.events[ref.event].out
	if out.narrowed || out.partial || len(out.by) > 0 {
		return "", false // the model may have chosen what is in the list
	}
	if !sharesObject(n, out.words) {
		return "", false // notes on a car may hold anything that reads like a booking
	}
	picked, ok := s.memo.picked[ref.event]
	if !ok {
		picked = s.findPicked(ref.event)
		s.memo.picked = remember(s.memo.picked, ref.event, picked)
	}
	return picked.key, picked.key != "" && picked.record == recordOf(pointer)
}

// picked is a record of a result, and what the user called it.
type picked struct{ record, key string }

// findPicked finds the only record of a result that has what the user said.
func (s *Session) findPicked(event int32) (p picked) {
	leaves := s.events[event].out.doc.Leaves()
	if len(leaves) > maxPickedFields {
		return picked{}
	}
	for _, leaf := range leaves {
		if !s.work.spend(candidateWork) {
			return picked{}
		}
		mine := leaf.Kind == strictjson.String && len(leaf.Text) <= maxPickedName && recordOf(leaf.Pointer) != p.record
		if !mine || !s.userSaid(leaf, false) {
			continue
		}
		if p.key != "" {
			return picked{}
		}
		p = picked{recordOf(leaf.Pointer), leaf.Text}
	}
	if p.key == "" {
		return p
	}

	for _, leaf := range leaves {
		if !s.work.spend(candidateWork + len(leaf.Text)) {
			return picked{}
		}
		if recordOf(leaf.Pointer) != p.record && hasWords(leaf.Text, p.key) {
			return picked{}
		}
	}
	return p
}

// recordOf returns the prefix of the record that a field is in; "/" where the result is
// one record.
func recordOf(pointer string) string {
	if own := recordPrefix(pointer); own != pointer {
		return own
	}
	return "/"
}

const (
	// maxPickedFields bounds the fields of a result in which a record is looked for by what
	// the user called it.
	maxPickedFields = 5000
	// maxPickedName is the longest text that a record may be called by, in bytes.
	maxPickedName = 200
)

// userSaid reports whether the user's words have the value of a field in a way
// that can't be chance: a quantity with its decimals, unit or currency, a date,
// an address, or a name. The name of a record of a directory may be an ordinary word where
// the words next to it say that it names one thing.
func (s *Session) userSaid(leaf strictjson.Leaf, directory bool) bool {
	if key, ok := numberKey(leaf.Text); ok {
		for _, m := range s.vouch.numbers[key] {
			if m.marked {
				return true
			}
		}
		return false
	}

	q := query{s: s, v: Value{Kind: leaf.Kind, Text: leaf.Text}, n: s.name(leaf.Pointer, "")}
	for _, find := range [...]func(string) (Resolution, bool){q.resolveExact, q.resolveTyped} {
		r, ok := find(leaf.Text)
		if !ok || len(leaf.Text) < 4 {
			continue
		}
		if r.Label.Obligations == 0 {
			return true
		}
		ordinary := directory && r.Label.Obligations == label.LowInfo
		if ordinary && (s.namesOne(leaf.Text) || s.namesJoined(leaf.Text)) {
			return true
		}
	}
	return false
}

// namesJoined reports whether the user said words that are joined by a hyphen or an underscore in
// the place of a name, such as "Pause shop-staging": not after an article ("a follow-up"), and
// not before a noun ("read-only access").
func (s *Session) namesJoined(text string) bool {
	if i := strings.IndexAny(text, "-_"); i <= 0 || i == len(text)-1 {
		return false
	}
	return slices.ContainsFunc(s.vouch.find(text, true), func(o occurrence) bool {
		left, right := s.vouch.around(o, 1, 1)
		if len(left) == 0 || vocabulary().Picking.Has(left[0]) || vocabulary().Possessives.Has(left[0]) || s.vouch.isNegated(o) {
			return false
		}
		return len(right) == 0 || vocabulary().Fronting.Has(right[0]) || requests().marks[right[0]] != 0
	})
}

// namesOne reports whether a word names one thing where the user said it.
func (s *Session) namesOne(text string) bool {
	return slices.ContainsFunc(s.vouch.find(text, true), func(o occurrence) bool { return !s.vouch.isNegated(o) && s.vouch.namesOne(o) })
}
