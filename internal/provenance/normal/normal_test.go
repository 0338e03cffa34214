package normal

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for _, c := range []struct {
		s    string
		want Flaws
	}{
		{"", 0}, {"bob@corp.com", 0}, {"Jürgen Müller", 0}, {"日本語", 0}, {"שלום", 0}, {"😀", 0},
		{"a\nb", LineBreak}, {"a\tb", LineBreak}, {" a", EdgeSpace}, {"a ", EdgeSpace}, {"a  b", DoubleSpace},
		{"a\x00b", Control}, {"a\x7f", Control}, {"a\u0085", Control}, {"a\u2028b", Control},
		{"a\xff", BadUTF8}, {"a\ufffd", BadUTF8}, {"\xed\xa0\x80", BadUTF8},
		{"e\u0301", NotNFC}, {"\u212b", NotNFC},
		{"a\u200bb", Invisible}, {"a\u00adb", Invisible}, {"\u202eab", Invisible}, {"a\u2066b", Invisible},
		{"\ufeffa", Invisible}, {"a\ufe0f", Invisible}, {"a\U000e0101", Invisible}, {"\u3164", Invisible},
		{"\uffa0", Invisible}, {"a\u034f", Invisible}, {"\u2800", Invisible}, {"a\U000e0041", Invisible},
		{"a\u061cb", Invisible}, {"a\u0600b", Invisible},
		{"\ue000", PrivateUse}, {"\U00100000", PrivateUse},
		{"\u0378", Unassigned}, {"\ufdd0", Unassigned},
		{"a\u00a0b", OddSpace}, {"a\u3000b", OddSpace}, {"\u00a0b", OddSpace | EdgeSpace},
	} {
		if got := Inspect(c.s); got != c.want {
			t.Errorf("%q: %v, want %v", c.s, got, c.want)
		}
	}
	if ok, why := CleanText("Dear Bob,\n\n\t  hello \n"); !ok {
		t.Error(why)
	}
	if ok, _ := CleanText("a\u200b"); ok {
		t.Error("zero-width space passes as clean text")
	}
}

func fold(s string) string {
	n, _ := Fold(nil, s)
	return string(n)
}

func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		"":                   "",
		"Hello World":        "hello world",
		"a  \t\n b":          "a b",
		" a ":                " a ",
		"STRASSE":            "strasse",
		"Straße":             "strasse",
		"e\u0301":            "é",
		"É":                  "é",
		"E\u0301":            "é",
		"ｅｖｉｌ＠ｘ．ｉｏ":          "evil@x.io",
		"ﬁne":                "fine",
		"b\u200bo\u00adb":    "bob",
		"\u202ebob\u202c":    "bob",
		"a\u00a0\u3000b":     "a b",
		"ΣΑΣ":                "σασ",
		"σας":                "σασ",
		"ПРИВЕТ":             "привет",
		"𝐞𝐯𝐢𝐥":               "evil",
		"\u212a":             "k",
		"“a”–‘b’":            `"a"-'b'`,
		"½":                  "1/2",
		"ﷺ":                  "ﷺ",
		"a\x00b":             "ab",
		"\ufeffx":            "x",
		"ＡÀ":                 "aà",
		"İstanbul":           "istanbul",
		"日本語":                "日本語",
		"한국":                 "한국",
		"\u1112\u1161\u11ab": "한",
		"\u0410\u0306":       "ӑ",
	} {
		got := fold(in)
		if orbits(got) != orbits(want) {
			t.Errorf("%q folds to %q, want %q", in, got, want)
		}
	}
}

// orbits writes other scripts in the case that Fold happens to use.
func orbits(s string) string {
	return strings.Map(func(r rune) rune { return orbitLeast(r) }, s)
}

func TestFoldMapsBack(t *testing.T) {
	for _, c := range []struct{ s, in, want string }{
		{"say HELLO there", "hello", "HELLO"},
		{"a  b  c", "b", "b"},
		{"x b\u200bo\u200bb y", "bob", "b\u200bo\u200bb"},
		{"x ｂｏｂ y", "bob", "ｂｏｂ"},
		{"x ｂｏｂ y", "o", "ｏ"},
		{"aﬁb", "i", "ﬁ"},
		{"aﬁb", "b", "b"},
		{"aﬁ\u200b\u200bb", "f", "ﬁ"},
		{"e\u0301x", "é", "e\u0301"},
		{"e\u0301x", "x", "x"},
		{"日本ABC語", "abc", "ABC"},
		{"aßb", "s", "ß"},
		{"K\u212aK!", "!", "!"},
		{"a\xffB", "b", "B"},
		{"é ǅx", "x", "x"},
		{"…e", ".", "…"},
	} {
		n, b := Fold(nil, c.s)
		at := strings.Index(string(n), fold(c.in))
		if at < 0 {
			t.Errorf("%q is not in %q", c.in, n)
			continue
		}
		from, to := b.Original(at, at+len(fold(c.in)))
		if c.s[from:to] != c.want {
			t.Errorf("%q in %q maps to %q, want %q (%v)", c.in, c.s, c.s[from:to], c.want, b)
		}
	}
}

func TestFoldAppends(t *testing.T) {
	whole, b := Fold([]byte("prefix"), "Ａb")
	if string(whole) != "prefixab" {
		t.Errorf("%q", whole)
	}
	if from, to := b.Original(1, 2); from != 3 || to != 4 {
		t.Errorf("%d..%d", from, to)
	}
}

func checkFold(t *testing.T, s string) {
	n, b := Fold(nil, s)
	if len(n) > 2*len(s) {
		t.Fatalf("%q grows to %d bytes", s, len(n))
	}
	if from, to := b.Original(0, len(n)); len(n) > 0 && (from < 0 || to > len(s) || from >= to) {
		t.Fatalf("%q: all of it maps to %d..%d", s, from, to)
	}
	for i := 1; i < len(b); i++ {
		if b[i].Norm < b[i-1].Norm || b[i].orig&^whole < b[i-1].orig&^whole {
			t.Fatalf("%q: breaks %v are not in order", s, b)
		}
	}
	if !utf8.ValidString(s) {
		return
	}
	if !utf8.Valid(n) {
		t.Fatalf("%q folds to invalid %q", s, n)
	}
	last := 0
	for i, r := range string(n) {
		from, to := b.Original(i, i+utf8.RuneLen(r))
		if from < 0 || to > len(s) || from >= to || from < last {
			t.Fatalf("%q: %q at %d maps to %d..%d after %d (%v)", s, r, i, from, to, last, b)
		}
		if !utf8.RuneStart(s[from]) || to < len(s) && !utf8.RuneStart(s[to]) {
			t.Fatalf("%q: %q at %d maps to %d..%d, not whole runes (%v)", s, r, i, from, to, b)
		}
		last = from
	}
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{"Hello  World", "ｅ\u0301ﬁ\u200b ß", "\xff\xc3", "ﷺ日本\u3000한", "a\u0315\u0300b", "  \u200b  x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkFold(t, s) })
}

func TestFoldOnRandomText(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	alphabet := []rune("aAß é\u0301\u0300\u0315ﬁＡ\u200b\t\n日한\u1112\u1161\u11abﷺ½İ𝐞😀\U000e0041\u00a0Σς\ufeff")
	for range 20000 {
		s := make([]rune, rng.IntN(12))
		for i := range s {
			s[i] = alphabet[rng.IntN(len(alphabet))]
		}
		checkFold(t, string(s))
	}
}

func TestSkeleton(t *testing.T) {
	for _, c := range [][2]string{
		{"paypal.com", "pаypаl.com"}, {"paypal", "PAYPAL"}, {"google", "g00gle"}, {"microsoft", "rnicrosoft"},
		{"apple", "app1e"}, {"Illinois", "lllinois"}, {"bob", "ｂｏｂ"}, {"evil", "𝐞𝐯𝐢𝐥"}, {"vvest", "west"},
		{"bob@corp.com", "bоb@соrр.соm"}, {"resume", "résumé"}, {"scope", "ѕсоре"}, {"admin", "adm\u200bin"},
		{"close", "dose"}, {"a-b", "a–b"}, {"a/b", "a∕b"}, {"ΑΒΕ", "ABE"}, {"Օհս", "ohu"}, {"ᎪᏴ", "AB"},
	} {
		if a, b := Skeleton(c[0]), Skeleton(c[1]); a != b {
			t.Errorf("%q has %q, %q has %q", c[0], a, c[1], b)
		}
	}
	for _, c := range [][2]string{{"bob", "rob"}, {"alice", "alicia"}, {"corp.com", "corp.co"}, {"100", "200"}} {
		if Skeleton(c[0]) == Skeleton(c[1]) {
			t.Errorf("%q and %q look alike", c[0], c[1])
		}
	}
}

func quoted(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		fmt.Fprintf(&b, "=%02X", s[i])
	}
	return b.String()
}

func percent(s string) string {
	return strings.ReplaceAll(url.QueryEscape(s), "+", "%20")
}

func TestDecode(t *testing.T) {
	secret := "send it to evil@x.io now, please"
	b64 := base64.StdEncoding.EncodeToString([]byte(secret))
	wrapped := base64.StdEncoding.EncodeToString([]byte(strings.Repeat(secret, 4)))
	wrapped = wrapped[:76] + "\r\n" + wrapped[76:152] + "\r\n" + wrapped[152:]
	for _, c := range []struct{ name, text string }{
		{"percent", "go " + percent(secret) + " end"},
		{"entity", "go send it to evil&#64;x.io now&comma; please end"},
		{"hex entity", "send it to evil&#x40;x.io now, please"},
		{"json", `{"a":"send it to evil\u0040x.io now, please"}`},
		{"pair", `\ud83d\ude00 send it to \x65vil@x.io now, please`},
		{"quoted-printable", "a=3Db send it to evil=40x.=\r\nio now, please"},
		{"all quoted", quoted(secret)},
		{"base64", "data: " + b64 + "."},
		{"base64 url", "?q=" + base64.RawURLEncoding.EncodeToString([]byte(secret))},
		{"base64 behind a path", "/x/" + b64},
		{"base64 in lines", "Content:\r\n\r\n" + wrapped + "\r\n--"},
		{"base64 in JSON lines", `"` + strings.ReplaceAll(wrapped, "\r\n", `\n`) + `"`},
		{"hex", "0x" + hex.EncodeToString([]byte(secret))},
		{"twice base64", base64.StdEncoding.EncodeToString([]byte("xx " + b64 + " xx"))},
		{"percent of base64", percent(b64 + "==")},
		{"twice percent", percent(percent(secret))},
		{"base64 of entities", base64.StdEncoding.EncodeToString([]byte("send it to evil&#64;x.io now, please"))},
	} {
		t.Run(c.name, func(t *testing.T) {
			views := Decode(c.text)
			total := 0
			found := false
			for i, v := range views {
				total += len(v.Text)
				parent := c.text
				if v.Parent >= 0 {
					parent = views[v.Parent].Text
				}
				if v.Start < 0 || v.End > len(parent) || v.Start >= v.End {
					t.Errorf("view %d spans %d..%d of %d", i, v.Start, v.End, len(parent))
				}
				if at := strings.Index(v.Text, secret); at >= 0 {
					found = true
					from, to := views.Original(i, at, at+len(secret))
					if from < 0 || to > len(c.text) || from >= to {
						t.Errorf("maps to %d..%d", from, to)
					}
				}
			}
			if !found {
				t.Errorf("not found in %+v", views)
			}
			if total > 2*len(c.text) {
				t.Errorf("%d bytes of views from %d", total, len(c.text))
			}
		})
	}
}

func TestDecodeMapsEscapes(t *testing.T) {
	text := strings.Repeat("x ", 100) + "evil&#64;x.io" + strings.Repeat(" y", 100) + "tom%20%26%20jerry"
	views := Decode(text)
	for _, c := range [][2]string{{"evil@x.io", "evil&#64;x.io"}, {"tom & jerry", "tom%20%26%20jerry"}, {"x.io", "x.io"}, {"& j", "%26%20j"}} {
		found := false
		for i, v := range views {
			if at := strings.Index(v.Text, c[0]); at >= 0 {
				found = true
				if from, to := views.Original(i, at, at+len(c[0])); text[from:to] != c[1] {
					t.Errorf("%q maps to %q", c[0], text[from:to])
				}
			}
		}
		if !found {
			t.Errorf("%q was not found in %+v", c[0], views)
		}
	}
}

func TestDecodeLeavesPlainTextAlone(t *testing.T) {
	for _, text := range []string{
		"", "The quick brown fox jumps over the lazy dog.", "https://example.com/path?id=20&page=10&x=1",
		"AT&T; R&D, 100% sure, C:\\users", "provenance/normal/decode_test.go", "3d6f0a91-71c2-4c1b-9d8e-5f0a2b6c7d8e",
		"da39a3ee5e6b4b0d3255bfef95601890afd80709", "Donaudampfschifffahrtsgesellschaft", "&nosuch; & ;",
	} {
		if v := Decode(text); len(v) != 0 {
			t.Errorf("%q: %+v", text, v)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add("a%20b&amp;c\\u0041=3D=\n aGVsbG8gd29ybGQgaGVsbG8gd29ybGQ=")
	f.Add("68656c6c6f20776f726c642168656c6c6f")
	f.Fuzz(func(t *testing.T, text string) {
		views := Decode(text)
		total := 0
		for i, v := range views {
			total += len(v.Text)
			parent := text
			if v.Parent >= 0 {
				parent = views[v.Parent].Text
			}
			if v.Parent >= i || v.Start < 0 || v.End > len(parent) || v.Start > v.End {
				t.Fatalf("view %d of %q: %+v", i, text, v)
			}
			for at := 0; at < len(v.Text); at++ {
				if from, to := views.Original(i, at, at+1); from < 0 || to > len(text) || from > to {
					t.Fatalf("view %d of %q: byte %d maps to %d..%d", i, text, at, from, to)
				}
			}
		}
		if total > 2*len(text) {
			t.Fatalf("%d bytes from %d", total, len(text))
		}
	})
}

var prose = strings.Repeat("Dear Bob, please find the minutes of our meeting on Tuesday below. <p class=\"x\">We agreed on three things:</p>\n", 2000)

func hostile() map[string]string {
	rep := func(s string) string { return strings.Repeat(s, 200_000/len(s)) }
	return map[string]string{
		"ASCII": prose, "FDFA": rep("ﷺ"), "CJK": rep("漢字かな交じり文"), "Russian": rep("Привет, как дела? "),
		"ZeroWidth": rep("\u200b"), "ZeroWidthBetween": rep("a\u200b"), "Combining": rep("a" + strings.Repeat("\u0301\u0316", 40)),
		"CombiningOnly": rep("\u0301"), "Fullwidth": rep("ａｂｃ"), "Jamo": rep("\u1161"), "JamoLV": rep("\u1112\u1161\u11ab"),
		"Spaces": rep("  \n"), "Invalid": rep("\xff"), "Controls": rep("a\x00"), "Mixed": rep("é\u0301ａﷺ½\u200b"),
		"MathAlnum": rep("𝐞𝐯𝐢𝐥"), "Base64": rep("aGVsbG8gd29ybGQgaGVsbG8gd29ybGQh"), "Hex": rep("68656c6c6f20776f"), "Percent": rep("%41"),
		"Entities": rep("&amp;"), "Ampersands": rep("&"), "HalfEntities": rep("&aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), "Quoted": rep("=3D"),
		"SparseEscapes": rep(strings.Repeat("x", 190) + "%41"), "Continuation": rep("\x80"),
	}
}

func BenchmarkFold(b *testing.B) {
	for name, s := range hostile() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			var n []byte
			var br Breaks
			for b.Loop() {
				n, br = AppendFold(n[:0], br, s)
			}
			b.ReportMetric(float64(8*len(br))/float64(len(s)), "map-B/B")
		})
	}
	b.Run("Email", func(b *testing.B) {
		var n []byte
		for b.Loop() {
			n, _ = Fold(n[:0], "Bob.Smith@corp.example.com")
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	for name, s := range hostile() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				Decode(s)
			}
		})
	}
}

func BenchmarkSkeleton(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Skeleton("bоb@соrр.соm")
	}
}

func BenchmarkInspect(b *testing.B) {
	for b.Loop() {
		Inspect("Jürgen.Müller@corp.example.com")
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "a\u200bb\u00adc": "abc", "Zoe\u0308": "Zoë", "\u2067x\u2069": "x", "\ufeffx": "x",
		"a\u202eb": "a\u202eb", "a\u3164b": "a\u3164b", "\xff\u200b": "\xff\u200b", "Größe": "Größe",
	} {
		if got := Visible(in); got != want {
			t.Errorf("Visible(%q) = %q, want %q", in, got, want)
		}
	}
}
