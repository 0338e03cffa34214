package pdf

import (
	"strconv"
	"strings"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

// unknown is the letter of a glyph whose meaning the file doesn't say.
const unknown = "\uFFFD"

// encode returns what the bytes of an encoding mean; ASCII where it has no name.
func encode(encoding name) (out [256]string) {
	var m *charmap.Charmap
	switch encoding {
	case "MacRomanEncoding":
		m = charmap.Macintosh
	case "StandardEncoding":
		for c := range 128 {
			out[c] = string(rune(c))
		}
		out['\''], out['`'] = "’", "‘"
		for i, r := range []rune(standardUpper) {
			if r != ' ' {
				out[0xA1+i] = string(r)
			}
		}
		return out
	default:
		m = charmap.Windows1252
	}

	for c := range out {
		out[c] = string(m.DecodeByte(byte(c)))
	}

	// Where no letter is, Windows draws a bullet.
	for _, c := range [...]byte{0x7F, 0x81, 0x8D, 0x8F, 0x90, 0x9D} {
		if m == charmap.Windows1252 {
			out[c] = "•"
		}
	}

	return out
}

// standardUpper is the upper half of Adobe's standard encoding, from A1 to FB, with
// spaces where it has nothing.
const standardUpper = "¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ –†‡· ¶•‚„”»…‰ ¿ `´ˆ˜¯˘˙¨ ˚¸ ˝˛ˇ—                Æ ª    ŁØŒº     æ   ı  łøœß"

// glyphNames are the names of glyphs that no rule makes letters of.
var glyphNames = func() map[string]string {
	out := map[string]string{}
	fields := strings.Fields(`space _ exclam ! quotedbl " numbersign # dollar $ percent % ampersand & quotesingle ' quoteright ’ quoteleft ‘
parenleft ( parenright ) asterisk * plus + comma , hyphen - minus − period . slash / zero 0 one 1 two 2 three 3 four 4 five 5 six 6 seven 7
eight 8 nine 9 colon : semicolon ; less < equal = greater > question ? at @ bracketleft [ backslash \ bracketright ] asciicircum ^
underscore _ grave ` + "`" + ` braceleft { bar | braceright } asciitilde ~ exclamdown ¡ cent ¢ sterling £ fraction ⁄ yen ¥ florin ƒ section §
currency ¤ quotedblleft “ quotedblright ” guillemotleft « guillemotright » guilsinglleft ‹ guilsinglright › fi ﬁ fl ﬂ ff ﬀ ffi ﬃ ffl ﬄ
endash – emdash — dagger † daggerdbl ‡ periodcentered · paragraph ¶ bullet • quotesinglbase ‚ quotedblbase „ ellipsis … perthousand ‰
questiondown ¿ acute ´ circumflex ˆ tilde ˜ macron ¯ breve ˘ dotaccent ˙ dieresis ¨ ring ˚ cedilla ¸ hungarumlaut ˝ ogonek ˛ caron ˇ
AE Æ ae æ OE Œ oe œ Oslash Ø oslash ø Lslash Ł lslash ł germandbls ß dotlessi ı Eth Ð eth ð Thorn Þ thorn þ ordfeminine ª ordmasculine º
copyright © registered ® trademark ™ degree ° plusminus ± multiply × divide ÷ mu µ onesuperior ¹ twosuperior ² threesuperior ³
onequarter ¼ onehalf ½ threequarters ¾ logicalnot ¬ brokenbar ¦ Euro € notequal ≠ lessequal ≤ greaterequal ≥ infinity ∞ arrowright →
arrowleft ← checkmark ✓ square ■ circle ○ openbullet ◦ nbspace _ nonbreakingspace _ sfthyphen ` + "\u00AD" + ` dotlessj ȷ asteriskmath ∗ lozenge ◊`)
	for i := 0; i+1 < len(fields); i += 2 {
		out[fields[i]] = fields[i+1]
	}
	for _, n := range [...]string{"space", "nbspace", "nonbreakingspace"} {
		out[n] = " "
	}
	return out
}

// accents are the endings of the names of letters with accents.
var accents = [...]struct{ name, mark string }{
	{"acute", "\u0301"}, {"grave", "\u0300"}, {"circumflex", "\u0302"}, {"dieresis", "\u0308"}, {"tilde", "\u0303"}, {"caron", "\u030C"},
	{"ring", "\u030A"}, {"cedilla", "\u0327"}, {"macron", "\u0304"}, {"breve", "\u0306"}, {"ogonek", "\u0328"}, {"dotaccent", "\u0307"},
	{"hungarumlaut", "\u030B"}, {"commaaccent", "\u0326"},
}

// letters returns what a glyph's name means: "eacute", "uni20AC", "f_i", "a.alt".
func letters(names map[string]string, glyph string) string {
	glyph, _, _ = strings.Cut(glyph, ".")
	if s, ok := names[glyph]; ok {
		return s
	}

	if len(glyph) == 1 {
		return glyph
	}

	if parts := strings.Split(glyph, "_"); len(parts) > 1 && len(parts) < 5 {
		var out strings.Builder
		for _, part := range parts {
			out.WriteString(letters(names, part))
		}
		return out.String()
	}

	for _, prefix := range [...]string{"uni", "u"} {
		if digits, ok := strings.CutPrefix(glyph, prefix); ok && len(digits) >= 4 {
			if n, err := strconv.ParseUint(digits[:min(len(digits), 6)], 16, 21); err == nil {
				return string(rune(n))
			}
		}
	}

	for _, a := range accents {
		if base, ok := strings.CutSuffix(glyph, a.name); ok && len(base) == 1 {
			return norm.NFC.String(base + a.mark)
		}
	}

	return unknown
}
