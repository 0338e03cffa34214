package provenance

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A request is a verb of the user's text that asks for something to be done,
// with the part of its sentence that it governs. The values that a request covers are
// read from the sentence alone: text that others wrote has no part in it.
type request struct {
	verb      span
	governs   span
	deeds     deed
	word      string
	directive bool // asked for, not ruled out, doubted, or asked about
	takesUp   bool // with a pronoun for what was named before
	all       bool // speaks of all of something
	unknown   bool // not a word of the table
}

// Bounds of reading a text for requests.
const (
	// maxRequests is how many verbs of one text are kept; later ones ask for
	// nothing.
	maxRequests = 2048
	// reachBack is how many words before a verb may change what it says.
	reachBack = 12
	// takesUpWords is how many words behind a verb its pronoun is at most.
	takesUpWords = 6
	// takenUp is how far back a pronoun reaches, in bytes.
	takenUp = 600
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
			if next == len(text) || strings.IndexByte(" \n\"')", text[next]) >= 0 {
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

// tokenize finds the words of a text.
func (r *reading) tokenize(text string, quotes []span) {
	line, clause, quote := 0, 0, 0
	for start, end := range spelled(text) {
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
			t.marks, t.deeds = requests.marks[t.word], requests.meaning(t.word)
			if (t.marks != 0 || t.deeds != 0) && len(r.lines) > 0 {
				r.readable[line] = true
			}
		}
		r.tokens = append(r.tokens, t)
	}
}

// spelled yields the words of a text with the apostrophes and hyphens inside.
func spelled(text string) func(yield func(start, end int) bool) {
	return func(yield func(start, end int) bool) {
		start, spaceless := -1, false
		for i, c := range text {
			inside := wordRune(c) || unicode.Is(unicode.Mn, c)
			if !inside && start >= 0 && (c == '\'' || c == '’' || c == '-') {
				next, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(c):])
				inside = wordRune(next)
			}
			switch {
			case inside && start < 0:
				start, spaceless = i, scriptless(c)
			case inside && scriptless(c) != spaceless && !unicode.Is(unicode.Mn, c):
				if !yield(start, i) {
					return
				}
				start, spaceless = i, scriptless(c)
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
	// A dot or a colon with a letter behind it joins; one at the end of a
	// sentence does not.
	return (text[end] == '.' || text[end] == ':') && end+1 < len(text) && (isAlnum(text[end+1]) || text[end+1] == '/')
}

// plainWord is a word in lower case, without accents, and with one kind of
// apostrophe, as the table has it.
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
		for _, m := range requests.unspaced {
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
	for _, w := range requests.joined {
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

// requestAt reads the token at i as the verb of a request.
func (r *reading) requestAt(text string, i int) (request, bool) {
	t := &r.tokens[i]
	q := request{verb: t.span, deeds: t.deeds, word: t.word, directive: true}
	if t.quoted {
		return q, false
	}

	if t.deeds == 0 {
		q.deeds = r.gerund(i)
		// A verb that the table doesn't have asks for a tool that is named by it.
		q.unknown = q.deeds == 0
		if q.unknown && (t.marks != 0 || len(t.word) < 3 || !r.verbPlace(i)) {
			return q, false
		}
	} else if !r.isVerb(text, i) {
		return q, false
	}
	if t.word == "make" && r.next(i).word == "sure" {
		return q, false
	}

	if w := r.next(i).word; (w == "me" || w == "us") && answering.has(t.word) {
		q.deeds = toLook // the answer is for the user
	}
	q.deeds |= r.lightVerb(i)
	q.directive = !r.doubted(text, i)
	q.takesUp = r.takesUp(i)
	for j := i; j < len(r.tokens) && r.tokens[j].clause == t.clause && j < i+reachBack; j++ {
		q.all = q.all || r.tokens[j].marks&universalWord != 0
	}
	return q, true
}

// isVerb reports whether a word that may ask for something is a verb where it is.
func (r *reading) isVerb(text string, i int) bool {
	if requests.english[r.tokens[i].word] {
		return r.verbPlace(i)
	}
	return !r.isNoun(text, i)
}

// isNoun reports whether the word at i, of another language than English, is a
// noun: behind an article, or before the particle of an object.
func (r *reading) isNoun(text string, i int) bool {
	t := &r.tokens[i]
	if unspacedScript(t.word) {
		return strings.HasPrefix(text[t.end:], "を")
	}
	return i > 0 && r.tokens[i-1].clause == t.clause && determiners.has(r.tokens[i-1].word)
}

// lightVerb returns the deeds of the noun behind a verb that says little itself.
func (r *reading) lightVerb(i int) deed {
	if !lightVerbs.has(r.tokens[i].word) {
		return 0
	}
	for j := i + 2; j <= i+4 && j < len(r.tokens) && r.tokens[j].clause == r.tokens[i].clause; j++ {
		t := &r.tokens[j]
		article := false
		switch r.tokens[j-1].word {
		case "a", "an", "the", "full", "new":
			article = true
		}
		if article && !t.quoted && requests.english[t.word] {
			return t.deeds
		}
	}
	return 0
}

// gerund returns the deeds of a word such as "sending" where it is what the user
// asks for: "would you mind sending", "start by deleting".
func (r *reading) gerund(i int) deed {
	head, ok := strings.CutSuffix(r.tokens[i].word, "ing")
	if !ok || i == 0 || len(head) < 3 {
		return 0
	}
	switch r.tokens[i-1].word {
	case "mind", "by", "start", "begin", "try":
	default:
		return 0
	}
	for _, base := range [...]string{head, head + "e", head[:len(head)-1]} {
		if d := requests.deeds[base]; d != 0 {
			return d
		}
	}
	return 0
}

// next returns the token after i in its comma clause; the zero token at its end.
func (r *reading) next(i int) term {
	if i+1 < len(r.tokens) && r.tokens[i+1].clause == r.tokens[i].clause {
		return r.tokens[i+1]
	}
	return term{}
}

// verbPlace reports whether an English word is in a place where a request has
// its verb, and a sentence no noun: at the beginning of a clause, after "please",
// "and", "to", or "can you".
func (r *reading) verbPlace(i int) bool {
	for j := i - 1; ; j-- {
		if j < 0 || r.tokens[j].clause != r.tokens[i].clause {
			return true
		}
		t := &r.tokens[j]
		switch {
		case t.quoted:
			return false
		case t.marks&conjunction != 0:
			return true
		case t.marks&opener != 0:
			continue
		}

		switch t.word {
		case "to", "not", "never", "don't", "dont", "do", "can't", "cannot", "won't":
			return true // what they say of the verb is found by doubted
		case "you", "we", "i":
			return j+1 == i || t.word == "you"
		case "can", "could", "would", "will", "should", "must", "might", "may", "shall":
			return true
		}

		// "1. Send": the number of a list.
		return isIndex(t.word) && len(t.word) < 3 && (j == 0 || r.tokens[j-1].clause != t.clause)
	}
}

// doubted reports whether the words of the clause rule out, question, or put into
// another person's mouth what the verb at i would ask for.
func (r *reading) doubted(text string, i int) bool {
	t := &r.tokens[i]
	english := requests.english[t.word]
	if r.doubtedBefore(i, english) {
		return true
	}
	if t.marks&(negator|hedge) != 0 {
		return true // a run of Chinese or Japanese says both
	}
	return !english && r.negatedBehind(i)
}

// doubtedBefore reports whether the words of the clause before the verb at i doubt it.
func (r *reading) doubtedBefore(i int, english bool) bool {
	d := doubt{r: r, verb: i, english: english}
	for j := i - 1; j >= 0 && j >= i-reachBack && r.tokens[j].clause == r.tokens[i].clause; j-- {
		b := &r.tokens[j]
		if b.quoted {
			continue
		}
		if b.marks&lenient != 0 && j > 0 && r.tokens[j-1].marks&negator != 0 {
			j-- // "don't forget to"
			continue
		}
		if d.take(j) {
			return true
		}
	}
	return false
}

// doubt is what the words before a verb say about it, read from the verb on back.
type doubt struct {
	r         *reading
	verb      int
	english   bool
	joined    bool // a conjunction is between the verb and the word
	you, want bool
}

// take takes the word at j in, and reports whether it doubts the verb.
func (d *doubt) take(j int) bool {
	b := &d.r.tokens[j]

	switch {
	case b.word == "you":
		d.you = true
	case wanting.has(b.word):
		d.want = true
	case b.word == "to" && !d.joined:
	case b.marks&conjunction != 0:
		d.joined = true
	case b.marks&modal != 0:
		yours := j > 0 && d.r.tokens[j-1].word == "you"
		return !d.you && !d.want && !yours
	case b.marks&negator != 0:
		return !d.joined || !d.english
	case b.marks&hedge != 0:
		begins := b.word == "do" && j == 0
		return b.word == "did" || (!d.joined && !begins)
	case actors.has(b.word) && !d.joined && !d.want && j == d.verb-1:
		return true // what somebody does
	case b.word == "can" && !d.you && j+1 < len(d.r.tokens) && d.r.tokens[j+1].word == "i":
		return true
	}
	return false
}

// negatedBehind reports whether a negation follows the verb at i in its clause, as
// languages other than English have it.
func (r *reading) negatedBehind(i int) bool {
	for j := i + 1; j < len(r.tokens) && r.tokens[j].clause == r.tokens[i].clause; j++ {
		t := &r.tokens[j]
		if t.deeds != 0 && !unspacedScript(t.word) {
			return false
		}
		if !t.quoted && t.marks&negator != 0 {
			return true
		}
	}
	return false
}

// takesUp reports whether the verb at i has a pronoun for its object.
func (r *reading) takesUp(i int) bool {
	for j := i + 1; j <= i+takesUpWords && j < len(r.tokens) && r.tokens[j].clause == r.tokens[i].clause; j++ {
		t := &r.tokens[j]
		if t.quoted || t.marks&pronouns == 0 {
			continue
		}
		switch t.word {
		case "this", "that", "these", "those", "her", "one", "both", "same":
			// "this file" names one; "this" and "this to Bob" take one up.
			n := r.next(j)
			if n.word != "" && n.marks&(function|conjunction|opener) == 0 {
				continue
			}
		}
		return true
	}

	verb := r.tokens[i].word
	head, _, hyphen := strings.Cut(verb, "-")
	withPronoun := requests.deeds[verb] == 0 && requests.meaning(verb) != 0
	return withPronoun || (hyphen && requests.deeds[head] != 0)
}

// govern gives each request the part of its sentence that it is about: from its
// verb to the next one's, and before it what its own comma clause has.
func (r *reading) govern() {
	line := 0
	var before *request // the one before in the same sentence
	for i := range r.requests {
		q := &r.requests[i]
		for line < len(r.lines)-1 && q.verb.start >= r.lines[line].end {
			line++
			before = nil
		}
		clause := r.clauseAt(q.verb.start)
		q.governs = span{clause.start, r.lines[line].end}
		if q.unknown {
			continue
		}

		switch {
		case before == nil:
			// "In acme/site, close issue 12": what is put before the clause.
			if front := (span{r.lines[line].start, clause.start}); r.fronted(front) {
				q.governs.start = front.start
			}
		case before.verb.start >= clause.start:
			q.governs.start, before.governs.end = q.verb.start, q.verb.start
		default:
			before.governs.end = clause.start
		}
		before = q
	}
}

func (r *reading) clauseAt(pos int) span {
	i := sort.Search(len(r.clauses), func(i int) bool { return r.clauses[i].end > pos })
	if i == len(r.clauses) || pos < r.clauses[i].start {
		return span{pos, pos}
	}
	return r.clauses[i]
}

// fronted reports whether text before the clause of a verb begins with a
// preposition, and so belongs to the verb.
func (r *reading) fronted(front span) bool {
	for _, t := range r.tokens {
		if t.start >= front.end {
			return false
		}
		if t.start >= front.start && t.marks&(opener|conjunction) == 0 {
			return !t.quoted && fronting.has(t.word)
		}
	}
	return false
}

// covers reports whether a request for one of the deeds is about the value at
// [start, end), and nothing between them rules the value out.
func (r *reading) covers(work *meter, deeds deed, words []string, start, end int) bool {
	for i := range r.requests {
		q := &r.requests[i]
		if !work.spend(candidateWork) {
			return false
		}
		if !q.directive || !q.answers(deeds, words) {
			continue
		}
		if q.governs.start <= start && end <= q.governs.end && !r.ruledOut(work, q, start, end) {
			return true
		}
		// "Take X and send it to Bob": the pronoun takes X up.
		if q.takesUp && q.verb.start > end && q.verb.start-end <= takenUp && r.refersBack(work, i, end) {
			return true
		}
	}
	return false
}

// refersBack reports whether the pronoun of request i may be about the words that end
// at a place: no request between has an object of its own, except requests to look.
func (r *reading) refersBack(work *meter, i, end int) bool {
	for j := i - 1; j >= 0 && r.requests[j].verb.start > end; j-- {
		if !work.spend(1) {
			return false
		}
		if q := &r.requests[j]; q.directive && !q.unknown && !q.takesUp && q.deeds&toLook == 0 {
			return false
		}
	}
	return true
}

// answers reports whether a request asks for one of the deeds, or by one of the
// words of the tool's own name.
func (q *request) answers(deeds deed, words []string) bool {
	named := contains(words, stem(q.word)) && !generic.has(q.word)
	return named || q.deeds&deeds != 0
}

// ruledOut reports whether a negation is between a request's verb and a value,
// or a word that puts the value beside the request.
func (r *reading) ruledOut(work *meter, q *request, start, end int) bool {
	value := r.clauseAt(start)
	first := sort.Search(len(r.tokens), func(i int) bool { return r.tokens[i].start >= q.verb.end })
	for i := first; i < len(r.tokens) && r.tokens[i].end <= start; i++ {
		t := &r.tokens[i]
		if !work.spend(1) {
			return true
		}

		aside := t.start >= value.start && q.verb.end <= value.start && t.marks&(hedge|modal) != 0
		if aside && !t.quoted {
			return true // "…, he asked about billing"
		}
		if t.quoted || t.marks&negator == 0 || t.marks&lenient != 0 {
			continue
		}
		if t.start >= value.start || q.verb.end >= value.start {
			return true
		}
	}
	return false
}

// asked reports whether the text has a request for one of the deeds at all.
func (r *reading) asked(deeds deed, words []string) bool {
	for i := range r.requests {
		if q := &r.requests[i]; q.directive && q.answers(deeds, words) {
			return true
		}
	}
	return false
}

// elaborates reports whether the sentence at a place says how what was asked for
// should be: "the event should have the same participants as …".
func (r *reading) elaborates(pos int) bool {
	line := r.lineAt(pos)
	return line < len(r.lines) && r.elaborating[line]
}

// describe notes what each sentence as a whole does: to elaborate on a request, or
// to correct the sentence before it.
func (r *reading) describe() {
	r.elaborating, r.correcting = make([]bool, len(r.lines)), make([]bool, len(r.lines))
	other := make([]bool, len(r.lines))

	for i := range r.tokens {
		t := &r.tokens[i]
		if t.quoted || t.line >= len(r.lines) {
			continue
		}
		other[t.line] = other[t.line] || t.marks&(negator|hedge) != 0
		r.elaborating[t.line] = r.elaborating[t.line] || t.word == "should" || t.word == "must"
		r.correcting[t.line] = r.correcting[t.line] || correcting.has(t.word)
	}

	for i := range r.requests {
		if line := r.lineAt(r.requests[i].verb.start); !r.requests[i].unknown && line < len(r.lines) {
			other[line] = true
		}
	}
	for line := range r.lines {
		r.elaborating[line] = r.elaborating[line] && !other[line]
	}
}

// corrects reports whether the sentence at a place corrects the one before it.
func (r *reading) corrects(pos int) bool {
	line := r.lineAt(pos)
	return line > 0 && line < len(r.lines) && r.correcting[line]
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
