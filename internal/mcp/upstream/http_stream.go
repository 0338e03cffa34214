package upstream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/remit-project/remit/internal/sse"
	"github.com/remit-project/remit/internal/strictjson"
)

// stream passes on the events of an answer. A stream with ids that ends before
// the answer is taken up again where it ended.
func (l *remote) stream(ctx context.Context, body io.ReadCloser, m Message) error {
	last, wait := "", resumeAfter

	for resumes := 0; ; resumes++ {
		in := sse.NewReader(body, l.most)
		for {
			e, err := in.Next()
			if err != nil {
				body.Close()
				if errors.Is(err, sse.ErrTooLong) {
					return err
				}
				break
			}
			last = e.ID
			if e.Retry > 0 {
				wait = min(e.Retry, maxResumeAfter)
			}
			if !carries(e) {
				continue
			}
			answer := answers(e.Data, m.ID)
			if answer {
				l.learn(m, e.Data)
			}
			l.to.Receive(e.Data, m.ID)
			if answer {
				l.finish(body, m.ID)
				return nil
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if last == "" || resumes == maxResumes {
			return errors.New("the server ended the stream before it answered")
		}
		if !sleep(ctx, wait) {
			return ctx.Err()
		}
		next, err := l.get(ctx, last)
		if err != nil {
			return err
		}
		body = next
	}
}

// streamEnd is how long a server may take to end a stream on which it has
// answered.
const streamEnd = time.Second

// finish reads a stream to its end, so that its connection can be used again. A
// server that leaves it open loses the connection.
func (l *remote) finish(body io.ReadCloser, id int64) {
	late := time.AfterFunc(streamEnd, func() { l.Abandon(id) })
	defer late.Stop()
	_, _ = io.CopyN(io.Discard, body, 1<<16) // an error only costs the connection
	body.Close()
}

// carries reports whether an event holds a message.
func carries(e sse.Event) bool {
	return len(e.Data) > 0 && (e.Name == "" || e.Name == "message")
}

// answers reports whether a message is the response to a request.
func answers(data []byte, id int64) bool {
	m, err := strictjson.Members(data)
	if err != nil {
		return false
	}
	found := false
	for _, x := range m {
		switch x.Name {
		case "method":
			return false
		case "id":
			found = bytes.Equal(x.Value.Of(data), strictjson.Int(id))
		}
	}
	return found
}

// get opens an event stream.
func (l *remote) get(ctx context.Context, last string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, l.url, nil)
	if err != nil {
		return nil, errors.New("the request could not be made")
	}

	l.fill(req, Message{})
	req.Header.Set("Accept", "text/event-stream")
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}

	resp, err := l.do(req)
	if err != nil {
		return nil, err
	}
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode != http.StatusOK || err != nil || kind != "text/event-stream" {
		drain(resp)
		return nil, errNoStream
	}
	return resp.Body, nil
}

var errNoStream = errors.New("the server has no such stream")

// listen keeps the stream open on which a server of the legacy generation says
// what belongs to no request. It closes opened when the first attempt is over. A
// server may refuse the stream before the handshake is over: told is closed when
// it is.
func (l *remote) listen(opened chan<- struct{}, told <-chan struct{}) {
	last, wait, failures := "", resumeAfter, 0
	body, err := l.get(l.ctx, last)
	close(opened)
	if errors.Is(err, errNoStream) {
		<-told
		body, err = l.get(l.ctx, last)
	}

	for failures <= maxResumes {
		if errors.Is(err, errNoStream) {
			return
		}
		if err == nil {
			in := sse.NewReader(body, l.most)
			for {
				e, err := in.Next()
				if err != nil {
					break
				}
				failures, last = 0, e.ID
				if e.Retry > 0 {
					wait = min(e.Retry, maxResumeAfter)
				}
				if carries(e) {
					l.to.Receive(e.Data, 0)
				}
			}
			body.Close()
		}
		failures++
		if !sleep(l.ctx, wait) {
			return
		}
		body, err = l.get(l.ctx, last)
	}

	l.log.Warn("the server's stream of notifications is gone")
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
