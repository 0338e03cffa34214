package mention

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/pattern"
)

// saysWhole reports whether the text has a value itself. An address, a path or a command has to stand there
// sign by sign, and neither it nor a code is named by a longer one that has it.
func (t Text) saysWhole(value string) bool {
	spelled := strings.ToLower(value)
	if !isExact(value) && (!strings.ContainsFunc(value, unicode.IsDigit) || !strings.Contains(t.lower, spelled)) {
		return t.says(NewText(value).words)
	}

	return place(t.lower, spelled, isNotContinued) >= 0
}

// isNotContinued reports whether what is before and after a value makes no longer one of it.
func isNotContinued(before, after string) bool {
	sign, size := utf8.DecodeLastRuneInString(before)
	beyond, _ := utf8.DecodeLastRuneInString(before[:len(before)-size])
	if continues(sign, beyond) {
		return false
	}
	sign, size = utf8.DecodeRuneInString(after)
	beyond, _ = utf8.DecodeRuneInString(after[size:])
	return !continues(sign, beyond)
}

// isExact reports whether a value has signs that tell it from others of the same words.
func isExact(value string) bool {
	if strings.ContainsAny(value, `@/\?*&<>|=~^`) {
		return true
	}
	inside := false // the rune before is a sign inside of a word
	word := false
	for _, c := range value {
		if inside && !unicode.IsSpace(c) {
			return true
		}
		inside = word && strings.ContainsRune(".:;", c)
		word = inWord(c)
	}
	return false
}

// continues reports whether the character next to a value, with the one after that, makes the value part
// of a longer one.
func continues(sign, beyond rune) bool {
	joins := inWord(sign) || strings.ContainsRune(`_/\@`, sign)
	return joins || (strings.ContainsRune(".-+~?&=", sign) && inWord(beyond))
}

// qualified are numbers that mean another than they say: less than zero, a part of a whole or of the unit.
var qualified = pattern.OnUse(`(?i)(?:^|[^\pL\pN.,)])[-−]\$?\d[\d.,]*|\d[\d.,]*\s*(?:[%‰¢]|(?:per ?cent|prozent|procent|por ciento|por cento|pour cent|per cento|yüzde|cents?|pence|hundred|thousand|million)\b)`)
