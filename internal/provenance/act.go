package provenance

import (
	"iter"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/provenance/atom"
)

// Effect is the worst that a call does.
type Effect uint8

// The effects, mildest first.
const (
	Reads Effect = iota
	Writes
	Destroys
	Executes
	Sends
)

// Act is a call as the user's requests must cover it: what it does, and by which
// words people ask for that.
type Act struct {
	Tool, Variant string
	Effect        Effect

	deeds deed
	words []string
}

// aboutWords is how many words of a tool's description are looked at for its verb:
// descriptions begin with it.
const aboutWords = 6

// deedsOfEffect are the deeds by which people ask for a tool whose name has none.
var deedsOfEffect = map[Effect]deed{
	Writes:   toMake | toChange,
	Destroys: toDelete | toClear | toCancel | toStop,
	Executes: toRun,
	Sends:    toSend | toShare | toPublish | toPay | toOrder | toInvite,
}

// NewAct returns the act of calling a tool, or one variant of it. The tool's own
// description (about) says by which verb people ask for it where its name has another.
func NewAct(tool, variant string, effect Effect, about ...string) Act {
	a := Act{Tool: tool, Variant: variant, Effect: effect, words: Words(tool + " " + variant)}
	a.deeds = requests().asksFor(tool, variant)
	if a.deeds&toClear == 0 { // to drop a table is more than to remove what is in it
		for _, text := range about {
			a.deeds |= describedDeeds(text)
		}
	}
	looks := slices.ContainsFunc(a.words, func(w string) bool { return requests().tools[w]&toLook != 0 })
	if looks && a.deeds == 0 {
		a.deeds = toLook | toClick // to fetch a page is to send a request, too
	}

	switch {
	case a.deeds == 0:
		a.deeds = deedsOfEffect[effect]
	case effect == Executes:
		// A shell does whatever is asked for, and the command is judged by itself.
		a.deeds = ^toLook
	case effect == Sends && a.deeds&(toMake|toOrder|toChange) != 0:
		// An event with attendees is an invitation, a post is published.
		a.deeds |= toSend | toShare | toInvite | toPublish | toOrder
	}
	return a
}

// describedDeeds returns the deeds of the first verb in a tool's description, none
// for a verb of looking.
func describedDeeds(text string) deed {
	for i, w := range Words(clip(text, maxAbout)) {
		if requests().tools[w] != 0 || i == aboutWords {
			return requests().asksFor(w, "")
		}
	}
	return 0
}

// isRequestedAt reports whether the user asked for what the call does with the
// words at an occurrence: the clause that has them, or one that takes them up by
// a pronoun, asks for it and rules nothing out.
func (q *query) isRequestedAt(o occurrence) bool {
	src := &q.s.vouch.sources[o.source]
	r := src.reading
	code := q.v.Form == FormShell || q.v.Form == FormSQL
	// A name in the deployment's text doesn't ask to destroy what has it; a place there is where
	// the agent works.
	named := q.act.Effect == Destroys && !typedAtom(src.text[o.start:o.end])
	switch {
	case q.act.Effect == Reads || (src.system && !code && !named):
		return true
	case !r.readableAt(o.start):
		// Of a language that is not read here, only a value that can't be written by
		// accident counts.
		return typedAtom(src.text[o.start:o.end])
	case q.s.vouch.isAnswered(o.source, q.act.Tool) || q.isCorrected(o):
		return false
	}

	deeds, words := q.act.deeds, q.act.words
	if code {
		// A command is run where the user said to run it, or said what it says:
		// "push it: git push".
		deeds, words = toRun, Words(clip(src.text[o.start:o.end], maxCommandHead))
	}
	if r.covers(q.s.work, deeds, words, o.start, o.end) || q.s.vouch.hasAgreedTo(src.text[o.start:o.end]) || q.isTakenUpLater(o) {
		return true
	}

	// "Her address is ann@corp.com" says what a value is there for. "Sorry, I mean
	// ann@corp.com" takes the place of another.
	told := q.isIntroduced(r, o) || isFragment(r) || r.corrects(o.start) || r.elaborates(o.start)
	return told && q.s.Requested(q.act)
}

// maxAbout is how much of a description is looked at, in bytes.
const maxAbout = 160

// maxCommandHead is how much of a command is looked at for what it does, in bytes.
const maxCommandHead = 32

func clip(s string, n int) string { return s[:min(len(s), n)] }

// isTakenUpLater reports whether the user's last words take up, by a pronoun, what
// the text before them was about: "What does Julien want in th-23?" "Answer him."
func (q *query) isTakenUpLater(o occurrence) bool {
	v := &q.s.vouch
	if o.source >= v.latest || v.latest >= len(v.sources) {
		return false
	}
	for i := o.source + 1; i < v.latest; i++ {
		if !v.sources[i].system {
			return false
		}
	}

	r := v.sources[v.latest].reading
	for i := range r.requests {
		p := &r.requests[i]
		if !q.s.work.spend(candidateWork) {
			return false
		}
		takesUp := p.directive && p.takesUp && p.answers(q.act.deeds, q.act.words)
		if takesUp && r.refersBack(q.s.work, i, 0) {
			return true
		}
	}
	return false
}

// isKeyRequested reports whether the user asked for what the call does with what a
// look-up found by a key: to mail Bob is not a reason to share a file with him.
func (q *query) isKeyRequested(key string) bool {
	found := q.s.vouch.find(key, true)
	for _, o := range found {
		if q.isRequestedAt(o) {
			return true
		}
	}
	return len(found) == 0
}

// isCorrected reports whether the next sentence puts another value of the kind in
// the place of one: "… to tom@a.example. Sorry, I mean tom@b.example."
func (q *query) isCorrected(o occurrence) bool {
	src := &q.s.vouch.sources[o.source]
	line := src.reading.lineAt(o.start) + 1
	if line >= len(src.reading.lines) || !src.reading.correcting[line] {
		return false
	}

	replaces := correction(src.text[o.start:o.end])
	next := src.reading.lines[line]
	for word := range strings.FieldsFuncSeq(src.text[next.start:next.end], atom.IsHard) {
		if replaces(strings.Trim(word, ".,!?:;'")) {
			return true
		}
	}
	return false
}

// correction returns the test of values that may take the place of another: an e-mail
// address of an address, a number of a number, an identifier of any other value.
func correction(value string) func(string) bool {
	switch {
	case isMail(value):
		return isMail
	case numberShape(value):
		return numberShape
	}
	return typedAtom
}

func isMail(value string) bool {
	_, ok := mailKey(value)
	return ok
}

// isIntroduced reports whether the noun that the argument asks for tells a value: "the
// recipient is …", "account: …".
func (q *query) isIntroduced(r *reading, o occurrence) bool {
	text := q.s.vouch.sources[o.source].text
	left, right := q.s.vouch.around(o, 7, 3)
	if len(left) == 0 || anyMark(right, negator|hedge) || anyMark(left, negator|hedge) {
		return false
	}
	before := strings.TrimRight(text[:o.start], " \t\"'`“„«(")
	told := strings.HasSuffix(before, ":") || strings.HasSuffix(before, "=") || requests().marks[plainWord(left[len(left)-1])]&copula != 0
	if !told {
		return false
	}

	return slices.ContainsFunc(left, func(w string) bool {
		w = stem(w)
		argument := contains(q.n.all, w) && !vocabulary().Generic.Has(w)
		return argument || vocabulary().RolesSaid.Has(w)
	})
}

func anyMark(words []string, m mark) bool {
	for _, w := range words {
		if requests().marks[plainWord(w)]&m != 0 {
			return true
		}
	}
	return false
}

// maxFragment is how many words an answer such as "the one of Monday" has at
// most: it asks for nothing itself, and completes what was asked before.
const maxFragment = 12

// isFragment reports whether a text is not a request of its own.
func isFragment(r *reading) bool {
	if len(r.requests) > 0 || len(r.tokens) > maxFragment {
		return false
	}
	for i := range r.tokens {
		if r.tokens[i].marks&(negator|hedge|modal) != 0 {
			return false
		}
	}
	return true
}

// Requested reports whether the user asked for what a call does, in a request
// that no call answered before the user spoke again.
func (s *Session) Requested(a Act) bool {
	for _, src := range s.vouch.current(a.Tool) {
		if !s.work.spend(len(src.reading.requests) * candidateWork) {
			return false
		}
		if src.reading.asked(a.deeds, a.words) {
			return true
		}
	}
	// "Yes, please": to what the model proposed.
	latest := s.vouch.agreed()
	return latest != nil && latest.offered.mentions(a.deeds, a.words)
}

// RequestedPlainly reports whether the user's requests for a call say what is wanted: by a
// verb that says more than "make it short", or by a word for what the tool is about.
func (s *Session) RequestedPlainly(a Act) bool {
	for _, src := range s.vouch.current(a.Tool) {
		if !s.work.spend((len(src.reading.requests) + len(src.reading.tokens)) * candidateWork) {
			return false
		}
		if src.reading.plainly(a.deeds, a.words) {
			return true
		}
	}
	return s.vouch.agreed() != nil
}

// maxProposal is how much of what the model said a user may agree to, in bytes:
// a longer text is not read to its end.
const maxProposal = 16 << 10

// propose notes what the model said before the user's last text, if that agrees to
// it.
func (v *vouching) propose(text string) {
	src := &v.sources[v.latest]
	if text == "" || len(text) > maxProposal || !src.reading.agrees() {
		return
	}
	src.proposal, src.offered = text, readRequests(text, nil)
}

// agreed returns the user's last text where it agrees to a proposal.
func (v *vouching) agreed() *vouchSource {
	if v.latest >= len(v.sources) || v.sources[v.latest].offered == nil {
		return nil
	}
	return &v.sources[v.latest]
}

// AgreedTo reports whether the user's last words agree to a proposal of the model
// that has a value.
func (s *Session) AgreedTo(value string) bool { return s.vouch.hasAgreedTo(value) }

// hasAgreedTo reports whether the user agreed to a proposal that has a value.
func (v *vouching) hasAgreedTo(value string) bool {
	src := v.agreed()
	if src == nil || !v.work.spend(len(src.proposal)) {
		return false
	}
	for from := 0; from < len(src.proposal) && v.work.spend(len(src.proposal)-from); {
		i := strings.Index(src.proposal[from:], value)
		if i < 0 {
			return false
		}
		if start := from + i; atom.IsBounded(src.proposal, start, start+len(value)) {
			return true
		}
		from += i + 1
	}
	return false
}

// agreeing is how many words of an answer are looked at for its yes.
const agreeing = 4

// agrees reports whether a text says yes, and nothing that takes it back.
func (r *reading) agrees() bool {
	yes := false
	for i := range r.tokens {
		t := &r.tokens[i]
		if t.marks&(negator|hedge|modal) != 0 || t.word == "but" || t.word == "first" {
			return false
		}
		says := t.marks&agreement != 0 || t.word == "do" || t.word == "please"
		yes = yes || (says && i < agreeing)
	}
	return yes && len(r.tokens) <= 4*maxFragment
}

// mentions reports whether a text has a word of the deeds or of a tool's name
// anywhere.
func (r *reading) mentions(deeds deed, words []string) bool {
	for i := range r.tokens {
		t := &r.tokens[i]
		if t.quoted {
			continue
		}
		ofName := contains(words, stem(t.word)) && !vocabulary().Generic.Has(t.word)
		if ofName || requests().meaning(t.word)&deeds != 0 {
			return true
		}
	}
	return false
}

// isAnswered reports whether a tool acted on the requests of a text before the user
// spoke again.
func (v *vouching) isAnswered(source int, tool string) bool {
	src := &v.sources[source]
	return !src.system && src.done[tool] && source < v.latest
}

// current yields the texts whose requests for a tool are not yet answered.
func (v *vouching) current(tool string) iter.Seq2[int, *vouchSource] {
	return func(yield func(int, *vouchSource) bool) {
		for i := range v.sources {
			if !v.isAnswered(i, tool) && !yield(i, &v.sources[i]) {
				return
			}
		}
	}
}

// Acted notes that a call ran: the requests of the user's texts so far are
// answered by it once the user speaks again.
func (s *Session) Acted(a Act) {
	if a.Effect == Reads {
		return
	}
	for i := range s.vouch.sources {
		src := &s.vouch.sources[i]
		if src.system || !src.reading.asked(a.deeds, a.words) {
			continue
		}
		if src.done == nil {
			src.done = map[string]bool{}
		}
		src.done[a.Tool] = true
	}
}

// Fetches reports whether a call only brings something: its verb is one of
// looking, whatever its effect.
func (a Act) Fetches() bool {
	return a.Effect == Reads || a.deeds&toLook != 0
}

// RequestedAll reports whether the user asked for a call to act on all there is.
func (s *Session) RequestedAll(a Act) bool {
	for _, src := range s.vouch.current(a.Tool) {
		r := src.reading
		for j := range r.requests {
			q := &r.requests[j]
			if q.directive && q.all && q.answers(a.deeds, a.words) {
				return true
			}
		}
	}
	return false
}

// RequestSays reports whether a request of the user for a call has a word.
func (s *Session) RequestSays(a Act, word string) bool {
	if len(word) < 3 || vocabulary().Generic.Has(word) {
		return false
	}
	for _, o := range s.vouch.find(word, true) {
		src := &s.vouch.sources[o.source]
		if !src.system && src.reading.covers(s.work, a.deeds, a.words, o.start, o.end) {
			return true
		}
	}
	return false
}

// RequestHasAmount reports whether a request of the user for a call has a sum of
// money.
func (s *Session) RequestHasAmount(a Act) bool {
	for _, src := range s.vouch.current(a.Tool) {
		for _, m := range src.numerals {
			if !src.system && m.Money && src.reading.covers(s.work, a.deeds, a.words, m.Start, m.End) {
				return true
			}
		}
	}
	return false
}

// AnotherCount reports whether a value counts what an argument is called by, and the user's
// request for a call has other numbers of these only: 600 for "ten minutes".
func (s *Session) AnotherCount(a Act, argument, value string) bool {
	key, numeric := numberKey(value)
	if !numeric {
		return false
	}
	name := Words(argument)
	if len(name) == 0 || vocabulary().Generic.Has(name[len(name)-1]) {
		return false
	}

	says := false
	for said, places := range s.vouch.numbers {
		for _, m := range places {
			src := &s.vouch.sources[m.source]
			if src.system || s.vouch.isAnswered(int(m.source), a.Tool) {
				continue
			}
			if !s.work.spend(aroundWork) {
				return true
			}
			o := occurrence{source: int(m.source), start: int(m.start), end: int(m.end)}
			_, right := s.vouch.around(o, 0, 1)
			if len(right) == 0 || stem(right[0]) != name[len(name)-1] {
				continue
			}
			if said == key {
				return false
			}
			says = says || src.reading.covers(s.work, a.deeds, a.words, o.start, o.end)
		}
	}
	return says
}

// AnotherDay reports whether a value is a day, or a day with a time, and the user's
// request for a call says other days only.
func (s *Session) AnotherDay(a Act, value string) bool {
	m, ok := parseMoment(value)
	if !ok || !m.date {
		return false
	}

	want, says := dayOf(m.at), false
	for i := range s.vouch.dates {
		d := &s.vouch.dates[i]
		src := &s.vouch.sources[d.source]
		sameYear := d.year == 0 || d.year == want.year
		if sameYear && d.month == want.month && d.day == want.day {
			return false
		}
		current := !src.system && !s.vouch.isAnswered(int(d.source), a.Tool)
		says = says || (current && src.reading.covers(s.work, a.deeds, a.words, int(d.start), int(d.end)))
	}
	return says
}
