package upkeep_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/remit-project/remit/internal/upkeep"
	"github.com/remit-project/remit/store"
)

func open(t *testing.T) (string, store.Store) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "remit.db")
	s, err := store.Open(t.Context(), name, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return name, s
}

// The digest of the audit log is logged when the server ends, and is that of the
// store.
func TestStopLogsTheHead(t *testing.T) {
	_, s := open(t)
	var log bytes.Buffer
	k := upkeep.Start(t.Context(), s, upkeep.Options{Head: time.Hour, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err := k.Stop(); err != nil {
		t.Fatal(err)
	}
	head, err := s.Head(t.Context())
	if err != nil || !strings.Contains(log.String(), upkeep.DigestPrefix+head.Hash.String()) {
		t.Errorf("%s is not in the log, %v:\n%s", head.Hash, err, &log)
	}
}

// Without a retention or digests there is nothing to do.
func TestNothingToDo(t *testing.T) {
	_, s := open(t)
	var log bytes.Buffer
	if err := upkeep.Start(t.Context(), s, upkeep.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}).Stop(); err != nil || log.Len() > 0 {
		t.Errorf("got %v, %s", err, &log)
	}
}

// A closed store is not reachable.
func TestReachable(t *testing.T) {
	_, s := open(t)
	for _, troubled := range []bool{false, true} {
		if err := upkeep.Reachable(t.Context(), s, troubled, "v1"); err != nil {
			t.Errorf("troubled %t: %v", troubled, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if upkeep.Reachable(context.Background(), s, false, "v1") == nil {
		t.Error("a closed store is reachable")
	}
}

// writer has the trouble that it is given.
type writer struct{ trouble error }

func (w *writer) Trouble() error { return w.trouble }
func (w *writer) Recovered()     { w.trouble = nil }

// TestReady: after trouble the store is written to, once, and nothing is written without trouble.
func TestReady(t *testing.T) {
	_, s := open(t)
	w := &writer{}
	notes := func() (n int) {
		for line, err := range s.Export(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(line.Entry, []byte("recovered")) {
				n++
			}
		}
		return n
	}
	for i, trouble := range []error{nil, errors.New("the disk is full"), nil} {
		if trouble != nil {
			w.trouble = trouble
		}
		if err := upkeep.Ready(t.Context(), s, w, "v1"); err != nil || w.trouble != nil {
			t.Errorf("%d: %v, trouble %v", i, err, w.trouble)
		}
	}
	if n := notes(); n != 1 {
		t.Errorf("%d notes", n)
	}
}
