package match

import (
	"math/big"
	"slices"
	"strings"

	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// operand returns the number of a source: its only one, or the sum of all of them where the
// computation is one. A record without the number may be the one that is meant.
func (m *matcher) operand(c *Constraint, source []Source) (string, bool) {
	of := Constraint{Kind: scope.Number, Pick: scope.Only, From: source, Computed: true, scales: mayConvert(c)}
	o := m.offers(source, &of, "")
	if len(o.values) > 1 && isSum(words(c.By), source[0].name()) {
		return m.sum(source, of.scales)
	}

	values := m.ofBound(source, o)
	doubtful := func() bool {
		return offers{values: values}.several(Argument{Role: label.Selector}) || slices.ContainsFunc(values, func(v candidate) bool { return v.doubt != "" })
	}
	if doubtful() && !slices.ContainsFunc(words(c.By), isSuperlative) {
		of.By = c.By // which may say of which record
		values = m.ofBound(source, m.offers(source, &of, ""))
	}
	if len(values) == 0 || doubtful() || !values[0].isPlain() {
		return "", false // which of them is meant is a question
	}
	isOwn := func(v candidate) bool { return !m.isContrary(&of, label.Content, v) } // of two bills of one amount, that of the call's bill
	if m.irreversible && !m.against && (m.isOutdated(values[0]) || m.isComputedOtherwise(c, values[0]) || !slices.ContainsFunc(values, isOwn)) {
		return "", false
	}
	return values[0].text, true
}

// mayConvert reports whether the words of a computation multiply or part a number, which may turn it into another unit.
func mayConvert(c *Constraint) bool {
	return operationsOf(c)[times] || strings.Contains(c.By, "/") || slices.Contains(words(c.By), "divided")
}

// ofBound returns the values that a source offers, of several those of the records that other
// arguments of the call take from it: each pupil's balance is that of the pupil.
func (m *matcher) ofBound(source []Source, o offers) []candidate {
	records, bound := m.boundTo(source)
	if !bound || !o.several(Argument{Role: label.Selector}) {
		return o.values
	}
	return slices.DeleteFunc(slices.Clone(o.values), func(v candidate) bool { return !slices.Contains(records, v.record) })
}

// isSum reports whether a computation adds up what a source has in a member.
func isSum(by, member []string) bool {
	return slices.ContainsFunc(lexicon().Sums.Words(), func(w string) bool { return slices.Contains(by, w) && !slices.Contains(member, w) }) || sumOf(by, member)
}

func sumOf(by, member []string) bool {
	i := slices.IndexFunc(by, func(w string) bool { return lexicon().Totals.Has(w) })
	if i < 0 || slices.ContainsFunc(member, func(w string) bool { return sameWord(w, by[i]) }) {
		return false
	}
	alone := i == len(by)-1 && (i == 0 || by[i-1] == "in" || (i == 1 && by[0] == "the"))
	return alone || (i+1 < len(by) && by[i+1] == "of")
}

// sum adds up the values of all records of one list, each a plain number of a record of its own,
// and of the same measure. Two calls have to ask for the same and give the same sum: what two
// parts of a listing have in common, nothing says.
func (m *matcher) sum(source []Source, scales bool) (string, bool) {
	of := Constraint{Kind: scope.Number, Pick: scope.All, From: source, Computed: true, scales: scales}
	summed := m.mode
	summed.strict = true // a part of a listing has another sum
	whole := m.as(summed)
	o := whole.offers(source, &of, "")
	results := slices.DeleteFunc(slices.Clone(m.results), func(r *Result) bool { return !whole.answers(&source[0], r, &of) })

	var sum *big.Rat
	for _, r := range results {
		total := m.total(r, o.values)
		if total == nil || !r.askedAs(results[0]) || (sum != nil && sum.Cmp(total) != 0) {
			return "", false
		}
		sum = total
	}
	if sum == nil {
		return "", false
	}
	return sum.FloatString(maxDecimals), true
}

// askedAs reports whether two results are of calls with the same arguments.
func (r *Result) askedAs(other *Result) bool {
	return slices.EqualFunc(r.Args, other.Args, func(a, b Argument) bool { return a.Pointer == b.Pointer && a.Text == b.Text })
}

// total adds up the values that a result offers; nil where one is in doubt.
func (m *matcher) total(r *Result, offered []candidate) *big.Rat {
	var total *big.Rat
	list, measure := "", ""
	seen := map[string]bool{}
	for _, v := range offered {
		if v.call != r.Call {
			continue
		}
		n, ok := new(big.Rat).SetString(v.text)
		if !ok || !v.isPlain() || v.record == (recordID{}) || v.doubt != "" || !m.work(len(v.text)) {
			return nil
		}

		record := v.record.pointer
		in, of, id := r.listOf(record), r.beside(record, (&field{}).isMeasuredBy), r.ownID(record)
		if total == nil {
			total, list, measure = new(big.Rat), in, of
		}
		again := seen[record] || (id != "" && seen["id "+id])
		if again || in != list || of != measure {
			return nil
		}
		seen[record], seen["id "+id] = true, true
		total.Add(total, n)
	}
	return total
}

// ownID returns what identifies a record: its id, or the one that it begins with. A row for each guest of a bill repeats that of the
// bill.
func (r *Result) ownID(record string) string {
	of := r.records[record]
	isKey := func(i int) bool {
		f := &r.fields[i]
		return f.part == nil && (isOnly(f.key, "id") || isOnly(f.key, "uuid"))
	}
	at := slices.IndexFunc(of, isKey)
	if at < 0 && len(of) > 0 && r.isKey(&r.fields[of[0]]) {
		at = 0
	}
	if at < 0 {
		return ""
	}
	return fold(r.fields[of[at]].text)
}

// isKey reports whether a field that a record begins with is an id, or the number or the code of what is listed, or called as that itself.
func (r *Result) isKey(f *field) bool {
	isOfThing := len(f.key) == 1 && r.isAbout(f.key[0]) && isCode(f.text) && !f.numeric
	if endsIn(f.key, "id") || endsIn(f.key, "uuid") || isOfThing {
		return true
	}
	last := len(f.key) - 1
	return last >= 0 && lexicon().Filled.Has(f.key[last]) && !slices.ContainsFunc(f.key[:last], func(w string) bool { return !r.isAbout(w) })
}

// beside returns the values of a record's fields of a sort.
func (r *Result) beside(record string, is func(*field) bool) string {
	var out []string
	for _, i := range r.records[record] {
		if f := &r.fields[i]; is(f) {
			out = append(out, fold(f.text))
		}
	}
	return strings.Join(out, " ")
}

// maxDecimals are the decimals that a sum is rounded to, as many as a plain number may have.
const maxDecimals = 12
