package guard

import (
	"slices"
	"sync"
	"time"

	"cel.dev/cel-go/common/types/ref"

	"github.com/remit-project/remit/internal/mention"
	"github.com/remit-project/remit/internal/record"
	"github.com/remit-project/remit/internal/reply"
	"github.com/remit-project/remit/internal/strictjson"
)

// maxMemo bounds what a memo keeps of each kind: the newest of a long session. Beyond it,
// everything is worked out again.
const maxMemo = 1024

// memo keeps what was worked out of the texts and results of a session, which don't change,
// for the decisions that follow. It is safe for concurrent use.
type memo struct {
	mu       sync.Mutex
	replies  map[[2]string]reply.Reading
	texts    map[string]mention.Text
	told     map[[2]string]bool
	closed   map[[2]string]bool
	given    map[[3]string]bool
	values   map[resultKey]resultValue
	calls    map[callKey]ref.Val
	made     map[*byte]*strictjson.Document
	proposed map[string]reply.Proposal
	clauses  map[string][]clause
	own      map[[2]string]string
	searched []searched
}

// resultKey is a result in the form of a tool's output.
type resultKey struct {
	result *Result
	shape  *record.Shape
}

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

// searched are results as they are searched for records.
type searched struct {
	results []*Result
	records *mention.Records
}

// maxSearched is how many sets of results are kept: those of the session, and with those
// of a decision's look-ups.
const maxSearched = 4

// Remember lets the history keep what decisions work out of it for the ones that follow. Copies
// of the history share that; what is in an entry must not change then, except for a result that
// comes.
func (h *History) Remember() {
	m := &memo{}
	h.memo = func() *memo { return m }
}

// keep returns a value of a map, or makes it.
func keep[K comparable, V any](mu *sync.Mutex, in *map[K]V, key K, make func() V) V {
	mu.Lock()
	v, ok := (*in)[key]
	mu.Unlock()
	if ok {
		return v
	}

	v = make()
	mu.Lock()
	defer mu.Unlock()
	if *in == nil || len(*in) >= maxMemo {
		*in = map[K]V{}
	}
	(*in)[key] = v
	return v
}

func (m *memo) reading(question, answer string) reply.Reading {
	return keep(&m.mu, &m.replies, [2]string{question, answer}, func() reply.Reading { return reply.Read(question, answer) })
}

func (m *memo) proposal(said string) reply.Proposal {
	return keep(&m.mu, &m.proposed, said, func() reply.Proposal { return reply.Proposed(said) })
}

func (m *memo) tells(said, statement string) bool {
	return keep(&m.mu, &m.told, [2]string{said, statement}, func() bool { return reply.Tells(said, statement) })
}

func (m *memo) closes(said, statement string) bool {
	return keep(&m.mu, &m.closed, [2]string{said, statement}, func() bool { return reply.Closes(said, statement) })
}

func (m *memo) gives(question, said, statement string) bool {
	return keep(&m.mu, &m.given, [3]string{question, said, statement}, func() bool { return reply.Gives(question, said, statement) })
}

func (m *memo) text(s string) mention.Text {
	return keep(&m.mu, &m.texts, s, func() mention.Text { return mention.NewText(s) })
}

// clausesOf returns the clauses of a reply, the last first.
func (m *memo) clausesOf(s string) []clause {
	return keep(&m.mu, &m.clauses, s, func() []clause {
		var out []clause
		for _, c := range slices.Backward(reply.Clauses(s)) {
			out = append(out, clause{mention.NewText(c), c, sync.OnceValue(func() bool { return reply.TakesBack(c) })})
		}
		return out
	})
}

// ownOf returns what of a turn a user says as their own.
func (m *memo) ownOf(said, value string) string {
	return keep(&m.mu, &m.own, [2]string{said, value}, func() string { return reply.Own(said, value) })
}

// call returns a call of the history as expressions see it.
func (m *memo) call(i int, e *Entry, make func() ref.Val) ref.Val {
	if len(e.Call.Arguments) == 0 {
		return make()
	}
	key := callKey{e.Call.Server, e.Call.Tool, &e.Call.Arguments[0], len(e.Call.Arguments), e.Call.Result, i, e.Time}
	return keep(&m.mu, &m.calls, key, make)
}

// arguments returns the arguments of a call of the history.
func (m *memo) arguments(c *Call) *strictjson.Document {
	if len(c.Arguments) == 0 {
		return documentOf(nil)
	}
	return keep(&m.mu, &m.made, &c.Arguments[0], func() *strictjson.Document { return documentOf(c.Arguments) })
}

// value returns a result as expressions see it.
func (m *memo) value(r *Result, shape *record.Shape) (ref.Val, error) {
	v := keep(&m.mu, &m.values, resultKey{r, shape}, func() resultValue {
		v, err := decodeResult(r, shape)
		return resultValue{v, err}
	})
	return v.value, v.err
}

// records returns the records of results, of the tools of the same places.
func (m *memo) records(results []*Result, tools []string) *mention.Records {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.searched {
		if slices.Equal(s.results, results) {
			return s.records
		}
	}

	out := &mention.Records{}
	for i, r := range results {
		out.Add(tools[i], content(r))
	}
	if len(m.searched) >= maxSearched {
		m.searched = m.searched[1:]
	}
	m.searched = append(m.searched[:len(m.searched):len(m.searched)], searched{results, out})
	return out
}
