package provenance

import (
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

// procedureOf is one of the procedures of a result.
type procedureOf struct{ event, procedure int32 }

// namedRecord returns the record that the user named by the fields that a
// procedure asks for: a value of such a field appears in the user's words, is not
// external, and is in no other record of the result. It is looked for once a
// decision.
func (s *Session) namedRecord(of procedureOf) (record string, ok bool) {
	if found, ok := s.memo.named[of]; ok {
		return found, found != ""
	}
	defer func() { s.memo.named = remember(s.memo.named, of, record) }()

	out := s.events[of.event].out
	by := out.spec.Certify[of.procedure].By
	for i, leaf := range out.doc.Leaves() {
		if !s.work.spend(candidateWork) {
			return "", false
		}
		if !isScalar(leaf) || !by(leaf.Pointer) {
			continue
		}
		if l, _, _ := s.fieldLabel(fieldRef{event: of.event, leaf: int32(i)}); l.Trust < label.ToolOutput || !s.userSaid(leaf) {
			continue
		}
		own := recordPrefix(leaf.Pointer)
		if record != "" && record != own {
			return "", false
		}
		record = own
	}
	return record, record != ""
}

// pickedByName reports whether a field is in the one record of a result that has what the
// user said, such as "the booking of B-AB 123", and returns that. Others may have written
// it, so that it picks no record as soon as another one has the same words in it.
func (s *Session) pickedByName(ref fieldRef, pointer string, n name) (key string, ok bool) {
	out := s.events[ref.event].out
	if out.narrowed || len(out.by) > 0 {
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
		if !mine || !s.userSaid(leaf) {
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
// an address, or a name.
func (s *Session) userSaid(leaf strictjson.Leaf) bool {
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
		if r, ok := find(leaf.Text); ok && r.Label.Obligations == 0 && len(leaf.Text) >= 4 {
			return true
		}
	}
	return false
}
