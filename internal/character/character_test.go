package character_test

import (
	"testing"
	"unicode"

	"github.com/remit-project/remit/internal/character"
)

func TestClasses(t *testing.T) {
	for _, c := range []struct {
		text                string
		unspaced, invisible bool
	}{
		{text: "aé1 а한अ"},
		{text: "漢かカกລខမ", unspaced: true},
		{text: "\u00ad\u034f\u200b\u200d\u202e\u2060\ufe0f\U000e0041", invisible: true},
	} {
		for _, r := range c.text {
			if character.IsUnspaced(r) != c.unspaced || character.IsInvisible(r) != c.invisible {
				t.Errorf("%U: unspaced %v, invisible %v", r, character.IsUnspaced(r), character.IsInvisible(r))
			}
		}
	}
}

// TestFirst looks at all characters: none of a class comes before the first that is looked up.
func TestFirst(t *testing.T) {
	for r := range rune(unicode.MaxRune) {
		unspaced := unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
		invisible := unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
		if character.IsUnspaced(r) != unspaced || character.IsInvisible(r) != invisible {
			t.Errorf("%U: unspaced %v, invisible %v", r, unspaced, invisible)
		}
	}
}
