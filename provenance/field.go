package provenance

import (
	"strings"

	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/strictjson"
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
)

// fieldRef is one field of a result. A leaf of -1 is a cell of an unstructured
// result, at start and end of the event's text.
type fieldRef struct {
	event, leaf int32
	start, end  int32
}

func fieldKey(text string) string {
	if n, ok := parseNumber(text); ok {
		return n.RatString()
	}
	return text
}

func (s *Session) addFields(event int, out *output) {
	for i, leaf := range out.doc.Leaves() {
		if i == maxFields {
			return
		}
		if leaf.Kind != strictjson.String && leaf.Kind != strictjson.Number || leaf.Text == "" || len(leaf.Text) > maxFieldText {
			continue
		}
		key := fieldKey(leaf.Text)
		if list := s.fields[key]; len(list) < maxFieldRefs {
			s.fields[key] = append(list, fieldRef{event: int32(event), leaf: int32(i)})
		} else {
			// The latest results are the ones that a model works with.
			list[maxFieldRefs-1] = fieldRef{event: int32(event), leaf: int32(i)}
		}
	}
}

// addCells makes the lines of an unstructured result, and the columns of its
// tables, fields. It is done only for results of which no part is external:
// anybody who may write one line of a text may write them all.
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
		key := fieldKey(text[start:end])
		if list := s.fields[key]; len(list) < maxFieldRefs {
			s.fields[key] = append(list, fieldRef{int32(event), -1, int32(start), int32(end)})
		}
	}
	for start := 0; start < len(text) && n < maxCells; {
		end := start + strings.IndexByte(text[start:]+"\n", '\n')
		add(start, end)
		cell := start
		for i := start; i <= end; i++ {
			separator := i == end || text[i] == '\t' || text[i] == '|' || text[i] == ' ' && i+1 < end && text[i+1] == ' ' ||
				text[i] == ' ' && i > cell && text[i-1] == ']'
			if !separator {
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

// trust returns the label of a field, after everything that may lower it.
func (s *Session) fieldLabel(ref fieldRef) (l label.Label, pointer, text string) {
	e := &s.events[ref.event]
	l = label.Label{Origins: e.label.Origins, Trust: e.out.floor}
	if ref.leaf < 0 {
		text = e.text[ref.start:ref.end]
		return s.lowerEcho(l, ref.event, text, false), "", text
	}
	leaf := e.out.doc.Leaves()[ref.leaf]
	explicit := false
	if e.out.spec.Field != nil {
		if t, ok := e.out.spec.Field(leaf.Pointer); ok {
			// What the contract says about a field holds for a derived result
			// too: the id of a new file is the service's, whatever the file holds.
			l.Trust, explicit = t, true
		}
	}
	return s.lowerEcho(l, ref.event, leaf.Text, explicit), leaf.Pointer, leaf.Text
}

// lowerEcho lowers a field that repeats something lower: an argument of the
// call that produced it, or, where the contract doesn't name the field, text
// that was seen earlier in the session with less trust. What was written
// through a tool and is read back keeps its label that way. What came later
// doesn't count: the service can't have copied it, and a label that others
// could still lower would make a decision depend on what follows it.
func (s *Session) lowerEcho(l label.Label, event int32, text string, explicit bool) label.Label {
	e := &s.events[event]
	if l.Trust == label.External || len(text) < minEcho {
		return l
	}
	for _, a := range e.out.argText {
		if a.label.Trust < l.Trust && (strings.Contains(text, a.text) || strings.Contains(a.text, text)) {
			l = label.Merge(l, a.label)
		}
	}
	if explicit {
		return l
	}
	segments, overflow := s.wide.Segments(text)
	if overflow {
		return label.Merge(l, s.ambient)
	}
	for _, seg := range segments {
		if o := &s.events[seg]; seg < uint32(event) && o.label.Trust < l.Trust {
			l = label.Merge(l, o.label)
		}
	}
	return l
}

// field looks a whole value up among the fields of results.
func (s *Session) field(v Value, n name) (Resolution, bool) {
	refs := s.fields[fieldKey(v.Text)]
	if len(refs) == 0 {
		return Resolution{}, false
	}
	_, numeric := parseNumber(v.Text)
	short := len(v.Text) < shortValue || numeric
	var best Resolution
	found := false
	for _, ref := range refs {
		l, pointer, text := s.fieldLabel(ref)
		if !numeric && text != v.Text {
			continue
		}
		right := s.rightKind(ref, pointer, n)
		if short && !right {
			continue
		}
		r := Resolution{Label: l, How: "field", Witness: true, field: ref, fromField: true, numeric: numeric}
		r.Evidence = []Evidence{s.fieldEvidence(ref, pointer, text, v.Text)}
		r.Certificates = s.fieldCertificates(ref, pointer)
		r.right = right
		if !found || better(r, best) {
			r.Certificates = append(r.Certificates, best.Certificates...)
			best = r
		} else {
			best.Certificates = append(best.Certificates, r.Certificates...)
		}
		found = true
	}
	return best, found
}

func better(a, b Resolution) bool {
	if a.Label.Trust != b.Label.Trust {
		return a.Label.Trust > b.Label.Trust
	}
	return a.right && !b.right
}

func (s *Session) fieldEvidence(ref fieldRef, pointer, text, value string) Evidence {
	ev := Evidence{Origin: s.events[ref.event].name, Trust: s.events[ref.event].label.Trust, ValueEnd: len(value), Text: text, Vouches: true}
	if ref.leaf < 0 {
		ev.Start, ev.End = int(ref.start), int(ref.end)
		return ev
	}
	ev.Origin += "#" + pointer
	ev.End = len(text)
	return ev
}

// rightKind tells whether a field is of the kind that an argument asks for: the
// same word in both names, and, for an identifier, the same object, named by
// the field, by what it stands in, or by the tool that returned it.
func (s *Session) rightKind(ref fieldRef, pointer string, n name) bool {
	out := s.events[ref.event].out
	if ref.leaf < 0 {
		return sharesObject(n, out.words)
	}
	f := newName(pointer, "")
	shared := false
	for _, w := range f.last {
		if contains(n.last, w) {
			shared = true
		}
	}
	if !shared && !(identifier(f.last) && identifier(n.last)) {
		return false
	}
	objects := 0
	for _, w := range n.last {
		if generic[w] || identifier([]string{w}) {
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
	return !identifier(n.last) || sharesObject(n, out.words) || sharesObject(n, f.all)
}

func sharesObject(n name, words []string) bool {
	for _, list := range [][]string{n.all, n.tool} {
		for _, w := range list {
			if !generic[w] && contains(words, w) {
				return true
			}
		}
	}
	return false
}

func (s *Session) fieldCertificates(ref fieldRef, pointer string) []Certificate {
	out := s.events[ref.event].out
	var certs []Certificate
	for _, c := range out.spec.Certify {
		if ref.leaf < 0 || !c.Field(pointer) || c.Unique && !out.only(pointer, c.Key) ||
			c.By != nil && !s.namedRecord(ref, pointer, c.By) {
			continue
		}
		certs = append(certs, Certificate{Procedure: c.Procedure, Basis: c.Basis, Roles: c.Roles, Max: c.Max})
	}
	if ref.leaf >= 0 {
		if basis, ok := s.pickedBySuperlative(ref, pointer); ok {
			certs = append(certs, Certificate{Procedure: "lookup", Basis: basis, Roles: label.RolesOf(label.Selector, label.Target), Max: label.User})
		}
	}
	return certs
}

// only tells whether the record that a field stands in is the one that a key
// names: the only record of the result, or the only one of which some field is
// the key itself, as a file among the hits of a search by its name.
func (o *output) only(pointer, key string) bool {
	if o.records == 1 {
		return true
	}
	if len(key) < 3 {
		return false
	}
	own := recordPrefix(pointer)
	found := false
	for _, leaf := range o.doc.Leaves() {
		if leaf.Kind != strictjson.String || len(leaf.Text) != len(key) || !strings.EqualFold(leaf.Text, key) {
			continue
		}
		if recordPrefix(leaf.Pointer) != own {
			return false
		}
		found = true
	}
	return found && own != pointer
}

// Chosen tells whether a value was picked out of several records of a result
// without the user's words saying which: then whoever wrote what the model read
// may have done the picking. A record is the user's choice when it is the only
// one, or when one of its other fields stands in the user's text, or holds what
// the user put in quotes.
func (s *Session) Chosen(r Resolution) bool {
	if !r.fromField {
		return false
	}
	out := s.events[r.field.event].out
	if r.field.leaf < 0 {
		return true
	}
	if out.records <= 1 {
		return false
	}
	leaves := out.doc.Leaves()
	prefix := recordPrefix(leaves[r.field.leaf].Pointer)
	// Records lie together; walk outwards from the field.
	for i := int(r.field.leaf) - 1; i >= 0 && strings.HasPrefix(leaves[i].Pointer, prefix); i-- {
		if s.saidByUser(leaves[i].Text) {
			return false
		}
	}
	for i := int(r.field.leaf) + 1; i < len(leaves) && strings.HasPrefix(leaves[i].Pointer, prefix); i++ {
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

// saidByUser tells whether a field names its record in the user's own words.
func (s *Session) saidByUser(text string) bool {
	if len(text) < 3 || len(text) > maxFieldText {
		return false
	}
	if _, number := parseNumber(text); number {
		return false
	}
	if len(s.vouch.find(text, true)) > 0 {
		return true
	}
	lower := strings.ToLower(text)
	for i := range s.vouch.sources {
		src := &s.vouch.sources[i]
		for _, q := range src.quotes {
			if q.end-q.start >= 4 && strings.Contains(lower, strings.ToLower(strings.Trim(src.text[q.start:q.end], " .,"))) {
				return true
			}
		}
	}
	// All words of a short name, in whatever order the user said them.
	n := 0
	for start, end := range words(text) {
		w := strings.ToLower(text[start:end])
		if n++; n > 6 || len(w) < 3 || len(s.vouch.words[w]) == 0 {
			return false
		}
	}
	return n > 0
}
