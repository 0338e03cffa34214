package mention

import (
	"slices"
	"strconv"
	"strings"

	"github.com/remit-project/remit/internal/provenance"
)

// counts are the words for small numbers, in the languages that users speak and that write words
// apart. Left out are one, which points more often than it counts, and words that mean
// something else in another language ("due", "neuf", "on", "sei").
var counts = map[string][]string{
	"2":  {"two", "twee", "zwei", "deux", "dos", "dois", "duas", "dwa", "dwie", "два", "две", "iki"},
	"3":  {"three", "drie", "drei", "trois", "tres", "três", "tre", "trzy", "три", "üç"},
	"4":  {"four", "vier", "quatre", "cuatro", "quatro", "quattro", "cztery", "четыре", "dört"},
	"5":  {"five", "vijf", "fünf", "cinq", "cinco", "cinque", "pięć", "пять", "beş"},
	"6":  {"six", "zes", "sechs", "seis", "sześć", "шесть", "altı"},
	"7":  {"seven", "zeven", "sieben", "sept", "siete", "sete", "sette", "siedem", "семь", "yedi"},
	"8":  {"eight", "acht", "huit", "ocho", "oito", "otto", "osiem", "восемь", "sekiz"},
	"9":  {"nine", "negen", "neun", "nueve", "nove", "dziewięć", "девять", "dokuz"},
	"10": {"ten", "tien", "zehn", "dix", "diez", "dez", "dieci", "dziesięć", "десять"},
	"11": {"eleven", "elf", "onze", "undici", "jedenaście", "одиннадцать"},
	"12": {"twelve", "twaalf", "zwölf", "douze", "doce", "dodici", "dwanaście", "двенадцать"},
}

// larger are words that make another number of the one before them.
var larger = []string{
	"hundred", "thousand", "million", "dozen", "honderd", "duizend", "hundert", "tausend", "cent", "cents", "mille",
	"cientos", "cientas", "mil", "cento", "mila", "sto", "tysiące", "tysięcy", "сто", "тысячи", "тысяч", "yüz", "bin",
}

// tens are words that make another number of the one after them, also with "and" between.
var tens = []string{
	"twenty", "thirty", "forty", "fourty", "fifty", "sixty", "seventy", "eighty", "ninety", "vingt", "trente", "quarante", "cinquante", "soixante",
	"veinte", "treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa", "vinte", "trinta", "quarenta", "cinquenta", "sessenta",
	"oitenta", "venti", "trenta", "quaranta", "cinquanta", "sessanta", "settanta", "ottanta", "novanta", "dwadzieścia", "trzydzieści", "czterdzieści",
	"pięćdziesiąt", "sześćdziesiąt", "siedemdziesiąt", "osiemdziesiąt", "dziewięćdziesiąt", "двадцать", "тридцать", "сорок", "пятьдесят", "шестьдесят",
	"семьдесят", "восемьдесят", "девяносто", "on", "yirmi", "otuz", "kırk", "elli", "altmış", "yetmiş", "seksen", "doksan",
}

// joining words stand between the parts of a number.
var joining = []string{"and", "y", "e", "et", "i", "und", "en"}

// halves are words that make another number of one before them: "three and a half".
var halves = []string{
	"half", "halves", "thirds", "quarters", "fifths", "percent", "per", "halb", "halbe", "drittel", "demi", "demie", "tiers", "medio", "media", "meio", "meia",
	"mezzo", "mezza", "derde", "pół", "половиной", "buçuk", "cents", "hundertstel", "prozent",
}

// countsTo reports whether the text has a small number as a word, which is not part of a larger
// one: neither "twenty-two" nor "two hundred" is 2.
func (t Text) countsTo(value string) bool {
	lower := strings.ToLower(t.raw)
	for i, w := range t.words {
		hyphen := strings.Contains(lower, "-"+w.text) || strings.Contains(lower, w.text+"-")
		if slices.Contains(counts[value], w.text) && !hyphen && !t.inNumber(i) {
			return true
		}
	}
	return false
}

// inNumber reports whether a word for a number is part of another number.
func (t Text) inNumber(i int) bool {
	before, after := i-1, i+1
	for before >= 0 && slices.Contains(joining, t.words[before].text) {
		before--
	}
	if before >= 0 && (slices.Contains(tens, t.words[before].text) || slices.Contains(larger, t.words[before].text)) {
		return true
	}

	joined := false
	for after < len(t.words) && (slices.Contains(joining, t.words[after].text) || (joined && slices.Contains([]string{"a", "one", "ein"}, t.words[after].text))) {
		joined = true
		after++
	}
	return after < len(t.words) && (slices.Contains(larger, t.words[after].text) || slices.Contains(halves, t.words[after].text))
}

// heads are words by which people count persons, whatever a list of them is called.
var heads = []string{"people", "person", "traveler", "traveller", "guest", "adult", "ticket"}

// apart are words between a number and a name that make it a number of something else: "30 per
// passenger".
var apart = []string{"per", "each", "every", "for", "of", "a", "by", "and", "to"}

// Counts returns how many a text counts of the things in a list with a name such as passengers:
// "2 passenger(s)", "two adult passengers", "both passengers", "Passengers: 2".
func (t Text) Counts(list string) []int {
	var out []int
	for i, w := range t.words {
		if !counted(w.text, list) {
			continue
		}
		if n := t.countOf(i); n > 0 {
			out = append(out, n)
		}
	}
	return out
}

// countOf returns the number of what a word calls: before it, with one word between that doesn't part
// them, or after its plural. It is 0 for none.
func (t Text) countOf(i int) int {
	w := t.words[i]
	if i > 0 {
		if n := number(t.words[i-1]); n > 0 {
			return n
		}
	}
	if i > 1 && !slices.Contains(apart, t.words[i-1].text) && t.words[i-1].clause == t.words[i-2].clause {
		if n := number(t.words[i-2]); n > 0 {
			return n
		}
	}

	plural := singular(w.text) != w.text
	if plural && i+1 < len(t.words) && t.words[i+1].line == w.line {
		return number(t.words[i+1])
	}
	return 0
}

// counted reports whether a word is what the things in a list are called.
func counted(word, list string) bool {
	word = singular(word)
	return slices.Contains(heads, word) || slices.ContainsFunc(provenance.Words(list), func(w string) bool { return singular(w) == word })
}

// number returns the small number that a word is; 0 for none, and for a part of a longer one.
func number(w word) int {
	switch {
	case w.glued:
		return 0
	case slices.Contains([]string{"one", "single", "a", "an", "another"}, w.text):
		return 1
	case w.text == "both":
		return 2
	}
	if n, err := strconv.Atoi(w.text); err == nil && n < 100 {
		return n
	}
	for digits, words := range counts {
		if slices.Contains(words, w.text) {
			n, _ := strconv.Atoi(digits)
			return n
		}
	}
	return 0
}

// OtherNumber reports whether the text has a number, and a value is one that it doesn't name.
func (t Text) OtherNumber(value string) bool {
	return isNumber(value) && slices.ContainsFunc(t.words, func(w word) bool { return isNumber(w.text) })
}
