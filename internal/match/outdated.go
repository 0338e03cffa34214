package match

import "slices"

// Of a call that can't be taken back what is known now counts, by whatever filter it was found.

// isOutdated reports whether a later result has the record of a value with another member, or the same call was made again and doesn't have it.
func (m *matcher) isOutdated(v candidate) bool {
	of, record := m.recordOf(v)
	if of == nil || !of.structured {
		return false
	}
	key, isShared := m.keyOf(of, record)
	if key == nil {
		return false
	}

	for _, r := range m.results[slices.Index(m.results, of)+1:] {
		isList, isOther := r.Tool == of.Tool, r.Server != of.Server || !r.Read || !r.structured || r.failed()
		if isOther || (!isList && (isShared || len(key.key) < 2)) || !m.work(len(r.fields)*perStep) {
			continue // the id 7 of something else
		}
		same, others := m.like(of, record, key, r)
		isGone := same+others == 0 && isList && of.askedAs(r) && !r.more && !r.partial
		isOtherwise := others > 0 && (!isShared || same == 0)
		if isGone || isOtherwise {
			return true
		}
	}
	return false
}

// like counts the records of a later result that have the key of one, by whether they have its other members too.
func (m *matcher) like(of *Result, record string, key *field, later *Result) (same, others int) {
	for i := range later.fields {
		f := &later.fields[i]
		if f.name != key.name || f.text != key.text || !later.outermost(f.record) {
			continue
		}
		if m.haveOtherwise(of, record, later, f.record, later.Tool == of.Tool) {
			others++
		} else {
			same++
		}
	}
	return same, others
}

// keyOf returns the member by which a record is known: its first one that no other record of the result has. Where others have them all it is
// the first that is called as an id, and shared; nil where there is none.
func (m *matcher) keyOf(r *Result, record string) (key *field, shared bool) {
	first, own := m.firstWith(r), r.records[record]
	if !m.work(len(own) * perStep) {
		return nil, false
	}
	for _, i := range own {
		f := &r.fields[i]
		if f.null || f.text == "" || f.words == nil {
			continue
		}
		if first[nameAndText{f.name, f.text}] != several {
			return f, false
		}
		if key == nil && isID(f.key) {
			key = f
		}
	}
	return key, key != nil
}

// nameAndText is what a member of a record is called and says.
type nameAndText struct{ name, text string }

// several stands for a member that several records have.
const several = -1

// firstWith returns the first field of a result with each member, or that several records have it.
func (m *matcher) firstWith(r *Result) map[nameAndText]int {
	if known, ok := m.members[r]; ok || !m.work(len(r.fields)*perStep) {
		return known
	}
	first := make(map[nameAndText]int, len(r.fields))
	for i := range r.fields {
		f := &r.fields[i]
		at := nameAndText{f.name, f.text}
		if before, ok := first[at]; !ok {
			first[at] = i
		} else if before != several && r.fields[before].record != f.record {
			first[at] = several
		}
	}
	if m.members == nil {
		m.members = map[*Result]map[nameAndText]int{}
	}
	m.members[r] = first
	return first
}

// haveOtherwise reports whether two records of one thing have a member in different ways; of two tools, which may write texts in theirs, a number.
func (m *matcher) haveOtherwise(r *Result, record string, other *Result, in string, alike bool) bool {
	for _, i := range r.records[record] {
		f := &r.fields[i]
		text := canonical(f.text)
		isSame := func(j int) bool { return canonical(other.fields[j].text) == text }
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
