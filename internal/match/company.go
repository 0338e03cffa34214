package match

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/character"
	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/wordlist"
	"github.com/remit-project/remit/scope"
)

// A company's legal form is in every register, and few people say it: "pay Hartley Print" is
// about "Hartley Print Ltd". Two records whose names differ in the form alone both meet the
// condition, and which one is meant is a question.

// The longest legal form: "GmbH & Co. KG" and "S. A. B. de C. V." are the like.
const (
	maxFormWords = 6
	maxFormBytes = 48
)

// isParty reports whether a condition is on what a company is called.
func (w *Match) isParty() bool {
	name := head(w.name())
	return len(name) > 0 && !w.exact && !slices.ContainsFunc(name, func(word string) bool { return !lexicon().Parties.Has(word) })
}

// mayBeCompany reports whether a text is longer than a name and begins or ends with it, without folding either where both are ASCII.
func mayBeCompany(text, name string) bool {
	if !isASCII(text) || !isASCII(name) {
		return true
	}
	text, name = strings.TrimSpace(text), strings.TrimSpace(name)
	before := len(text) - len(name)
	return before > 0 && (strings.EqualFold(text[:len(name)], name) || strings.EqualFold(text[before:], name))
}

// isCompany reports whether a text is the name of a company with its legal form. A space, or a
// comma, parts them: acme.co is a host. After a number letters are a part of it: 12 AB.
func isCompany(text, name string) bool {
	isSpa := strings.HasSuffix(text, " Spa") || strings.HasSuffix(text, " spa") // where people bathe, and no SpA or S.p.A.
	text, name = fold(text), fold(name)
	last, _ := utf8.DecodeLastRuneInString(name)
	named := utf8.RuneCountInString(name) > 1 && unicode.IsLetter(last) && !strings.ContainsAny(name, "@/:")
	if !named || len(text) > len(name)+maxFormBytes {
		return false
	}
	if isSpa {
		return false
	}
	after, ok := strings.CutPrefix(text, name)
	first, _ := utf8.DecodeRuneInString(after)
	if ok && (first == ',' || isApart(first)) && isForm(after, lexicon().LegalForms) {
		return true
	}
	before, ok := strings.CutSuffix(text, name)
	last, _ = utf8.DecodeLastRuneInString(before)
	return ok && isApart(last) && isForm(before, lexicon().FormsBefore)
}

// isApart reports whether a character next to a name belongs to another word.
func isApart(r rune) bool {
	return r == ' ' || character.IsUnspaced(r) || unicode.Is(unicode.Hangul, r)
}

// form matches a legal form with its signs, as people write them.
var form = pattern.OnUse(`^(?:, ?| )?(?:\pL+\.?(?: ?& ?|,? )?)+$`)

// isForm reports whether a text is one of the legal forms, with its dots and spaces.
func isForm(text string, forms wordlist.Set) bool {
	if !form().MatchString(text) || len(strings.Fields(text)) > maxFormWords {
		return false
	}
	letters := func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}
	return forms.Has(strings.Map(letters, text))
}

// spellings are the ways in which the records of a result write each name of a condition. Two
// that differ in the legal form may be two companies.
type spellings struct {
	of      map[scope.Value]string
	several bool
}

// note notes the text of a member that meets a condition on a name.
func (s *spellings) note(w *Match, text string) {
	if w.against || !w.isParty() {
		return
	}
	text = fold(text)
	for _, v := range w.Is {
		if !w.is(v, text) {
			continue
		}
		if before, ok := s.of[v]; ok && before != text {
			s.several = true
		}
		if s.of == nil {
			s.of = map[scope.Value]string{}
		}
		s.of[v] = text
	}
}
