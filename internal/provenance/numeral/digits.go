package numeral

import (
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/provenance/atom"
)

// digitRun is a run of digits with single separators between them.
type digitRun struct {
	start, end int
	groups     []string // in ASCII digits
	separators []rune   // as a reader of ASCII has them; definiteDecimal, definiteGroup
	mixed      bool     // digits of several scripts
}

// digitOf returns the value of a digit, and the zero of its script.
func digitOf(r rune) (value int, zero rune) {
	if r < utf8.RuneSelf {
		if '0' <= r && r <= '9' {
			return int(r - '0'), '0'
		}
		return -1, 0
	}
	for _, z := range zeros[1:] {
		if z <= r && r <= z+9 {
			return int(r - z), z
		}
	}
	return -1, 0
}

// InASCII returns a text with its digits of other scripts as those of ASCII.
func InASCII(text string) string {
	return strings.Map(func(r rune) rune {
		if value, _ := digitOf(r); value >= 0 {
			return '0' + rune(value)
		}
		return r
	}, text)
}

// digitRuns finds the digits of a text.
func digitRuns(text string) []digitRun {
	var out []digitRun
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if v, _ := digitOf(r); v < 0 {
			i += size
			continue
		}
		run := readRun(text, i)
		out = append(out, run)
		i = run.end
	}
	return out
}

func readRun(text string, start int) digitRun {
	run := digitRun{start: start}
	group, script, end := readGroup(text, start)
	run.groups, run.end, run.mixed = []string{group}, end, script == 0

	for {
		sep, size := utf8.DecodeRuneInString(text[run.end:])
		sep = plainSeparator(sep, script)
		if sep == 0 {
			return run
		}
		next, own, end := readGroup(text, run.end+size)
		if next == "" || (groupsOnly(sep) && !run.goesOn(sep, next)) {
			return run
		}

		run.groups = append(run.groups, next)
		run.separators = append(run.separators, sep)
		run.end = end
		run.mixed = run.mixed || own != script
	}
}

// readGroup reads digits in a row. The script is that of all of them, or 0.
func readGroup(text string, start int) (group string, script rune, end int) {
	var digits []byte
	for end = start; end < len(text); {
		r, size := utf8.DecodeRuneInString(text[end:])
		v, zero := digitOf(r)
		if v < 0 {
			break
		}

		if end == start {
			script = zero
		} else if zero != script {
			script = 0
		}
		digits = append(digits, byte('0'+v))
		end += size
	}
	return string(digits), script, end
}

// plainSeparator returns the separator as ASCII has it, or 0. Full-width ones
// belong to full-width digits; elsewhere they divide lists.
func plainSeparator(r, script rune) rune {
	switch r {
	case '.', ',', '\'', ' ', definiteDecimal, definiteGroup:
		return r
	case '’':
		return '\''
	case '\u00a0', '\u202f', '\u2009', '\u2007':
		return '\u00a0'
	case '．', '，':
		if script == '０' {
			return r - '．' + '.'
		}
	}
	return 0
}

// groupsOnly reports whether a separator can only divide groups of three digits.
func groupsOnly(sep rune) bool { return sep == ' ' || sep == '\u00a0' || sep == '\'' }

// goesOn reports whether three more digits are a further group of the number.
func (run *digitRun) goesOn(sep rune, next string) bool {
	if len(next) != 3 || len(run.groups[0]) > 3 || run.groups[0][0] == '0' {
		return false
	}
	// Those before the last are the same, or that one wouldn't be there.
	n := len(run.separators)
	return n == 0 || run.separators[n-1] == sep
}

// shape is what the separators of a run say.
type shape uint8

// shape returns the shape of a run with the separators of its groups and of its
// decimals; 0 where there are none.
func (run *digitRun) shape() (s shape, group, point rune) {
	n := len(run.separators)
	if run.mixed || n > MaxDigits || len(strings.Join(run.groups, "")) > MaxDigits {
		return malformed, 0, 0
	}

	switch {
	case n == 0 && run.leadingZero():
		return malformed, 0, 0
	case n == 0:
		return whole, 0, 0
	case n == 1 && mayPoint(run.separators[0]):
		return run.pointShape()
	}
	return run.groupShape()
}

// leadingZero reports whether a run begins with a zero and further digits.
func (run *digitRun) leadingZero() bool { return len(run.groups[0]) > 1 && run.groups[0][0] == '0' }

// mayPoint reports whether a separator can divide decimals.
func mayPoint(sep rune) bool { return sep == '.' || sep == ',' || sep == definiteDecimal }

// pointShape returns the shape of a run with one dot or comma.
func (run *digitRun) pointShape() (s shape, group, point rune) {
	point = run.separators[0]
	if run.leadingZero() {
		return malformed, 0, point
	}

	first, last := run.groups[0], run.groups[1]
	if len(last) == 3 && len(first) <= 3 && first != "0" && point != definiteDecimal {
		return twofold, point, point
	}
	return decimal, 0, point
}

// groupShape returns the shape of a run with groups.
func (run *digitRun) groupShape() (s shape, group, point rune) {
	group = run.separators[0]
	end := len(run.separators)
	if last := run.separators[end-1]; last != group {
		point = last
		end--
	}
	if group == definiteDecimal || (point != 0 && !mayPoint(point)) {
		return malformed, 0, 0
	}

	for _, sep := range run.separators[:end] {
		if sep != group {
			return malformed, 0, 0
		}
	}
	groups := run.groups[:end+1]
	if !inThousands(groups) && (group != ',' || !inLakhs(groups)) {
		return malformed, 0, 0
	}
	if point != 0 {
		return groupedDecimal, group, point
	}
	return grouped, group, 0
}

// inThousands reports whether groups are of three digits, the first of one to
// three.
func inThousands(groups []string) bool {
	first := groups[0]
	if len(first) > 3 || first[0] == '0' {
		return false
	}
	return !slices.ContainsFunc(groups[1:], func(g string) bool { return len(g) != 3 })
}

// inLakhs reports whether groups are as India writes them: 1,00,000.
func inLakhs(groups []string) bool {
	n := len(groups)
	if n < 3 || len(groups[n-1]) != 3 || len(groups[0]) > 2 || groups[0][0] == '0' {
		return false
	}
	return !slices.ContainsFunc(groups[1:n-1], func(g string) bool { return len(g) != 2 })
}

// value returns the number of a run whose last group are decimals, or is not.
func (run *digitRun) value(decimals bool) *big.Rat {
	n := len(run.groups)
	text := strings.Join(run.groups, "")
	if decimals {
		text = strings.Join(run.groups[:n-1], "") + "." + run.groups[n-1]
	}
	v, _ := new(big.Rat).SetString(text)
	return v
}

// inGroups reports whether the digits at start and end are a group of a longer
// code, as in "DE89 3704 0044": none of its groups is an amount.
func inGroups(text string, start, end int) bool {
	i := end + 1
	for i < len(text) && text[end] == ' ' && atom.IsDigit(text[i]) {
		i++
	}
	if i-end > 2 {
		return true
	}
	if start < 2 || text[start-1] != ' ' || !atom.IsDigit(text[start-2]) {
		return false
	}
	for i = start - 1; i > 0 && atom.IsAlphanumeric(text[i-1]); i-- {
	}
	// A whole account before it is not a group.
	return start-1-i > 1 && start-1-i <= atom.MaxGroupLength
}

// numberEnds reports whether a number ends n bytes into rest.
func numberEnds(rest string, n int) bool {
	if n >= len(rest) {
		return true
	}

	c, after := rest[n], rest[n+1:]
	switch {
	case c == '-':
		// "1-hour", "10-15": before a unit or in a range, not in a date.
		digits := len(after) - len(strings.TrimLeft(after, "0123456789"))
		return digits == 0 || digits == len(after) || after[digits] != '-'
	case strings.IndexByte(".!?:", c) >= 0:
		return after == "" || strings.IndexByte(" \n\"')", after[0]) >= 0
	case c >= utf8.RuneSelf:
		return !currencySign(atom.FirstRune(rest[n:])) && atom.IsBoundedRight("0"+rest[n:], 1)
	}
	return c == '\'' || atom.IsHard(rune(c))
}
