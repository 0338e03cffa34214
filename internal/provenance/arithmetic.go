package provenance

import (
	"math/big"
	"slices"

	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

// Bounds of the search for a computation: it is tried for every number that
// nothing else explains, so it has to stay within a few microseconds.
const (
	maxUserOperands  = 8
	maxFieldOperands = 64
	maxColumns       = 32
	// maxNumericLeaves is how many fields of one result are looked at for
	// numbers: those of the first records.
	maxNumericLeaves = 8 * maxFieldOperands
)

// combinationWork are the steps of trying two numbers in all forms.
const combinationWork = 256

type operand struct {
	value    *big.Rat
	approx   float64
	percent  bool
	label    label.Label
	evidence label.Evidence
	name     []string // words of a field's name
}

// resolveArithmetic recomputes a number from the user's numbers and from numeric
// fields of results that are not external. The forms are few, and each but the
// sum of a column needs a number of the user's: a sum or a difference, a
// percentage, a percentage and a fee, what remains of a share. A wider search
// would reach any number from any table.
func (q *query) resolveArithmetic(text string) (Resolution, bool) {
	want, ok := parseNumber(text)
	if !ok {
		return Resolution{}, false
	}
	if len(text) < 4 && !q.quantityLike() {
		return Resolution{}, false // a little number can be computed from almost anything
	}

	for _, c := range q.s.columns() {
		if c.n > 1 && q.sameKind(c.first) && c.sum.Cmp(want) == 0 {
			return q.computed(text, "sum of a column", c.first)
		}
	}
	users := q.userOperands()
	if len(users) == 0 {
		return Resolution{}, false
	}
	how, operands := q.combination(want, users, q.s.numericFields())
	if how == "" {
		return Resolution{}, false
	}
	return q.computed(text, how, operands...)
}

// computed returns the resolution of a number that was computed from operands.
func (q *query) computed(text, how string, operands ...operand) (Resolution, bool) {
	r := Resolution{Label: label.Identity(), How: how, Witness: true, Bounded: true}
	for _, o := range operands {
		r.Label = label.Merge(r.Label, o.label)
		o.evidence.ValueEnd = len(text)
		r.Evidence = append(r.Evidence, o.evidence)
	}
	return r, r.Label.Trust > q.s.ambient.Trust
}

// combination finds a number of the user's and another operand, and perhaps a fee of
// the user's, that result in a number. How is empty where there are none.
func (q *query) combination(want *big.Rat, users, fields []operand) (how string, operands []operand) {
	w, _ := want.Float64()
	for _, u := range users {
		for _, x := range slices.Concat(users, fields) {
			if !q.s.work.spend(combinationWork) {
				return "", nil
			}
			if x.evidence == u.evidence || !q.sameKind(x) {
				continue
			}
			if how, ok := combine(w, want, u, x); ok {
				return how, []operand{u, x}
			}
			if !u.percent {
				continue
			}

			for _, fee := range users {
				close := !fee.percent && isNear(w, x.approx*u.approx/100+fee.approx)
				if close && want.Cmp(sum(percentOf(u.value, x.value), fee.value)) == 0 {
					return "percentage and a fee", []operand{u, x, fee}
				}
			}
		}
	}
	return "", nil
}

// combine tries the forms of two operands, by floats first and then exactly.
func combine(w float64, want *big.Rat, u, x operand) (string, bool) {
	if u.percent {
		switch p := percentOf(u.value, x.value); {
		case isNear(w, x.approx*u.approx/100) && want.Cmp(p) == 0:
			return "percentage", true
		case isNear(w, x.approx*(1+u.approx/100)) && want.Cmp(sum(x.value, p)) == 0:
			return "increase by a percentage", true
		case isNear(w, x.approx*(1-u.approx/100)) && want.Cmp(new(big.Rat).Sub(x.value, p)) == 0:
			return "decrease by a percentage", true
		}
		return "", false
	}
	if x.percent {
		return "", false
	}

	half := new(big.Rat).Mul(u.value, big.NewRat(1, 2))
	switch {
	case isNear(w, u.approx+x.approx) && want.Cmp(sum(u.value, x.value)) == 0:
		return "sum", true
	case isNear(w, x.approx-u.approx) && want.Cmp(new(big.Rat).Sub(x.value, u.value)) == 0,
		isNear(w, u.approx-x.approx) && want.Cmp(new(big.Rat).Sub(u.value, x.value)) == 0:
		return "difference", true
	case isNear(w, x.approx-u.approx/2) && want.Cmp(new(big.Rat).Sub(x.value, half)) == 0:
		return "difference to a half", true
	}
	return "", false
}

func isNear(a, b float64) bool { d := a - b; return d < 1e-6 && d > -1e-6 }

func sum(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }

func percentOf(p, x *big.Rat) *big.Rat {
	r := new(big.Rat).Mul(p, x)
	return r.Mul(r, big.NewRat(1, 100))
}

// sameKind reports whether a field has what the argument asks for, by their
// names: amounts are not computed from identifiers. The user's numbers have no
// name; which of them are quantities was found out before.
func (q *query) sameKind(o operand) bool {
	if o.name == nil {
		return true
	}
	if vocabulary().IdentifierNames.In(o.name) {
		return false
	}
	for _, w := range o.name {
		if contains(q.n.last, w) {
			return true
		}
	}
	return vocabulary().QuantityWords.In(o.name) && q.quantityLike()
}

// userOperands returns the quantities that the user named last.
func (q *query) userOperands() []operand {
	var out []operand
	v := &q.s.vouch
	for i := len(v.order) - 1; i >= 0 && len(out) < maxUserOperands; i-- {
		m := v.order[i]
		o := occurrence{source: int(m.source), start: int(m.start), end: int(m.end)}
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

// numericResult has the numeric fields of one result that are not external, and
// the sums of their columns.
type numericResult struct {
	fields  []operand
	columns []column
}

// addNumeric collects the numbers of a result when it comes in: no decision
// looks through results for them again. Results that have none of their own are
// left out, and so are those before the latest [maxFieldOperands] numbers.
func (s *Session) addNumeric(event int32, out *output) {
	if out.floor < label.ToolOutput && out.spec.Field == nil {
		return
	}
	r := s.collectNumeric(event, out)
	if len(r.fields) == 0 || s.work.spent() {
		return
	}

	kept, n := []numericResult{r}, len(r.fields)
	for _, older := range s.numeric {
		if n >= maxFieldOperands {
			break
		}
		kept, n = append(kept, older), n+len(older.fields)
	}
	s.numeric = kept
}

func (s *Session) collectNumeric(event int32, out *output) numericResult {
	var r numericResult
	at := map[string]int{}
	for i, leaf := range out.doc.Leaves() {
		if len(r.fields) == maxFieldOperands || i == maxNumericLeaves {
			break
		}
		if leaf.Kind != strictjson.Number {
			continue
		}
		value, ok := parseNumber(leaf.Text)
		if !ok {
			continue
		}
		ref := fieldRef{event: event, leaf: int32(i)}
		l, pointer, text := s.fieldLabel(ref)
		if l.Trust < label.ToolOutput {
			continue
		}

		f, _ := value.Float64()
		o := operand{value: value, approx: f, label: l, evidence: s.fieldEvidence(ref, pointer, text, ""), name: s.name(pointer, "").last}
		r.fields = append(r.fields, o)
		key := columnOf(pointer)
		if c, ok := at[key]; ok {
			r.columns[c].add(value)
		} else if len(r.columns) < maxColumns {
			at[key] = len(r.columns)
			r.columns = append(r.columns, column{new(big.Rat).Set(value), 1, o})
		}
	}
	return r
}

// numericFields returns the latest numbers of results, as many as are tried.
func (s *Session) numericFields() []operand {
	var out []operand
	for _, r := range s.numeric {
		out = append(out, r.fields...)
	}
	return out[:min(len(out), maxFieldOperands)]
}

func (s *Session) columns() []column {
	var out []column
	for _, r := range s.numeric {
		out = append(out, r.columns...)
	}
	return out[:min(len(out), maxColumns)]
}

func (c *column) add(value *big.Rat) {
	c.sum.Add(c.sum, value)
	c.n++
}

// columnOf returns a pointer with its list indices left out.
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
