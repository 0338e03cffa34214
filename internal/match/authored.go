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

	at, isMail := len(text), in != nil
	for i, found := range heading().FindAllStringSubmatchIndex(text, maxHeadings) {
		value := text[found[2]:found[3]]
		isOwn := in == nil && isBegin(text[:found[0]])
		if in != nil {
			isOwn = r.isBy(in.record, value)
		}
		isMail = isMail || isOwn
		isOther := !isOwn && !periodBegin().MatchString(value) && (isMail || strings.Contains(value, "@") || isMailed(text, found[0], found[1]))
		if isOther || i == maxHeadings-1 {
			at = found[0]
			break
		}
	}
	for i, found := range quoting().FindAllStringIndex(text[:at], maxHeadings) {
		line := text[found[0]:found[1]]
		if isTitle := strings.HasPrefix(strings.TrimSpace(line), "--") && !isMail && !messages().MatchString(line); !isTitle || i == maxHeadings-1 {
			at = found[0]
			break
		}
	}
	return text[:at], text[at:]
}

// periodBegin matches the value of a header that is a day, from which on something is: nobody wrote that.
var periodBegin = pattern.OnUse(`^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}\s*$`)

// besides matches a header that mails have beside the one that says who wrote it, and bills don't.
var besides = pattern.OnUse(`(?mi)^[ \t*]*(?:sent|date|subject|cc|bcc|reply-to|message-id|gesendet|datum|betreff|envoyé|date d.envoi|objet|enviad[oa](?: el| em)?|fecha|asunto|data|assunto|inviato|oggetto|` +
	`verzonden|onderwerp|skickat|ämne|sendt|emne|lähetetty|päivämäärä|aihe|gönderildi|tarih|konu|odesláno|předmět|predmet|wysłano|temat|отправлено|дата|тема|надіслано|` +
	`送信日時|日時|日付|件名|发送时间|发送日期|日期|主题|傳送時間|寄件日期|主旨|보낸 날짜|날짜|제목|تاريخ|التاريخ|الموضوع|תאריך|נשלח|נושא)\*?[ \t]*[:：]`)

// longestHeader bounds the headers of a mail that are looked at on each side of one, in bytes.
const longestHeader = 2000

// isMailed reports whether a header is in one paragraph with others of a mail, or in one that is too long for a look.
func isMailed(text string, begin, end int) bool {
	const blank = "\n\n"
	before := strings.ReplaceAll(text[max(0, begin-longestHeader):begin], "\r", "")
	behind := strings.ReplaceAll(text[end:min(len(text), end+longestHeader)], "\r", "")
	first, last := strings.LastIndex(before, blank), strings.Index(behind, blank)
	if (first < 0 && begin > longestHeader) || (last < 0 && len(text)-end > longestHeader) {
		return true
	}
	if last >= 0 {
		behind = behind[:last]
	}
	return besides().MatchString(before[max(0, first):]) || besides().MatchString(behind)
}

// messages matches what a line between dashes says where a mail follows it, and no part of a bill.
var messages = pattern.OnUse(`(?i)mess?a[gj]|mensa|mail|original|forward|nachricht|weitergeleitet|ursprünglich|origine|transf|reenvi|encaminh|messaggio|inoltr|bericht|doorgest|oorspronk|meddel|melding|vidare|videres|` +
	`viesti|ileti|wiadomo|zpráva|správa|wrote|schrieb|сообщени|повідомл|письмо|лист|邮件|郵件|メール|メッセージ|転送|메시지|메일|رسالة|הודעה`)

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
