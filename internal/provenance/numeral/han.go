package numeral

import (
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/provenance/atom"
)

// hanDigits and hanUnits are the characters of Chinese and Japanese numbers, the
// formal ones included.
var (
	hanDigits = runeValues("〇零○", "一壹壱", "二贰貳弐两兩", "三叁參参", "四肆", "五伍", "六陆陸", "七柒", "八捌", "九玖")
	hanUnits  = map[rune]int64{'十': 10, '拾': 10, '百': 100, '佰': 100, '千': 1000, '仟': 1000, '万': 10_000, '萬': 10_000, '亿': 100_000_000, '億': 100_000_000}
)

func runeValues(lists ...string) map[rune]int64 {
	out := map[rune]int64{}
	for v, list := range lists {
		for _, r := range list {
			out[r] = int64(v)
		}
	}
	return out
}

// hanNumeral reports whether a rune is of a Chinese number.
func hanNumeral(r rune) bool {
	_, digit := hanDigits[r]
	return digit || hanUnits[r] > 0
}

// hanNumber is a number in the making: sections of up to four digits, each with
// its unit.
type hanNumber struct {
	total, section, coefficient big.Rat
	pending                     bool  // a coefficient waits for its unit
	digit                       bool  // and is a character
	nought                      bool  // a nought is before it
	unit, big                   int64 // the last units of each kind
	bare                        bool  // Japanese: 百 and 千 are one hundred and one thousand
	ok                          bool
}

// han reads Chinese and Japanese numbers, in characters or with digits before
// their units. A number counts when a currency, a percent sign, a counter or the end
// of a clause follows it.
func (r *reader) han() {
	end := 0
	for i, c := range r.text {
		if i >= end && hanNumeral(c) {
			end = r.hanAt(r.digitsBefore(i))
		}
	}
}

// digitsBefore returns where the digits directly before i begin.
func (r *reader) digitsBefore(i int) int {
	start := i
	for n := 0; start > 0 && n < 2*MaxDigits; n++ {
		c, size := utf8.DecodeLastRuneInString(r.text[:start])
		if !isNumberRune(c) && c != '.' && c != ',' {
			break
		}
		start -= size
	}
	for start < i && !isNumberRune(atom.FirstRune(r.text[start:])) {
		start++
	}
	return start
}

// hanAt reads the number at start, and returns where its characters end.
func (r *reader) hanAt(start int) int {
	value, end, units := r.hanValue(start)
	before := atom.LastRune(r.text[:start]) // of no class at the beginning of a text
	percent := strings.HasSuffix(r.text[:start], "百分之")
	money := currencyBefore(r.text[:start])
	s := r.suffix(end, money > 0)
	digits := isNumberRune(atom.FirstRune(r.text[start:]))

	x := hanContext{
		after:   atom.FirstRune(r.text[end+s.length:]),
		closed:  end+s.length == len(r.text) || atom.IsHard(atom.FirstRune(r.text[end+s.length:])),
		counted: end < len(r.text) && strings.ContainsRune(hanCounters, atom.FirstRune(r.text[end:])),
	}
	measured := percent || s.percent || s.money || money > 0
	standsAlone := x.closed && units > 0 && end-start > len("十")
	ordinal := start > 0 && strings.ContainsRune("第周期拜", before)
	if ordinal || isAlnumRune(before) || (!measured && !x.counted && !standsAlone) {
		if digits {
			r.out = append(r.out, Numeral{Start: start, End: end, Marked: true})
		}
		return end
	}

	out := Numeral{Start: start, End: end + s.length, Percent: percent || s.percent, Money: s.money || money > 0, before: !s.money, minor: s.minor, scaled: units > 0, Spelled: !digits}
	out.Marked = out.Money || out.Percent
	vague := start > 0 && strings.ContainsRune("几幾数數好上多半近余餘", before)
	if value != nil && !vague && !x.goesOn() && !s.odd() && !r.upTo(out) {
		out.Value = value
	}
	r.out = append(r.out, out)
	return end
}

// hanValue reads the characters of the number at start. It returns its value, nil
// where that is in doubt, its end, and how many units it has.
func (r *reader) hanValue(start int) (value *big.Rat, end, units int) {
	n := hanNumber{ok: true, bare: r.lang == japanese, unit: 10_000, big: 1 << 62}
	for end = start; end < len(r.text); {
		c, size := utf8.DecodeRuneInString(r.text[end:])
		if v, digit := hanDigits[c]; digit {
			n.takeDigit(v)
		} else if u := hanUnits[c]; u > 0 {
			n.takeUnit(u)
			units++
		} else if isNumberRune(c) {
			run := readRun(r.text, end)
			n.takeRun(r, &run)
			size = run.end - end
		} else {
			break
		}
		end += size
	}
	return n.value(), end, units
}

// hanContext is what follows a number.
type hanContext struct {
	after           rune // after its suffix
	closed, counted bool // by the end of a clause; by a counter
}

// goesOn reports whether what follows makes another number of it.
func (x hanContext) goesOn() bool {
	more := hanNumeral(x.after) || isNumberRune(x.after) || strings.ContainsRune("半多余餘几幾角毛", x.after)
	return more && !x.closed
}

func isAlnumRune(r rune) bool { return r < utf8.RuneSelf && atom.IsAlphanumeric(byte(r)) }

// hanCounters are the words that Chinese and Japanese count with.
const hanCounters = "个個名位人份张張本次台件杯瓶盒只条條间間晚天套双雙箱袋枚冊册匹回泊つ株股家"

func (n *hanNumber) takeDigit(v int64) {
	if v == 0 {
		n.nought = true
		n.ok = n.ok && !n.pending
		return
	}
	n.ok = n.ok && !n.pending // digits in a row: a year, or a vague number
	n.coefficient.SetInt64(v)
	n.pending, n.digit = true, true
}

func (n *hanNumber) takeRun(r *reader, run *digitRun) {
	value, list := r.decide(run, true, true)
	if value == nil || list || n.pending {
		n.ok = false
		return
	}
	n.coefficient.Set(value)
	n.pending, n.digit = true, false
}

func (n *hanNumber) takeUnit(u int64) {
	if u < 10_000 {
		n.takeSmallUnit(u)
	} else {
		n.takeBigUnit(u)
	}
	n.pending, n.nought = false, false
}

func (n *hanNumber) takeSmallUnit(u int64) {
	if !n.pending {
		firstTen := u == 10 && n.section.Sign() == 0
		n.ok = n.ok && (n.bare || firstTen)
		n.coefficient.SetInt64(1)
	}
	n.ok = n.ok && u < n.unit
	n.section.Add(&n.section, times(u, &n.coefficient))
	n.unit = u
}

func (n *hanNumber) takeBigUnit(u int64) {
	if n.pending {
		n.section.Add(&n.section, &n.coefficient)
	}
	n.ok = n.ok && u < n.big && n.section.Sign() > 0
	n.total.Add(&n.total, times(u, &n.section))
	n.section.SetInt64(0)
	n.unit, n.big = 10_000, u
}

func times(factor int64, x *big.Rat) *big.Rat {
	return new(big.Rat).Mul(new(big.Rat).SetInt64(factor), x)
}

// value returns the number, nil where it is none, or where its last digit may
// leave out its unit, as Chinese does: "一万五" is 15000 to most, and 10005 by the
// book.
func (n *hanNumber) value() *big.Rat {
	if n.pending {
		small := (n.unit < 10_000 && n.unit > 10) || (n.unit == 10_000 && n.big < 1<<62)
		mayLeaveOut := n.digit && small && !n.nought && !n.bare
		n.ok = n.ok && !mayLeaveOut
		n.section.Add(&n.section, &n.coefficient)
	}
	if !n.ok {
		return nil
	}
	return new(big.Rat).Add(&n.total, &n.section)
}
