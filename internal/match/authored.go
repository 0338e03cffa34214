package match

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/scope"
)

// A mail has the text of others where its author answers one or sends it on. What stands there is not what the author says.

// quoting matches the first line of a text that begins what others wrote: a quote, words between dashes, and that somebody wrote it.
var quoting = pattern.OnUse(`(?mi)^[ \t]*(?:>|-{4,}[ \t]*\pL[^\n]*-{4,}[ \t\r]*$|\|[^|\n]*$|[^\n]*@[^\n]*:[ \t\r]*$|` +
	`[^\n]*(?:wrote|writes|schrieb|a écrit|escribió|escreveu|ha scritto|schreef|skrev|kirjoitti|napsala?|napísala?|napisała?|írta|yazdı|a scris|писала?|написала?|έγραψε|写道|書きました|작성|كتب|כתב)[ ]?[:：][ \t\r]*$)`)

// heading matches the header of a mail that says who wrote it, with the value.
var heading = pattern.OnUse(`(?mi)^[ \t*]*(?:from|von|de|da|van|från|fra|od|lähettäjä|kimden|expéditeur|mittente|remitente|от|від|από|差出人|发件人|寄件者|보낸 사람|من|מאת)\*?[ \t]*[:：]\*?[ \t]*(\S[^\n]*)$`)

// authored parts a text into what its author says and what others wrote, from the first line on that quotes or has the header of another mail, for a
// call that can't be taken back. The text of a result may begin with a header of its own; one that is in a record has another author than
// the record says.
func (m *matcher) authored(r *Result, text string, in *field) (own, others string) {
	if isLine := !strings.Contains(text, "\n") && !strings.HasPrefix(text, ">"); !m.irreversible || isLine {
		return text, ""
	}
	if !m.work(4 * len(text)) {
		return "", text
	}

	at := len(text)
	if found := quoting().FindStringIndex(text); found != nil {
		at = found[0]
	}
	for _, found := range heading().FindAllStringSubmatchIndex(text, maxHeadings) {
		isOwn := in == nil && isBegin(text[:found[0]])
		if in != nil {
			isOwn = r.isBy(in.record, text[found[2]:found[3]])
		}
		if !isOwn {
			at = min(at, found[0])
			break
		}
	}
	return text[:at], text[at:]
}

// maxHeadings bounds the headers of a text that are looked at.
const maxHeadings = 64

// isBegin reports whether nothing is before a line but other headers.
func isBegin(before string) bool {
	before = strings.TrimLeft(before, " \t\r\n")
	return !strings.Contains(before, "\n\n") && isRecord(before, []block{blockOf(strings.Split(before, "\n"))})
}

// isBy reports whether a record says that somebody wrote it.
func (r *Result) isBy(record, author string) bool {
	for _, i := range r.records[record] {
		f := &r.fields[i]
		isSender := len(f.key) > 0 && thing(f.key[len(f.key)-1]) == thing("from")
		if isSender && f.text != "" && (appears(fold(author), fold(f.text)) || appears(fold(f.text), fold(author))) {
			return true
		}
	}
	return false
}

// hasUnsure reports whether a line of a text that has an amount is of something else than a name says, or says more of it.
func (m *matcher) hasUnsure(text string, name []string, has func(line string) bool) bool {
	if !m.work(4 * len(text)) {
		return true
	}
	for line := range strings.SplitSeq(text, "\n") {
		if has(line) && isUnsure(line, name) {
			return true
		}
	}
	return false
}

// isUnsure reports whether a line that has a number is of something else than a name says, or says more of it: "Total paid: 357.00 EUR",
// "Total: 357.00 EUR (cancelled)".
func isUnsure(line string, name []string) bool {
	label, value, isLabelled := strings.Cut(line, ":")
	label = strings.Trim(label, " \t-*•")
	if !isLabelled || len(label) > maxLabel || len(words(label)) == 0 || !amountFirst().MatchString(value) {
		return false // a sentence
	}
	return !isLabelOf(words(label), name) || saysMore(value)
}

// amountFirst matches what begins with a number, or a currency and one.
var amountFirst = pattern.OnUse(`^\s*(?:\S{1,3}\s?)?-?\d`)

// isLabelOf reports whether a label is a name, or says that it is all of the amount.
func isLabelOf(label, name []string) bool {
	of := meaningOf(head(name)).of
	isOther := func(w string) bool {
		l := lexicon()
		isForm := l.InAll.Has(w) || l.Units.Has(w) || l.Extents.Has(w) || l.Determiners.Has(w) || len(unitsCalled(w)) > 0
		return !slices.Contains(of, thing(w)) && !ofMoney(w) && qualifiers[w] == "" && !isForm
	}
	return !slices.ContainsFunc(label, isOther)
}

// more matches what a value has besides a number, dates and signs.
var more = pattern.OnUse(`\pL{2,}`)

// saysMore reports whether a line has words besides a number and its unit.
func saysMore(value string) bool {
	rest := undated(shapes[scope.Date]().ReplaceAllString(value, " "))
	for _, w := range more().FindAllString(rest, maxShaped) {
		if len(unitsCalled(fold(w))) == 0 && !lexicon().UnitSigns.Has(fold(w)) && !lexicon().Units.Has(fold(w)) {
			return true
		}
	}
	return false
}
