package reply

import (
	"slices"
	"strings"
	"unicode"
)

// withoutMentions returns a text without the parts of sentences that only mention something: what others say, do
// or want ("my friend said it was cancelled"), what isn't so or might be ("if it had been the weather"), and what is
// asked about a value ("Is card_1 safe?", "does the weather count?"). It also reports whether the text is the same
// whatever the value is.
func withoutMentions(languages []*lexicon, text, value string) (own string, always bool) {
	var out strings.Builder
	always = true
	named := func() []string { // which may be a message that tells of others
		always = false
		return tokensOf(value)
	}
	for _, s := range rawSentences(text) {
		clauses := clausesOf(languages, s)
		asks := strings.HasSuffix(strings.TrimSpace(s), "?")
		wanted := 0 // the last clause that asks for something to be done
		for i, c := range clauses {
			if c.some(setOf(plea), func(l *lexicon) bool { return l.has(plea, c.words) }) {
				wanted = i
			}
		}

		told := false // the clause before ends in somebody's saying
		for i, c := range clauses {
			if c.some(setOf(unreal), func(l *lexicon) bool { return l.isUnreal(c.words) }) {
				break
			}
			others := told || c.some(setOf(person, wish, hearsay, source), func(l *lexicon) bool { return l.isOfAnother(c.words) }) ||
				c.some(setOf(speech), func(l *lexicon) bool { return l.tellsOfOthers(c.words) && !l.has(speech, named()) })
			told = c.some(setOf(speech, hearsay, source), func(l *lexicon) bool { return l.endsInSpeech(c.words) })
			if asks || i >= wanted { // not in "if W1 hasn't left, please cancel it"
				c = c.unconditional()
			}

			isLast := i == len(clauses)-1
			asked := asks && isLast && (c.some(setOf(being), func(l *lexicon) bool { return l.asksOf(c.words, named()) }) || asksWhetherSo(clauses[0].words, &c, named()))
			if !others && !asked {
				out.WriteString(c.text)
			}
		}
	}
	return out.String(), always
}

// clauseRead is a clause with its words, and the languages that it may be of.
type clauseRead struct {
	text      string
	words     []string
	languages []*lexicon
	begins    []kindSet // by language
}

func clausesOf(languages []*lexicon, sentence string) []clauseRead {
	var out []clauseRead
	for _, text := range Clauses(sentence) {
		c := clauseRead{text: text, words: flat(sentences(text)), languages: languages}
		for _, l := range languages {
			c.begins = append(c.begins, l.begins(c.words))
		}
		out = append(out, c)
	}
	return out
}

// some reports whether the clause says something in one of the languages that it may be of: in those in which it may
// have a phrase of some kinds.
func (c *clauseRead) some(of kindSet, says func(*lexicon) bool) bool {
	for i, l := range c.languages {
		may := l.joined || c.begins[i]&of != 0
		if may && says(l) {
			return true
		}
	}
	return false
}

// isUnreal reports whether a clause tells what isn't so, and is no courtesy ("wäre es möglich").
func (l *lexicon) isUnreal(words []string) bool {
	if l.joined {
		return l.has(unreal, words)
	}
	for i := range words {
		if p := l.at(words, i, polite, unreal); p != nil && p.kind == unreal {
			return true
		}
	}
	return false
}

// isOfAnother reports whether a clause is about what somebody else does or wants, for whom the user doesn't speak:
// "my neighbour cancelled it", "Bob wants it cancelled". What they did to the user is the user's own.
func (l *lexicon) isOfAnother(words []string) bool {
	if l.joined {
		return false
	}
	const subject = 3 // words within which a clause names what it is about
	for i := range words {
		about := i < subject && l.is(person, words[i]) && !l.has(self, words[i+1:])
		near := words[max(0, i-1):min(len(words), i+2)]
		byUser := slices.ContainsFunc(near, func(w string) bool { return l.is(speaker, w) })
		wanted := i > 0 && l.at(words, i, wish) != nil && !byUser && !l.has(kin, words)
		if about || wanted {
			return true
		}
	}
	return l.isHeard(words)
}

// isHeard reports whether a clause tells what the user only heard.
func (l *lexicon) isHeard(words []string) bool {
	if l.has(hearsay, words) && !l.has(paper, words) {
		return true
	}
	for i := range words {
		if p := l.at(words, i, source); p != nil && !l.isOwnSource(words[i+len(p.tokens):]) {
			return true
		}
	}
	return false
}

// isOwnSource reports whether what something is said to be according to is the agent, or a mail or page of the user's.
func (l *lexicon) isOwnSource(words []string) bool {
	if len(words) > 1 && l.at(words, 0, paper) == nil && l.at(words, 0, filler, common, wants) != nil {
		words = words[1:] // "the", "my"
	}
	return len(words) > 0 && l.at(words, 0, speaker, paper) != nil
}

// endsInSpeech reports whether what follows a clause is what somebody else says in it: "my neighbour claims, …".
func (l *lexicon) endsInSpeech(words []string) bool {
	if l.joined || len(words) == 0 || l.is(speaker, words[0]) {
		return false
	}
	if p := l.at(words, 0, source); p != nil {
		return !l.isOwnSource(words[len(p.tokens):])
	}
	for i := range words {
		p := l.at(words, i, speech, hearsay)
		byUser := i > 0 && l.is(speaker, words[i-1])
		if p != nil && !byUser && i+len(p.tokens) == len(words) {
			return true
		}
	}
	return false
}

// unconditional returns the clause without the condition in it, but for the word that begins it: "cancel it if …". A
// courtesy is none, and neither is what the user wants to be found out ("see if it has arrived").
func (c *clauseRead) unconditional() clauseRead {
	from, to := len(c.words), len(c.words)
	c.some(setOf(iffy), func(l *lexicon) bool {
		for i := range c.words[:from] {
			p := l.at(c.words, i, polite, iffy)
			isYes := p != nil && len(p.tokens) == 1 && strings.Contains(strings.ToLower(c.text), "sí")
			if p == nil || p.kind == polite || isYes || l.has(look, c.words[:i]) {
				continue
			}

			from, to = i+len(p.tokens), i+len(p.tokens)
			for to < len(c.words) && l.at(c.words, to, resume) == nil {
				to++
			}
			break
		}
		return false
	})
	if from == len(c.words) {
		return *c
	}
	out := *c
	out.text = c.text[:offsetOf(c.text, from)] + c.text[offsetOf(c.text, to):]
	out.words = slices.Concat(c.words[:from], c.words[to:])
	return out
}

// offsetOf returns where a word of a text begins, by how many words stand before it.
func offsetOf(text string, word int) int {
	at := 0
	for at < len(text) {
		n := strings.IndexFunc(text[at:], func(c rune) bool { return !unicode.IsSpace(c) })
		if n < 0 {
			break
		}
		end := strings.IndexFunc(text[at+n:], unicode.IsSpace)
		if end < 0 {
			end = len(text) - at - n
		}
		have := len(tokensOf(text[at+n : at+n+end]))
		if have > word {
			return at + n
		}
		word, at = word-have, at+n+end
	}
	return len(text)
}

// asksWhetherSo reports whether a question is of how things are, and not of what the user has or wants: "does illness
// count?". Its sentence doesn't begin with a word such as "where", which asks for what is known of a thing.
func asksWhetherSo(beginning []string, c *clauseRead, value []string) bool {
	const fewest = 2 // words beside the value: "the kettle?" answers
	read := slices.ContainsFunc(c.languages, func(l *lexicon) bool { return l.begun[""]&setOf(wants) != 0 })
	return read && len(c.words) > len(value)+fewest && !slices.ContainsFunc(c.languages, func(l *lexicon) bool {
		return l.asksWhat(beginning) || l.has(wants, c.words)
	})
}

// asksWhat reports whether a sentence begins with a word such as "what", fillers aside.
func (l *lexicon) asksWhat(words []string) bool {
	for i := range words {
		if l.at(words, i, ask) != nil {
			return l.at(words, i, yesno) == nil
		}
		if l.at(words, i, filler) == nil {
			return false
		}
	}
	return false
}

// rawSentences divides a text behind the signs that end a sentence, where a space follows, and behind lines.
func rawSentences(text string) []string {
	var out []string
	start := 0
	var last rune
	for i, c := range text {
		ends := last == '\n' || (unicode.IsSpace(c) && strings.ContainsRune(sentenceSigns, last))
		if ends {
			out = append(out, text[start:i])
			start = i
		}
		last = c
	}
	return append(out, text[start:])
}

// tellsOfOthers reports whether a clause tells what somebody else says: a person, or whatever says what is to be
// done. What a mail or a page says of the user's own, such as the number of an order, they say themselves.
func (l *lexicon) tellsOfOthers(words []string) bool {
	if l.joined {
		return false
	}
	for i := range words {
		if l.at(words, i, speech) == nil || i == 0 || l.is(speaker, words[i-1]) {
			continue
		}
		if !l.has(paper, words[:i]) || l.has(duty, words[i:]) {
			return true
		}
	}
	return false
}

// asksOf reports whether a clause asks what a value is ("Is W1 …", "the reason is W1"), and for nothing to be done.
func (l *lexicon) asksOf(words, value []string) bool {
	at := indexOf(words, value)
	if l.joined || at < 0 {
		return false
	}
	first := 0
	for first < len(words)-1 && l.at(words, first, filler) != nil && l.at(words, first, being, aux, ask) == nil {
		first++
	}
	if p := l.at(words, first, being); p != nil {
		return at == first+len(p.tokens)
	}
	return l.at(words, first, aux, ask) == nil && slices.ContainsFunc(words[first:], func(w string) bool { return l.is(being, w) })
}

// indexOf returns the place of words among others, or -1.
func indexOf(words, part []string) int {
	for i := 0; len(part) > 0 && i+len(part) <= len(words); i++ {
		if slices.Equal(words[i:i+len(part)], part) {
			return i
		}
	}
	return -1
}
