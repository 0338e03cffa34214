package match

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/scope"
)

// selection says which records of a result count; nil for all of them.
type selection map[string]bool

// has reports whether a record counts, or an object around it. The elements of a list in
// a record are records of their own.
func (s selection) has(record string) bool {
	for s != nil && !s[record] {
		i := strings.LastIndexByte(record, '/')
		if i < 0 || strictjson.IsIndex(record[i+1:]) {
			return false
		}
		record = record[:i]
	}
	return true
}

// only returns the selected record, where there is just one that is not the whole result; else empty.
func (s selection) only() string {
	if len(s) != 1 {
		return ""
	}
	for record, is := range s {
		if is {
			return record
		}
	}
	return ""
}

// selected returns the records that a source selects, of those that are what its call asked for.
func (m *matcher) selected(s *Source, c *Constraint, r *Result) selection {
	return m.answering(s, r, m.selecting(s, c, r))
}

// selecting returns the records that a source selects: by its conditions, else by what
// the call was asked for, else by the words of its description.
func (m *matcher) selecting(s *Source, c *Constraint, r *Result) selection {
	if where, filtered := m.where(s, r); filtered {
		return m.allMeeting(where, r)
	} else if len(where) > 0 {
		return m.oneOfEach(where, c, r, m.conditioned(s, c, where, r))
	}
	terms := termsOf(s)
	asked := m.recordsWith(r, func(f *field) bool {
		return f.part == nil && r.outermost(f.record) && slices.ContainsFunc(terms, func(t term) bool { return t.isIn(f) })
	})
	if asked != nil {
		return m.unrivalled(asked, r, func() selection { return m.saying(terms, r) })
	}

	if m.joining || m.lent {
		return nil // the author of words like the description's would choose the value
	}
	d := m.described(s, c, r)
	isNamed, _ := m.member(r, s.name(), "")
	told := m.recordsWith(r, func(f *field) bool { return !isNamed(f) && d.tells(f) && !(m.irreversible && f.isNote()) })
	strict := (m.irreversible || m.strict) && !m.against
	// Of what has no order, several are a question anyway.
	ordered := c.Pick == scope.Choice && slices.ContainsFunc(words(c.By), func(w string) bool { return isSuperlative(w) || ordinalOf(w) > 0 })
	switch {
	case c.Pick == scope.All && c.By != "" && told == nil:
		return selection{} // what the criterion is about is nowhere: all would be more than is said
	case ordered && strict:
		return m.withNumbers(c, r, told)
	case told != nil && m.irreversible && !m.against:
		return m.withSpeaking(told, d, r, isNamed)
	}
	return told
}

// described returns what a source says in words of the record that is meant. The words "earliest departure" in a record don't make it that.
func (m *matcher) described(s *Source, c *Constraint, r *Result) description {
	d := describe(s.Field + " " + c.unranked())
	isOrder := func(w string) bool {
		return isSuperlative(w) || (c.Pick == scope.Choice && (mayBeSuperlative(w) || countOf(w) > 0))
	}
	d.whole = c.Pick == scope.Choice && slices.ContainsFunc(d.words, isOrder)
	d.words = slices.DeleteFunc(d.words, func(w string) bool { return isOrder(w) || m.isMember(r, w) })
	return d
}

// oneOfEach leaves out the records of a name that several have, where all are meant, a condition lists names of the things themselves, and
// the call can't be taken back. Of "Ida and Kim" each is one, and anybody may be called Kim.
func (m *matcher) oneOfEach(where []Match, c *Constraint, r *Result, selected selection) selection {
	if c.Pick != scope.All || c.Computed || !m.irreversible || m.against || m.joining || len(selected) < 2 {
		return selected
	}

	out := maps.Clone(selected)
	for i := range where {
		w := &where[i]
		values := asValues(w.looked())
		// Several words that names contain tell a kind of thing, of which there are many, unless they are names.
		isKind := len(w.Is) == 0 && slices.ContainsFunc(w.Contains, func(of string) bool { return !isCapital(of) })
		if len(values) < 2 || areOneName(values) || isKind || !m.isOwnName(w, r) {
			continue
		}
		for _, v := range values {
			of := m.allMeeting([]Match{w.ofOne(v)}, r)
			maps.DeleteFunc(of, func(record string, _ bool) bool { return !selected[record] })
			if len(of) > 1 {
				maps.DeleteFunc(out, func(record string, _ bool) bool { return of[record] })
			}
		}
	}
	return out
}

// ofOne returns a condition as one with a single one of its alternatives.
func (w *Match) ofOne(v scope.Value) Match {
	one := *w
	one.words = w.name()
	if len(w.Is) > 0 {
		one.Is = []scope.Value{v}
	} else {
		one.Contains = []string{string(v)}
	}
	return one
}

// isCapital reports whether a text begins with a capital, as names do where there are any.
func isCapital(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(first)
}

// isOwnName reports whether a condition is on what the things that a result lists are called: by a name, or as a whole by a title.
func (m *matcher) isOwnName(w *Match, r *Result) bool {
	is, _ := m.condition(w, r)
	at := slices.IndexFunc(r.fields, func(f field) bool { return is(&f) })
	if at < 0 || !m.work(len(r.fields)) || !m.isName(r, r.fields[at].name) {
		return false
	}
	return len(w.Is) > 0 || !lexicon().Titles.Ends(r.fields[at].key)
}

// conditioned returns the records that the conditions of a source select, or the elements of the list in them that it names.
func (m *matcher) conditioned(s *Source, c *Constraint, where []Match, r *Result) selection {
	if elements := m.elementsMeeting(s, where, r); elements != nil {
		return elements
	}
	selected := m.unrivalled(m.meeting(where, r), r, func() selection { return m.allMeeting(loosened(where), r) })
	isFinal := m.irreversible && !m.against && !m.joining && len(selected) > 0
	if isFinal && c.Pick == scope.Only && m.isInCompound(where, selected, r) {
		return selection{}
	}
	if isFinal && !c.Computed && (c.Pick == scope.Only || c.Pick == scope.Choice) && m.mayMeanAnother(where, selected, r) {
		return selection{}
	}
	return selected
}

// withNumbers returns the records that have the numbers in the words of a choice, in the members that these name ("the cheapest 2 bedroom
// flat"); nil where there are no numbers. It returns none where other words leave a record out: who wrote it may have known them.
func (m *matcher) withNumbers(c *Constraint, r *Result, told selection) selection {
	d := describe(c.unranked())
	var out selection
	for i, w := range d.words {
		n, ok := number(w)
		if !ok || !d.amounts[n] {
			continue
		}
		beside := d.words[max(0, i-1):min(len(d.words), i+2)]
		has := m.recordsWith(r, func(f *field) bool {
			of, isNumber := number(f.text)
			return isNumber && of == n && slices.ContainsFunc(beside, func(w string) bool { return telling(w) && endsIn(f.key, w) })
		})
		if out == nil {
			out = has
		}
		maps.DeleteFunc(out, func(record string, _ bool) bool { return !has[record] })
		if len(out) == 0 {
			return selection{} // the number of something else
		}
	}

	if out == nil && told != nil && m.leavesOut(told, r) {
		return selection{}
	}
	return out
}

// leavesOut reports whether a selection leaves out a record of a list that one of its records is in.
func (m *matcher) leavesOut(s selection, r *Result) bool {
	lists := map[string]bool{}
	for record := range s {
		lists[r.listOf(record)] = true
	}
	return slices.ContainsFunc(r.inOrder, func(record string) bool { return m.step() && !s.has(record) && lists[r.listOf(record)] })
}

// withSpeaking adds the records that may have what tells others, in another form: as a part of a compound, inflected, or as a number
// among words. Who wrote the word that tells may have known it.
func (m *matcher) withSpeaking(told selection, d description, r *Result, isNamed func(*field) bool) selection {
	var said []string
	for record := range told {
		for _, i := range r.records[record] {
			if f := &r.fields[i]; d.tells(f) && m.step() {
				said = append(said, f.words...)
			}
		}
	}
	said = slices.DeleteFunc(said, func(w string) bool { return !telling(w) || !slices.Contains(d.words, w) })
	isSaid := func(text string) bool {
		n, ok := number(plain(text))
		return ok && d.amounts[n]
	}

	out := maps.Clone(told)
	for i := range r.fields {
		f := &r.fields[i]
		other := told.has(f.record) || !r.outermost(f.record) || isNamed(f) || d.saysOfOther(f)
		if isTitle := f.words != nil; other || !isTitle || !m.work((1+len(said))*len(f.text)) {
			continue
		}
		isWord := func(w string) bool { return speaks(f.text, w) }
		isAmount := !isMoment(f.text) && slices.ContainsFunc(numbers().FindAllString(f.text, maxOperands), isSaid)
		if isAmount || slices.ContainsFunc(said, isWord) {
			out[f.record] = true
		}
	}
	return out
}

// isNote reports whether a field holds a remark on its record.
func (f *field) isNote() bool { return lexicon().Notes.Ends(f.key) }

// isMember reports whether a word is in the name of a member of a result.
func (m *matcher) isMember(r *Result, word string) bool {
	for name := range r.members {
		if m.step() && slices.ContainsFunc(strings.Fields(name), func(w string) bool { return sameWord(w, word) }) {
			return true
		}
	}
	return false
}

// recordsWith returns the records that have a field; nil where none has.
func (m *matcher) recordsWith(r *Result, has func(*field) bool) selection {
	var out selection
	for i := range r.fields {
		f := &r.fields[i]
		if !m.step() {
			return selection{}
		}
		if !has(f) {
			continue
		}
		if out == nil {
			out = selection{}
		}
		out[f.record] = true
	}
	return out
}

// meeting returns the records that meet every condition. Where none does, the one whose
// title has the words that the user calls it by.
func (m *matcher) meeting(where []Match, r *Result) selection {
	out := m.allMeeting(where, r)
	if len(out) > 0 || m.joining {
		return out
	}

	if loose, may := m.titled(where); may {
		alike := r.onlyOutermost(m.allMeeting(loose, r))
		if len(alike) == 1 && m.saysNoMore(where, loose, r, alike.only()) {
			return alike
		}
		if len(alike) > 0 {
			return out // which of them, or whether it is that one, is a question
		}
	}

	if m.lent {
		return out // a remark may be a stranger's
	}
	if alike := r.onlyOutermost(m.calling(where, r)); len(alike) == 1 {
		return alike
	}
	return out
}

// onlyOutermost leaves out the records in others: a comment with the user's words is not what
// the user calls so.
func (r *Result) onlyOutermost(s selection) selection {
	out := selection{}
	for record := range s {
		if r.outermost(record) {
			out[record] = true
		}
	}
	return out
}

// isFull reports whether a title is a name in full, which what can't be taken back is held
// to: that of a file with its ending.
func (m *matcher) isFull(title string) bool {
	return m.irreversible && strings.ContainsRune(title, '.')
}

// allMeeting returns the records that meet every condition as it is written; none where those of one
// name may be of two companies.
func (m *matcher) allMeeting(where []Match, r *Result) selection {
	all := m.holdAll(where, r)
	out := selection{}
	hold := func(n int) {
		record := r.inOrder[n]
		fields, outermost := r.at(n)
		unmet := func(alternatives []held) bool {
			for i := range alternatives {
				if m.meetsAt(&alternatives[i], r, record, fields, outermost) {
					return false
				}
			}
			return true
		}
		if !slices.ContainsFunc(all, unmet) && !m.wraps(all, r, record) {
			out[record] = true
		}
	}

	if places, known := m.mayMeet(all, r); known {
		for _, n := range places {
			hold(n)
		}
	} else {
		for n := range r.inOrder {
			hold(n)
		}
	}
	if slices.ContainsFunc(all, func(any []held) bool { return slices.ContainsFunc(any, func(h held) bool { return h.spelt.several }) }) {
		return selection{} // which of them is meant is a question
	}
	return out
}

// elementsMeeting returns the elements of a list in the records that a source names ("guardians name"), for a call that can be taken back;
// nil where there are none. An element meets a condition on what elements of its list have, and the record around it the others.
func (m *matcher) elementsMeeting(s *Source, where []Match, r *Result) selection {
	if m.irreversible || m.against || m.joining || m.lent || len(where) < 2 || len(s.name()) < 2 || !m.work(len(r.fields)) {
		return nil
	}

	var all [][]held
	var out selection
	for _, record := range r.inOrder {
		if !m.step() || !r.isOfList(record, s.name()) {
			continue
		}
		if all == nil {
			all = m.holdAll(where, r)
		}
		around, _ := r.listIn(record)
		if own, met := m.meetsWithin(all, r, record, around); own && met {
			if out == nil {
				out = selection{}
			}
			out[record] = true
		}
	}
	return out
}

// listIn returns the record around an element of a list in it, and the words of the list's name; none for another record.
func (r *Result) listIn(record string) (around string, list []string) {
	at := strings.LastIndexByte(record, '/')
	if at < 0 || !strictjson.IsIndex(record[at+1:]) {
		return "", nil
	}
	name := strings.LastIndexByte(record[:at], '/')
	if name < 0 || !r.outermost(record[:name]) || !r.isRecord(record[:name]) {
		return "", nil
	}
	return record[:name], words(strictjson.UnescapeToken(record[name+1 : at]))
}

// meetsWithin reports whether an element meets the conditions on what the elements of its list have, of which there is one, and the record
// around it the others.
func (m *matcher) meetsWithin(all [][]held, r *Result, element, around string) (own, met bool) {
	list := r.listOf(element)
	for _, alternatives := range all {
		isIn := func(i int) bool {
			f := &r.fields[i]
			return r.listOf(f.record) == list && slices.ContainsFunc(alternatives, func(h held) bool { return h.isNamed(f) })
		}
		at := around
		if m.work(len(r.nested[around])*perStep) && slices.ContainsFunc(r.nested[around], isIn) {
			at, own = element, true
		}
		if !slices.ContainsFunc(alternatives, func(h held) bool { return m.meets(&h, r, at) }) {
			return own, false
		}
	}
	return own, true
}

// titled returns conditions in which a title has the words that it was to be; false where
// there is no such condition.
func (m *matcher) titled(where []Match) ([]Match, bool) {
	out := slices.Clone(where)
	found := false
	for i := range out {
		w := &out[i]
		name := head(w.name())
		exact := w.exact || len(w.Or) > 0
		if len(name) == 0 || len(w.Is) != 1 || exact || m.isFull(string(w.Is[0])) {
			continue
		}
		last := name[len(name)-1]
		if lexicon().Titles.Has(last) || (last == "name" && !m.irreversible) {
			w.words, w.Contains, w.Is = w.name(), []string{string(w.Is[0])}, nil
			found = true
		}
	}
	return out, found
}

// calling returns the records in which another short text of the record's author has the
// words of the only condition, which is on a title: "my dental check-up" is entered as
// something else, and described so. A remark on a record doesn't count, nor does a single
// word where the call can't be taken back. One that can takes any of several words, also for a name.
func (m *matcher) calling(where []Match, r *Result) selection {
	if len(where) != 1 || where[0].exact || len(where[0].Or) > 0 || where[0].bounded() || where[0].edges() != nil {
		return nil
	}
	looked := where[0].looked()
	isVague := func(text string) bool {
		words := spaced(text)
		return m.isFull(text) || len(words) < len("xxx") || (m.irreversible && !strings.Contains(words, " "))
	}
	name := head(where[0].name())
	titled := len(name) > 0 && (lexicon().Titles.Has(name[len(name)-1]) || (!m.irreversible && name[len(name)-1] == "name"))
	if !titled || (m.irreversible && len(looked) > 1) || slices.ContainsFunc(looked, isVague) {
		return nil
	}

	return m.recordsWith(r, func(f *field) bool {
		authors := lexicon().Titles.Ends(f.key) || lexicon().Bodies.Ends(f.key) || (!m.irreversible && lexicon().Notes.Ends(f.key))
		says := func(text string) bool {
			return m.work(len(f.text)+len(text)) && appears(spaced(f.text), spaced(text)) && hasSigns(fold(f.text), fold(text))
		}
		return authors && f.words != nil && slices.ContainsFunc(looked, says)
	})
}

// term is what a source was asked for by one of its arguments, as a file is by its name.
type term struct {
	name   []string
	values []scope.Value
}

// termsOf returns what a source was asked for.
func termsOf(s *Source) []term {
	const least = 3 // a shorter value, such as a number, is in other fields by accident
	var out []term
	for _, c := range s.Args {
		long := slices.DeleteFunc(slices.Clone(c.Is), func(v scope.Value) bool { return len(v) < least })
		if len(long) > 0 && c.From == nil {
			_, name := split(c.Pointer)
			out = append(out, term{words(name), long})
		}
	}
	return out
}

// isIn reports whether a whole field is the term. The field has the argument's name: else a
// mail that is titled with a search's words would count as the only one found.
func (t term) isIn(f *field) bool {
	return f.named(t.name) && slices.ContainsFunc(t.values, func(v scope.Value) bool { return same(string(v), f.text, false) })
}

// description is what a scope says in words of the record that is meant.
type description struct {
	words   []string
	amounts map[string]bool
	// whole is set where a field has to be in the description as a whole.
	whole bool
}

func describe(text string) description {
	d := description{words: words(text), amounts: map[string]bool{}}
	for _, at := range numbers().FindAllStringIndex(text, maxOperands) {
		before, _ := utf8.DecodeLastRuneInString(text[:at[0]])
		ofWord := unicode.IsLetter(before) || before == '_' // the 2 of area_m2 is no amount
		if v, ok := number(plain(text[at[0]:at[1]])); ok && !ofWord {
			d.amounts[v] = true
		}
	}
	return d
}

// tells reports whether a field identifies its record by the words of the description. Every
// record that shares a telling word counts: a person is asked which of several is meant.
func (d description) tells(f *field) bool {
	if v, ok := number(f.text); ok {
		return d.amounts[v]
	}
	if len(f.words) == 0 || len(f.text) < 3 || d.saysOfOther(f) {
		return false
	}
	if d.whole || d.contains(f.words) {
		return d.contains(f.words)
	}
	return slices.ContainsFunc(f.words, func(w string) bool { return telling(w) && slices.Contains(d.words, w) })
}

// saysOfOther reports whether the description has a party in the other direction: "from Ann"
// doesn't mean a record that Ann received.
func (d description) saysOfOther(f *field) bool {
	if len(f.key) == 0 {
		return false
	}
	other := opposite[directions()[f.key[0]]]
	return other != "" && d.contains(append([]string{other}, f.words...))
}

// contains reports whether words appear in a row in the description.
func (d description) contains(row []string) bool {
	for i := 0; i+len(row) <= len(d.words); i++ {
		if slices.Equal(d.words[i:i+len(row)], row) {
			return true
		}
	}
	return false
}

// directions are the prepositions that go with the members that hold a party, and
// opposite those that go with the other party.
var (
	directions = sync.OnceValue(func() map[string]string {
		return map[string]string{
			"sender": "from", "from": "from", "payer": "from", "author": "from",
			"recipient": "to", "recipients": "to", "to": "to", "payee": "to",
		}
	})
	opposite = map[string]string{"from": "to", "to": "from"}
)

// telling reports whether a word may distinguish a record from others.
func telling(w string) bool { return len(w) >= 3 && !lexicon().Common.Has(w) }
