package reply

import (
	"slices"
	"strings"
)

// TakesBack reports whether a clause takes back what was said before, and says nothing else: "oh, forget it".
func TakesBack(text string) bool {
	if len(text) > maxReply {
		return true
	}
	clauses := sentences(text)
	return slices.ContainsFunc(bestOf(flat(clauses), text, text), func(l *lexicon) bool {
		return slices.ContainsFunc(clauses, func(s sentence) bool { return slices.ContainsFunc(s.clauses, l.takesBack) })
	})
}

// Stops reports whether a turn of the user's refuses what the agent is about to do, or takes it back:
// "No, stop", "don't pay it". A question back does not, nor what is said beside it ("Thanks", "and CC Bob"). A turn
// that is too long to be read may.
func Stops(turn string) bool {
	r := Read("", turn)
	return (r.Answer == Refused && !r.Asks) || TakesBack(turn)
}

// takesBack reports whether a clause has nothing but a phrase that takes back, and small words: "forget it",
// and not "forget the voucher".
func (l *lexicon) takesBack(clause []string) bool {
	if l.joined {
		text := strings.Join(clause, "")
		phrase := l.find(back, text)
		return phrase != "" && l.bare(strings.ReplaceAll(text, phrase, used)) == ""
	}

	takes := false
	for i := 0; i < len(clause); {
		p := l.at(clause, i, back, yes, good, no, filler, small)
		if p == nil {
			return false
		}
		takes = takes || p.kind == back
		i += len(p.tokens)
	}
	return takes
}
