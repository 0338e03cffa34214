package proxy

import (
	"slices"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/pattern"
)

// lineage records who said what in a conversation.
type lineage struct {
	// outside is true once external text was read.
	outside bool
	// users are the user's own words, up to a bound.
	users []string
	heard int
	// phrases are the keys of the first of users, as far as they were needed, and phrased
	// is how many; of is the owner by whom the keys are.
	phrases map[uint64]bool
	phrased int
	of      uint64
	// brought is what came from outside.
	brought brought
}

// own returns the keys of the user's words.
func (l *lineage) own(owner uint64) map[uint64]bool {
	if l.phrases == nil || l.of != owner {
		l.phrases, l.phrased, l.of = map[uint64]bool{}, 0, owner
	}
	for ; l.phrased < len(l.users); l.phrased++ {
		phrases(owner, l.users[l.phrased], l.phrases)
	}
	return l.phrases
}

// includes reports whether the user has written a text, ignoring case and
// punctuation.
func (l *lineage) includes(text string) bool {
	words, _ := tokensOf(text, maxEchoTokens)
	return includes(l.words(), words)
}

// words returns the words of each text of the user's.
func (l *lineage) words() [][]token {
	out := make([][]token, len(l.users))
	for i, u := range l.users {
		out[i], _ = tokensOf(u, maxEchoTokens)
	}
	return out
}

// includes reports whether one of several texts has some words.
func includes(texts [][]token, words []token) bool {
	same := func(a, b token) bool { return a.hash == b.hash }
	return slices.ContainsFunc(texts, func(said []token) bool {
		for i := 0; i+len(words) <= len(said); i++ {
			if slices.EqualFunc(words, said[i:i+len(words)], same) {
				return true
			}
		}
		return false
	})
}

// hear records an event. Words beyond the bound don't count as the user's.
func (l *lineage) hear(e remit.Event) {
	if e.Kind != remit.UserEvent {
		return
	}
	if room := maxUser - l.heard; room > 0 {
		l.users = append(l.users, e.Text[:min(len(e.Text), room)])
	}
	l.heard += len(e.Text)
}

// transcript reports whether the user's words may be a transcript of several
// speakers, as when a conversation is to be summed up.
func (l *lineage) transcript() bool {
	return l.heard > maxUser || slices.ContainsFunc(l.users, roles().MatchString)
}

// roles are the speaker labels of transcripts.
var roles = pattern.OnUse(`(?im)^\W*(?:tool|observation|function|assistant|ai)\b[^\n]{0,20}:|(?:role|type)\W{1,5}(?:tool|function|assistant|ai|model)\b`)
