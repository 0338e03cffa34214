package api

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/remit-project/remit/internal/sse"
	"github.com/remit-project/remit/store"
)

const (
	// streamBatch and streamBytes bound one read from the store: it ends with the decision
	// that reaches one of them.
	streamBatch = 100
	streamBytes = 1 << 20
	// retryTime is how long readers should wait before they reconnect.
	retryTime = time.Second
)

var errStreams = tooMany.errorf("too many streams are open: close some").setHeader("Retry-After", "10")

// hub wakes the streams of this process after a write. A topic is a session, or
// approvalsTopic for all questions.
type hub struct {
	mu      sync.Mutex
	waiting map[string]chan struct{}
}

func newHub() *hub { return &hub{waiting: map[string]chan struct{}{}} }

// next returns a channel that is closed at the topic's next wake.
func (h *hub) next(topic string) <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.waiting[topic]
	if c == nil {
		c = make(chan struct{})
		h.waiting[topic] = c
	}
	return c
}

func (h *hub) wake(topic string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c := h.waiting[topic]; c != nil {
		close(c)
		delete(h.waiting, topic)
	}
}

// stream is an open stream of server-sent events.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func (t *stream) send(name, id string, v any) error {
	data, err := encode(v)
	if err != nil {
		return err
	}
	data = bytes.TrimSuffix(data, []byte("\n"))
	return t.write(func(w io.Writer) error { return sse.Write(w, sse.Event{Name: name, ID: id, Data: data}) })
}

func (t *stream) write(f func(io.Writer) error) error {
	if err := f(t.w); err != nil {
		return err
	}
	return t.control.Flush()
}

// follow runs a stream. It calls look whenever the topic wakes and periodically,
// for writes of other processes; look sends new events and returns true at the
// end.
func (s *Server) follow(w http.ResponseWriter, r *request, topic string, look func(ctx context.Context, t *stream) (end bool, err error)) error {
	leave, ok := s.streams.Enter(r.who.Name)
	if !ok {
		return errStreams
	}
	defer leave()

	t := &stream{w: w, control: http.NewResponseController(w)}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache, no-transform")
	begin := func(w io.Writer) error {
		_, err := io.WriteString(w, "retry: "+strconv.FormatInt(retryTime.Milliseconds(), 10)+"\n\n")
		return err
	}
	if t.write(begin) != nil {
		return nil // the reader has gone
	}
	looking, beating := time.NewTicker(sse.LookTime), time.NewTicker(sse.Heartbeat)
	defer looking.Stop()
	defer beating.Stop()

	for {
		woken := s.hub.next(topic)
		if end, err := look(r.Context(), t); end || err != nil {
			// After an error the reader reconnects and resumes.
			if err != nil && r.Context().Err() == nil {
				s.o.Log.Warn("a stream ended", "path", r.URL.Path, "error", err)
			}
			return nil
		}
		for waiting := true; waiting; {
			select {
			case <-woken:
				waiting = false
			case <-looking.C:
				waiting = false
			case <-beating.C:
				if t.write(func(w io.Writer) error { _, err := io.WriteString(w, ":\n\n"); return err }) != nil {
					return nil
				}
			case <-r.Context().Done():
				return nil
			case <-s.stopping.Done():
				return nil
			}
		}
	}
}

func (s *Server) streamDecisions(w http.ResponseWriter, r *request) error {
	info, err := s.reach(r.Context(), r.who, r.PathValue("session"))
	if err != nil {
		return err
	}

	from := int64(0)
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		n, _ := strconv.ParseInt(last, 10, 64) // the description has made sure of it
		from = n + 1
	}
	return s.follow(w, r, info.ID, func(ctx context.Context, t *stream) (bool, error) {
		// Read the end first: nothing is written after it.
		info, err := s.o.Store.Session(ctx, info.ID)
		if err != nil {
			return false, err
		}
		for from < info.Length {
			list, more, err := s.decisions(ctx, info.ID, from)
			if err != nil {
				return false, err
			}
			for _, d := range list {
				if err := t.send("decision", strconv.FormatInt(d.seq, 10), d.answer); err != nil {
					return false, err
				}
				from = d.seq + 1
			}
			if !more {
				from = max(from, info.Length)
			}
		}
		if info.Ended.IsZero() {
			return false, nil
		}
		return true, t.send("end", "", info)
	})
}

func (s *Server) streamApprovals(w http.ResponseWriter, r *request) error {
	var seen store.Turn // the last question that was sent before
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		var err error
		if seen, err = parseTurn(last); err != nil {
			return err
		}
	}

	known := map[string]bool{}
	first := true
	return s.follow(w, r, approvalsTopic, func(ctx context.Context, t *stream) (bool, error) {
		waiting, err := s.pending(ctx, sessionsFor(r.who))
		if err != nil {
			return false, err
		}
		ids := map[string]bool{}
		for i := range waiting {
			ids[waiting[i].ID] = true
		}
		if first {
			list := []string{}
			for i := range waiting {
				list = append(list, waiting[i].ID)
				known[waiting[i].ID] = !later(&waiting[i], seen)
			}
			if err := t.send("pending", "", map[string][]string{"approvals": list}); err != nil {
				return false, err
			}
			first = false
		}
		for id := range known {
			if ids[id] {
				continue
			}
			a, err := s.o.Store.Approval(ctx, id)
			if err != nil {
				return false, err
			}
			if err := t.send("settled", "", a); err != nil {
				return false, err
			}
		}
		for i := range waiting {
			a := &waiting[i]
			if known[a.ID] {
				continue
			}
			if err := t.send("asked", turn(a), a); err != nil {
				return false, err
			}
		}
		known = ids
		return false, nil
	})
}

// later reports whether a question is after a place in the queue.
func later(a *store.Approval, than store.Turn) bool {
	if a.Created.Equal(than.Created) {
		return a.ID > than.ID
	}
	return a.Created.After(than.Created)
}

// pending returns all open questions, page by page. The sessions that wait for
// them bound their number.
func (s *Server) pending(ctx context.Context, w store.Whose) ([]store.Approval, error) {
	var all []store.Approval
	var after store.Turn
	for {
		list, err := s.o.Store.PendingOf(ctx, w, after, store.MaxPage)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
		if len(list) < store.MaxPage {
			return all, nil
		}
		last := &list[len(list)-1]
		after = store.Turn{Created: last.Created, ID: last.ID}
	}
}
