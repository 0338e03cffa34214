package match

import (
	"slices"
	"time"

	"github.com/remit-project/remit/scope"
)

// A server may say of which moment a listing is, and what it left out of it. Neither is what the call asked for.

// oldest is how old a listing may say that it is for a call that can't be taken back: data of yesterday is usual, and what is older than a week
// says little of what there is.
const oldest = 7 * 24 * time.Hour

// tellsOf returns the fields around a listing that say of which moment it is, or by what it is filtered.
func (r *Result) tellsOf() (age, filters []int) {
	if r.values || !slices.ContainsFunc(r.inOrder, isListed) {
		return nil, nil
	}

	l := lexicon()
	for i := range r.fields {
		f := &r.fields[i]
		if f.null || f.text == "" || isListed(f.record) {
			continue
		}
		around := words(lastName(f.record))
		isOffer := l.Offered.In(f.key) || l.Offered.In(around) // available_filters
		isAsOf := l.Asof.In(f.key) || slices.Equal(f.key, []string{"as", "of"}) || slices.Equal(f.key, []string{"data", "as", "of"})
		switch {
		case isAsOf && isMoment(f.text):
			age = append(age, i)
		case isOffer:
		case l.Filters.In(f.key) || l.Filters.In(f.part) || l.Filters.In(around):
			filters = append(filters, i)
		}
	}
	return age, filters
}

// isNotAsAsked reports whether a listing says of itself that it is of an earlier time, or narrowed by what neither its call nor the source says.
func (m *matcher) isNotAsAsked(s *Source, r *Result) bool {
	isAsked := func(text string) bool {
		isSame := func(a Argument) bool { return !a.Empty && same(a.Text, text, false) }
		isCondition := func(w Match) bool {
			return slices.ContainsFunc(w.Is, func(v scope.Value) bool { return same(string(v), text, false) })
		}
		return slices.ContainsFunc(r.Args, isSame) || slices.ContainsFunc(s.Where, isCondition)
	}

	now := m.proposal.Now
	isOld := func(i int) bool {
		at, _ := moment(r.fields[i].text)
		return !now.IsZero() && now.Sub(at) > oldest && !isAsked(r.fields[i].text)
	}
	isFurther := func(i int) bool {
		f := &r.fields[i]
		isOfOrder := isLimit(f.key) || lexicon().Orders.In(f.key) || lexicon().Offsets.In(f.key)
		isAll := slices.Contains(nothing, fold(f.text)) || lexicon().Placeholders.Has(fold(f.text))
		return !isOfOrder && !isAll && !isAsked(f.text)
	}
	return slices.ContainsFunc(r.age, isOld) || slices.ContainsFunc(r.filters, isFurther)
}
