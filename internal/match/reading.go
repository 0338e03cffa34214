package match

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/serialized"
	"github.com/remit-project/remit/scope"
)

// SetAppearance notes what the text of a result looks like, where it has no fields. Trust says
// which fields the service itself writes, and pinned are the shapes that the tool's contract
// keeps: such a text counts as one that a person agreed to read so, or where it has one record of
// the only shape, as one with fields.
func (r *Result) SetAppearance(trust serialized.Trust, pinned []*serialized.Pinned) {
	if r.structured || r.Verbatim {
		return
	}
	a := serialized.Appear(r.Text)
	if a == nil {
		return
	}
	if len(pinned) == 1 && pinned[0].Proves(a) {
		r.SetContent(r.Text, a.Document)
		return
	}
	r.as = &scope.Reading{Server: r.Server, Tool: r.Tool, Format: string(a.Format), Shape: a.Shape}
	r.reading = &Result{Call: r.Call, Server: r.Server, Tool: r.Tool, Args: r.Args, Covered: r.Covered, Read: r.Read, Early: r.Early, Returns: r.Returns}
	r.reading.SetContent(r.Text, a.Document)
	r.held = a.Records

	owns := trust.Owns
	if i := slices.IndexFunc(pinned, func(p *serialized.Pinned) bool { return p.Fits(a) }); i >= 0 {
		r.pinned, owns = true, pinned[i].Owns
	}
	r.reading.own = map[int]bool{}
	for i, leaf := range a.Document.Leaves()[:len(r.reading.fields)] {
		r.reading.own[i] = owns(leaf.Pointer)
	}
}

// Pinned reports whether the tool's contract says that results of this shape are read as fields.
func (r *Result) Pinned() bool { return r.pinned }

// Appearance returns how the text of a result looks; nil where it has fields, or looks like
// nothing that is read.
func (r *Result) Appearance() *scope.Reading { return r.as }

const (
	// maxShownRecords bounds the records that a question shows, and maxShown the fields of each.
	maxShownRecords = 8
	maxShown        = 6
	// maxShownText bounds the characters of each, of which [clip] shows no more.
	maxShownText = 80
)

// Shown is what a question shows of a result that looks like it has fields. Others may have
// written all of it.
type Shown struct {
	// Records are how many records the result has.
	Records int
	// All are the fields of every record, where they are few enough to be read by a person;
	// else nil.
	All [][]string
	// This are the first fields of the record that has one of the values in question; nil
	// where none has.
	This []string
}

// Show returns what a question shows of a result whose records have some of the values of a call.
func (r *Result) Show(values []string) Shown {
	if r.reading == nil {
		return Shown{}
	}

	out, whole := Shown{Records: r.held}, r.held <= maxShownRecords
	for _, at := range r.reading.inOrder {
		var record []string
		has := false
		for _, i := range r.reading.records[at] {
			f := &r.reading.fields[i]
			if f.list {
				continue
			}
			has = has || (f.text != "" && slices.Contains(values, f.text))
			record = append(record, f.shown())
			whole = whole && utf8.RuneCountInString(f.text) <= maxShownText
		}
		if has && out.This == nil {
			out.This = record[:min(len(record), maxShown)]
		}
		if whole = whole && len(record) <= maxShown; whole && len(record) > 0 {
			out.All = append(out.All, record)
		}
	}
	if !whole {
		out.All = nil
	}
	return out
}

// shown says what a field is. A name of more than a few words could say something itself.
func (f *field) shown() string {
	const few = 2
	name := f.name
	if len(f.key)+len(f.part) > few {
		name = clip([]byte(name))
	}
	return fmt.Sprintf("%s %s", name, clip([]byte(f.text)))
}

// readable returns the results as a call may take any value from them: read as fields are those that are assumed to be so, and for a call
// that can be taken back, those of which a person was shown all.
func readable(results []*Result, p *Proposal) []*Result {
	if len(p.Assumed)+len(p.Readings) == 0 {
		return results
	}
	out := slices.Clone(results)
	for i, r := range out {
		if r.as == nil {
			continue
		}
		shown := *r.as
		shown.Call = r.Call
		if slices.Contains(p.Assumed, *r.as) || (!p.Irreversible && slices.Contains(p.Readings, shown)) {
			out[i] = r.reading
		}
	}
	return out
}

// namedIn reports whether the user's words name the records of a result that looks like it has
// fields: as the request names a text, or by words that the records have.
func (m *matcher) namedIn(s *Source, r *Result) bool {
	return m.requested(s, r) || slices.ContainsFunc(s.Where, func(w Match) bool {
		return len(w.Contains) > 0 && !slices.ContainsFunc(w.Contains, func(words string) bool { return !m.stated(words) })
	})
}

// read returns a result as a source may look for values in it. Where a person agreed, or the
// contract says, that a template's results are read, they offer the one value of records that the
// user's words name, to a call that can be taken back: an attacker who adds a record of that name
// makes two, of which none counts. A choice, all, a sum and a condition could be about records
// that an attacker added.
//
// A record may have a value of a stranger's in it, as a remark. By a line end and the beginning
// of another record there, the stranger splits it in two: the fields before and after the remark
// keep what they say, each beside fields that the stranger wrote. So the value has to be beside
// what the user names, with nothing between that others may have written.
func (m *matcher) read(s *Source, r *Result, c *Constraint, id string) *Result {
	known := r.as != nil && (r.pinned || slices.Contains(m.agreed, *r.as))
	if !known || m.irreversible || m.against || m.joining || c.Pick != scope.Only || c.Computed || !m.namedIn(s, r.reading) || !m.beside(s, r.reading, c, id) {
		return r
	}
	return r.reading
}

// beside reports whether the value that a source offers is in the same record as the field that
// identifies it, with no field between that a stranger may write. All records have the same
// fields.
func (m *matcher) beside(s *Source, r *Result, c *Constraint, id string) bool {
	if !m.work(len(r.fields) * perStep) {
		return false
	}
	tells := m.telltales(s, r)
	if len(tells) == 0 {
		return true // all records count
	}

	isNamed, _ := m.memberOf(r, s.name(), id, c.Kind, true)
	for _, at := range r.inOrder {
		fields := r.records[at]
		first, last, named := len(fields), -1, false
		var between []int
		for n, i := range fields {
			f := &r.fields[i]
			told := slices.ContainsFunc(tells, func(is func(*field) bool) bool { return is(f) })
			if told || isNamed(f) {
				first, last, named = min(first, n), n, named || isNamed(f)
			} else if !r.own[i] {
				between = append(between, n)
			}
		}
		if !named {
			continue
		}
		inRecord := func(is func(*field) bool) bool {
			return slices.ContainsFunc(fields, func(i int) bool { return is(&r.fields[i]) })
		}
		return !slices.ContainsFunc(tells, func(is func(*field) bool) bool { return !inRecord(is) }) &&
			!slices.ContainsFunc(between, func(n int) bool { return first < n && n < last })
	}
	return false
}

// telltales returns predicates for the members by which a source selects records; none where all
// records count.
func (m *matcher) telltales(s *Source, r *Result) []func(*field) bool {
	var out []func(*field) bool
	where, _ := m.where(s, r)
	for i := range where {
		for w := range where[i].each {
			is, _ := m.condition(w, r)
			out = append(out, is)
		}
	}
	if len(where) > 0 {
		return out
	}

	for _, t := range termsOf(s) {
		is := func(f *field) bool { return f.named(t.name) }
		if slices.ContainsFunc(r.fields, func(f field) bool { return t.isIn(&f) }) {
			out = append(out, is)
		}
	}
	return out
}

// unrivalled returns the records that a source selects. It returns none where a person agreed to how the result is read, and other records
// have what the user named among more words. An attacker who adds a record can give it exactly that name, and would hide the longer one that
// the user means.
func (m *matcher) unrivalled(selected selection, r *Result, others func() selection) selection {
	if !m.lent {
		return selected
	}
	for record := range r.onlyOutermost(others()) {
		if !selected[record] {
			return selection{}
		}
	}
	return selected
}

// loosened returns conditions that are met by the words of what they want as well.
func loosened(where []Match) []Match {
	out := slices.Clone(where)
	for i := range out {
		if w := &out[i]; len(w.Is) == 1 && !w.exact && spaced(string(w.Is[0])) != "" {
			w.words, w.Contains, w.Is = w.name(), []string{string(w.Is[0])}, nil
		}
	}
	return out
}

// saying returns the records that have a field which says one of the terms.
func (m *matcher) saying(terms []term, r *Result) selection {
	return m.recordsWith(r, func(f *field) bool {
		return slices.ContainsFunc(terms, func(t term) bool {
			return f.named(t.name) && slices.ContainsFunc(t.values, func(v scope.Value) bool {
				return m.work(len(f.text)) && hasWords(spaced(f.text), spaced(string(v)))
			})
		})
	})
}
