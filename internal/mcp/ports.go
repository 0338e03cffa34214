package mcp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/internal/sse"
	"github.com/remit-project/remit/internal/strictjson"
)

var errGone = errors.New("the client has gone")

// postPort answers one request over HTTP: as one JSON body, or as a stream of
// events once something comes before the answer.
type postPort struct {
	w http.ResponseWriter
	// caller ends with the connection: nobody gets the answer then, as there are no streams to come back to.
	caller  context.Context
	control *http.ResponseController
	done    chan struct{}
	// statuses is set where errors have HTTP statuses of their own, as the generation without
	// sessions has it.
	statuses bool

	mu        sync.Mutex
	streaming bool
	closed    bool
	ended     bool
}

// Send implements [Port].
func (p *postPort) Send(raw []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.ended {
		return errGone
	}
	p.stream()
	return p.event(raw)
}

// stream begins to answer as a stream, unless that has begun.
func (p *postPort) stream() {
	if !p.streaming {
		p.streaming = true
		head(p.w)
	}
}

// wait waits for the answer, or until the client has gone. It gives a sign of life each time
// that the quiet has lasted.
func (p *postPort) wait(ctx context.Context, quiet time.Duration) {
	beating := time.NewTicker(quiet)
	defer beating.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-ctx.Done():
			return
		case <-beating.C:
			p.beat()
		}
	}
}

// beat sends a sign of life while the answer waits, as for a person.
func (p *postPort) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.ended {
		return
	}
	p.stream()
	_ = comment(p.w, p.control) // the client has gone, then, and its context ends
}

// comment writes what clients ignore.
func comment(w io.Writer, control *http.ResponseController) error {
	if _, err := io.WriteString(w, ":\n\n"); err != nil {
		return err
	}
	return control.Flush()
}

func head(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache, no-transform")
	w.WriteHeader(http.StatusOK)
}

func (p *postPort) event(raw []byte) error {
	if err := sse.Write(p.w, sse.Event{Name: "message", Data: raw}); err != nil {
		return err
	}
	return p.control.Flush()
}

// Reply implements [Port].
func (p *postPort) Reply(raw []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.ended {
		return errGone
	}
	p.ended = true
	defer close(p.done)
	if p.streaming {
		return p.event(raw)
	}
	p.w.Header().Set("Content-Type", "application/json")
	p.w.WriteHeader(p.status(raw))
	_, err := p.w.Write(raw)
	return err
}

// status returns the HTTP status of an answer.
func (p *postPort) status(raw []byte) int {
	if !p.statuses {
		return http.StatusOK
	}
	code, err := strconv.Atoi(string(strictjson.Get(raw, "error", "code")))
	if err != nil {
		return http.StatusOK
	}
	switch code {
	case wire.MethodNotFound:
		return http.StatusNotFound
	case wire.InvalidParams, wire.InvalidRequest, headerMismatch, -32021, -32022:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// Caller implements [attended].
func (p *postPort) Caller() context.Context { return p.caller }

// Done ends the request without an answer: it was cancelled.
func (p *postPort) Done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed && !p.ended {
		p.ended = true
		close(p.done)
	}
}

// close ends the use of the writer, which the server takes back.
func (p *postPort) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
}

// standing is the stream on which a client of the legacy generation hears what
// belongs to no request. Until it listens, and between two streams, a few
// messages wait.
type standing struct {
	mu     sync.Mutex
	queue  [][]byte
	size   int
	busy   bool
	wakeup chan struct{}
}

// maxStanding is how many bytes wait for a client that doesn't listen.
const maxStanding = 4 << 20

func newStanding() *standing { return &standing{wakeup: make(chan struct{}, 1)} }

// Send implements [Port].
func (s *standing) Send(raw []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.size+len(raw) > maxStanding {
		return errors.New("the client doesn't listen")
	}
	s.queue = append(s.queue, raw)
	s.size += len(raw)
	select {
	case s.wakeup <- struct{}{}:
	default:
	}
	return nil
}

// Reply implements [Port].
func (s *standing) Reply(raw []byte) error { return s.Send(raw) }

func (s *standing) attached() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.busy
}

// serve streams until the client goes or the conversation ends. It returns false
// when another stream is open. A stream that is quiet for a time gets a comment.
func (s *standing) serve(w http.ResponseWriter, r *http.Request, ended <-chan struct{}, quiet time.Duration) bool {
	s.mu.Lock()
	if s.busy {
		s.mu.Unlock()
		return false
	}
	s.busy = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.busy = false
		s.mu.Unlock()
	}()

	control := http.NewResponseController(w)
	head(w)
	if control.Flush() != nil {
		return true
	}

	beating := time.NewTicker(quiet)
	defer beating.Stop()
	for {
		s.mu.Lock()
		queue := s.queue
		s.queue, s.size = nil, 0
		s.mu.Unlock()
		for _, raw := range queue {
			if sse.Write(w, sse.Event{Name: "message", Data: raw}) != nil {
				return true
			}
		}
		if len(queue) > 0 && control.Flush() != nil {
			return true
		}
		select {
		case <-s.wakeup:
		case <-beating.C:
			if comment(w, control) != nil {
				return true
			}
		case <-r.Context().Done():
			return true
		case <-ended:
			return true
		}
	}
}
