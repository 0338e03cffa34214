package planner

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

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
	joinsOf              map[string][]string // by their language
	// so are the words that make the question before them a condition: "Is it free? Then book it."
	so []string
	// asking and telling are the words that an indirect question may follow.
	asking, telling []report
}

// report has words that an indirect question may follow: "ask Ann when she comes".
type report struct {
	words []string
	// comma allows a comma between the two, and next allows nothing.
	comma, next bool
	language    string
}

// newReport reads an item of a row.
func newReport(item, language string) report {
	text, comma := strings.CutSuffix(item, ",")
	text, next := strings.CutPrefix(text, "=")
	return report{strings.Fields(text), comma, next, language}
}

// ends reports whether a text ends with the words.
func (r report) ends(text []string) bool {
	n := len(text) - len(r.words)
	return n >= 0 && slices.Equal(text[n:], r.words)
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
	kind, language string
	in             language
	items          []string
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

		r := markRow{kind: words[0], language: words[1], items: []string{strings.TrimSpace(body)}}
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
	m = &marks{words: map[string][]mark{}, joinsOf: map[string][]string{}}
	var courtesies, attached []string
	for _, r := range rows {
		for _, item := range r.items {
			switch r.kind {
			case "mark", "perhaps":
				m.add(mark{strings.Fields(item), r.kind == "perhaps", r.in})
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
				m.joinsOf[r.language] = append(m.joinsOf[r.language], item)
			case "so":
				m.so = append(m.so, item)
			case "asking":
				m.asking = append(m.asking, newReport(item, r.language))
			case "telling":
				m.telling = append(m.telling, newReport(item, r.language))
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

// add adds a mark, and as people type it without accents.
func (m *marks) add(k mark) {
	m.words[k.words[0]] = append(m.words[k.words[0]], k)
	const least = 4 // letters: fewer are those of another word
	text := strings.Join(k.words, " ")
	if bare := unaccented(text); bare != text && utf8.RuneCountInString(bare) >= least {
		words := strings.Fields(bare)
		m.words[words[0]] = append(m.words[words[0]], mark{words, k.perhaps, k.in})
	}
}

// unaccented returns a text of letters that have a case without their accents; another text as it is.
func unaccented(text string) string {
	var out strings.Builder
	cased := false
	for _, r := range norm.NFD.String(text) {
		if unicode.Is(unicode.Mn, r) && cased {
			continue
		}
		cased = unicode.In(r, unicode.Latin, unicode.Greek)
		out.WriteRune(r)
	}
	return norm.NFC.String(out.String())
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
// it. A further one in it follows on a word that joins two: "if he agrees and if it is open". The
// words before the part are those of its sentence.
func (m *marks) conditionsIn(part string, before []string, all map[string]bool) []clause {
	part = norm.NFKC.String(part)
	at, words := word().FindAllStringIndex(part, -1), wordsOf(part)
	if len(at) != len(words) {
		return nil
	}
	var out []clause
	begin := 0
	for i := range words {
		joined := i > 0 && m.isJoin(words[i-1])
		if len(out) > 0 && !joined {
			continue
		}
		k := m.at(words[i:], all)
		if k == nil {
			continue
		}
		perhaps, reported := m.isReported(words, i, before, k)
		if reported {
			continue
		}
		if len(out) > 0 {
			out[len(out)-1].text = strings.TrimSpace(part[begin:at[i-1][0]])
		}
		begin = at[i][0]
		out = append(out, clause{text: strings.TrimSpace(part[begin:]), perhaps: k.perhaps || perhaps})
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

// farthest is how many words a report may stand before its question: "ask her by mail on Friday if".
const farthest = 5

// isReported reports whether a mark among words begins an indirect question, which is no
// condition: "ask her if she comes". What is told is a time, and none where somebody agrees in it
// ("tell her when Bo agrees"). Where more follows ("check if it is free and book it"), it is perhaps
// a condition.
func (m *marks) isReported(words []string, i int, before []string, k *mark) (perhaps, reported bool) {
	reach, comma := words[:i], i == 0
	if comma {
		reach = before
	}
	rest := words[i+len(k.words):]
	agrees := slices.ContainsFunc(rest, m.isPersonal)

	joins := func(r report) func(string) bool {
		return func(w string) bool { return slices.Contains(m.joinsOf[r.language], w) }
	}
	for n := 1; n <= min(len(reach), farthest); n++ {
		to, between := reach[:len(reach)-n+1], reach[len(reach)-n+1:]
		follows := func(r report) bool {
			return r.ends(to) && !slices.ContainsFunc(between, joins(r)) && (r.comma || !comma) && (n == 1 || !r.next)
		}
		if asks := slices.IndexFunc(m.asking, follows); asks >= 0 {
			more := slices.ContainsFunc(rest, joins(m.asking[asks]))
			return more, !more
		}
		if slices.ContainsFunc(m.telling, follows) {
			return false, k.perhaps && !agrees
		}
	}
	return false, false
}

// answers reports whether a sentence makes a condition of the question before it: "Is it free? Then
// book it."
func (m *marks) answers(sentence string) bool {
	words := strings.Join(wordsOf(sentence[:min(len(sentence), longestClause)]), " ") + " "
	return slices.ContainsFunc(m.so, func(begin string) bool { return strings.HasPrefix(words, begin+" ") })
}

// isJoin reports whether a word joins two conditions, or what is asked to what is done.
func (m *marks) isJoin(word string) bool { return slices.Contains(m.joins, word) }

// wordsOf returns the words of a text, in lower case, and each as that of one alphabet.
func wordsOf(text string) []string {
	out := word().FindAllString(strings.ToLower(text), -1)
	for i, w := range out {
		out[i] = lookalike.Unmixed(w)
	}
	return out
}
