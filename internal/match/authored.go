package match

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/scope"
)

// A mail has the text of others where its author answers one or sends it on. What stands there is not what the author says.

// authored parts a text into what its author says and what others wrote, from the first place on that quotes or has the header of another
// mail, for a call that can't be taken back. The text of a result may begin with a header of its own; one that is in a record has another
// author than the record says, unless all addresses in it are the sender's: who writes a mail chooses the name in it.
func (m *matcher) authored(r *Result, text string, in *field) (own, others string) {
	if !m.irreversible || !mayQuote(text) {
		return text, ""
	}
	if !m.work(4 * len(text)) {
		return "", text
	}

	q := quoting{text: laidOut(text), inRecord: in != nil}
	if in != nil {
		q.senders = r.senders(in.record)
	}
	q.isMail = q.inRecord || !r.document() || messages().MatchString(r.Tool) || len(q.senders) > 0
	at := q.begin()
	return text[:at], text[at:]
}

// senders returns what a record says of who sent it.
func (r *Result) senders(record string) []string {
	var out []string
	isFrom := func(w string) bool { return thing(w) == thing("from") }
	for _, i := range r.records[record] {
		if f := &r.fields[i]; f.text != "" && slices.ContainsFunc(f.key, isFrom) {
			out = append(out, f.text)
		}
	}
	return out
}

// isOfAny reports whether the header of a mail has addresses, all of them among those of senders.
func isOfAny(header string, senders []string) bool {
	own := addressesIn(strings.Join(senders, " "))
	isOther := func(a string) bool {
		return !slices.ContainsFunc(own, func(b string) bool { return strings.EqualFold(a, b) })
	}
	all := addressesIn(header)
	return len(all) > 0 && !slices.ContainsFunc(all, isOther)
}

// addressesIn returns the addresses of mail in a text.
func addressesIn(text string) []string { return shapes[scope.Email]().FindAllString(text, maxHeadings) }

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
	return !isLabelOf(words(label), name) || saysBesides(value)
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

// saysBesides reports whether a line has words besides a number and its unit.
func saysBesides(value string) bool {
	rest := undated(shapes[scope.Date]().ReplaceAllString(value, " "))
	for _, w := range more().FindAllString(rest, maxShaped) {
		if !isOfTax(fold(w)) && len(unitsCalled(fold(w))) == 0 && !lexicon().UnitSigns.Has(fold(w)) && !lexicon().Units.Has(fold(w)) {
			return true
		}
	}
	return false
}

// isOfTax reports whether a word says of an amount that taxes are in it or not, as bills do, and takes nothing of it back.
func isOfTax(w string) bool {
	return slices.Contains([]string{"incl", "inkl", "including", "inklusive", "vat", "mwst", "ust", "net", "netto", "gross", "brutto", "iva", "tva", "btw", "moms"}, w)
}
