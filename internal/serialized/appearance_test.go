package serialized_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/serialized"
)

// Texts that a template wrote look like their format where every line is one field and all
// records have the same ones.
func TestAppear(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		format serialized.Format // empty where it looks like nothing
		count  int
	}{
		"a list in YAML":               {"results:\n  - id: f1\n    name: A\n  - id: f2\n    name: B\n", serialized.YAML, 2},
		"a list that isn't indented":   {"results:\n- id: f1\n  name: A\ntotal: 1\n", serialized.YAML, 1},
		"a record with an empty value": {"- id: 1\n  note:\n- id: 2\n  note: x\n", serialized.YAML, 2},
		"a table":                      {"| id | name |\n|---|---|\n| 1 | A |\n| 2 | B |", serialized.Table, 2},
		"lines":                        {"Name: Ann\nNotes: a: b", serialized.Lines, 1},
		"lines of two records":         {"Name: Ann\nAge: 7\n\nName: Bob\nAge: 8", serialized.Lines, 2},
		"words":                        {"There is nothing here.", "", 0},
		"another order":                {"- id: 1\n  name: A\n- name: B\n  id: 2\n", "", 0},
		"a field more":                 {"- id: 1\n  name: A\n- id: 2\n  name: B\n  owner: C\n", "", 0},
		"a field twice":                {"- id: 1\n  name: A\n  id: 2\n", "", 0},
		"a field twice in lines":       {"Name: A: b\nId: 1\nName: B", "", 0},
		"other places":                 {"r:\n  - id: 1\n    name: A\n  -  id: 2\n     name: B\n", "", 0},
		"a value of two lines":         {"- id: 1\n  name: A\n    B\n- id: 2\n  name: B\n", "", 0},
		"a quoted value of two lines":  {"- id: 1\n  name: \"A\n    note: B\"\n- id: 2\n  name: B\n", "", 0},
		"a block":                      {"- id: 1\n  name: |\n    A\n", "", 0},
		"a record in braces":           {"- {id: 1, name: A}\n", "", 0},
		"a value in braces":            {"- id: 1\n  name: {a: b}\n", "", 0},
		"a list in a record":           {"- id: 1\n  parts:\n  - sku: 1\n", "", 0},
		"a comment":                    {"- id: 1\n  name: A # B\n", "", 0},
		"a row with a cell too many":   {"| id | name |\n|---|---|\n| 1 | A | B |", "", 0},
		"a bar that is escaped":        {"| id | name |\n|---|---|\n| 1 | A \\| B |", "", 0},
		"a line end in a cell":         {"| id | name |\n|---|---|\n| 1 | A<br>B |", "", 0},
		"a form feed":                  {"- id: 1\n  name: A\fB\n", "", 0},
		"a vertical tab in lines":      {"Name: Ann\vBob\nAge: 7", "", 0},
		"a name that goes on":          {"- id: 1\n  " + strings.Repeat("n", 41) + ": A\n", "", 0},
		"a column that goes on":        {"| id | " + strings.Repeat("n", 41) + " |\n|---|---|\n| 1 | A |", "", 0},
		"a name that nobody sees":      {"- id: 1\n  name\u200b: A\n", "", 0},
		"a name that turns the text":   {"- id: 1\n  \u202eeman: A\n", "", 0},
		"a column that nobody sees":    {"| id | na\u00adme |\n|---|---|\n| 1 | A |", "", 0},
		"a name with accents":          {"- id: 1\n  naïve\u0301: A\n", serialized.YAML, 1},
		"a column twice":               {"| id | id |\n|---|---|\n| 1 | 2 |", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			var format serialized.Format
			count := 0
			if a := serialized.Appear(c.text); a != nil {
				format, count = a.Format, a.Records
			}
			if format != c.format || count != c.count {
				t.Errorf("%q with %d records, want %q with %d", format, count, c.format, c.count)
			}
		})
	}
}

// forger draws texts that try to take over the records around them.
func forger() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{
		"x", "9", "'", `"`, "\n", "\n  ", "\n    ", "\n- id: 9", "\n  - id: 9", "\n  name: y", "\n    name: y", "\n  size: 3", "\n    size: 3", "\nid: 9", "\nname: y", "\nsize: 3",
		"\n\n", "\n| 9 | y | 3 |", " | ", " |", `\`, `\|`, "results:", "\nresults:", "\nother:", ": ", "{", "}", "[", "]", "#", " #", "---", "\n---\n", "|", "|-", ">", "&a", "*a", "!!str", "? ", "- ", "\t", "<<: ", "\u2028", "\u2029", "\u0085", "\u00a0", "\u202e", "\u2066", "\ufeff", "\u200b", "\f", "\v", "\r", "\r\n", "\x00", "\x1c", "<br>",
		"```", "\n```\n", "\n| a |\n|---|\n| b |", "\n|---|---|---|", "| id | name | size |", "\n-\n", "\n- - id: 9", "\n...\n", "\n%YAML 1.2\n", "name : y", "\"name\": y", "\n  'name': y", "id:9",
	})
	// What ends their own record, and begins one of the same shape.
	whole := rapid.SampledFrom([]string{"\n  size: 3\n- id: 9\n  name: y", "\n    size: 3\n  - id: 9\n    name: y", " | 3 |\n| 9 | y", "|3|\n|9|y", "\nsize: 3\n\nid: 9\nname: y"})
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(piece, whole), 0, 6).Draw(t, "pieces"), "")
	})
}

// Whatever a stranger writes as the name of one record, a text of a template either looks like
// nothing or another shape, or has the records of everybody else as they are, and in order. So
// it is with a shape that a contract keeps, which texts fit that look exactly so.
func TestAStrangerHidesNoRecordOfAnother(t *testing.T) {
	for name, template := range map[string]struct{ head, record, between string }{
		"YAML":             {"results:\n", "- id: %d\n  name: %s\n  size: %d\n", ""},
		"YAML, indented":   {"results:\n", "  - id: %d\n    name: %s\n    size: %d\n", ""},
		"YAML, only lists": {"", "- id: %d\n  name: %s\n  size: %d\n", ""},
		"a table":          {"| id | name | size |\n|---|---|---|\n", "| %d | %s | %d |\n", ""},
		"a tight table":    {"|id|name|size|\n|---|---|---|\n", "|%d|%s|%d|\n", ""},
		"lines":            {"", "id: %d\nname: %s\nsize: %d\n", "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			write := func(names []string) string {
				var out []string
				for i, n := range names {
					out = append(out, fmt.Sprintf(template.record, i+1, n, 10+i))
				}
				return template.head + strings.Join(out, template.between)
			}
			honest := serialized.Appear(write([]string{"a", "b"}))
			pin, err := serialized.Pin(serialized.Marked(honest.Shape, serialized.Trust{}))
			if err != nil || !pin.Fits(honest) {
				t.Fatal("the shape isn't pinned:", err)
			}
			read, forged := 0, 0
			rapid.Check(t, func(t *rapid.T) {
				names := make([]string, rapid.IntRange(1, 4).Draw(t, "records"))
				for i := range names {
					names[i] = fmt.Sprintf("honest %d", i+1)
				}
				theirs := rapid.IntRange(0, len(names)-1).Draw(t, "theirs")
				names[theirs] = forger().Draw(t, "name")

				a := serialized.Appear(write(names))
				if a == nil || a.Shape != honest.Shape {
					if a != nil && pin.Fits(a) {
						t.Fatalf("another shape fits: %q", a.Shape)
					}
					return
				}
				read++
				records := recordsOf(t, a)
				if len(records) > len(names) {
					forged++
				}
				at := 0
				for i := range names {
					if i == theirs {
						continue
					}
					want := fmt.Sprintf("%d honest %d %d", i+1, i+1, 10+i)
					for at < len(records) && records[at] != want {
						at++
					}
					if at == len(records) {
						t.Fatalf("record %d is not in %v", i+1, records)
					}
				}
			})
			if read == 0 {
				t.Error("no text was read")
			}
			t.Logf("%d read, %d with a record that was added", read, forged)
		})
	}
}

// What a pinned shape proves of a text with one record, the tool wrote, also where its template
// leaves out a line, or the text is cut off, and whatever a stranger writes.
func TestOnlyTheToolIsProved(t *testing.T) {
	for name, template := range map[string]struct {
		head, first, next, between string // how the text, a record, each other line and another record begin
		proves                     bool
		fields                     []string
	}{
		"lines":             {"", "", "", "\n", true, []string{"id", "size", "name"}},
		"lines behind":      {"", "", "", "\n", false, []string{"id", "name", "size"}},
		"YAML":              {"results:\n", "- ", "  ", "", true, []string{"id", "size", "name"}},
		"YAML behind":       {"results:\n", "- ", "  ", "", false, []string{"name", "id", "size"}},
		"YAML, only a list": {"", "- ", "  ", "", true, []string{"id", "size", "name"}},
	} {
		t.Run(name, func(t *testing.T) {
			write := func(values map[string]string) string {
				out, begin := "", template.first
				for _, f := range template.fields {
					if v, ok := values[f]; ok {
						out, begin = out+begin+f+": "+v+"\n", template.next
					}
				}
				return out
			}
			pin, err := serialized.Pin(template.head + write(map[string]string{"id": "service", "size": "service", "name": "others"}))
			if err != nil {
				t.Fatal(err)
			}

			honest := serialized.Appear(template.head + write(map[string]string{"id": "1", "size": "10", "name": "x"}))
			if pin.Proves(honest) != template.proves {
				t.Errorf("what the tool writes is proved: %v", !template.proves)
			}

			rapid.Check(t, func(t *rapid.T) {
				values := map[string]string{"id": "1", "size": "10", "name": forger().Draw(t, "name")}
				if rapid.Bool().Draw(t, "without a size") {
					delete(values, "size")
				}
				text := template.head + write(values)
				if rapid.Bool().Draw(t, "with another") {
					text += template.between + write(map[string]string{"id": "2", "size": "20", "name": "x"})
				}
				if rapid.Bool().Draw(t, "cut off") {
					text = text[:rapid.IntRange(0, len(text)).Draw(t, "at")]
				}
				a := serialized.Appear(text)
				if a == nil || !pin.Proves(a) {
					return
				}
				for _, l := range a.Document.Leaves() {
					field := l.Pointer[strings.LastIndexByte(l.Pointer, '/')+1:]
					if field != "name" && l.Text != values[field] {
						t.Fatalf("%s %q is taken for the tool's: %q", field, l.Text, text)
					}
				}
			})
		})
	}
}

// A contract has a shape as a result with one record, in which each value is who writes it.
func TestPin(t *testing.T) {
	for name, c := range map[string]struct {
		text, pinned string
		own          []string // the fields of the text that are the service's
	}{
		"a list in YAML": {"total: 2\nresults:\n  - id: f1\n    name: A\n  - id: f2\n    name: B\n", "total: others\nresults:\n  - id: service\n    name: others", []string{"/results/0/id", "/results/1/id"}},
		"an object":      {"- id: 1\n  owner:\n    user_id: 4\n    name: A\n  note:\n", "- id: service\n  owner:\n    user_id: service\n    name: others\n  note: others", []string{"/0/id", "/0/owner/user_id"}},
		"a table":        {"| id | name |\n| :-- | --: |\n|1|A|\n| 2 | B |", "| id | name |\n|---|---|\n| service | others |", []string{"/0/id", "/1/id"}},
		"a field":        {"moved_id: f1\n", "moved_id: service", []string{"/moved_id"}},
		"a record":       {"Name: Ann\nRoom no: 7", "Name: others\nRoom no: others", nil},
		"records":        {"Name: Ann\nId: 7\n\nName: Bob\nId: 8", "Name: others\nId: service", []string{"/0/Id", "/1/Id"}},
		"other letters":  {"- id: 1\n  имя: A\n", "- id: service\n  имя: others", []string{"/0/id"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := serialized.Appear(c.text)
			marked := serialized.Marked(a.Shape, serialized.Trust{})
			if marked != c.pinned {
				t.Fatalf("the shape is written as %q, want %q", marked, c.pinned)
			}
			pin, err := serialized.Pin(marked)
			if err != nil || !pin.Fits(a) {
				t.Fatal("the text doesn't fit:", err)
			}
			var own []string
			for _, l := range a.Document.Leaves() {
				if pin.Owns(l.Pointer) {
					own = append(own, l.Pointer)
				}
			}
			if diff := cmp.Diff(c.own, own); diff != "" {
				t.Error(diff)
			}
		})
	}

	for name, text := range map[string]string{
		"no shape": "the tool's words", "nobody": "- id: service\n  name:", "somebody": "- id: service\n  name: Ann", "two records": "- id: service\n- id: service", "none": "| id |\n|---|", "empty": "",
	} {
		if _, err := serialized.Pin(text); err == nil {
			t.Error(name, "is pinned")
		}
	}
}

// A text of another shape doesn't fit, however little differs.
func TestOnlyThePinnedShapeFits(t *testing.T) {
	pin, err := serialized.Pin("results:\n  - id: service\n    name: others\ntotal: service")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"results:\n  - id: 1\n    name: A\ntotal: 1":                         true,
		"results:\n  - id: 1\n    name: A\n  - id: 2\n    name:\ntotal: 2":   true,
		"results:\n  - id: 1\n    name: A":                                   false,
		"results:\n- id: 1\n  name: A\ntotal: 1":                             false,
		"results:\n  - id: 1\n    name: A\ntotal: 1\nnext: 2":                false,
		"results:\n  - id: 1\n    Name: A\ntotal: 1":                         false,
		"results:\n  - name: A\n    id: 1\ntotal: 1":                         false,
		"results:\n  -  id: 1\n     name: A\ntotal: 1":                       false,
		"results:\n  - id: 1\n    \"name\": A\ntotal: 1":                     false,
		"results:\n  - id: 1\n    name : A\ntotal: 1":                        false,
		"results:\n  - id: 1\n    name: A\ntotal: 1\nresults:\n":             false,
		"```\nresults:\n  - id: 1\n    name: A\ntotal: 1\n```":               false,
		"results:\n  - id: 1\n    name: A\n    parts:\n      - x: 1\ntotal:": false,
	} {
		if a := serialized.Appear(text); (a != nil && pin.Fits(a)) != want {
			t.Errorf("fits is %v for %q", !want, text)
		}
	}
}

func FuzzAppear(f *testing.F) {
	for _, s := range []string{"results:\n  - id: f1\n    name: A\n", "| id | name |\n|---|---|\n| 1 | A |", "Name: Ann\nAge: 7", "a:\n- b: 1\n", "- a:\n    b: 1\n  c:\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a := serialized.Appear(text)
		if a == nil {
			return
		}
		if pin, err := serialized.Pin(serialized.Marked(a.Shape, serialized.Trust{})); err != nil || !pin.Fits(a) {
			t.Errorf("%q can't be pinned as it looks: %v", a.Shape, err)
		}
	})
}

// recordsOf returns the records of an appearance as texts.
func recordsOf(t *rapid.T, a *serialized.Appearance) []string {
	var tree any
	if err := json.Unmarshal(a.Document.Canonical(), &tree); err != nil {
		t.Fatal(err)
	}
	if o, ok := tree.(map[string]any); ok {
		tree = []any{o}
		if list, ok := o["results"].([]any); ok {
			tree = list
		}
	}
	var out []string
	list, _ := tree.([]any)
	for _, e := range list {
		r, _ := e.(map[string]any)
		out = append(out, fmt.Sprintf("%v %v %v", r["id"], r["name"], r["size"]))
	}
	return out
}
