package match

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/scope"
)

// A record may lack the value that is looked for: the newest bill has no account number, and the next one is not the newest.

// complete returns the values that a source offers, with a doubt where a record that is meant has none, and for a choice with such
// records.
func (m *matcher) complete(s *Source, c *Constraint, r *Result, selected selection, found []candidate) []candidate {
	if strict := m.irreversible || m.strict; c.Pick == scope.Choice && strict && len(found) > 0 {
		return m.withMissing(r, selected, found)
	}
	if (c.Computed || (c.Pick == scope.Only && len(s.Where) > 0)) && m.lacking(r, selected, found) {
		for i := range found {
			found[i].doubt = m.say("a record of %s that is meant doesn't say", s.Tool)
		}
	}
	return found
}

// lacking reports whether one of the records that a source selects has no value, where others of
// its list have one: the value may be that of another thing of the name.
func (m *matcher) lacking(r *Result, selected selection, found []candidate) bool {
	if len(found) == 0 || !m.work(len(r.inOrder)*perStep) {
		return false
	}
	if len(selected) == 1 && selected[found[0].record.pointer] {
		return false // as where one record is meant
	}
	counts := func(record string) bool { return selected[record] || (selected == nil && r.outermost(record)) }
	valued, lists := map[string]bool{}, map[string]bool{}
	for _, v := range found {
		record := v.record.pointer
		for !counts(record) && record != "" {
			record = record[:strings.LastIndexByte(record, '/')]
		}
		valued[record], lists[r.listOf(record)] = true, true
	}

	isBare := func(record string) bool { return r.outermost(record) && lists[r.listOf(record)] && !valued[record] }
	for record, is := range selected {
		if is && isBare(record) {
			return true
		}
	}
	return selected == nil && slices.ContainsFunc(r.inOrder, isBare)
}

// withMissing returns the values that a choice is among, in the order of their records, with those records that may be meant
// and have none.
func (m *matcher) withMissing(r *Result, selected selection, found []candidate) []candidate {
	if !m.work((len(found) + len(r.inOrder)) * perStep) {
		return nil
	}
	of, lists := map[string][]candidate{}, map[string]bool{}
	for _, v := range found {
		record := r.elementWith(v.record.pointer)
		of[record], lists[r.listOf(record)] = append(of[record], v), true
	}

	var out []candidate
	for _, record := range r.inOrder {
		switch isElement := r.elementWith(record) == record; {
		case len(of[record]) > 0:
			out = append(out, of[record]...)
		case isElement && lists[r.listOf(record)] && selected.has(record):
			out = append(out, candidate{text: "\x00" + r.Call + " " + record, call: r.Call, record: recordID{r.Call, record}, missing: true})
		}
	}
	return out
}

// elementWith returns the element of a list that an object is or is in.
func (r *Result) elementWith(record string) string {
	home := record
	for home != "" && !strictjson.IsIndex(home[strings.LastIndexByte(home, '/')+1:]) {
		home = home[:strings.LastIndexByte(home, '/')]
	}
	if r.records[home] == nil {
		return record // which has no member of its own that would be compared
	}
	return home
}
