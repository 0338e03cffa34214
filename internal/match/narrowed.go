package match

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// isOrder reports whether an argument says no more than how a listing is written, or in which order.
// A direction may also be that of payments, and an order one that somebody placed.
func isOrder(r *Result, name []string, text string) bool {
	other := func(w string) bool { return !lexicon().Orders.Has(w) && !lexicon().Besides.Has(w) }
	if !lexicon().Orders.In(name) || slices.ContainsFunc(name, other) {
		return false
	}
	bare := len(name) == 1 && (name[0] == "order" || name[0] == "direction")
	return !bare || lexicon().Senses.Has(fold(text)) || (r.level != nil && r.level.members[strings.Join(words(text), " ")])
}

// pickedLate reports whether an argument that no source states may leave records out of a
// result, and may have been chosen by who wrote what the session read before it.
func (m *matcher) pickedLate(r *Result, a Argument) bool {
	key := argumentName(a.Pointer)
	if r.Early || a.Usual {
		return false
	}
	if m.filters(r, key) {
		return !m.statedFor(key, a.Text)
	}
	if lexicon().Settings.In(key) {
		return false
	}

	n, err := whole(a.Text)
	isNumber := err == nil
	switch {
	case isNumber && r.isSize(key):
		return m.pages(r, a)
	case isNumber && lexicon().Offsets.In(key):
		return n != 0
	case isNumber:
		return true
	}
	off := a.Text == "false" && !lexicon().Included.In(key)
	return !off && !isOrder(r, key, a.Text) && !m.statedFor(key, a.Text)
}

// filters reports whether an argument is called as a member of a result's records, or as a side of
// one, so that it may leave out those with another value, whatever else its words mean: a size, or
// the most that something costs.
func (m *matcher) filters(r *Result, key []string) bool {
	if r.level == nil || len(key) == 0 {
		return false
	}
	isSide := func(w string) bool { return lexicon().Upper.Has(w) || lexicon().Lower.Has(w) }
	of := slices.DeleteFunc(slices.Clone(key), isSide)
	return r.level.members[strings.Join(key, " ")] || r.level.members[strings.Join(of, " ")]
}

// narrowsAsMeant reports whether an argument of an earlier call leaves out of its result nothing that
// a source's conditions select: it says the same as one of them.
func (m *matcher) narrowsAsMeant(s *Source, r *Result, a Argument, of *Constraint) bool {
	if m.searchesAll(r, a) && (m.saysWords(s, a) || (len(s.Where) == 0 && m.describes(of, r, a))) {
		return true
	}
	if m.coversSpan(s, r, a) || m.isForTheTime(r, a) {
		return true
	}

	onlyTimes := s.onTimes() == 1
	for i := range s.Where {
		w := m.sole(&s.Where[i], r)
		leavesOther := len(w.Or) > 0 && !m.searchesAll(r, a) // those with the other member
		switch {
		case leavesOther:
		case w.From != nil:
			if m.filtersBy(w, r, a) {
				return true
			}
		case m.saysSame(w, r, a, of), m.saysPart(w, r, a), m.boundsSame(w, r, a, onlyTimes), m.identifies(w, s, r, a):
			return true
		}
	}
	return false
}

// saysSame reports whether an argument is a value of a condition, and not called as another member.
// Where all values are meant, one of several words ("candle" of "candle" and "candles") leaves out
// some of them, and adds none.
func (m *matcher) saysSame(w *Match, r *Result, a Argument, of *Constraint) bool {
	is := func(v scope.Value) bool { return v != "" && same(string(v), a.Text, false) }
	stated, looked := w.Is, asValues(w.Contains)
	if some := of.Pick == scope.All && !m.against && !m.strict; !some {
		stated, looked = m.own(stated), m.own(looked)
		if !areOneName(stated) {
			stated = nil
		}
		if len(looked) != 1 {
			looked = nil
		}
	}
	says := slices.ContainsFunc(stated, is) || slices.ContainsFunc(looked, is) || slices.ContainsFunc(asValues(w.edges()), is)
	return says && !m.isOther(w, r, a) && m.mayLookFor(w, r, a)
}

// mayLookFor reports whether an argument is one of words to look for, or may be called as the member of a condition. For what can't be taken
// back, one of another name, which no record has, may leave out others: the rent in the category Rent.
func (m *matcher) mayLookFor(w *Match, r *Result, a Argument) bool {
	if !m.irreversible && !m.against && !m.strict {
		return true
	}
	key := argumentName(a.Pointer)
	isSo := false
	for other := range w.each {
		name := head(other.name())
		isSo = isSo || (len(name)*len(key) > 0 && (nearly(name, key) || nearly(key, name) || names(name, key) || names(key, name)))
	}
	return isSo || m.searchesAll(r, a)
}

// minPart is the least length of a part of a word that tells anything, in characters.
const minPart = 3

// saysPart reports whether an argument is a part of each text that a condition looks for: who looks for
// "tom" finds Tomasz. A tool that looks for whole words leaves him out, so that for what can't be taken
// back the part is one of whole words: "Raman" of Priya Raman.
func (m *matcher) saysPart(w *Match, r *Result, a Argument) bool {
	part := fold(strings.TrimSpace(a.Text))
	if m.against || m.strict || utf8.RuneCountInString(part) < minPart {
		return false
	}
	has := strings.Contains
	if m.irreversible {
		has = appears
	}
	return m.looksFor(w, r, a) && m.inAll(w, part, has) && !m.isOther(w, r, a)
}

// looksFor reports whether an argument is called as one of words to look for, or as the member of a condition: a folder
// that is called as a part of a name is none.
func (m *matcher) looksFor(w *Match, r *Result, a Argument) bool {
	return m.searchesAll(r, a) || slices.Equal(argumentName(a.Pointer), w.name())
}

// saysWords reports whether each word that is looked for, in whatever member it is, is one of the texts that
// a condition of a source looks for: a book's title and its author's name.
func (m *matcher) saysWords(s *Source, a Argument) bool {
	if m.against || m.strict || utf8.RuneCountInString(strings.TrimSpace(a.Text)) < minPart {
		return false
	}
	isSaid := func(word string) bool {
		return slices.ContainsFunc(s.Where, func(w Match) bool { return w.From == nil && m.inAll(&w, word, appears) })
	}
	said := words(a.Text)
	return len(said) > 0 && !slices.ContainsFunc(said, func(word string) bool { return !isSaid(word) })
}

// inAll reports whether a folded part is in each text that a condition looks for, in the way that has tells.
func (m *matcher) inAll(w *Match, part string, has func(text, part string) bool) bool {
	looked := m.own(asValues(w.looked()))
	lacks := func(text scope.Value) bool { return !m.work(len(text)) || !has(fold(string(text)), part) }
	return len(looked) > 0 && !slices.ContainsFunc(looked, lacks)
}

// looked returns the texts that a condition looks for, as words in a member or as all of it.
func (w *Match) looked() []string {
	out := slices.Clone(w.Contains)
	for _, v := range w.Is {
		out = append(out, string(v))
	}
	return out
}

// asValues returns words to look for as values.
func asValues(texts []string) []scope.Value {
	out := make([]scope.Value, 0, len(texts))
	for _, text := range texts {
		out = append(out, scope.Value(text))
	}
	return out
}

// own returns the alternatives that the user's words have: the scope adds translations and other spellings, so that
// more counts, and whoever looks for the user's own words looks for what the user said. For what can't be taken back, only
// those in another script than the user's are left out, since they spell the same name. It returns all where the user
// said none.
func (m *matcher) own(all []scope.Value) []scope.Value {
	if m.against || m.strict || len(all) < 2 {
		return all
	}
	isSaid := func(v scope.Value) bool {
		return v != "" && (m.hasSaid(fold(string(v))) || m.beginsWord(fold(string(v))))
	}
	said := slices.DeleteFunc(slices.Clone(all), func(v scope.Value) bool { return !isSaid(v) })
	switch {
	case len(said) == 0:
		return all
	case !m.irreversible:
		return said
	}
	isInScript := func(v scope.Value) bool {
		return slices.ContainsFunc(said, func(s scope.Value) bool { return isLatin(v) == isLatin(s) })
	}
	return slices.DeleteFunc(slices.Clone(all), func(v scope.Value) bool { return !isInScript(v) })
}

// beginsWord reports whether a word that the user said is a name with a Korean particle: 박지훈도 is Park Jihoon, too.
func (m *matcher) beginsWord(name string) bool {
	const least, particle = 2, 3 // letters
	isHangul := func(text string) bool {
		return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.Is(unicode.Hangul, r) })
	}
	if utf8.RuneCountInString(name) < least || !isHangul(name) || !m.work(len(m.folded)) {
		return false
	}
	for word := range strings.FieldsSeq(m.folded) {
		if rest, is := strings.CutPrefix(word, name); is && isHangul(rest) && utf8.RuneCountInString(rest) <= particle {
			return true
		}
	}
	return false
}

// isLatin reports whether a text has a Latin letter.
func isLatin(v scope.Value) bool {
	return strings.ContainsFunc(string(v), func(r rune) bool { return unicode.Is(unicode.Latin, r) })
}

// boundsSame reports whether an argument bounds a listing no tighter than a condition does.
func (m *matcher) boundsSame(w *Match, r *Result, a Argument, onlyTimes bool) bool {
	only, name := onlyTimes && m.onlyTime(w, r), m.head(r, w.name())
	return w.bounds(name, a) || w.boundsDays(name, a, only) || m.endsToday(w, name, a, only)
}

// endsToday reports whether an argument bounds a listing by today, and a condition is on when something was done: what
// was listed had been done by then.
func (m *matcher) endsToday(w *Match, name []string, a Argument, only bool) bool {
	key, now := argumentName(a.Pointer), m.proposal.Now
	day, ok := moment(a.Text)
	bounds := lexicon().Upper.In(key) && !lexicon().Excluding.In(key) && (isSideOf(name, key) || (only && isBareSide(key)))
	isDone := lexicon().Past.In(w.name()) && w.timed()
	return ok && isDay(scope.Value(a.Text)) && bounds && isDone && !now.IsZero() && !day.Before(dayOf(now))
}

// sole returns a condition on one of several members as one on the only one of them that the records
// of a result have, under its own name; the condition itself where they have others, or none.
func (m *matcher) sole(w *Match, r *Result) *Match {
	if len(w.Or) == 0 || r.level == nil || r.values || !m.work(len(r.level.fields)*perStep) {
		return w
	}
	var only *Match
	for other := range w.each {
		if one := *other; only == nil && r.level.members[strings.Join(one.name(), " ")] {
			one.Or, only = nil, &one
		}
	}
	if only == nil {
		return w
	}

	name := strings.Join(only.name(), " ")
	for other := range w.each {
		isNamed, _ := m.memberOf(r.level, other.name(), "", "", true)
		if slices.ContainsFunc(r.level.fields, func(f field) bool { return isNamed(&f) && f.name != name }) {
			return w
		}
	}
	return only
}

// areOneName reports whether values are one, or one name with its words in any order or in one: Sarah Baker, Baker
// Sarah; 한 서연, 한서연.
func areOneName(values []scope.Value) bool {
	joined := func(v scope.Value) string { return strings.Join(words(string(v)), "") }
	hasNumber := slices.ContainsFunc(values, func(v scope.Value) bool { return strings.ContainsFunc(string(v), unicode.IsDigit) }) // 1-12 is not 11-2
	if len(values) > 0 && !hasNumber && !slices.ContainsFunc(values, func(v scope.Value) bool { return joined(v) != joined(values[0]) }) {
		return true
	}
	ordered := func(v scope.Value) []string { return slices.Sorted(slices.Values(words(string(v)))) }
	return len(values) > 0 && !slices.ContainsFunc(values, func(v scope.Value) bool { return !slices.Equal(ordered(v), ordered(values[0])) })
}

// describes reports whether what is looked for are words by which the scope describes the only record
// that is meant. Records without them would not be taken for it, found or not. Of several words, who wrote what was read before may have
// chosen one: what can't be taken back needs all of one way to say it.
func (m *matcher) describes(c *Constraint, r *Result, a Argument) bool {
	looked, said := words(a.Text), describe(c.By).words
	if c.Pick != scope.Only || len(looked) == 0 || slices.ContainsFunc(looked, func(w string) bool { return !slices.Contains(said, w) }) {
		return false
	}
	if r.Early || !(m.irreversible || m.strict) {
		return true
	}
	return slices.ContainsFunc(waysToSay(c.By), func(way []string) bool {
		return !slices.ContainsFunc(way, func(w string) bool { return !slices.Contains(looked, w) })
	})
}

// searchesAll reports whether an argument is one of words to look for, in whatever member they are:
// it is called as none of the records' members.
func (m *matcher) searchesAll(r *Result, a Argument) bool {
	key := argumentName(a.Pointer)
	return r.level != nil && !r.values && lexicon().Searched.In(key) && !m.filters(r, key)
}

// isPartOfBoth reports whether all that a constraint takes its values from is narrowed by an argument as
// well: of the pupils of a year, those are left out who have an order among the orders of the year. A
// page of either is another part.
func (m *matcher) isPartOfBoth(c *Constraint, a Argument) bool {
	key := argumentName(a.Pointer)
	if !m.against || len(c.From) == 0 || isLimit(key) || lexicon().Lengths.In(key) || lexicon().Offsets.In(key) {
		return false
	}
	states := func(of Arg) bool {
		return of.From == nil && len(of.Is) == 1 && slices.Equal(argumentName(of.Pointer), key) && same(string(of.Is[0]), a.Text, true)
	}
	return !slices.ContainsFunc(c.From, func(s Source) bool { return !slices.ContainsFunc(s.Args, states) })
}

// isOther reports whether an argument is called as another member of the records than a condition's:
// those that Ann works on are not those that she wrote, and leave some of the latter out.
func (m *matcher) isOther(w *Match, r *Result, a Argument) bool {
	name := strings.Join(argumentName(a.Pointer), " ")
	if r.level == nil || r.values || !r.level.members[name] || !m.work(len(r.level.fields)*perStep) {
		return false
	}
	isNamed, _ := m.memberOf(r.level, w.name(), "", "", true)
	return !slices.ContainsFunc(r.level.fields, func(f field) bool { return f.name == name && isNamed(&f) })
}

// onlyTime reports whether the member of a condition is the only one of the records that has times,
// or beside it only the other end of the same: a side without a name may be one of another.
func (m *matcher) onlyTime(w *Match, r *Result) bool {
	if r.level == nil || r.values || !m.work(len(r.level.fields)*perStep) {
		return false
	}
	isNamed, _ := m.memberOf(r.level, w.name(), "", "", true)
	ofSpan := isEdge(w.name())
	return !slices.ContainsFunc(r.level.fields, func(f field) bool {
		return isMoment(f.text) && !isNamed(&f) && !(ofSpan && isEdge(f.key))
	})
}

// identifies reports whether an argument of an earlier call is the id of what a condition names, as a call of the scope found it: where the
// request is about Hartwig, the only doctor of that name is D-12, and the call asked for the appointments of D-12.
func (m *matcher) identifies(w *Match, s *Source, r *Result, a Argument) bool {
	key, name := argumentName(a.Pointer), m.head(r, w.name())
	isID := len(key) == len(name)+1 && key[len(key)-1] == "id" && slices.EqualFunc(key[:len(name)], name, sameWord)
	named := len(w.Is)+len(w.Contains) > 0 && !w.bounded() && !slices.Contains(w.Is, "")
	if m.against || m.joining || !isID || !named {
		return false
	}

	asked := map[[2]string]bool{}
	for _, other := range m.results {
		tool := [2]string{other.Server, other.Tool}
		narrowed := isTool(s.Server, s.Tool, other.Server, other.Tool)
		if narrowed || asked[tool] || !isListingOf(other.Tool, name) || !other.Covered || !other.Read || !m.work(perStep) {
			continue
		}
		asked[tool] = true
		if v, ok := m.idOfNamed(other, strings.Join(key, " "), w); ok && same(string(v), a.Text, true) {
			return true
		}
	}
	return false
}

// isListingOf reports whether a tool is called as one that looks up things of a name: the doctors,
// and not the patients, of whom one may have the doctor's name.
func isListingOf(tool string, name []string) bool {
	return slices.EqualFunc(thingsOf(tool), name, sameWord)
}

// thingsOf returns the words of a tool's name for what it looks up.
func thingsOf(tool string) []string {
	return slices.DeleteFunc(words(tool), func(w string) bool { return lexicon().LookUps.Has(w) })
}

// isListedBy reports whether all of some sources list things that are called by a name, or by it
// and how they are told apart: fetch_holders lists what holder and holder_id are.
func isListedBy(sources []Source, key []string) bool {
	thing := key
	if last := len(key) - 1; last > 0 && (key[last] == "id" || key[last] == "uuid") {
		thing = key[:last]
	}
	isOther := func(s Source) bool { return !isListingOf(s.Tool, thing) }
	return len(thing) > 0 && len(sources) > 0 && !slices.ContainsFunc(sources, isOther)
}

// idOfNamed returns the id of the only record with the name of a condition that a tool of the
// scope listed, under the id's full name, or else as "id".
func (m *matcher) idOfNamed(r *Result, key string, w *Match) (scope.Value, bool) {
	named := []Match{{Field: "name", Is: w.Is, Contains: w.Contains}}
	if v, ok := m.only([]Source{{Server: r.Server, Tool: r.Tool, Field: key, Where: named}}); ok {
		return v, true
	}
	return m.only([]Source{{Server: r.Server, Tool: r.Tool, Field: "id", Where: named}})
}

// onTimes returns how many conditions of a source are on times.
func (s *Source) onTimes() int {
	n := 0
	for i := range s.Where {
		w := &s.Where[i]
		isTime := func(v scope.Value) bool { _, ok := moment(string(v)); return ok }
		if w.Before+w.After != "" || slices.ContainsFunc(w.Is, isTime) {
			n++
		}
	}
	return n
}

// filtersBy reports whether an argument of an earlier call asks for the value that a condition
// takes from another call: under the condition's own name, or as the thing that the other call
// lists. The tasks of the project that was found, whichever member a task has the project in.
func (m *matcher) filtersBy(w *Match, r *Result, a Argument) bool {
	key := argumentName(a.Pointer)
	isNamed := slices.Equal(key, m.head(r, w.name()))
	if m.against || !(isNamed || (isListedBy(w.From, key) && !m.isOther(w, r, a))) {
		return false
	}
	v, ok := m.joined(w)
	return ok && same(string(v), a.Text, true) && (isNamed || m.isOnlyIn(w, r, string(v)))
}

// isOnlyIn reports whether all records of a result have a value in the member of a condition, and none in another member: the tasks
// of a user may be those that are assigned to her, and not those that she reviews.
func (m *matcher) isOnlyIn(w *Match, r *Result, value string) bool {
	if r.level == nil || r.values || !m.work(len(r.level.fields)*perStep) {
		return false
	}
	isOn, _ := m.condition(w, r)
	having := map[string]bool{}
	for i := range r.level.fields {
		f := &r.level.fields[i]
		if !r.outermost(f.record) {
			continue
		}
		isSame := same(f.text, value, true)
		if isSame != isOn(f) {
			return false
		}
		having[f.record] = having[f.record] || isSame
	}
	isLacking := func(record string) bool { return isListed(record) && r.outermost(record) && !having[record] }
	return len(having) > 0 && !slices.ContainsFunc(r.level.inOrder, isLacking)
}

// bounds reports whether an argument bounds a listing by the member of a condition, no tighter
// than the condition does: year_to 1959 leaves out nothing from before 1960.
func (w *Match) bounds(name []string, a Argument) bool {
	key := argumentName(a.Pointer)
	n, err := strconv.Atoi(a.Text)
	if err != nil || !isSideOf(name, key) {
		return false
	}

	below, belowErr := strconv.Atoi(string(w.Below))
	above, aboveErr := strconv.Atoi(string(w.Above))
	if lexicon().Upper.In(key) {
		return belowErr == nil && (n >= below || (n == below-1 && lexicon().Wholes.In(key)))
	}
	return aboveErr == nil && (n <= above || (n == above+1 && lexicon().Wholes.In(key)))
}

// isSideOf reports whether an argument is called as one side of a member.
func isSideOf(name, key []string) bool {
	var of []string
	for _, word := range key {
		if !lexicon().Upper.Has(word) && !lexicon().Lower.Has(word) {
			of = append(of, word)
		}
	}
	return lexicon().Upper.In(key) != lexicon().Lower.In(key) && slices.EqualFunc(of, name, sameWord)
}

// isBareSide reports whether an argument is called as a side of days, and of no member.
func isBareSide(key []string) bool {
	named := slices.ContainsFunc(key, func(word string) bool {
		return !lexicon().Upper.Has(word) && !lexicon().Lower.Has(word) && word != "date" && word != "day"
	})
	return !named && lexicon().Upper.In(key) != lexicon().Lower.In(key)
}

// boundsDays reports whether an argument bounds a listing by days and leaves out none that a
// condition selects: the one on its member, or the source's only one on days where the argument
// names no member ("from").
func (w *Match) boundsDays(name []string, a Argument, only bool) bool {
	key := argumentName(a.Pointer)
	day, ok := moment(a.Text)
	bounds := isSideOf(name, key) || (only && isBareSide(key))
	if !ok || !isDay(scope.Value(a.Text)) || !bounds {
		return false
	}

	beside := 0
	if lexicon().Excluding.In(key) {
		beside = 1
	}
	first, last := w.selectedDays()
	if lexicon().Upper.In(key) {
		return !last.IsZero() && !day.Before(last.AddDate(0, 0, beside))
	}
	return !first.IsZero() && !day.After(first.AddDate(0, 0, -beside))
}

// selectedDays returns the first and the last day that a condition selects; zero where it has none.
func (w *Match) selectedDays() (first, last time.Time) {
	if after, ok := moment(string(w.After)); ok && isDay(w.After) {
		first = after.AddDate(0, 0, 1)
	}
	if before, ok := moment(string(w.Before)); ok && isDay(w.Before) {
		last = before.AddDate(0, 0, -1)
	}
	if areDays(w.Is) {
		values := slices.Sorted(slices.Values(w.Is)) // as they are written, by time
		first, _ = moment(string(values[0]))
		last, _ = moment(string(values[len(values)-1]))
	}
	return first, last
}

// statedFor reports whether the scope states a value for an argument of a name, in whatever call:
// a calendar that the request is about. A value that the call sets says nothing of what it is set on:
// "pay 50 on the newest bill" is about no bill of 50.
func (m *matcher) statedFor(key []string, text string) bool {
	name := strings.Join(key, " ")
	isText := func(v scope.Value) bool { return same(string(v), text, true) }
	stated := 0
	for _, v := range m.stating[name] {
		if isText(v) {
			stated++
		}
	}

	for i := range m.in.Args {
		a := &m.in.Args[i]
		if stated > 0 && strings.Join(argumentName(a.Pointer), " ") == name && m.sets(a.Pointer) && slices.ContainsFunc(slices.Concat(a.Is, a.Date), isText) {
			stated--
		}
	}
	return stated > 0
}

// sets reports whether an argument of the call that is matched is a value that it sets.
func (m *matcher) sets(pointer string) bool {
	return slices.ContainsFunc(m.proposal.Args, func(a Argument) bool {
		return a.Pointer == pointer && (a.Role == label.Control || a.Role == label.Content)
	})
}

// stating returns the values that a scope states, by the names of the arguments.
func (s *Scope) stating() map[string][]scope.Value {
	out := map[string][]scope.Value{}
	var note func(args []Arg)
	note = func(args []Arg) {
		for i := range args {
			a := &args[i]
			name := strings.Join(argumentName(a.Pointer), " ")
			out[name] = append(append(out[name], a.Is...), a.Date...)
			for _, from := range slices.Concat(a.From, a.Except, a.Sources) {
				note(from.Args)
			}
		}
	}
	for i := range s.Calls {
		note(s.Calls[i].Args)
	}
	return out
}
