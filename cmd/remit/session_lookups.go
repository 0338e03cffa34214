package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/hint"
)

// fromAgent is where the answers of the other side came from, in the log.
const fromAgent = "agent"

// lookupQuestion is a look-up that the other side is to make, as a line of standard output.
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

// input is a line of standard input with its number, or why it couldn't be read.
type input struct {
	n    int
	line []byte
	err  error
}

// Bounds on the lines that are read while a decision waits for look-ups. Beyond them,
// nothing more is read before the decision is made.
const (
	maxWaiting       = 1024
	maxWaitingWeight = maxLine
)

// exchange is the two streams of the command.
type exchange struct {
	in  <-chan input // nil after the last line
	out *bufio.Writer
	// waiting are lines that came while a decision waited for look-ups.
	waiting []input
	weight  int
}

// newExchange reads lines in the background, one ahead, until ctx ends.
func newExchange(ctx context.Context, in io.Reader, out io.Writer) *exchange {
	lines := make(chan input)

	go func() {
		defer close(lines)
		r := bufio.NewReaderSize(in, 1<<16)
		for n := 1; ; n++ {
			line, err := readLine(r, maxLine)
			last := err != nil && !errors.Is(err, errLongLine)
			if errors.Is(err, io.EOF) {
				err = nil
			}
			if len(bytes.TrimSpace(line)) > 0 || err != nil {
				select {
				case lines <- input{n, line, err}:
				case <-ctx.Done():
					return
				}
			}
			if last {
				return
			}
		}
	}()

	return &exchange{in: lines, out: bufio.NewWriter(out)}
}

// next returns the next line; ok is false after the last one.
func (x *exchange) next(ctx context.Context) (i input, ok bool, err error) {
	if len(x.waiting) > 0 {
		i = x.waiting[0]
		x.waiting, x.weight = x.waiting[1:], x.weight-len(i.line)
		return i, true, nil
	}
	if x.in == nil {
		return input{}, false, nil
	}
	select {
	case i, ok = <-x.in:
		return i, ok, nil
	case <-ctx.Done():
		return input{}, false, ctx.Err()
	}
}

// write writes a line. The client waits for it before it sends more.
func (x *exchange) write(v any) error {
	if err := writeJSON(x.out, v); err != nil {
		return err
	}
	return x.out.Flush()
}

// carryOut carries a line out while it asks the other side for look-ups and takes their
// answers. Other lines wait.
func (x *exchange) carryOut(ctx context.Context, p *dialogue, i input) (any, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan any, 1)
	go func() { done <- p.line(ctx, i.n, i.line) }()

	for {
		in := x.in
		if len(x.waiting) >= maxWaiting || x.weight >= maxWaitingWeight {
			in = nil
		}
		select {
		case answer := <-done:
			return answer, nil
		case q := <-p.inquiries.questions:
			if err := x.write(q); err != nil {
				return nil, err
			}
		case i, ok := <-in:
			if err := x.take(ctx, p, i, ok); err != nil {
				return nil, err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// take takes a line in that comes while another is carried out.
func (x *exchange) take(ctx context.Context, p *dialogue, i input, ok bool) error {
	if !ok || (i.err != nil && !errors.Is(i.err, errLongLine)) {
		x.in = nil
		p.inquiries.end()
	}
	if !ok {
		return nil
	}
	// A line with a mistake in it is told by its type as well.
	if r, _ := parseRequest(i.line); r == nil || r.Type != "lookup_result" {
		x.waiting, x.weight = append(x.waiting, i), x.weight+len(i.line)
		return nil
	}
	if answer := p.line(ctx, i.n, i.line); answer != nil {
		return x.write(answer)
	}
	return nil
}
