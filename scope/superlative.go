package scope

import (
	"math/big"
	"slices"
	"strings"
	"time"
)

// superlatives are the criteria of a choice that a program can check: the words, the
// members that they are about, and whether the largest value is meant.
var superlatives = []struct {
	words   []string
	members []string
	largest bool
}{
	{[]string{"newest", "latest", "last", "recent"}, []string{"date", "time", "timestamp", "created", "updated", "modified", "received", "sent", "start", "ts"}, true},
	{[]string{"oldest", "earliest", "first"}, []string{"date", "time", "timestamp", "created", "updated", "modified", "received", "sent", "start", "ts"}, false},
	{[]string{"next", "soonest", "upcoming"}, []string{"date", "time", "start", "due"}, false},
	{[]string{"largest", "biggest"}, []string{"size", "bytes", "length", "area", "count", "amount", "members", "total"}, true},
	{[]string{"smallest"}, []string{"size", "bytes", "length", "area", "count", "amount", "members", "total"}, false},
	{[]string{"cheapest", "lowest"}, []string{"price", "cost", "fee", "rate", "total", "amount", "rating", "score", "stars"}, false},
	{[]string{"expensive", "highest"}, []string{"price", "cost", "fee", "rate", "rating", "score", "stars", "total", "amount"}, true},
	{[]string{"best"}, []string{"rating", "score", "stars", "rank"}, true},
	{[]string{"shortest", "fastest"}, []string{"duration", "length", "time", "distance"}, false},
	{[]string{"longest"}, []string{"duration", "length", "distance"}, true},
	{[]string{"most"}, []string{"count", "members", "users", "votes", "likes", "stars"}, true},
}

// ordinals are the places in a list that a criterion may name ("the second in the
// list").
var ordinals = map[string]int{"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10}

// extreme reports whether one of the hits is the record that the criterion of a choice
// singles out among all that its result offers, and it alone.
func (m *matcher) extreme(c *Constraint, o offers, hits []candidate) bool {
	criterion := words(c.By)
	if i := slices.IndexFunc(criterion, func(w string) bool { return ordinals[w] > 0 }); i >= 0 && slices.Contains(criterion, "list") {
		offered := latest(o.values)
		n := ordinals[criterion[i]]
		return n <= len(offered) && offered[n-1].text == hits[0].text
	}
	for _, s := range superlatives {
		if !slices.ContainsFunc(s.words, func(w string) bool { return slices.Contains(criterion, w) }) {
			continue
		}
		for _, member := range meant(s.members, criterion) {
			best, ok := m.best(o, member, s.largest)
			if ok {
				return slices.ContainsFunc(hits, func(h candidate) bool { return h.text == best })
			}
		}
	}
	return false
}

// meant returns the members that a criterion may be about: those that it names ("the
// highest rating" is not about the price), else all.
func meant(members, criterion []string) []string {
	named := slices.DeleteFunc(slices.Clone(members), func(member string) bool {
		return !slices.ContainsFunc(criterion, func(w string) bool { return sameWord(w, member) })
	})
	if len(named) > 0 {
		return named
	}
	return members
}

// best returns the value offered by the record with the largest or smallest value of a member; false where
// not every record offered has one that can be compared, or two are equal.
func (m *matcher) best(o offers, member string, largest bool) (string, bool) {
	var best string
	var top *big.Rat
	tie := false
	for _, offered := range latest(o.values) {
		v := m.quantity(offered.record, member)
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
			if t, ok := moment(strings.TrimSpace(f.text)); ok {
				return big.NewRat(t.UnixNano()/int64(time.Millisecond), 1)
			}
			if n, ok := number(strings.TrimSpace(f.text)); ok {
				v, _ := new(big.Rat).SetString(n)
				return v
			}
		}
	}
	return nil
}
