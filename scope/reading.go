package scope

import (
	"fmt"
	"slices"

	"github.com/remit-project/remit/internal/serialized"
)

// Reading is how the results of a tool look that prove no serializer: whoever has a value in
// one may have written a record. A person may agree to have the tool's results of this very
// shape read as fields. That tells who wrote the format and never who wrote a record, so such
// a result counts for less: see [Proposal.Readings].
type Reading struct {
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool"`
	Format string `json:"format"`
	// Shape is the same for results with the same fields in the same order and places.
	Shape string `json:"shape"`
	// Call is set where the person was shown all of the result of this call: until the user's next
	// turn it counts as any with fields, for calls that can be taken back. Empty for all results
	// of the shape.
	Call string `json:"call,omitempty"`
}

// SetAppearance notes what the text of a result looks like, where it has no fields.
func (r *Result) SetAppearance() {
	if r.structured || r.Verbatim {
		return
	}
	a := serialized.Appear(r.Text)
	if a == nil {
		return
	}
	r.as = &Reading{Server: r.Server, Tool: r.Tool, Format: string(a.Format), Shape: a.Shape}
	r.reading = &Result{Call: r.Call, Server: r.Server, Tool: r.Tool, Args: r.Args, Covered: r.Covered, Read: r.Read, Early: r.Early, Returns: r.Returns}
	r.reading.SetContent(r.Text, a.Document)
	r.held = a.Records
}

// Appearance returns how the text of a result looks; nil where it has fields, or looks like
// nothing that is read.
func (r *Result) Appearance() *Reading { return r.as }

const (
	// maxShownRecords bounds the records that a question shows, and maxShown the fields of each.
	maxShownRecords = 8
	maxShown        = 6
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
			record = append(record, fmt.Sprintf("%s %s", f.name, clip([]byte(f.text))))
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

// readable returns results with those as fields that a call may take any value from: those that
// are assumed to be so, and for a call that can be taken back, those of which a person was shown
// all.
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

// read returns a result as a source may look for values in it. As a person agreed that a
// template's results are read, they offer the one value of records that the user's words name,
// to a call that can be taken back: whoever adds a record of that name makes two, of which none
// counts. A choice, all, a sum and a condition could be of records that somebody added.
func (m *matcher) read(s *Source, r *Result, c *Constraint) *Result {
	known := r.as != nil && slices.Contains(m.agreed, *r.as)
	if !known || m.irreversible || m.against || m.joining || c.Pick != Only || c.Computed || !m.namedIn(s, r.reading) {
		return r
	}
	return r.reading
}
