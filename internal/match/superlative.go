package match

import (
	"slices"
	"strconv"
	"strings"

	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/superlative"
	"github.com/remit-project/remit/internal/wordlist"
	"github.com/remit-project/remit/scope"
)

// superlativeWords are a criterion that a program can check.
type superlativeWords superlative.Order

// rank is which of the values in the order of a criterion are meant: the first is from 1 to 1, the
// two newest are from 1 to 2, and the second newest is from 2 to 2.
type rank struct{ from, to int }

// rankOf returns the rank that a criterion gives right before or after its superlative, and where;
// that of the first where it gives none. A number elsewhere is one of a thing ("the cheapest 2
// bedroom flat").
func rankOf(criterion []string, s *superlativeWords) (of rank, at int) {
	i := slices.IndexFunc(criterion, func(w string) bool { return slices.Contains(s.Words, w) })
	ends := func(i int) bool { return i == len(criterion) || criterion[i] == "by" }
	if i >= 0 && i+1 < len(criterion) && ends(i+2) {
		if n := countOf(criterion[i+1]); n > 0 {
			return rank{1, n}, i + 1
		}
	}

	i-- // before the superlative, or before "most recent"
	if i > 0 && lexicon().Degrees.Has(criterion[i]) {
		i--
	}
	further := func(w string) bool { return !lexicon().Determiners.Has(w) }
	if i < 0 || slices.ContainsFunc(criterion[:i], further) {
		return rank{1, 1}, -1
	}
	if n := countOf(criterion[i]); n > 0 {
		return rank{1, n}, i
	}
	if n := ordinalOf(criterion[i]); n > 0 {
		return rank{n, n}, i
	}
	return rank{1, 1}, -1
}

// ordinalOf returns the place that an ordinal names, as a word or in digits; 0 for another word.
func ordinalOf(word string) int {
	if n := superlative.Ordinal(word); n > 0 {
		return n
	}
	if found := ordinalDigits().FindStringSubmatch(word); found != nil {
		return countOf(found[1])
	}
	return 0
}

// ordinalDigits is an ordinal in digits.
var ordinalDigits = pattern.OnUse(`^(\d{1,2})(?:st|nd|rd|th)$`)

// unranked returns the words of a choice without the number of its rank, which says nothing of a
// record.
func (c *Constraint) unranked() string {
	of, ok := c.criterion()
	if !ok || of.order == nil {
		return c.By
	}
	by := words(c.By)
	if _, at := rankOf(by, of.order); at >= 0 {
		return strings.Join(slices.Delete(by, at, at+1), " ")
	}
	return c.By
}

// countOf returns a small number of things, as a word or in digits; 0 for anything else.
func countOf(word string) int {
	n, named := numerals()[word]
	if !named {
		n, _ = strconv.Atoi(word)
	}
	if n < 0 || n > maxRanked {
		return 0
	}
	return n
}

// maxRanked bounds how many values one criterion may mean: for more, a condition says which.
const maxRanked = 10

// extremes returns the values that the criterion of a choice singles out among all that is
// offered, for each member that it may be about: the value that is meant has to be one of each.
// It returns none where a program can't tell.
func (m *matcher) extremes(c *Constraint, o offers) [][]candidate {
	by, ok := c.criterion()
	switch {
	case !ok:
		return nil
	case by.order == nil && areOfOneList(o.values):
		return by.places(latest(o.values))
	case by.order == nil:
		return nil // two lists of a result have no order between them
	}

	if out := m.readings(c, by, o); out != nil {
		return out
	}
	if quantities := c.Kind == scope.Date || (c.Kind == scope.Number && !by.order.ofTime()); quantities {
		return m.first(o, []string{""}, by).best()
	}
	return nil
}

// areOfOneList reports whether values are of the elements of one list of their results.
func areOfOneList(all []candidate) bool {
	return !slices.ContainsFunc(all, func(v candidate) bool {
		return listOf(all[0].record.pointer) != listOf(v.record.pointer)
	})
}

// unclear are the values of a criterion that a program reads, and can't tell which they are.
func unclear() [][]candidate { return [][]candidate{nil} }

// places returns the values at the places of a criterion; where there are fewer, it can't be told.
func (c criterion) places(offered []candidate) [][]candidate {
	if c.to > len(offered) {
		return unclear()
	}
	if c.fromEnd {
		return [][]candidate{offered[len(offered)-c.to : len(offered)-c.from+1]}
	}
	return [][]candidate{offered[c.from-1 : c.to]}
}

// readings returns the best values by each member that a criterion may be about: those that it
// names ("the highest rating" is not about the price), or the first that the superlative is
// about by itself. Any other word of it may be the thing that is chosen, whose number says
// nothing, or a member that no list knows: it may rule values out, and is not enough by itself
// for what can't be taken back. There, no word may be left that is neither.
func (m *matcher) readings(c *Constraint, by criterion, o offers) [][]candidate {
	criterion := words(c.By)
	if whole := m.wholeMember(criterion, by, o); whole != nil {
		return whole
	}
	if of, unit := ratioIn(c.By); of != "" {
		return m.ratio(of, unit, by, o)
	}

	var read reading
	_, ranked := rankOf(criterion, by.order)
	for i, w := range criterion {
		of := m.measure(criterion, i, by, o)
		of.decides = of.decides && !c.isItself(w)
		if i == ranked || of.silent || read.takes(&of, w, by.order) {
			continue
		}
		// It is about what the records don't have, or what can't be compared; or no program reads the word.
		missing := of.known || of.decides || of.said || of.misleads(by.order)
		unread := !of.has && !of.noun && !c.isAbout(w)
		if (missing || unread) && m.isNeeded(&of, criterion, i, by, o) {
			return unclear()
		}
		if len(of.values) > 0 {
			read.others = append(read.others, of.best()...)
		}
	}

	out := read.named // the creation date is not the due date
	switch {
	case out != nil:
	case by.order.ofAge():
		out = m.ofAge(o, by, read.plain)
	case read.names:
		out = read.plain.best()
	default:
		out = m.first(o, by.order.Members, by).best()
	}
	if out == nil && m.irreversible {
		return nil
	}
	if isOfMoney := !read.names || slices.ContainsFunc(criterion, isFlow); isOfMoney {
		out = slices.Concat(out, m.wholes(o, by))
	}
	return slices.Concat(out, read.others)
}

// isNeeded reports whether a criterion can't be told without one of its words: for what can't be taken back, where no other one is in its place.
func (m *matcher) isNeeded(of *measure, criterion []string, i int, by criterion, o offers) bool {
	return (m.irreversible || m.strict) && (of.has || !m.isReplaced(criterion, i, by, o))
}

// isReplaced reports whether a criterion has another word in the place of one that the records lack: "newest by version or date", of what
// has a date. The superlative is about the other word: what is cheap by price says nothing of the rating, of "cheapest by price or rating".
func (m *matcher) isReplaced(criterion []string, i int, by criterion, o offers) bool {
	other := -1
	switch {
	case i+2 < len(criterion) && criterion[i+1] == "or":
		other = i + 2
	case i > 1 && criterion[i-1] == "or":
		other = i - 2
	}
	if other < 0 {
		return false
	}
	if qualifiers[criterion[other]] == "time" {
		return by.order.ofTime()
	}
	of := m.measure(criterion, other, by, o)
	return of.known && of.has
}

// wholes returns the best values by each member for all of an amount (total_price, the total) beside the one that a criterion is about:
// what is cheap by its price alone need not be cheap.
func (m *matcher) wholes(o offers, by criterion) [][]candidate {
	if !by.order.isAbout("price") {
		return nil
	}
	isPart := func(w string) bool { return !lexicon().WholeAmounts.Has(w) && !isFlow(w) }
	names := m.membersOf(o, func(key []string) bool {
		return lexicon().WholeAmounts.In(key) && !slices.ContainsFunc(unitless(key), isPart)
	})
	if names == nil && m.irreversible {
		return m.withAdditions(o, by)
	}
	var out [][]candidate
	for _, name := range names {
		out = append(out, m.first(o, []string{name}, by).best()...)
	}
	return out
}

// isFlow reports whether a word is that of an amount that goes one way or the other.
func isFlow(w string) bool {
	return slices.ContainsFunc(lexicon().Flows.Words(), func(f string) bool { return sameWord(f, w) })
}

// reading is what the words of a criterion single out: by the members that it names, of which a bare time is one only
// where it has no other, and by others.
type reading struct {
	names         bool
	named, others [][]candidate
	plain         ranking
}

// takes reports whether a word names the member that a criterion is about, and notes what it singles out.
func (r *reading) takes(of *measure, word string, s *superlativeWords) bool {
	switch {
	case qualifiers[word] == "time":
		r.names = r.names || of.known
		if !r.plain.has && of.dated { // used_times is no time
			r.plain = of.ranking
		}
	case (of.known && of.has) || (of.decides && of.fits(s)):
		r.names = true
		r.named = append(r.named, of.best()...)
	default:
		return false
	}
	return true
}

// wholeMember returns the best values by the member whose whole name a criterion has behind "by", or right behind a superlative that only
// says large or small ("most free chairs"); nil where it has none of several words.
func (m *matcher) wholeMember(criterion []string, by criterion, o offers) [][]candidate {
	at := slices.Index(criterion, "by")
	if isMeasuring := by.order.is(lexicon().Measuring) || by.order.is(lexicon().Sizing); at < 0 && isMeasuring {
		at = slices.IndexFunc(criterion, func(w string) bool { return slices.Contains(by.order.Words, w) })
	}
	if at < 0 || len(criterion) <= at+2 {
		return nil
	}
	of := measure{ranking: m.first(o, []string{strings.Join(criterion[at+1:], " ")}, by)}
	isOwn := func(w string) bool { return by.order.isAbout(w) }
	isLength := by.order.isAbout("duration") && timeUnits()[singular(criterion[len(criterion)-1])] > 0 // transit hours
	of.known = isLength || slices.ContainsFunc(criterion[at+1:], isOwn)
	if of.has && !of.known && !of.fits(by.order) {
		return unclear()
	}
	return of.best()
}

// measure is a word of a criterion as a member by which records are compared.
type measure struct {
	ranking
	// known reports whether the superlative is about the member, said whether the criterion has it as one
	// ("largest by memory"), and decides whether it has, as far as the records have such a member ("highest salary").
	known, said, decides bool
	// noun reports whether it may be the thing that is chosen ("the cheapest offer"), and silent whether it says nothing.
	noun, silent bool
}

// measure reads a word of a criterion.
func (m *matcher) measure(criterion []string, i int, by criterion, o offers) measure {
	w, before := criterion[i], ""
	if i > 0 {
		before = criterion[i-1]
	}
	all := slices.Concat([]string{w}, alike(w), deeds[w])
	of := measure{ranking: m.first(o, all, by), known: slices.ContainsFunc(all, by.order.isAbout)}
	if !of.has {
		of.ranking = m.first(o, m.inflected(o, w), by)
	}
	if !of.has {
		of.ranking = m.first(o, m.plainTime(o, w, by), by)
	}

	at := slices.Index(criterion, "by")
	isTime := i+1 < len(criterion) && criterion[i+1] == "time" // the shortest delivery time
	of.said = (at >= 0 && i > at) || before == "recently" || (isTime && by.order.isAbout("duration") && slices.Contains(by.order.Words, before))
	behind, counts := slices.Contains(by.order.Words, before), by.order.is(lexicon().Measuring)
	of.noun = behind && !counts && (i+1 == len(criterion) || i+1 == at)
	of.decides = of.has && (of.said || (behind && (counts || (by.order.is(lexicon().Sizing) && len(of.values) > 0))))
	isMember := of.said && of.has // km, of "longest by km"
	of.silent = superlativeWith(w) != nil || lexicon().Degrees.Has(w) || (!of.known && !isMember && (!telling(w) || lexicon().Fillers.Has(w)))
	return of
}

// inflected returns the only member of the records of some values whose name is a word in another form: renews, for the renewal.
func (m *matcher) inflected(o offers, word string) []string {
	var out []string
	for _, r := range m.results {
		if r.level == nil || !slices.ContainsFunc(o.values, func(v candidate) bool { return v.call == r.Call }) {
			continue
		}
		for name := range r.level.members {
			key := unitless(strings.Fields(name))
			if m.step() && r.level.parts[name] == 0 && len(key) == 1 && speaks(key[0], word) && !slices.Contains(out, key[0]) {
				out = append(out, key[0])
			}
		}
	}
	if len(out) != 1 {
		return nil
	}
	return out
}

// plainTime returns the member that is meant by the start of the records of some values: the one that is called as a time and as nothing else (at,
// date), where no other has times.
func (m *matcher) plainTime(o offers, word string, by criterion) []string {
	if word != "start" || !by.order.ofTime() {
		return nil
	}
	out := m.membersOf(o, func(key []string) bool {
		return !slices.ContainsFunc(key, func(w string) bool { return qualifiers[w] != "time" })
	})
	if len(out) != 1 {
		return nil
	}

	for _, r := range m.results {
		if r.level == nil || !slices.ContainsFunc(o.values, func(v candidate) bool { return v.call == r.Call }) {
			continue
		}
		isOther := func(f field) bool { return f.name != out[0] && isMoment(f.text) }
		if !m.work(len(r.level.fields)*perStep) || slices.ContainsFunc(r.level.fields, isOther) {
			return nil
		}
	}
	return out
}

// deeds are the members that hold when something was done, by what the doing is called.
var deeds = map[string][]string{"creation": {"created"}, "modification": {"modified"}}

// isAbout reports whether a word of a criterion is what its sources list, or the field that they give.
func (c *Constraint) isAbout(word string) bool {
	return slices.ContainsFunc(c.From, func(s Source) bool {
		of := func(w string) bool { return thing(w) == thing(word) }
		return slices.ContainsFunc(words(s.Tool), of) || slices.ContainsFunc(s.name(), of)
	})
}

// isItself reports whether a word is the number that is chosen, which is compared as such.
func (c *Constraint) isItself(word string) bool {
	of := func(w string) bool { return sameWord(w, word) }
	return c.Kind == scope.Number && slices.ContainsFunc(c.From, func(s Source) bool { return slices.ContainsFunc(s.name(), of) })
}

// ofTime reports whether a superlative is about times.
func (s *superlativeWords) ofTime() bool { return s.Members[0] == "date" }

// isAbout reports whether a superlative is about a member by itself.
func (s *superlativeWords) isAbout(member string) bool {
	return slices.ContainsFunc(s.Members, func(own string) bool { return sameWord(own, member) })
}

// is reports whether a superlative is one of a list.
func (s *superlativeWords) is(one wordlist.Set) bool { return one.Has(s.Words[0]) }

// misleads reports whether a word is a member whose best value is not its largest: the best price.
func (of *measure) misleads(s *superlativeWords) bool {
	return of.noun && len(of.values) > 0 && s.Words[0] == "best"
}

// fits reports whether a superlative may be about the member: the largest by memory, the oldest by when it was
// acquired. The best by price is not the dearest, nor the oldest by age the one with the lowest, and what is fast by a
// number has the highest.
func (of *measure) fits(s *superlativeWords) bool {
	switch {
	case of.known:
		return true
	case s.ofTime():
		return of.dated
	case s.isAbout("duration"):
		return !of.dated && s.Words[0] != "fastest"
	}
	return s.Words[0] != "best"
}

// isSuperlative reports whether a word is a criterion that a program can check.
func isSuperlative(w string) bool {
	return superlative.Ordinal(w) > 0 || superlativeWith(w) != nil
}

// mayBeSuperlative reports whether a word is a superlative by its form, which no program checks: the youngest. A record that has it in its
// name is not thereby the one.
func mayBeSuperlative(w string) bool {
	const short = 6 // letters: best, test, west
	return len(w) >= short && strings.HasSuffix(w, "est") && !lexicon().NoSuperlatives.Has(w)
}

// toCome reports whether a superlative is about what is still to come.
func (s *superlativeWords) toCome() bool { return s.Words[0] == "next" }
