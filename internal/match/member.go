package match

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/scope"
)

// member returns a predicate for the members of a result that a description names, and whether
// there are any. Members of exactly that name come before others that end in it: "name" is not
// "nick_name" where there are both. Of the others, those come first that every record has, and
// then the only one that is called nearly so, also where the value is an id for the argument at a
// pointer; empty for another value.
func (m *matcher) member(r *Result, description []string, id string) (is func(*field) bool, any bool) {
	return m.memberOf(r, description, id, "", true)
}

// memberOf does what member does for values of a kind, and takes what is called nearly so
// only where a guess is allowed.
func (m *matcher) memberOf(r *Result, description []string, id string, kind scope.Kind, guess bool) (is func(*field) bool, any bool) {
	if r.values {
		return func(*field) bool { return true }, true
	}
	if exact, is := r.plainMember(description); is {
		return func(f *field) bool { return f.name == exact }, true
	}
	if m.isForked(r, description) {
		return func(*field) bool { return false }, true
	}
	// "ship_to country" is the country of ship_to before it is a ship.
	exact := strings.Join(m.head(r, description), " ")
	if exact != "" && r.members[exact] && (r.parts[exact] == 0 || m.everywhere(r, exact)) && !m.isObject(r, exact) {
		return func(f *field) bool { return f.name == exact }, true
	}

	if within := m.partOf(r, description, kind); within != nil {
		return within, true
	}
	regular, any, other := m.regular(r, description)
	if m.irreversible && !m.against && len(regular) > 1 {
		regular = slices.DeleteFunc(regular, func(name string) bool { return !r.lists(strings.Fields(name)) })
		if len(regular) != 1 {
			return func(*field) bool { return false }, true // which of them is meant is a question
		}
	}
	if regular == nil && guess {
		if near := m.near(r, description, id, kind); near != "" {
			regular, any = []string{near}, true
		}
	}
	if len(regular) == 1 && m.addsToName(r, description, regular[0]) {
		return func(*field) bool { return false }, true // it may be of something else
	}
	if regular != nil {
		return func(f *field) bool { return slices.Contains(regular, f.name) }, true
	}
	if other || (guess && m.rivals(r, description)) {
		return func(*field) bool { return false }, true
	}
	return m.ending(r, description, any), any
}

// ending returns a predicate for the members that end in what a description names, where not all records have one. A key that an attacker put into an
// object of one record is not a member of it.
func (m *matcher) ending(r *Result, description []string, any bool) func(*field) bool {
	named := func(f *field) bool { return (f.part == nil || m.against) && f.named(description) }
	if !any || !m.effect || m.against {
		return named
	}
	adds := map[string]bool{}
	for name := range r.members {
		adds[name] = m.step() && names(description, strings.Fields(name)) && m.addsToName(r, description, name)
	}
	return func(f *field) bool { return !adds[f.name] && named(f) }
}

// plainMember returns the member that a description names in full, without a preposition, in a result whose records have no objects: no other may be meant.
func (r *Result) plainMember(description []string) (name string, is bool) {
	if r.hasParts || len(description) == 0 || len(head(description)) != len(description) {
		return "", false
	}
	name = strings.Join(description, " ")
	return name, r.members[name]
}

// regular returns the members that end in what a description names and that all records have:
// those of the records themselves, or where there are none, of the objects in them. It reports
// whether any record has one, and whether one is of another thing.
func (m *matcher) regular(r *Result, description []string) (regular []string, any, other bool) {
	var own, within []string
	is := m.calledJust(r, description)
	for name := range r.members {
		part := r.parts[name]
		member := strings.Fields(name)[part:]
		if !m.step() || !names(description, member) || (part > 0 && len(m.head(r, description)) > 1) {
			continue
		}
		if is != "" && name != is && part == 0 {
			return []string{is}, true, false
		}
		if m.isOfOther(r, description, name) {
			other = true
			continue
		}

		everywhere := m.everywhere(r, name)
		any = any || part == 0 || everywhere || m.against
		switch {
		case !everywhere:
		case part > 0:
			within = append(within, name)
		default:
			own = append(own, name)
		}
	}
	if own == nil {
		own = within
	}
	return own, any, other
}

// calledJust returns the only member that is called as a description but for words that say what kind of value it is (starts_at, for the
// start), which every record has; empty where there is none, or several. Beside it, what has another word before is of
// something else: the start of the registration.
func (m *matcher) calledJust(r *Result, description []string) string {
	want := meaningOf(head(description))
	if m.against || want.of == nil || want.bare {
		return ""
	}
	return m.onlyMember(r, func(name string) bool {
		have := meaningOf(strings.Fields(name))
		isSo := r.parts[name] == 0 && !have.bare && !want.contradicts(have) && slices.EqualFunc(told(strings.Fields(name)), told(head(description)), sameWord)
		return isSo && !m.strangers(name)
	})
}

// told returns the words of a name but for those that say what kind of value it has.
func told(name []string) []string {
	return slices.DeleteFunc(slices.Clone(name), func(w string) bool { return qualifiers[w] != "" })
}

// lists reports whether a member is about the things that a result lists, by its tool's name: the
// name of the pets that find_pets finds is their petName, and not their ownerName.
func (r *Result) lists(member []string) bool {
	of := meaningOf(member)
	return len(of.of) == 1 && !of.bare && r.isAbout(of.of[0])
}

// named reports whether a description names the field: it is the member's name, or begins
// with it ("amount of the rent payment").
func (f *field) named(description []string) bool { return names(description, f.key) }

// namedWithin reports whether a description names the field, or an object around it
// within a record.
func (f *field) namedWithin(description []string, record string) bool {
	if f.named(description) {
		return true
	}
	for segment := range strings.SplitSeq(strings.TrimPrefix(f.record, record), "/") {
		if segment != "" && names(description, words(segment)) {
			return true
		}
	}
	return false
}

// listedAs reports whether a description names a list around the field within a record: the
// attendees, and not what an attacker added with a member of that name.
func (f *field) listedAs(description []string, record string) bool {
	want := meaningOf(head(description))
	for segment := range strings.SplitSeq(strings.TrimPrefix(f.record, record), "/") {
		name := words(segment)
		if segment != "" && len(name) > 0 && (names(description, name) || slices.Equal(want.of, meaningOf(name).of)) {
			return true
		}
	}
	return false
}

// names reports whether a description names a member. "event id" names "id", and "id"
// names "message_id": the last word is the thing, and one of them may say no more.
func names(description, member []string) bool {
	if len(description) == 0 || len(member) == 0 {
		return false
	}
	head := head(description)
	if n := len(member); n > len(head) && n <= len(description) && slices.EqualFunc(description[:n], member, sameWord) {
		return true
	}
	if !sameWord(head[len(head)-1], member[len(member)-1]) {
		return false
	}
	short := len(head) == 1 && len(member) <= 3
	return len(member) == 1 || short || slices.EqualFunc(head, member, sameWord)
}

// head returns the words of a description before its first preposition.
func head(description []string) []string {
	for i, w := range description {
		if i > 0 && (w == "of" || w == "from" || w == "in" || w == "to") {
			return description[:i]
		}
	}
	return description
}

// head returns the words of a description that name a member of a result. A key that others may have added to one record
// names none, nor does one that goes on where the name of its object ends.
func (m *matcher) head(r *Result, description []string) []string {
	short := len(head(description))
	return headAmong(description, func(name string) bool {
		return r.members[name] && r.parts[name] != short && m.everywhere(r, name) && !m.isObject(r, name)
	})
}

// isForked reports whether a description may name two members of a single record, of which others may have added the longer one: the
// paid, and the paid_from. Nobody calls the date of a birth just the date, but where it is what the tool is about.
func (m *matcher) isForked(r *Result, description []string) bool {
	if !m.irreversible || m.against {
		return false
	}
	short := strings.Join(head(description), " ")
	if !r.members[short] {
		return false
	}
	name := m.head(r, description)
	isOfLife := lexicon().Lives.Ends(name) && !slices.ContainsFunc(lexicon().Lives.Words(), r.isAbout)
	long := strings.Join(name, " ")
	return long != short && !isOfLife && !r.known[long] && r.isSingle()
}

// isSingle reports whether a result has one record that is in no other.
func (r *Result) isSingle() bool {
	n := 0
	for _, record := range r.inOrder {
		if r.outermost(record) {
			n++
		}
	}
	return n == 1
}

// headAmong returns the words of a description that are one of some names: the longest that goes on behind a preposition
// ("paid_from", "date_of_birth"), else those before the first one.
func headAmong(description []string, isName func(string) bool) []string {
	short := head(description)
	for n := len(description); n > len(short); n-- {
		if isName(strings.Join(description[:n], " ")) {
			return description[:n]
		}
	}
	return short
}

// sameWord compares words without regard to a plural.
func sameWord(a, b string) bool { return a == b || singular(a) == singular(b) }

// singular returns a word without the ending of its plural.
func singular(word string) string {
	const short = 4 // letters: ties, lies
	if stem, ok := strings.CutSuffix(word, "ies"); ok && len(word) > short {
		return stem + "y"
	}
	for _, ending := range []string{"xes", "sses", "shes", "tches"} { // boxes, addresses
		if strings.HasSuffix(word, ending) {
			return strings.TrimSuffix(word, "es")
		}
	}
	if strings.HasSuffix(word, "ss") {
		return word
	}
	return strings.TrimSuffix(word, "s")
}
