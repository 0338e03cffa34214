package match

import (
	"regexp"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/scope"
)

// amount is a number in a person's writing: 1,200.50 and 1.200,50 and 98,7.
const amount = `(?:\d{1,3}(?:\.\d{3})+,\d{1,2}\b|\d+,\d{1,2}\b|\d+(?:,\d{3})*(?:\.\d+)?)`

// plain writes such a number as programs do. A comma before one or two digits is the
// decimal one.
func plain(s string) string {
	if i := strings.LastIndexByte(s, ','); i >= 0 && len(s)-i <= len(",00") {
		return strings.ReplaceAll(s[:i], ".", "") + "." + s[i+1:]
	}
	return strings.ReplaceAll(s, ",", "")
}

// shapes are the kinds that can be told by their shape, as whole tokens of a text.
var shapes = map[scope.Kind]func() *regexp.Regexp{
	scope.Email:   pattern.OnUse(`[\pL\pN._%+-]+@[\pL\pN-]+(?:\.[\pL\pN-]+)+`),
	scope.URL:     pattern.OnUse(`(?:https?://[^\s"'<>)\]]+|(?:www\.)?(?:[\pL\pN-]+\.)+\pL{2,}(?:/[^\s"'<>)\]]*)?)`),
	scope.Account: pattern.OnUse(`[A-Z]{2}\d{2}(?: ?[A-Z0-9]{2,4}){2,8}\d*|\d{8,20}`),
	scope.Number:  pattern.OnUse(`-?` + amount),
	scope.Date:    pattern.OnUse(`\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?`),
	scope.Phone:   pattern.OnUse(`\+?\d[\d ()-]{5,}\d`),
}

// sharp reports whether tokens of a kind are recognised by their shape alone. Texts are full of
// numbers and dates, which need a name.
func sharp(k scope.Kind) bool {
	return k == scope.Email || k == scope.URL || k == scope.Account || k == scope.Phone
}

// maxShaped bounds the tokens of a kind that are looked for in one text.
const maxShaped = 64

// shaped returns the distinct tokens of a kind in a text, at most [maxShaped]; false
// for a kind that has no shape, or more tokens than that.
func shaped(text string, kind scope.Kind) ([]string, bool) {
	shape := shapes[kind]
	if shape == nil {
		return nil, false
	}
	places := shape().FindAllStringIndex(text, 4*maxShaped+1)
	var found []string
	for _, at := range places {
		if isWhole(text, at[0], at[1]) {
			found = append(found, text[at[0]:at[1]])
		}
	}
	if len(places) > 4*maxShaped || len(found) > maxShaped {
		return nil, false
	}

	var out []string
	seen := map[string]bool{}
	for _, f := range found {
		f = strings.TrimRight(f, ".,;:")
		if kind == scope.Number {
			f = plain(f)
		}
		if key := fold(f); !seen[key] {
			seen[key] = true
			out = append(out, f)
		}
	}
	return out, true
}

// The signs and the codes of currencies.
const (
	signs      = `[$€£¥₹]`
	currencies = `(?:USD|EUR|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|RUB|UAH|TRY|BRL|AUD|CAD|NZD|SGD|HKD|KRW|ZAR|MXN)`
)

// priced are numbers beside a currency.
var priced = pattern.OnUse(`(?:` + signs + `\s?|\b` + currencies + `\s)(` + amount + `)|(` + amount + `)\s?(?:` + signs + `|\b` + currencies + `\b)`)

// price is a plain number with its currency, in which no sign can mean thousands.
var price = pattern.OnUse(`^(?:` + signs + ` ?|` + currencies + ` )?(-?\d+(?:\.\d{1,2})?)(?: ?` + signs + `| ` + currencies + `)?$`)

// dates are those in words, such as December 2025, May 3, 2025 or 3. Mai 2025.
var dates = pattern.OnUse(`(?i)(?:\b\d{1,2}(?:\.|st|nd|rd|th)?[ \t](?:de )?)?\b(?:` + months + `)\.?,?[ \t](?:de )?` +
	`(?:\d{1,2}(?:st|nd|rd|th)?,?[ \t])?(?:19|20)\d{2}(?:[^\pL\d.,%]|[.,]\s|[.,]?$)|(?:19|20)\d{2}年`)

// months are the names of months, and what they begin with, in the languages that the
// engine reads dates in.
const months = `jan(?:uary|uar|vier)?|enero|gennaio|janeiro|` +
	`feb(?:ruary|ruar|rero|braio)?|fevereiro|février|mar(?:ch|zo|ço|s)?|märz|` +
	`apr(?:il|ile)?|abril|avril|may|mai|mayo|maggio|maio|` +
	`june?|juni|juin|junio|giugno|junho|july?|juli|juillet|julio|luglio|julho|` +
	`aug(?:ust)?|août|agosto|sept?(?:ember|embre|iembre)?|settembre|setembro|` +
	`oct(?:ober|obre)?|okt(?:ober)?|octubre|ottobre|outubro|` +
	`nov(?:ember|embre|iembre|embro)?|dec(?:ember|embre)?|dez(?:ember|embro)?|déc(?:embre)?|dic(?:iembre|embre)?`

// undated returns a text without the numbers of dates, which are not amounts: for lines that a
// name points to. In any other text they count, so that a text of others with one amount in it is
// less likely to be taken for a bill.
func undated(text string) string { return dates().ReplaceAllString(text, " ") }

// ofMoney reports whether a word names an amount of money.
func ofMoney(word string) bool { return lexicon().Money.Has(word) }

// hasCurrency reports whether a text has the sign or the code of a currency: a look for prices takes long.
func hasCurrency(text string) bool {
	if strings.ContainsAny(text, strings.Trim(signs, "[]")) {
		return true
	}
	codes := strings.Split(strings.Trim(currencies, "(?:)"), "|")
	return slices.ContainsFunc(codes, func(code string) bool { return strings.Contains(text, code) })
}

// prices returns the distinct amounts of money in a text.
func prices(text string) []string {
	var out []string
	all := priced().FindAllStringSubmatch(text, maxShaped+1)
	if len(all) > maxShaped {
		return nil
	}
	for _, m := range all {
		v := plain(m[1] + m[2])
		if n, ok := number(v); ok && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// isWhole reports whether a token is not a part of a longer one.
func isWhole(text string, start, end int) bool {
	return !continues(text[:start], true) && !continues(text[end:], false)
}

// isOf reports whether a whole field has the shape of a kind.
func isOf(text string, kind scope.Kind) bool {
	shape := shapes[kind]
	if shape == nil {
		return false
	}
	at := shape().FindStringIndex(text)
	return at != nil && at[0] == 0 && at[1] == len(text)
}
