package normal

import (
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Skeleton returns a text without everything that the eye may miss: case, accents, compatibility forms, invisible characters,
// the alphabet a letter is from, and the difference between look-alikes such as
// 1, l and I, or rn and m. Equal skeletons of different texts are a reason for
// alarm and nothing else. The table is our own and knows the look-alikes of the
// Latin letters and digits, not those of other scripts among each other.
func Skeleton(s string) string {
	table := lookalikesOnce()
	out := make([]byte, 0, len(s))
	space := false

	for _, r := range norm.NFKD.String(s) {
		switch {
		case unicode.IsSpace(r), blank(r):
			if !space {
				out, space = append(out, ' '), true
			}
			continue
		case ignorable(r), unicode.Is(unicode.Mn, r), unicode.Is(unicode.Cc, r):
			continue
		}

		space = false
		if to, ok := table[r]; ok {
			out = append(out, to...)
			continue
		}
		r = orbitLeast(r)
		if to, ok := table[r]; ok {
			out = append(out, to...)
			continue
		}
		out = append(out, string(r)...)
	}
	return digraphs.Replace(string(out))
}

// digraphs are pairs that run together. I and 1 are l by then.
var digraphs = strings.NewReplacer("rn", "m", "vv", "w", "cl", "d")

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

var lookalikesOnce = sync.OnceValue(func() map[rune]string {
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
	return table
})
