package match

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/scope"
)

// A text says more of what it has than the value: in which currency an amount is, and that an account is an old one.

// toldOtherwise says why values that a text has may not be what a call that can't be taken back takes; empty where nothing says so.
func (m *matcher) toldOtherwise(c *Constraint, text string, values []string) string {
	isHeld := m.irreversible && !m.against && !m.joining && !c.scales && (c.Kind == scope.Number || c.Kind == scope.Account)
	if !isHeld || !m.work(4*len(text)) {
		return ""
	}
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case c.Kind == scope.Number && m.isOtherMoney(line, values):
			return m.say("%s is in a currency, or with a sign, that the call may not mean", short(line))
		case c.Kind == scope.Account && isDeniedLine(line, values):
			return m.say("%s says that it may be another account", short(line))
		}
	}
	return ""
}

// isOtherMoney reports whether a line has one of some numbers in another currency than the call's, or with a point that may part thousands.
func (m *matcher) isOtherMoney(line string, values []string) bool {
	taken := slices.DeleteFunc(slices.Clone(m.taken()), func(u unit) bool { return !isMoney(u) })
	for _, at := range numbers().FindAllStringIndex(line, maxOperands) {
		text := strings.TrimRight(line[at[0]:at[1]], ".,;:")
		if !slices.Contains(values, plain(text)) {
			continue
		}
		have := moneyBeside(line[:at[0]], line[at[1]:])
		isOther := len(have) > 0 && len(taken) > 0 && !slices.ContainsFunc(have, func(u unit) bool { return slices.Contains(taken, u) })
		if isOther || (len(have) > 0 && ungrouped(text) != "") {
			return true
		}
	}
	return false
}

// moneyBeside returns the currencies right before and behind a number. A code is in capitals: "for all" are no leks.
func moneyBeside(before, behind string) []unit {
	isLetter := func(r rune) bool { return unicode.IsLetter(r) }
	isOther := func(r rune) bool { return !unicode.IsLetter(r) }
	before, behind = strings.TrimRight(before, " \u00a0"), strings.TrimLeft(behind, " \u00a0")
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(behind)

	said := []string{string(last), string(first), before[strings.LastIndexFunc(before, isOther)+1:]}
	if end := strings.IndexFunc(behind, isOther); end >= 0 {
		behind = behind[:end]
	}
	said = append(said, behind)
	var out []unit
	for _, w := range said {
		isWord := strings.ContainsFunc(w, isLetter)
		isCode := w == strings.ToUpper(w) || len(unitTable()[fold(w)]) > 0
		if w == "" || (isWord && (!isCode || utf8.RuneCountInString(w) == 1)) {
			continue
		}
		out = append(out, unitsCalled(fold(w))...)
	}
	return slices.DeleteFunc(out, func(u unit) bool { return !isMoney(u) })
}

// isDeniedLine reports whether a line says beside one of some accounts that it is none to pay to, or another one: "Old IBAN (closed): …". Behind it
// that is said in the same sentence, and that it is another one right behind it.
func isDeniedLine(line string, accounts []string) bool {
	l := lexicon()
	return slices.ContainsFunc(accounts, func(account string) bool {
		before, behind, isIn := strings.Cut(line, account)
		sentence, _, _ := strings.Cut(behind, ". ")
		said, further := words(before), words(sentence)
		isDenied := l.Denying.In(said) || l.Denying.In(further) || l.Examples.In(said) || l.Examples.In(further)
		return isIn && (isDenied || l.Differing.In(said) || l.Differing.In(further[:min(len(further), besideAccount)]))
	})
}

// besideAccount is how many words behind an account are on it: "(my old one)".
const besideAccount = 3
