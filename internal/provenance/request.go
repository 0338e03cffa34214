package provenance

import (
	"sort"
	"strings"
)

// request is a verb of the user's text that asks for something to be done,
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
	// takesUpWords is how many words after a verb its pronoun is at most.
	takesUpWords = 6
	// takenUp is how far back a pronoun reaches, in bytes.
	takenUp = 600
)

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

	if w := r.next(i).word; (w == "me" || w == "us") && vocabulary().Answering.Has(t.word) {
		q.deeds = toLook // the answer is for the user
	}
	q.deeds |= r.lightVerb(i)
	q.directive = !r.isDoubted(text, i)
	q.takesUp = r.takesUp(i)
	for j := i; j < len(r.tokens) && r.tokens[j].clause == t.clause && j < i+reachBack; j++ {
		q.all = q.all || r.tokens[j].marks&universalWord != 0
	}
	return q, true
}

// isVerb reports whether a word that may ask for something is a verb where it is.
func (r *reading) isVerb(text string, i int) bool {
	if requests().english[r.tokens[i].word] {
		return r.verbPlace(i)
	}
	return !r.isNoun(text, i)
}

// isNoun reports whether the word at i, of another language than English, is a noun: after an
// article, or before the particle of an object.
func (r *reading) isNoun(text string, i int) bool {
	t := &r.tokens[i]
	if unspacedScript(t.word) {
		return strings.HasPrefix(text[t.end:], "を")
	}
	return i > 0 && r.tokens[i-1].clause == t.clause && vocabulary().Determiners.Has(r.tokens[i-1].word)
}

// lightVerb returns the deeds of the noun after a verb that says little itself.
func (r *reading) lightVerb(i int) deed {
	if !vocabulary().LightVerbs.Has(r.tokens[i].word) {
		return 0
	}
	for j := i + 2; j <= i+4 && j < len(r.tokens) && r.tokens[j].clause == r.tokens[i].clause; j++ {
		t := &r.tokens[j]
		article := false
		switch r.tokens[j-1].word {
		case "a", "an", "the", "full", "new":
			article = true
		}
		if article && !t.quoted && requests().english[t.word] {
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
		if d := requests().deeds[base]; d != 0 {
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
	withPronoun := requests().deeds[verb] == 0 && requests().meaning(verb) != 0
	return withPronoun || (hyphen && requests().deeds[head] != 0)
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
			if front := (span{r.lines[line].start, clause.start}); r.isFronted(front) {
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

// isFronted reports whether text before the clause of a verb begins with a
// preposition, and so belongs to the verb.
func (r *reading) isFronted(front span) bool {
	for _, t := range r.tokens {
		if t.start >= front.end {
			return false
		}
		if t.start >= front.start && t.marks&(opener|conjunction) == 0 {
			return !t.quoted && vocabulary().Fronting.Has(t.word)
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
	named := contains(words, stem(q.word)) && !vocabulary().Generic.Has(q.word)
	return named || q.deeds&deeds != 0
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

// plainly reports whether the text has a request for one of the deeds by a verb that says
// something, or with a word of the tool's name in what it governs.
func (r *reading) plainly(deeds deed, words []string) bool {
	for i := range r.requests {
		q := &r.requests[i]
		if !q.directive || !q.answers(deeds, words) {
			continue
		}
		if !vocabulary().VagueVerbs.Has(q.word) {
			return true
		}

		for j := range r.tokens {
			t := &r.tokens[j]
			governed := q.governs.start <= t.start && t.end <= q.governs.end
			if governed && !vocabulary().Generic.Has(t.word) && contains(words, stem(t.word)) {
				return true
			}
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
		r.correcting[t.line] = r.correcting[t.line] || vocabulary().Correcting.Has(t.word)
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
