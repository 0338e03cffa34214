package strictyaml_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/remit-project/remit/internal/strictyaml"
)

// colour is a word of the test's format.
type colour string

func (c *colour) UnmarshalText(text []byte) error {
	if !slices.Contains([]string{"red", "green"}, string(text)) {
		return errors.New("unknown colour")
	}
	*c = colour(text)
	return nil
}

// read reads a file of the test's format, with one member of each kind.
type file struct {
	Name   string
	On     bool
	Colour colour
	List   []string
	Count  int
	Wait   time.Duration
	Free   map[string]string
}

func read(data string) (file, error) {
	var f file
	err := strictyaml.Read("x.yaml", []byte(data), strictyaml.Format{MaxSize: 1 << 20, TooLarge: "split it", Empty: "write name"},
		func(r *strictyaml.Reader, root *strictyaml.Node) {
			had := r.Mapping(root, "the file", strictyaml.Keys{
				"name":   r.Text("name", &f.Name),
				"on":     r.Boolean("on", &f.On),
				"colour": r.Word("colour", []string{"red", "green"}, &f.Colour),
				"list":   r.Texts("list", &f.List),
				"count":  r.Number("count", 1, 9, &f.Count),
				"wait":   r.Duration("wait", &f.Wait),
				"free": func(n *strictyaml.Node) {
					f.Free = map[string]string{}
					r.Entries(n, "free", func(name string, _, v *strictyaml.Node) {
						var s string
						r.Text("a member of free", &s)(v)
						f.Free[name] = s
					})
				},
			})
			if had["name"] == nil && strictyaml.IsMapping(root) {
				r.Fail(root, "write 'name: …'", "the name is missing")
			}
		})
	return f, err
}

func TestRead(t *testing.T) {
	got, err := read("# a comment\nname: 1.10\non: true\ncolour: green\nlist: [off, null-ish]\ncount: 3\nwait: 90s\nfree: {no: 'yes', \"<<\": x}\n")
	if err != nil {
		t.Fatal(err)
	}
	want := file{Name: "1.10", On: true, Colour: "green", List: []string{"off", "null-ish"}, Count: 3, Wait: 90 * time.Second, Free: map[string]string{"no": "yes", "<<": "x"}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %+v", got)
	}
}

// Lists and mappings may be left empty.
func TestEmptyMembers(t *testing.T) {
	got, err := read("name: x\nlist:\nfree:\n")
	if err != nil || got.List != nil || len(got.Free) > 0 {
		t.Errorf("got %+v, %v", got, err)
	}
}

// Every mistake has its place and says what to write.
func TestMistakes(t *testing.T) {
	for name, test := range map[string]struct{ data, want string }{
		"nothing":                  {"", "x.yaml: the file is empty; write name"},
		"only comments":            {"# a\n \n# b\n", "x.yaml: the file is empty; write name"},
		"null":                     {"~\n", "x.yaml: the file is empty; write name"},
		"too large":                {strings.Repeat(" ", 1<<20+1), "x.yaml: the file is larger than 1 MiB; split it"},
		"no UTF-8":                 {"name: \xff", "x.yaml: the file is not valid UTF-8; save it as UTF-8"},
		"no YAML":                  {"name: [", "x.yaml:2:1: not readable as YAML"},
		"deeper than YAML":         {"name: " + strings.Repeat("[", 100_000), "not readable as YAML"},
		"two documents":            {"name: a\n---\nname: b\n", "not readable as YAML"},
		"a tab that is no mistake": {"free: {\n\ta: [}]}", "x.yaml:2:6: not readable as YAML: did not find expected node content; close"},
		"a tab behind spaces":      {"free:\n \ta: b", "x.yaml:2:2: the line begins with a tab, which YAML doesn't take; indent it with spaces"},
		"a tab":                    {"name: x\nfree:\n\ta: b", "x.yaml:3:1: the line begins with a tab, which YAML doesn't take; indent it with spaces"},
		"a bare colon":             {"name: a: b", "not allowed in this context; put a value with ': ' in it into quotes"},
		"a colon in braces":        {"free: {a: b: c}", "expected ',' or '}'; put a value with ': '"},
		"behind quotes":            {"name: \"a\" <= b", "did not find expected key; give keys that belong together the same indentation; put a value that begins with a quote"},
		"a reserved sign":          {"name: @a", "cannot start any token; put a value that begins with @"},
		"a binary":                 {"name: \x00", "this is no text: name another file"},
		"no mapping":               {"[a]", "x.yaml:1:1: the file must be a mapping, not a list; write 'key: value' lines"},
		"a missing key":            {"on: true", "x.yaml:1:1: the name is missing; write 'name: …'"},
		"an unknown key":           {"name: x\nzzz: y", `x.yaml:2:1: the file has no key "zzz"; write colour, count, free, list, name, on or wait`},
		"a misspelt key":           {"name: x\ncolor: red", `x.yaml:2:1: the file has no key "color"; did you mean colour? (write colour, `},
		"a key twice":              {"name: x\nname: y", `x.yaml:2:1: "name" stands twice in the file; remove one; the first is in line 1`},
		"a key that's none":        {"name: x\n[a]: y", "x.yaml:2:1: a key of the file must be text, not a list"},
		"an empty key":             {"name: x\n~: y", "x.yaml:2:1: a key of the file must be text, not empty"},
		"an alias":                 {"name: &a x\nlist: [*a]", "x.yaml:2:8: aliases are not supported; write the value out"},
		"an alias as value":        {"name: &a x\nfree: {b: *a}", "x.yaml:2:11: aliases are not supported; write the value out"},
		"a merge key":              {"name: x\nfree:\n  <<: {a: b}", "x.yaml:3:3: merge keys are not supported; write the members out"},
		"no text":                  {"name: [a]", "x.yaml:1:7: name must be text, not a list; write text, in quotes if need be"},
		"empty text":               {"name:", "name must be text, not empty"},
		"no list":                  {"name: x\nlist: a", "x.yaml:2:7: list must be a list; write [a]"},
		"a mapping, a list":        {"name: x\nlist: {a: b}", "x.yaml:2:7: list must be a list, not a mapping; write [one, two]"},
		"a long list":              {"name: x\nlist: [" + strings.Repeat("a,", 10_001) + "]", "x.yaml:2:7: list has more than 10000 members; shorten it"},
		"yes":                      {"name: x\non: yes", "x.yaml:2:5: on must be true or false; write true or false"},
		"an unknown word":          {"name: x\ncolour: Red", `x.yaml:2:9: unknown colour "Red"; did you mean red? (write red or green)`},
		"no word":                  {"name: x\ncolour: [red]", "x.yaml:2:9: colour must be one word, not a list; write red or green"},
		"out of bounds":            {"name: x\ncount: 10", "x.yaml:2:8: count is out of bounds; write a number from 1 to 9"},
		"no number":                {"name: x\ncount: 1.5", "count is out of bounds"},
		"no time":                  {"name: x\nwait: 5", "x.yaml:2:7: wait must be a time; write it as 30s, 5m or 1h"},
		"time runs back":           {"name: x\nwait: -5s", "wait must be a time"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(test.data)
			var errs strictyaml.Errors
			if !errors.As(err, &errs) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got  %.300v\nwant %s", err, test.want)
			}
		})
	}
}

// All mistakes are reported at once, in the order of the file.
func TestAllMistakes(t *testing.T) {
	_, err := read("on: 1\ncount: 0\nwait: x\n")
	var errs strictyaml.Errors
	if !errors.As(err, &errs) || len(errs) != 4 {
		t.Fatalf("got %v", err)
	}
	for i := range errs[1:] {
		if errs[i].Position.Line > errs[i+1].Position.Line {
			t.Errorf("not in order: %v", err)
		}
	}
}

// A hostile file gets no endless answer.
func TestMistakesAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "k%d%s: 1\n", i, strings.Repeat("x", 200))
	}
	_, err := read(b.String())
	if err == nil || len(err.Error()) > 100_000 {
		t.Errorf("the error has %d bytes", len(err.Error()))
	}
}

// FuzzRead: whatever the text, there is a file or there are mistakes, and every
// mistake lies within the file.
func FuzzRead(f *testing.F) {
	f.Add("name: x\non: true\ncolour: red\nlist: [a, b]\ncount: 3\nwait: 1m\nfree: {a: b}\n")
	f.Add("name: &a x\nfree: {<<: *a, *a : y}\nname: z")
	f.Add("%YAML 1.1\n--- !!map\n? [a]\n: !!binary x\n...\n---\n")
	f.Fuzz(func(t *testing.T, data string) {
		_, err := read(data)
		var errs strictyaml.Errors
		if err != nil && (!errors.As(err, &errs) || len(errs) == 0) {
			t.Fatalf("got %#v", err)
		}
		lines := strings.Count(data, "\n") + strings.Count(data, "\r") + strings.Count(data, "\u0085") + strings.Count(data, "\u2028") + strings.Count(data, "\u2029") + 2
		for _, e := range errs {
			if e.Position.Line < 0 || e.Position.Line > lines || e.Message == "" {
				t.Fatalf("%+v in a file of %d lines", e, lines)
			}
		}
	})
}
