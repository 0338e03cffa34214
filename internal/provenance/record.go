package provenance

import (
	"strings"

	"github.com/remit-project/remit/internal/provenance/atom"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

func (s *Session) fieldOffers(ref fieldRef, pointer string, n name, l label.Label) []Offer {
	if ref.leaf < 0 {
		return nil
	}
	out := s.events[ref.event].out
	var certs []Offer
	for i, c := range out.spec.Certify {
		everyone := c.Procedure == "directory" && vocabulary().Memberships.In(out.words) && s.saysEveryone(c.Key)
		another := c.Unique && !everyone && !out.only(pointer, i)
		if another || !c.Field(pointer) {
			continue
		}

		if c.By != nil && !s.namedRecords(procedureOf{ref.event, int32(i)})[recordPrefix(pointer)] {
			continue
		}
		certs = append(certs, Offer{Procedure: c.Procedure, Basis: c.Basis, Key: c.Key, Roles: c.Roles, Max: c.Max})
	}

	// The user's superlative picks a record, by the name that the service gave
	// it. Others may have written the other fields of the record.
	if l.Trust >= label.ToolOutput && vocabulary().IdentifierNames.In(s.name(pointer, "").last) {
		if basis, ok := s.pickedBySuperlative(ref, pointer); ok {
			certs = append(certs, Offer{Procedure: "lookup", Basis: basis, Roles: label.RolesOf(label.Selector, label.Target), Max: label.User})
		}
		if key, ok := s.pickedByOrdinal(ref, pointer, n); ok {
			certs = append(certs, Offer{Procedure: "lookup", Basis: "the " + key + " record of the list, as the user said", Key: key, Roles: label.RolesOf(label.Selector), Max: label.User})
		}
		if key, ok := s.pickedByName(ref, pointer, n); ok {
			certs = append(certs, Offer{Procedure: "lookup", Basis: "the only record of the list with what the user said", Key: key, Roles: label.RolesOf(label.Selector), Max: label.User})
		}
	}
	return certs
}

// findKeyed finds, for each procedure that asks for it, the record that its key
// names. Only what a record is called counts: its author may have put anything into
// the other fields. It is done once, when the result comes in.
func (o *output) findKeyed(s *Session) {
	o.keyed = make([]string, len(o.spec.Certify))
	for i, c := range o.spec.Certify {
		if !c.Unique || len(c.Key) < 2 {
			continue
		}
		if c.Exact {
			o.keyed[i] = o.sole(c.Field)
			continue
		}
		record, n := o.called(s, func(text string) bool { return strings.EqualFold(text, c.Key) })
		if n == 0 && o.records == 1 {
			// In a list, only a whole name distinguishes one from the others.
			record, n = o.called(s, func(text string) bool { return hasWords(text, c.Key) })
		}
		if n == 1 {
			o.keyed[i] = record
		}
	}
}

// sole returns the only record of a result, by a field of it; empty if there are several.
func (o *output) sole(field func(pointer string) bool) string {
	if o.records != 1 {
		return ""
	}
	for _, leaf := range o.doc.Leaves() {
		if field(leaf.Pointer) {
			return recordPrefix(leaf.Pointer)
		}
	}
	return ""
}

// called returns a record of which a name, a title or an address matches, and
// whether there is none, one or more (2).
func (o *output) called(s *Session, matches func(string) bool) (record string, n int) {
	for _, leaf := range o.doc.Leaves() {
		if leaf.Kind != strictjson.String || !vocabulary().NameWords.In(s.name(leaf.Pointer, "").last) || !matches(leaf.Text) {
			continue
		}
		own := recordPrefix(leaf.Pointer)
		if own == leaf.Pointer {
			own = "/" // the result is the record
		}
		if n > 0 && own != record {
			return "", 2
		}
		record, n = own, 1
	}
	return record, n
}

// hasWords reports whether a text has another as whole words, however they are
// joined: "grocery-list.docx" has "grocery list".
func hasWords(text, key string) bool {
	key = spaced(key)
	return key != " " && strings.Contains(spaced(text), key)
}

// spaced puts one blank between the words of a text, and around them.
func spaced(text string) string {
	var b strings.Builder
	b.WriteByte(' ')
	for start, end := range atom.Words(text) {
		b.WriteString(strings.ToLower(text[start:end]))
		b.WriteByte(' ')
	}
	return b.String()
}

// only reports whether a field is in the record that the key of a procedure
// names.
func (o *output) only(pointer string, procedure int) bool {
	own := o.keyed[procedure]
	return own != "" && isWithin(pointer, own)
}

// saysEveryone reports whether the user spoke of all people that belong to a key,
// in one sentence with it: "every member of the launch channel". Then each
// record that the key led to was asked for. "All messages in launch" asks for
// no people.
func (s *Session) saysEveryone(key string) bool {
	for _, o := range s.vouch.find(key, true) {
		if s.vouch.isNegated(o) {
			continue
		}
		left, right := s.vouch.around(o, 16, 16)
		if speaksOfAll(left) || speaksOfAll(right) {
			return true
		}
	}
	return false
}

// speaksOfAll reports whether words speak of all people of a group.
func speaksOfAll(list []string) bool {
	for i, w := range list {
		if vocabulary().Everybody.Has(w) {
			return true
		}
		if !vocabulary().Universal.Has(w) {
			continue
		}
		for _, next := range list[i+1 : min(i+4, len(list))] {
			if vocabulary().People.Has(stem(next)) || vocabulary().People.Has(next) {
				return true
			}
		}
	}
	return false
}

// isWithin reports whether a pointer leads into the record at a prefix, which ends
// with a slash.
func isWithin(pointer, prefix string) bool { return strings.HasPrefix(pointer, prefix) }

// maxRecordFields is how many fields of a record are asked whether the user
// named it by them, to each side of the field in question.
const maxRecordFields = 64

// Chosen reports whether a value, or a part of it, was picked out of several
// records of a result without the user's words saying which: then an author of
// text that the model read may have done the picking. A record is the user's choice
// when it is the only one, or when one of its other fields appears in the user's
// text, or has what the user put in quotes.
func (s *Session) Chosen(act Act, r Resolution) bool {
	for _, ref := range r.refs {
		if s.isChosen(act, ref) {
			return true
		}
	}
	return s.work.spent()
}

func (s *Session) isChosen(act Act, ref fieldRef) bool {
	out := s.events[ref.event].out
	if ref.leaf < 0 {
		return true
	}
	for _, key := range out.by {
		if q := (query{s: s, act: act}); !q.isKeyRequested(key) {
			return true
		}
	}
	if out.records <= 1 && !out.narrowed {
		return false
	}

	leaves := out.doc.Leaves()
	prefix := recordPrefix(leaves[ref.leaf].Pointer)
	// Records lie together; walk outwards from the field.
	for i := int(ref.leaf) - 1; i >= max(0, int(ref.leaf)-maxRecordFields) && isWithin(leaves[i].Pointer, prefix); i-- {
		if s.isSaidByUser(leaves[i].Text) {
			return false
		}
	}
	for i := int(ref.leaf) + 1; i < min(len(leaves), int(ref.leaf)+maxRecordFields) && isWithin(leaves[i].Pointer, prefix); i++ {
		if s.isSaidByUser(leaves[i].Text) {
			return false
		}
	}
	return true
}

// recordPrefix cuts a pointer after its first list index.
func recordPrefix(pointer string) string {
	for i := 1; i < len(pointer); {
		end := strings.IndexByte(pointer[i:], '/')
		if end < 0 {
			return pointer
		}
		if isIndex(pointer[i : i+end]) {
			return pointer[:i+end+1]
		}
		i += end + 1
	}
	return pointer
}

// isSaidByUser reports whether a field names its record in the user's own words.
func (s *Session) isSaidByUser(text string) bool {
	if len(text) < 3 || len(text) > maxFieldText || numberShape(text) || !s.work.spend(fieldWork+len(text)) {
		return false
	}

	n, telling := tellingWords(text)
	if telling && n < 32 && len(s.vouch.find(text, true)) > 0 {
		return true
	}
	if quoted, ok := s.hasQuoted(text); quoted || !ok {
		return quoted
	}
	return telling && n <= 6 && s.saidWords(text)
}

// hasQuoted reports whether a text has what the user put in quotes. It is not ok
// where no steps are left.
func (s *Session) hasQuoted(text string) (found, ok bool) {
	lower := strings.ToLower(text)
	for i := range s.vouch.sources {
		for _, q := range s.vouch.sources[i].quoted {
			if !s.work.spend(len(text)) {
				return false, false
			}
			if strings.Contains(lower, q) {
				return true, true
			}
		}
	}
	return false, true
}

// saidWords reports whether the user said all words of a name, in whatever order.
func (s *Session) saidWords(text string) bool {
	for start, end := range atom.Words(text) {
		w := strings.ToLower(text[start:end])
		if len(w) < 3 || len(s.vouch.words[w]) == 0 {
			return false
		}
	}
	return true
}

// tellingWords counts the words of a field and reports whether one of them is
// neither ordinary nor the name of a state.
func tellingWords(text string) (n int, telling bool) {
	for start, end := range atom.Words(text) {
		if n++; n > 32 {
			return n, true
		}
		w := strings.ToLower(text[start:end])
		telling = telling || (len(w) > 2 && !vocabulary().Starters.Has(w) && !vocabulary().States.Has(w))
	}
	return n, telling
}
