package provenance

import (
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/strictjson"
)

// namedRecord tells whether the user named the record that a field stands in by
// another field of it: a value of that field stands in the user's words, is not
// external, and stands in no other record of the result.
func (s *Session) namedRecord(ref fieldRef, pointer string, by func(string) bool) bool {
	out := s.events[ref.event].out
	own := recordPrefix(pointer)
	named := false
	for i, leaf := range out.doc.Leaves() {
		if leaf.Kind != strictjson.String && leaf.Kind != strictjson.Number || !by(leaf.Pointer) {
			continue
		}
		if l, _, _ := s.fieldLabel(fieldRef{event: ref.event, leaf: int32(i)}); l.Trust < label.ToolOutput || !s.userSaid(leaf) {
			continue
		}
		if recordPrefix(leaf.Pointer) != own {
			return false
		}
		named = true
	}
	return named
}

// userSaid tells whether the user's words hold the value of a field in a way
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
	for _, find := range [...]func(string) (Resolution, bool){q.exact, q.typed} {
		if r, ok := find(leaf.Text); ok && r.Label.Obligations == 0 && len(leaf.Text) >= 4 {
			return true
		}
	}
	return false
}
