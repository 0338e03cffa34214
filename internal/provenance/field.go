package provenance

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"hash/maphash"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/provenance/normal"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

// Bounds of the field index.
const (
	// maxFields is how many fields of one result are indexed; the rest vouch
	// for nothing.
	maxFields = 50_000
	// maxFieldText is the longest field that is looked up as a whole, in bytes.
	// A longer one is a text, not a value.
	maxFieldText = 1024
	// maxFieldRefs is how many fields with the same value are looked at.
	maxFieldRefs = 16
	// maxCells is how many lines and cells of an unstructured result count as
	// fields.
	maxCells = 4096
	// shortValue is the length below which a value says nothing by itself: it
	// vouches only as a field of the right kind.
	shortValue = 8
	// maxFieldFuel is what it may cost to find own writes in a field.
	maxFieldFuel = 100_000
)

// fieldRef is one field of a result. A leaf of -1 is a cell of an unstructured
// result, at start and end of the event's text.
type fieldRef struct {
	event, leaf int32
	start, end  int32
	next        int32 // the field before it with the same key, from one on
}

// fieldIndex finds fields by their text. It keeps a hash of each, twenty-odd
// bytes in all, and the text is compared in its result. The seed is secret,
// so that an attacker can't make keys that collide.
type fieldIndex struct {
	seed  maphash.Seed
	heads map[uint64]int32 // the latest field of a key, from one on
	refs  []fieldRef
}

func newFieldIndex() fieldIndex {
	return fieldIndex{seed: maphash.MakeSeed(), heads: map[uint64]int32{}}
}

func (x *fieldIndex) add(text string, ref fieldRef) {
	h := maphash.String(x.seed, fieldKey(text))
	ref.next = x.heads[h]
	x.refs = append(x.refs, ref)
	x.heads[h] = int32(len(x.refs))
}

// find calls f with the latest fields of a text, the ones that a model works
// with, up to [maxFieldRefs] of them.
func (x *fieldIndex) find(text string, f func(fieldRef)) {
	next := x.heads[maphash.String(x.seed, fieldKey(text))]
	for n := 0; next > 0 && n < maxFieldRefs; n++ {
		ref := x.refs[next-1]
		next = ref.next
		f(ref)
	}
}

func fieldKey(text string) string {
	if key, ok := numberKey(text); ok {
		return key
	}
	return text
}

func (s *Session) addFields(event int, out *output) {
	for i, leaf := range out.doc.Leaves() {
		if i == maxFields {
			return
		}
		if isScalar(leaf) && leaf.Text != "" && len(leaf.Text) <= maxFieldText {
			s.fields.add(leaf.Text, fieldRef{event: int32(event), leaf: int32(i)})
		}
	}
}

// isScalar reports whether a leaf is a string or a number.
func isScalar(leaf strictjson.Leaf) bool {
	return leaf.Kind == strictjson.String || leaf.Kind == strictjson.Number
}

// addCells makes the lines of an unstructured result, and the columns of its
// tables, fields. It is done only for results of which no part is external:
// an author of one line of a text may write them all.
func (s *Session) addCells(event int, text string) {
	n := 0
	add := func(start, end int) {
		for start < end && strings.IndexByte(" \t\r-*•", text[start]) >= 0 {
			start++
		}
		for end > start && strings.IndexByte(" \t\r", text[end-1]) >= 0 {
			end--
		}
		if n == maxCells || end-start < 2 || end-start > maxFieldText {
			return
		}
		n++
		s.fields.add(text[start:end], fieldRef{event: int32(event), leaf: -1, start: int32(start), end: int32(end)})
	}

	for start := 0; start < len(text) && n < maxCells; {
		end := lineEnd(text, start)
		add(start, end)
		if i := strings.Index(text[start:end], ": "); i > 0 {
			add(start+i+2, end) // what a line says of its key
		}

		cell := start
		for i := start; i <= end; i++ {
			if i < end && !dividesCells(text, cell, i, end) {
				continue
			}
			if cell > start || i < end {
				add(cell, i)
			}
			cell = i + 1
		}
		start = end + 1
	}
}

// dividesCells reports whether a column of a line ends at i: at a tab, a bar, two
// blanks, or a blank behind a bracket.
func dividesCells(text string, cell, i, end int) bool {
	switch text[i] {
	case '\t', '|':
		return true
	case ' ':
		twoBlanks := i+1 < end && text[i+1] == ' '
		behindBracket := i > cell && text[i-1] == ']'
		return twoBlanks || behindBracket
	}
	return false
}

// fieldLabel returns the label of a field, after everything that may lower it.
func (s *Session) fieldLabel(ref fieldRef) (l label.Label, pointer, text string) {
	l, pointer, text, _ = s.fieldOf(ref)
	return l, pointer, text
}

// fieldOf is fieldLabel, and reports whether the field repeats what the model
// wrote through a call with less trust: then no procedure vouches for it.
func (s *Session) fieldOf(ref fieldRef) (l label.Label, pointer, text string, written bool) {
	e := &s.events[ref.event]
	l = label.Label{Origins: e.label.Origins, Trust: e.out.floor}
	if ref.leaf < 0 {
		text = e.text[ref.start:ref.end]
		l, written = s.lowerEcho(l, ref.event, text, false)
		return l, "", text, written
	}
	leaf := e.out.doc.Leaves()[ref.leaf]
	explicit := false
	if e.out.spec.Field != nil {
		if t, ok := e.out.spec.Field(leaf.Pointer); ok {
			// A field that the contract names has its trust in a derived result
			// too: the id of a new file is the service's, whatever is in the file.
			l.Trust, explicit = t, true
		}
	}
	l, written = s.lowerEcho(l, ref.event, leaf.Text, explicit)
	return l, leaf.Pointer, leaf.Text, written
}

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
		l, written = lowered(l, by, written)
	}
	if len(text) < minEcho {
		return l, written
	}

	for _, a := range s.events[event].out.argText {
		if !s.work.spend(len(text) + len(a.text)) {
			return label.Merge(l, s.Ambient()), true
		}
		if strings.Contains(text, a.text) || strings.Contains(a.text, text) {
			l, written = lowered(l, a.label, written)
		}
	}
	for _, seg := range s.wroteWith(text) {
		if seg < uint32(event) {
			l, written = lowered(l, s.events[seg].label, written)
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

// lowered merges a lower label into a field's, and reports whether the field has now
// repeated something that the user does not vouch for.
func lowered(l, by label.Label, written bool) (label.Label, bool) {
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

// firstAtoms yields the first atoms of a text, without the punctuation of the
// sentence.
func firstAtoms(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		n := 0
		for start, end := range atoms(text) {
			if n++; n > maxPieces || !yield(strings.TrimRight(text[start:end], ".,!?:;")) {
				return
			}
		}
	}
}

// field looks a whole value up among the fields of results.
func (s *Session) field(v Value, n name) (Resolution, bool) {
	key, numeric := numberKey(v.Text)
	short := len(v.Text) < shortValue || numeric
	var best Resolution
	found := false
	s.fields.find(v.Text, func(ref fieldRef) {
		if !s.work.spend(fieldWork + len(v.Text)) {
			return
		}
		pointer, text := s.fieldText(ref)
		if text != v.Text && (!numeric || fieldKey(text) != key) {
			return // another text with the same hash
		}
		right := s.rightKind(ref, pointer, n)
		if short && !right && (numeric || !s.certifiedItem(ref, pointer)) {
			return
		}
		l, _, _, written := s.fieldOf(ref)

		r := Resolution{Label: l, How: "field", Witness: true, refs: []fieldRef{ref}, numeric: numeric}
		r.Evidence = []label.Evidence{s.fieldEvidence(ref, pointer, text, v.Text)}
		r.Evidence[0].Trust = l.Trust // of the field, not of the whole result
		if !written {
			r.Offers = s.fieldOffers(ref, pointer, l)
		}
		r.right = right
		if !found || better(r, best) {
			r.Offers = append(r.Offers, best.Offers...)
			best = r
		} else {
			best.Offers = append(best.Offers, r.Offers...)
		}
		found = true
	})
	return best, found
}

// certifiedItem reports whether a field is an item of a plain list that a
// procedure may vouch for: there is no name that could tell its kind, but the
// contract says which roles it serves.
func (s *Session) certifiedItem(ref fieldRef, pointer string) bool {
	return ref.leaf >= 0 && len(s.name(pointer, "").last) == 0 &&
		slices.ContainsFunc(s.events[ref.event].out.spec.Certify, func(c Certify) bool { return c.Field(pointer) })
}

// fieldText returns the pointer of a field in its document, and its text.
func (s *Session) fieldText(ref fieldRef) (pointer, text string) {
	e := &s.events[ref.event]
	if ref.leaf < 0 {
		return "", e.text[ref.start:ref.end]
	}
	leaf := &e.out.doc.Leaves()[ref.leaf]
	return leaf.Pointer, leaf.Text
}

func better(a, b Resolution) bool {
	if a.Label.Trust != b.Label.Trust {
		return a.Label.Trust > b.Label.Trust
	}
	return a.right && !b.right
}

func (s *Session) fieldEvidence(ref fieldRef, pointer, text, value string) label.Evidence {
	ev := label.Evidence{Origin: s.events[ref.event].name, Trust: s.events[ref.event].label.Trust, ValueEnd: len(value), Text: text, Vouches: true}
	if ref.leaf < 0 {
		ev.Start, ev.End = int(ref.start), int(ref.end)
		return ev
	}
	ev.Origin += "#" + pointer
	ev.End = len(text)
	return ev
}

// rightKind reports whether a field is of the kind that an argument asks for: the
// same word in both names, and, for an identifier, the same object, named by
// the field, by what contains it, or by the tool that returned it.
func (s *Session) rightKind(ref fieldRef, pointer string, n name) bool {
	out := s.events[ref.event].out
	if ref.leaf < 0 {
		return sharesObject(n, out.words)
	}
	f := s.name(pointer, "")
	if len(f.all) == 0 {
		return sharesObject(n, out.words) // a bare list
	}

	sameID := identifierNames.in(f.last) && (identifierNames.in(n.last) || namesObject(n.last, f.all, out.words))
	if !sameID && !shareWord(f.last, n.last) {
		return false
	}
	objects := 0
	for _, w := range n.last {
		if generic.has(w) || identifierNames.has(w) {
			continue
		}
		objects++
		if contains(f.all, w) || contains(out.words, w) {
			return true
		}
	}
	if objects > 0 {
		return false
	}
	return !identifierNames.in(n.last) || sharesObject(n, out.words) || sharesObject(n, f.all)
}

func shareWord(a, b []string) bool {
	return slices.ContainsFunc(a, func(w string) bool { return contains(b, w) })
}

// namesObject reports whether a name is that of an object and nothing else, and
// the object is the one of a field: "supplier" for the id of a supplier.
func namesObject(name, field, tool []string) bool {
	return len(name) == 1 && !generic.has(name[0]) && (contains(field, name[0]) || contains(tool, name[0]))
}

func sharesObject(n name, words []string) bool {
	for _, list := range [][]string{n.all, n.tool} {
		for _, w := range list {
			if !generic.has(w) && contains(words, w) {
				return true
			}
		}
	}
	return false
}

func (s *Session) fieldOffers(ref fieldRef, pointer string, l label.Label) []Offer {
	if ref.leaf < 0 {
		return nil
	}
	out := s.events[ref.event].out
	var certs []Offer
	for i, c := range out.spec.Certify {
		everyone := c.Procedure == "directory" && memberships.in(out.words) && s.saidEveryone(c.Key)
		another := c.Unique && !everyone && !out.only(pointer, i)
		if another || !c.Field(pointer) {
			continue
		}

		if c.By != nil {
			if record, ok := s.namedRecord(procedureOf{ref.event, int32(i)}); !ok || record != recordPrefix(pointer) {
				continue
			}
		}
		certs = append(certs, Offer{Procedure: c.Procedure, Basis: c.Basis, Key: c.Key, Roles: c.Roles, Max: c.Max})
	}

	// The user's superlative picks a record, by the name that the service gave
	// it. Others may have written the other fields of the record.
	if l.Trust >= label.ToolOutput && identifierNames.in(s.name(pointer, "").last) {
		if basis, ok := s.pickedBySuperlative(ref, pointer); ok {
			certs = append(certs, Offer{Procedure: "lookup", Basis: basis, Roles: label.RolesOf(label.Selector, label.Target), Max: label.User})
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
		record, n := o.called(s, func(text string) bool { return strings.EqualFold(text, c.Key) })
		if n == 0 && o.records == 1 {
			// In a list, only a whole name tells one from the others.
			record, n = o.called(s, func(text string) bool { return hasWords(text, c.Key) })
		}
		if n == 1 {
			o.keyed[i] = record
		}
	}
}

// called returns a record of which a name, a title or an address matches, and
// whether there is none, one or more (2).
func (o *output) called(s *Session, matches func(string) bool) (record string, n int) {
	for _, leaf := range o.doc.Leaves() {
		if leaf.Kind != strictjson.String || !nameWords.in(s.name(leaf.Pointer, "").last) || !matches(leaf.Text) {
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
	for start, end := range words(text) {
		b.WriteString(strings.ToLower(text[start:end]))
		b.WriteByte(' ')
	}
	return b.String()
}

// only reports whether a field is in the record that the key of a procedure
// names.
func (o *output) only(pointer string, procedure int) bool {
	own := o.keyed[procedure]
	return own != "" && within(pointer, own)
}

// saidEveryone reports whether the user spoke of all people that belong to a key,
// in one sentence with it: "every member of the launch channel". Then each
// record that the key led to was asked for. "All messages in launch" asks for
// no people.
func (s *Session) saidEveryone(key string) bool {
	for _, o := range s.vouch.find(key, true) {
		if s.vouch.negated(o) {
			continue
		}
		left, right := s.vouch.around(o, 16, 16)
		if everyone(left) || everyone(right) {
			return true
		}
	}
	return false
}

// everyone reports whether words speak of all people of a group.
func everyone(list []string) bool {
	for i, w := range list {
		if everybody.has(w) {
			return true
		}
		if !universal.has(w) {
			continue
		}
		for _, next := range list[i+1 : min(i+4, len(list))] {
			if people.has(stem(next)) || people.has(next) {
				return true
			}
		}
	}
	return false
}

// within reports whether a pointer leads into the record at a prefix, which ends
// with a slash.
func within(pointer, prefix string) bool { return strings.HasPrefix(pointer, prefix) }

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
		if s.chosen(act, ref) {
			return true
		}
	}
	return s.work.spent()
}

func (s *Session) chosen(act Act, ref fieldRef) bool {
	out := s.events[ref.event].out
	if ref.leaf < 0 {
		return true
	}
	for _, key := range out.by {
		if q := (query{s: s, act: act}); !q.keyRequested(key) {
			return true
		}
	}
	if out.records <= 1 && !out.narrowed {
		return false
	}

	leaves := out.doc.Leaves()
	prefix := recordPrefix(leaves[ref.leaf].Pointer)
	// Records lie together; walk outwards from the field.
	for i := int(ref.leaf) - 1; i >= max(0, int(ref.leaf)-maxRecordFields) && within(leaves[i].Pointer, prefix); i-- {
		if s.saidByUser(leaves[i].Text) {
			return false
		}
	}
	for i := int(ref.leaf) + 1; i < min(len(leaves), int(ref.leaf)+maxRecordFields) && within(leaves[i].Pointer, prefix); i++ {
		if s.saidByUser(leaves[i].Text) {
			return false
		}
	}
	return true
}

// recordPrefix cuts a pointer behind its first list index.
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

// saidByUser reports whether a field names its record in the user's own words.
func (s *Session) saidByUser(text string) bool {
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
	for start, end := range words(text) {
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
	for start, end := range words(text) {
		if n++; n > 32 {
			return n, true
		}
		w := strings.ToLower(text[start:end])
		telling = telling || (len(w) > 2 && !starters.has(w) && !states.has(w))
	}
	return n, telling
}
