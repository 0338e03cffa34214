package numeral

import (
	"math/big"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/provenance/atom"
)

// suffix is what follows a number and belongs to it.
type suffix struct {
	length       int      // in bytes
	factor       *big.Rat // of its scale
	unknownScale bool     // a scale whose factor differs from place to place
	money, minor bool
	percent      bool
	unit         bool // kilograms and the like; not part of the length
}

// odd reports whether a suffix makes a number that is not read: a scale after a number in words,
// or cents.
func (s suffix) odd() bool { return s.factor != nil || s.unknownScale || s.minor }

// suffix reads what follows a number that ends at end. Whether the number has a
// currency before it decides what "m" is.
func (r *reader) suffix(end int, money bool) suffix {
	var s suffix
	rest := r.text[end:]
	s.length = emptyDecimals(rest, money)

	for range maxScales {
		factor, n, ok := r.scaleAt(rest[s.length:], money)
		if !ok {
			break
		}
		s.length += n
		if factor == 0 {
			s.unknownScale = true
			continue
		}
		if s.factor == nil {
			s.factor = big.NewRat(1, 1)
		}
		s.factor.Mul(s.factor, big.NewRat(factor, 1))
	}

	if n := percentAfter(rest[s.length:]); n > 0 {
		s.length, s.percent = s.length+n, true
		return s
	}
	if n, minor := currencyAfter(rest[s.length:]); n > 0 {
		s.length, s.money, s.minor = s.length+n, true, minor
		return s
	}
	_, w := spacedWord(rest[s.length:])
	s.unit = lexicon().Units.Has(strings.ToLower(w))
	return s
}

// maxScales is how many words of scale a number may have: "two hundred thousand
// million".
const maxScales = 2

// emptyDecimals returns the length of the dash that some write for no cents, as
// in "50,- €". Without a currency next to it, it may be a dash.
func emptyDecimals(rest string, money bool) int {
	for _, dash := range [...]string{".--", ",--", ".-", ",-", ".–", ",–", ".—", ",—"} {
		if !strings.HasPrefix(rest, dash) {
			continue
		}
		after := rest[len(dash):]
		atEnd := after == "" || atom.IsHard(atom.FirstRune(after)) || strings.IndexByte(".!?", after[0]) >= 0
		if n, _ := currencyAfter(after); n > 0 || (money && atEnd) {
			return len(dash)
		}
	}
	return 0
}

// spacedWord returns the word after at most one blank, with the blank's length.
func spacedWord(rest string) (blank int, word string) {
	switch r, size := utf8.DecodeRuneInString(rest); r {
	case ' ', '\u00a0', '\u202f', '\u2009':
		blank = size
	}
	for i, r := range rest[blank:] {
		if !unicode.IsLetter(r) && !unicode.Is(unicode.Mn, r) && r != '°' {
			return blank, rest[blank : blank+i]
		}
		if i > maxMeasureWord {
			return blank, ""
		}
	}
	return blank, rest[blank:]
}

// maxMeasureWord is the longest word of a currency, a unit or a scale, in bytes.
const maxMeasureWord = 32

// scaleAt reads a word or letter of scale. Its factor is 0 where it is not the
// same everywhere.
func (r *reader) scaleAt(rest string, money bool) (factor int64, length int, ok bool) {
	blank, w := spacedWord(rest)
	if w == "" {
		return 0, 0, false
	}
	length = blank + len(w)

	after := rest[length:]
	n, minor := currencyAfter(after)
	if l, ok := letterScales[w]; ok {
		withMoney := !minor && (money || n > 0)
		touches := l.bare && blank == 0
		return l.factor, length, withMoney || touches
	}

	sc, ok := scales()[strings.ToLower(w)]
	if !ok {
		return 0, 0, false
	}
	if sc.in != nil && !sc.in[r.lang] {
		return 0, length, true
	}
	if strings.HasPrefix(after, ".") && sc.short {
		length++
	}
	return sc.factor, length, true
}

// letterScales are the letters of scale. Those that aren't bare need a currency:
// "5 m" is a length.
var letterScales = map[string]struct {
	factor int64
	bare   bool
}{
	"k": {1000, true}, "K": {1000, true}, "M": {1_000_000, true}, "m": {1_000_000, false}, "b": {1_000_000_000, false}, "B": {1_000_000_000, false},
}

type scale struct {
	factor int64
	short  bool              // may end with a dot
	in     map[language]bool // the languages in which it has that factor; nil for all
}

var scales = sync.OnceValue(func() map[string]scale {
	out := map[string]scale{}
	add := func(factor int64, short bool, in map[language]bool, list string) {
		for _, w := range strings.Fields(list) {
			out[w] = scale{factor, short, in}
		}
	}
	add(12, false, nil, "dozen dutzend douzaine douzaines docena docenas dozzina dozzine dúzia dúzias dozijn дюжина дюжины дюжин")
	add(100, false, nil, "hundred hundert honderd сотни сотен")
	add(1000, false, nil, "thousand tausend mille duizend mila тысяча тысячи тысяч")
	add(1000, true, nil, "tsd тыс")
	add(1000, false, map[language]bool{spanish: true, portuguese: true}, "mil")
	add(100_000, false, nil, "lakh lakhs lac lacs")
	add(10_000_000, false, nil, "crore crores")
	add(1_000_000, false, nil, "million millions millionen millón millones milione milioni milhão milhões miljoen миллион миллиона миллионов")
	add(1_000_000, true, nil, "mio mln млн")
	add(1_000_000_000, false, nil, "bn milliard milliards milliarde milliarden miliardo miliardi miljard bilhão bilhões миллиард миллиарда миллиардов")
	add(1_000_000_000, true, nil, "mrd mld млрд")
	add(1_000_000_000, false, map[language]bool{english: true}, "billion billions")
	// These differ between languages, or are not exact.
	add(1_000_000, true, map[language]bool{english: true, german: true}, "mn")
	add(0, false, map[language]bool{}, "trillion trillions billionen billones bilione bilioni trilhão trilhões biljoen hundreds thousands dozens hunderte tausende milliers centaines miles cientos "+
		"centinaia migliaia centenas milhares honderden duizenden tn")
	return out
})

// percentAfter returns the length of a percent sign or word.
func percentAfter(rest string) int {
	blank, w := spacedWord(rest)
	for _, sign := range [...]string{"%", "％", "٪"} {
		if strings.HasPrefix(rest[blank:], sign) {
			return blank + len(sign)
		}
	}
	if lexicon().PercentWords.Has(strings.ToLower(w)) {
		return blank + len(w)
	}
	for _, phrase := range [...]string{"per cent", "pour cent", "por ciento", "por cento", "per cento"} {
		if n := blank + len(phrase); n <= len(rest) && strings.EqualFold(rest[blank:n], phrase) && !atom.StartsWithWord(rest[n:]) {
			return n
		}
	}
	return 0
}

// currency signs and words. Those of the second table are of a hundredth.
var (
	hanCurrencies      = [...]string{"人民币", "欧元", "美元", "美金", "英镑", "日元", "日圆", "港币", "港元", "歐元", "英鎊", "台币", "元", "圆", "圓", "円", "块钱", "块", "塊", "ユーロ", "ドル", "ポンド", "บาท"}
	hanMinor           = [...]string{"角", "毛", "銭"}
	maxCurrencyLetters = 8
)

func currencySign(r rune) bool { return unicode.Is(unicode.Sc, r) }

// currencyBefore returns the length of the currency, with the blank after it, that a text ends
// with.
func currencyBefore(s string) int {
	left := s
	if r, size := utf8.DecodeLastRuneInString(s); r == ' ' || r == '\u00a0' || r == '\u202f' {
		left = s[:len(s)-size]
	}
	blank := len(s) - len(left)

	if r, size := utf8.DecodeLastRuneInString(left); currencySign(r) {
		w := lastLetters(left[:len(left)-size])
		if lexicon().CurrencyPrefixes.Has(strings.ToLower(w)) && len(w) < 4 && r == '$' {
			size += len(w)
		}
		return blank + size
	}
	for _, c := range hanCurrencies {
		if strings.HasSuffix(left, c) && len(c) > len("元") {
			return blank + len(c)
		}
	}

	if n := currencyWordBefore(left); n > 0 {
		return blank + n
	}
	return 0
}

// currencyWordBefore returns the length of the currency's word, with its dot, that a
// text ends with.
func currencyWordBefore(s string) int {
	dotted := strings.TrimSuffix(s, ".")
	w := lastLetters(dotted)
	lower := strings.ToLower(w)
	if w == "" || !lexicon().CurrencyWords.Has(lower) {
		return 0
	}
	if dotted != s && !lexicon().DottedCurrency.Has(lower) {
		return 0
	}

	n := len(s) - len(dotted) + len(w)
	if before := atom.LastRune(s[:len(s)-n]); before == '\'' || before == '-' || atom.IsWordRune(before) {
		return 0
	}
	return n
}

// lastLetters returns the letters that a text ends with, unless they are too
// many for a currency.
func lastLetters(s string) string {
	i := len(s)
	for i > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:i])
		if !unicode.IsLetter(r) {
			break
		}
		if i -= size; len(s)-i > 2*maxCurrencyLetters {
			return ""
		}
	}
	return s[i:]
}

// currencyAfter returns the length of the currency that a text begins with, after at most one
// blank, and reports whether it is a hundredth of one.
func currencyAfter(rest string) (length int, minor bool) {
	blank, w := spacedWord(rest)
	at := rest[blank:]
	if r, size := utf8.DecodeRuneInString(at); currencySign(r) || r == '¢' {
		if next := atom.FirstRune(at[size:]); len(at) > size && atom.IsWordRune(next) && !atom.IsUnspaced(next) {
			return 0, false
		}
		return blank + size, r == '¢'
	}
	for _, c := range hanCurrencies {
		if strings.HasPrefix(at, c) {
			return blank + len(c), false
		}
	}
	for _, c := range hanMinor {
		if strings.HasPrefix(at, c) {
			return blank + len(c), true
		}
	}

	lower := strings.ToLower(w)
	minor = lexicon().MinorWords.Has(lower)
	if !lexicon().CurrencyWords.Has(lower) && !minor {
		return 0, false
	}
	length = blank + len(w)
	if next := atom.FirstRune(rest[length:]); length < len(rest) && isNumberRune(next) {
		return 0, false
	}
	if strings.HasPrefix(rest[length:], ".") && lexicon().DottedCurrency.Has(lower) {
		length++
	}
	return length, minor
}

func isNumberRune(r rune) bool {
	v, _ := digitOf(r)
	return v >= 0
}
