package index

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/provenance/normal"
)

func folded(s string) string {
	n, _ := normal.Fold(nil, s)
	return string(n)
}

// shares reports whether a and b have n bytes in a row in common. Ranges are rounded outward to
// whole characters, so both may have more around them.
func shares(a, b string, n int) bool {
	for i := 0; i+n <= len(a); i++ {
		if strings.Contains(b, a[i:i+n]) {
			return true
		}
	}
	return false
}

// seeded makes an index whose seeds a failing test can draw again.
func seeded(t *rapid.T) *Index {
	x := New(Options{})
	for i := range x.seeds {
		x.seeds[i] = rapid.Uint64().Draw(t, "seed")*0x9E3779B97F4A7C15 + uint64(i)<<32 | 1
	}
	return x
}

// checkMatches says whether each match is what it claims to be.
func checkMatches(t interface{ Fatalf(string, ...any) }, texts []string, value string, matches []Match) {
	for _, m := range matches {
		if m.Start < 0 || m.End > len(texts[m.Seg]) || m.Start >= m.End || m.ValueStart < 0 || m.ValueEnd > len(value) || m.ValueStart >= m.ValueEnd {
			t.Fatalf("ranges of %+v", m)
		}
		if m.Encoded {
			continue
		}
		a, b := folded(texts[m.Seg][m.Start:m.End]), folded(value[m.ValueStart:m.ValueEnd])
		if !shares(a, b, m.Length) {
			t.Fatalf("%+v: the segment has %q, the value %q", m, a, b)
		}
	}
}

func TestCover(t *testing.T) {
	texts := []string{
		"Dear Alice,\n\nplease send the money to IBAN DE89 3704 0044 0532 0130 00 before Friday.",
		"Our ＡＤＤＲＥＳＳ is Müllerstraße 12, 13353 Berlin; see https://example.com/a%20long%20name%20of%20a%20file.pdf",
		`{"note":"evil\u0040attacker.example is the new address"}`,
		base64.StdEncoding.EncodeToString([]byte("the password of the vault is correct horse battery")),
	}
	x := New(Options{})
	for i, s := range texts {
		x.Append(uint32(i), s)
	}
	for _, c := range []struct {
		value   string
		seg     uint32
		want    string
		encoded bool
	}{
		{"send the money to iban de89 3704", 0, "send the money to IBAN DE89 3704", false},
		{"please SEND the  money", 0, "please send the money", false},
		{"our address is müllerstrasse 12", 1, "Our ＡＤＤＲＥＳＳ is Müllerstraße 12", false},
		{"a long name of a file.pdf", 1, "a%20long%20name%20of%20a%20file.pdf", true},
		{"evil@attacker.example", 2, `evil\u0040attacker.example`, true},
		{"password of the vault is correct", 3, strings.TrimRight(texts[3], "="), true},
		{"before Friday.", 0, "before Friday.", false},
		{"before\u200b Friday", 0, "before Friday", false},
	} {
		matches, truncated := x.Cover(c.value, nil)
		if truncated || len(matches) == 0 {
			t.Errorf("%q: %+v, %v", c.value, matches, truncated)
			continue
		}
		checkMatches(t, texts, c.value, matches)
		m := matches[0]
		if got := texts[m.Seg][m.Start:m.End]; m.Seg != c.seg || got != c.want || m.Encoded != c.encoded {
			t.Errorf("%q: %+v is %q, want %q", c.value, m, got, c.want)
		}
	}
	encoded := base64.StdEncoding.EncodeToString([]byte("please send the money to IBAN DE89 3704"))
	matches, _ := x.Cover("x="+encoded, nil)
	if len(matches) != 1 || !matches[0].Encoded || matches[0].Seg != 0 || matches[0].ValueStart != 2 {
		t.Errorf("encoded value: %+v", matches)
	}
}

func TestFind(t *testing.T) {
	x := New(Options{})
	texts := []string{"write to bob@corp.com today", "Bobby and BOB.", "id 4711, channel general", "bob%40corp.com", "私は東京に行く", "für Zoë", "x" + strings.Repeat(" other", 40) + " and the long name of something here"}
	for i, s := range texts {
		x.Append(uint32(i), s)
	}
	for _, c := range []struct {
		value string
		want  string
	}{
		{"bob@corp.com", "[0 3]"}, {"bob", "[0 1 3]"}, {"BOBBY", "[1]"}, {"4711", "[2]"}, {"471", "[]"},
		{"general", "[2]"}, {"genera", "[]"}, {"channel general", "[2]"}, {"東京", "[4]"}, {"zoë", "[5]"}, {"zo", "[]"},
		{"für", "[5]"}, {"the long name of something", "[6]"}, {"he long name of something", "[]"}, {"bob%40corp.com", "[0 3]"},
		{"", "[]"}, {"nowhere", "[]"}, {"long name of nothing at all", "[]"},
	} {
		segs, overflow := x.Segments(c.value, nil)
		if fmt.Sprint(segs) != c.want || overflow {
			t.Errorf("%q: %v, %v, want %s", c.value, segs, overflow, c.want)
		}
		matches, _ := x.Find(c.value, nil)
		checkMatches(t, texts, c.value, matches)
	}
	if segs, overflow := x.Segments("7", nil); len(segs) > 0 || !overflow {
		t.Errorf("a value without tokens: %v, %v", segs, overflow)
	}
	if _, overflow := x.Segments("other", nil); overflow {
		t.Error("other is found in its only segment, and yet there may be more")
	}
}

func TestFindOverflows(t *testing.T) {
	x := New(Options{})
	for i := range 100 {
		x.Append(uint32(i), fmt.Sprintf("report number %d of the accounting department", i))
	}
	for _, v := range []string{"report", "of the accounting department"} {
		if segs, overflow := x.Segments(v, nil); len(segs) != maxGroup || !overflow {
			t.Errorf("%q: %d segments, %v", v, len(segs), overflow)
		}
	}
	if segs, overflow := x.Segments("number 77", nil); fmt.Sprint(segs) != "[77]" || overflow {
		t.Errorf("%v, %v", segs, overflow)
	}
	// The token is there more often than is kept, and the value not among them.
	y := New(Options{})
	y.Append(1, "xy. xy. xy. xy. xy. a-xy")
	if segs, overflow := y.Segments("a-xy", nil); len(segs) == 0 && !overflow {
		t.Errorf("%v, %v", segs, overflow)
	}
}

func TestCap(t *testing.T) {
	x := New(Options{MaxBytes: 1000 + 2*textCharge})
	x.Append(1, strings.Repeat("first text ", 50))
	x.Append(2, strings.Repeat("second text ", 50))
	x.Append(3, "third text, which fits")
	if x.Dropped() != 1 {
		t.Errorf("dropped %d", x.Dropped())
	}
	m, truncated := x.Cover("third text, which fits", nil)
	if len(m) != 1 || m[0].Seg != 3 || !truncated {
		t.Errorf("%+v, %v", m, truncated)
	}
	if _, overflow := x.Segments("third", nil); !overflow {
		t.Error("a segment was left out, and the answer claims to be complete")
	}
	if text, _ := x.Size(); text > 1100 {
		t.Errorf("%d bytes of text", text)
	}
}

// TestTinyViewsAreCharged fills an index with views of a few bytes each, whose
// bookkeeping is larger than their text.
func TestTinyViewsAreCharged(t *testing.T) {
	x := New(Options{MaxBytes: 1 << 20})
	for range 100 {
		x.Append(0, strings.Repeat("aGVsbG8gd29ybGQh ", 1000))
	}
	text, index := x.Size()
	if x.Dropped() == 0 || text+index > 3<<20 {
		t.Errorf("dropped %d, %d bytes of text, %d beside it", x.Dropped(), text, index)
	}
}

func TestFuel(t *testing.T) {
	x := New(Options{})
	x.Append(1, prose(1, 10000))
	fuel := 100
	if _, truncated := x.Cover(prose(1, 5000), &fuel); !truncated || fuel > 0 {
		t.Errorf("%v, %d left", truncated, fuel)
	}
	fuel = 2000
	if _, truncated := x.Cover(prose(2, 1500), &fuel); !truncated {
		t.Error("not truncated")
	}
}

func TestEmpty(t *testing.T) {
	x := New(Options{})
	for _, v := range []string{"", "a", "abc", "a value of some length", "\xff\xfe", "\u200b"} {
		if m, _ := x.Cover(v, nil); len(m) > 0 {
			t.Errorf("%q: %+v", v, m)
		}
		if m, _ := x.Find(v, nil); len(m) > 0 {
			t.Errorf("%q: %+v", v, m)
		}
	}
	x.Append(1, "")
	x.Append(2, "\u200b")
	x.Append(3, "a")
	if m, _ := x.Cover("a value of some length", nil); len(m) > 0 {
		t.Errorf("%+v", m)
	}
}

// TestGuarantee compares with the definition: whatever Guaranteed bytes of
// normal form the matches leave out are in no segment, if no gram in them is
// there more often than is kept.
func TestGuarantee(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		alphabet := rapid.SampledFrom([]string{"ab", "abcdefgh ", "abcdefghijklmnopqrstuvwxyz 0123456789.@", "aé日ß\u0301ﬁＡ \u200bbc"}).Draw(t, "alphabet")
		texts := rapid.SliceOfN(rapid.StringOfN(rapid.SampledFrom([]rune(alphabet)), 0, 200, -1), 1, 4).Draw(t, "texts")
		x := seeded(t)
		norms := make([]string, len(texts))
		for i, s := range texts {
			x.Append(uint32(i), s)
			norms[i] = folded(s)
		}
		var b strings.Builder
		for range rapid.IntRange(1, 5).Draw(t, "pieces") {
			if rapid.Bool().Draw(t, "copied") {
				s := []rune(rapid.SampledFrom(texts).Draw(t, "from"))
				i := rapid.IntRange(0, len(s)).Draw(t, "start")
				b.WriteString(string(s[i:rapid.IntRange(i, len(s)).Draw(t, "end")]))
			} else {
				b.WriteString(rapid.StringOfN(rapid.SampledFrom([]rune(alphabet)), 0, 20, -1).Draw(t, "own"))
			}
		}
		value := b.String()
		matches, truncated := x.Cover(value, nil)
		checkMatches(t, texts, value, matches)
		v, vb := normal.Fold(nil, value)
		if len(v) < Guaranteed {
			return
		}
		if truncated {
			t.Fatalf("truncated")
		}
		covered := make([]bool, len(value))
		for _, m := range matches {
			for i := m.ValueStart; i < m.ValueEnd; i++ {
				covered[i] = true
			}
		}
		count := func(s string) (n int) {
			for _, text := range norms {
				for i := 0; i+len(s) <= len(text); i++ {
					if text[i:i+len(s)] == s {
						n++
					}
				}
			}
			return n
		}
		for i := 0; i+Guaranteed <= len(v); i++ {
			out := true
			from, to := vb.Original(i, i+Guaranteed)
			for j := from; j < to; j++ {
				out = out && !covered[j]
			}
			s := string(v[i : i+Guaranteed])
			if !out || count(s) == 0 {
				continue
			}
			frequent := false
			for j := 0; j+gram <= len(s); j++ {
				frequent = frequent || count(s[j:j+gram]) > gramsPerText
			}
			if !frequent {
				t.Fatalf("%q of the value is in a segment and was not found in %+v", s, matches)
			}
		}
	})
}

// TestFindGuarantee compares with the definition: a segment that has the whole
// value between boundaries is found, or overflow is set.
func TestFindGuarantee(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringOfN(rapid.SampledFrom([]rune("abAB12 .@-é日本")), 0, 80, -1), 1, 5).Draw(t, "texts")
		x := seeded(t)
		for i, s := range texts {
			x.Append(uint32(i), s)
		}
		s := []rune(rapid.SampledFrom(texts).Draw(t, "from"))
		i := rapid.IntRange(0, len(s)).Draw(t, "start")
		value := string(s[i:rapid.IntRange(i, min(len(s), i+30)).Draw(t, "end")])
		v := folded(value)
		if v == "" {
			return
		}
		segs, overflow := x.Segments(value, nil)
		found := map[uint32]bool{}
		for _, s := range segs {
			found[s] = true
		}
		for i, s := range texts {
			n := []byte(folded(s))
			has := false
			for j := 0; j+len(v) <= len(n); j++ {
				has = has || string(n[j:j+len(v)]) == v && bounded(n, j, j+len(v))
			}
			if has && !found[uint32(i)] && !overflow {
				t.Fatalf("%q is in segment %d and was not found", value, i)
			}
			if !has && found[uint32(i)] {
				t.Fatalf("%q is not in segment %d", value, i)
			}
		}
	})
}

func TestTableAgainstMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var tab table
	want := map[uint32][]uint32{}
	for pos := range uint32(50_000) {
		tag := rng.Uint32() % uint32(1+rng.IntN(20_000))
		if len(want[tag]) < maxGroup {
			want[tag] = append(want[tag], pos)
		}
		tab.insert(tag, pos, pos, 1)
	}
	for tag := range uint32(20_000) {
		got := tab.group(tag, make([]uint32, 0, maxGroup))
		if len(got) != len(want[tag]) || tab.size(tag) != len(want[tag]) {
			t.Fatalf("tag %d has %d positions, want %d", tag, len(got), len(want[tag]))
		}
		for i, p := range got {
			if p != want[tag][len(got)-1-i] {
				t.Fatalf("tag %d has %v, want %v", tag, got, want[tag])
			}
		}
	}
}

// hostileTexts are outputs made to cost as much as they can.
func hostileTexts(size int) map[string][]string {
	fib, prev := "ab", "a"
	for len(fib) < size {
		fib, prev = fib+prev, fib
	}
	many := make([]string, size/17)
	for i := range many {
		many[i] = "shared-token-value"
	}
	split := make([]string, 32)
	for i := range split {
		split[i] = strings.Repeat("a", size/32)
	}
	return map[string][]string{
		"OneLetter":      {strings.Repeat("a", size)},
		"OneLetterSplit": split,
		"Fibonacci":      {fib},
		"OneToken":       {strings.Repeat("token ", size/6)},
		"ManySegments":   many,
		"Period9":        {strings.Repeat("abcdefghi", size/9)},
		"Counter":        {counter(size)},
	}
}

// counter has grams in arithmetic progression: under an unkeyed or a weak hash
// they would collide.
func counter(n int) string {
	b := make([]byte, 0, n)
	for i := 0; len(b) < n; i++ {
		b = fmt.Appendf(b, "%08d", i*256)
	}
	return string(b)
}

// TestBoundedWork counts steps, not time: a few for each byte appended, and for
// each byte asked about, whatever the text.
func TestBoundedWork(t *testing.T) {
	for name, texts := range hostileTexts(1 << 18) {
		t.Run(name, func(t *testing.T) {
			x := New(Options{})
			total := 0
			for i, s := range texts {
				x.Append(uint32(i), s)
				total += len(s)
			}
			if x.table.steps > 8*total {
				t.Errorf("%d steps for %d bytes appended", x.table.steps, total)
			}
			value := texts[0]
			for len(value) < 20_000 {
				value += texts[0]
			}
			for _, v := range []string{value[:20_000], value[:10] + "!" + value[:20_000] + "?", strings.Repeat(value[:14]+"\x01!", 1000)} {
				x.table.steps = 0
				fuel := 1 << 30
				_, truncated := x.Cover(v, &fuel)
				used := 1<<30 - fuel
				if truncated || used > 2*(candidates+2)*len(v) || x.table.steps > 40*len(v) {
					t.Errorf("a value of %d bytes took %d fuel and %d steps", len(v), used, x.table.steps)
				}
			}
			x.table.steps = 0
			x.Find(value[:20_000], nil)
			x.Segments("token", nil)
			if x.table.steps > 2000 {
				t.Errorf("look-ups took %d steps", x.table.steps)
			}
		})
	}
}

// prose makes text whose words are about as frequent as words are.
func prose(seed uint64, n int) string {
	words := rand.New(rand.NewPCG(7, 7))
	vocabulary := make([]string, 20_000)
	for i := range vocabulary {
		b := make([]byte, 2+words.IntN(8)+i/8000)
		for j := range b {
			b[j] = "etaoinshrdlucmfwypvbgkjqxz"[min(words.IntN(26), words.IntN(26))]
		}
		vocabulary[i] = string(b)
	}
	rng := rand.New(rand.NewPCG(seed, 9))
	zipf := rand.NewZipf(rng, 1.1, 4, uint64(len(vocabulary)-1))
	var b strings.Builder
	for b.Len() < n {
		switch rng.IntN(40) {
		case 0:
			fmt.Fprintf(&b, "%d. ", rng.IntN(100_000))
		case 1:
			b.WriteString("\n\n")
		case 2:
			fmt.Fprintf(&b, "<a href=\"https://www.%s.example/%s\">", vocabulary[zipf.Uint64()], vocabulary[zipf.Uint64()])
		default:
			b.WriteString(vocabulary[zipf.Uint64()])
			b.WriteByte(' ')
		}
	}
	return b.String()[:n]
}
