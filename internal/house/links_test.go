package house_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// A link of a page: [text](target), and its target without a title.
var pageLink = regexp.MustCompile(`\]\(([^)\s]+)[^)]*\)`)

// TestLinks holds pages to links that lead somewhere: files that are there, and headings
// that the page has.
func TestLinks(t *testing.T) {
	headings := map[string]map[string]bool{}
	for _, page := range files(t, ".md") {
		for _, target := range links(t, page) {
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			file, heading, _ := strings.Cut(target, "#")
			name := page
			if file != "" {
				name = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(filepath.Join(root, name)); err != nil {
				t.Errorf("%s: the link %s leads to no file", page, target)
				continue
			}
			if heading == "" || !strings.HasSuffix(name, ".md") {
				continue
			}
			if headings[name] == nil {
				headings[name] = headingsOf(t, name)
			}
			if !headings[name][heading] {
				t.Errorf("%s: the link %s leads to no heading", page, target)
			}
		}
	}
}

// links returns the targets of a page's links.
func links(t *testing.T, page string) []string {
	var out []string
	for _, line := range prose(t, page) {
		for _, m := range pageLink.FindAllStringSubmatch(line, -1) {
			out = append(out, m[1])
		}
	}
	return out
}

// headingsOf returns what links to a page's headings are called.
func headingsOf(t *testing.T, page string) map[string]bool {
	out := map[string]bool{}
	for _, line := range prose(t, page) {
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			out[anchor(title)] = true
		}
	}
	return out
}

// anchor is the name that Markdown's renderers give a heading.
func anchor(title string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(title)) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			b.WriteRune(r)
		}
	}
	return b.String()
}

// prose returns the lines of a page that are not code.
func prose(t *testing.T, page string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	code := false
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
			continue
		}
		if !code {
			out = append(out, strings.TrimRight(line, "\n"))
		}
	}
	return out
}
