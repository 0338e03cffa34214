package match

import (
	"slices"
	"strings"
	"unicode"

	"github.com/remit-project/remit/internal/provenance/numeral"
	"github.com/remit-project/remit/label"
)

// value returns the grant of a constraint for a value, or why it has none.
func (m *matcher) value(c *Constraint, a Argument) (Grant, string) {
	switch {
	case c.Absent:
		if a.Text == "false" || (a.Text == "none" && !a.authority()) {
			return Grant{Way: WayAbsent}, ""
		}
		return Grant{}, "the request leaves this out"

	case c.Any:
		picks := a.Role == label.Selector && m.irreversible
		if a.Doubtful && (a.authority() || picks) {
			return Grant{}, errOpen
		}
		return Grant{Way: WayAny}, ""

	case c.Unchanged:
		return Grant{}, "only an argument of the call itself can be unchanged"

	case c.Is != nil && c.From != nil:
		if g, miss := m.is(c, a); miss == "" {
			return g, ""
		}
		return m.from(c, a)
	case c.Is != nil:
		return m.is(c, a)
	case c.Date != nil:
		return m.onDay(c.Date, a)

	case c.Template != "":
		return m.template(c, a)
	case c.Computed:
		return m.computed(c, a)
	}
	return m.from(c, a)
}

// is accepts a value that the request states. A scope is believed where the monitor has no
// doubt; where authority lies in a value that it doubts, the value has to be made of the
// user's words, or a person has agreed to it.
func (m *matcher) is(c *Constraint, a Argument) (Grant, string) {
	isEarlierName := m.pointer == "" && !strings.ContainsFunc(a.Text, unicode.IsDigit) // York is york in what is read for the call
	if !c.states(&a, m.irreversible && !isEarlierName, m.proposal.zone()) {
		return Grant{}, m.say("%s is not what the request says", short(a.Text))
	}
	if a.Doubtful && a.authority() && !m.confirmed && !a.isNobodys() && !m.madeOf(a.Text) && !m.isSpelled(a.Text) {
		return Grant{}, m.say("%s is in the scope, and not in the user's words", short(a.Text))
	}
	return Grant{Way: WayIs}, ""
}

// isNobodys reports whether a value can't be an address of anybody's: the tool's own definition lists it, or it is a time.
func (a *Argument) isNobodys() bool {
	_, isClock := clock(a.Text)
	return a.Listed || isClock || isMoment(a.Text)
}

// madeOf reports whether a value is made of the user's words.
func (m *matcher) madeOf(text string) bool {
	if !m.work(len(m.folded) + len(text)) {
		return false
	}
	const long = 6 // a shorter text is in another one by accident
	squeezed := strings.ReplaceAll(fold(text), " ", "")
	if len(squeezed) >= long && strings.Contains(m.spoken.squeezedOf(m.folded), squeezed) {
		return true // an account with spaces
	}

	m.spoken.read(m.said)
	if n, ok := number(text); ok {
		return m.spoken.numbers[n]
	}
	parts := words(text)
	return len(parts) > 0 && !slices.ContainsFunc(parts, func(w string) bool { return !m.spoken.words[w] && !lexicon().Schemes.Has(w) })
}

// spoken is what is found out of a turn's words once a value is looked for in them.
type spoken struct {
	words, numbers map[string]bool
	squeezed       string // without spaces
}

func (s *spoken) read(said string) {
	if s.words != nil {
		return
	}
	s.words, s.numbers = map[string]bool{}, map[string]bool{}
	for _, w := range words(said) {
		s.words[w] = true
	}
	for _, at := range numbers().FindAllStringIndex(said, -1) {
		n, ok := number(plain(said[at[0]:at[1]]))
		if !ok {
			continue
		}
		s.numbers[n] = true
		if below, isBelow := number("-" + n); isBelow && hasSign(said[:at[0]]) {
			s.numbers[below] = true
		}
	}
}

// hasSign reports whether what is before a number ends in a sign that is not between two numbers.
func hasSign(before string) bool {
	for _, sign := range []string{"-", "−"} {
		if rest, found := strings.CutSuffix(before, sign); found {
			return rest == "" || strings.TrimRight(rest, " \n\t(:") != rest
		}
	}
	return false
}

func (s *spoken) squeezedOf(folded string) string {
	if s.squeezed == "" {
		s.squeezed = strings.ReplaceAll(folded, " ", "")
	}
	return s.squeezed
}

// isSpelled reports whether a number is in the user's words as a word, in whatever language: two keys, the third round.
func (m *matcher) isSpelled(text string) bool {
	n := rational(text)
	isWord := n != nil && m.work(perStep*len(m.said)) && slices.ContainsFunc(numeral.All(m.said), func(of numeral.Numeral) bool {
		return of.Spelled && of.Value != nil && of.Value.Cmp(n) == 0
	})
	return isWord || m.isOrdinal(text)
}

// errOpen is why free content doesn't do for an argument.
const errOpen = "a scope can't leave open where a call goes"
