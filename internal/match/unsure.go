package match

import (
	"slices"
	"strings"
	"unicode"

	"github.com/remit-project/remit/internal/strictjson"
)

// What speaks against a call is not cleared by what no program reads: a switch that is neither on nor off, a state that a record leaves out, and
// a code.

// isSwitchedOn reports whether a field may say that something is as a condition on a switch has it: it doesn't plainly say the other. A time that
// there is none of ("returned_at") says that.
func (m *matcher) isSwitchedOn(want *held, f *field) bool {
	if !want.against || len(want.Is) != 1 || want.From != nil || len(want.Contains) > 0 || want.edges() != nil || want.bounded() {
		return false
	}
	is := string(want.Is[0])
	if is != "true" && is != "false" {
		return false
	}
	text := fold(strings.TrimSpace(f.text))
	if text == "" {
		return !f.list && f.name == strings.Join(head(want.name()), " ")
	}
	said := switches()[text]
	if n := rational(text); n != nil && n.Sign() == 0 {
		said = "off"
	}
	return said == "" || said == switches()[is]
}

// mayLack reports whether what a condition against a call is on may be missing in a record of a list with others that have it, or
// empty there: nobody knows what it would say. A text that there is none of has no words.
func (w *Match) mayLack() bool {
	if !w.against || w.From != nil || len(w.Is) == 0 {
		return false
	}
	name := head(w.name())
	return !(lexicon().Titles.Ends(name) || lexicon().Bodies.Ends(name) || lexicon().Notes.Ends(name))
}

// isEmptyIn reports whether a record has what a condition is on and nothing in it, where others of its list have something.
func (m *matcher) isEmptyIn(want *held, r *Result, record string) bool {
	if want.filled == nil || want.isOnName() || !want.mayLack() || !want.filled[r.listOf(record)] {
		return false
	}
	return !slices.ContainsFunc(r.records[record], func(i int) bool {
		f := &r.fields[i]
		return m.step() && want.isNamed(f) && (f.list || strings.TrimSpace(f.text) != "")
	})
}

// mayBeCoded reports whether a record that has a code, a word for anything else or an object under the name of a condition on words meets it by
// another short text: of the object, or of its own.
func (m *matcher) mayBeCoded(want *held, r *Result, record string) bool {
	if !want.against {
		return false
	}
	onWords := want.From == nil && !want.bounded() && !want.ofEmpty() && (len(want.Contains) > 0 || slices.ContainsFunc(want.looked(), hasLetters))
	if !onWords || !m.work(len(r.records[record])*perStep) {
		return false
	}
	name := m.head(r, want.name())
	isObject := isCalled(record, name)
	met, coded, said := false, false, false
	for _, i := range r.records[record] {
		f := &r.fields[i]
		isShort := f.words != nil && !f.numeric && m.work(want.work(len(f.text)))
		met = met || (isShort && want.accepts(f.text))
		isPart := len(name) > 0 && len(f.part) >= len(name) && slices.EqualFunc(f.part[:len(name)], name, sameWord)

		switch text := strings.TrimSpace(f.text); {
		case (isObject || isPart) && isShort && want.accepts(text), want.isSwitchCalled(f):
			return true
		case !want.isNamed(f) || text == "":
		case isCode(text) || lexicon().CatchAlls.Has(fold(text)):
			coded = true
		default:
			said = true
		}
	}
	return met && coded && !said
}

// isSwitchCalled reports whether a field is a switch that is called as a value of a condition, and is on: "disputed": true.
func (w *Match) isSwitchCalled(f *field) bool {
	isOne := func(v string) bool { return len(f.key) > 0 && slices.Equal(words(v), f.key) }
	return switches()[fold(strings.TrimSpace(f.text))] == "on" && slices.ContainsFunc(w.looked(), isOne)
}

// isCalled reports whether a record is an object of a name in another one that has nothing else.
func isCalled(record string, name []string) bool {
	of := words(strictjson.UnescapeToken(record[strings.LastIndexByte(record, '/')+1:]))
	return len(name) > 0 && slices.EqualFunc(of, name, sameWord)
}

// hasLetters reports whether a text has a letter, and is no switch.
func hasLetters(text string) bool {
	return switches()[fold(text)] == "" && strings.ContainsFunc(text, unicode.IsLetter)
}
