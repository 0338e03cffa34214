package reply

import (
	"slices"
	"strings"
)

// sentence notes what one sentence of a reply has.
func (l *lexicon) sentence(s sentence, echoed []string, m *marks) {
	var own marks
	asks := s.asks
	for _, c := range s.clauses {
		found := l.clause(c, echoed)
		asks = asks || found.asks
		own.agrees, own.fine = own.agrees || found.agrees, own.fine || found.fine
		own.refusedFirst = own.refusedFirst || found.refuses && !own.agrees && !m.agrees
		own.refuses, own.stops = own.refuses || found.refuses, own.stops || found.stops
		own.doubtful, own.negates = own.doubtful || found.doubtful, own.negates || found.negates
		own.asks = own.asks || found.asks
		m.idle = m.idle && found.idle
	}

	if asks {
		// An agreement in a question is none: "OK, how much is it?"
		m.idle = false
		own.doubtful = own.doubtful || own.agrees && !own.asks
		own.agrees, own.asks = false, true
	}
	m.refusedFirst = m.refusedFirst || own.refusedFirst && !m.agrees
	m.agrees, m.fine = m.agrees || own.agrees, m.fine || own.fine
	m.refuses, m.stops = m.refuses || own.refuses, m.stops || own.stops
	m.asks, m.doubtful, m.negates = m.asks || own.asks, m.doubtful || own.doubtful, m.negates || own.negates
}

// used stands where a phrase was taken out of a clause.
const used = "\x00"

// clause notes what one clause has.
func (l *lexicon) clause(words, echoed []string) marks {
	if l.joined {
		return l.joinedClause(strings.Join(words, ""))
	}

	var m marks
	rest := slices.Clone(words)
	for i := 0; i < len(rest); i++ {
		p := l.at(rest, i, fine, aside, stop)
		if p == nil {
			continue
		}
		m.agrees, m.fine = m.agrees || p.kind == fine, m.fine || p.kind == fine
		m.stops = m.stops || p.kind == stop
		for j := range p.tokens {
			rest[i+j] = used
		}
		i += len(p.tokens) - 1
	}

	at := l.begin(rest, &m)
	m.asks = at < len(rest) && l.at(rest, at, ask) != nil
	negated := slices.IndexFunc(rest, func(w string) bool { return l.is(not, w) })
	if negated >= 0 && !m.refuses {
		l.negate(rest, negated, &m)
	}
	if content := l.content(rest); !m.agrees && !m.refuses && !m.stops && negated < 0 && len(content) == 1 {
		m.agrees = echoes(content[0], echoed)
	}
	m.idle = !m.agrees && !m.refuses && !m.stops && len(l.content(rest)) == 0
	return m
}

// begin finds the agreement or refusal that a clause begins with, fillers aside, and
// returns where the rest begins.
func (l *lexicon) begin(rest []string, m *marks) int {
	for i := 0; i < len(rest); {
		switch p := l.at(rest, i, yes, no, good); {
		case p == nil:
		case p.kind == no:
			m.refuses = true
			return i + len(p.tokens)
		case p.kind == yes || len(l.content(rest[i+len(p.tokens):])) == 0:
			m.agrees = true
			after := i + len(p.tokens)
			for after < len(rest) && l.at(rest, after, filler) != nil && l.at(rest, after, ask) == nil {
				after += len(l.at(rest, after, filler).tokens)
			}
			return after
		}

		skip := l.at(rest, i, filler)
		switch {
		case rest[i] == used:
			i++
		case l.at(rest, i, ask) != nil || skip == nil:
			return i
		default:
			i += len(skip.tokens)
		}
	}
	return len(rest)
}

// negate notes what a negation does to its clause.
func (l *lexicon) negate(rest []string, at int, m *marks) {
	follows := false
	for i := range rest {
		p := l.at(rest, i, yes, good)
		if p == nil || l.is(filler, rest[i]) && len(p.tokens) == 1 {
			continue
		}
		follows = follows || i > at || i+len(p.tokens) == at
	}
	switch {
	case follows:
		m.refuses, m.agrees = true, false
	case m.agrees:
		m.doubtful = true
	default:
		m.negates = true
	}
}

// content returns the words of a clause that are not fillers.
func (l *lexicon) content(rest []string) []string {
	var out []string
	for i := 0; i < len(rest); {
		p := l.at(rest, i, filler)
		switch {
		case p != nil:
			i += len(p.tokens)
			continue
		case rest[i] != used:
			out = append(out, rest[i])
		}
		i++
	}
	return out
}

// at returns the longest phrase of some kinds that begins at a place, or nil. Of
// phrases of one length that of the first kind counts.
func (l *lexicon) at(words []string, i int, of ...kind) *phrase {
	var best *phrase
	list := l.byFirst[words[i]]
	for j := range list {
		p := &list[j]
		if !slices.Contains(of, p.kind) || len(p.tokens) > len(words)-i || !slices.Equal(p.tokens, words[i:i+len(p.tokens)]) {
			continue
		}
		shorter := best != nil && len(p.tokens) < len(best.tokens)
		later := best != nil && len(p.tokens) == len(best.tokens) && slices.Index(of, p.kind) >= slices.Index(of, best.kind)
		if !shorter && !later {
			best = p
		}
	}
	return best
}

// is reports whether a word by itself is of a kind.
func (l *lexicon) is(k kind, word string) bool { return l.at([]string{word}, 0, k) != nil }

// has reports whether a phrase of a kind is among words.
func (l *lexicon) has(k kind, words []string) bool {
	if l.joined {
		return l.find(k, strings.Join(words, "")) != ""
	}
	for i := range words {
		if l.at(words, i, k) != nil {
			return true
		}
	}
	return false
}

// find returns the longest phrase of a kind that a text without spaces has.
func (l *lexicon) find(k kind, text string) string {
	for _, p := range l.byFirst[""] {
		if p.kind == k && strings.Contains(text, p.tokens[0]) {
			return p.tokens[0]
		}
	}
	return ""
}

// joinedClause notes what a clause of a script without spaces has.
func (l *lexicon) joinedClause(text string) marks {
	var m marks
	for _, p := range l.byFirst[""] {
		takes := p.kind == fine || p.kind == aside || p.kind == stop
		if !takes || !strings.Contains(text, p.tokens[0]) {
			continue
		}
		m.agrees, m.fine = m.agrees || p.kind == fine, m.fine || p.kind == fine
		m.stops = m.stops || p.kind == stop
		text = strings.ReplaceAll(text, p.tokens[0], used)
	}

	m.asks = l.find(ask, text) != ""
	bare := l.bare(text)
	for _, p := range l.byFirst[""] {
		w := p.tokens[0]
		switch {
		case p.kind == no && strings.HasPrefix(bare, w):
			m.refuses = true
		case p.kind == yes && (strings.HasPrefix(text, w) || strings.HasPrefix(bare, w) || strings.HasSuffix(text, w)):
			m.agrees = true
		case p.kind == good && (bare == w || text == w):
			m.agrees = true
		}
	}

	if l.find(not, bare) != "" && !m.refuses {
		m.doubtful, m.negates = m.agrees && !m.fine, true
	}
	if m.refuses {
		m.agrees = false
	}
	m.idle = !m.agrees && !m.refuses && !m.stops && bare == ""
	return m
}

// bare takes the fillers off both ends of a text.
func (l *lexicon) bare(text string) string {
	for before := ""; before != text; {
		before = text
		text = strings.Trim(text, used)
		for _, p := range l.byFirst[""] {
			if p.kind == filler {
				text = strings.TrimSuffix(strings.TrimPrefix(text, p.tokens[0]), p.tokens[0])
			}
		}
	}
	return text
}
