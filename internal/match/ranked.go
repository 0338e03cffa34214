package match

import (
	"math/big"
	"slices"
	"strings"
	"time"
)

// ranking are the values of a rank by a member; none where it can't be told which they are.
type ranking struct {
	values []candidate
	has    bool // a record has the member
	dated  bool // and it holds times
	of     bool // and it is that of something: the wished date, and not the date
}

func (r ranking) best() [][]candidate {
	if !r.has {
		return nil
	}
	return [][]candidate{r.values}
}

// first returns the values of a rank by the first of members that any record has. What else records have says nothing
// where they can't be compared by it, or are equal: who wrote such a value may have written the others.
func (m *matcher) first(o offers, members []string, by criterion) ranking {
	for _, member := range members {
		out := m.ranked(o, member, by)
		if !out.has {
			continue
		}
		if out.dated && by.order.isAbout("duration") {
			out.values = nil // when it leaves says nothing of how long it takes
		}
		return out
	}
	return ranking{}
}

// ranked returns the values of a rank by a member of their records, or with an empty name by themselves. It returns none where a record has
// nothing that can be compared, where there are fewer values, or where one that is meant and one that is not are equal.
func (m *matcher) ranked(o offers, member string, by criterion) ranking {
	var all []placed
	var out ranking
	of, largest := by.rank, by.order.Largest
	compared, comparable := "", true
	if !m.work(len(o.values) * perStep) {
		return out
	}
	for _, offered := range latest(o.values) {
		v := measured{by: offered.quantity(), name: formOf(offered.text, offered.numeric), has: true, dated: isTime(offered.text)}
		if member == "" {
			v.name += " " + m.measureOf(offered)
		} else {
			v = m.quantity(offered.record, member)
		}
		out.has = out.has || v.has
		out.dated, out.of = out.dated || v.dated, out.of || v.of
		another := len(all) > 0 && v.name != compared
		comparable = comparable && offered.record != (recordID{}) && v.by != nil && !another
		compared = v.name
		past, known := false, true
		if by.order.toCome() {
			past, known = m.isPast(v)
		}
		comparable = comparable && known
		if !past {
			all = append(all, placed{offered, v.by})
		}
	}
	if !comparable || of.to > len(all) || !m.work(len(all)*perStep) || m.areApart(all, by, member, compared) {
		return out
	}

	slices.SortStableFunc(all, func(a, b placed) int {
		if largest {
			a, b = b, a
		}
		return a.by.Cmp(b.by)
	})
	if m.leads(o, order{member, compared, largest}, all[of.to-1].by) { // else another page may have it
		out.values = of.among(all)
	}
	return out
}

// areApart reports whether what records are compared by is no order of them: times alone of several days, and prices of which some are
// nothing.
func (m *matcher) areApart(all []placed, by criterion, member, compared string) bool {
	isOfNothing := by.order.isAbout("price") || by.order.isAbout("duration")
	if isOfNothing && !by.order.Largest && m.irreversible && isOpen(all) {
		return true
	}
	if m.irreversible && lexicon().Ratings.In(strings.Fields(member)) && areRatedApart(all) {
		return true
	}
	if by.order.ofTime() && m.irreversible && (areOfTwoScales(all) || m.isAhead(all, by, member)) {
		return true
	}
	if m.irreversible && !by.order.ofTime() && isNoneBelow(all) {
		return true
	}
	isOfDays := strings.Contains(compared, clockForm) && by.order.ofTime()
	return isOfDays && (by.order.toCome() || areOfTwoDays(all) || !m.areOfOneDay(all, member))
}

// isAhead reports whether what was done last is still to come: who wrote that time of it wrote it to be the newest.
func (m *matcher) isAhead(all []placed, by criterion, member string) bool {
	const zones = 24 * time.Hour // and clocks that are ahead
	of := strings.Fields(member)
	isDone := lexicon().Past.In(of) || lexicon().Done.In(of)
	if !by.order.Largest || by.order.toCome() || m.proposal.Now.IsZero() || !isDone {
		return false
	}
	latest := big.NewRat(m.proposal.Now.Add(zones).UnixMilli(), 1)
	return slices.ContainsFunc(all, func(p placed) bool { return p.by.Cmp(latest) > 0 })
}

// isNoneBelow reports whether one of several numbers is the one by which programs write that there is none, and no other is below zero.
func isNoneBelow(all []placed) bool {
	none := big.NewRat(-1, 1)
	isNone := func(p placed) bool { return p.by.Cmp(none) == 0 }
	isOther := func(p placed) bool { return p.by.Sign() < 0 && !isNone(p) }
	return slices.ContainsFunc(all, isNone) && !slices.ContainsFunc(all, isOther)
}

// areOfTwoScales reports whether times that are numbers are counted in different units: in seconds since 1970, and in thousandths of them.
func areOfTwoScales(all []placed) bool {
	const since, apart = 1e8, 500 // seconds of three years, and less than there are thousandths in one
	least, most := 0.0, 0.0
	for _, p := range all {
		n, _ := p.by.Float64()
		if least == 0 || n < least {
			least = n
		}
		most = max(most, n)
	}
	return least > since && most > apart*least
}

// areRatedApart reports whether one of several ratings is beyond any scale that another one may be in: 999, beside 5.
func areRatedApart(all []placed) bool {
	tens, hundreds := big.NewRat(10, 1), big.NewRat(100, 1)
	isSmall := func(p placed) bool { return p.by.Cmp(tens) <= 0 }
	isBeyond := func(p placed) bool { return p.by.Cmp(hundreds) > 0 }
	return slices.ContainsFunc(all, isSmall) && slices.ContainsFunc(all, isBeyond)
}

// isOpen reports whether some of several prices are nothing: what is on request is not the cheapest, and what takes no time not the shortest.
func isOpen(prices []placed) bool {
	isNothing := func(p placed) bool { return p.by != nil && p.by.Sign() == 0 }
	return slices.ContainsFunc(prices, isNothing) && slices.ContainsFunc(prices, func(p placed) bool { return !isNothing(p) })
}

// among returns the values of a rank of those in an order; none where one that is meant and one that is not are equal.
func (of rank) among(all []placed) []candidate {
	first, last := all[of.from-1], all[of.to-1]
	mixed := differs(all, first) || differs(all, last)
	var out []candidate
	for i, r := range all {
		within, meets := i >= of.from-1 && i < of.to, r.by.Cmp(first.by) == 0 || r.by.Cmp(last.by) == 0
		if within || meets {
			out = append(out, r.candidate)
		}
		if meets && !within && mixed {
			return nil
		}
	}
	return out
}

// placed is a candidate with the number that it is compared by.
type placed struct {
	candidate
	by *big.Rat
}

// differs reports whether those that are equal to one of them have different values.
func differs(all []placed, one placed) bool {
	return slices.ContainsFunc(all, func(other placed) bool { return other.by.Cmp(one.by) == 0 && other.text != one.text })
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
