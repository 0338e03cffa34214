// Package character classifies characters that Unicode's categories alone don't tell apart.
package character

import "unicode"

// IsUnspaced reports whether a character is of a script that puts no spaces between words.
func IsUnspaced(r rune) bool {
	const first = '\u0e00' // of any of these scripts
	return r >= first && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// IsInvisible reports whether a character has no form of its own: Unicode's
// Default_Ignorable_Code_Point and other format characters.
func IsInvisible(r rune) bool {
	const first = '\u00ad'
	return r >= first && unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
