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
	r.as = &Reading{r.Server, r.Tool, string(a.Format), a.Shape}
	r.reading = &Result{Call: r.Call, Server: r.Server, Tool: r.Tool, Args: r.Args, Covered: r.Covered, Read: r.Read, Early: r.Early, Returns: r.Returns}
	r.reading.SetContent(r.Text, a.Document)
	r.held = a.Records
}

// Appearance returns how the text of a result looks; nil where it has fields, or looks like
// nothing that is read.
func (r *Result) Appearance() *Reading { return r.as }

// maxShown bounds the fields of a record that a question shows.
const maxShown = 4

// Show returns how many records a result looks like it has, and the fields of the one that has
// one of the values; nil where none has. Others may have written all of it.
func (r *Result) Show(values []string) (records int, record []string) {
	if r.reading == nil {
		return 0, nil
	}
	at := slices.IndexFunc(r.reading.fields, func(f field) bool { return f.text != "" && slices.Contains(values, f.text) })
	if at < 0 {
		return r.held, nil
	}
	for _, i := range r.reading.records[r.reading.fields[at].record] {
		if f := &r.reading.fields[i]; !f.null && len(record) < maxShown {
			record = append(record, fmt.Sprintf("%s %s", f.name, clip([]byte(f.text))))
		}
	}
	return r.held, record
}

// assumed returns results with those read as fields that look so.
func assumed(results []*Result, as []Reading) []*Result {
	if len(as) == 0 {
		return results
	}
	out := slices.Clone(results)
	for i, r := range out {
		if r.as != nil && slices.Contains(as, *r.as) {
			out[i] = r.reading
		}
	}
	return out
}

// read returns a result as a source may look for values in it. As a person agreed that a
// template's results are read, they offer the one value of records that the user's words name,
// to a call that can be taken back: whoever adds a record of that name makes two, of which none
// counts. A choice, all, a sum and a condition could be of records that somebody added.
func (m *matcher) read(s *Source, r *Result, c *Constraint) *Result {
	known := r.as != nil && slices.Contains(m.agreed, *r.as)
	if !known || m.irreversible || m.against || m.joining || c.Pick != Only || c.Computed || !m.requested(s, r.reading) {
		return r
	}
	return r.reading
}
