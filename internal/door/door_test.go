package door

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pipes are connections that the clock of the test rules, unlike the network's.
type pipes struct {
	accept chan net.Conn
	ended  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accept:
		return c, nil
	case <-p.ended:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	close(p.ended)
	return nil
}

func (*pipes) Addr() net.Addr { return &net.TCPAddr{} }

// served runs a test against a server over one connection.
func served(t *testing.T, h http.HandlerFunc, f func(t *testing.T, c net.Conn)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		l := &pipes{make(chan net.Conn), make(chan struct{})}
		ended := make(chan error, 1)
		go func() {
			ended <- (&Server{Handler: h, Log: slog.New(slog.DiscardHandler), Grace: time.Second}).Serve(ctx, l)
		}()
		here, there := net.Pipe()
		l.accept <- there
		f(t, here)
		here.Close()
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
}

// write writes what must reach the server, or be refused by a closed connection.
func write(t *testing.T, c net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}

// status reads an answer and returns its status line's code; 0 where the connection was
// closed instead.
func status(c *bufio.Reader) int {
	resp, err := http.ReadResponse(c, nil)
	if err != nil {
		return 0
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return 0
	}
	return resp.StatusCode
}

const posted = "POST / HTTP/1.1\r\nHost: remit\r\nContent-Length: %d\r\n\r\n"

// took answers when the body was read, with how it ended.
func took(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

// A caller that drips is cut off, whatever it drips.
func TestDrips(t *testing.T) {
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		head    string
		within  time.Duration
	}{
		"a header":                {took, "GET / HTTP/1.1\r\n", 11 * time.Second},
		"a body":                  {took, fmt.Sprintf(posted, 1000), 31 * time.Second},
		"a body in chunks":        {took, "POST / HTTP/1.1\r\nHost: remit\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n", 31 * time.Second},
		"a body that nobody read": {func(http.ResponseWriter, *http.Request) {}, fmt.Sprintf(posted, 1000), 31 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			served(t, test.handler, func(t *testing.T, c net.Conn) {
				began := time.Now()
				var drips sync.WaitGroup
				drips.Go(func() {
					write(t, c, test.head)
					for range 100 {
						if _, err := io.WriteString(c, "x"); err != nil {
							return
						}
						time.Sleep(5 * time.Second)
					}
				})
				if _, err := io.Copy(io.Discard, c); err != nil {
					t.Error(err)
				}
				if took := time.Since(began); took > test.within {
					t.Errorf("it was cut off after %s", took)
				}
				drips.Wait()
			})
		})
	}
}

// A body that comes at a steady pace is taken, however long it takes.
func TestSlowLine(t *testing.T) {
	const seconds = 300
	served(t, took, func(t *testing.T, c net.Conn) {
		var sent sync.WaitGroup
		sent.Go(func() {
			write(t, c, fmt.Sprintf(posted, seconds*slowest))
			part := strings.Repeat("x", slowest)
			for range seconds {
				write(t, c, part)
				time.Sleep(time.Second)
			}
		})
		if got := status(bufio.NewReader(c)); got != http.StatusOK {
			t.Errorf("got %d", got)
		}
		sent.Wait()
	})
}

// The handler may take its time, before it answers and between the parts of a stream, and
// the connection serves the next request.
func TestWaitsForAPerson(t *testing.T) {
	slow := func(w http.ResponseWriter, r *http.Request) {
		took(w, r)
		for range 10 {
			select {
			case <-time.After(10 * time.Minute):
			case <-r.Context().Done():
				t.Error("the request was ended:", context.Cause(r.Context()))
				return
			}
			fmt.Fprint(w, ":\n\n")
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
				return
			}
		}
	}
	served(t, slow, func(t *testing.T, c net.Conn) {
		in := bufio.NewReader(c)
		for _, request := range []string{fmt.Sprintf(posted, 3) + "abc", "GET / HTTP/1.1\r\nHost: remit\r\n\r\n", "POST / HTTP/1.1\r\nHost: remit\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"} {
			write(t, c, request)
			if got := status(in); got != http.StatusOK {
				t.Errorf("got %d", got)
			}
		}
	})
}

// A reader that doesn't take what is written holds the handler no longer than its time.
func TestStalledReader(t *testing.T) {
	for name, stalls := range map[string]func(w http.ResponseWriter) error{
		"a stream": func(w http.ResponseWriter) error {
			fmt.Fprint(w, "data: x\n\n")
			return http.NewResponseController(w).Flush()
		},
		"an answer": func(w http.ResponseWriter) error {
			_, err := w.Write(make([]byte, slowest))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			var held time.Duration
			served(t, func(w http.ResponseWriter, _ *http.Request) {
				began := time.Now()
				if err := stalls(w); err == nil {
					t.Error("it was written")
				}
				held = time.Since(began)
			}, func(t *testing.T, c net.Conn) {
				write(t, c, "GET / HTTP/1.1\r\nHost: remit\r\n\r\n")
				time.Sleep(time.Hour)
			})
			if held < transferTime || held > 2*transferTime {
				t.Errorf("it was held for %s", held)
			}
		})
	}
}

// A goroutine that outlives its request, as a transport does, leaves the deadlines of the
// next one alone.
func TestLateReader(t *testing.T) {
	var late io.ReadCloser
	served(t, func(w http.ResponseWriter, r *http.Request) {
		if late == nil {
			late = r.Body
			r.Body.Close()
			return
		}
		if _, err := late.Read(make([]byte, 1)); err == nil {
			t.Error("the body of an earlier request was read")
		}
		select {
		case <-time.After(time.Hour):
		case <-r.Context().Done():
			t.Error("the request was ended")
		}
	}, func(t *testing.T, c net.Conn) {
		in := bufio.NewReader(c)
		for _, request := range []string{fmt.Sprintf(posted, 3) + "abc", "GET / HTTP/1.1\r\nHost: remit\r\n\r\n"} {
			write(t, c, request)
			if got := status(in); got != http.StatusOK {
				t.Errorf("got %d", got)
			}
		}
	})
}
