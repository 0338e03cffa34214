package dialogue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/hint"
)

// fromAgent is where the answers of the other side came from, in the log.
const fromAgent = "agent"

// lookupQuestion is a look-up that the other side is to make, as a line of the output.
type lookupQuestion struct {
	Type      string          `json:"type"`
	Session   string          `json:"session"`
	Lookup    string          `json:"lookup"`
	Server    string          `json:"server,omitempty"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// errInputEnded is why a look-up has no answer after the last line.
var errInputEnded = fmt.Errorf("the input has ended: %w", guard.ErrUnreached)

// inquiries are the look-ups that the other side was asked for and hasn't answered.
type inquiries struct {
	// questions are those to be written.
	questions chan *lookupQuestion

	mu      sync.Mutex
	count   int
	pending map[string]chan lookedUp
	ended   bool
}

// lookedUp is the answer to a look-up.
type lookedUp struct {
	result *guard.Result
	err    error
}

func newInquiries() *inquiries {
	return &inquiries{questions: make(chan *lookupQuestion), pending: map[string]chan lookedUp{}}
}

// begin notes a look-up that is to be asked for.
func (q *inquiries) begin() (id string, answer chan lookedUp, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended {
		return "", nil, errInputEnded
	}
	q.count++
	id, answer = fmt.Sprintf("lookup-%d", q.count), make(chan lookedUp, 1)
	q.pending[id] = answer
	return id, answer, nil
}

// take ends the wait for a look-up. It returns nil for one that is not waited for.
func (q *inquiries) take(id string) chan lookedUp {
	q.mu.Lock()
	defer q.mu.Unlock()
	answer := q.pending[id]
	delete(q.pending, id)
	return answer
}

// end fails all look-ups, now and from now on.
func (q *inquiries) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	for id, answer := range q.pending {
		answer <- lookedUp{err: errInputEnded}
		delete(q.pending, id)
	}
}

// answer takes the answer of a line.
func (q *inquiries) answer(r *request) error {
	content := r.Content != nil || r.Structured != nil
	if content == (r.Error != "") {
		return hint.Wrap(errors.New("the answer has to be a result or an error"), `write "content" or "structured" as of a result, or "error" with why there is none`)
	}
	to := q.take(r.Lookup)
	if to == nil {
		return hint.Wrap(fmt.Errorf("no look-up %q waits for an answer", r.Lookup), fmt.Sprintf("answer each look-up once, within %s", guard.FactsTimeout))
	}
	if r.Error != "" {
		to <- lookedUp{err: fmt.Errorf("the agent could not make it: %q", r.Error)}
		return nil
	}

	out := &guard.Result{Structured: r.Structured, From: fromAgent}
	if r.Content != nil {
		out.Content = *r.Content
	}
	to <- lookedUp{result: out}
	return nil
}

// agentReader asks the other side for the look-ups of one session. It implements
// [guard.Reader].
type agentReader struct {
	inquiries *inquiries
	session   string
}

// Read asks, and waits for the answer.
func (a *agentReader) Read(ctx context.Context, server, tool string, arguments json.RawMessage) (*guard.Result, error) {
	id, answer, err := a.inquiries.begin()
	if err != nil {
		return nil, err
	}
	defer a.inquiries.take(id)

	select {
	case a.inquiries.questions <- &lookupQuestion{Type: "lookup", Session: a.session, Lookup: id, Server: server, Tool: tool, Arguments: arguments}:
	case l := <-answer: // the input has ended
		return l.result, l.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case l := <-answer:
		return l.result, l.err
	case <-ctx.Done():
		return nil, fmt.Errorf("the agent has not answered: %w", ctx.Err())
	}
}
