package numeral

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// only returns the one number that a text has without doubt.
func only(text string) (*big.Rat, error) {
	var found *big.Rat
	for _, n := range All(text) {
		if n.Value == nil {
			return nil, fmt.Errorf("%q of %q is in doubt", text[n.Start:n.End], text)
		}
		if found != nil {
			return nil, fmt.Errorf("%q has several numbers", text)
		}
		found = n.Value
	}
	if found == nil {
		return nil, fmt.Errorf("%q has no number", text)
	}
	return found, nil
}

// inGroupsOf writes digits with a separator of groups, of three digits each or as
// India has them.
func inGroupsOf(digits, separator string, lakhs bool) string {
	var groups []string
	size := 3
	for len(digits) > size {
		groups = append([]string{digits[len(digits)-size:]}, groups...)
		digits = digits[:len(digits)-size]
		if lakhs {
			size = 2
		}
	}
	return strings.Join(append([]string{digits}, groups...), separator)
}

// inDigits writes ASCII digits as those of another script.
func inDigits(zero rune, text string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return zero + r - '0'
		}
		return r
	}, text)
}

// TestAmountsRoundTrip: whatever amount is written as a country writes it is read
// as that amount.
func TestAmountsRoundTrip(t *testing.T) {
	for _, c := range []struct {
		name, group, point, text string
		lakhs                    bool
		zero                     rune
	}{
		{"English", ",", ".", "Please pay $%s to the landlord.", false, '0'},
		{"English without a sign", ",", ".", "Set the limit to %s for the account.", false, '0'},
		{"German", ".", ",", "Bitte überweise %s Euro an die Vermieterin.", false, '0'},
		{"Swiss", "'", ".", "Bitte überweise CHF %s an die Vermieterin.", false, '0'},
		{"Swiss, typeset", "’", ".", "Überweise %s Franken an den Verein.", false, '0'},
		{"French", " ", ",", "Vire %s € à Marie pour le loyer.", false, '0'},
		{"French, typeset", "\u202f", ",", "Vire %s € à Marie pour le loyer.", false, '0'},
		{"Spanish", ".", ",", "Transfiere %s euros a la empresa.", false, '0'},
		{"Mexican", ",", ".", "Transfiere $%s a la empresa por la renta.", false, '0'},
		{"Portuguese", ".", ",", "Pague R$ %s ao João.", false, '0'},
		{"Italian", ".", ",", "Trasferisci %s euro alla ditta.", false, '0'},
		{"Dutch", ".", ",", "Maak € %s over aan de aannemer.", false, '0'},
		{"Russian", " ", ",", "Переведи %s руб. Ивану.", false, '0'},
		{"Indian", ",", ".", "Pay ₹%s to the school.", true, '0'},
		{"Chinese", ",", ".", "请付%s元给小王。", false, '0'},
		{"Japanese", ",", ".", "%s円を払ってください。", false, '0'},
		{"Japanese, wide", "，", "．", "%s円を払ってください。", false, '０'},
		{"Arabic", "٬", "٫", "ادفع %s يورو إلى سامي", false, '٠'},
	} {
		t.Run(c.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				whole := strconv.Itoa(rapid.IntRange(1, 99_999_999).Draw(t, "whole"))
				written, plain := inGroupsOf(whole, c.group, c.lakhs), whole
				if cents := rapid.IntRange(-1, 99).Draw(t, "cents"); cents >= 0 {
					decimals := fmt.Sprintf("%02d", cents)
					written, plain = written+c.point+decimals, plain+"."+decimals
				}
				text := fmt.Sprintf(c.text, inDigits(c.zero, written))
				want, _ := new(big.Rat).SetString(plain)
				got, err := only(text)
				if err != nil || got.Cmp(want) != 0 {
					t.Fatalf("%q: %v, %v", text, got, err)
				}
			})
		})
	}
}

// TestWordsRoundTrip: numbers up to millions, spelled as each language does.
func TestWordsRoundTrip(t *testing.T) {
	for _, c := range []struct {
		name, text string
		spell      func(int) string
	}{
		{"English", "Please pay %s dollars to him.", spellEnglish},
		{"German", "Bitte zahle %s Euro an den Mann.", spellGerman},
		{"French", "Paie %s euros à la boutique.", spellFrench},
		{"Spanish", "Paga %s euros al pintor de la casa.", spellSpanish},
		{"Italian", "Paga %s euro al dentista di Roma.", spellItalian},
		{"Portuguese", "Pague %s euros ao João.", spellPortuguese},
		{"Dutch", "Betaal %s euro aan de man.", spellDutch},
		{"Russian", "Переведи %s рублей Анне.", spellRussian},
		{"Chinese", "请付%s元给小王。", func(n int) string { return spellHan(n, true) }},
		{"Japanese", "%s円を払ってください。", func(n int) string { return spellHan(n, false) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			for n := 2; n < 5_000_000; n += step(n) {
				text := fmt.Sprintf(c.text, c.spell(n))
				got, err := only(text)
				if err != nil || got.Cmp(big.NewRat(int64(n), 1)) != 0 {
					t.Fatalf("%d as %q: %v, %v", n, text, got, err)
				}
			}
		})
	}
}

func step(n int) int {
	switch {
	case n < 1300:
		return 1
	case n < 30_000:
		return 97
	}
	return 7919 + n/50
}

// resolveBelow is the word for a number under a hundred.
func below(l language, n int) string {
	first := func(forms string) string { w, _, _ := strings.Cut(forms, "/"); return w }
	if list := strings.Fields(wordLists[l].from1); n <= len(list) && list[n-1] != "-" {
		return first(list[n-1])
	}
	return first(strings.Fields(wordLists[l].tens)[n/10-1])
}

func join(separator string, parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, separator)
}

// scaled spells what is above the thousands, and returns the rest.
func scaled(n int, spell func(int) string, one, many, separator string) (string, int) {
	switch m := n / 1_000_000; m {
	case 0:
		return "", n
	case 1:
		return one, n % 1_000_000
	default:
		return spell(m) + separator + many, n % 1_000_000
	}
}

func spellEnglish(n int) string {
	millions, n := scaled(n, spellEnglish, "one million", "million", " ")
	var thousands, hundreds, rest string
	if n >= 1000 {
		thousands = spellEnglish(n/1000) + " thousand"
	}
	if n %= 1000; n >= 100 {
		hundreds = below(english, n/100) + " hundred"
	}
	switch n %= 100; {
	case n == 0:
	case n < 20 || n%10 == 0:
		rest = below(english, n)
	default:
		rest = below(english, n-n%10) + "-" + below(english, n%10)
	}
	if hundreds != "" && rest != "" {
		hundreds += " and"
	}
	return join(" ", millions, thousands, hundreds, rest)
}

func spellGerman(n int) string {
	millions, n := scaled(n, spellGerman, "eine Million", "Millionen", " ")
	return join(" ", millions, glued(n, german, "hundert", "tausend", func(n int) string {
		unit := below(german, n%10+10*boolToInt(n%10 == 0))
		if n%10 == 1 {
			unit = "ein"
		}
		return unit + "und" + below(german, n-n%10)
	}, "ein"))
}

func spellDutch(n int) string {
	millions, n := scaled(n, spellDutch, "een miljoen", "miljoen", " ")
	return join(" ", millions, glued(n, dutch, "honderd", "duizend", func(n int) string {
		unit := below(dutch, n%10)
		if strings.HasSuffix(unit, "e") {
			return unit + "ën" + below(dutch, n-n%10)
		}
		return unit + "en" + below(dutch, n-n%10)
	}, ""))
}

// glued spells a number under a million as one word.
func glued(n int, l language, hundred, thousand string, twoDigits func(int) string, one string) string {
	var b strings.Builder
	if n >= 1000 {
		if n/1000 > 1 {
			b.WriteString(glued(n/1000, l, hundred, thousand, twoDigits, one))
		} else {
			b.WriteString(one)
		}
		b.WriteString(thousand)
	}
	if n %= 1000; n >= 100 {
		if n/100 > 1 {
			b.WriteString(below(l, n/100))
		} else {
			b.WriteString(one)
		}
		b.WriteString(hundred)
	}
	switch n %= 100; {
	case n == 0:
	case n < 20 || n%10 == 0:
		b.WriteString(below(l, n))
	default:
		b.WriteString(twoDigits(n))
	}
	return b.String()
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func spellItalian(n int) string {
	millions, n := scaled(n, spellItalian, "un milione", "milioni", " ")
	word := ""
	if n >= 1000 {
		if word = "mille"; n/1000 > 1 {
			word = spellItalian(n/1000) + "mila"
		}
	}
	if n %= 1000; n >= 100 {
		if n/100 > 1 {
			word += below(italian, n/100)
		}
		word += "cento"
	}
	switch n %= 100; {
	case n == 0:
	case n < 20 || n%10 == 0:
		word += below(italian, n)
	case n%10 == 1 || n%10 == 8:
		tens := below(italian, n-n%10)
		word += tens[:len(tens)-1] + strings.Replace(below(italian, n%10), "un", "uno", 1)[:map[bool]int{true: 3, false: 4}[n%10 == 1]]
	default:
		word += below(italian, n-n%10) + below(italian, n%10)
	}
	return join(" ", millions, word)
}

func spellFrench(n int) string {
	millions, n := scaled(n, spellFrench, "un million", "millions", " ")
	var thousands, hundreds, rest string
	if n >= 1000 {
		if thousands = "mille"; n/1000 > 1 {
			thousands = spellFrench(n/1000) + " mille"
		}
	}
	if n %= 1000; n >= 100 {
		if hundreds = "cent"; n/100 > 1 {
			hundreds = below(french, n/100) + " cent"
		}
	}
	switch n %= 100; {
	case n == 0:
	case n < 20:
		rest = below(french, n)
	case n < 60 && n%10 == 0:
		rest = below(french, n)
	case n == 60:
		rest = "soixante"
	case n == 80:
		rest = "quatre-vingts"
	case n > 80:
		rest = "quatre-vingt-" + below(french, n-80)
	case n == 71:
		rest = "soixante et onze"
	case n > 60 && n%20 != 1:
		rest = "soixante-" + below(french, n-60)
	case n%10 == 1:
		rest = below(french, n-1) + " et un"
	default:
		rest = below(french, n-n%10) + "-" + below(french, n%10)
	}
	return join(" ", millions, thousands, hundreds, rest)
}

func spellSpanish(n int) string {
	millions, n := scaled(n, spellSpanish, "un millón", "millones", " ")
	var thousands, hundreds, rest string
	if n >= 1000 {
		if thousands = "mil"; n/1000 > 1 {
			thousands = spellSpanish(n/1000) + " mil"
		}
	}
	if n %= 1000; n >= 100 {
		hundreds, _, _ = strings.Cut(strings.Fields(wordLists[spanish].hundreds)[n/100-1], "/")
		if n > 100 && n < 200 {
			hundreds = "ciento"
		}
	}
	switch n %= 100; {
	case n == 0:
	case n < 30 || n%10 == 0:
		rest = below(spanish, n)
	default:
		rest = below(spanish, n-n%10) + " y " + below(spanish, n%10)
	}
	return join(" ", millions, thousands, hundreds, rest)
}

func spellPortuguese(n int) string {
	millions, n := scaled(n, spellPortuguese, "um milhão", "milhões", " ")
	var thousands, hundreds, rest string
	if n >= 1000 {
		if thousands = "mil"; n/1000 > 1 {
			thousands = spellPortuguese(n/1000) + " mil"
		}
	}
	if n %= 1000; n >= 100 {
		hundreds, _, _ = strings.Cut(strings.Fields(wordLists[portuguese].hundreds)[n/100-1], "/")
		if n > 100 && n < 200 {
			hundreds = "cento"
		}
	}
	switch n %= 100; {
	case n == 0:
	case n < 20 || n%10 == 0:
		rest = below(portuguese, n)
	default:
		rest = below(portuguese, n-n%10) + " e " + below(portuguese, n%10)
	}
	return join(" ", millions, thousands, join(" e ", hundreds, rest))
}

func spellRussian(n int) string {
	millions, n := scaled(n, spellRussian, "один миллион", "миллионов", " ")
	var thousands, hundreds, rest string
	if n >= 1000 {
		if thousands = "тысяча"; n/1000 > 1 {
			thousands = spellRussian(n/1000) + " тысяч"
		}
	}
	if n %= 1000; n >= 100 {
		hundreds, _, _ = strings.Cut(strings.Fields(wordLists[russian].hundreds)[n/100-1], "/")
	}
	switch n %= 100; {
	case n == 0:
	case n < 20 || n%10 == 0:
		rest = below(russian, n)
	default:
		rest = below(russian, n-n%10) + " " + below(russian, n%10)
	}
	return join(" ", millions, thousands, hundreds, rest)
}

// spellHan spells as Chinese does, with 零 where a unit is left out, or as
// Japanese does, with neither it nor a one before small units.
func spellHan(n int, ones bool) string {
	section := func(n int) string {
		var b strings.Builder
		gap := false
		for i, unit := range []int{1000, 100, 10, 1} {
			d := n / unit % 10
			if d == 0 {
				gap = gap || b.Len() > 0
				continue
			}
			if gap && ones {
				b.WriteString("零")
			}
			gap = false
			if d > 1 || unit == 1 || ones {
				b.WriteString(string([]rune("零一二三四五六七八九")[d]))
			}
			b.WriteString([]string{"千", "百", "十", ""}[i])
		}
		return b.String()
	}
	high, low := n/10_000, n%10_000
	if high == 0 {
		return section(low)
	}
	text := section(high) + "万"
	if ones && low > 0 && low < 1000 {
		text += "零"
	}
	return text + section(low)
}

// TestNumeralsInDoubt: what may be read in two ways is read in none.
func TestNumeralsInDoubt(t *testing.T) {
	for _, text := range []string{
		"Transfer 1.200 EUR to him.", "1.200 EUR", "Überweise $1,200 an ihn, bitte.", "Zahle 1,200 Euro an den Mann.", "Paie 1,200 € à la dame.",
		"Pay 12,50 EUR and 1.200,50 EUR or 3,400.50 EUR and 1,200 EUR.", "Please pay one two three dollars.", "Please pay the twenty thirty dollars.",
		"付三千五元。", "付二〇二六元。", "付几百元。", "Pay 5 trillion dollars.", "Pay 3 thousands of dollars.", "Pay 50 cents.",
		"Pay $5–10 million to him.", "Pay 2 or 3 hundred dollars.", "5 euros 50", "Pay two and a half dollars to him.",
	} {
		all := true
		for _, n := range All(text) {
			all = all && n.Value != nil
		}
		if all {
			t.Errorf("nothing of %q is in doubt", text)
		}
	}
}

// FuzzNumerals: numbers are in their text, in order, none in another, and those that are read can
// be written as programs write them.
func FuzzNumerals(f *testing.F) {
	for _, seed := range []string{
		"Pay $1,200.50, 1.200 EUR, CHF 1'200.-, £3.5k, ₹1,00,000 and 5 to 10 million.", "zweitausenddreihundert Euro fünfzig, 49,90 €", "vingt et un mille deux cents euros et demi",
		"1万2千円、五百多元、百分之五十", "ادفع ١٬٢٠٠٫٥٠ يورو", "１，２００円", "a hundred and a dozen, half a million", "1 200 300,50 €", "-$5 -5 −5 –5", "двадцать пять тыс. руб.",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, n := range All(text) {
			if n.Start < 0 || n.End > len(text) || n.Start >= n.End {
				t.Fatalf("%+v stands nowhere in %q", n, text)
			}
			if n.Value != nil && n.Start < end {
				t.Fatalf("%+v of %q is a part of another", n, text)
			}
			end = max(end, n.End)
			if n.Value == nil {
				continue
			}
			digits := n.Value.FloatString(2 * MaxDigits)
			if written, ok := new(big.Rat).SetString(digits); !ok || written.Cmp(n.Value) != 0 {
				t.Fatalf("%+v has decimals that don't end: %s", n, digits)
			}
		}
	})
}
