package synth

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/raced"
	"github.com/remit-project/remit/schema"
)

// TestTable holds that the table is read without a mistake.
func TestTable(t *testing.T) {
	if _, err := readTable(wordsText, rulesText); err != nil {
		t.Fatal(err)
	}
}

// TestTableMistakes holds that a mistake in the table is reported with its place and
// what to write instead.
func TestTableMistakes(t *testing.T) {
	for _, c := range []struct{ name, words, rules, want string }{
		{"a word twice", "concept text: text\nnoun text fair: body body", "", `words.txt:2: "body" is there already; take one of them out`},
		{"an unknown concept", "noun txt fair: body", "", `words.txt:1: unknown concept "txt"; declare it before`},
		{"an unknown weight", "concept text: text\nnoun text heavy: body", "", `words.txt:2: unknown weight "heavy"; write certain`},
		{"a word that can't occur", "concept text: text\nnoun text fair: desc\nmeans en: desc=description", "", `the noun "desc" can't occur; write "description"`},
		{"an unknown row", "nouns text fair: body", "", `words.txt:1: unknown kind of row "nouns"; write concept`},
		{"a rule outside a block", "", "  verb=get -> EXTERNAL", `rules.txt:1: a rule outside a block; write`},
		{"an unknown condition", "", "floor\n  sometimes -> USER\n  -> USER", `rules.txt:2: unknown condition "sometimes"; define it with "when sometimes"`},
		{"a condition that nothing uses", "", "when never\n  effect=read", `rules.txt:1: condition never is used nowhere; take it out`},
		{"a condition on itself", "", "floor: again\n  -> USER\nwhen again\n  again", `rules.txt:3: condition again rests on itself`},
		{"an unknown key", "", "floor\n  verbs=get -> USER\n  -> USER", `rules.txt:2: unknown key "verbs"`},
		{"an unknown set", "", "floor\n  verb=@lots -> USER\n  -> USER", `rules.txt:2: no set "lots"; add it to words.txt`},
		{"an unknown effect", "", "floor\n  effect=wild -> USER\n  -> USER", `rules.txt:2: unknown effect "wild"; write read`},
		{"an open quote", "", "floor\n  told=\"x -> USER\n  -> USER", `rules.txt:2: a quote or parenthesis is open; close it`},
		{"no arrow", "", "floor\n  effect=read USER\n  -> USER", `rules.txt:2: no arrow; write CONDITIONS -> RESULT`},
		{"a block that doesn't decide", "", "floor\n  effect=read -> USER", `rules.txt:1: floor doesn't decide in every case; end it with`},
		{"a concept without a role", "concept text: text", "", `concept text has no role; add a block`},
		{"evidence by the best reading", "concept text: text", "evidence\n  is=text -> text 60: why", `rules.txt:1: evidence rests on the best reading`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readTable(c.words, c.rules)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

// entry is one entry of the table: a row of words.txt with the lines that it goes on
// in, or an indented line of rules.txt.
type entry struct {
	file        string
	first, last int // lines from 1
	text        string
}

func entries(file, text string) []entry {
	var out []entry
	for i, line := range strings.Split(text, "\n") {
		indented := strings.HasPrefix(line, " ")
		switch {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
		case file == "words.txt" && indented:
			out[len(out)-1].last = i + 1
			out[len(out)-1].text += line
		case file == "words.txt" || indented:
			out = append(out, entry{file, i + 1, i + 1, line})
		}
	}
	return out
}

// without reads the table without an entry. An error means that the rest needs it.
func without(e entry) (*table, error) {
	texts := map[string]string{"words.txt": wordsText, "rules.txt": rulesText}
	lines := strings.Split(texts[e.file], "\n")
	for i := e.first; i <= e.last; i++ {
		lines[i-1] = ""
	}
	texts[e.file] = strings.Join(lines, "\n")
	return readTable(texts["words.txt"], texts["rules.txt"])
}

// example is a tool of the repository's catalogues and what is made of it.
type example struct {
	def      *schema.Tool
	siblings *schema.Catalogue
	contract string
	text     string // all words of the definition
	hit      map[int]bool
}

// essence is a contract without its reasons.
func essence(t contract.Tool) string {
	for i := range t.Args {
		t.Args[i].Why = ""
	}
	t.Why = ""
	text, err := json.Marshal(t)
	if err != nil {
		return err.Error()
	}
	return regexp.MustCompile(`"(why|Why)":"(\\.|[^"\\])*",?`).ReplaceAllString(string(text), "")
}

// examples makes the contracts of every catalogue of the repository.
func examples(t *testing.T) []*example {
	t.Helper()
	catalogues := kinds(t)
	for _, c := range cases(t) {
		catalogues = append(catalogues, c.catalogue)
	}
	for _, pattern := range []string{"../internal/eval/testdata/*/*.json", "../internal/eval/testdata/suites/*/*.json", "../examples/*/tools.json"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if c, err := schema.Parse(f, data); err == nil {
				catalogues = append(catalogues, c)
			}
		}
	}

	var out []*example
	var now *example
	x := traced(t, func(line int) { now.hit[line] = true })
	for _, c := range catalogues {
		for i := range c.Tools {
			now = &example{def: &c.Tools[i], siblings: c, hit: map[int]bool{}}
			now.contract = essence(x.analyse(now.def, c).contract())
			words, err := json.Marshal(c.Tools[i])
			if err != nil {
				t.Fatal(err)
			}
			now.text = fold(string(words))
			out = append(out, now)
		}
	}
	return out
}

// traced is the table with a report of every line of rules.txt that fits.
func traced(t *testing.T, report func(line int)) *table {
	t.Helper()
	x, err := readTable(wordsText, rulesText)
	if err != nil {
		t.Fatal(err)
	}
	blocks := slices.Concat(x.effect, x.evidence, []*block{x.floor})
	for _, b := range x.whens {
		blocks = append(blocks, b)
	}
	for _, b := range x.roles {
		blocks = append(blocks, b)
	}
	for _, b := range blocks {
		for _, r := range b.rules {
			r.conditions = append(r.conditions, condition{holds: func(*facts) bool { report(r.line); return true }})
		}
	}
	return x
}

// TestEveryEntryMatters takes each entry out of the table: the contract of some tool
// in the repository's catalogues has to change, by the rules alone or with estimates.
func TestEveryEntryMatters(t *testing.T) {
	raced.SkipTable(t)
	all := examples(t)
	for _, e := range append(entries("words.txt", wordsText), entries("rules.txt", rulesText)...) {
		x, err := without(e)
		if err != nil {
			continue
		}
		matters := slices.ContainsFunc(all, func(ex *example) bool {
			if !ex.concerns(e) {
				return false
			}
			return essence(x.analyse(ex.def, ex.siblings).contract()) != ex.contract
		})
		if !matters && !slices.ContainsFunc(all, func(ex *example) bool { return ex.concerns(e) && ex.isWeighedBy(x) }) {
			t.Errorf("%s:%d changes no contract: %.120s", e.file, e.first, strings.TrimSpace(e.text))
		}
	}
}

// isWeighedBy reports whether a table makes another contract of an example where estimates have their say.
func (ex *example) isWeighedBy(x *table) bool {
	weighed := x.with(builtin().likely).analyse(ex.def, ex.siblings).contract()
	return essence(weighed) != essence(Tool(ex.def, ex.siblings))
}

// concerns reports whether an entry may have a say in an example.
func (ex *example) concerns(e entry) bool {
	if e.file == "rules.txt" {
		return ex.hit[e.first]
	}
	_, body, _ := strings.Cut(e.text, ":")
	for w := range strings.FieldsSeq(body) {
		w, _, _ = strings.Cut(w, "=")
		w, _, _ = strings.Cut(w, "_")
		if strings.Contains(ex.text, strings.TrimSuffix(w, "y")) {
			return true
		}
	}
	return false
}
