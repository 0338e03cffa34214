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
