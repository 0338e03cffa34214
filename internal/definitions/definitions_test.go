package definitions

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// contractFor is a contract file for a fingerprint, with a mark or without.
func contractFor(t testing.TB, fingerprint, review string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "mail.yaml")
	rewrite(t, file, fingerprint, review)
	return file
}

func rewrite(t testing.TB, file, fingerprint, review string) {
	t.Helper()
	more := ""
	if fingerprint != "" {
		more += "    fingerprint: " + fingerprint + "\n"
	}
	if review != "" {
		more += "    review: " + review + "\n"
	}
	must(t, os.WriteFile(file, []byte("version: 1\nserver: mail\ntools:\n  send:\n    effect: egress\n"+more+"    output: {trust: EXTERNAL}\n"), 0o644))
}

func shown(fingerprint string) []Shown {
	return []Shown{{"send", Definition{fingerprint, json.RawMessage(`{"name":"send","description":"` + fingerprint + `"}`)}}, {"none", Definition{Fingerprint: "x"}}}
}

// words are what is kept of the tool: the reviewed definition and the present one.
func words(t testing.TB, file string) string {
	t.Helper()
	kept, err := Read(file)
	must(t, err)
	if _, ok := kept["none"]; ok {
		t.Error("a tool without a contract is kept")
	}
	name := func(d *Definition) string {
		if d == nil {
			return "-"
		}
		return d.Fingerprint
	}
	tool := kept["send"]
	out := name(tool.Reviewed) + " " + name(tool.Present)
	if tool.Back {
		out += " back"
	}
	return out
}

// The reviewed definition is that of the contract without a mark, and what a server shows
// instead is kept beside it until a contract is reviewed for it.
func TestKeep(t *testing.T) {
	file := contractFor(t, "a", "")
	for _, step := range []struct{ fingerprint, review, shown, want string }{
		{"a", "", "a", "a -"},
		{"a", "", "b", "a b"},
		{"a", "", "c", "a c"},
		{"a", "", "a", "a c back"},
		{"a", "", "b", "a b"},
		{"b", "changed", "b", "a b"}, // made again, and not reviewed
		{"b", "", "", "b -"},         // reviewed
		{"b", "", "a", "b a"},
		{"", "", "b", "b a back"}, // a contract that names no definition
		{"", "", "d", "b d"},
	} {
		rewrite(t, file, step.fingerprint, step.review)
		if step.shown == "" {
			must(t, Settle(file))
		} else {
			must(t, Keep(file, shown(step.shown)))
		}
		if got := words(t, file); got != step.want {
			t.Errorf("contract for %q, mark %q, shown %q: %q is kept, want %q", step.fingerprint, step.review, step.shown, got, step.want)
		}
	}
}

// A tool whose contract is not reviewed has no reviewed definition to be compared with.
func TestUnreviewed(t *testing.T) {
	file := contractFor(t, "a", "new")
	must(t, Keep(file, shown("a")))
	if got := words(t, file); got != "- a" {
		t.Error(got)
	}
	if kept, err := Read(file); err != nil || kept["send"].Changed() {
		t.Errorf("%+v, %v", kept, err)
	}
}

// Without a contract file nothing is kept, and what can't be read is reported and made again.
func TestBrokenFile(t *testing.T) {
	none := filepath.Join(t.TempDir(), "mail.yaml")
	must(t, Keep(none, shown("a")))
	if entries, err := os.ReadDir(filepath.Dir(none)); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
	file := contractFor(t, "a", "")
	for _, text := range []string{"{", `{"version":2,"tools":{}}`, `{"version":1,"others":{}}`, "\x00"} {
		must(t, os.WriteFile(Name(file), []byte(text), 0o644))
		if _, err := Read(file); err == nil || !strings.Contains(err.Error(), ".mail.definitions.json") {
			t.Errorf("%q: %v", text, err)
		}
		must(t, Keep(file, shown("a")))
		if got := words(t, file); got != "a -" {
			t.Error(got)
		}
	}
}

// A definition without end is known by its fingerprint alone.
func TestKeepIsBounded(t *testing.T) {
	file := contractFor(t, "a", "")
	long := json.RawMessage(`"` + strings.Repeat("x", maxDefinition) + `"`)
	must(t, Keep(file, shown("a")))
	must(t, Keep(file, []Shown{{"send", Definition{"b", long}}}))
	kept, err := Read(file)
	if tool := kept["send"]; err != nil || !tool.Changed() || len(tool.Present.Text) > 0 {
		t.Errorf("%+v, %v", tool, err)
	}
}

// What differs between two definitions is every leaf that one side has otherwise, and what
// describes the tool as a whole comes first.
func TestCompare(t *testing.T) {
	was := Definition{Text: json.RawMessage(`{"name":"send","inputSchema":{"a":{"type":"string","max":1},"gone":[]},"description":"Sends."}`)}
	is := Definition{Text: json.RawMessage(`{"description":"Sends all.","name":"send","inputSchema":{"a":{"type":"string","max":"1"},"new":null}}`)}
	parts, err := Compare(was, is)
	must(t, err)
	var got []string
	for _, p := range parts {
		text := func(s *string) string {
			if s == nil {
				return "nothing"
			}
			return fmt.Sprintf("%q", *s)
		}
		got = append(got, fmt.Sprint(p.Place, " ", text(p.Was), " ", text(p.Is), " ", p.Same))
	}
	want := []string{`/description "Sends." "Sends all." false`, `/inputSchema/a/max "1" "1" false`, `/inputSchema/gone "" nothing false`, `/inputSchema/new nothing "null" false`,
		`/inputSchema/a/type "string" "string" true`, `/name "send" "send" true`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := Compare(was, Definition{Text: json.RawMessage("{")}); err == nil {
		t.Error("half a definition is compared")
	}
}

// What differs between two texts is all that differs, in whole words.
func TestDiffering(t *testing.T) {
	for _, c := range []struct{ was, is, want string }{
		{"Sends mail.", "Sends all mail.", "|all "}, {"Sends mail.", "Sends mails.", "mail|mails"}, {"a b c", "a x c", "b|x"}, {"", "new", "|new"}, {"same", "same", "|"}, {"aa", "aaa", "aa|aaa"}, {"héllo", "hèllo", "héllo|hèllo"},
	} {
		a, b, x, y := Differing(c.was, c.is)
		if got := c.was[a:b] + "|" + c.is[x:y]; got != c.want {
			t.Errorf("%q and %q differ in %q, want %q", c.was, c.is, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SliceOf(rapid.SampledFrom([]string{"a", "bc", " ", "é", "\u202e", "."}))
		was, is := strings.Join(word.Draw(t, "was"), ""), strings.Join(word.Draw(t, "is"), "")
		a, b, x, y := Differing(was, is)
		if was[:a] != is[:x] || was[b:] != is[y:] || (was[a:b] == is[x:y]) != (was == is) {
			t.Errorf("%q and %q: %d to %d and %d to %d", was, is, a, b, x, y)
		}
	})
}

// Whatever servers send, each leaf of a definition is in the comparison once, on the sides that
// have it.
func FuzzCompare(f *testing.F) {
	f.Add(`{"name":"send","inputSchema":{"a":[1,{}]}}`, `{"name":"send","inputSchema":{"a":[1,{"b":null}]}}`)
	f.Add(`"x"`, `[]`)
	f.Fuzz(func(t *testing.T, was, is string) {
		a, b := Definition{Text: json.RawMessage(was)}, Definition{Text: json.RawMessage(is)}
		parts, err := Compare(a, b)
		before, errA := leaves(a)
		after, errB := leaves(b)
		if err != nil {
			if errA == nil && errB == nil {
				t.Fatal(err)
			}
			return
		}
		places := map[string]bool{}
		for _, p := range parts {
			_, had := before[p.Place]
			_, has := after[p.Place]
			if places[p.Place] || had != (p.Was != nil) || has != (p.Is != nil) {
				t.Fatalf("%+v", p)
			}
			places[p.Place] = true
		}
		if len(places) < max(len(before), len(after)) {
			t.Fatalf("%d of %d and %d leaves", len(places), len(before), len(after))
		}
	})
}
