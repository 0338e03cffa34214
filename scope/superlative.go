package scope

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/remit-project/remit/internal/pattern"
)

// superlativeWords are the words of a criterion, the members that it is about, and whether
// the largest value is meant.
type superlativeWords struct {
	words   []string
	members []string
	largest bool
}

// superlatives are the criteria of a choice that a program can check.
var superlatives = []superlativeWords{
	{[]string{"newest", "latest", "last", "recent"}, []string{"date", "time", "timestamp", "created", "updated", "modified", "received", "sent", "start", "ts", "year"}, true},
	{[]string{"oldest", "earliest", "first"}, []string{"date", "time", "timestamp", "created", "updated", "modified", "received", "sent", "start", "due", "ts", "departs", "leaves", "year"}, false},
	{[]string{"next", "soonest", "upcoming"}, []string{"date", "time", "start", "due", "departs", "leaves"}, false},
	{[]string{"largest", "biggest"}, []string{"size", "bytes", "length", "area", "count", "amount", "members", "total"}, true},
	{[]string{"smallest"}, []string{"size", "bytes", "length", "area", "count", "amount", "members", "total"}, false},
	{[]string{"cheapest"}, []string{"price", "cost", "fare", "fee", "rate", "total", "amount"}, false},
	{[]string{"lowest"}, []string{"price", "cost", "fare", "fee", "rate", "total", "amount", "rating", "score", "stars"}, false},
	{[]string{"expensive"}, []string{"price", "cost", "fare", "fee", "rate", "total", "amount"}, true},
	{[]string{"highest"}, []string{"price", "cost", "fare", "fee", "rate", "rating", "score", "stars", "total", "amount"}, true},
	{[]string{"best"}, []string{"rating", "score", "stars", "rank"}, true},
	{[]string{"shortest", "fastest"}, []string{"duration", "length", "time", "distance"}, false},
	{[]string{"longest"}, []string{"duration", "length", "distance"}, true},
	{[]string{"most"}, []string{"count", "members", "users", "votes", "likes", "stars"}, true},
	{[]string{"fewest"}, []string{"count", "members", "users", "votes", "likes", "stars"}, false},
}

// ordinals are the places in a list that a criterion may name ("the second in the
// list").
var ordinals = map[string]int{"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10}

// spans follow a word that is not a superlative then: the last month, the next week, the first
// name.
var spans = strings.Fields("day week weekend month quarter year night hour minute name monday tuesday wednesday thursday friday saturday sunday")

// superlative reports whether a criterion has one of the words as a superlative.
func superlative(criterion, oneOf []string) bool {
	for i, w := range criterion {
		span := i+1 < len(criterion) && slices.Contains(spans, criterion[i+1])
		if slices.Contains(oneOf, w) && !span {
			return true
		}
	}
	return false
}

// rank is which of the values in the order of a criterion are meant: the first is from 1 to 1, the
// two newest are from 1 to 2, and the second newest is from 2 to 2.
type rank struct{ from, to int }

// rankOf returns the rank that a criterion gives right before or after its superlative, and where;
// that of the first where it gives none. A number elsewhere is one of a thing ("the cheapest 2
// bedroom flat").
func rankOf(criterion []string, s *superlativeWords) (of rank, at int) {
	i := slices.IndexFunc(criterion, func(w string) bool { return slices.Contains(s.words, w) })
	ends := func(i int) bool { return i == len(criterion) || criterion[i] == "by" }
	if i >= 0 && i+1 < len(criterion) && ends(i+2) {
		if n := countOf(criterion[i+1]); n > 0 {
			return rank{1, n}, i + 1
		}
	}

	i-- // before the superlative, or before "most recent"
	if i > 0 && slices.Contains(degrees, criterion[i]) {
		i--
	}
	begins := i == 0 || (i == 1 && (criterion[0] == "the" || criterion[0] == "all"))
	if !begins {
		return rank{1, 1}, -1
	}
	if n := countOf(criterion[i]); n > 0 {
		return rank{1, n}, i
	}
	if n := ordinals[criterion[i]]; n > 0 {
		return rank{n, n}, i
	}
	return rank{1, 1}, -1
}

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
	n, named := numerals[word]
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

	if out := m.readings(by.order, by.rank, words(c.By), o); out != nil {
		return out
	}
	ofTime := by.order.members[0] == "date"
	if quantities := c.Kind == Date || (c.Kind == Number && !ofTime); quantities {
		return m.first(o, []string{""}, by.order.largest, by.rank)
	}
	return nil
}

// areOfOneList reports whether values are of the elements of one list of their results.
func areOfOneList(all []candidate) bool {
	return !slices.ContainsFunc(all, func(v candidate) bool {
		first, record := strings.TrimPrefix(all[0].record, all[0].call+" "), strings.TrimPrefix(v.record, v.call+" ")
		return listOf(first) != listOf(record)
	})
}

// places returns the values at the places of a criterion; none where there are fewer.
func (c criterion) places(offered []candidate) [][]candidate {
	if c.to > len(offered) {
		return nil
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
// for what can't be taken back.
func (m *matcher) readings(s *superlativeWords, of rank, criterion []string, o offers) [][]candidate {
	var out, plain, others [][]candidate
	named := false
	by := slices.Index(criterion, "by")
	if several := by >= 0 && len(criterion) > by+2; several {
		if best := m.first(o, []string{strings.Join(criterion[by+1:], " ")}, s.largest, of); best != nil {
			return best // they are a member's whole name
		}
	}
	for i, w := range criterion {
		said := by >= 0 && i > by // largest by memory
		all := append([]string{w}, alike(w)...)
		known := slices.ContainsFunc(all, func(w string) bool {
			return slices.ContainsFunc(s.members, func(member string) bool { return sameWord(w, member) })
		})

		silent := !telling(w) && !known
		best := m.first(o, all, s.largest, of)
		switch {
		case silent || slices.Contains(s.words, w):
		case qualifiers[w] == "time":
			named = named || known
			plain = append(plain, best...)
		case !known && said:
			named = named || best != nil
			out = append(out, best...)
		case !known:
			others = append(others, best...)
		case best == nil && m.irreversible:
			return nil // it is about what the records don't have
		default:
			named = true
			out = append(out, best...)
		}
	}

	if out == nil {
		out = plain // the creation date is not the due date
	}
	if !named {
		out = m.first(o, s.members, s.largest, of)
	}
	if out == nil && m.irreversible {
		return nil
	}
	return append(out, others...)
}

// first returns the values of a rank by the first of members that can be compared.
func (m *matcher) first(o offers, members []string, largest bool, of rank) [][]candidate {
	for _, member := range members {
		if best, ok := m.ranked(o, member, largest, of); ok {
			return [][]candidate{best}
		}
	}
	return nil
}

// isSuperlative reports whether a word is a criterion that a program can check.
func isSuperlative(w string) bool {
	return ordinals[w] > 0 || superlativeWith(w) != nil
}

// ranked returns the values of a rank that the records with the largest or smallest values of a
// member offer, or with an empty name, the largest or smallest values offered themselves; false
// where not every record has one that can be compared, where there are fewer, or where one that is
// meant and one that is not are equal.
func (m *matcher) ranked(o offers, member string, largest bool, of rank) ([]candidate, bool) {
	type ranking struct {
		values []candidate // equal ones of one text
		by     *big.Rat
	}
	var all []ranking
	compared, seen := "", map[string]int{}
	for _, offered := range latest(o.values) {
		v, name := offered.quantity(), formOf(offered.text, offered.numeric)
		if member == "" {
			name += " " + m.measureOf(offered)
		} else {
			v, name = m.quantity(offered.record, member)
		}
		another := len(all) > 0 && name != compared
		if offered.record == "" || v == nil || another {
			return nil, false
		}

		compared = name
		key := v.RatString() + " " + offered.text
		if i, again := seen[key]; again {
			all[i].values = append(all[i].values, offered)
			continue
		}
		seen[key] = len(all)
		all = append(all, ranking{[]candidate{offered}, v})
	}
	if of.to > len(all) || !m.work(len(all)*perStep) {
		return nil, false
	}

	slices.SortStableFunc(all, func(a, b ranking) int {
		if largest {
			a, b = b, a
		}
		return a.by.Cmp(b.by)
	})
	tied := func(i int) bool { return i > 0 && i < len(all) && all[i-1].by.Cmp(all[i].by) == 0 }
	if tied(of.from-1) || tied(of.to) {
		return nil, false
	}
	if last := all[of.to-1]; !m.leads(o, order{member, compared, largest}, last.by) {
		return nil, true // another page may have it
	}

	var out []candidate
	for _, r := range all[of.from-1 : of.to] {
		out = append(out, r.values...)
	}
	return out, true
}

// latest returns the candidates of each value from the latest result that has it, one a record, and
// a value of an earlier result where it was. Two records of one value are not one: the newest
// bill and the oldest may be of the same account.
func latest(all []candidate) []candidate {
	from, first := map[string]string{}, map[string]int{}
	for i, c := range all {
		from[c.text] = c.call
		if _, again := first[c.text]; !again {
			first[c.text] = i
		}
	}

	at := make([]int, len(all))
	var out []int
	seen := map[candidate]bool{}
	for i, c := range all {
		key := candidate{text: c.text, record: c.record}
		if from[c.text] != c.call || seen[key] {
			continue
		}
		seen[key] = true
		at[i] = i
		if f := first[c.text]; all[f].call != c.call {
			at[i] = f
		}
		out = append(out, i)
	}
	slices.SortStableFunc(out, func(a, b int) int { return at[a] - at[b] })

	ordered := make([]candidate, len(out))
	for i, c := range out {
		ordered[i] = all[c]
	}
	return ordered
}

// quantity returns a member of a record, by a word of its name or all of them, as something that
// can be compared, and what the member is called in full; nil where it has none, or several that
// may be meant.
func (m *matcher) quantity(record, member string) (v *big.Rat, name string) {
	call, pointer, _ := strings.Cut(record, " ")
	whole := strings.Fields(member)
	for _, r := range slices.Backward(m.results) {
		if r.Call != call {
			continue
		}
		var exact, ending, within []*field
		for _, i := range r.records[pointer] {
			if !m.step() {
				return nil, ""
			}

			f := &r.fields[i]
			name := unitless(slices.Concat(f.part, f.key))
			switch {
			case f.part != nil:
				if endsIn(name, member) || endsIn(unvalued(name), member) {
					within = append(within, f)
				}
			case slices.EqualFunc(f.key, whole, sameWord) || isOnly(unitless(f.key), member):
				exact = append(exact, f)
			case endsIn(f.key, member) || endsIn(unitless(f.key), member):
				ending = append(ending, f)
			}
		}
		if exact == nil && ending == nil {
			exact = within
		}
		if exact == nil {
			exact = ending
		}
		if len(exact) == 1 {
			return exact[0].quantity(), strings.Join([]string{exact[0].name, formOf(exact[0].text, exact[0].numeric), r.beside(pointer, exact[0].isMeasuredBy)}, " ")
		}
	}
	return nil, ""
}

func isOnly(key []string, word string) bool { return len(key) == 1 && endsIn(key, word) }

func endsIn(key []string, word string) bool {
	return len(key) > 0 && sameWord(key[len(key)-1], word)
}

// units end the name of a member without saying what it is: a price in euros is the price, and
// created_at is when it was created.
var units = strings.Fields("at on date time day timestamp usd eur gbp chf cent cents pence bytes kb mb gb minutes hours days seconds sec secs min mins ms count " +
	"m m2 m3 sqm cm mm km km2 ha kg g l ml kwh pct percent")

// unitless returns the words of a name before its units.
func unitless(key []string) []string {
	if i := slices.Index(key, "per"); i > 0 {
		key = key[:i]
	}
	for len(key) > 1 && slices.Contains(units, key[len(key)-1]) {
		key = key[:len(key)-1]
	}
	return key
}

// unvalued returns the words of a name before those that say no more than that it has a value: the
// amount of the price is the price.
func unvalued(key []string) []string {
	if n := len(key); n > 1 && (key[n-1] == "amount" || key[n-1] == "value") {
		return key[:n-1]
	}
	return key
}

// formOf returns the form of what can be compared, since a number is compared with numbers, and a
// moment in a zone with others in one. A text whose point may part thousands is compared with others of that
// form: both readings have them in the same order.
func formOf(text string, numeric bool) string {
	text = strings.TrimSpace(text)
	_, dated := moment(text)
	switch {
	case !dated && !numeric && ungrouped(text) != "":
		return " in thousands"
	case !dated:
		return ""
	case isZoned(text):
		return " in a zone"
	}
	return " as written"
}

// grouped is a number whose point is the decimal one, or parts thousands.
var grouped = pattern.OnUse(`^-?[1-9]\d{0,2}\.\d{3}$`)

// ungrouped returns the number that a text is where its point parts thousands (1.050); empty where it
// can't.
func ungrouped(text string) string {
	if text = strings.TrimSpace(text); !grouped().MatchString(text) {
		return ""
	}
	return strings.Replace(text, ".", "", 1)
}

// quantity returns a text as something that can be compared; nil for others.
func quantity(text string) *big.Rat {
	text = strings.TrimSpace(text)
	if t, ok := moment(text); ok {
		return big.NewRat(t.UnixMilli(), 1)
	}
	if n, ok := number(text); ok {
		v, _ := new(big.Rat).SetString(n)
		return v
	}
	return nil
}
