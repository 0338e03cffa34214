package reply

import (
	"slices"
	"strings"
	"unicode"
)

// sentence notes what one sentence of a reply has.
func (l *lexicon) sentence(s sentence, echoed []string, m *marks) {
	var own marks
	asks, idle := s.asks, true
	for _, c := range s.clauses {
		found := l.clause(c, echoed, m.agrees || own.agrees)
		found.stops = found.stops || l.takesBack(c)
		found.refusedFirst = found.refuses && !own.agrees
		asks, idle = asks || found.asks, idle && found.idle
		own = own.and(found)
	}

	if asks {
		// An agreement in a question is none: "OK, how much is it?"
		mere := own.agrees && !own.asks
		own.doubtful = own.doubtful || mere
		own.agrees, own.asks, idle = false, true, false
	}
	own.limits = own.limits && !s.asks // "When will I see the refund?"
	own.refusedFirst = own.refusedFirst && !m.agrees
	idle = idle && m.idle
	*m = m.and(own)
	m.idle = idle
}

// and returns what two parts of a reply have together.
func (m marks) and(other marks) marks {
	return marks{
		agrees: m.agrees || other.agrees, fine: m.fine || other.fine, refuses: m.refuses || other.refuses,
		refusedFirst: m.refusedFirst || other.refusedFirst, stops: m.stops || other.stops, asks: m.asks || other.asks,
		doubtful: m.doubtful || other.doubtful, negates: m.negates || other.negates, limits: m.limits || other.limits,
		strong: m.strong || other.strong, hedges: m.hedges || other.hedges, tells: m.tells || other.tells, postpones: m.postpones || other.postpones,
	}
}

// used marks where a phrase was taken out of a clause.
const used = "\x00"

// clause notes what one clause has, of which an agreement may stand before it.
func (l *lexicon) clause(words, echoed []string, agreed bool) marks {
	if l.joined {
		return l.joinedClause(strings.Join(words, ""), strings.Join(echoed, ""))
	}

	var m marks
	rest := l.take(words, echoed, agreed, &m)
	at := l.begin(rest, &m)
	if at < len(rest) {
		askedBack := l.at(rest, at, ask) != nil
		asked := at == 0 && l.at(rest, at, aux) != nil
		m.asks = askedBack || asked
	}
	behind := m.agrees || agreed
	surprises := behind && slices.ContainsFunc(rest[at:], func(w string) bool { return l.surprises(w, echoed, m.agrees) })
	m.limits = surprises || l.limits(rest, echoed, agreed)
	negated := slices.IndexFunc(rest, func(w string) bool { return l.is(not, w) || (l.is(no, w) && !l.is(filler, w)) })
	if negated >= 0 && !m.refuses {
		l.negate(rest, negated, &m)
	}
	if content := l.content(rest); !m.agrees && !m.refuses && !m.stops && negated < 0 && len(content) == 1 {
		m.agrees = echoes(content[0], echoed)
	}
	m.idle = !m.agrees && !m.refuses && !m.stops && len(l.content(rest)) == 0
	m.hedges = m.stops && !m.refuses && negated < 0 && len(l.content(rest)) > 0 && l.isLoose(words)
	m.stops = m.stops && !m.hedges
	l.weigh(words, rest, echoed, &m)
	return m
}

// weigh notes how strong an agreement is, or what another clause adds to it.
func (l *lexicon) weigh(words, rest, echoed []string, m *marks) {
	m.strong = m.agrees && !l.isWeak(words)
	m.tells = !m.agrees && slices.ContainsFunc(rest, func(w string) bool { return w != used && !l.words[w] && !isOf(w, echoed) })
	m.postpones = l.has(postpone, words)
}

// isWeak reports whether what agrees in a clause may only say that something was heard: "OK".
func (l *lexicon) isWeak(words []string) bool {
	heard := false
	for i := range words {
		p := l.at(words, i, weak, yes, good, fine)
		heard = heard || (p != nil && p.kind == weak)
		if p != nil && p.kind != weak {
			return false
		}
	}
	return heard
}

// isLoose reports whether what refuses in a clause may be said of something else: "leave it with the porter".
func (l *lexicon) isLoose(words []string) bool {
	if l.joined {
		said := l.find(loose, words[0])
		return said != "" && l.find(stop, strings.ReplaceAll(words[0], said, used)) == ""
	}
	for i := 0; i < len(words); i++ {
		p := l.at(words, i, loose, stop)
		if p != nil && p.kind == stop {
			return false
		}
		if p != nil {
			i += len(p.tokens) - 1
		}
	}
	return true
}

// take notes what counts wherever it stands in a clause, and returns the clause with its words marked as used.
// Behind an agreement, what would refuse is no refusal where the question says it: "Yes, reject it".
func (l *lexicon) take(words, echoed []string, agreed bool, m *marks) []string {
	rest := slices.Clone(words)
	agreed = agreed || (len(words) > 0 && l.at(words, 0, yes) != nil)
	for i := 0; i < len(rest); i++ {
		p := l.at(rest, i, fine, aside, thanks, stop)
		asAsked := p != nil && p.kind == stop && agreed && !slices.ContainsFunc(p.tokens, func(w string) bool { return !slices.Contains(echoed, w) })
		if p == nil || asAsked {
			continue
		}
		m.agrees, m.fine = m.agrees || p.kind == fine, m.fine || p.kind == fine
		m.stops = m.stops || p.kind == stop

		for j := range p.tokens {
			rest[i+j] = used
		}
		i += len(p.tokens) - 1
	}
	return rest
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
		inverted := i == 0 && l.at(rest, i, aux) != nil
		asks := inverted || l.at(rest, i, ask) != nil
		switch {
		case rest[i] == used:
			i++
		case asks || skip == nil:
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
		if p == nil {
			continue
		}
		mere := len(p.tokens) == 1 && l.is(filler, rest[i])
		beside := i > at || i+len(p.tokens) == at
		tells := beside && !mere
		follows = follows || tells
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

// limits reports whether a clause has a condition, or a restriction that the question doesn't have. A word
// that also agrees ("si") is one behind an agreement, with something that it is about.
func (l *lexicon) limits(rest, echoed []string, agreed bool) bool {
	for i := range rest {
		p := l.at(rest, i, given, limit)
		if p == nil || (p.kind == limit && slices.Contains(echoed, rest[i])) {
			continue
		}

		alsoAgrees := l.at(rest, i, yes) != nil
		behind := (agreed || i > 0) && len(l.content(rest[i+len(p.tokens):])) > 0
		if !alsoAgrees || behind {
			return true
		}
	}
	return false
}

// surprises reports whether a word behind an agreement adds something to it: one that is neither known nor of
// the question, or, also in a later clause, another number or code.
func (l *lexicon) surprises(word string, echoed []string, sameClause bool) bool {
	if word == used || slices.Contains(echoed, word) {
		return false
	}
	unknown := sameClause && !l.words[word] && !isOf(word, echoed)
	return unknown || strings.ContainsFunc(word, unicode.IsDigit)
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
func (l *lexicon) joinedClause(text, echoed string) marks {
	var m marks
	whole := text
	for _, p := range l.byFirst[""] {
		takes := slices.Contains([]kind{fine, aside, thanks, stop}, p.kind)
		if !takes || !strings.Contains(text, p.tokens[0]) {
			continue
		}
		m.agrees, m.fine = m.agrees || p.kind == fine, m.fine || p.kind == fine
		m.stops = m.stops || p.kind == stop
		text = strings.ReplaceAll(text, p.tokens[0], used)
	}

	m.asks = l.find(ask, text) != ""
	m.limits = l.find(given, text) != "" || l.find(limit, text) != ""
	bare := l.bare(text)
	m.refuses = l.edge(no, bare, strings.HasPrefix)
	m.agrees = m.agrees || l.agreesJoined(text, bare)
	m.limits = m.limits || (m.agrees && l.surprisesJoined(text, echoed))
	if l.find(not, bare) != "" && !m.refuses {
		m.doubtful, m.negates = m.agrees && !m.fine, true
	}
	if m.refuses {
		m.agrees = false
	}
	m.idle = !m.agrees && !m.refuses && !m.stops && bare == ""
	m.hedges = m.stops && !m.refuses && !m.negates && bare != "" && l.isLoose([]string{whole})
	m.stops = m.stops && !m.hedges
	m.postpones = l.find(postpone, text) != ""
	m.strong = m.agrees && !l.edge(weak, bare, func(s, phrase string) bool { return s == phrase })
	m.tells = !m.agrees && l.surprisesJoined(text, echoed)
	return m
}

// surprisesJoined reports whether a clause has a sign that is neither of a phrase nor of the question.
func (l *lexicon) surprisesJoined(text, echoed string) bool {
	for _, p := range l.byFirst[""] {
		if p.kind.isOrdinary() {
			text = strings.ReplaceAll(text, p.tokens[0], used)
		}
	}
	return strings.ContainsFunc(text, func(c rune) bool { return c != 0 && !strings.ContainsRune(echoed, c) })
}

// agreesJoined reports whether a clause begins or ends with an agreement, or is one.
func (l *lexicon) agreesJoined(text, bare string) bool {
	same := func(s, phrase string) bool { return s == phrase }
	return l.edge(yes, text, strings.HasPrefix) || l.edge(yes, bare, strings.HasPrefix) || l.edge(yes, text, strings.HasSuffix) ||
		l.edge(good, text, same) || l.edge(good, bare, same)
}

// edge reports whether a text has a phrase of a kind where a function looks for it.
func (l *lexicon) edge(k kind, text string, has func(text, phrase string) bool) bool {
	return slices.ContainsFunc(l.byFirst[""], func(p phrase) bool { return p.kind == k && has(text, p.tokens[0]) })
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
