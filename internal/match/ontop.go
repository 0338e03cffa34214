package match

import (
	"math/big"
	"slices"
	"strings"
)

// What costs least by its price alone, and has a higher fee on top, need not be the cheapest.

// withAdditions returns the values of a rank by the price of their records with what comes on top of it; nil where the records have
// nothing of that, or the same, and unclear where it can't be told what they come to.
func (m *matcher) withAdditions(o offers, by criterion) [][]candidate {
	names := m.membersOf(o, isAddition)
	if len(names) == 0 || !m.work(len(o.values)*len(names)*perStep) {
		return nil
	}
	values := latest(o.values)
	var all []placed
	var told []string
	for _, v := range values {
		c := m.costs(v, names, by)
		told = append(told, strings.Join(c.told, ", "))
		if c.price != nil && c.onTop != nil {
			all = append(all, placed{v, new(big.Rat).Add(c.price, c.onTop)})
		}
	}

	switch {
	case len(slices.Compact(told)) < 2:
		return nil
	case len(all) < len(values) || by.rank.to > len(all):
		return unclear()
	}
	slices.SortStableFunc(all, func(a, b placed) int {
		if by.order.Largest {
			a, b = b, a
		}
		return a.by.Cmp(b.by)
	})
	return [][]candidate{by.rank.among(all)}
}

// cost is the price in a record, and the sum of what comes on top; nil for one that the record doesn't tell, or of which it has several.
type cost struct {
	price, onTop *big.Rat
	told         []string // what comes on top, as the record has it
}

// costs returns what the record of a value costs.
func (m *matcher) costs(v candidate, names []string, by criterion) cost {
	r, record := m.recordOf(v)
	if r == nil {
		return cost{}
	}
	several, all := false, new(big.Rat)
	var price *big.Rat
	var told []string
	for _, i := range r.records[record] {
		f := &r.fields[i]
		key := unitless(f.key)
		n := f.quantity()
		switch {
		case !m.step() || isMoment(f.text):
		case slices.Contains(names, f.name) && n == nil:
			told, all = append(told, f.name+" "+fold(f.text)), nil
		case slices.Contains(names, f.name):
			told = append(told, f.name+" "+n.RatString())
			if all != nil {
				all.Add(all, n)
			}
		case n == nil || f.part != nil:
		case len(key) > 0 && (ofMoney(key[len(key)-1]) || by.order.isAbout(key[len(key)-1])) && !lexicon().Optional.In(key):
			several = several || price != nil
			price = n
		}
	}

	if several {
		price = nil
	}
	if len(told) < len(names) {
		all = nil
	}
	slices.Sort(told)
	return cost{price, all, told}
}

// isAddition reports whether a member holds what comes on top of a price: a fee for something, and not one that need not be.
func isAddition(key []string) bool {
	return lexicon().Additions.Ends(unitless(key)) && !lexicon().Optional.In(key)
}
