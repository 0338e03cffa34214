package proxy

import (
	"encoding/json"
	"hash/maphash"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/strictjson"
)

// echoes remembers, for each owner of credentials, what this proxy passed on
// after a session had read external text: the model's words, the arguments of
// calls, and their results. If such a text comes back in a user's turn, an agent
// or a framework has put it there.
//
// Long texts are matched by runs of words, so that parts, quotations and escaped
// copies match. Short texts match only as a whole: a user, too, may write an
// address that a model has written.
type echoes struct {
	seed maphash.Seed

	mu  sync.Mutex
	now uint64
	// runs and texts hold when a text was first passed on; reads holds when a
	// turn was first read: a text passed on later is not its source.
	runs  recent[uint64]
	texts recent[passed]
	reads recent[uint64]
	// calls are the calls at a place of a conversation, and answers the texts of
	// answers without calls.
	calls   recent[[]call]
	answers recent[bool]
	// deployment holds runs of words that first appeared in the deployment's
	// text: a later copy by a model doesn't take them over.
	deployment recent[bool]
}

// passed is a text that matches only as a whole.
type passed struct {
	at uint64
	// users are the user's words in a conversation where the text was the
	// argument of a call: an agent that the call invokes acts for that user.
	users []string
}

const (
	// maxRuns bounds the runs in each of two generations: those of some thousand
	// answers, in about forty megabytes.
	maxRuns = 1 << 20
	// maxDeployment bounds the runs of the deployment's text in each of two
	// generations: those of a hundred long prompts.
	maxDeployment = 1 << 19
	// maxTexts, maxReads and maxPlaces bound short texts, turns, and answers with
	// calls, in each of two generations.
	maxTexts, maxReads, maxPlaces = 1 << 16, 1 << 17, 1 << 14
	// maxUsers and maxCalls bound, in bytes, the users' words stored with
	// arguments, and the calls; maxUser bounds the words of one conversation.
	maxUsers, maxCalls, maxUser = 16 << 20, 16 << 20, 16 << 10
	// maxEchoTokens bounds how much of a text is remembered: a megabyte or more.
	// maxSearched bounds how much of a user's turn is searched, more than the
	// text that can vouch for something; the rest counts as an echo.
	maxEchoTokens, maxSearched = 1 << 18, 1 << 16
	// runTokens is the length of a run, and quoteTokens the shortest part of a
	// long text that counts as an echo: shorter matches are chance.
	runTokens, quoteTokens = 8, 12
	// wordyTokens is the length from which a short text matches anywhere in a
	// turn. A shorter one matches only as a line that holds something like an
	// address.
	wordyTokens = 5
	// ownTokens is how much of what the model said in the same conversation a user
	// may repeat in earnest, as in agreeing to its proposal.
	ownTokens = 24
	// vouchedTokens is the least number of the user's words in an argument that
	// stay the user's.
	vouchedTokens = 2
	// maxVouched bounds the arguments in one turn that are searched for the
	// user's words: one argument calls an agent.
	maxVouched = 16
)

func newEchoes() *echoes {
	return &echoes{
		seed:       maphash.MakeSeed(),
		runs:       recent[uint64]{max: maxRuns},
		texts:      recent[passed]{max: maxTexts, maxWeight: maxUsers},
		reads:      recent[uint64]{max: maxReads},
		calls:      recent[[]call]{max: maxPlaces, maxWeight: maxCalls},
		answers:    recent[bool]{max: maxTexts},
		deployment: recent[bool]{max: maxDeployment},
	}
}

// owner identifies a request's sender by the credentials alone: the agents of one
// framework differ in everything else.
func (e *echoes) owner(r *http.Request) uint64 {
	var h maphash.Hash
	h.SetSeed(e.seed)
	for _, name := range whose {
		if name == headerSession || name == headerAttached {
			continue
		}
		for _, v := range r.Header.Values(name) {
			h.WriteString(v)
			h.WriteByte(0)
		}
		h.WriteByte(1)
	}
	h.WriteString(r.URL.Query().Get("key")) // as Google's clients may send theirs
	return h.Sum64()
}

// key hashes a sequence of an owner's words.
func key(owner uint64, words []token) uint64 {
	h := owner ^ uint64(len(words))*tokenPrime
	for _, w := range words {
		h = (h ^ w.hash) * tokenPrime
		h ^= h >> 29
	}
	return h
}

// argumentKey hashes the whole argument of a call.
func argumentKey(owner uint64, words []token) uint64 { return key(^owner, words) }

// phrases adds the keys of a text to into.
func phrases(owner uint64, text string, into map[uint64]bool) {
	words, _ := tokensOf(text, maxEchoTokens)
	for i := 0; i+runTokens <= len(words); i++ {
		into[key(owner, words[i:i+runTokens])] = true
	}
	if len(words) < quoteTokens {
		into[key(owner, words)] = true
	}
}

// remember records a text that was passed on in a conversation. The user's own
// words in it stay the user's, and the deployment's stay the deployment's.
func (e *echoes) remember(owner uint64, text string, l *lineage) {
	words, _ := tokensOf(text, maxEchoTokens)
	own := l.own(owner)
	e.mu.Lock()
	e.now++
	e.mu.Unlock()
	for from := 0; from+runTokens <= len(words); from += batch {
		e.rememberRuns(owner, words[from:min(len(words), from+batch+runTokens-1)], own)
	}
	if len(words) < quoteTokens && worthFinding(text, len(words)) && !l.includes(text) {
		e.mu.Lock()
		e.note(key(owner, words), nil)
		e.mu.Unlock()
	}
}

// batch is how many words are hashed while the lock is held.
const batch = 1 << 12

func (e *echoes) rememberRuns(owner uint64, words []token, own map[uint64]bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := 0; i+runTokens <= len(words); i++ {
		k := key(owner, words[i:i+runTokens])
		if _, known := e.runs.get(k); known || own[k] {
			continue
		}
		if _, deployed := e.deployment.get(k); !deployed {
			e.runs.put(k, e.now, 0)
		}
	}
}

// rememberCall records the texts in a call's arguments.
func (e *echoes) rememberCall(owner uint64, arguments json.RawMessage, l *lineage) {
	for _, text := range strictjson.Strings(arguments, func(string) bool { return false }) {
		words, _ := tokensOf(text, maxEchoTokens)
		if len(words) < vouchedTokens || l.includes(text) {
			continue
		}
		if len(words) >= wordyTokens {
			e.remember(owner, text, l)
		}
		e.mu.Lock()
		e.now++
		e.note(argumentKey(owner, words), l.users)
		e.mu.Unlock()
	}
}

func (e *echoes) note(k uint64, users []string) {
	known, ok := e.texts.get(k)
	if !ok {
		known.at = e.now
	}
	weight := 0
	for _, u := range users {
		weight += len(u)
	}
	if weight > 0 {
		known.users = users
	}
	e.texts.put(k, known, weight)
}

// worthFinding reports whether a short text is more than a common phrase.
func worthFinding(text string, words int) bool {
	if words >= wordyTokens {
		return true
	}
	return words > 0 && strings.ContainsAny(strings.Trim(text, " \t\r\n.!?:,;\"'"), "@/\\._-:0123456789")
}

// noteCalls records the calls at a place of a conversation.
func (e *echoes) noteCalls(place hash, calls []call) {
	weight := 0
	for i := range calls {
		weight += len(calls[i].arguments)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls.put(e.place(place), calls, weight)
}

// noteAnswer records the text of an answer without calls.
func (e *echoes) noteAnswer(owner uint64, text string) {
	words, _ := tokensOf(text, maxEchoTokens)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.answers.put(key(owner, words), true, 0)
}

// isAnswer reports whether text was an answer without calls.
func (e *echoes) isAnswer(owner uint64, text string) bool {
	words, _ := tokensOf(text, maxEchoTokens)
	e.mu.Lock()
	defer e.mu.Unlock()
	known, _ := e.answers.get(key(owner, words))
	return known && len(words) > 0
}

// callsAt returns the calls recorded at a place.
func (e *echoes) callsAt(place hash) []call {
	e.mu.Lock()
	defer e.mu.Unlock()
	calls, _ := e.calls.get(e.place(place))
	return calls
}

func (e *echoes) place(h hash) uint64 { return maphash.Bytes(e.seed, h[:]) }

// echo is a user's text divided into the user's own words and quotations of what
// was passed on before.
type echo struct {
	own   string
	found []string
}

// divide finds what was passed on in the text of a user's turn that ends at a
// place, and what the conversation has read before. The user may repeat what the
// model said there, and values that it has read.
func (e *echoes) divide(owner uint64, place hash, text string, l *lineage, before func() earlier) echo {
	e.mu.Lock()
	since := e.readAt(place)
	e.mu.Unlock()

	words, end := tokensOf(text, maxSearched)
	whole := lines(text, words)
	quotes := e.passedOn(owner, since, words, whole)
	if len(quotes) > 0 {
		h := before()
		quotes = slices.DeleteFunc(quotes, func(q quote) bool { return h.may(owner, text, words[q.from:q.to]) })
	}
	if found := l.brought.marks(text, words, whole); len(found) > 0 {
		said, line := l.words(), quote{} // a line that isn't the user's
		for _, q := range found {
			if (line.from <= q.from && q.to <= line.to) || includes(said, words[q.from:q.to]) {
				continue
			}
			with := q.withSentence(text, words)
			if with.from != q.from || with.to != q.to {
				line = with
			}
			quotes = append(quotes, with)
		}
	}
	return cut(text, words, end, joinQuotes(quotes))
}

// divideSince finds what was passed on before a time.
func (e *echoes) divideSince(owner, since uint64, text string) echo {
	words, end := tokensOf(text, maxSearched)
	return cut(text, words, end, e.passedOn(owner, since, words, lines(text, words)))
}

// passedOn finds what was passed on before a time.
func (e *echoes) passedOn(owner, since uint64, words []token, whole []quote) []quote {
	e.mu.Lock()
	defer e.mu.Unlock()
	return joinQuotes(e.marks(owner, words, whole, since))
}

// earlier are the keys of what a user could read in a conversation before a turn: what the model
// said, and what came from outside.
type earlier struct{ said, brought map[uint64]bool }

// may reports whether a user may repeat words in earnest: what the model said, or a value.
// Whole short texts from outside are found otherwise; see [brought].
func (h earlier) may(owner uint64, text string, words []token) bool {
	switch {
	case len(words) >= ownTokens:
		return false
	case len(words) < quoteTokens, spaced(text, words) < wordyTokens:
		return repeats(owner, words, h.said, h.brought)
	}
	return repeats(owner, words, h.said) && !touches(owner, words, h.brought)
}

// touches reports whether a run of the words appears in before.
func touches(owner uint64, words []token, before map[uint64]bool) bool {
	for i := 0; i+runTokens <= len(words); i++ {
		if before[key(owner, words[i:i+runTokens])] {
			return true
		}
	}
	return false
}

// noteDeployment records the runs of words that first appear in the deployment's
// text.
func (e *echoes) noteDeployment(owner uint64, text string) {
	words, _ := tokensOf(text, maxEchoTokens)
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := 0; i+runTokens <= len(words); i++ {
		k := key(owner, words[i:i+runTokens])
		if _, passed := e.runs.get(k); !passed {
			e.deployment.put(k, true, 0)
		}
	}
}

// cut removes quotes from a text, except for the users' own words in them.
func cut(text string, words []token, end int, quotes []quote) echo {
	if len(quotes) == 0 && end == len(text) {
		return echo{own: text}
	}

	var out echo
	var own strings.Builder
	at := 0
	for i, q := range quotes {
		if i >= maxVouched {
			q.users = nil
		}
		start, stop := words[q.from].start, words[q.to-1].end
		own.WriteString(text[at:start])
		own.WriteByte('\n')
		for _, v := range vouchedParts(words[q.from:q.to], q.users) {
			own.WriteString(text[words[q.from+v.from].start:words[q.from+v.to-1].end])
			own.WriteByte(' ')
		}
		out.found = append(out.found, text[start:stop])
		at = stop
	}

	own.WriteString(text[at:max(at, end)])
	if end < len(text) {
		out.found = append(out.found, text[max(at, end):])
	}
	out.own = strings.TrimSpace(own.String())
	return out
}

// readAt returns when a turn was first read.
func (e *echoes) readAt(place hash) uint64 {
	at, known := e.reads.get(e.place(place))
	if !known {
		at = e.now
		e.reads.put(e.place(place), at, 0)
	}
	return at
}

// quote is a part of a text that was passed on, by token positions. users are the
// users whose words in it count as their own, if it was the argument of a call.
type quote struct {
	from, to int
	users    []string
}

// runsIn finds the parts of long texts that were passed on before a time.
func (e *echoes) runsIn(owner uint64, words []token, before uint64) (found []quote) {
	for i := 0; i+runTokens <= len(words); i++ {
		at, known := e.runs.get(key(owner, words[i:i+runTokens]))
		switch n := len(found); {
		case !known || at > before:
		case n > 0 && found[n-1].to >= i:
			found[n-1].to = i + runTokens
		default:
			found = append(found, quote{from: i, to: i + runTokens})
		}
	}
	return slices.DeleteFunc(found, func(q quote) bool { return q.to-q.from < quoteTokens })
}

// marks finds everything that was passed on before a time. In a whole text or a
// line that was a call's argument, the words of the caller's user stay the
// user's.
func (e *echoes) marks(owner uint64, words []token, whole []quote, before uint64) (found []quote) {
	found = e.runsIn(owner, words, before)
	text := func(k uint64) (passed, bool) {
		p, known := e.texts.get(k)
		return p, known && p.at <= before
	}
	for i := range words {
		for n := wordyTokens; n < quoteTokens && i+n <= len(words); n++ {
			if _, known := text(key(owner, words[i:i+n])); known {
				found = append(found, quote{from: i, to: i + n})
			}
		}
	}

	for _, q := range whole {
		if _, known := text(key(owner, words[q.from:q.to])); known {
			found = append(found, q)
		}
	}

	all := quote{to: len(words)}
	if p, known := text(argumentKey(owner, words)); known {
		all.users = p.users
		return []quote{all}
	}

	for _, q := range whole {
		if p, known := text(argumentKey(owner, words[q.from:q.to])); known && q.to-q.from >= wordyTokens {
			q.users = p.users
			found = append(found, q)
		}
	}
	return found
}

// repeats reports whether all the words appear in one of before.
func repeats(owner uint64, words []token, before ...map[uint64]bool) bool {
	appears := func(words []token) bool {
		k := key(owner, words)
		return slices.ContainsFunc(before, func(keys map[uint64]bool) bool { return keys[k] })
	}
	if len(words) < runTokens {
		return appears(words)
	}
	for i := 0; i+runTokens <= len(words); i++ {
		if !appears(words[i : i+runTokens]) {
			return false
		}
	}
	return true
}

// joinQuotes sorts quotes and merges those with next to nothing between them.
func joinQuotes(found []quote) []quote {
	slices.SortFunc(found, func(a, b quote) int { return a.from - b.from })
	var out []quote
	for _, q := range found {
		if n := len(out); n > 0 && q.from-out[n-1].to < runTokens {
			out[n-1].to = max(out[n-1].to, q.to)
			out[n-1].users = append(out[n-1].users[:len(out[n-1].users):len(out[n-1].users)], q.users...)
		} else {
			out = append(out, q)
		}
	}
	return out
}

// lines returns the lines of a text as token ranges, each also without a leading
// label.
func lines(text string, words []token) []quote {
	var out []quote
	for from := 0; from < len(words); {
		to := from + 1
		for to < len(words) && !strings.ContainsAny(text[words[to-1].end:words[to].start], "\r\n") {
			to++
		}
		out = append(out, quote{from: from, to: to})
		for i := from + 1; i < min(to, from+maxLabel); i++ {
			if strings.Contains(text[words[i-1].end:words[i].start], ":") {
				out = append(out, quote{from: i, to: to})
				break
			}
		}
		from = to
	}
	return out
}

// maxLabel is the most words of a label, as in "Agent 2 said:".
const maxLabel = 6

// vouchedParts returns the parts of an argument that the user wrote verbatim.
func vouchedParts(words []token, users []string) []quote {
	pairs := map[[2]uint64]bool{}
	for _, u := range users {
		said, _ := tokensOf(u, maxEchoTokens)
		for i := 1; i < len(said); i++ {
			pairs[[2]uint64{said[i-1].hash, said[i].hash}] = true
		}
	}

	var out []quote
	for i := 0; i+vouchedTokens <= len(words); i++ {
		if !pairs[[2]uint64{words[i].hash, words[i+1].hash}] {
			continue
		}
		if n := len(out); n > 0 && out[n-1].to > i {
			out[n-1].to = i + vouchedTokens
		} else {
			out = append(out, quote{from: i, to: i + vouchedTokens})
		}
	}

	return out
}

// restore records what a durable session has passed on, so that a turn which
// repeats it is read as before.
func (e *echoes) restore(owner uint64, log []remit.Event, l *lineage) {
	for _, ev := range log {
		l.hear(ev)
	}
	for _, ev := range log {
		l.bring(ev)
		switch {
		case ev.Kind == remit.AttachmentEvent || ev.Kind == remit.AssistantEvent:
			e.remember(owner, ev.Text, l)
		case ev.Kind == remit.ResultEvent && ev.Result != nil:
			e.remember(owner, ev.Result.Content, l)
		case ev.Kind == remit.CallEvent && ev.Call != nil:
			e.rememberCall(owner, ev.Call.Arguments, l)
		}
	}
}
