package mention

import (
	"slices"
	"strings"
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

// countsTo reports whether the text has a small number as a word, which is not part of a larger
// one: neither "twenty-two" nor "two hundred" is 2.
func (t Text) countsTo(value string) bool {
	for i, w := range t.words {
		if !slices.Contains(counts[value], w.text) || strings.Contains(strings.ToLower(t.raw), "-"+w.text) {
			continue
		}
		if i+1 == len(t.words) || !slices.Contains(larger, t.words[i+1].text) {
			return true
		}
	}
	return false
}
