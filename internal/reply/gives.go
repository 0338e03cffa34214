package reply

import "slices"

// Gives reports whether a reply gives what a statement names, such as "the reason for the
// cancellation": in answer to a question that says the statement, by more than a yes or no; or, of a
// reason, by themselves ("cancel it because my plans changed"). A refusal gives nothing unless it has a
// reason.
func Gives(question, said, statement string) bool {
	if len(said) > maxReply || len(statement) > maxStatement {
		return false
	}
	asked := Tells(question, statement)
	r := Read(question, said)
	text := sentences(unquoted(said))
	languages := bestOf(flat(text), said, said)
	if asked && r.Answer == Unclear && !r.Idle && !onlyAgrees(flat(text), languages) {
		return true
	}

	named := flat(sentences(statement))
	terms := bestOf(named, statement, statement)
	ofReason := slices.ContainsFunc(terms, func(l *lexicon) bool { return l.has(why, named) })
	wanted, _ := meaning(named, terms)
	return ofReason && !r.Asks && slices.ContainsFunc(languages, func(l *lexicon) bool { return l.explains(text, wanted, asked) })
}

// onlyAgrees reports whether words do nothing but agree or refuse.
func onlyAgrees(words []string, languages []*lexicon) bool {
	return slices.ContainsFunc(languages, func(l *lexicon) bool {
		for i := 0; i < len(words); {
			p := l.at(words, i, yes, good, fine, no, filler)
			if p == nil {
				return false
			}
			i += len(p.tokens)
		}
		return true
	})
}

// explains reports whether a sentence has a reason for what is wanted: for what it names itself,
// or for what was asked.
func (l *lexicon) explains(text []sentence, wanted []string, asked bool) bool {
	return slices.ContainsFunc(text, func(s sentence) bool {
		named := slices.ContainsFunc(s.clauses, func(clause []string) bool {
			return !l.has(not, clause) && slices.ContainsFunc(wanted, func(w string) bool { return !l.is(why, w) && isOf(w, clause) })
		})
		return !s.asks && (asked || named) && slices.ContainsFunc(s.clauses, l.hasCause)
	})
}

// hasCause reports whether a clause begins a reason, and says it.
func (l *lexicon) hasCause(clause []string) bool {
	const least = 2 // words of a reason: "my plans"
	for i := range clause {
		p := l.at(clause, i, cause)
		negated := i > 0 && l.is(not, clause[i-1])
		if p != nil && !negated && i+len(p.tokens)+least <= len(clause) {
			return true
		}
	}
	return false
}

// isOf reports whether a word, or one that begins as it does, is among words: "cancel" for
// "cancellation".
func isOf(word string, words []string) bool {
	const least = 5 // letters in common
	begins := func(w string) bool { return len(word) >= least && len(w) >= least && w[:least] == word[:least] }
	return has(words, []string{word}) || slices.ContainsFunc(words, begins)
}
