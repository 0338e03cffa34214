package provenance

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/remit-project/remit/internal/provenance/atom"
)

// term is a word of a text, with its marks.
type term struct {
	span
	word   string // in lower case, without accents
	marks  mark
	deeds  deed
	quoted bool // inside of quotes, or a piece of an address, a path or a code
	clause int  // the comma clause that it is in
	line   int  // the sentence that it is in
}

// reading is what is read of a text: its tokens and its requests.
type reading struct {
	tokens   []term
	requests []request
	clauses  []span // from comma to comma
	lines    []span // sentences
	readable []bool // for each sentence, whether its language is read here
	// elaborating and correcting tell what each sentence is to the one before it.
	elaborating, correcting []bool
}

// readRequests finds the requests of a text.
func readRequests(text string, quotes []span) *reading {
	r := &reading{}
	r.split(text)
	r.tokenize(text, quotes)
	r.findJoined(text)
	for i := range r.tokens {
		if len(r.requests) == maxRequests {
			break
		}
		if q, ok := r.requestAt(text, i); ok {
			r.requests = append(r.requests, q)
		}
	}
	r.govern()
	r.describe()
	return r
}

// split cuts a text into sentences and comma clauses. A line ends a sentence
// unless it announces the next one with a colon.
func (r *reading) split(text string) {
	line, clause := 0, 0
	cut := func(end, next int, sentence bool) {
		if end > clause {
			r.clauses = append(r.clauses, span{clause, end})
		}
		clause = next
		if sentence {
			if end > line {
				r.lines = append(r.lines, span{line, end})
			}
			line = next
		}
	}

	for i, c := range text {
		next := i + utf8.RuneLen(c)
		if c == utf8.RuneError {
			next = i + 1
		}
		switch c {
		case '.', '!', '?', ';':
			ends := next == len(text) || strings.IndexByte(" \n\"')", text[next]) >= 0
			if ends && !goesOn(text[next:]) {
				cut(i, i, true)
			}
		case '。', '！', '？', '；', '؟':
			cut(i, i, true)
		case '\n':
			if before := strings.TrimRight(text[:i], " \t\r`"); !strings.HasSuffix(before, ":") && !strings.HasSuffix(before, "：") {
				cut(i, next, true)
			}
		case ',', ':':
			if next == len(text) || text[next] == ' ' || text[next] == '\n' {
				cut(i, i, false)
			}
		case '，', '、', '،', '–', '—', '(', ')', '：':
			cut(i, i, false)
		}
	}

	cut(len(text), len(text), true)
	r.readable = make([]bool, len(r.lines))
}

// goesOn reports whether a sentence goes on after a quotation that ends with a sentence of its
// own: `Add "Run with make." to the page`.
func goesOn(rest string) bool {
	if len(rest) < 3 || (rest[0] != '"' && rest[0] != '\'') || rest[1] != ' ' {
		return false
	}
	return 'a' <= rest[2] && rest[2] <= 'z'
}

// tokenize finds the words of a text.
func (r *reading) tokenize(text string, quotes []span) {
	line, clause, quote := 0, 0, 0
	for start, end := range sentenceWords(text) {
		for line < len(r.lines)-1 && start >= r.lines[line].end {
			line++
		}
		for clause < len(r.clauses)-1 && start >= r.clauses[clause].end {
			clause++
		}
		for quote < len(quotes) && quotes[quote].end <= start {
			quote++
		}

		t := term{span: span{start, end}, word: plainWord(text[start:end]), clause: clause, line: line}
		inQuotes := quote < len(quotes) && quotes[quote].start <= start
		t.quoted = inQuotes || partOfAtom(text, start, end)
		if !t.quoted {
			t.marks, t.deeds = requests().marks[t.word], requests().meaning(t.word)
			if (t.marks != 0 || t.deeds != 0) && len(r.lines) > 0 {
				r.readable[line] = true
			}
		}
		r.tokens = append(r.tokens, t)
	}
}

// sentenceWords yields the words of a text with the apostrophes and hyphens inside.
func sentenceWords(text string) func(yield func(start, end int) bool) {
	return func(yield func(start, end int) bool) {
		start, spaceless := -1, false
		for i, c := range text {
			inside := atom.IsWordRune(c) || unicode.Is(unicode.Mn, c)
			if !inside && start >= 0 && (c == '\'' || c == '’' || c == '-') {
				next, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(c):])
				inside = atom.IsWordRune(next)
			}
			switch {
			case inside && start < 0:
				start, spaceless = i, atom.IsUnspaced(c)
			case inside && atom.IsUnspaced(c) != spaceless && !unicode.Is(unicode.Mn, c):
				if !yield(start, i) {
					return
				}
				start, spaceless = i, atom.IsUnspaced(c)
			case !inside && start >= 0:
				if !yield(start, i) {
					return
				}
				start = -1
			}
		}
		if start >= 0 {
			yield(start, len(text))
		}
	}
}

// partOfAtom reports whether text[start:end] is a piece of an address, a path or a
// code, and not a word of the sentence.
func partOfAtom(text string, start, end int) bool {
	if start > 0 && strings.IndexByte("@._/\\#$%=&~+*", text[start-1]) >= 0 {
		return true
	}
	if end == len(text) {
		return false
	}
	if strings.IndexByte("@_/\\=&~", text[end]) >= 0 {
		return true
	}
	// A dot or a colon with a letter after it joins; one at the end of a sentence does not.
	return (text[end] == '.' || text[end] == ':') && end+1 < len(text) && (atom.IsAlphanumeric(text[end+1]) || text[end+1] == '/')
}

// plainWord returns a word in lower case, without accents, and with one kind of apostrophe, as
// the table has it.
func plainWord(w string) string {
	w = strings.ReplaceAll(strings.ToLower(w), "’", "'")
	for i := 0; i < len(w); i++ {
		if w[i] >= utf8.RuneSelf {
			return strings.Map(func(c rune) rune {
				if unicode.Is(unicode.Mn, c) {
					return -1
				}
				return c
			}, norm.NFD.String(w))
		}
	}
	return w
}

// enclitics are the pronouns that Romance verbs carry at their end.
var enclitics = [...]string{"gliene", "glielo", "cela", "celo", "ne", "selo", "sela", "melo", "los", "las", "les", "lo", "la", "le", "li", "gli", "nos", "me"}

// meaning returns the deeds of a word: of itself, of its first part where a
// hyphen joins a pronoun to it, or without the pronoun at its end.
func (x *lexicon) meaning(w string) deed {
	if d, ok := x.deeds[w]; ok {
		return d
	}
	if head, _, ok := strings.Cut(w, "-"); ok && !x.english[head] {
		return x.deeds[head]
	}
	for _, e := range enclitics {
		if head, ok := strings.CutSuffix(w, e); ok && len(head) > 2 && !x.english[head] {
			if d := x.deeds[head]; d != 0 {
				return d
			}
		}
	}
	return 0
}

// findJoined adds the words of scripts without spaces, which are found inside
// of runs of letters: the run's token carries all that is in it.
func (r *reading) findJoined(text string) {
	var out []term
	for _, t := range r.tokens {
		run := text[t.start:t.end]
		if t.quoted || !unspacedScript(run) {
			out = append(out, t)
			continue
		}

		r.readable[t.line] = true
		t.deeds = 0
		for _, m := range requests().unspaced {
			if strings.Contains(run, m.text) {
				t.marks |= m.mark
			}
		}
		out = append(out, t)
		out = appendJoined(out, t, run)
	}
	r.tokens = out
}

// appendJoined adds the longest word at each place of a run.
func appendJoined(out []term, t term, run string) []term {
	for i := 0; i < len(run); {
		word := longestJoined(run[i:])
		if word.text == "" {
			_, size := utf8.DecodeRuneInString(run[i:])
			i += size
			continue
		}
		at := span{t.start + i, t.start + i + len(word.text)}
		out = append(out, term{span: at, word: word.text, marks: t.marks, deeds: word.deed, clause: t.clause, line: t.line})
		i += len(word.text)
	}
	return out
}

// longestJoined returns the longest word that a text begins with, with all its deeds.
func longestJoined(text string) joinedWord {
	best := joinedWord{}
	for _, w := range requests().joined {
		if !strings.HasPrefix(text, w.text) || len(w.text) < len(best.text) {
			continue
		}
		if len(w.text) == len(best.text) {
			w.deed |= best.deed
		}
		best = w
	}
	return best
}

func (r *reading) lineAt(pos int) int {
	return sort.Search(len(r.lines), func(i int) bool { return r.lines[i].end > pos })
}

// readableAt reports whether the sentence at a place is in a language of the
// table.
func (r *reading) readableAt(pos int) bool {
	i := sort.Search(len(r.lines), func(i int) bool { return r.lines[i].end >= pos })
	return i == len(r.lines) || r.readable[i]
}
