package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestLeaves(t *testing.T) {
	src := `{"to":"a@b.c","n":12345678901234567890,"x":{"y":[true,null,-0.5e+3,{}],"":[]},"a/b~c":"\u00e9\n\ud83d\ude00\/"}`
	d, err := Parse([]byte(src), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		ptr  string
		kind Kind
		text string
		src  string
	}{
		{"/to", String, "a@b.c", `"a@b.c"`},
		{"/n", Number, "12345678901234567890", "12345678901234567890"},
		{"/x/y/0", Bool, "true", "true"},
		{"/x/y/1", Null, "null", "null"},
		{"/x/y/2", Number, "-0.5e+3", "-0.5e+3"},
		{"/x/y/3", Object, "", "{}"},
		{"/x/", Array, "", "[]"},
		{"/a~1b~0c", String, "é\n😀/", `"\u00e9\n\ud83d\ude00\/"`},
	}
	if len(d.Leaves()) != len(want) {
		t.Fatalf("leaves: %+v", d.Leaves())
	}
	for i, w := range want {
		l := d.Leaves()[i]
		if l.Pointer != w.ptr || l.Kind != w.kind || l.Text != w.text || src[l.Start:l.End] != w.src {
			t.Errorf("leaf %d is %+v (%q), want %+v", i, l, src[l.Start:l.End], w)
		}
		if got, ok := d.Get(w.ptr); !ok || got != l {
			t.Errorf("Get(%q) = %+v, %v", w.ptr, got, ok)
		}
	}
	for _, ptr := range []string{"", "/x", "/x/y", "/x/y/00", "/nope"} {
		if l, ok := d.Get(ptr); ok {
			t.Errorf("Get(%q) found %+v", ptr, l)
		}
	}
	if d.Root().Kind() != Object {
		t.Errorf("root is %v", d.Root().Kind())
	}
}

// TestIndexes tells the index of an element from a member whose name is a number.
func TestIndexes(t *testing.T) {
	d, err := Parse([]byte(`{"0":[{"1":"a"},["b"]],"+1":"c"}`), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[string]uint64{"/0/0/1": 0b010, "/0/1/0": 0b110, "/+1": 0} {
		if l, ok := d.Get(pointer); !ok || l.Indexes != want {
			t.Errorf("%s: indexes %b, want %b", pointer, l.Indexes, want)
		}
	}
}

func TestGetInLargeDocument(t *testing.T) {
	d, err := Parse([]byte("["+strings.Repeat("1,", 99)+"2]"), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if l, ok := d.Get("/99"); !ok || l.Text != "2" {
		t.Errorf("got %+v, %v", l, ok)
	}
	if _, ok := d.Get("/100"); ok {
		t.Error("found what is not there")
	}
}

func TestCanonical(t *testing.T) {
	for src, want := range map[string]string{
		" { \"b\" : 1.50 ,\n\"a\":[ ] } ":                   `{"b":1.50,"a":[]}`,
		`"\u0041\/\u000A\u0008\u001f\u0022\\é\ud83d\ude00"`: `"A/\n\b\u001f\"\\é😀"`,
		"\t[1 , 2,\r\n{ }]":                                 `[1,2,{}]`,
		`{"\u0061":1}`:                                      `{"a":1}`,
		`"\u007f\u2028"`:                                    "\"\u007f\u2028\"",
		`"\b\t\n\f\r"`:                                      `"\b\t\n\f\r"`,
		`  null`:                                            `null`,
		`1e5`:                                               `1e5`,
	} {
		d, err := Parse([]byte(src), Limits{})
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if got := string(d.Canonical()); got != want {
			t.Errorf("%s becomes %s, want %s", src, got, want)
		}
	}
}

func TestDocumentKeepsNothingOfTheInput(t *testing.T) {
	for _, src := range []string{`{"a":"b","c":["d"]}`, ` {"a":"b\n" } `} {
		data := []byte(src)
		d, err := Parse(data, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		text, canonical := d.Leaves()[0].Text, string(d.Canonical())
		before := strings.Clone(text)
		for i := range data {
			data[i] = 'X'
		}
		if d.Leaves()[0].Text != before || string(d.Canonical()) != canonical {
			t.Error("changing the input changed the document")
		}
	}
}

func many(n int, f func(i int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = f(i)
	}
	return strings.Join(parts, ",")
}

func TestRefused(t *testing.T) {
	member := func(i int) string { return fmt.Sprintf(`"k%d":%d`, i, i) }
	for _, c := range []struct {
		name, src, want string
		offset          int
	}{
		{"empty", "", "no value", 0},
		{"blank", " \n", "no value", 2},
		{"byte order mark", "\ufeff{}", "byte order mark", 0},
		{"trailing", "{} {}", "something follows", 3},
		{"trailing comma in array", "[1,]", "leave out what", 3},
		{"trailing comma in object", `{"a":1,}`, "member name", 7},
		{"single quotes", `{'a':1}`, "member name", 1},
		{"bare name", `{a:1}`, "member name", 1},
		{"no colon", `{"a" 1}`, "':'", 5},
		{"no comma", `[1 2]`, "',' or ']'", 3},
		{"comment", "[1/**/]", "',' or ']'", 2},
		{"NaN", "NaN", "start of value", 0},
		{"misspelt", "tru", "ends", 3},
		{"word runs on", "truex", "follows", 4},
		{"leading zero", "01", "follows", 1},
		{"minus leading zero", "-01", "follows", 2},
		{"plus", "+1", "start of value", 0},
		{"minus", "-", "ends", 0},
		{"bare point", "1.", "ends", 0},
		{"no whole", ".5", "start of value", 0},
		{"exponent", "1e+", "ends", 0},
		{"hexadecimal", "0x10", "follows", 1},
		{"open string", `"abc`, "ends", 4},
		{"open escape", `"\`, "ends", 1},
		{"unknown escape", `"\x41"`, "backslash", 1},
		{"short escape", `"\u12"`, "four hexadecimal", 1},
		{"bad hex", `"\u12g4"`, "four hexadecimal", 1},
		{"newline in string", "\"a\nb\"", "control character", 2},
		{"null byte in string", "\"a\x00b\"", "control character", 2},
		{"null byte outside", "{}\x00", "follows", 2},
		{"no-break space", "\u00a0{}", "start of value", 0},
		{"form feed", "\f{}", "start of value", 0},
		{"high surrogate", `"\ud83d"`, "surrogate", 1},
		{"high surrogate, then text", `"\ud83dabcdefg"`, "surrogate", 1},
		{"high surrogate twice", `"\ud83d\ud83d"`, "surrogate", 1},
		{"low surrogate", `"\ude00"`, "surrogate", 1},
		{"surrogates swapped", `"\ude00\ud83d"`, "surrogate", 1},
		{"raw surrogate", "\"\xed\xa0\x80\"", "UTF-8", 1},
		{"overlong", "\"\xc0\xaf\"", "UTF-8", 1},
		{"latin-1", "{\"n\":\"caf\xe9\"}", "UTF-8", 9},
		{"cut rune", "\"\xf0\x9f\x98\"", "UTF-8", 1},
		{"noncharacter", "\"\ufdd0\"", "not a character", 1},
		{"escaped noncharacter", `"\uffff"`, "not a character", 0},
		{"escaped noncharacter of a plane", `"\ud83f\udffe"`, "not a character", 0},
		{"repeated name", `{"to":"bob@corp.com","to":"evil@x.io"}`, "twice", 21},
		{"repeated after unescaping", `{"to":1,"\u0074o":2}`, "twice", 8},
		{"repeated empty name", `{"":1,"":2}`, "twice", 6},
		{"repeated in inner", `[{"a":{"b":1,"b":2}}]`, "twice", 13},
		{"repeated at 17", `{` + many(17, member) + `,"k16":0}`, "twice", 134},
		{"repeated among many", `{` + many(1000, member) + `,"k500":0}`, "twice", 10781},
		{"too deep", strings.Repeat("[", 65) + strings.Repeat("]", 65), "64 deep", 64},
		{"too deep, unclosed", strings.Repeat(`{"a":`, 100000), "flatten", 50000},
		{"too many leaves", "[" + strings.Repeat("1,", 4096) + "1]", "4096 values", 8193},
		{"too large", `"` + strings.Repeat("a", 1<<20) + `"`, "more than the limit", 1 << 20},
		{"pointers", `{"` + strings.Repeat("a", 500000) + `":[` + strings.Repeat("1,", 4000) + "1]}", "names are too long", 500021},
		{"unclosed array", "[1", "ends", 2},
		{"unclosed object", `{"a":1`, "ends", 6},
		{"cut after colon", `{"a":`, "ends", 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(c.src), Limits{})
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("accepted, or another error: %v", err)
			}
			if !strings.Contains(e.Message, c.want) || e.Offset != c.offset {
				t.Errorf("byte %d: %s; want byte %d: ...%s...", e.Offset, e.Message, c.offset, c.want)
			}
			if len(e.Error()) > 2000 {
				t.Errorf("the message has %d bytes", len(e.Error()))
			}
		})
	}
}

func TestErrorPointer(t *testing.T) {
	_, err := Parse([]byte(`{"a":[1,{"b":tru}]}`), Limits{})
	var e *Error
	if !errors.As(err, &e) || e.Pointer != "/a/1/b" {
		t.Errorf("got %v", err)
	}
}

func TestAccepted(t *testing.T) {
	member := func(i int) string { return fmt.Sprintf(`"k%d":%d`, i, i) }
	for _, src := range []string{
		strings.Repeat("[", 64) + strings.Repeat("]", 64),
		"[" + strings.Repeat("1,", 4095) + "1]",
		`{` + many(16, member) + `}`,
		`{` + many(17, member) + `}`,
		`{` + many(1000, member) + `}`,
		`[{"a":1},{"a":1,"A":{"a":1}}]`,
		`"\ufffd�"`, `"\ud83d\ude00"`, `0`, `-0`, `-0.0E-0`, `""`, "\"\x7f\"",
	} {
		if _, err := Parse([]byte(src), Limits{}); err != nil {
			t.Errorf("%.60s: %v", src, err)
		}
	}
}

func TestOutputLimits(t *testing.T) {
	src := "[" + strings.Repeat(`"`+strings.Repeat("x", 90)+`",`, 100_000) + "0]"
	if _, err := Parse([]byte(src), DefaultLimits()); err == nil {
		t.Error("nine megabytes pass as arguments")
	}
	if _, err := Parse([]byte(src), OutputLimits()); err != nil {
		t.Error(err)
	}
}

func TestSmallCallAllocatesLittle(t *testing.T) {
	src := []byte(smallCall)
	if n := testing.AllocsPerRun(100, func() { Parse(src, Limits{}) }); n > 7 {
		t.Errorf("%v allocations", n)
	}
}

// oracle reads with encoding/json and lists the leaves the same way.
func oracle(data []byte) ([]Leaf, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var leaves []Leaf
	var value func(ptr string, indexes uint64) error
	value = func(ptr string, indexes uint64) error {
		tok, err := dec.Token()
		if err != nil {
			return err
		}
		add := func(k Kind, text string) {
			leaves = append(leaves, Leaf{Pointer: ptr, Kind: k, Text: text, Indexes: indexes})
		}
		switch v := tok.(type) {
		case nil:
			add(Null, "null")
		case bool:
			add(Bool, fmt.Sprint(v))
		case json.Number:
			add(Number, v.String())
		case string:
			add(String, v)
		case json.Delim:
			if !dec.More() {
				add(map[json.Delim]Kind{'{': Object, '[': Array}[v], "")
			}
			for n := 0; dec.More(); n++ {
				token, inside := fmt.Sprint(n), indexes
				if v == '[' {
					inside |= 1 << strings.Count(ptr, "/")
				}
				if v == '{' {
					name, err := dec.Token()
					if err != nil {
						return err
					}
					token = strings.NewReplacer("~", "~0", "/", "~1").Replace(name.(string))
				}
				if err := value(ptr+"/"+token, inside); err != nil {
					return err
				}
			}
			if _, err := dec.Token(); err != nil {
				return err
			}
		}
		return nil
	}
	if err := value("", 0); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("trailing data: %v", err)
	}
	return leaves, nil
}

func sameLeaves(a, b []Leaf) error {
	if len(a) != len(b) {
		return fmt.Errorf("%d leaves against %d", len(a), len(b))
	}
	for i := range a {
		if a[i].Pointer != b[i].Pointer || a[i].Kind != b[i].Kind || a[i].Text != b[i].Text || a[i].Indexes != b[i].Indexes {
			return fmt.Errorf("leaf %d: %+v against %+v", i, a[i], b[i])
		}
	}
	return nil
}

// FuzzParse holds the parser against encoding/json: what is accepted here is
// accepted there and means the same, and the canonical form means the same and
// is its own canonical form.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		smallCall, `{"a":[1,2,{"b":null}],"c":"\ud83d\ude00\n"}`, " [ ] ", `{"":{}}`, `"\u0000"`,
		`{"a":1,"a":2}`, "\"\xff\"", `[-0.0e1,true,false]`, `{"~/":"\/"}`, `[[[[[]]]]]`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Parse(data, Limits{})
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(data) || e.Message == "" {
				t.Fatalf("bad error %#v", err)
			}
			return
		}
		if !json.Valid(data) {
			t.Fatal("encoding/json refuses this")
		}
		want, err := oracle(data)
		if err != nil {
			t.Fatal(err)
		}
		if err := sameLeaves(d.Leaves(), want); err != nil {
			t.Fatal(err)
		}
		for _, l := range d.Leaves() {
			one, err := Parse(data[l.Start:l.End], Limits{})
			if err != nil || len(one.Leaves()) != 1 || one.Leaves()[0].Text != l.Text || one.Root().Kind() != l.Kind {
				t.Fatalf("range of %+v holds %q", l, data[l.Start:l.End])
			}
			if got, ok := d.Get(l.Pointer); !ok || got != l {
				t.Fatalf("Get(%q) = %+v, %v", l.Pointer, got, ok)
			}
		}
		c := d.Canonical()
		if len(c) > len(data) {
			t.Fatalf("the canonical form %q is longer than %q", c, data)
		}
		again, err := Parse(c, Limits{})
		if err != nil {
			t.Fatalf("canonical form %q: %v", c, err)
		}
		if err := sameLeaves(again.Leaves(), want); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(again.Canonical(), c) {
			t.Fatalf("%q is not canonical: %q", c, again.Canonical())
		}
	})
}

const smallCall = `{"to":["bob.smith@corp.example"],"cc":[],"subject":"Minutes of Tuesday","body":"Dear Bob,\n\nplease find the minutes of our meeting below. We agreed on three things: the date, the place and the price.\n\nBest regards,\nAlice","priority":2,"attachments":[{"name":"minutes.pdf","id":4711}]}`

func benchmark(b *testing.B, src string, limits Limits) {
	data := []byte(src)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(data, limits); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	b.Run("S", func(b *testing.B) { benchmark(b, smallCall, Limits{}) })
	b.Run("M", func(b *testing.B) { benchmark(b, "["+many(7, func(int) string { return smallCall })+"]", Limits{}) })
	b.Run("L", func(b *testing.B) { benchmark(b, "["+many(340, func(int) string { return smallCall })+"]", Limits{}) })
	b.Run("Indented", func(b *testing.B) {
		var buf bytes.Buffer
		if err := json.Indent(&buf, []byte("["+many(7, func(int) string { return smallCall })+"]"), "", "  "); err != nil {
			b.Fatal(err)
		}
		benchmark(b, buf.String(), Limits{})
	})
}

// BenchmarkHostile has inputs made to cost as much as they can.
func BenchmarkHostile(b *testing.B) {
	names := many(4000, func(i int) string { return fmt.Sprintf(`"%s%d":1`, strings.Repeat("n", 200), i) })
	b.Run("Names", func(b *testing.B) { benchmark(b, "{"+names+"}", Limits{}) })
	b.Run("Deep", func(b *testing.B) {
		one := strings.Repeat(`{"a":`, 63) + "1" + strings.Repeat("}", 63)
		benchmark(b, "["+many(2000, func(int) string { return one })+"]", Limits{})
	})
	b.Run("Escapes", func(b *testing.B) { benchmark(b, `"`+strings.Repeat(`\u0001`, 170_000)+`"`, Limits{}) })
	b.Run("Blank", func(b *testing.B) { benchmark(b, strings.Repeat(" ", 1<<20-2)+"{}", Limits{}) })
	b.Run("BlankBetween", func(b *testing.B) { benchmark(b, "["+strings.Repeat("1 , ", 4000)+"1]", Limits{}) })
	b.Run("LongNameOverList", func(b *testing.B) {
		benchmark(b, `{"`+strings.Repeat("a", 1000)+`":[`+strings.Repeat("1,", 4000)+"1]}", Limits{})
	})
	b.Run("CJK", func(b *testing.B) { benchmark(b, `"`+strings.Repeat("漢字", 170_000)+`"`, Limits{}) })
}

// BenchmarkEncodingJSON is what the standard library takes for the same input.
func BenchmarkEncodingJSON(b *testing.B) {
	b.SetBytes(int64(len(smallCall)))
	b.ReportAllocs()
	for b.Loop() {
		var v any
		if err := json.Unmarshal([]byte(smallCall), &v); err != nil {
			b.Fatal(err)
		}
	}
}
