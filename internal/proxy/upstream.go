package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

var errIdle = errors.New("the upstream was silent for too long")

// idle ends a request whose upstream is silent.
type idle struct {
	after time.Duration
	timer *time.Timer
}

func newIdle(after time.Duration, cancel context.CancelCauseFunc) *idle {
	return &idle{after, time.AfterFunc(after, func() { cancel(errIdle) })}
}

func (i *idle) reset() { i.timer.Reset(i.after) }
func (i *idle) stop()  { i.timer.Stop() }

// reader resets the timer on every read.
func (i *idle) reader(r io.Reader) io.Reader { return &heard{r, i} }

type heard struct {
	r io.Reader
	i *idle
}

// Read implements [io.Reader].
func (h *heard) Read(p []byte) (int, error) {
	n, err := h.r.Read(p)
	if n > 0 {
		h.i.reset()
	}
	return n, err
}

// hopByHop are the headers of a single connection.
var hopByHop = []string{"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// header copies the headers that go on.
func header(to, from http.Header) {
	skip := map[string]bool{"Content-Length": true}
	for _, name := range hopByHop {
		skip[name] = true
	}
	for _, v := range from.Values("Connection") {
		for name := range strings.SplitSeq(v, ",") {
			skip[http.CanonicalHeaderKey(strings.TrimSpace(name))] = true
		}
	}
	for name, values := range from {
		if !skip[name] {
			to[name] = values
		}
	}
}

// send sends the request with this body.
func (x *exchange) send(body []byte) (*http.Response, error) {
	to := *x.p.o.Upstream
	to.Path = strings.TrimSuffix(to.Path, "/") + x.r.URL.Path
	to.RawQuery = x.r.URL.RawQuery
	out, err := http.NewRequestWithContext(x.r.Context(), http.MethodPost, to.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}

	header(out.Header, x.r.Header)
	forget(out.Header)
	out.Header.Del("Accept-Encoding") // the transport asks for what it can read
	out.Header.Del("Expect")
	resp, err := x.p.client.Do(out)
	if err != nil && x.r.Context().Err() != nil {
		err = context.Cause(x.r.Context())
	}
	if e := (*url.Error)(nil); errors.As(err, &e) {
		err = e.Err // the address can hold a key
	}
	return resp, err
}

// copy passes on an upstream error unchanged.
func (x *exchange) copy(resp *http.Response, idle *idle) error {
	header(x.w.Header(), resp.Header)
	x.w.WriteHeader(resp.StatusCode)
	_, err := io.Copy(x.w, io.LimitReader(idle.reader(resp.Body), int64(x.p.o.Limits.Answer)))
	if err != nil {
		x.p.o.Log.Debug("an error of the upstream's was not passed on whole", "error", err)
	}
	return nil
}
