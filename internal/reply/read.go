package reply

import (
	"math/bits"
	"slices"
	"strings"
)

// Answer is what a reply says to the question before it.
type Answer uint8

// The answers. Refused is every reply that agrees to nothing yet, also a doubt, a
// condition, or a question back.
const (
	Unclear Answer = iota
	Refused
	Agreed
)

// String returns the answer in lower case.
func (a Answer) String() string { return [...]string{"unclear", "refused", "agreed"}[a] }

// Reading is a reply as it was read.
type Reading struct {
	Answer Answer
	// Asks is set for a refusal that is only a question back.
	Asks bool
	// Idle is set for an unclear reply that says nothing, such as "Thanks!".
	Idle bool

	plain  bool // a yes or no, which means what the question makes of it
	second bool // the yes comes after a no
	doubt  bool // it is unclear since it agrees, and more than that
}

// maxReply bounds a reply, and maxQuestion the end of a question that is read, in
// bytes. Longer replies are unclear.
const (
	maxReply    = 4 << 10
	maxQuestion = 4 << 10
)

// Read reads a user's reply to what an agent said before. It takes time linear in
// both.
func Read(question, reply string) Reading {
	if len(reply) > maxReply || strings.ContainsFunc(reply, unread) {
		return Reading{}
	}
	if len(question) > maxQuestion {
		question = strings.ToValidUTF8(question[len(question)-maxQuestion:], "")
	}

	own := unquoted(reply)
	asked, said := sentences(question), sentences(own)
	words := flat(said)
	best := bestOf(words, reply, question)
	asker := bestOf(flat(asked), question, question)

	form := form{open: len(asker) > 0}
	for _, l := range asker {
		reversed, plain, open := l.asked(asked)
		two := plain && open
		form.reversed, form.open, form.two = form.reversed || reversed, form.open && !plain, form.two || two
	}
	var found []Reading
	for _, l := range best {
		r := l.reading(asked, said)
		if len(asker) == 1 && asker[0] == l && r.Answer != Unclear {
			return r.to(form) // in the language of the question
		}
		found = append(found, r.to(form))
	}
	out := agree(found)
	out.Idle = out.Idle && own == reply
	return out
}

// agree returns what all readings that settle something have in common, unless another one doubts.
func agree(found []Reading) Reading {
	var out Reading
	idle := len(found) > 0
	for _, r := range found {
		idle = idle && r.Idle
		switch {
		case r.doubt:
			return Reading{}
		case r.Answer == Unclear:
		case out.Answer == Unclear:
			out = r
		case out.Answer != r.Answer:
			return Reading{}
		}
	}
	if out.Answer == Unclear {
		out.Idle = idle
	}
	return out
}

// bestOf returns the lexicons that know most of a text's words.
func bestOf(words []string, text, context string) []*lexicon {
	han, kana := scripts(text)
	_, japanese := scripts(context)
	d := known()
	var knows [32]int
	for _, w := range words {
		for set := d.words[w]; set != 0; set &= set - 1 {
			knows[bits.TrailingZeros32(set)]++
		}
	}

	var best []*lexicon
	most := 0
	for i, l := range d.languages {
		n := knows[i]
		if l.joined {
			n = 0
			isJapanese := kana || japanese
			if (han || kana) && (l.language == "ja") == isJapanese {
				n = len(words) + 1
			}
		}
		switch {
		case n > most:
			best, most = []*lexicon{l}, n
		case n == most:
			best = append(best, l)
		}
	}
	return best
}

func flat(list []sentence) []string {
	var out []string
	for _, s := range list {
		for _, c := range s.clauses {
			out = append(out, c...)
		}
	}
	return out
}

// marks are what a reply has that matters.
type marks struct {
	agrees, fine bool
	refuses      bool
	refusedFirst bool // before anything agreed
	stops        bool
	asks         bool
	doubtful     bool // it agrees, and more than that
	negates      bool
	limits       bool // it has a condition or a restriction
	idle         bool // it has fillers alone
	strong       bool // it agrees by more than a word that also says that something was heard
	hedges       bool // it has the word of a refusal beside others: "leave it with the porter"
	tells        bool // a clause beside the agreement says something of its own
	postpones    bool // it leaves the decision to a later time, or to somebody else
}

// reading reads a reply in one language.
func (l *lexicon) reading(question, reply []sentence) Reading {
	m := marks{idle: true}
	echoed := flat(question)
	for _, s := range reply {
		l.sentence(s, echoed, &m)
	}

	switch {
	case m.stops, m.hedges && !m.strong:
		return Reading{Answer: Refused}
	case m.agrees && (m.hedges || m.postpones || m.limits), m.agrees && m.tells && !m.strong, m.doubtful:
		return Reading{doubt: true}
	case m.refuses && m.agrees && m.refusedFirst:
		return Reading{Answer: Agreed, plain: true, second: true}
	case m.refuses && m.agrees:
		return Reading{doubt: true} // "Go ahead, no need to write to me."
	case m.refuses:
		return Reading{Answer: Refused, plain: true}
	case m.agrees && m.negates && !m.fine:
		return Reading{doubt: true}
	case m.agrees:
		return Reading{Answer: Agreed, plain: !m.fine}
	case m.asks:
		return Reading{Answer: Refused, Asks: true}
	}
	return Reading{Idle: m.idle && !m.negates}
}

// form is that of a question.
type form struct {
	reversed bool // it asks if the user minds, or negates
	open     bool // neither yes nor no answers it
	two      bool // it asks two things, of which one is open: "Anything else? Shall I go on?"
}

// to returns what a reply means after a question of a form.
func (r Reading) to(f form) Reading {
	agreesToOpen := r.Answer == Agreed && f.open && !f.reversed
	goesOn := r.second && f.reversed // "Do you mind?" "No, go ahead."
	depends := r.plain && (f.reversed || f.open) && !goesOn
	muddled := r.second && !f.two && !f.reversed
	if depends || agreesToOpen || muddled {
		return Reading{}
	}
	return r
}

// asked reports whether a text asks if the user minds or whether not to do something, and whether any question of it
// is one that yes or no answers, and any one that they don't. A text without a question
// proposes something.
func (l *lexicon) asked(text []sentence) (reversed, plain, unanswered bool) {
	questions := 0
	for _, s := range text {
		if !s.asks {
			continue
		}
		questions++
		words := slices.Concat(s.clauses...)
		switch {
		case l.has(mind, words) || l.negatesQuestion(words):
			reversed = true
		case l.has(open, words) || l.hasChoice(words):
			unanswered = true
		default:
			plain = true
		}
	}
	return reversed, plain || questions == 0, unanswered
}

// negatesQuestion reports whether a question has a negation that is none of its answers: (yes/no).
func (l *lexicon) negatesQuestion(words []string) bool {
	if l.joined {
		return false // such a script asks by a negation: 是不是
	}
	for i := 0; i < len(words); i++ {
		p := l.at(words, i, aside, fine, not)
		if p == nil {
			continue
		}
		end := i + len(p.tokens)
		afterYes := i > 0 && l.at(words, i-1, yes, or) != nil
		beforeYes := end < len(words) && l.at(words, end, yes, or) != nil
		if p.kind == not && !afterYes && !beforeYes {
			return true
		}
		i = end - 1
	}
	return false
}

// hasChoice reports whether a question is between two things; (yes or no) isn't.
func (l *lexicon) hasChoice(words []string) bool {
	if !l.has(or, words) {
		return false
	}
	for i := 1; i+1 < len(words); i++ {
		if p := l.at(words, i, or); p != nil && l.at(words, i-1, yes, no) != nil && l.at(words, i+1, no, yes) != nil {
			return false
		}
	}
	return true
}
