package provenance

import (
	"maps"
	"math/big"
	"slices"

	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/strictjson"
)

// Bounds of the search for a computation: it is tried for every number that
// nothing else explains, so it has to stay within a few microseconds.
const (
	maxUserOperands  = 8
	maxFieldOperands = 64
	maxColumns       = 32
)

type operand struct {
	value    *big.Rat
	approx   float64
	percent  bool
	label    label.Label
	evidence Evidence
	name     []string // words of a field's name
}

// arithmetic recomputes a number from the user's numbers and from numeric
// fields of results that are not external. The forms are few, and each but the
// sum of a column needs a number of the user's: a sum or a difference, a
// percentage, a percentage and a fee, what remains of a share. A wider search
// would reach any number from any table.
func (q *query) arithmetic(text string) (Resolution, bool) {
	want, ok := parseNumber(text)
	// A little number can be computed from almost anything.
	if !ok || len(text) < 4 && !q.quantityLike() {
		return Resolution{}, false
	}
	users := q.userOperands()
	fields, columns := q.s.numericFields()
	result := func(how string, ops ...operand) (Resolution, bool) {
		r := Resolution{Label: label.Identity(), How: how, Witness: true, Bounded: true}
		for _, o := range ops {
			r.Label = label.Merge(r.Label, o.label)
			o.evidence.ValueEnd = len(text)
			r.Evidence = append(r.Evidence, o.evidence)
		}
		return r, r.Label.Trust > q.s.ambient.Trust
	}
	for _, c := range columns {
		if !q.sameKind(c.first) {
			continue
		}
		if c.sum.Cmp(want) == 0 && c.n > 1 {
			return result("sum of a column", c.first)
		}
	}
	if len(users) == 0 {
		return Resolution{}, false
	}
	w, _ := want.Float64()
	for _, u := range users {
		for _, list := range [][]operand{users, fields} {
			for _, x := range list {
				if x.evidence == u.evidence || !q.sameKind(x) {
					continue
				}
				if how, ok := combine(w, want, u, x); ok {
					return result(how, u, x)
				}
				if !u.percent {
					continue
				}
				for _, fee := range users {
					if fee.percent {
						continue
					}
					if near(w, x.approx*u.approx/100+fee.approx) && want.Cmp(sum(percentOf(u.value, x.value), fee.value)) == 0 {
						return result("percentage and a fee", u, x, fee)
					}
				}
			}
		}
	}
	return Resolution{}, false
}

// combine tries the forms of two operands, by floats first and then exactly.
func combine(w float64, want *big.Rat, u, x operand) (string, bool) {
	if u.percent {
		switch p := percentOf(u.value, x.value); {
		case near(w, x.approx*u.approx/100) && want.Cmp(p) == 0:
			return "percentage", true
		case near(w, x.approx*(1+u.approx/100)) && want.Cmp(sum(x.value, p)) == 0:
			return "increase by a percentage", true
		case near(w, x.approx*(1-u.approx/100)) && want.Cmp(new(big.Rat).Sub(x.value, p)) == 0:
			return "decrease by a percentage", true
		}
		return "", false
	}
	if x.percent {
		return "", false
	}
	half := new(big.Rat).Mul(u.value, big.NewRat(1, 2))
	switch {
	case near(w, u.approx+x.approx) && want.Cmp(sum(u.value, x.value)) == 0:
		return "sum", true
	case near(w, x.approx-u.approx) && want.Cmp(new(big.Rat).Sub(x.value, u.value)) == 0,
		near(w, u.approx-x.approx) && want.Cmp(new(big.Rat).Sub(u.value, x.value)) == 0:
		return "difference", true
	case near(w, x.approx-u.approx/2) && want.Cmp(new(big.Rat).Sub(x.value, half)) == 0:
		return "difference to a half", true
	}
	return "", false
}

func near(a, b float64) bool { d := a - b; return d < 1e-6 && d > -1e-6 }

func sum(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }

func percentOf(p, x *big.Rat) *big.Rat {
	r := new(big.Rat).Mul(p, x)
	return r.Mul(r, big.NewRat(1, 100))
}

// sameKind tells whether a field holds what the argument asks for, by their
// names: amounts are not computed from identifiers. The user's numbers have no
// name; which of them are quantities was found out before.
func (q *query) sameKind(o operand) bool {
	if o.name == nil {
		return true
	}
	if identifier(o.name) {
		return false
	}
	for _, w := range o.name {
		if contains(q.n.last, w) {
			return true
		}
	}
	return quantityName(o.name) && q.quantityLike()
}

// quantityWords stand next to a number that is an amount, in a text or a name.
var quantityWords = wordSet("amount price total sum quantity qty count size value limit max min percent rate rent budget fee fees cost costs " +
	"people guest guests spent paid pay salary share tip bill difference charge refund discount tax vat deposit increase")

func quantityName(words []string) bool {
	for _, w := range words {
		if quantityWords[w] {
			return true
		}
	}
	return false
}

// userOperands are the quantities that the user named: numbers with a currency,
// a unit, a percent sign or decimals, or next to a word for a quantity. House
// numbers and postal codes are none.
func (q *query) userOperands() []operand {
	var out []operand
	v := &q.s.vouch
	for i := len(v.order) - 1; i >= 0 && len(out) < maxUserOperands; i-- {
		m := v.order[i]
		if m.value.Sign() == 0 {
			continue
		}
		o := occurrence{source: int(m.source), start: int(m.start), end: int(m.end)}
		if !m.marked && !m.percent {
			left, right := v.around(o, 3, 1)
			if !quantityName(left) && !quantityName(right) {
				continue
			}
		}
		f, _ := m.value.Float64()
		out = append(out, operand{value: m.value, approx: f, percent: m.percent, label: v.sources[m.source].label, evidence: q.s.vouchEvidence(o, 0)})
	}
	return out
}

// column is the sum over one field of all records of a result.
type column struct {
	sum   *big.Rat
	n     int
	first operand
}

// numericFields collects the numeric fields of the latest results, and the sums
// of their columns, as far as they are not external. They are kept until the
// session grows.
func (s *Session) numericFields() ([]operand, []column) {
	if s.operandsAt == len(s.events) {
		return s.operands, s.columns
	}
	s.operands, s.columns = s.collectNumeric()
	s.operandsAt = len(s.events)
	return s.operands, s.columns
}

func (s *Session) collectNumeric() ([]operand, []column) {
	var out []operand
	columns := map[string]*column{}
	var order []column
	for i := len(s.events) - 1; i >= 0 && len(out) < maxFieldOperands; i-- {
		e := &s.events[i]
		if e.out == nil || e.out.doc == nil {
			continue
		}
		for j, leaf := range e.out.doc.Leaves() {
			if len(out) == maxFieldOperands || j == 8*maxFieldOperands {
				break
			}
			if leaf.Kind != strictjson.Number {
				continue
			}
			ref := fieldRef{event: int32(i), leaf: int32(j)}
			l, pointer, text := s.fieldLabel(ref)
			value, ok := parseNumber(text)
			if !ok || l.Trust < label.ToolOutput {
				continue
			}
			f, _ := value.Float64()
			o := operand{value: value, approx: f, label: l, evidence: s.fieldEvidence(ref, pointer, text, ""), name: s.name(pointer, "").last}
			out = append(out, o)
			key := e.name + columnOf(pointer)
			if c, ok := columns[key]; ok {
				c.sum.Add(c.sum, value)
				c.n++
			} else if len(columns) < maxColumns {
				columns[key] = &column{new(big.Rat).Set(value), 1, o}
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(columns)) {
		order = append(order, *columns[key])
	}
	return out, order
}

// columnOf is a pointer with its list indices left out.
func columnOf(pointer string) string {
	out := make([]byte, 0, len(pointer))
	for start := 0; start < len(pointer); {
		end := start + 1
		for end < len(pointer) && pointer[end] != '/' {
			end++
		}
		if isIndex(pointer[start+1 : end]) {
			out = append(out, "/*"...)
		} else {
			out = append(out, pointer[start:end]...)
		}
		start = end
	}
	return string(out)
}
