package scope

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/strictjson"
)

// A record may hold an object for what others write as members: {"client": {"id": 7}} says what
// {"client_id": 7} does. Such a part belongs to its record, and its members are called by both
// names. What is in a list is a record of its own.

// parts are the pointers of the objects that are records: those with members of their own that
// don't just say something of a list in them.
type parts map[string]bool

// partsOf returns the records among the objects of a document.
func partsOf(leaves []strictjson.Leaf) parts {
	out := parts{}
	for i := range leaves[:min(len(leaves), maxFields)] {
		record, key := split(leaves[i].Pointer)
		if leaves[i].Kind != strictjson.Array && !oneOf(words(key), wrapping) {
			out[record] = true
		}
	}
	return out
}

// home returns the record that the members of an object belong to, and the words of the objects
// between them.
func (p parts) home(record string) (home string, part []string) {
	for {
		at := strings.LastIndexByte(record, '/')
		if at < 0 || !p[record[:at]] || strings.Trim(record[at+1:], "0123456789") == "" {
			return record, part
		}
		part = append(words(unescape(record[at+1:])), part...)
		record = record[:at]
	}
}

// within notes the objects that a field is in, within its record.
func (f *field) within(part []string) {
	if len(part) > 0 {
		f.part, f.name = part, strings.Join(slices.Concat(part, f.key), " ")
	}
}

// partOf returns a predicate for the members of objects in records that a description names with
// the object's own name, "client id" as well as "card number" for the one of a fuel card; nil
// where there is none. Of several, and of one that a record lacks, none counts.
func (m *matcher) partOf(r *Result, description []string, kind Kind) func(*field) bool {
	want := meaningOf(head(description))
	if want.of == nil || want.bare {
		return nil
	}
	var found []string
	for name := range r.members {
		if n := r.parts[name]; n > 0 && m.step() && m.guessable(r, name) && want.isPart(strings.Fields(name), n, kind) {
			found = append(found, name)
		}
	}

	switch {
	case found == nil:
		return nil
	case len(found) > 1 || !m.everywhere(r, found[0]):
		return func(*field) bool { return false }
	}
	return func(f *field) bool { return f.name == found[0] }
}

// isPart reports whether a description may mean a member whose first words are those of the object
// that it is in. The object alone is what it is called, or for a value of a kind, what it holds of
// the kind.
func (m meaning) isPart(member []string, part int, kind Kind) bool {
	have, own := meaningOf(member), meaningOf(unitless(member[part:]))
	tail := len(own.of)
	if own.bare {
		tail = 0
	}
	of := meaningOf(slices.Concat(member[:part], unitless(member[part:]))).of
	if len(m.kinds) == 0 && kind == ID && m.of[len(m.of)-1] != "id" {
		m.of = append(slices.Clip(m.of), "id")
	}
	if len(m.of) <= tail || len(m.of) > len(of) || !slices.Equal(of[len(of)-len(m.of):], m.of) {
		return false
	}
	if len(m.kinds) > 0 {
		return !m.contradicts(have) && slices.ContainsFunc(m.kinds, func(k string) bool { return slices.Contains(have.kinds, k) })
	}
	held := kindWords[kind]
	return slices.Equal(have.kinds, []string{held}) || (held == "name" && len(have.kinds) == 0) || tail > 0
}

// kindWords are the kinds of values in the words of names; a name for any other.
var kindWords = map[Kind]string{Email: "mail", URL: "link", Account: "account", Number: "number", Date: "time", "": "name", ID: "name", Name: "name", Text: "name", Path: "name", Phone: "number"}

// isObject reports whether a member is an object in some records, and in others there is none.
func (m *matcher) isObject(r *Result, member string) bool {
	within := false
	for name := range r.members {
		within = within || (r.parts[name] > 0 && strings.HasPrefix(name, member+" "))
	}
	if !within || !m.work(len(r.fields)) {
		return false
	}
	return !slices.ContainsFunc(r.fields, func(f field) bool { return f.name == member && !f.null })
}
