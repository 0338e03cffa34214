package match

import (
	"slices"
	"strings"
	"sync"

	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/scope"
)

// A planner that was not told the members of a result guesses them: "start" for startsAt, "sender
// email" for from. Such a guess names a member only where it can't be steered. Names are the
// tool's; what others write are values. So the guess has to fit exactly one name of the result,
// and all records beside each other have to have it: a key that an attacker put into one of them
// is not a member.

// qualifiers are words of a name that say what kind of value it is, and not of what: the
// start time is the start.
var qualifiers = map[string]string{
	"time": "time", "date": "time", "day": "time", "at": "time", "on": "time", "when": "time", "timestamp": "time",
	"name": "name", "email": "mail", "mail": "mail", "e": "mail", "address": "address",
	"iban": "account", "account": "account", "url": "link", "link": "link", "number": "number", "no": "number", "nr": "number",
}

// implied are the kinds of values that names have without saying so: a start is a time, and
// what a payee is called is a name.
var implied = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"start": "time", "end": "time", "due": "time", "created": "time", "received": "time", "sent": "time", "placed": "time", "booked": "time", "posted": "time",
		"title": "name", "label": "name", "sender": "name", "recipient": "name", "counterparty": "name", "customer": "name", "client": "name",
		"contact": "name", "vendor": "name", "supplier": "name", "merchant": "name", "person": "name", "product": "name",
	}
})

// synonyms are the words that tools use for one thing.
var synonyms = groups(
	"sender from author",
	"recipient to payee beneficiary",
	"title subject heading headline summary",
	"email mail e",
	"account iban",
	"url link href uri",
	"phone telephone tel mobile",
	"start begin depart departure leave",
	"end arrive arrival",
	"due deadline",
	"amount sum total value price cost fare",
	"text body content message",
	"size bytes",
	"created creation",
	"updated update modified modification",
	"customer client buyer",
	"id uid uuid key code ref reference handle login",
)

// groups returns for each word of a line the words of the line, which is made on its first use.
func groups(lines ...string) func() map[string][]string {
	return sync.OnceValue(func() map[string][]string {
		out := map[string][]string{}
		for _, l := range lines {
			all := strings.Fields(l)
			for _, w := range all {
				out[w] = all
			}
		}
		return out
	})
}

// alike returns the words for the same thing as a word, with itself; nil for a word that has
// no other.
func alike(word string) []string { return synonyms()[strings.TrimSuffix(word, "s")] }

// thing returns what a word of a name is about.
func thing(word string) string {
	if all := alike(word); all != nil {
		return all[0]
	}
	return singular(word)
}

// meaning is a name without the words that only say what kind of value it has, and the
// kinds that these say. A name that is nothing but a kind is bare: mail address.
type meaning struct {
	of, kinds []string
	bare      bool
}

func meaningOf(name []string) meaning {
	var out meaning
	for i, w := range name {
		kind := qualifiers[w]
		whole := lexicon().WholeNames.Has(w) && i+1 < len(name) && name[i+1] == "name"
		switch {
		case whole:
		case kind == "":
			out.of = append(out.of, thing(w))
		case !slices.Contains(out.kinds, kind):
			out.kinds = append(out.kinds, kind)
		}
	}
	if out.bare = out.of == nil; out.bare {
		out.of = out.kinds
	}
	return out
}

// contradicts reports whether two names say that their values are of different kinds: the
// owner's name is not the owner's mail.
func (m meaning) contradicts(other meaning) bool {
	shared := slices.ContainsFunc(m.kinds, func(k string) bool { return slices.Contains(other.kinds, k) })
	return len(m.kinds) > 0 && len(other.kinds) > 0 && !shared
}

// nearly reports whether a description may mean a member.
func nearly(description, member []string) bool {
	if len(member) == 0 {
		return false
	}
	if strings.Join(description, "") == strings.Join(member, "") {
		return true
	}

	want, have := meaningOf(description), meaningOf(member)
	if isID := want.of[len(want.of)-1] == "id"; isID {
		// The id of an entry is the number of the entry.
		return have.of[len(have.of)-1] == "id" || (slices.Contains(have.kinds, "number") && len(have.of) == 1)
	}
	if want.contradicts(have) || areOfTwoUnits(description, member) {
		return false
	}
	if want.bare {
		alone := len(have.of) == 1 && len(have.kinds) == 0
		return slices.Contains(have.kinds, want.kinds[0]) || (alone && implied()[have.of[0]] == want.kinds[0])
	}
	// The phone is the owner's phone, and the amount due is the amount.
	ends := len(want.of) == 1 && want.of[0] == have.of[len(have.of)-1]
	return ends || slices.Equal(want.of, have.of) || (len(have.of) == 1 && slices.Contains(want.of, have.of[0]))
}

// areOfTwoUnits reports whether two names say that what they hold is in different units of one measure: the rate by the day is not that by the hour.
func areOfTwoUnits(description, member []string) bool {
	if len(description) < 2 || len(member) < 2 {
		return false
	}
	want, have := unitsIn(description[1:]), unitsIn(member[1:])
	isSame := func(u unit) bool { return slices.Contains(have, u) }
	isOther := func(u unit) bool { return slices.ContainsFunc(have, func(h unit) bool { return h.of == u.of }) }
	return !slices.ContainsFunc(want, isSame) && slices.ContainsFunc(want, isOther)
}

// near returns the only member of a result that a description may mean; empty for none, or
// several. The name of the argument decides between several: a node's id is its node. One that is
// to hold addresses of a kind holds nothing else.
func (m *matcher) near(r *Result, description []string, argument string, kind scope.Kind) string {
	description = m.head(r, description)
	if just := m.calledJust(r, description); just != "" && m.holdsOnly(r, just, kind) {
		return just
	}
	var found []string
	for name := range r.members {
		if !m.step() {
			return ""
		}
		isGuess := len(description) > 0 && r.parts[name] == 0 && m.guessable(r, name) && nearly(description, strings.Fields(name))
		mayMean := isGuess && (!m.strangers(name) || m.ownNumber(r, name, argument))
		if mayMean && m.everywhere(r, name) && m.holdsOnly(r, name, kind) && !m.isOfOther(r, description, name) {
			found = append(found, name)
		}
	}

	if len(found) > 0 && argument != "" {
		if own := m.ofThing(r, description); own != "" {
			return own
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	if own := m.ofThing(r, description); len(found) == 0 && own != "" && m.tellsApart(r, own) {
		return own
	}
	isEnd := func(name string) bool { return meaningOf(strings.Fields(name)).of[0] == "end" }
	if starts := slices.DeleteFunc(found, isEnd); len(starts) == 1 {
		return starts[0] // the day of something that has a start and an end
	}
	if argument == "" {
		return ""
	}
	return m.called(r, argumentName(argument))
}

// ofThing returns the only member that is called as the thing whose id a description names: the
// id of the recording is the recording, and not the id of the request for it. It is empty for none,
// or several.
func (m *matcher) ofThing(r *Result, description []string) string {
	want := meaningOf(description).of
	if len(want) < 2 || want[len(want)-1] != "id" {
		return ""
	}
	found := ""
	for name := range r.members {
		have := meaningOf(strings.Fields(name))
		same := !have.bare && len(have.kinds) == 0 && slices.Equal(have.of, want[:len(want)-1])
		if !m.step() || !same || !m.guessable(r, name) || !m.everywhere(r, name) {
			continue
		}
		if found != "" {
			return ""
		}
		found = name
	}
	return found
}

// tellsApart reports whether a member has in each of the outermost records a code of its own: who lists loans and writes "loan: L-204"
// gives their ids.
func (m *matcher) tellsApart(r *Result, name string) bool {
	return !m.strangers(name) && m.hasCodes(r, name)
}

// hasCodes reports whether a member has in each of the outermost records a code of its own, whoever may have filled it.
func (m *matcher) hasCodes(r *Result, name string) bool {
	if !m.work(len(r.fields) * perStep) {
		return false
	}
	seen := map[string]bool{}
	for i := range r.fields {
		f := &r.fields[i]
		if f.name != name {
			continue
		}
		if !r.outermost(f.record) || !isCode(f.text) || len(f.text) > maxNumber || seen[f.text] {
			return false
		}
		seen[f.text] = true
	}
	return len(seen) > 0
}

// rivals reports whether a member that all records have may be meant by a description, though its
// values speak against it: then a name that an attacker put into one record, or a text that has
// the name in it, doesn't replace it.
func (m *matcher) rivals(r *Result, description []string) bool {
	description = m.head(r, description)
	for name := range r.members {
		if !m.step() {
			return true
		}
		if len(description) > 0 && r.parts[name] == 0 && nearly(description, strings.Fields(name)) && m.everywhere(r, name) {
			return true
		}
	}
	return false
}

// strangers reports whether a member is one that strangers may have filled, so that what can't
// be taken back doesn't rely on a guess at it.
func (m *matcher) strangers(name string) bool {
	return m.irreversible && lexicon().Filled.In(strings.Fields(name))
}

// holdsOnly reports whether all values of a member are of a kind that is told by its shape,
// and no other member is more likely to hold it.
func (m *matcher) holdsOnly(r *Result, name string, kind scope.Kind) bool {
	if !sharp(kind) {
		return true
	}
	holder := lexicon().holders(kind).In(strings.Fields(name))
	for i := range r.fields {
		f := &r.fields[i]
		if !m.work(len(f.text)) {
			return false
		}
		of := isOf(f.text, kind)
		foreign := f.name == name && f.text != "" && !of
		likelier := f.name != name && of && !holder && r.members[f.name] && f.part == nil && lexicon().holders(kind).In(f.key)
		if foreign || likelier {
			return false
		}
	}
	return true
}

// called returns the only member of a result that is called as an argument, or the id or
// number of it; empty for none, or several.
func (m *matcher) called(r *Result, argument []string) string {
	want := meaningOf(argument).of
	found := ""
	for name := range r.members {
		if !m.step() {
			return ""
		}
		have := meaningOf(strings.Fields(name))
		if len(have.of) == 0 {
			continue
		}
		isID := have.of[len(have.of)-1] == "id" && slices.Equal(want, have.of[:len(have.of)-1])
		is := isID || slices.Equal(want, have.of)
		if !is || m.strangers(name) || !m.guessable(r, name) || !m.everywhere(r, name) {
			continue
		}
		if found != "" {
			return ""
		}
		found = name
	}

	return found
}

// everywhere reports whether each record of the lists in which a member is has it, or the tool is
// known to name it itself.
func (m *matcher) everywhere(r *Result, name string) bool {
	if r.known[name] && !m.against {
		return true
	}
	if !m.work(2 * len(r.fields) * perStep) {
		return false
	}

	lists := map[string]map[string]bool{}
	for i := range r.fields {
		if f := &r.fields[i]; f.name == name {
			list := r.listOf(f.record)
			if lists[list] == nil {
				lists[list] = map[string]bool{}
			}
			lists[list][f.record] = true
		}
	}
	for _, record := range r.inOrder {
		if have := lists[r.listOf(record)]; have != nil && !have[record] {
			return false
		}
	}
	return true
}

// listOf returns what [listOf] does, which is known of the records of a result.
func (r *Result) listOf(record string) string {
	if list, known := r.inList[record]; known {
		return list
	}
	return listOf(record)
}

// listOf returns the pointer of the list that a record is in, with those around it as
// patterns: the buyers of all orders are of one list.
func listOf(record string) string {
	var b strings.Builder
	b.Grow(len("/") + len(record))
	for segment := range strings.SplitSeq(record, "/") {
		if strictjson.IsIndex(segment) {
			segment = "*"
		}
		b.WriteByte('/')
		b.WriteString(segment)
	}
	return b.String()
}
