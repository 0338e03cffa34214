package match

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/scope"
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
		if leaves[i].Kind != strictjson.Array && !lexicon().Wrapping.In(words(key)) {
			out[record] = true
		}
	}
	return out
}

// home returns the record that the members of an object belong to, and the words of the objects
// between them, of which the first ones are of those around the innermost.
func (p parts) home(record string) (home string, part []string, outer int) {
	for {
		at := strings.LastIndexByte(record, '/')
		if at < 0 || !p[record[:at]] || strictjson.IsIndex(record[at+1:]) {
			return record, part, outer
		}
		name := words(strictjson.UnescapeToken(record[at+1:]))
		if len(name) == 0 {
			return record, part, outer // or it would pass for the record itself
		}
		if part != nil {
			outer += len(name)
		}
		part = append(name, part...)
		record = record[:at]
	}
}

// within notes the objects that a field is in, within its record.
func (f *field) within(part []string, outer int) {
	if len(part) > 0 {
		f.part, f.outer, f.name = part, outer, strings.Join(slices.Concat(part, f.key), " ")
	}
}

// partOf returns a predicate for the members of objects in records that a description names with the object's own name; nil where there is
// none. It names "client id", and "card number" for the one of a fuel card. Of several none counts, nor does one that a record lacks.
func (m *matcher) partOf(r *Result, description []string, kind scope.Kind) func(*field) bool {
	if !r.hasParts {
		return nil
	}
	want := meaningOf(m.head(r, description))
	if want.of == nil || want.bare {
		return nil
	}
	var found, loose []string
	for name := range r.members {
		n, member := r.parts[name], strings.Fields(name)
		if own := unrepeated(member, n); len(own) < len(member) && m.isOwnID(r, name) {
			member = own
		}
		may := n > 0 && m.step() && m.guessable(r, name)
		switch {
		case !may || m.isOfOther(r, description, name):
		case want.isPart(member, n, kind):
			found = append(found, name)
		case want.isHeldBy(member, n):
			loose = append(loose, name)
		}
	}
	if found == nil {
		found = loose
	}

	switch {
	case found == nil:
		return nil
	case len(found) > 1 || !m.everywhere(r, found[0]) || m.addsToName(r, description, found[0]):
		return func(*field) bool { return false }
	}
	return func(f *field) bool { return f.name == found[0] }
}

// isPart reports whether a description may mean a member whose first words are those of the object
// that it is in. The object alone is what it is called, or for a value of a kind, what it holds of
// the kind.
func (m meaning) isPart(member []string, part int, kind scope.Kind) bool {
	have, own := meaningOf(member), meaningOf(unitless(member[part:]))
	tail := len(own.of)
	if own.bare {
		tail = 0
	}
	of := meaningOf(slices.Concat(member[:part], unitless(member[part:]))).of
	if len(m.kinds) == 0 && kind == scope.ID && m.of[len(m.of)-1] != "id" {
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

// isHeldBy reports whether a member is a value of the kind that a description asks an object for: the dispatch_email of a carrier is a
// mail address of the carrier's.
func (m meaning) isHeldBy(member []string, part int) bool {
	own := meaningOf(member[part:])
	return len(m.kinds) == 1 && slices.Equal(m.of, meaningOf(member[:part]).of) && slices.Contains(own.kinds, m.kinds[0])
}

// unrepeated returns the words of a member in an object without those of the object that its own name
// begins with: the owner_id of an owner is its id.
func unrepeated(member []string, part int) []string {
	object, own := member[:part], member[part:]
	for n := min(len(object), len(own)-1); n > 0; n-- {
		if slices.Equal(object[part-n:], own[:n]) {
			return slices.Concat(object, own[n:])
		}
	}
	return member
}

// isOwnID reports whether a member of an object that repeats the object's name may be its own id: the
// manager_id of a manager may be that of who manages the manager. For what can't be taken back the records' own id
// is written so as well (patient_id in a list of patients), and the object has no other.
func (m *matcher) isOwnID(r *Result, name string) bool {
	if !m.irreversible || m.against {
		return true
	}
	object, own := strings.Join(strings.Fields(name)[:r.parts[name]], " ")+" ", false
	for other := range r.members {
		if !m.step() {
			return false
		}
		key := strings.Fields(other)[r.parts[other]:]
		isID := len(key) > 0 && key[len(key)-1] == "id"

		switch {
		case !isID || other == name:
		case r.parts[other] > 0 && strings.HasPrefix(other, object):
			return false
		case r.parts[other] == 0 && len(key) == 1:
			return false
		case r.parts[other] == 0 && len(key) == 2:
			own = own || r.isAbout(key[0])
		}
	}
	return own
}

// isAbout reports whether a result is of a tool that is called after a thing. The word by which it looks that up is none: of list_passes no list_price
// is the price.
func (r *Result) isAbout(word string) bool {
	return !lexicon().LookUps.Has(word) && slices.ContainsFunc(words(r.Tool), func(w string) bool { return telling(w) && thing(w) == thing(word) })
}

// isOfOther reports whether a member that ends as a description may be of another thing, for what can't be taken back. The owner of the
// sitter is not the owner, nor is the previous one. Where the records have one that is just called so, no other is.
func (m *matcher) isOfOther(r *Result, description []string, name string) bool {
	if !m.irreversible || m.against {
		return false
	}
	part := r.parts[name]
	member, outer := strings.Fields(name), r.outers[name]
	isSaid := func(w string) bool {
		return slices.ContainsFunc(description, func(d string) bool { return thing(d) == thing(w) })
	}
	isAround := func(w string) bool { return !isSaid(w) && !lexicon().Details.Has(w) }
	isOther := func(w string) bool { return !isSaid(w) && lexicon().Differing.Has(w) }
	isAdded := func(w string) bool { return !isSaid(w) && isOneOf(lexicon().Asides)(w) }
	if slices.ContainsFunc(member[:outer], isAround) || slices.ContainsFunc(member, isOther) || slices.ContainsFunc(member[:part], isAdded) {
		return true
	}
	if part == 0 && m.isOfOtherMoney(r, member, isSaid) {
		return true
	}

	further := slices.ContainsFunc(member[outer:part], func(w string) bool { return !isSaid(w) })
	of := meaningOf(m.head(r, description)).of
	if n := len(of); n > 1 && of[n-1] == "id" {
		of = of[:n-1]
	}
	return further && m.hasThing(r, of)
}

// isOfOtherMoney reports whether a member may be an amount of something else than its record: its name says of what, which is neither asked for nor
// what is listed, and the records have another amount. The fee for cleaning is not the fee.
func (m *matcher) isOfOtherMoney(r *Result, member []string, isSaid func(string) bool) bool {
	last := len(member) - 1
	if last < 1 || !ofMoney(member[last]) {
		return false
	}
	tells := func(w string) bool { return isSaid(w) || lexicon().InAll.Has(w) || r.isAbout(w) }
	if slices.ContainsFunc(member[:last], tells) {
		return false
	}
	for name := range r.members {
		other := unitless(strings.Fields(name))
		isOwn := len(other) > 1 && slices.Equal(other[:len(other)-1], member[:last])
		if m.step() && r.parts[name] == 0 && len(other) > 0 && ofMoney(other[len(other)-1]) && name != strings.Join(member, " ") && !isOwn {
			return true
		}
	}
	return false
}

// addsToName reports whether the name of the member that a description is taken to mean has a further word that nothing explains, for what has an
// effect: neither the description, nor the scope's other names for the same records and its words for the call, nor the user, nor what the records are
// of. So a guardian's mail is not the mail, also where there is no other. What a single word says, it says in other words.
func (m *matcher) addsToName(r *Result, description []string, name string) bool {
	member := unitless(strings.Fields(name))
	if !m.effect || m.against || len(member) < 2 {
		return false
	}
	ofAmount, l := ofMoney(member[len(member)-1]), lexicon()
	return slices.ContainsFunc(member, func(w string) bool {
		isForm := qualifiers[w] != "" || l.WholeNames.Has(w) || l.WholeAmounts.Has(w) || (ofAmount && l.InAll.Has(w))
		isPlain := isForm || l.Details.Has(w) || l.General.Has(w) || isOneOf(l.Containers)(w)
		isSaid := func(d string) bool { return thing(d) == thing(w) }
		isExplained := isPlain || slices.ContainsFunc(description, isSaid) || r.isAbout(w) || m.isOfEntry(r, w)
		return !isExplained && !(m.work(len(m.folded)) && hasWord(m.folded, w))
	})
}

// isOfEntry reports whether a word is one of the tool or the arguments of the entry, or of its names for the members of a result.
func (m *matcher) isOfEntry(r *Result, word string) bool {
	if m.in == nil {
		return false
	}
	is := func(w string) bool { return thing(w) == thing(word) }
	isOfCondition := func(w Match) bool { return slices.ContainsFunc(w.name(), is) }
	isOfSource := func(s Source) bool {
		isOf := m.step() && isTool(s.Server, s.Tool, r.Server, r.Tool)
		return isOf && (slices.ContainsFunc(s.name(), is) || slices.ContainsFunc(s.Where, isOfCondition))
	}
	return slices.ContainsFunc(words(m.in.Tool), is) || slices.ContainsFunc(m.in.Args, func(a Arg) bool {
		return slices.ContainsFunc(argumentName(a.Pointer), is) || slices.ContainsFunc(a.From, isOfSource) || slices.ContainsFunc(a.Sources, isOfSource)
	})
}

// hasThing reports whether the records have a member, or an object, that is called as a thing and nothing else.
func (m *matcher) hasThing(r *Result, of []string) bool {
	for name := range r.members {
		member := strings.Fields(name)
		is := func(name []string) bool { return len(name) > 0 && slices.Equal(meaningOf(name).of, of) }
		if m.step() && (is(member[r.outers[name]:r.parts[name]]) || (r.parts[name] == 0 && is(member))) {
			return true
		}
	}
	return false
}

// kindWords are the kinds of values in the words of names; a name for any other.
var kindWords = map[scope.Kind]string{
	scope.Email: "mail", scope.URL: "link", scope.Account: "account", scope.Number: "number", scope.Date: "time", scope.Phone: "number",
	"": "name", scope.ID: "name", scope.Name: "name", scope.Text: "name", scope.Path: "name",
}

// isObject reports whether a member is an object in some records, and in others there is none.
func (m *matcher) isObject(r *Result, member string) bool {
	if !r.hasParts {
		return false
	}
	within := false
	for name := range r.members {
		within = within || (r.parts[name] > 0 && strings.HasPrefix(name, member+" "))
	}
	if !within || !m.work(len(r.fields)) {
		return false
	}
	return !slices.ContainsFunc(r.fields, func(f field) bool { return f.name == member && !f.null })
}
