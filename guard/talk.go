package guard

import (
	"slices"
	"strings"
	"sync"

	"github.com/remit-project/remit/internal/memo"
	"github.com/remit-project/remit/internal/mention"
	"github.com/remit-project/remit/internal/reply"
	"github.com/remit-project/remit/internal/strictjson"
)

// exchange is what the agent said up to a turn of the user's, and that turn.
type exchange struct {
	question, reply string
	memo            *remembered
	spent           bool // the tool that is called was called after it
	at              int  // the entry with which the turn begins
}

func (e *exchange) reading() reply.Reading { return e.memo.reading(e.question, e.reply) }

func (e *exchange) questionText() mention.Text { return e.memo.text(e.question) }

func (e *exchange) replyText() mention.Text { return e.memo.text(e.reply) }

// talk is a session as a talk of user and agent, up to a call. It doesn't change, and keeps what
// was worked out of it. It is safe for concurrent use.
type talk struct {
	memo *remembered
	// call is what is called, and entries what happened before.
	call    Call
	beside  string
	entries []Entry

	exchanges []exchange
	// after is what the agent said since.
	after string
	// heard reports whether the agent's words are known here: it said something, or the user
	// spoke but once.
	heard bool
	*texts

	// spoken are all that was said, questions what the agent said, and beginnings those of all words.
	spoken, questions func() reply.Spoken
	beginnings        func() map[string]bool
	// narrowsAnywhere reports whether some turn of the user's may narrow what they want.
	narrowsAnywhere func() bool

	answers memo.Map[asked, reply.Answer]
	leftOut memo.Map[[2]string, bool]
	others  memo.Map[*mention.Records, []string]
	earlier memo.Map[int, *talk]
}

// texts are the texts of a call, found when they are asked for.
type texts struct {
	// used returns the texts of the call's arguments, and elements the things in their lists that
	// an agent sums up.
	used     func() []string
	elements func() []element
	// lists are the texts of each list of texts in the call.
	lists func() [][]string
	// passages are the pairs in them of which one takes the other's place.
	passages func() []passage
	// arguments are the texts in the call's arguments, scalars those and the numbers, and given
	// the texts of the calls before it.
	arguments, scalars, given func() []given
}

// asked is what a rule asks of a talk, by the records that are known.
type asked struct {
	function string
	records  *mention.Records
	value    string
}

// maxSpoken bounds the exchanges that are searched, the newest.
const maxSpoken = 64

// maxTalks is how many talks are kept: a call is decided several times until all is looked up, and beside
// others of the same message.
const maxTalks = 4

// talkUpTo returns the talk up to a call.
func (m *remembered) talkUpTo(r *Request) *talk {
	entries := r.History.Entries
	for len(entries) > 0 && !isSpoken(entries[len(entries)-1].Kind) {
		entries = entries[:len(entries)-1]
	}
	t := &talk{memo: m, call: Call{Server: r.Server, Tool: r.Tool, Arguments: r.Arguments}, beside: r.Beside, entries: entries[:len(entries):len(entries)]}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, had := range m.talks {
		if had.is(t) {
			return had
		}
	}

	t.read()
	if len(m.talks) >= maxTalks {
		m.talks = m.talks[1:]
	}
	m.talks = append(m.talks[:len(m.talks):len(m.talks)], t)
	return t
}

// isSpoken reports whether a talk has the entries of a kind.
func isSpoken(k EntryKind) bool { return k == UserEntry || k == AssistantEntry || k == CallEntry }

// is reports whether two talks are of the same call after the same entries.
func (t *talk) is(o *talk) bool {
	return isAlike(&t.call, &o.call) && t.beside == o.beside && slices.EqualFunc(t.entries, o.entries, func(a, b Entry) bool {
		return a.Kind == b.Kind && a.Text == b.Text && (a.Kind != CallEntry || isAlike(a.Call, b.Call))
	})
}

func isAlike(a, b *Call) bool {
	return a == b || (a.Server == b.Server && a.Tool == b.Tool && string(a.Arguments) == string(b.Arguments))
}

// read finds what was said in the entries.
func (t *talk) read() {
	turns, spent, spoke, inReply, begun := 0, 0, false, false, 0
	var question, answer []string
	end := func() {
		if len(answer) > 0 {
			t.exchanges = append(t.exchanges, exchange{question: strings.Join(question, "\n"), reply: strings.Join(answer, "\n"), memo: t.memo, at: begun})
			question, answer = nil, nil
		}
	}
	for i, e := range t.entries {
		switch e.Kind {
		case AssistantEntry:
			if spoke = true; inReply {
				end()
			}
			question, inReply = append(question, e.Text), false
		case UserEntry:
			turns++
			if len(answer) == 0 {
				begun = i
			}
			answer, inReply = append(answer, e.Text), true
		case CallEntry:
			if e.Call.isOf(&t.call) {
				spent = len(t.exchanges) + min(1, len(answer))
			}
		}
	}
	end()
	t.after = strings.Join(append(question, t.beside), "\n")
	for i := range t.exchanges[:spent] {
		t.exchanges[i].spent = true
	}

	t.heard = spoke || turns == 1
	t.exchanges = t.exchanges[max(0, len(t.exchanges)-maxSpoken):]
	t.listen()
	t.texts = t.memo.textsUpTo(t.call.Arguments, t.entries)
}

// listen lets what was said be read when it is first asked for.
func (t *talk) listen() {
	all := func() (out []string) {
		for i := range t.exchanges {
			out = append(out, t.exchanges[i].question, t.exchanges[i].reply)
		}
		return out
	}
	t.spoken = sync.OnceValue(func() reply.Spoken { return reply.NewSpoken(all()) })
	t.beginnings = sync.OnceValue(func() map[string]bool { return beginningsOf(strings.Join(all(), "\n")) })
	t.narrowsAnywhere = sync.OnceValue(func() bool {
		return slices.ContainsFunc(t.exchanges, func(e exchange) bool { return e.replyText().Narrows() })
	})
	t.questions = sync.OnceValue(func() reply.Spoken {
		var out []string
		for i := range t.exchanges {
			out = append(out, t.exchanges[i].question)
		}
		return reply.NewSpoken(out)
	})
}

// textsUpTo returns the texts of a call after some entries.
func (m *remembered) textsUpTo(arguments []byte, entries []Entry) *texts {
	call := sync.OnceValue(func() *strictjson.Document { return documentOf(arguments) })
	t := &texts{
		arguments: sync.OnceValue(func() []given { return textsOf(call()) }),
		scalars:   sync.OnceValue(func() []given { return scalarsOf(call()) }),
		given:     sync.OnceValue(func() []given { return m.givenBefore(entries) }),
		passages:  sync.OnceValue(func() []passage { return passagesOf(call()) }),
		elements:  sync.OnceValue(func() []element { return elementsOf(call()) }),
		lists:     sync.OnceValue(func() [][]string { return listsOf(call()) }),
	}
	t.used = sync.OnceValue(func() []string { return valuesOf(t.arguments()) })
	return t
}

// isOf reports whether a call is one of the tool of another call.
func (c *Call) isOf(o *Call) bool {
	return c.Tool == o.Tool && (c.Server == "" || c.Server == o.Server)
}

// upTo returns the talk as it was after an exchange.
func (t *talk) upTo(at int) *talk {
	return t.earlier.Of(at, func() *talk {
		out := &talk{memo: t.memo, call: t.call, exchanges: t.exchanges[:at+1], heard: t.heard, texts: t.texts}
		out.listen()
		return out
	})
}

// dialogue is a talk with the records that a decision knows.
type dialogue struct {
	*talk
	// looked and all are the results that were looked up: by the agent, and by the
	// rules of this decision as well. They are made when first searched.
	looked, all *mention.Records
	results     []readKey
}

// ask answers what a rule asks of a value or a statement.
func (d *dialogue) ask(function string, by func(*dialogue, *mention.Records, string) reply.Answer, records *mention.Records, value string) reply.Answer {
	return d.answers.Of(asked{function, records, value}, func() reply.Answer { return by(d, records, value) })
}

// talk returns the dialogue of the session.
func (x *evaluation) talk() *dialogue {
	if x.dialogue == nil {
		x.dialogue = &dialogue{talk: x.memo.talkUpTo(&x.request)}
	}
	return x.dialogue
}

// isCalled reports whether a call is one of the tool that is called.
func (x *evaluation) isCalled(c *Call) bool { return c.isOf(x.session.present) }

// looked returns the results of the session's calls.
func (x *evaluation) looked() *mention.Records {
	d := x.talk()
	if d.looked == nil {
		d.results = x.memo.resultsIn(x.request.History.Entries)
		d.looked = x.memo.records(d.results)
	}
	return d.looked
}

// resultsIn returns the results in entries, the newest first, each once.
func (m *remembered) resultsIn(entries []Entry) []readKey {
	var out []readKey
	had := map[readKey]bool{}
	room := MaxResult
	for _, e := range slices.Backward(entries) {
		if e.Kind != CallEntry || e.Call.Result == nil {
			continue
		}
		if room -= len(content(e.Call.Result)); room < 0 {
			break
		}
		if at := (readKey{m.same(e.Call.Result), e.Call.Tool}); !had[at] {
			had[at] = true
			out = append(out, at)
		}
	}
	return out
}

// lookedAll returns the results of the session's calls and of the decision's look-ups.
func (x *evaluation) lookedAll() *mention.Records {
	if !x.closed && !x.complete {
		return x.looked()
	}
	d := x.talk()
	if d.all == nil {
		x.looked()
		results := slices.Clone(d.results)
		for _, q := range x.ordered {
			if q.lookup == nil || q.err != nil || q.lookup.Result == nil {
				continue
			}
			if at := (readKey{x.memo.same(q.given), q.lookup.Tool}); !slices.Contains(results, at) {
				results = append(results, at)
			}
		}
		d.all = x.memo.records(results)
	}
	return d.all
}

func content(r *Result) []byte {
	if len(r.Structured) > 0 {
		return r.Structured
	}
	return []byte(r.Content)
}
