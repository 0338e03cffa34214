package proxy

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/remit-project/remit/internal/sse"
)

// stream writes one answer to the client as events, over any number of tries.
type stream struct {
	x       *exchange
	k       codec
	control *http.ResponseController
	// queue holds pieces until the calls in it are decided.
	queue []queued
	calls int
	tail  []sse.Event
	// shown is what the client has received.
	shown utterance

	mu    sync.Mutex // one writes at a time
	beat  *time.Timer
	ended bool
}

// comment is an event that clients ignore: it keeps intermediaries from closing a
// quiet stream.
const comment = ": the answer is being decided\n\n"

// newStream starts a stream that sends a comment when it is quiet.
func (x *exchange) newStream() *stream {
	s := &stream{x: x, k: x.d.codec(), control: http.NewResponseController(x.w)}
	s.mu.Lock()
	defer s.mu.Unlock()
	quiet := x.p.o.Limits.Quiet
	s.beat = time.AfterFunc(quiet, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.ended {
			return
		}
		if _, err := io.WriteString(x.w, comment); err == nil && s.control.Flush() == nil {
			s.beat.Reset(quiet)
		}
	})
	return s
}

// stop ends the stream for good.
func (s *stream) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.beat.Stop()
}

// queued is an event, or the place of a call.
type queued struct {
	piece
	call int
}

// streamAnswer forwards a streamed answer: text at once, calls when they are
// complete and decided.
func (x *exchange) streamAnswer(resp *http.Response, idle *idle) (again bool, err error) {
	if x.stream == nil {
		header(x.w.Header(), resp.Header)
		x.w.WriteHeader(resp.StatusCode)
		x.stream = x.newStream()
	} else {
		x.stream.k.next()
	}

	s := x.stream
	s.queue, s.tail, s.calls = nil, nil, 0
	body := &io.LimitedReader{R: resp.Body, N: int64(x.p.o.Limits.Answer) + 1}
	if err := s.read(idle.reader(body)); err != nil {
		return false, err
	}

	a, err := s.k.answer()
	if err != nil && body.N == 0 {
		err = errLong
	}
	if err != nil {
		if x.p.o.Shadow {
			x.noteUnchecked(err)
			return false, nil
		}
		return false, err
	}
	again, err = x.settle(a)
	if err != nil && x.p.o.Shadow {
		x.noteUnchecked(err)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if again {
		if err := s.flush(a); err != nil {
			return false, err
		}
		s.shown.add(&utterance{text: a.text, other: a.other, external: a.external})
		return true, nil
	}
	s.shown.add(&utterance{text: a.text, other: a.other, external: a.external})

	for i, c := range a.calls {
		if f := a.fate[i]; f.denial == "" {
			if !x.p.o.Shadow {
				c.arguments = f.arguments
			}
			s.shown.calls = append(s.shown.calls, c)
		}
	}

	return false, s.end(a)
}

// read forwards the events of one try as far as possible.
func (s *stream) read(r io.Reader) error {
	in := sse.NewReader(r, s.x.p.o.Limits.Answer)

	for {
		e, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		pieces, err := s.k.event(e)
		if s.x.p.o.Shadow {
			pieces, err = nil, s.write(e)
		}
		if err != nil {
			return err
		}
		for _, p := range pieces {
			if err := s.take(p); err != nil {
				return err
			}
		}
	}
}

// take sends or queues a piece.
func (s *stream) take(p piece) error {
	switch p.step {
	case tail:
		s.tail = append(s.tail, p.event)
		return nil
	case begin:
		s.queue = append(s.queue, queued{p, s.calls})
		s.calls++
		return nil
	case lead:
		s.queue = append(s.queue, queued{p, -1})
		return nil
	}

	if s.calls == 0 {
		// The events that were held back led to no call.
		for _, q := range s.queue {
			if err := s.write(s.k.forward(q.event)); err != nil {
				return err
			}
		}
		s.queue = nil
		return s.write(s.k.forward(p.event))
	}
	s.queue = append(s.queue, queued{p, -1})
	return nil
}

// flush sends the queue: the allowed calls and the events between them. It drops
// a denied call and the events that led to it.
func (s *stream) flush(a *answer) error {
	for i, q := range s.queue {
		var events []sse.Event
		switch {
		case q.step == begin && a.fate[q.call].denial == "":
			events = s.k.call(q.call, a.fate[q.call].arguments)
		case q.step == lead && leadsAstray(s.queue[i:], a), q.step == begin:
			continue
		default:
			events = []sse.Event{s.k.forward(q.event)}
		}
		if err := s.writeAll(events); err != nil {
			return err
		}
	}
	s.queue = nil
	return nil
}

// leadsAstray reports whether the next pieces are calls and all of them are
// denied.
func leadsAstray(queue []queued, a *answer) bool {
	calls := 0
	for _, q := range queue {
		switch {
		case q.step == lead && calls == 0:
		case q.step != begin:
			return calls > 0
		case a.fate[q.call].denial == "":
			return false
		default:
			calls++
		}
	}
	return calls > 0
}

// end sends the rest of an answer with notes about its denied calls, and ends the
// stream. Everything is recorded before the client has it.
func (s *stream) end(a *answer) error {
	notes := a.notes()
	s.shown.text = append(s.shown.text, notes...)
	err := s.x.finish(&s.shown)
	if s.x.p.o.Shadow {
		if err != nil {
			s.x.noteUnchecked(err)
		}
		return nil // all of it has passed
	}
	if err != nil {
		return err
	}

	// The note comes before the calls, unless there is text after them.
	later := slices.ContainsFunc(s.queue, func(q queued) bool { return q.step == pass })
	if later {
		if err := s.flush(a); err != nil {
			return err
		}
	}
	if len(notes) > 0 && len(a.calls) == 0 {
		text, rest := s.k.divide(s.tail)
		if err := s.writeAll(text); err != nil {
			return err
		}
		s.tail = rest
	}
	if len(notes) > 0 {
		if err := s.writeAll(s.k.note(appendNotes("", notes))); err != nil {
			return err
		}
	}
	if err := s.flush(a); err != nil {
		return err
	}

	var usage json.RawMessage
	if len(s.x.tries) > 1 {
		usage = s.x.usage
	}
	return s.writeAll(s.k.end(s.tail, a, usage))
}

func (s *stream) writeAll(events []sse.Event) error {
	for _, e := range events {
		if err := s.write(e); err != nil {
			return err
		}
	}
	return nil
}

func (s *stream) write(e sse.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beat.Reset(s.x.p.o.Limits.Quiet)
	if err := sse.Write(s.x.w, e); err != nil {
		return err
	}
	return s.control.Flush()
}

// fail ends the stream with an error.
func (s *stream) fail(message string) {
	for _, e := range s.k.failure(message) {
		if s.write(e) != nil {
			return
		}
	}
}
