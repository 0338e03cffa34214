package numeral

import (
	"maps"
	"math/big"
	"slices"
	"strings"
	"sync"

	"github.com/remit-project/remit/internal/provenance/atom"
)

// numberWord is a word that is, or is a part of, a number.
type numberWord struct {
	value int64
	scale bool // hundred, thousand, million: it multiplies what is before it
	// shared is set for words of several languages, and for those that are
	// ordinary words in another: they don't tell the language.
	shared bool
}

// wordLists are the number words of each language; a scale follows the bar. Forms
// of one word are divided by slashes.
var wordLists = [languages]struct {
	from1, tens, hundreds, scales string
}{
	english: {
		from1: "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
		tens:  "ten twenty thirty forty/fourty fifty sixty seventy eighty ninety", scales: "100:hundred 1000:thousand 1000000:million 1000000000:billion 12:dozen",
	},
	german: {
		from1: "eins/ein zwei/zwo drei vier fünf/fuenf sechs sieben acht neun zehn elf zwölf/zwoelf dreizehn vierzehn fünfzehn/fuenfzehn sechzehn siebzehn achtzehn neunzehn",
		tens:  "zehn zwanzig dreißig/dreissig vierzig fünfzig/fuenfzig sechzig siebzig achtzig neunzig", scales: "100:hundert 1000:tausend 1000000:million/millionen 1000000000:milliarde/milliarden 12:dutzend",
	},
	french: {
		from1: "un/une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf",
		tens:  "dix vingt/vingts trente quarante cinquante soixante septante huitante/octante nonante", scales: "100:cent/cents 1000:mille 1000000:million/millions 1000000000:milliard/milliards 12:douzaine",
	},
	spanish: {
		from1: "uno/un/una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis/dieciseis diecisiete dieciocho diecinueve " +
			"- veintiuno/veintiún/veintiuna veintidós/veintidos veintitrés/veintitres veinticuatro veinticinco veintiséis/veintiseis veintisiete veintiocho veintinueve",
		tens:     "diez veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
		hundreds: "cien/ciento doscientos/doscientas trescientos/trescientas cuatrocientos/cuatrocientas quinientos/quinientas seiscientos/seiscientas setecientos/setecientas ochocientos/ochocientas novecientos/novecientas",
		scales:   "1000:mil 1000000:millón/millones 12:docena",
	},
	italian: {
		from1: "uno/un/una due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove",
		tens:  "dieci venti trenta quaranta cinquanta sessanta settanta ottanta novanta", scales: "100:cento 1000:mille/mila 1000000:milione/milioni 1000000000:miliardo/miliardi 12:dozzina",
	},
	portuguese: {
		from1:    "um/uma dois/duas três/tres quatro cinco seis sete oito nove dez onze doze treze catorze/quatorze quinze dezesseis/dezasseis dezessete/dezassete dezoito dezenove/dezanove",
		tens:     "dez vinte trinta quarenta cinquenta/cinqüenta sessenta setenta oitenta noventa",
		hundreds: "cem/cento duzentos/duzentas trezentos/trezentas quatrocentos/quatrocentas quinhentos/quinhentas seiscentos/seiscentas setecentos/setecentas oitocentos/oitocentas novecentos/novecentas",
		scales:   "1000:mil 1000000:milhão/milhões 12:dúzia",
	},
	dutch: {
		from1: "een/één twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien",
		tens:  "tien twintig dertig veertig vijftig zestig zeventig tachtig negentig", scales: "100:honderd 1000:duizend 1000000:miljoen 1000000000:miljard 12:dozijn",
	},
	russian: {
		from1: "один/одна/одну/одно/одного два/две/двух три/трёх/трех четыре/четырёх/четырех пять/пяти шесть/шести семь/семи восемь/восьми девять/девяти десять/десяти " +
			"одиннадцать/одиннадцати двенадцать/двенадцати тринадцать/тринадцати четырнадцать/четырнадцати пятнадцать/пятнадцати шестнадцать/шестнадцати семнадцать/семнадцати " +
			"восемнадцать/восемнадцати девятнадцать/девятнадцати",
		tens:     "десять двадцать/двадцати тридцать/тридцати сорок/сорока пятьдесят/пятидесяти шестьдесят/шестидесяти семьдесят/семидесяти восемьдесят/восьмидесяти девяносто/девяноста",
		hundreds: "сто/ста двести/двухсот триста/трёхсот/трехсот четыреста/четырёхсот/четырехсот пятьсот/пятисот шестьсот/шестисот семьсот/семисот восемьсот/восьмисот девятьсот/девятисот",
		scales:   "1000:тысяча/тысячи/тысяч/тысячу 1000000:миллион/миллиона/миллионов 1000000000:миллиард/миллиарда/миллиардов 12:дюжина/дюжину",
	},
}

// numberWordsOf has the number words of each language.
var numberWordsOf = sync.OnceValue(func() *[languages]map[string]numberWord {
	var out [languages]map[string]numberWord
	count := map[string]int{}
	for l := range out {
		out[l] = simpleNumbers(language(l))
		maps.Copy(out[l], compounds(language(l), out[l]))
		for w := range out[l] {
			count[w]++
		}
	}

	for l := range out {
		for w, n := range out[l] {
			n.shared = count[w] > 1 || lexicon().OrdinaryElsewhere.Has(w)
			out[l][w] = n
		}
	}
	return &out
})

// simpleNumbers returns the number words of a language's lists.
func simpleNumbers(l language) map[string]numberWord {
	out := map[string]numberWord{}
	add := func(forms string, w numberWord) {
		for form := range strings.SplitSeq(forms, "/") {
			out[form] = w
		}
	}

	list := wordLists[l]
	for i, forms := range strings.Fields(list.hundreds) {
		add(forms, numberWord{value: int64(i+1) * 100})
	}
	for i, forms := range strings.Fields(list.tens) {
		add(forms, numberWord{value: int64(i+1) * 10})
	}
	for i, forms := range strings.Fields(list.from1) {
		if forms != "-" {
			add(forms, numberWord{value: int64(i + 1)})
		}
	}
	for forms := range strings.FieldsSeq(list.scales) {
		factor, forms, _ := strings.Cut(forms, ":")
		v, _ := new(big.Int).SetString(factor, 10)
		add(forms, numberWord{value: v.Int64(), scale: true})
	}
	return out
}

// compounds returns the numbers from 21 to 99 of languages that write them as one word.
func compounds(l language, simple map[string]numberWord) map[string]numberWord {
	out := map[string]numberWord{}
	for unit, u := range simple {
		if u.scale || u.value > 9 {
			continue
		}
		for tens, t := range simple {
			if t.scale || t.value < 20 || t.value%10 != 0 || t.value > 90 {
				continue
			}

			n := numberWord{value: t.value + u.value}
			switch {
			case l == german && unit != "eins":
				out[unit+"und"+tens] = n
			case l == dutch:
				out[unit+"en"+tens], out[unit+"ën"+tens] = n, n
			case l == italian:
				if u.value == 1 || u.value == 8 {
					tens = tens[:len(tens)-1] // ventuno, ventotto
				}
				out[tens+unit] = n
				if u.value == 3 {
					out[tens+"tré"] = n
				}
			}
		}
	}
	return out
}

// wordNumber returns the value of one word, which may be of several joined:
// "zweitausenddreihundert".
func wordNumber(l language, w string) (numberWord, bool) {
	if n, ok := numberWordsOf()[l][w]; ok {
		return n, true
	}

	var hundred, thousand []string
	switch l {
	case german:
		hundred, thousand = []string{"hundert"}, []string{"tausend"}
	case dutch:
		hundred, thousand = []string{"honderd"}, []string{"duizend"}
	case italian:
		hundred, thousand = []string{"cento", "cent"}, []string{"mila", "mille"}
	default:
		return numberWord{}, false
	}

	if len(w) > maxNumberWord {
		return numberWord{}, false
	}
	v, ok := joinedThousands(l, w, hundred, thousand)
	return numberWord{value: v}, ok
}

// maxNumberWord is the longest number written as one word, in bytes:
// "neunhundertsiebenundsiebzigtausendneunhundertsiebenundsiebzig".
const maxNumberWord = 80

func joinedThousands(l language, w string, hundred, thousand []string) (int64, bool) {
	for _, t := range thousand {
		before, after, ok := strings.Cut(w, t)
		if !ok {
			continue
		}

		n := int64(1)
		if before != "" {
			if n, ok = joinedHundreds(l, before, hundred); !ok || t == "mille" {
				return 0, false
			}
		}
		rest, ok := int64(0), true
		if after = strings.TrimPrefix(after, joiner(l, after)); after != "" {
			rest, ok = joinedHundreds(l, after, hundred)
		}
		return n*1000 + rest, ok
	}
	return joinedHundreds(l, w, hundred)
}

// joiner returns the "and" that may be between the parts of a joined number.
func joiner(l language, after string) string {
	switch {
	case l == german && !strings.HasPrefix(after, "undert"):
		return "und"
	case l == dutch:
		return "en"
	}
	return ""
}

func joinedHundreds(l language, w string, hundred []string) (int64, bool) {
	small := func(w string, most int64) (int64, bool) {
		n, ok := numberWordsOf()[l][w]
		return n.value, ok && !n.scale && n.value <= most
	}
	if v, ok := small(w, 99); ok {
		return v, true
	}

	for _, h := range hundred {
		before, after, ok := strings.Cut(w, h)
		if !ok {
			continue
		}
		n := int64(1)
		if before != "" {
			// "Twaalfhonderd": German and Dutch count hundreds up to nineteen.
			most := int64(19)
			if l == italian {
				most = 9
			}
			if n, ok = small(before, most); !ok || n%10 == 0 {
				continue
			}
		}

		if h == "cent" && !strings.HasPrefix(after, "ott") {
			continue // centotto, centottanta
		}
		if after = strings.TrimPrefix(after, joiner(l, after)); after == "" {
			return n * 100, true
		}
		if rest, ok := small(after, 99); ok {
			return n*100 + rest, true
		}
	}
	return 0, false
}

// articles are the words that are one before a scale, and an article elsewhere.
var articles = [languages][]string{
	english: {"a", "an"}, german: {"ein", "eine", "einen", "einem", "einer"}, french: {"un", "une"},
	spanish: {"un", "una", "uno"}, italian: {"un", "una", "uno"}, portuguese: {"um", "uma"}, dutch: {"een"},
}

// connectives join the parts of a number: in English after hundreds, in French and Spanish
// between tens and units.
var connectives = [languages]string{english: "and", german: "und", french: "et", spanish: "y", portuguese: "e", dutch: "en"}

// spelledNumber is a number in the making.
type spelledNumber struct {
	lang         language
	total, group int64
	room         int   // digits that still fit into the group
	last         int64 // what was added to the group last
	big          int64 // the least scale so far
	scaled       bool
}

func newSpelled(l language) spelledNumber { return spelledNumber{lang: l, room: 3, big: 1 << 62} }

// take adds a word to the number, and reports whether it goes on with it.
func (n *spelledNumber) take(w numberWord, article bool) bool {
	switch {
	case w.scale:
		return n.multiply(w.value, article)
	case w.value >= 1000:
		return n.addThousands(w.value)
	case n.lang == french && n.addFrench(w.value):
		return true
	}

	v := w.value
	tenTaken := n.lang == french && n.last == 10
	if len(decimalDigits(v)) > n.room || tenTaken {
		return false
	}
	n.group, n.last = n.group+v, v
	switch {
	case v%100 == 0:
		n.room = 2
	case v%10 == 0 && v >= 20, v == 10 && n.lang == french:
		n.room = 1
	default:
		n.room = 0
	}
	return true
}

// addThousands adds a word for thousands, as joined words have them.
func (n *spelledNumber) addThousands(v int64) bool {
	if n.group != 0 || n.big <= 1000 {
		return false
	}
	n.total, n.big, n.room, n.scaled = n.total+v, 1000, 3, true
	if v%1000 != 0 {
		n.room = 0
	}
	return true
}

// addFrench adds a word where French counts in its own way: quatre-vingts,
// soixante-quinze, quatre-vingt-dix-sept.
func (n *spelledNumber) addFrench(v int64) bool {
	afterTwenties := n.last == 60 || n.last == 80
	switch {
	case n.last == 4 && v == 20:
		n.group, n.room, n.last = n.group-4+80, 1, 80
	case afterTwenties && v >= 10 && v < 20:
		n.group, n.room, n.last = n.group+v, 0, v
		if v == 10 {
			n.room = 1 // quatre-vingt-dix-sept
		}
	case n.last == 10 && n.group > 0 && v >= 7 && v <= 9:
		n.group, n.room, n.last = n.group+v, 0, v
	default:
		return false
	}
	return true
}

func decimalDigits(v int64) string { return big.NewInt(v).String() }

// multiply takes a scale. A scale that needs a number before it is counted by its
// article.
func (n *spelledNumber) multiply(factor int64, article bool) bool {
	n.scaled = true
	switch factor {
	case 100:
		return n.multiplyHundred(article)
	case 12:
		return n.multiplyDozen(article)
	}

	counted := article || n.lang == russian
	if factor == 1000 {
		counted = article || n.lang != english
	}
	if n.group == 0 && counted && (factor == 1000 || n.total == 0) {
		n.group = 1
	}
	if n.big == 1000 && factor > 1000 && n.total > 0 { // dos mil millones
		n.total, n.group = 0, n.total+n.group
		n.big = factor + 1
	}

	if n.group == 0 || factor >= n.big || n.total+n.group > maxSpelled/factor {
		return false
	}
	n.total, n.group, n.room, n.last, n.big = n.total+n.group*factor, 0, 3, 0, factor
	return true
}

func (n *spelledNumber) multiplyHundred(article bool) bool {
	if n.group == 0 && n.room == 3 && (article || n.lang != english) {
		n.group = 1
	}
	// "Nineteen hundred", but not "ten hundred", and in English only.
	teens := n.lang == english && n.group%10 != 0
	if n.group < 1 || n.group > 19 || (n.group > 9 && !teens) {
		return false
	}
	n.group, n.room, n.last = n.group*100, 2, 100
	return true
}

func (n *spelledNumber) multiplyDozen(article bool) bool {
	if n.group == 0 && article {
		n.group = 1
	}
	if n.group == 0 || n.group > 99 || n.total > 0 {
		return false
	}
	n.group, n.room, n.big = n.group*12, 0, 0
	return true
}

// maxSpelled is the largest number that is read in words.
const maxSpelled = 1_000_000_000_000

// wordToken is one word of a text.
type wordToken struct {
	text       string
	start, end int
}

// spelledOut reads the numbers that are written in words, in the language of the
// text.
func (r *reader) spelledOut() {
	if len(numberWordsOf()[r.lang]) == 0 {
		return
	}
	var tokens []wordToken
	for start, end := range atom.Words(r.text) {
		tokens = append(tokens, wordToken{strings.ToLower(r.text[start:end]), start, end})
	}
	digits := r.out
	for i := 0; i < len(tokens); {
		next := r.spelledAt(tokens, i, &digits)
		i = max(next, i+1)
	}
}

// spelledAt reads the number that begins at a token, and returns the token after it.
func (r *reader) spelledAt(tokens []wordToken, i int, digits *[]Numeral) int {
	for len(*digits) > 0 && (*digits)[0].End <= tokens[i].start {
		*digits = (*digits)[1:]
	}
	if len(*digits) > 0 && (*digits)[0].Start <= tokens[i].start {
		return i + 1 // the scale of a number in digits
	}

	from, article := i, slices.Contains(articles[r.lang], tokens[i].text)
	if article {
		if i++; i == len(tokens) || !r.together(tokens[from], tokens[i]) {
			return i
		}
		if w, ok := wordNumber(r.lang, tokens[i].text); !ok || !w.scale {
			return i
		}
	} else if _, ok := wordNumber(r.lang, tokens[i].text); !ok {
		return i + 1
	}

	n, doubt, end := r.takeWords(tokens, i, article)
	r.addSpelled(tokens, from, end, n, doubt)
	return end
}

// takeWords puts the words from i on together. It returns the token after the number, and whether
// the words are in doubt.
func (r *reader) takeWords(tokens []wordToken, i int, article bool) (n spelledNumber, doubt bool, end int) {
	n, end = newSpelled(r.lang), i
	for end < len(tokens) {
		if end > i && !r.together(tokens[end-1], tokens[end]) {
			break
		}
		at := end
		if end > i && r.connects(tokens, end, n) {
			at++
		}

		w, ok := wordNumber(r.lang, tokens[at].text)
		if !ok {
			break
		}
		trial := n
		if trial.take(w, article && end == i) {
			n, end = trial, at+1
			continue
		}
		if at > end {
			break // "fifty and twenty"
		}
		doubt, end = true, end+1 // "nineteen eighty"
	}
	return n, doubt, end
}

// connects reports whether a token is the "and" between the number so far and the
// next token.
func (r *reader) connects(tokens []wordToken, i int, n spelledNumber) bool {
	and := connectives[r.lang]
	return and != "" && tokens[i].text == and && i+1 < len(tokens) && r.joins(n) && r.together(tokens[i], tokens[i+1])
}

// together reports whether two words belong to one number by what is between them.
func (r *reader) together(a, b wordToken) bool {
	switch r.text[a.end:b.start] {
	case " ", "-", "\u2011", "\u00a0", "":
		return true
	}
	return false
}

// joins reports whether an "and" may follow the number so far.
func (r *reader) joins(n spelledNumber) bool {
	switch r.lang {
	case french, spanish:
		return n.room == 1
	case english, german, dutch:
		return n.room > 1
	}
	return n.room > 0
}

// addSpelled adds the number of the words from one token to another.
func (r *reader) addSpelled(tokens []wordToken, from, end int, n spelledNumber, doubt bool) {
	start, stop := tokens[from].start, tokens[end-1].end
	articleAlone := end == from+1 && slices.Contains(articles[r.lang], tokens[from].text)
	if articleAlone || !r.free(start, stop) {
		return
	}

	s := r.suffix(stop, false)
	out := Numeral{Start: start, End: stop + s.length, Percent: s.percent, minor: s.minor, scaled: n.scaled, Spelled: true}
	out.Money, out.before = s.money || currencyBefore(r.text[:start]) > 0, !s.money
	out.Marked = out.Money

	value := n.total + n.group
	doubt = doubt || value == 0 || s.odd() || r.changed(tokens, from, end) || r.upTo(out)
	if !doubt {
		out.Value = new(big.Rat).SetInt64(value)
	}
	r.out = append(r.out, out)
}

// changed reports whether the words around a number in words make another number of
// it, or a vague one: "half a million", "two and a half".
func (r *reader) changed(tokens []wordToken, from, end int) bool {
	if from > 0 && tokens[from].start-tokens[from-1].end == 1 && lexicon().Modifiers.Has(tokens[from-1].text) {
		return true
	}

	next := ""
	for _, t := range tokens[end:min(len(tokens), end+4)] {
		if next = t.text; !lexicon().Filler.Has(next) {
			break
		}
	}
	return lexicon().Fractions.Has(next) && !strings.HasPrefix(r.text[tokens[end-1].end:], ",")
}

// free reports whether a word is not a part of an atom: an address, a path or a name
// with a hyphen.
func (r *reader) free(start, end int) bool {
	return (start == 0 || atom.IsBoundedLeft(r.text, start)) && (atom.IsBoundedRight(r.text, end) || strings.HasPrefix(r.text[end:], "€"))
}
