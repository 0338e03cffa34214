package scope

import (
	"math/big"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/label"
)

// "Half of the highest fine" singles out a number as a choice does. Nothing else that its words may mean
// counts: neither the number as a whole, nor one of another record.

// shares matches the words of a computation that is a number, a part or a multiple of it, or the number with
// another one added or taken away.
var shares = pattern.OnUse(`^(?:(half|twice|double|(\d+(?:\.\d+)?) ?%)(?: of)? )?(.+?)(?:,? (halved|doubled))?(?: (plus|minus) (\d+(?:\.\d+)?))?$`)

// factors are the words for a part or a multiple.
var factors = map[string]*big.Rat{"half": big.NewRat(1, 2), "halved": big.NewRat(1, 2), "twice": big.NewRat(2, 1), "double": big.NewRat(2, 1), "doubled": big.NewRat(2, 1)}

// share is what a computation makes of the number that a criterion singles out.
type share struct {
	by     string
	factor *big.Rat
	added  *big.Rat
}

// shareOf returns the share that a computation is of the number of its only source that its words single out;
// false where they may mean anything else.
func shareOf(c *Constraint) (share, bool) {
	found := shares().FindStringSubmatch(fold(c.By))
	if len(c.Sources) != 1 || found == nil {
		return share{}, false
	}
	out := share{found[3], big.NewRat(1, 1), new(big.Rat)}
	said := 0
	for _, w := range []string{found[1], found[4]} {
		if w == "" {
			continue
		}
		said++
		if out.factor = factors[w]; out.factor == nil {
			out.factor, _ = new(big.Rat).SetString(found[2])
			out.factor.Mul(out.factor, big.NewRat(1, 100))
		}
	}
	if found[6] != "" {
		said++ // half of the sum, or the sum with a half of it
		out.added, _ = new(big.Rat).SetString(found[6])
	}
	if found[5] == "minus" {
		out.added.Neg(out.added)
	}

	by := words(out.by)
	computes := func(w string) bool {
		return operationWords[w] != otherwise || factors[w] != nil || w == "percent" || w == "times"
	}
	which, ok := (&Constraint{Pick: Choice, By: out.by}).criterion()
	single := ok && which.order != nil && which.from == which.to
	return out, single && said <= 1 && !slices.ContainsFunc(by, computes)
}

// isShare reports whether a number is the share of the number that a computation singles out of several, and
// whether it singles out one at all.
func (m *matcher) isShare(want *big.Rat, c *Constraint) (is, known bool) {
	part, ok := shareOf(c)
	if !ok {
		return false, false
	}
	of := Constraint{Kind: Number, Pick: Choice, By: part.by, From: c.Sources, Computed: true}
	o := m.offers(c.Sources, &of, "")
	if !o.several(Argument{Role: label.Selector}) {
		return false, false
	}

	var one *candidate
	for _, best := range m.extremes(&of, o) {
		for i := range best {
			if one != nil && best[i].text != one.text {
				return false, true
			}
			if one == nil || m.isOfCall(c, best[i]) {
				one = &best[i]
			}
		}
		if len(best) == 0 {
			return false, true
		}
	}
	if one == nil || one.doubt != "" || !one.isPlain() || !m.isOfCall(c, *one) {
		return false, true
	}
	n, ok := new(big.Rat).SetString(one.text)
	return ok && equalToCent(new(big.Rat).Add(n.Mul(n, part.factor), part.added), want), true
}

// isOfCall reports whether a number of a computation's source is of a record that another value of the call
// is of, where one is of that listing. In a list it is one of the same element.
func (m *matcher) isOfCall(c *Constraint, v candidate) bool {
	used := false
	list, _ := elementIn("", m.element)
	for key, records := range m.bound {
		if in, place := elementIn("", key.choice); in != "" && in == list && place != m.element {
			continue
		}
		if slices.Contains(records, v.record) {
			return true
		}
		isOfListing := func(record string) bool { return strings.HasPrefix(record, v.call+" ") }
		used = used || key.of == sourcesKey(c.Sources) || slices.ContainsFunc(records, isOfListing)
	}
	return !used
}
