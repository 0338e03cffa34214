package scope

import (
	"math/big"
	"slices"
	"strings"
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

// place returns the place in a list that a choice names.
func place(c *Constraint) (int, bool) {
	criterion := words(c.By)
	i := slices.IndexFunc(criterion, func(w string) bool { return ordinals[w] > 0 })
	if c.Pick != Choice || i < 0 || !slices.Contains(criterion, "list") {
		return 0, false
	}
	return ordinals[criterion[i]], true
}

// extremes returns the values that the criterion of a choice singles out among all that is
// offered, one for each member that it may be about: the value that is meant has to be all of
// them. It returns none where a program can't tell.
func (m *matcher) extremes(c *Constraint, o offers) []string {
	criterion := words(c.By)
	if n, ok := place(c); ok {
		offered := latest(o.values)
		if n > len(offered) {
			return nil
		}
		return []string{offered[n-1].text}
	}

	for _, s := range superlatives {
		if !superlative(criterion, s.words) {
			continue
		}
		if out := m.readings(&s, criterion, o); out != nil {
			return out
		}
		if quantities := c.Kind == Number || c.Kind == Date; quantities {
			best, ok := m.best(o, "", s.largest)
			return one(best, ok)
		}
	}
	return nil
}

// readings returns the best value by each member that a criterion may be about: those that it
// names ("the highest rating" is not about the price), or the first that the superlative is
// about by itself. Any other word of it may be the thing that is chosen, whose number says
// nothing, or a member that no list knows: it may rule values out, and is not enough by itself
// for what can't be taken back.
func (m *matcher) readings(s *superlativeWords, criterion []string, o offers) []string {
	var out, plain, others []string
	named := false
	by := slices.Index(criterion, "by")
	for i, w := range criterion {
		said := by >= 0 && i > by // largest by memory
		all := append([]string{w}, alike(w)...)
		known := slices.ContainsFunc(all, func(w string) bool {
			return slices.ContainsFunc(s.members, func(member string) bool { return sameWord(w, member) })
		})

		silent := !telling(w) && !known
		best := m.first(o, all, s.largest)
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
		out = m.first(o, s.members, s.largest)
	}
	if out == nil && m.irreversible {
		return nil
	}
	return append(out, others...)
}

// first returns the best value by the first of members that can be compared.
func (m *matcher) first(o offers, members []string, largest bool) []string {
	for _, member := range members {
		if best, ok := m.best(o, member, largest); ok {
			return []string{best}
		}
	}
	return nil
}

func one(value string, ok bool) []string {
	if !ok {
		return nil
	}
	return []string{value}
}

// isSuperlative reports whether a word is a criterion that a program can check.
func isSuperlative(w string) bool {
	return ordinals[w] > 0 || slices.ContainsFunc(superlatives, func(s superlativeWords) bool { return slices.Contains(s.words, w) })
}

// best returns the value offered by the record with the largest or smallest value of a
// member, or with an empty name, the largest or smallest value offered itself; false where
// not every record has one that can be compared, or two are equal.
func (m *matcher) best(o offers, member string, largest bool) (string, bool) {
	var best string
	var top *big.Rat
	tie, compared := false, ""
	for _, offered := range latest(o.values) {
		v, name := quantity(offered.text), formOf(offered.text)
		if member != "" {
			v, name = m.quantity(offered.record, member)
		}
		another := top != nil && name != compared
		if offered.record == "" || v == nil || another {
			return "", false
		}
		compared = name

		order := 1
		if top != nil {
			order = v.Cmp(top)
			if !largest {
				order = -order
			}
		}
		if order > 0 {
			best, top = offered.text, v
		}
		behind := order < 0
		tie = order == 0 || (tie && behind)
	}
	return best, top != nil && !tie
}

// latest returns one candidate for each value: that of the latest result.
func latest(all []candidate) []candidate {
	var out []candidate
	at := map[string]int{}
	for _, c := range all {
		if i, again := at[c.text]; again {
			out[i] = c
			continue
		}
		at[c.text] = len(out)
		out = append(out, c)
	}
	return out
}

// quantity returns a member of a record as something that can be compared, and what the
// member is called in full; nil where it has none, or several that may be meant.
func (m *matcher) quantity(record, member string) (v *big.Rat, name string) {
	call, pointer, _ := strings.Cut(record, " ")
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
			case isOnly(f.key, member) || isOnly(unitless(f.key), member):
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
			return quantity(exact[0].text), strings.Join([]string{exact[0].name, formOf(exact[0].text), r.beside(pointer, (*field).isCurrency)}, " ")
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
var units = strings.Fields("at on date time day timestamp usd eur gbp chf bytes kb mb gb minutes hours seconds sec secs min mins ms count")

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
// moment in a zone with others in one.
func formOf(text string) string {
	text = strings.TrimSpace(text)
	_, dated := moment(text)
	switch {
	case !dated:
		return ""
	case isZoned(text):
		return " in a zone"
	}
	return " as written"
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
