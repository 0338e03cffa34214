package provenance

import (
	"hash/maphash"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/provenance/atom"
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

// dividesCells reports whether a column of a line ends at i: at a tab, a bar, two blanks, or a
// blank after a bracket.
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

// firstAtoms yields the first atoms of a text, without the punctuation of the
// sentence.
func firstAtoms(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		n := 0
		for start, end := range atom.All(text) {
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
		if short && !right && (numeric || !s.isCertifiedItem(ref, pointer)) {
			return
		}
		l, _, _, written := s.fieldOf(ref)

		r := Resolution{Label: l, How: "field", Witness: true, refs: []fieldRef{ref}, numeric: numeric}
		r.Evidence = []label.Evidence{s.fieldEvidence(ref, pointer, text, v.Text)}
		r.Evidence[0].Trust = l.Trust // of the field, not of the whole result
		if !written {
			r.Offers = s.fieldOffers(ref, pointer, n, l)
		}
		r.right = right
		if !found || isBetter(r, best) {
			r.Offers = append(r.Offers, best.Offers...)
			best = r
		} else {
			best.Offers = append(best.Offers, r.Offers...)
		}
		found = true
	})
	return best, found
}

// isCertifiedItem reports whether a field is an item of a plain list that a
// procedure may vouch for: there is no name that could tell its kind, but the
// contract says which roles it serves.
func (s *Session) isCertifiedItem(ref fieldRef, pointer string) bool {
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

func isBetter(a, b Resolution) bool {
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

	if s.isOf(out, pointer, n) {
		return true
	}
	sameID := vocabulary().IdentifierNames.In(f.last) && (vocabulary().IdentifierNames.In(n.last) || namesObject(n.last, f.all, out.words))
	if !sameID && !shareWord(f.last, n.last) {
		return false
	}
	objects := 0
	for _, w := range n.last {
		if vocabulary().Generic.Has(w) || vocabulary().IdentifierNames.Has(w) {
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
	return !vocabulary().IdentifierNames.In(n.last) || sharesObject(n, out.words) || sharesObject(n, f.all)
}

// isOf reports whether a procedure says that a field is of what an argument asks for.
func (s *Session) isOf(out *output, pointer string, n name) bool {
	return slices.ContainsFunc(out.spec.Certify, func(c Certify) bool { return shareWord(c.Of, n.last) && c.Field(pointer) })
}

func shareWord(a, b []string) bool {
	return slices.ContainsFunc(a, func(w string) bool { return contains(b, w) })
}

// namesObject reports whether a name is that of an object and nothing else, and
// the object is the one of a field: "supplier" for the id of a supplier.
func namesObject(name, field, tool []string) bool {
	return len(name) == 1 && !vocabulary().Generic.Has(name[0]) && (contains(field, name[0]) || contains(tool, name[0]))
}

func sharesObject(n name, words []string) bool {
	for _, list := range [][]string{n.all, n.tool} {
		for _, w := range list {
			if !vocabulary().Generic.Has(w) && contains(words, w) {
				return true
			}
		}
	}
	return false
}
