package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/raced"
)

// outWords are words that docs/vocabulary.md has another word for.
var outWords = []struct {
	pattern *regexp.Regexp
	write   string
}{
	{out(`(company|business)('s)? rules?|companies' rules|rules? of (a|the) company`), "policy"},
	{out(`policy items?|guard items?`), "policy"},
	{out(`rules? for (every|all|each) (tool|call)s?`), "policy for every tool: a rule is the check of one policy"},
	{out(`rules? of the (policy )?document`), "policy of the document"},
	{out(`guard rules?|rule files?|guardrails?`), "guard, guard file"},
	{out(`sink rules?`), "global rule"},
	{regexp.MustCompile(`\blookups?\b`), "look-up"},
	{out(`(allow|white)[ -]lists?|whitelist(s|ed)?`), "allowlist"},
	{out(`(deny|black)[ -]lists?|blacklist(s|ed)?`), "denylist"},
	{out(`policy (enforcement|decision) points?|PEPs?|PDPs?`), "enforcement point, monitor"},
	{out(`trust levels?|levels? of trust`), "trust"},
	{out(`recorded (conversation|transcript)s?`), "recording"},
	{out(`human (approval|confirmation|review|in the loop)|humans?`), "person"},
}

func out(pattern string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(` + strings.ReplaceAll(pattern, " ", `\s+`) + `)\b`)
}

// mayUseOutWords lists pages that are about words.
var mayUseOutWords = map[string]string{
	"docs/vocabulary.md":           "names the field's words",
	"internal/house/words_test.go": "has the table",
}

// TestVocabulary holds documentation, help and comments to docs/vocabulary.md.
func TestVocabulary(t *testing.T) {
	raced.SkipTable(t)
	for _, path := range append(files(t, ".md"), files(t, ".go")...) {
		if mayUseOutWords[path] != "" || strings.HasSuffix(path, "_test.go") || filepath.Dir(path) == "internal/policydoc/prompt" {
			continue
		}

		for _, text := range texts(t, path) {
			for _, word := range outWords {
				for _, at := range word.pattern.FindAllStringIndex(text.words, -1) {
					line := text.line + strings.Count(text.words[:at[0]], "\n")
					t.Errorf("%s:%d: %q is not in docs/vocabulary.md: write %s", path, line, text.words[at[0]:at[1]], word.write)
				}
			}
		}
	}
}

// text is a paragraph of a page, a comment, or a help text.
type text struct {
	line  int // of its beginning
	words string
}

// texts returns what people read in a file.
func texts(t *testing.T, path string) []text {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}

	if strings.HasSuffix(path, ".md") {
		return pageTexts(string(source))
	}
	return sourceTexts(t, path, source)
}

// pageTexts returns the paragraphs of a page without its code.
func pageTexts(source string) []text {
	var out []text
	fenced, begin, paragraph := false, 0, ""
	for i, line := range strings.Split(source, "\n") {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		if fence {
			fenced = !fenced
		}
		if fence || fenced || strings.TrimSpace(line) == "" {
			out, paragraph = append(out, text{begin, unquoted(paragraph)}), ""
			continue
		}

		if paragraph == "" {
			begin = i + 1
		}
		paragraph += line + "\n"
	}
	return append(out, text{begin, unquoted(paragraph)})
}

var helpTags = regexp.MustCompile(`\bhelp:"([^"]*)"`)

// sourceTexts returns the comments of a Go file and the help of its flags.
func sourceTexts(t *testing.T, path string, source []byte) []text {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}

	var out []text
	for _, group := range file.Comments {
		_, words, _ := strings.Cut(group.Text(), " ") // the first word may be an identifier
		out = append(out, text{set.Position(group.Pos()).Line, unquoted(words)})
	}
	ast.Inspect(file, func(n ast.Node) bool {
		field, ok := n.(*ast.Field)
		if !ok || field.Tag == nil {
			return true
		}
		for _, help := range helpTags.FindAllStringSubmatch(field.Tag.Value, -1) {
			out = append(out, text{set.Position(field.Pos()).Line, help[1]})
		}
		return true
	})
	return out
}

var quotes = regexp.MustCompile("`[^`]*`|\"[^\"]*\"|“[^”]*”|<[^>]*>")

// unquoted leaves out code spans and quotations, which are the words of others.
func unquoted(s string) string {
	return quotes.ReplaceAllStringFunc(s, func(quoted string) string { return "…" + strings.Repeat("\n", strings.Count(quoted, "\n")) })
}

// TestOutWordsAreFound is the test of the check itself.
func TestOutWordsAreFound(t *testing.T) {
	for source, want := range map[string]int{
		"Hold calls to the company's\nrules.":                1,
		"Hold calls to the company's policies.":              0,
		"The key `lookup` makes a look-up.":                  0,
		"A lookup of \"a whitelist\".\n\n```\nlookup\n```\n": 1,
	} {
		found := 0
		for _, text := range pageTexts(source) {
			for _, word := range outWords {
				found += len(word.pattern.FindAllString(text.words, -1))
			}
		}
		if found != want {
			t.Errorf("%q: found %d, want %d", source, found, want)
		}
	}
}
