package provenance

import (
	"math/big"
	"strings"

	"github.com/remit-project/remit/internal/strictjson"
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

// pickedBySuperlative tells whether a field stands in the record that the user
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

// saysSuperlative tells whether the user said it: "recent" and "expensive" pick
// one record only with "most" before them.
func (s *Session) saysSuperlative(sup *superlative) bool {
	for _, p := range s.vouch.words[sup.word] {
		o := occurrence{source: int(p.source), start: int(p.start), end: int(p.end)}
		if s.vouch.negated(o) {
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
	defer func() { s.memo.extremes = remember(s.memo.extremes, key, [2]string{record, field}) }()
	column := ""
	var best *big.Rat
	var bestText string
	n := 0
	for i, leaf := range out.doc.Leaves() {
		prefix := recordPrefix(leaf.Pointer)
		if prefix == leaf.Pointer || leaf.Kind != strictjson.Number && leaf.Kind != strictjson.String {
			continue
		}
		relative := leaf.Pointer[len(prefix):]
		if column == "" && s.about(relative, sup.fields) {
			column = relative
		}
		if relative != column || column == "" {
			continue
		}
		if l, _, _ := s.fieldLabel(fieldRef{event: event, leaf: int32(i)}); l.Trust < label.ToolOutput {
			return "", ""
		}
		n++
		value, numeric := parseNumber(leaf.Text)
		order := 0
		switch {
		case n == 1:
			order = 1
		case numeric && best != nil:
			order = value.Cmp(best)
		case numeric || best != nil:
			return "", "" // numbers and text in one column
		default:
			order = strings.Compare(leaf.Text, bestText)
			if _, ok := parseMoment(leaf.Text); !ok {
				return "", ""
			}
		}
		if !sup.highest && n > 1 {
			order = -order
		}
		switch {
		case order > 0:
			best, bestText, record = value, leaf.Text, prefix
			if !numeric {
				best = nil
			}
		case order == 0:
			record = "" // two records are as good: nothing was picked
		}
	}
	if n != out.records {
		return "", ""
	}
	return record, column
}

// about tells whether a field directly in a record has a name that a
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
