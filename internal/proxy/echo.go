package proxy

import (
	"encoding/json"
	"hash/maphash"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/strictjson"
)

// echoes remembers, for each owner of credentials, what this proxy passed on
// after something from outside had been read: the model's words, the arguments of
// calls, and what calls returned. When such a text comes back in a user's turn, an
// agent or a framework has put it there.
//
// Long texts are known by runs of words, so that they are found in part, quoted,
// and escaped. Short ones are known whole only: users, too, write an address that
// a model has written.
type echoes struct {
	seed maphash.Seed

	mu  sync.Mutex
	now uint64
	// runs and texts hold when something was first passed on; reads, when a turn
	// was first read: what was said later makes no echo of it.
	runs  recent[uint64]
	texts recent[passed]
	reads recent[uint64]
	// calls are those that went out at a place of a conversation, and answers the
	// words of those that had none.
	calls   recent[[]call]
	answers recent[bool]
	// deployment are runs of words that the deployment's text had first: a model
	// that quotes them doesn't take them from it.
	deployment recent[bool]
}

// passed is a text that is known whole.
type passed struct {
	at uint64
	// users are the user's words of the conversation in which it was the argument
	// of a call: the agent that is called by it acts for that user.
	users []string
}

const (
	// maxRuns is the number of runs kept, twice: those of some thousand answers,
	// in some forty megabytes.
	maxRuns = 1 << 20
	// maxDeployment is that of the deployment's text, kept twice: of a hundred long
	// prompts.
	maxDeployment = 1 << 19
	// maxTexts, maxReads and maxPlaces are numbers of short texts, of turns and of
	// answers with calls, kept twice.
	maxTexts, maxReads, maxPlaces = 1 << 16, 1 << 17, 1 << 14
	// maxUsers and maxCalls bound the users' words that are kept with arguments,
	// and the calls, in bytes; maxUser is the bound of one conversation's words.
	maxUsers, maxCalls, maxUser = 16 << 20, 16 << 20, 16 << 10
	// maxEchoTokens bounds how much of a text is remembered: a megabyte or more.
	// maxSearched bounds how much of a user's turn is searched, more than the text
	// that can vouch for something; what it has beyond is taken for an echo.
	maxEchoTokens, maxSearched = 1 << 18, 1 << 16
	// runTokens are the words of a run, and quoteTokens those of the shortest part
	// of a long text that is taken for an echo: fewer are said by chance.
	runTokens, quoteTokens = 8, 12
	// wordyTokens make a short text one that is found anywhere in a turn. A
	// shorter one is found as a line, if it holds something like an address.
	wordyTokens = 5
	// ownTokens is how much of what stands before in the same conversation a user
	// may repeat and mean it, as in agreeing to what the model proposed.
	ownTokens = 24
	// vouchedTokens are the fewest words of the user's in the argument of a call
	// that stay the user's.
	vouchedTokens = 2
	// maxVouched bounds the arguments in one turn that are searched for the user's
	// words: an agent is called by one.
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

// owner names whose requests are, by the credentials alone: the agents of one
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

// key is that of a sequence of words of an owner.
func key(owner uint64, words []token) uint64 {
	h := owner ^ uint64(len(words))*tokenPrime
	for _, w := range words {
		h = (h ^ w.hash) * tokenPrime
		h ^= h >> 29
	}
	return h
}

// argumentKey is that of a text which is the argument of a call as a whole.
func argumentKey(owner uint64, words []token) uint64 { return key(^owner, words) }

// phrases are the keys by which a text can be found.
func phrases(owner uint64, text string, into map[uint64]bool) {
	words, _ := tokensOf(text, maxEchoTokens)
	for i := 0; i+runTokens <= len(words); i++ {
		into[key(owner, words[i:i+runTokens])] = true
	}
	if len(words) < quoteTokens {
		into[key(owner, words)] = true
	}
}

// remember notes a text that was passed on in a conversation. The user's own
// words in it stay the user's, and the deployment's its own.
func (e *echoes) remember(owner uint64, text string, l *lineage) {
	words, _ := tokensOf(text, maxEchoTokens)
	own := map[uint64]bool{}
	for _, u := range l.users {
		phrases(owner, u, own)
	}
	e.mu.Lock()
	e.now++
	e.mu.Unlock()
	for from := 0; from+runTokens <= len(words); from += batch {
		e.rememberRuns(owner, words[from:min(len(words), from+batch+runTokens-1)], own)
	}
	if len(words) < quoteTokens && worthFinding(text, len(words)) && !l.said(text) {
		e.mu.Lock()
		e.note(key(owner, words), nil)
		e.mu.Unlock()
	}
}

// batch is how many words are looked at while others wait.
const batch = 1 << 12

func (e *echoes) rememberRuns(owner uint64, words []token, own map[uint64]bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := 0; i+runTokens <= len(words); i++ {
		k := key(owner, words[i:i+runTokens])
		_, deployed := e.deployment.get(k)
		if _, known := e.runs.get(k); !known && !deployed && !own[k] {
			e.runs.put(k, e.now, 0)
		}
	}
}

// rememberCall notes the texts in the arguments of a call.
func (e *echoes) rememberCall(owner uint64, arguments json.RawMessage, l *lineage) {
	for _, text := range strictjson.Strings(arguments, func(string) bool { return false }) {
		words, _ := tokensOf(text, maxEchoTokens)
		if len(words) < vouchedTokens || l.said(text) {
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

// hold notes the calls that went out at a place of a conversation.
func (e *echoes) hold(place hash, calls []call) {
	weight := 0
	for i := range calls {
		weight += len(calls[i].arguments)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls.put(e.place(place), calls, weight)
}

// answered notes the words of an answer without calls.
func (e *echoes) answered(owner uint64, text string) {
	words, _ := tokensOf(text, maxEchoTokens)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.answers.put(key(owner, words), true, 0)
}

// spoke reports whether these were the words of an answer without calls.
func (e *echoes) spoke(owner uint64, text string) bool {
	words, _ := tokensOf(text, maxEchoTokens)
	e.mu.Lock()
	defer e.mu.Unlock()
	known, _ := e.answers.get(key(owner, words))
	return known && len(words) > 0
}

// held are the calls that went out at a place.
func (e *echoes) held(place hash) []call {
	e.mu.Lock()
	defer e.mu.Unlock()
	calls, _ := e.calls.get(e.place(place))
	return calls
}

func (e *echoes) place(h hash) uint64 { return maphash.Bytes(e.seed, h[:]) }

// echo is a user's text divided: what the user wrote, and what was passed on
// before.
type echo struct {
	own   string
	found []string
}

// divide looks for what was passed on in a text of a user's turn that ends at a
// place. What stands before it in this very conversation the user may repeat.
func (e *echoes) divide(owner uint64, place hash, text string, before func() map[uint64]bool) echo {
	e.mu.Lock()
	since := e.readAt(place)
	e.mu.Unlock()
	return e.divideSince(owner, since, text, before)
}

// divideSince looks for what was passed on until a time.
func (e *echoes) divideSince(owner, since uint64, text string, before func() map[uint64]bool) echo {
	words, end := tokensOf(text, maxSearched)
	e.mu.Lock()
	quotes := e.marks(owner, words, lines(text, words), since)
	e.mu.Unlock()
	quotes = joined(quotes)
	if len(quotes) > 0 {
		said := before()
		quotes = slices.DeleteFunc(quotes, func(q quote) bool { return q.to-q.from < ownTokens && repeats(owner, words[q.from:q.to], said) })
	}
	return cut(text, words, end, quotes)
}

// deployed notes the runs of words that the deployment's text had first.
func (e *echoes) deployed(owner uint64, text string) {
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

// cut takes quotes out of a text, and leaves in it what the users wrote of them.
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
		for _, v := range vouched(words[q.from:q.to], q.users) {
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

// readAt is when a turn was first read.
func (e *echoes) readAt(place hash) uint64 {
	at, known := e.reads.get(e.place(place))
	if !known {
		at = e.now
		e.reads.put(e.place(place), at, 0)
	}
	return at
}

// quote is a part of a text that was passed on, by its words. Users are those whose
// words in it count: where it was the argument of a call.
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

// marks finds everything that was passed on before a time. Of the argument of a call
// the user's are the words that the user of the caller wrote: where it is the text as
// a whole, or a line of it.
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

// repeats reports whether all of this appears in what came before.
func repeats(owner uint64, words []token, before map[uint64]bool) bool {
	if len(words) < runTokens {
		return before[key(owner, words)]
	}
	for i := 0; i+runTokens <= len(words); i++ {
		if !before[key(owner, words[i:i+runTokens])] {
			return false
		}
	}
	return true
}

// joined puts quotes in order, as one where next to nothing stands between them.
func joined(found []quote) []quote {
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

// lines are the lines of a text by their words, each also without the label that
// it may begin with.
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

// maxLabel is how many words a label has at most, as in "Agent 2 said:".
const maxLabel = 6

// vouched are the parts of an argument that the user wrote in so many words.
func vouched(words []token, users []string) []quote {
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

// lineage is what a conversation knows of who said something in it.
type lineage struct {
	// outside tells that something from outside was read.
	outside bool
	// users are the user's own words, up to a bound.
	users []string
	heard int
}

// said reports whether the user has written a text, in whatever letters and signs.
func (l *lineage) said(text string) bool {
	words, _ := tokensOf(text, maxEchoTokens)
	same := func(a, b token) bool { return a.hash == b.hash }
	return slices.ContainsFunc(l.users, func(u string) bool {
		said, _ := tokensOf(u, maxEchoTokens)
		for i := 0; i+len(words) <= len(said); i++ {
			if slices.EqualFunc(words, said[i:i+len(words)], same) {
				return true
			}
		}
		return false
	})
}

// hear notes an event. Beyond its bound nothing more is known to be the user's.
func (l *lineage) hear(e remit.Event) {
	if e.Kind != remit.UserEvent {
		return
	}
	if room := maxUser - l.heard; room > 0 {
		l.users = append(l.users, e.Text[:min(len(e.Text), room)])
	}
	l.heard += len(e.Text)
}

// transcript reports whether what was read as the user's words may be what several
// have said: a conversation that is to be summed up.
func (l *lineage) transcript() bool {
	return l.heard > maxUser || slices.ContainsFunc(l.users, roles.MatchString)
}

// roles are how transcripts say whose words come.
var roles = regexp.MustCompile(`(?im)^\W*(?:tool|observation|function|assistant|ai)\b[^\n]{0,20}:|(?:role|type)\W{1,5}(?:tool|function|assistant|ai|model)\b`)

// restore remembers what a recorded session has passed on, so that a turn which
// repeats it is read as it was.
func (e *echoes) restore(owner uint64, log []remit.Event, l *lineage) {
	for _, ev := range log {
		l.hear(ev)
	}
	for _, ev := range log {
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
