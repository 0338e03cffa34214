package provenance

import (
	"math/big"
	"strconv"
	"strings"
	"sync"

	"github.com/remit-project/remit/label"
)

// superlative is a word by which a user picks one record out of a list: the one
// whose field of such a name has the greatest or the least value.
type superlative struct {
	word    string
	fields  []string
	highest bool
}

var (
	sizeFields  = []string{"size", "byte", "length", "amount", "total", "count", "capacity", "volume"}
	timeFields  = []string{"date", "time", "timestamp", "created", "modified", "updated", "start", "received", "sent"}
	priceFields = []string{"price", "cost", "fare", "fee", "rate", "amount"}
	gradeFields = []string{"rating", "score", "star", "grade", "rank"}
)

var superlatives = []superlative{
	{"largest", sizeFields, true}, {"biggest", sizeFields, true}, {"longest", sizeFields, true},
	{"smallest", sizeFields, false}, {"shortest", sizeFields, false},
	{"newest", timeFields, true}, {"latest", timeFields, true}, {"recent", timeFields, true},
	{"oldest", timeFields, false}, {"earliest", timeFields, false},
	{"cheapest", priceFields, false}, {"expensive", priceFields, true}, {"priciest", priceFields, true},
	{"best", gradeFields, true}, {"highest", append(gradeFields[:len(gradeFields):len(gradeFields)], append(sizeFields, priceFields...)...), true},
	{"lowest", append(gradeFields[:len(gradeFields):len(gradeFields)], append(sizeFields, priceFields...)...), false},
	{"größte", sizeFields, true}, {"kleinste", sizeFields, false}, {"neueste", timeFields, true}, {"älteste", timeFields, false},
	{"billigste", priceFields, false}, {"günstigste", priceFields, false}, {"teuerste", priceFields, true},
}

// pickedBySuperlative reports whether a field is in the record that the user
// picked by a superlative, recomputed here over all records of the result: "the
// largest file" is the record whose size is the greatest, and no other is as
// great. The compared fields must not be external.
func (s *Session) pickedBySuperlative(ref fieldRef, pointer string) (basis string, ok bool) {
	out := s.events[ref.event].out
	if out.records < 2 {
		return "", false
	}
	own := recordPrefix(pointer)
	if own == pointer {
		return "", false
	}
	for i := range superlatives {
		sup := &superlatives[i]
		if !s.saysSuperlative(sup) {
			continue
		}
		if record, field := s.extreme(ref.event, sup); record == own {
			return "the record with the " + sup.word + " " + field + " of the list, as the user said", true
		}
	}
	return "", false
}

// ordinals are the words by which a user picks a record by its place in a list.
var ordinals = sync.OnceValue(func() [][]string {
	v := vocabulary()
	return [][]string{v.Firsts.Words(), v.Seconds.Words(), v.Thirds.Words(), v.Fourths.Words(), v.Fifths.Words()}
})

// pickedByOrdinal reports whether a field is in the record whose place in the list the user's
// last words say: "delete the second one". It counts only where there was one list of such things
// before those words, so that no other order can replace the one that the user saw.
func (s *Session) pickedByOrdinal(ref fieldRef, pointer string, n name) (key string, ok bool) {
	out := s.events[ref.event].out
	source := s.vouch.latest
	if out.records < 2 || out.narrowed || len(out.by) > 0 || source >= len(s.vouch.sources) || !sharesObject(n, out.words) {
		return "", false
	}
	said := s.vouch.sources[source].event
	if said < int(ref.event) || s.lists(said, n) != 1 {
		return "", false
	}

	place := -1
	for at, list := range ordinals() {
		for _, word := range list {
			switch {
			case !s.saysOrdinal(word, source, n):
			case place >= 0 && place != at:
				return "", false // "the first one and the second"
			default:
				place, key = at, word
			}
		}
	}
	return key, place >= 0 && place < out.records && isIndexOf(pointer, place)
}

// saysOrdinal reports whether one of the user's texts has a word for a place in a list of
// what a call is about: "the second one", "the second mail", but not "first, …" or "the second
// page".
func (s *Session) saysOrdinal(word string, source int, n name) bool {
	for _, p := range s.vouch.words[word] {
		o := occurrence{source: int(p.source), start: int(p.start), end: int(p.end)}
		if o.source != source || s.vouch.isNegated(o) {
			continue
		}
		left, right := s.vouch.around(o, 1, 1)
		listed := len(right) == 0 || right[0] == "one" || requests().marks[plainWord(right[0])] != 0 || n.hasCue(right)
		if listed && len(left) == 1 && (left[0] == "the" || vocabulary().Determiners.Has(left[0])) {
			return true
		}
	}
	return false
}

// lists counts the results before an event that list what a call is about.
func (s *Session) lists(before int, n name) int {
	lists := 0
	for i := range s.events[:before] {
		if out := s.events[i].out; out != nil && out.doc != nil && out.records > 1 && sharesObject(n, out.words) {
			lists++
		}
	}
	return lists
}

// isIndexOf reports whether a pointer leads into the element of a list with an index.
func isIndexOf(pointer string, index int) bool {
	own := recordPrefix(pointer)
	return own != pointer && strings.HasSuffix(own, "/"+strconv.Itoa(index)+"/")
}

// saysSuperlative reports whether the user said it: "recent" and "expensive" pick
// one record only with "most" before them.
func (s *Session) saysSuperlative(sup *superlative) bool {
	for _, p := range s.vouch.words[sup.word] {
		o := occurrence{source: int(p.source), start: int(p.start), end: int(p.end)}
		if s.vouch.isNegated(o) {
			continue
		}
		if sup.word == "recent" || sup.word == "expensive" {
			if left, _ := s.vouch.around(o, 1, 0); len(left) == 0 || left[0] != "most" {
				continue
			}
		}
		return true
	}
	return false
}

// extreme finds the one record with the extreme value of the first field that a
// superlative is about. It is computed once a decision for each result.
func (s *Session) extreme(event int32, sup *superlative) (record, field string) {
	out := s.events[event].out
	key := extremeOf{event, sup.word}
	if got, ok := s.memo.extremes[key]; ok {
		return got[0], got[1]
	}
	if !s.work.spend(candidateWork * len(out.doc.Leaves())) {
		return "", ""
	}

	record, field = s.findExtreme(event, sup)
	s.memo.extremes = remember(s.memo.extremes, key, [2]string{record, field})
	return record, field
}

func (s *Session) findExtreme(event int32, sup *superlative) (record, field string) {
	out := s.events[event].out
	best := extremum{highest: sup.highest}
	for i, leaf := range out.doc.Leaves() {
		prefix := recordPrefix(leaf.Pointer)
		if prefix == leaf.Pointer || !isScalar(leaf) {
			continue
		}
		name := leaf.Pointer[len(prefix):]
		if field == "" && s.about(name, sup.fields) {
			field = name
		}
		if field == "" || name != field {
			continue
		}

		if l, _, _ := s.fieldLabel(fieldRef{event: event, leaf: int32(i)}); l.Trust < label.ToolOutput {
			return "", ""
		}
		if !best.take(prefix, leaf.Text) {
			return "", ""
		}
	}
	if best.n != out.records {
		return "", ""
	}
	return best.record, field
}

// extremum is the record with the greatest or the least value so far.
type extremum struct {
	highest bool
	n       int      // values
	number  *big.Rat // nil where values are times
	text    string
	record  string // empty where two records are as good: none was picked
}

// take takes the value of a record in. It reports false where the values have no order:
// numbers and text, or text that is not a time.
func (e *extremum) take(record, text string) bool {
	number, numeric := parseNumber(text)
	if !numeric {
		number = nil
	}
	order := 1
	switch _, isTime := parseMoment(text); {
	case e.n == 0:
	case numeric != (e.number != nil):
		return false
	case numeric:
		order = number.Cmp(e.number)
	case !isTime:
		return false
	default:
		order = strings.Compare(text, e.text)
	}
	if !e.highest && e.n > 0 {
		order = -order
	}

	e.n++
	switch {
	case order > 0:
		e.number, e.text, e.record = number, text, record
	case order == 0:
		e.record = ""
	}
	return true
}

// about reports whether a field directly in a record has a name that a
// superlative is about.
func (s *Session) about(relative string, fields []string) bool {
	if strings.Contains(relative, "/") {
		return false
	}
	for _, w := range Words(relative) {
		if contains(fields, w) {
			return true
		}
	}
	return false
}
