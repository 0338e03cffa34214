package match

import "slices"

// Of a call that can't be taken back what is known now counts, by whatever filter it was found.

// isOutdated reports whether a later result has the record of a value with another member, or the same call was made again and doesn't have it.
func (m *matcher) isOutdated(v candidate) bool {
	of, record := m.recordOf(v)
	if of == nil || !of.structured || !m.work(len(of.fields)*perStep) {
		return false
	}
	key := of.keyOf(record)
	if key == nil {
		return false
	}

	for _, r := range m.results[slices.Index(m.results, of)+1:] {
		isList, isOther := r.Tool == of.Tool, r.Server != of.Server || !r.Read || !r.structured || r.failed()
		if isOther || (!isList && len(key.key) < 2) || !m.work(len(r.fields)*perStep) {
			continue // the id 7 of something else
		}
		found := false
		for i := range r.fields {
			f := &r.fields[i]
			if f.name != key.name || f.text != key.text || !r.outermost(f.record) {
				continue
			}
			if found = true; m.haveOtherwise(of, record, r, f.record, isList) {
				return true
			}
		}
		if isGone := !found && isList && of.askedAs(r) && !r.more && !r.partial; isGone {
			return true
		}
	}
	return false
}

// keyOf returns the member by which a record is known: its first one that no other record of the result has; nil where there is none.
func (r *Result) keyOf(record string) *field {
	for _, i := range r.records[record] {
		f := &r.fields[i]
		isShared := func(other field) bool { return other.record != record && other.name == f.name && other.text == f.text }
		if isKey := !f.null && f.text != "" && f.words != nil; isKey {
			if slices.ContainsFunc(r.fields, isShared) {
				continue
			}
			return f
		}
	}
	return nil
}

// haveOtherwise reports whether two records of one thing have a member in different ways; of two tools, which may write texts in theirs, a number.
func (m *matcher) haveOtherwise(r *Result, record string, other *Result, in string, alike bool) bool {
	for _, i := range r.records[record] {
		f := &r.fields[i]
		isSame := func(j int) bool { return canonical(other.fields[j].text) == canonical(f.text) }
		isOf := func(j int) bool {
			o := &other.fields[j]
			return o.name == f.name && (alike || (o.numeric && f.numeric))
		}
		if !m.work(perStep * len(other.records[in])) {
			return true
		}
		if slices.ContainsFunc(other.records[in], isOf) && !slices.ContainsFunc(other.records[in], func(j int) bool { return isOf(j) && isSame(j) }) {
			return true
		}
	}
	return false
}
