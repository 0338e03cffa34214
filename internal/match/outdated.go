package match

import (
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/remit-project/remit/internal/scalar"
	"github.com/remit-project/remit/label"
)

// Of a call that can't be taken back what is known now counts, by whatever filter it was found.

// isOutdated reports whether a later result has the record of a value with another member, or the same call was made again and doesn't have it.
func (m *matcher) isOutdated(v candidate) bool {
	place := m.placeOf(v)
	if place < 0 || !m.results[place].structured {
		return false
	}
	if m.isSuperseded(m.results[place], v.record.pointer) {
		return true
	}
	if isLast := place == len(m.results)-1; isLast {
		return false
	}

	of, record, calls := m.results[place], v.record.pointer, m.sequence().calls
	key, isShared := m.keyOf(of, record)
	if key == nil {
		return false
	}

	alike := m.laterLikeness(place, record, key, isShared)
	for _, n := range alike {
		if n.others > 0 && (!isShared || n.same == 0) {
			return true
		}
	}
	if !isShared && m.isLost(place, record, key, alike) {
		return true
	}
	return slices.ContainsFunc(m.sequence().results[calls[place]], func(i int) bool {
		r, isLater := m.results[i], i > place && m.step()
		return isLater && r.tellsNow(of) && alike[i] == (likeness{}) && !r.more && !r.partial // it is gone
	})
}

// laterLikeness counts, by the places of later results, their records that have the key of a record: those that say the same, and others.
func (m *matcher) laterLikeness(place int, record string, key *field, isShared bool) map[int]likeness {
	of, alike := m.results[place], map[int]likeness{}
	for _, at := range m.having(*key) {
		r, isLater := m.results[at.result], at.result > place && m.step()
		isList := r.Tool == of.Tool
		isSameThing := isFullName(key.key, r, of) || r.isAskedBy(key) || isOfOneThing(r, of)
		isOther := !isList && (isShared || !isSameThing) // the id 7 of something else
		if !isLater || isOther || !r.tellsNow(of) || !r.outermost(at.record) {
			continue
		}
		n := alike[at.result]
		if m.haveOtherwise(of, record, r, at.record, isList) {
			n.others++
		} else {
			n.same++
		}
		alike[at.result] = n
	}
	return alike
}

// isOfTwo reports whether another record in the list of a value's begins with the same id, and has something else otherwise: what the call
// then is about, nobody can tell. What things are known by need not be called an id (the imo of a vessel), where the request means both records.
func (m *matcher) isOfTwo(v candidate, hits []candidate) bool {
	place, record := m.placeOf(v), v.record.pointer
	if place < 0 || !m.results[place].doubled || len(m.results[place].records[record]) == 0 {
		return false
	}
	r := m.results[place]
	id := r.fields[r.records[record][0]]
	if id.text != v.text || !id.tellsApart() {
		return false
	}
	isHit := func(record string) bool {
		return slices.ContainsFunc(hits, func(h candidate) bool { return m.step() && h.record == recordID{r.Call, record} })
	}
	list := record[:strings.LastIndexByte(record, '/')+1]
	return slices.ContainsFunc(m.having(id), func(at spot) bool {
		isBeside := at.result == place && at.record != record && at.record[:strings.LastIndexByte(at.record, '/')+1] == list
		return isBeside && m.step() && (isID(id.key) || isHit(at.record)) && m.haveOtherwise(r, record, r, at.record, true) && !m.isNotCalled(r, record, at.record)
	})
}

// isNotCalled reports whether a record isn't what the call is about since the call has, under its very name, a value that it has otherwise than the
// record that is meant: the year, of two deadlines of one file.
func (m *matcher) isNotCalled(r *Result, record, other string) bool {
	valueOf := func(name, record string) (text string, has bool) {
		for _, i := range r.records[record] {
			if f := &r.fields[i]; f.name == name && f.part == nil && !f.null {
				return f.text, true
			}
		}
		return "", false
	}
	return slices.ContainsFunc(m.proposal.Args, func(a Argument) bool {
		name := strings.Join(argumentName(a.Pointer), " ")
		tells := !a.Empty && a.Role != label.Content && r.members[name] // what a call says picks no record
		if !tells || !m.work((len(r.records[record])+len(r.records[other]))*perStep) {
			return false
		}
		is, has := valueOf(name, record)
		otherwise, hasOther := valueOf(name, other)
		return has && hasOther && same(is, a.Text, false) && !same(otherwise, is, false)
	})
}

// isFullName reports whether the name of a member by which a record is known says what the record is: it has several words, or is the thing
// that two tools are called after (lot, of get_lot and list_lots).
func isFullName(key []string, results ...*Result) bool {
	isOther := func(r *Result) bool {
		return !slices.ContainsFunc(words(r.Tool), func(w string) bool { return thing(w) == thing(key[0]) && telling(w) })
	}
	return len(key) > 1 || (len(key) == 1 && !slices.ContainsFunc(results, isOther))
}

// isAskedBy reports whether the call of a result asks for the thing that a member tells, under the member's name or that of the thing: it
// answers with that thing, whatever else has the id 7.
func (r *Result) isAskedBy(key *field) bool {
	return slices.ContainsFunc(r.Args, func(a Argument) bool {
		name := argumentName(a.Pointer)
		isNamed := (len(key.key) > 0 && endsIn(name, key.key[len(key.key)-1])) || (len(name) == 1 && r.isAbout(name[0]))
		return !a.Empty && a.Text == key.text && isNamed
	})
}

// isOfOneThing reports whether two tools are called as look-ups of the same things: list_boxes and get_box.
func isOfOneThing(a, b *Result) bool {
	things := func(r *Result) []string {
		var out []string
		for _, w := range words(r.Tool) {
			if !lexicon().LookUps.Has(w) {
				out = append(out, thing(w))
			}
		}
		return out
	}
	of := things(a)
	return len(of) > 0 && slices.Equal(of, things(b))
}

// likeness counts the records of a later result that have the key of one, by whether they have its other members too.
type likeness struct{ same, others int }

// tellsNow reports whether a later result may say what has become of a record of an earlier one.
func (r *Result) tellsNow(of *Result) bool {
	return r.Server == of.Server && r.Read && r.structured && !r.failed()
}

// spot is where a field is: in which result, and in which of its records.
type spot struct {
	result int
	record string
}

// having returns where the results have a member as a field has it.
func (m *matcher) having(key field) []spot {
	if known, ok := m.spots[key.name]; ok {
		return known[key.text]
	}

	all := map[string][]spot{}
	for i, r := range m.results {
		if !m.step() || !r.members[key.name] || !m.work(len(r.fields)*perStep) {
			continue
		}
		for j := range r.fields {
			if f := &r.fields[j]; f.name == key.name {
				all[f.text] = append(all[f.text], spot{i, f.record})
			}
		}
	}
	if m.spots == nil {
		m.spots = map[string]map[string][]spot{}
	}
	m.spots[key.name] = all
	return all[key.text]
}

// keyOf returns the member by which a record is known: its first one that no other record of the result has. Where others have them all it is
// the first that is called as an id, and shared; nil where there is none.
func (m *matcher) keyOf(r *Result, record string) (key *field, shared bool) {
	first, own := m.firstWith(r), r.records[record]
	if !m.work(len(own) * perStep) {
		return nil, false
	}
	for _, i := range own {
		f := &r.fields[i]
		if f.null || f.text == "" || f.words == nil {
			continue
		}
		if first[nameAndText{f.name, f.text}] != several {
			return f, false
		}
		if key == nil && isID(f.key) {
			key = f
		}
	}
	return key, key != nil
}

// nameAndText is what a member of a record is called and says.
type nameAndText struct{ name, text string }

// several stands for a member that several records have.
const several = -1

// firstWith returns the first field of a result with each member, or that several records have it.
func (m *matcher) firstWith(r *Result) map[nameAndText]int {
	if known, ok := m.members[r]; ok || !m.work(len(r.fields)*perStep) {
		return known
	}
	first := make(map[nameAndText]int, len(r.fields))
	for i := range r.fields {
		f := &r.fields[i]
		at := nameAndText{f.name, f.text}
		if before, ok := first[at]; !ok {
			first[at] = i
		} else if before != several && r.fields[before].record != f.record {
			first[at] = several
		}
	}
	if m.members == nil {
		m.members = map[*Result]map[nameAndText]int{}
	}
	m.members[r] = first
	return first
}

// haveOtherwise reports whether two records of one thing have a member in different ways, or the later one says what a number is in. Of two
// tools only numbers, days, switches and states count, since each may write texts in its own way, and other words in what a condition is on.
func (m *matcher) haveOtherwise(r *Result, record string, other *Result, in string, alike bool) bool {
	for _, i := range r.records[record] {
		f := &r.fields[i]
		text := sync.OnceValue(func() string { return canonical(f.text) })
		isSame := func(j int) bool {
			have := other.fields[j].text
			return have == f.text || (m.work(len(have)+len(f.text)) && canonical(have) == text()) || (!alike && isSameTime(have, f.text))
		}
		isOf := func(j int) bool {
			o := &other.fields[j]
			isKnown := o.name == f.name && !alike && ((f.words != nil && m.isConditioned(f) && o.isOtherWord(f)) || f.isOfOtherParty(o))
			return isKnown || (o.name == f.name && (alike || (o.isFact(f) && !(f.isOfReading() && !m.isConditioned(f)))))
		}
		isNewUnit := func(j int) bool {
			o := &other.fields[j]
			return f.numeric && !r.members[o.name] && f.isMeasuredBy(o)
		}

		if !m.work(perStep * len(other.records[in])) {
			return true
		}
		if slices.ContainsFunc(other.records[in], isNewUnit) {
			return true
		}
		if slices.ContainsFunc(other.records[in], isOf) && !slices.ContainsFunc(other.records[in], func(j int) bool { return isOf(j) && isSame(j) }) {
			return true
		}
	}
	return false
}

// isFact reports whether a member and one of the same name of another tool say the same in the same form: numbers, switches, states in a word,
// and days, but of when something was last changed.
func (f *field) isFact(other *field) bool {
	both := func(is func(*field) bool) bool { return is(f) && is(other) }
	isSwitch := func(f *field) bool { return f.text == "true" || f.text == "false" }
	isState := func(f *field) bool { return lexicon().States.Ends(f.key) && isOneWord(f.text) }
	isDay := func(f *field) bool { return isMoment(f.text) && !lexicon().Past.In(f.key) }
	return both(func(f *field) bool { return f.numeric }) || both(isSwitch) || both(isState) || both(isDay)
}

// isOtherWord reports whether two texts have no word in common, as two ways to write one have.
func (f *field) isOtherWord(other *field) bool {
	one, of := words(f.text), words(other.text)
	return len(one)*len(of) > 0 && !slices.ContainsFunc(one, func(w string) bool { return slices.Contains(of, w) })
}

// isOfReading reports whether a member is one that changes by being read: whether a thing was, or when it last was, or somebody was there. When
// it was last paid is a fact.
func (f *field) isOfReading() bool {
	isLast := len(f.key) > 0 && f.key[0] == "last" && lexicon().OfUse.In(f.key) && isMoment(f.text)
	return isLast || (lexicon().OfReading.In(f.key) && !f.numeric)
}

// isConditioned reports whether the entry has a word of a member's name in a condition, or in what it chooses by.
func (m *matcher) isConditioned(f *field) bool {
	if m.in.conditioned == nil {
		m.in.conditioned = m.in.conditionWords()
	}
	return !m.work(len(f.key)*perStep) || slices.ContainsFunc(f.key, func(w string) bool { return m.in.conditioned[w] })
}

// conditionWords returns the words of the members that an entry names in its conditions and sources, and of what it chooses by.
func (e *Call) conditionWords() map[string]bool {
	out := map[string]bool{}
	add := func(all []string) {
		for _, w := range all {
			out[w] = true
		}
	}

	of := Scope{Calls: []Call{*e}}
	of.eachSource(func(s *Source) {
		add(s.name())
		for i := range s.Where {
			for each := range s.Where[i].each {
				add(each.name())
			}
		}
	})
	for i := range e.Args {
		add(words(e.Args[i].By))
	}
	return out
}

// isSameTime reports whether two texts are the same moment in two zones, or one is the day of the other.
func isSameTime(one, other string) bool {
	a, isTime := moment(strings.TrimSpace(one))
	b, isAlso := moment(strings.TrimSpace(other))
	isDayOf := func(day, of string) bool { return len(day) == len(time.DateOnly) && strings.HasPrefix(of, day) }
	isEqual := a.Equal(b) && (a.Location() == scalar.Unzoned) == (b.Location() == scalar.Unzoned)
	return isTime && isAlso && (isEqual || isDayOf(one, other) || isDayOf(other, one))
}

// isOneWord reports whether a text is a word of letters.
func isOneWord(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '_' })
}
