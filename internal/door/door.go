// Package door serves HTTP at the doors of Remit, so that no caller holds a connection that
// it doesn't use: each part of a request and of an answer has its time.
package door

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	// headerTime bounds how long a caller may take to send the header of a request, and
	// maxHeader its size in bytes.
	headerTime = 10 * time.Second
	maxHeader  = 64 << 10
	// idleTime is how long a connection may wait for its next request.
	idleTime = 2 * time.Minute
	// transferTime bounds how long a caller may take to send a body, or to receive what is
	// written at once. It is longer by a second for every slowest bytes, so that large ones
	// arrive over slow lines, and a body that drips doesn't.
	transferTime = 30 * time.Second
	slowest      = 32 << 10
)

// Server serves a handler. A handler may take its time: only transfers have bounds.
type Server struct {
	Handler http.Handler
	// TLS is the server's; none when nil.
	TLS *tls.Config
	Log *slog.Logger
	// Grace is how long requests in flight may take when the server ends.
	Grace time.Duration
	// Stop is called when the server ends, before it waits for requests: it ends streams,
	// whose readers come back. Not called when nil.
	Stop func(ctx context.Context) error
}

// Serve serves until ctx ends, and then waits for running requests up to a bound.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: timed(s.Handler), TLSConfig: s.TLS, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() {
		if s.TLS != nil {
			ended <- server.ServeTLS(l, "", "")
			return
		}
		ended <- server.Serve(l)
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}

	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Grace)
	defer cancel()
	var err error
	if s.Stop != nil {
		err = s.Stop(end)
	}
	if server.Shutdown(end) != nil {
		s.Log.Warn("requests in flight took too long, and were cut off", "after", s.Grace)
		err = errors.Join(err, server.Close())
	}
	return err
}

// allowance returns how long n bytes may take to pass.
func allowance(n int64) time.Duration {
	return transferTime + time.Duration(n/slowest)*time.Second
}

// timed bounds the transfers of a handler's requests. Not every connection has deadlines;
// sizes are bounded all the same.
func timed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := &response{ResponseWriter: w, control: http.NewResponseController(w)}
		out.free() // of what an earlier request on the connection has left
		if r.Body != nil && r.Body != http.NoBody {
			in := &body{ReadCloser: r.Body, control: out.control, began: time.Now()}
			in.bound()
			r.Body = in
		}
		next.ServeHTTP(out, r)
		out.bound(0) // the rest is written now
	})
}

// body is the body of a request. A body that isn't read keeps its deadline: the server
// reads what is left of it, before the next request.
type body struct {
	io.ReadCloser
	control *http.ResponseController
	began   time.Time

	mu     sync.Mutex
	had    int64
	closed bool // also while another goroutine reads: the connection may have its next request
}

func (b *body) bound() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		_ = b.control.SetReadDeadline(b.began.Add(allowance(b.had)))
	}
}

// Read implements [io.Reader].
func (b *body) Read(p []byte) (int, error) {
	b.bound()
	n, err := b.ReadCloser.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.had += int64(n)
	if errors.Is(err, io.EOF) && !b.closed {
		_ = b.control.SetReadDeadline(time.Time{}) // nothing more is to come, and the answer may take long
	}
	return n, err
}

// Close implements [io.Closer].
func (b *body) Close() error {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	return b.ReadCloser.Close()
}

// response bounds each write, and nothing between them: a stream may wait for a person.
type response struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (w *response) bound(n int) {
	_ = w.control.SetWriteDeadline(time.Now().Add(allowance(int64(n))))
}

func (w *response) free() { _ = w.control.SetWriteDeadline(time.Time{}) }

// Write implements [io.Writer].
func (w *response) Write(p []byte) (int, error) {
	w.bound(len(p))
	defer w.free()
	return w.ResponseWriter.Write(p)
}

// FlushError is what [http.ResponseController] flushes by.
func (w *response) FlushError() error {
	w.bound(0)
	defer w.free()
	return w.control.Flush()
}

// Unwrap supports [http.ResponseController].
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }
