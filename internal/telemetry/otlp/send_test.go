package otlp

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"
)

// A receiver that is busy is asked again, later each time and not before it says, for a minute.
func TestBusy(t *testing.T) {
	for name, test := range map[string]struct {
		status   int
		after    string // Retry-After of the answers
		busyFor  int    // so many answers
		requests int
		least    time.Duration // of the pauses together
		taken    bool
	}{
		"not at all":        {503, "", 0, 1, 0, true},
		"once":              {503, "", 1, 2, firstWait / 2, true},
		"twice":             {429, "", 2, 3, firstWait * 3 / 2, true},
		"and says how long": {429, "20", 1, 2, 20 * time.Second, true},
		"for ever":          {502, "16", 99, 4, 48 * time.Second, false},
		"for too long":      {504, "3600", 99, 1, 0, false},
		"until a date":      {503, "Fri, 31 Dec 9999 23:59:59 GMT", 99, 1, 0, false},
		"since a date":      {503, "Fri, 31 Dec 1999 23:59:59 GMT", 1, 2, firstWait / 2, true},
		"broken":            {500, "", 99, 1, 0, false},
		"away":              {gone, "", 2, 3, firstWait * 3 / 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			requests, waited := 0, time.Duration(0)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				requests++
				if test.status == gone && requests <= test.busyFor {
					panic(http.ErrAbortHandler)
				}
				if requests <= test.busyFor {
					w.Header().Set("Retry-After", test.after)
					w.WriteHeader(test.status)
				}
			}))
			defer server.Close()
			s := senderTo(t, server.URL)
			s.wait = func(_ context.Context, d time.Duration) error {
				waited += d
				return nil
			}
			if err := s.send(t.Context(), nil); (err == nil) != test.taken {
				t.Errorf("got %v", err)
			}
			if requests != test.requests || waited < test.least || waited > patience {
				t.Errorf("%d requests over %v, want %d over %v at least", requests, waited, test.requests, test.least)
			}
		})
	}
}

// A shutdown doesn't wait for a busy receiver.
func TestBusyAtTheEnd(t *testing.T) {
	ctx, end := context.WithCancelCause(t.Context())
	over := errors.New("over")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		end(over)
	}))
	defer server.Close()
	s := senderTo(t, server.URL)
	if err := s.send(ctx, nil); err == nil {
		t.Error("the request counts as taken")
	}
}

// Nobody waits for what the time that is left doesn't allow.
func TestBusyBeyondTheEnd(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "50")
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
	defer cancel()
	s := senderTo(t, server.URL)
	s.wait = func(context.Context, time.Duration) error {
		t.Error("it waits")
		return nil
	}
	if err := s.send(ctx, nil); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// gone is the status of a receiver that ends connections without an answer.
const gone = -1

func senderTo(t *testing.T, address string) *sender {
	t.Helper()
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return newSender(to, http.Header{}, time.Minute, nil, false)
}
