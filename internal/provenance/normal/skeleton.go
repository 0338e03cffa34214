package normal

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Skeleton returns a text without everything that the eye may miss: case, accents, compatibility forms, invisible characters,
// the alphabet a letter is from, and the difference between look-alikes such as
// 1, l and I, or rn and m. Equal skeletons of different texts are a reason for
// alarm and nothing else. The table is our own and knows the look-alikes of the
// Latin letters and digits, not those of other scripts among each other.
func Skeleton(s string) string { return string(AppendSkeleton(nil, s)) }

// AppendSkeleton appends the [Skeleton] of a text.
func AppendSkeleton(out []byte, s string) []byte {
	t := lookalikesOnce()
	from, space := len(out), false

	for _, r := range norm.NFKD.String(s) {
		if r < unicode.MaxASCII && t.ascii[r] != 0 {
			out, space = append(out, t.ascii[r]), false
			continue
		}
		switch {
		case unicode.IsSpace(r), blank(r):
			if !space {
				out, space = append(out, ' '), true
			}
			continue
		case ignorable(r), unicode.Is(unicode.Mn, r), unicode.Is(unicode.Cc, r):
			continue
		}

		out, space = t.append(out, r), false
	}
	return out[:from+len(joinDigraphs(out[from:]))]
}

// joinDigraphs replaces pairs that run together by what they look like, in place. I and 1
// are l by then.
func joinDigraphs(s []byte) []byte {
	out := s[:0]
	for len(s) > 0 {
		c, n := s[0], 1
		if to := digraph(s); to != 0 {
			c, n = to, 2
		}
		out, s = append(out, c), s[n:]
	}
	return out
}

// digraph returns what the pair that a text begins with is taken for, zero where it is
// none.
func digraph(s []byte) byte {
	if len(s) < 2 {
		return 0
	}
	switch string(s[:2]) {
	case "rn":
		return 'm'
	case "vv":
		return 'w'
	case "cl":
		return 'd'
	}
	return 0
}

// lookalikeTable has what each character is taken for.
type lookalikeTable struct {
	of map[rune]string
	// ascii has it for most of ASCII, so that an ordinary text asks no map. A zero says
	// nothing.
	ascii [unicode.MaxASCII]byte
}

// append appends what a visible character is taken for, or the character without case.
func (t *lookalikeTable) append(out []byte, r rune) []byte {
	if to, ok := t.of[r]; ok {
		return append(out, to...)
	}
	r = orbitLeast(r)
	if to, ok := t.of[r]; ok {
		return append(out, to...)
	}
	return utf8.AppendRune(out, r)
}

// lookalikes lists, for what each character is taken for, the characters that
// NFKD leaves apart from it. Letters are listed in both cases where the two
// differ in what they look like.
var lookalikes = [...]struct{ to, from string }{
	{"a", "аαɑ⍺ᴀАΑᎪᗅꓮ"},
	{"b", "ЬьᏏƄƅΒВвʙᏴᗷꓐɓƀ"},
	{"c", "сСϲϹᴄᏟꓚⅽⲤⲥ¢ƈ"},
	{"d", "ԁᏧᗪꓓᎠɗđĐƊժ"},
	{"e", "еЕҽεΕᎬꓰɘəәℯ℮ҿєЄ"},
	{"f", "ƒϝϜꓝẝғҒք"},
	{"g", "ɡցƍᶃԌԍᏀꓖǥɢ"},
	{"h", "һҺհΗНнᎻᏂꓧհħЋћʜ"},
	{"j", "јЈϳյᎫꓙɉʝ"},
	{"k", "κΚкКᏦꓗⲔⲕқҚҝᴋƙ"},
	{"l", "1|ILlіІιΙӏӀιɩıɪӏᎥⵏꓲ∣ǀاⲒⅼוןſłŁʟᏞꓡ⏐❘"},
	{"m", "мМΜϺᎷꓟⅿⲘʍᴍ"},
	{"n", "ոռηΝꓠⲚɴպп"},
	{"o", "0оОοΟσօՕᴏᴑଠ০੦૦௦౦೦൦๐໐၀۰٠Ⲟⲟꓳዐഠဝ〇øØ○◯"},
	{"p", "рРρΡϱᏢꓑⲢⲣᴘ⍴"},
	{"q", "ԛգզԚ"},
	{"r", "гᴦᎡᏒꓣⲅʀɾɼГ"},
	{"s", "ѕЅꜱᏕꓢՏƽʂ"},
	{"t", "тТτΤᎢꓔⲦⲧᴛŧŦƫţ"},
	{"u", "υսՍʋᴜꭎꓴ∪ᑌ⋃"},
	{"v", "ѵѴνᴠᏙꓦ∨⋁ⅴט"},
	{"w", "ԝԜաѡᴡᎳꓪɯ"},
	{"x", "хХχΧ×᙮ⅹꓫⲬⲭ⨯╳ҳҲ"},
	{"y", "уУүҮγΥҰұᎩꓬⲨⲩʏყɣỿ"},
	{"z", "ᴢᏃꓜΖƶʐ"},
	{"ae", "æÆӕӔ"},
	{"oe", "œŒ"},
	{"ss", "ßẞ"},
	{"2", "Ƨƨշ"},
	{"3", "ЗзӠӡƷʒȜȝ"},
	{"4", "Ꮞ"},
	{"5", "Ƽ"},
	{"6", "бᏮ"},
	{"8", "Ȣȣ৪"},
	{"9", "৭୨"},
	{"-", "‐‑‒–—―−﹘Ⲻ⁃˗➖ー一ㅡ"},
	{"_", "ˍ＿"},
	{".", "․܁܂。·•∙⋅・"},
	{",", "‚،٫、"},
	{":", "։׃܃܄᛬︰∶ꓽː˸"},
	{";", ";؛"},
	{"/", "⁄∕╱⟋⧸ノ丿〳"},
	{"\\", "∖⟍⧵⧹╲"},
	{"'", "‘’‛′ʹʼʻˈ`´ꞌ"},
	{"\"", "“”„‟″"},
	{"@", "＠﹫"},
	{"&", "＆﹠ꝸ"},
	{"~", "∼˜⁓〜"},
	{"*", "∗٭⁎"},
	{"+", "᛭➕"},
	{"=", "᐀⹀゠꓿"},
	{"?", "ɁʔॽᎮ"},
	{"(", "❨〔﴾"},
	{")", "❩〕﴿"},
	{"<", "‹❮˂ᐸ"},
	{">", "›❯˃ᐳ"},
}

var lookalikesOnce = sync.OnceValue(func() *lookalikeTable {
	table := make(map[rune]string, 600)
	for _, l := range lookalikes {
		for _, r := range l.from {
			if _, ok := table[r]; !ok {
				table[r] = l.to
			}
		}
	}
	// i looks like l once the dot is overlooked.
	table['i'], table['I'] = "l", "l"

	t := &lookalikeTable{of: table}
	for r := '!'; r < unicode.MaxASCII; r++ {
		if to := t.append(nil, r); len(to) == 1 && !ignorable(r) && !blank(r) {
			t.ascii[r] = to[0]
		}
	}
	return t
})
