package planner

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"github.com/remit-project/remit/internal/lookalike"
)

//go:embed conditions.txt
var conditionsText string

// builtin are the marks that the package embeds. A mistake in them is found by the package's tests.
var builtin = sync.OnceValue(func() *marks {
	m, err := readMarks(conditionsText)
	if err != nil {
		panic(err)
	}
	return m
})

// marks are the words of conditions.txt.
type marks struct {
	// words are the marks by their first word.
	words  map[string][]mark
	within []within
	// courtesies and attached are the phrases that are no condition, the latter in scripts that
	// don't part words.
	courtesies, attached *regexp.Regexp
	person, joins        []string
}

// mark is what introduces a condition: words in a row.
type mark struct {
	words   []string
	perhaps bool
	in      language
}

// within is a mark within a word, or in a script without spaces.
type within struct {
	pattern *regexp.Regexp
	perhaps bool
	in      language
}

// language tells a language by its words.
type language struct{ among, unlike []string }

// isOf reports whether a text with these words may be of the language.
func (l language) isOf(words map[string]bool) bool {
	said := func(w string) bool { return words[w] }
	return (l.among == nil || slices.ContainsFunc(l.among, said)) && !slices.ContainsFunc(l.unlike, said)
}

// markRow is a row of conditions.txt.
type markRow struct {
	kind  string
	in    language
	items []string
}

// pattern returns the pattern of an item.
func (r *markRow) pattern(item string) string {
	p, _, _ := strings.Cut(item, " => ")
	return p
}

// markRows returns the rows of a table.
func markRows(text string) ([]markRow, error) {
	var out []markRow
	text = strings.ReplaceAll(text, "\n  ", " ")
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		head, body, ok := strings.Cut(line, ": ")
		words := strings.Fields(head)
		if !ok || len(words) < 2 {
			return nil, fmt.Errorf("conditions.txt: %q is no row", line)
		}

		r := markRow{kind: words[0], items: []string{strings.TrimSpace(body)}}
		var to *[]string
		for _, w := range words[2:] {
			switch {
			case w == "among":
				to = &r.in.among
			case w == "unlike":
				to = &r.in.unlike
			case to == nil:
				return nil, fmt.Errorf("conditions.txt: %q: write among or unlike before words of the language", head)
			default:
				*to = append(*to, w)
			}
		}
		if !strings.Contains(body, " => ") {
			r.items = strings.Split(strings.TrimSpace(body), " | ")
		}
		out = append(out, r)
	}
	return out, nil
}

// readMarks reads a table.
func readMarks(text string) (*marks, error) {
	rows, err := markRows(text)
	if err != nil {
		return nil, err
	}
	return newMarks(rows)
}

func newMarks(rows []markRow) (m *marks, err error) {
	m = &marks{words: map[string][]mark{}}
	var courtesies, attached []string
	for _, r := range rows {
		for _, item := range r.items {
			switch r.kind {
			case "mark", "perhaps":
				words := strings.Fields(item)
				m.words[words[0]] = append(m.words[words[0]], mark{words, r.kind == "perhaps", r.in})
			case "within", "perhapswithin":
				p, err := regexp.Compile(r.pattern(item))
				if err != nil {
					return nil, fmt.Errorf("conditions.txt: %w", err)
				}
				m.within = append(m.within, within{p, r.kind == "perhapswithin", r.in})
			case "not":
				courtesies = append(courtesies, r.pattern(item))
			case "notwithin":
				attached = append(attached, r.pattern(item))
			case "person":
				m.person = append(m.person, item)
			case "join":
				m.joins = append(m.joins, item)
			default:
				return nil, fmt.Errorf("conditions.txt: there is no kind %q", r.kind)
			}
		}
	}

	if m.courtesies, err = regexp.Compile(`(?i)(?:^|[^\pL\pM\pN'])(?:` + anyOf(courtesies) + `)(?:$|[^\pL\pM\pN'])`); err != nil {
		return nil, fmt.Errorf("conditions.txt: %w", err)
	}
	if m.attached, err = regexp.Compile(anyOf(attached)); err != nil {
		return nil, fmt.Errorf("conditions.txt: %w", err)
	}
	return m, nil
}

// anyOf returns a pattern for one of several; one that matches nothing for none.
func anyOf(patterns []string) string {
	if len(patterns) == 0 {
		return `[^\x00-\x{10FFFF}]`
	}
	return strings.Join(patterns, "|")
}

// at returns the longest mark at the beginning of words in a text; nil for none.
func (m *marks) at(words []string, all map[string]bool) *mark {
	var best *mark
	of := m.words[words[0]]
	for i := range of {
		k := &of[i]
		begins := len(words) >= len(k.words) && slices.Equal(words[:len(k.words)], k.words)
		longer := best == nil || len(k.words) > len(best.words) || (best.perhaps && len(k.words) == len(best.words))
		if begins && longer && k.in.isOf(all) {
			best = k
		}
	}
	return best
}

// conditionsIn returns the conditions of a part of a sentence, each from the mark on that introduces
// it. A further one in it follows on a word that joins two: "if he agrees and if it is open".
func (m *marks) conditionsIn(part string, all map[string]bool) []clause {
	part = norm.NFKC.String(part)
	at, words := word().FindAllStringIndex(part, -1), wordsOf(part)
	if len(at) != len(words) {
		return nil
	}
	var out []clause
	begin := 0
	for i := range words {
		joined := i > 0 && slices.Contains(m.joins, words[i-1])
		if len(out) > 0 && !joined {
			continue
		}
		k := m.at(words[i:], all)
		if k == nil {
			continue
		}
		if len(out) > 0 {
			out[len(out)-1].text = strings.TrimSpace(part[begin:at[i-1][0]])
		}
		begin = at[i][0]
		out = append(out, clause{text: strings.TrimSpace(part[begin:]), perhaps: k.perhaps})
	}
	if out != nil {
		return out
	}

	lower := strings.ToLower(part)
	for _, w := range m.within {
		if w.pattern.MatchString(lower) && w.in.isOf(all) {
			found := clause{text: strings.TrimSpace(part), perhaps: w.perhaps}
			if out == nil || !w.perhaps {
				out = []clause{found}
			}
		}
	}
	return out
}

// wordsOf returns the words of a text, in lower case, and each as that of one alphabet.
func wordsOf(text string) []string {
	out := word().FindAllString(strings.ToLower(text), -1)
	for i, w := range out {
		out[i] = lookalike.Unmixed(w)
	}
	return out
}
