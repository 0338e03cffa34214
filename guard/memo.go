package guard

import (
	"bytes"
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"cel.dev/cel-go/common/types/ref"

	"github.com/remit-project/remit/internal/memo"
	"github.com/remit-project/remit/internal/mention"
	"github.com/remit-project/remit/internal/record"
	"github.com/remit-project/remit/internal/reply"
	"github.com/remit-project/remit/internal/strictjson"
)

// remembered is what was worked out of the texts and results of a session, which don't change,
// for the decisions that follow. It is safe for concurrent use.
type remembered struct {
	replies  memo.Map[[2]string, reply.Reading]
	texts    memo.Map[string, mention.Text]
	told     memo.Map[[2]string, bool]
	closed   memo.Map[[2]string, bool]
	given    memo.Map[[3]string, bool]
	values   memo.Map[resultKey, resultValue]
	calls    memo.Map[callKey, ref.Val]
	made     memo.Map[*byte, *strictjson.Document]
	proposed memo.Map[string, reply.Proposal]
	clauses  memo.Map[string, *clauses]
	own      memo.Map[[2]string, string]
	owned    memo.Map[string, owned]
	choices  memo.Map[[2]string, *choice]
	ends     memo.Map[string, *ends]
	words    memo.Map[string, reply.Words]
	heard    *mention.Heard
	none     *mention.Records // without any result

	mu        sync.Mutex
	searched  []searched
	read      map[readKey]*mention.Result // those that were searched last, and those since
	seed      maphash.Seed
	first     map[uint64]*Result // by the hashes of what they say; see [remembered.same]
	firstOf   map[*Result]*Result
	firstSize int
	ahead     int // bytes of the results that were read ahead
	talks     []*talk
	decided   []Request // see [remembered.rehearse]
}

// resultKey is a result in the form of a tool's output.
type resultKey struct {
	result *Result
	shape  *record.Shape
}

// Size returns how long the result is, of which its values are made.
func (k resultKey) Size() int { return max(len(k.result.Content), len(k.result.Structured)) }

type resultValue struct {
	value ref.Val
	err   error
}

// callKey is a call of the history as expressions see it.
type callKey struct {
	server, tool string
	arguments    *byte // the first of them
	length       int
	result       *Result
	index        int
	time         time.Time
}

// clause is a part of what the user said.
type clause struct {
	text      mention.Text
	raw       string
	takesBack func() bool // takes back what was said before
}

// clauses are those of a reply, the last first.
type clauses struct {
	list     []clause
	takeBack func() bool // one of them takes back what was said before
}

// owned is what of a turn a user says as their own, whatever the value, and whether all values have the same.
type owned struct {
	said   string
	always bool
}

// searched are results as they are searched for records.
type searched struct {
	results []readKey
	records *mention.Records
}

// readKey is a result of a tool.
type readKey struct {
	result *Result
	tool   string
}

// maxSearched is how many sets of results are kept: those of the session, and with those
// of a decision's look-ups.
const maxSearched = 4

func newRemembered() *remembered {
	m := &remembered{heard: mention.NewHeard(), seed: maphash.MakeSeed()}
	m.none = mention.NewRecords(m.heard)
	return m
}

// Remember lets the history keep what decisions work out of it for the ones that follow. Copies
// of the history share that; what is in an entry must not change then, except for a result that
// comes.
func (h *History) Remember() {
	m := newRemembered()
	h.memo = func() *remembered { return m }
}

func (m *remembered) reading(question, answer string) reply.Reading {
	return m.replies.Of([2]string{question, answer}, func() reply.Reading { return reply.Read(question, answer) })
}

func (m *remembered) proposal(said string) reply.Proposal {
	return m.proposed.Of(said, func() reply.Proposal { return reply.Proposed(said) })
}

func (m *remembered) tells(said, statement string) bool {
	return m.told.Of([2]string{said, statement}, func() bool { return reply.Tells(said, statement) })
}

func (m *remembered) closes(said, statement string) bool {
	return m.closed.Of([2]string{said, statement}, func() bool { return reply.Closes(said, statement) })
}

func (m *remembered) gives(question, said, statement string) bool {
	return m.given.Of([3]string{question, said, statement}, func() bool { return reply.Gives(question, said, statement) })
}

func (m *remembered) text(s string) mention.Text {
	return m.texts.Of(s, func() mention.Text { return mention.NewText(s) })
}

// clausesOf returns the clauses of a reply.
func (m *remembered) clausesOf(s string) *clauses {
	return m.clauses.Of(s, func() *clauses {
		out := &clauses{}
		for _, c := range slices.Backward(reply.Clauses(s)) {
			out.list = append(out.list, clause{mention.NewText(c), c, sync.OnceValue(func() bool { return reply.TakesBack(c) })})
		}
		out.takeBack = sync.OnceValue(func() bool { return slices.ContainsFunc(out.list, func(c clause) bool { return c.takesBack() }) })
		return out
	})
}

// choiceOf returns what a turn may take of what the agent lists.
func (m *remembered) choiceOf(e *exchange) *choice {
	return m.choices.Of([2]string{e.question, e.reply}, func() *choice { return newChoice(e) })
}

// endsOf returns the parts of a text behind words for where something comes from and goes.
func (m *remembered) endsOf(text string) *ends {
	return m.ends.Of(text, func() *ends { return newEnds(text) })
}

// wordsOf returns the words of a text.
func (m *remembered) wordsOf(text string) reply.Words {
	return m.words.Of(text, func() reply.Words { return reply.WordsOf(text) })
}

// ownOf returns what of a turn a user says as their own.
func (m *remembered) ownOf(said, value string) string {
	own := m.owned.Of(said, func() owned {
		own, always := reply.Own(said, "")
		return owned{own, always}
	})
	if own.always {
		return own.said
	}
	return m.own.Of([2]string{said, value}, func() string {
		own, _ := reply.Own(said, value)
		return own
	})
}

// call returns a call of the history as expressions see it.
func (m *remembered) call(i int, e *Entry, work func() ref.Val) ref.Val {
	if len(e.Call.Arguments) == 0 {
		return work()
	}
	key := callKey{e.Call.Server, e.Call.Tool, &e.Call.Arguments[0], len(e.Call.Arguments), e.Call.Result, i, e.Time}
	return m.calls.Of(key, work)
}

// arguments returns the arguments of a call of the history.
func (m *remembered) arguments(c *Call) *strictjson.Document {
	if len(c.Arguments) == 0 {
		return documentOf(nil)
	}
	return m.made.Of(&c.Arguments[0], func() *strictjson.Document { return documentOf(c.Arguments) })
}

// value returns a result as expressions see it.
func (m *remembered) value(r *Result, shape *record.Shape) (ref.Val, error) {
	if first := m.same(r); len(first.Structured) > 0 == (len(r.Structured) > 0) {
		r = first // in the same form
	}
	v := m.values.Of(resultKey{r, shape}, func() resultValue {
		v, err := decodeResult(r, shape)
		return resultValue{v, err}
	})
	return v.value, v.err
}

// result returns a result as it is searched for records.
func (m *remembered) result(at readKey) *mention.Result {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.resultOf(at)
}

func (m *remembered) resultOf(at readKey) *mention.Result {
	one := m.read[at]
	if one == nil {
		one = mention.NewResult(at.tool, content(at.result))
		if m.read == nil {
			m.read = map[readKey]*mention.Result{}
		}
		m.read[at] = one
	}
	return one
}

// records returns the records of results.
func (m *remembered) records(results []readKey) *mention.Records {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := slices.IndexFunc(m.searched, func(s searched) bool { return slices.Equal(s.results, results) }); i >= 0 {
		had := m.searched[i]
		m.searched = append(slices.Delete(m.searched, i, i+1), had) // the last that was searched
		return had.records
	}

	out := mention.NewRecords(m.heard)
	read := make(map[readKey]*mention.Result, len(results))
	for _, at := range results {
		read[at] = m.resultOf(at)
		out.Add(read[at])
	}
	m.read = read
	if len(m.searched) >= maxSearched {
		m.searched = slices.Delete(m.searched, 0, 1)
	}
	m.searched = append(m.searched, searched{results, out})
	return out
}

// same returns the first result that said the same: what is looked up again is mostly what it was.
func (m *remembered) same(r *Result) *Result {
	m.mu.Lock()
	defer m.mu.Unlock()
	if first := m.firstOf[r]; first != nil {
		return first
	}

	said := content(r)
	at := maphash.Bytes(m.seed, said)
	first := m.first[at]
	if first == nil || !bytes.Equal(content(first), said) {
		first = r
	}
	size := len(said) + sizeOfResult
	if m.firstSize += size; m.first == nil || m.firstSize > maxFirst {
		m.first, m.firstOf, m.firstSize = map[uint64]*Result{}, map[*Result]*Result{}, size
	}
	m.first[at], m.firstOf[r] = first, first
	return first
}

// maxFirst bounds the bytes of the results that are found again by what they say, with those that it takes to
// find one. All that a decision searches have to be among them, or each would find others.
const (
	maxFirst     = 4 * MaxResult
	sizeOfResult = 256
)
