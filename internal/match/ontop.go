package match

import (
	"math/big"
	"slices"
)

// What costs least by its price alone, and has a higher fee on top, need not be the cheapest.

// withAdditions returns the values of a rank by the price of their records with what comes on top of it; nil where the records have
// nothing of that, or the same, and unclear where it can't be told what they come to.
func (m *matcher) withAdditions(o offers, by criterion) [][]candidate {
	names := m.membersOf(o, isAddition)
	if len(names) == 0 || !m.work(len(o.values)*len(names)*perStep) {
		return nil
	}
	var all []placed
	varies := false
	var first *big.Rat
	for i, v := range latest(o.values) {
		price, onTop := m.costs(v, names, by)
		if i == 0 {
			first = onTop
		}
		varies = varies || (onTop == nil) != (first == nil) || (onTop != nil && onTop.Cmp(first) != 0)
		if price != nil && onTop != nil {
			all = append(all, placed{v, price.Add(price, onTop)})
		}
	}

	switch {
	case !varies:
		return nil
	case len(all) < len(latest(o.values)) || by.rank.to > len(all):
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

// costs returns the price in the record of a value, and what comes on top; nil for one that the record doesn't tell, or of which it has
// several.
func (m *matcher) costs(v candidate, names []string, by criterion) (price, onTop *big.Rat) {
	r, record := m.recordOf(v)
	if r == nil {
		return nil, nil
	}
	several, all := false, new(big.Rat)
	left := len(names)
	for _, i := range r.records[record] {
		f := &r.fields[i]
		key := unitless(f.key)
		n := f.quantity()
		switch {
		case !m.step() || f.part != nil || isMoment(f.text) || n == nil:
		case slices.Contains(names, f.name):
			all.Add(all, n)
			left--
		case len(key) > 0 && (ofMoney(key[len(key)-1]) || by.order.isAbout(key[len(key)-1])) && !lexicon().Optional.In(key):
			several = several || price != nil
			price = n
		}
	}

	if several {
		price = nil
	}
	if left > 0 {
		return price, nil
	}
	return price, all
}

// isAddition reports whether a member holds what comes on top of a price: a fee for something, and not one that need not be.
func isAddition(key []string) bool {
	return lexicon().Additions.Ends(unitless(key)) && !lexicon().Optional.In(key)
}
