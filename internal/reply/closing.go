package reply

import (
	"slices"
	"strings"
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

// Closes reports whether a user says that nothing is missing of what they want, where a statement
// does: "only the watch, nothing else". A clause has to say so and no more than that, except for
// the statement's own words: "that's all wrong" is something else. Nothing in the reply takes it
// back, and no clause behind it adds something: "only this. And the scarf". What the reply quotes is
// another's.
func Closes(said, statement string) bool {
	if len(said) > maxReply || len(statement) > maxStatement {
		return false
	}
	all := sentences(unquoted(said))
	asked, words := flat(sentences(statement)), flat(all)
	own := bestOf(words, said, statement)
	return slices.ContainsFunc(bestOf(asked, statement, statement), func(of *lexicon) bool {
		wanted, closes := of.closing(asked, "")
		return closes && slices.ContainsFunc(append([]*lexicon{of}, own...), func(l *lexicon) bool {
			return !l.has(stop, words) && l.endsDone(all, append(wanted.words, wanted.noun))
		})
	})
}

// SaysAll reports whether a statement says, or a question asks, that nothing is missing.
func SaysAll(statement string) bool {
	if len(statement) > maxStatement {
		return false
	}
	words := flat(sentences(statement))
	return slices.ContainsFunc(bestOf(words, statement, statement), func(l *lexicon) bool {
		_, closes := l.closing(words, "")
		return closes
	})
}

// Restricts reports whether a clause narrows what is wanted to things that are named by some words ("No,
// only the watch", "I'd like the watch exchanged only"), and whether it says nothing else: both only where each
// of its words is one of those, of the statement's, or says nothing. "Only the watch for now" narrows nothing.
func Restricts(clause, statement string, named []string) (restricts, plain bool) {
	if len(clause) > maxReply || len(statement) > maxStatement {
		return false, false
	}
	said, asked := sentences(clause), flat(sentences(statement))
	known := slices.Concat(tokensOf(strings.Join(named, " ")), asked)
	words := flat(said)
	if len(words) == 0 {
		return false, true
	}
	if slices.ContainsFunc(said, func(s sentence) bool { return s.asks }) {
		return false, false
	}

	for _, l := range bestOf(words, clause, statement) {
		if l.joined {
			continue
		}
		narrows, only := l.restricts(words, known)
		restricts, plain = restricts || (narrows && only), plain || only
	}
	return restricts, plain
}

// restricts reports whether words narrow something, and whether each of them is a known one or says nothing.
func (l *lexicon) restricts(words, known []string) (narrows, plain bool) {
	for i := 0; i < len(words); {
		p := l.at(words, i, meanwhile, sole, done, no, thanks, yes, good, small, thing, filler)
		switch {
		case p == nil && l.hasAlike(known, words[i]):
			i++
			continue
		case p == nil, p.kind == meanwhile, p.kind == no && i > 0:
			return false, false
		}
		if p.kind == sole && i > 0 && l.at(words[:i], i-1, no, not) != nil {
			return false, false // "not only"
		}
		narrows = narrows || p.kind == sole
		i += len(p.tokens)
	}
	return narrows, true
}

// Adds reports whether a reply may want more than what was said before: a clause begins with a word for that,
// such as "also", and says something.
func Adds(said string) bool {
	if len(said) > maxReply {
		return true
	}
	all := sentences(unquoted(said))
	words := flat(all)
	return slices.ContainsFunc(bestOf(words, said, said), func(l *lexicon) bool {
		return slices.ContainsFunc(all, func(s sentence) bool {
			return slices.ContainsFunc(s.clauses, func(c []string) bool {
				_, other := l.isDone(c, nil)
				return other && l.at(c, 0, further) != nil
			})
		})
	})
}

// endsDone reports whether a clause says that nothing is missing, and none behind it adds something.
func (l *lexicon) endsDone(all []sentence, wanted []string) bool {
	ends := false
	for _, s := range all {
		for _, clause := range s.clauses {
			done, other := l.isDone(clause, wanted)
			switch {
			case done && !s.asks:
				ends = true
			case other && l.at(clause, 0, further) != nil:
				ends = false
			}
		}
	}
	return ends
}

// isDone reports whether a clause says that nothing is missing and nothing of what is not wanted,
// and whether it says something else.
func (l *lexicon) isDone(clause, wanted []string) (says, other bool) {
	for i := 0; i < len(clause); {
		p := l.at(clause, i, done, yes, small, thing, filler)
		switch {
		case p != nil:
			says = says || p.kind == done
			i += len(p.tokens)
		case l.hasAlike(wanted, clause[i]):
			i++
		default:
			return false, true
		}
	}
	return says, false
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
