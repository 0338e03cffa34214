package match

import (
	"slices"
	"strings"
	"unicode"

	"github.com/remit-project/remit/scope"
)

// Where nobody called a source, a value of the user's words may be the one that it would give, and any other that they have as well.

// mayBeSaid reports whether the user's own words give a value of a source that nobody called: a name, which no order and no computation is
// about. A number and a day may be those of anything, another account of the user's is not the one that the request means, and what the
// scope uses elsewhere is something else. For a call that can't be taken back, the source has to be asked for by that very value: what nobody
// looked for is invented, and nothing vouches for a value that the user didn't say. What goes without saying, as the branch main, is the one value
// of a source that selects nothing.
func (m *matcher) mayBeSaid(c *Constraint, a *Argument) bool {
	isOther := sharp(c.Kind) && isOf(a.Text, c.Kind)
	switch {
	case !a.Said || a.Doubtful || isOther || c.Pick == scope.Choice || len(c.Except) > 0:
		return false
	case slices.ContainsFunc(c.From, func(s Source) bool { return s.asksFor(a) }):
		return true
	}
	isMeasure := c.Kind == scope.Number || c.Kind == scope.Date || readsAsNumber(a.Text) || isMoment(a.Text)
	isEarlier := m.pointer == "" // of what is read for the call
	isUsual := c.Kind == scope.Name && c.Pick == scope.Only && isWord(a.Text) && !appears(m.folded, fold(a.Text)) &&
		!slices.ContainsFunc(c.From, func(s Source) bool { return len(s.Where) > 0 })
	return (!m.irreversible || isEarlier || isUsual) && !isMeasure && !slices.ContainsFunc(c.From, func(s Source) bool { return s.mentions(a) })
}

// isWord reports whether a text is one word, and not one for all.
func isWord(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '_' }) && !lexicon().CatchAlls.Has(fold(text))
}

// asksFor reports whether all that a source is asked for is one value, by the name of what is taken from it: the order 17, by its number.
func (s *Source) asksFor(a *Argument) bool {
	if len(s.Args)+len(s.Where) != 1 {
		return false
	}
	is := func(name []string, all []scope.Value) bool {
		return slices.Equal(name, s.name()) && len(all) == 1 && a.is(string(all[0]), true)
	}
	if len(s.Args) == 1 {
		by := &s.Args[0]
		return is(argumentName(by.Pointer), by.Is) && by.From == nil
	}
	w := &s.Where[0]
	isOnlyIs := w.Or == nil && w.From == nil && w.Contains == nil && w.Prefix+w.Ends == "" && !w.bounded()
	return is(w.name(), w.Is) && isOnlyIs
}

// mentions reports whether a source is asked for a value by anything.
func (s *Source) mentions(a *Argument) bool {
	is := func(v scope.Value) bool { return same(string(v), a.Text, false) }
	isBy := slices.ContainsFunc(s.Args, func(c Arg) bool { return slices.ContainsFunc(c.Is, is) })
	return isBy || slices.ContainsFunc(s.Where, func(w Match) bool { return slices.ContainsFunc(w.Is, is) })
}
