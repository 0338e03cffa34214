package match

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/wordlist"
)

// A text that has the words of a condition may say the contrary, or name somebody else: what isn't approved has the word, and so has Lea
// Vogt-Maier's name. What can't be taken back relies on neither.

// deviates reports whether a text that has the words of a condition, or begins with them, may say otherwise by the words beside them.
func (m *matcher) deviates(want *held, f *field) bool {
	looked := slices.Clone(want.Contains)
	looked = append(looked, want.edges()...)
	if len(looked) == 0 || f.words == nil || !m.work(len(f.text)*(1+len(looked))) {
		return false
	}
	name := head(want.name())
	if lexicon().Titles.Ends(name) || lexicon().Titles.Ends(f.key) {
		return false
	}
	ofPerson := slices.ContainsFunc(name, func(w string) bool { return lexicon().People.Has(thing(w)) })

	found, plainly := false, false
	for _, of := range looked {
		in, words := " "+spaced(f.text)+" ", " "+spaced(of)+" "
		if strings.TrimSpace(words) == "" || !strings.Contains(in, words) {
			continue
		}
		beside := strings.Fields(strings.Replace(in, words, " ", 1))
		isIn := func(list wordlist.Set) bool {
			return slices.ContainsFunc(beside, func(w string) bool { return list.Has(w) && !strings.Contains(words, " "+w+" ") })
		}
		isName := ofPerson || (want.isParty() && isProper(of))
		other := isIn(lexicon().Denying)
		if isName {
			other = isIn(lexicon().Relating) || isJoined(fold(f.text), fold(of))
		}
		found, plainly = true, plainly || !other
	}
	return found && !plainly
}

// isJoined reports whether a name goes on with a hyphen in a text, or stands in brackets of it.
func isJoined(text, name string) bool {
	at := strings.Index(text, name)
	if at < 0 {
		return false
	}
	before, after := text[:at], text[at+len(name):]
	isOpen := strings.Count(before, "(") > strings.Count(before, ")")
	last, _ := utf8.DecodeLastRuneInString(before)
	return isOpen || last == '-' || strings.HasPrefix(after, "-")
}
