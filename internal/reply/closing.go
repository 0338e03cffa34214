package reply

import (
	"slices"
)

// closes reports whether a text asks or says that nothing is missing, as a statement such as
// "these are all the items to be exchanged" does: in one sentence, in whatever of the forms
// for it ("any other item to exchange?"), with the statement's other words, or ones alike. What
// another clause negates ("since it can't be changed again") is something else.
func (l *lexicon) closes(text, statement []sentence) bool {
	said, ok := l.closing(flat(statement), "")
	if !ok || len(said.words) == 0 {
		return false
	}
	return slices.ContainsFunc(text, func(s sentence) bool {
		all := flat([]sentence{s})
		lacks := slices.ContainsFunc(said.words, func(w string) bool { return !l.hasAlike(all, w) })
		return !lacks && slices.ContainsFunc(s.clauses, func(clause []string) bool {
			found, ok := l.closing(clause, said.noun)
			return ok && found.negated == said.negated
		})
	})
}

// closing is what words say beside that nothing is missing.
type closing struct {
	words   []string // those that mean something
	negated bool
	noun    string // what nothing is missing of; "" for no word of its own
}

// closing finds a form that says that nothing is missing. One that needs a noun ("every item")
// takes the given one or a word for anything; without a given one, any.
func (l *lexicon) closing(words []string, noun string) (out closing, found bool) {
	rest := slices.Clone(words)
	for _, k := range [...]kind{each, whole} {
		for i := range rest {
			p := l.at(rest, i, k)
			if p == nil {
				continue
			}
			end := i + len(p.tokens)
			if k == each {
				if end == len(rest) || l.at(rest, end, small) != nil || !l.fits(rest[end], noun) {
					continue
				}
				out.noun = rest[end]
				end++
			}

			found = true
			for j := i; j < end; j++ {
				rest[j] = used
			}
		}
	}

	rest = slices.DeleteFunc(rest, func(w string) bool { return w == used })
	out.words, out.negated = meaning(rest, []*lexicon{l})
	return out, found
}

// fits reports whether a noun is the given one, or a word for anything; any is for none.
func (l *lexicon) fits(word, noun string) bool {
	return noun == "" || word == noun || echoes(noun, []string{word}) || l.at([]string{word}, 0, thing) != nil
}

// hasAlike reports whether a word is among some, in whatever form, or one alike.
func (l *lexicon) hasAlike(words []string, want string) bool {
	if has(words, []string{want}) {
		return true
	}
	return slices.ContainsFunc(l.alike, func(group []string) bool {
		return has(group, []string{want}) && slices.ContainsFunc(group, func(w string) bool { return has(words, []string{w}) })
	})
}
