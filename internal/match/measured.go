package match

import (
	"math/big"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/scalar"
	"github.com/remit-project/remit/scope"
)

// Numbers and times can be compared, under whatever name and in whatever form a record has them.

// measured is a member of a record as something that can be compared, nil where it can't be, and what it is called in
// full, with the form that it has.
type measured struct {
	by    *big.Rat
	name  string
	has   bool // there is such a member
	dated bool // it is a time
	of    bool // its name has a word more than was asked for, which is not what the result lists
}

// quantity returns a member of a record, by a word of its name or all of them, as something that
// can be compared; nothing where it has none, or several that may be meant.
func (m *matcher) quantity(record recordID, member string) measured {
	for _, r := range slices.Backward(m.ofCall(record.call)) {
		if r.Call != record.call {
			continue
		}
		if f, isLonger := m.onlyCalled(r, record.pointer, member); f != nil {
			name := strings.Join([]string{f.name, formOf(f.text, f.numeric), r.beside(record.pointer, f.isMeasuredBy)}, " ")
			return measured{f.quantity(), name, true, isTime(f.text), isLonger && !r.lists(unitless(f.key))}
		}
	}
	return measured{}
}

// onlyCalled returns the only member of a record that a word means, or all words of its name, and whether its name has more words; nil where
// there is none, or several. A member of just that name comes before one whose name ends so, and that before one in an object.
func (m *matcher) onlyCalled(r *Result, record, member string) (f *field, isLonger bool) {
	whole := strings.Fields(member)
	var exact, ending, within []*field
	for _, i := range r.records[record] {
		if !m.step() {
			return nil, false
		}
		f := &r.fields[i]
		switch {
		case f.countsTimes() && !slices.Contains(whole, "times"):
		case f.part != nil:
			if m.isWithin(r, f, unitless(slices.Concat(f.part, f.key)), member) {
				within = append(within, f)
			}
		case slices.EqualFunc(f.key, whole, sameWord) || isOnly(unitless(f.key), member):
			exact = append(exact, f)
		case (endsIn(f.key, member) || endsIn(unitless(f.key), member)) && !isOfAnother(f.key):
			ending = append(ending, f)
		}
	}

	if exact == nil && ending == nil {
		exact = within
	}
	isLonger = exact == nil
	if isLonger && !(len(ending) == 1 && m.isOfAnotherTime(r, record, ending[0])) {
		exact = ending
	}
	if len(exact) != 1 {
		return nil, false
	}
	return exact[0], isLonger
}

// countsTimes reports whether a field says how many times something was done, which is no time: used_times.
func (f *field) countsTimes() bool {
	return f.numeric && len(f.key) > 1 && strings.HasSuffix(strings.ToLower(f.member), "times")
}

// isWithin reports whether a field of an object in its record is what a member means, by the full name of the field without units. For what can't
// be taken back, the object is what is meant itself (the amount of the price), or one that only holds members of the record: the year
// of the artist is not the year.
func (m *matcher) isWithin(r *Result, f *field, name []string, member string) bool {
	whole := strings.Fields(member)
	if len(whole) > 1 {
		return slices.EqualFunc(name, whole, sameWord)
	}
	if endsIn(f.part, member) && endsIn(unvalued(name), member) {
		return true
	}
	isOwn := func(w string) bool { return lexicon().Details.Has(w) || r.isAbout(w) }
	ofOther := slices.ContainsFunc(f.part, func(w string) bool { return !isOwn(w) })
	return endsIn(name, member) && !(ofOther && (m.irreversible || m.strict))
}

// isMoment reports whether a text is a time.
func isMoment(text string) bool {
	_, ok := moment(strings.TrimSpace(text))
	return ok
}

// isTime reports whether a text is a time, of a day or alone.
func isTime(text string) bool {
	_, isClock := clock(text)
	return isClock || isMoment(text)
}

// isOfAnother reports whether a member's name says that it is about what is added to a record, or what becomes of it,
// and not about the record: the date of the last comment, the number of reviews.
func isOfAnother(key []string) bool {
	return slices.ContainsFunc(key[:len(key)-1], isOneOf(lexicon().Asides)) || lexicon().Differing.In(key[:len(key)-1])
}

// isOfAnotherTime reports whether a time may be another one than that of its record, for what can't be taken back. Its name says what it is
// the time of, which is not what is listed, and the record has another time. What is newest is not what is due last.
func (m *matcher) isOfAnotherTime(r *Result, record string, f *field) bool {
	of := f.key[:len(f.key)-1]
	if !(m.irreversible || m.strict) || !isTime(f.text) || len(of) == 0 || slices.ContainsFunc(of, r.isAbout) {
		return false
	}
	return slices.ContainsFunc(r.records[record], func(i int) bool {
		other := &r.fields[i]
		isSame := len(other.key) == len(f.key) && slices.Equal(other.key[:len(other.key)-1], of)
		return m.step() && other.part == nil && other.name != f.name && len(other.key) > 0 && isTime(other.text) && !isSame
	})
}

func isOnly(key []string, word string) bool { return len(key) == 1 && endsIn(key, word) }

func endsIn(key []string, word string) bool {
	return len(key) > 0 && sameWord(key[len(key)-1], word)
}

// unitless returns the words of a name before its units.
func unitless(key []string) []string {
	if i := slices.Index(key, "per"); i > 0 {
		key = key[:i]
	}
	for len(key) > 1 && lexicon().Units.Has(key[len(key)-1]) {
		key = key[:len(key)-1]
	}
	return key
}

// unvalued returns the words of a name before those that say no more than that it has a value: the
// amount of the price is the price.
func unvalued(key []string) []string {
	if n := len(key); n > 1 && (key[n-1] == "amount" || key[n-1] == "value") {
		return key[:n-1]
	}
	return key
}

// formOf returns the form of what can be compared, since a number is compared with numbers, and a
// moment in a zone with others in one. A text whose point may part thousands is compared with others of that
// form: both readings have them in the same order.
func formOf(text string, numeric bool) string {
	text = strings.TrimSpace(text)
	_, dated := moment(text)
	switch {
	case !dated && isTime(text):
		return clockForm
	case !dated && !numeric && ungrouped(text) != "":
		return " in thousands"
	case !dated:
		return ""
	case scalar.IsZoned(text):
		return zonedForm
	case isDay(scope.Value(text)):
		return " of all day" // which is before and after its moments
	}
	return " as written"
}

// clockForm is the form of a time alone, and zonedForm that of a moment in a zone.
const (
	clockForm = " of a day"
	zonedForm = " in a zone"
)

// grouped is a number whose point is the decimal one, or parts thousands.
var grouped = pattern.OnUse(`^-?[1-9]\d{0,2}\.\d{3}$`)

// ungrouped returns the number that a text is where its point parts thousands (1.050); empty where it
// can't.
func ungrouped(text string) string {
	if text = strings.TrimSpace(text); !grouped().MatchString(text) {
		return ""
	}
	return strings.Replace(text, ".", "", 1)
}

// quantity returns a text as something that can be compared; nil for others.
func quantity(text string) *big.Rat {
	text = strings.TrimSpace(text)
	if t, ok := moment(text); ok && isNever(t) {
		return nil
	} else if ok {
		return big.NewRat(t.UnixMilli(), 1)
	}
	if n, ok := number(text); ok {
		v, _ := new(big.Rat).SetString(n)
		return v
	}
	if of, ok := clock(text); ok {
		return big.NewRat(of.Milliseconds(), 1)
	}
	return nil
}
