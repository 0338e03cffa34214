package match

import (
	"math/big"
	"slices"
	"strings"
)

// The newest of a listing that was asked for with the newest first is on its first page, however
// many pages there are. That a call asked for it proves little: the records have to be in that
// order, and one that comes after all that are meant has to be on the page. Then no other page has
// another, or one that is equal. A server that sorts each page by itself can't be told from one that
// sorts the listing.

// isCap reports whether an argument only says how long a listing is at most: a price per night is a
// filter.
func (m *matcher) isCap(r *Result, a Argument) bool {
	key := argumentName(a.Pointer)
	other := func(w string) bool { return !lexicon().Limits.Has(w) && !lexicon().Pieces.Has(w) }
	return lexicon().Caps.In(key) && !slices.ContainsFunc(key, other) && !m.filters(r, key)
}

// hasFirst reports whether a part of a listing may do for a choice, and notes that it counts for its
// order alone: the call asked for the order of the criterion. Which value is meant is then held to the order
// of the records.
func (m *matcher) hasFirst(r *Result, of *Constraint) bool {
	by, ok := of.criterion()
	if !ok || by.order == nil || !r.structured || r.partial || r.level == nil || m.lent {
		return false
	}
	m.ordered = slices.ContainsFunc(r.Args, func(a Argument) bool { return m.asksFor(r, a, words(of.By), by.order) })
	return m.ordered
}

// asksFor reports whether an argument of a listing asks for the order of a criterion: by the member
// that it names, or by its superlative where the records have one member that this may be about.
// The last name is another order than the last, and so is the due date than the date.
func (m *matcher) asksFor(r *Result, a Argument, criterion []string, s *superlativeWords) bool {
	if !isOrder(r, argumentName(a.Pointer), a.Text) {
		return false
	}
	var named []string
	if by := slices.Index(criterion, "by"); by >= 0 {
		named = criterion[by+1:]
	}
	isNamed := func(w string) bool {
		return slices.ContainsFunc(named, func(member string) bool { return sameWord(w, member) })
	}
	isSaid := func(w string) bool { return slices.Contains(s.Words, w) }

	of := words(a.Text)
	if slices.ContainsFunc(of, func(w string) bool { return !isNamed(w) && !isSaid(w) && !lexicon().Beginnings.Has(w) }) {
		return false
	}
	isMissing := func(w string) bool { return !slices.ContainsFunc(of, func(o string) bool { return sameWord(o, w) }) }
	byMember := len(named) > 0 && !slices.ContainsFunc(named, isMissing)
	return byMember || (slices.ContainsFunc(of, isSaid) && m.comparesOne(r, s))
}

// comparesOne reports whether the records of a list have one member alone that a superlative may be
// about by itself.
func (m *matcher) comparesOne(r *Result, s *superlativeWords) bool {
	n := 0
	for name := range r.level.members {
		key := strings.Fields(name)
		is := func(member string) bool { return endsIn(key, member) || endsIn(unitless(key), member) }
		if m.step() && slices.ContainsFunc(s.Members, is) {
			n++
		}
	}
	return n == 1
}

// order is one by which values are compared: a member of their records, what it is called in full,
// and whether the largest is first.
type order struct {
	member, compared string
	largest          bool
}

// isBefore reports whether one value is before another.
func (o order) isBefore(a, b *big.Rat) bool {
	if o.largest {
		a, b = b, a
	}
	return a.Cmp(b) < 0
}

// leads reports whether no record beyond a part of a listing can be before the last of the values
// that are meant, or equal to it: each part is in the order, and ends after it.
func (m *matcher) leads(o offers, by order, last *big.Rat) bool {
	for _, r := range o.parts {
		isOutside := func(v candidate) bool {
			return v.call == r.Call && (by.member == "" || !r.outermost(v.record.pointer))
		}
		end := m.endOf(r, by)
		if end == nil || !by.isBefore(last, end) || slices.ContainsFunc(o.values, isOutside) {
			return false
		}
	}
	return true
}

// endOf returns the value of the last record of the only list of a result; nil where the records are
// in another order.
func (m *matcher) endOf(r *Result, by order) *big.Rat {
	var end *big.Rat
	list := ""
	for _, record := range r.inOrder {
		if !isListed(record) || !r.outermost(record) {
			continue
		}
		of := m.quantity(recordID{r.Call, record}, by.member)
		another := end != nil && (listOf(record) != list || (of.by != nil && by.isBefore(of.by, end)))
		if of.by == nil || of.name != by.compared || another {
			return nil
		}
		end, list = of.by, listOf(record)
	}
	return end
}
