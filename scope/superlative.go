package scope

import (
	"math/big"
	"slices"
	"strings"
	"time"
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
	{[]string{"newest", "latest", "last", "recent"}, []string{"date", "time", "timestamp", "created", "updated", "modified", "received", "sent", "start", "ts"}, true},
	{[]string{"oldest", "earliest", "first"}, []string{"date", "time", "timestamp", "created", "updated", "modified", "received", "sent", "start", "due", "ts", "departs", "leaves"}, false},
	{[]string{"next", "soonest", "upcoming"}, []string{"date", "time", "start", "due", "departs", "leaves"}, false},
	{[]string{"largest", "biggest"}, []string{"size", "bytes", "length", "area", "count", "amount", "members", "total"}, true},
	{[]string{"smallest"}, []string{"size", "bytes", "length", "area", "count", "amount", "members", "total"}, false},
	{[]string{"cheapest", "lowest"}, []string{"price", "cost", "fare", "fee", "rate", "total", "amount", "rating", "score", "stars"}, false},
	{[]string{"expensive", "highest"}, []string{"price", "cost", "fare", "fee", "rate", "rating", "score", "stars", "total", "amount"}, true},
	{[]string{"best"}, []string{"rating", "score", "stars", "rank"}, true},
	{[]string{"shortest", "fastest"}, []string{"duration", "length", "time", "distance"}, false},
	{[]string{"longest"}, []string{"duration", "length", "distance"}, true},
	{[]string{"most"}, []string{"count", "members", "users", "votes", "likes", "stars"}, true},
}

// ordinals are the places in a list that a criterion may name ("the second in the
// list").
var ordinals = map[string]int{"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10}

// spans follow a word that is no superlative then: the last month, the next week, the first
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

// extreme returns the value that the criterion of a choice singles out among all that is
// offered; false where a program can't tell.
func (m *matcher) extreme(c *Constraint, o offers) (string, bool) {
	criterion := words(c.By)
	if n, ok := place(c); ok {
		offered := latest(o.values)
		if n > len(offered) {
			return "", false
		}
		return offered[n-1].text, true
	}

	for _, s := range superlatives {
		if !superlative(criterion, s.words) {
			continue
		}
		for _, member := range meant(s.members, criterion, s.words) {
			if best, ok := m.best(o, member, s.largest); ok {
				return best, true
			}
		}
		if quantities := c.Kind == Number || c.Kind == Date; quantities {
			return m.best(o, "", s.largest)
		}
	}
	return "", false
}

// meant returns the members that a criterion may be about: those that it names ("the
// highest rating" is not about the price, "the earliest due date" may be about due), or
// those that the superlative is about by itself. What it names may be called otherwise.
func meant(members, criterion, superlative []string) []string {
	var out []string
	named := false
	for _, w := range criterion {
		known := slices.ContainsFunc(members, func(member string) bool { return sameWord(w, member) })
		if known || (telling(w) && !slices.Contains(superlative, w)) {
			out = append(append(out, w), alike(w)...)
		}
		named = named || known
	}
	if named {
		return out
	}
	return append(out, members...)
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
	tie := false
	for _, offered := range latest(o.values) {
		v := quantity(offered.text)
		if member != "" {
			v = m.quantity(offered.record, member)
		}
		if offered.record == "" || v == nil {
			return "", false
		}

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

// quantity returns a member of a record as something that can be compared; nil where
// it has none.
func (m *matcher) quantity(record, member string) *big.Rat {
	call, pointer, _ := strings.Cut(record, " ")
	for _, r := range m.results {
		if r.Call != call {
			continue
		}
		for _, i := range r.records[pointer] {
			if !m.step() {
				return nil
			}

			f := r.fields[i]
			if !slices.ContainsFunc(f.key, func(w string) bool { return sameWord(w, member) }) {
				continue
			}
			if v := quantity(f.text); v != nil {
				return v
			}
		}
	}
	return nil
}

// quantity returns a text as something that can be compared; nil for others.
func quantity(text string) *big.Rat {
	text = strings.TrimSpace(text)
	if t, ok := moment(text); ok {
		return big.NewRat(t.UnixNano()/int64(time.Millisecond), 1)
	}
	if n, ok := number(text); ok {
		v, _ := new(big.Rat).SetString(n)
		return v
	}
	return nil
}
