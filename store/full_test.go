package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/remit-project/remit"
)

func pragma(t *testing.T, s *database, text string) {
	t.Helper()
	if err := s.write(t.Context(), func(ctx context.Context, q querier) error {
		rows, err := q.QueryContext(ctx, "PRAGMA "+text)
		if err != nil {
			return err
		}
		return rows.Close()
	}); err != nil {
		t.Fatal(err)
	}
}

// TestUnwritable writes to a store that may only be read.
func TestUnwritable(t *testing.T) {
	opened, err := Open(t.Context(), filepath.Join(t.TempDir(), "remit.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := opened.(*database)
	defer s.Close()
	pragma(t, s, "query_only = 1")
	err = s.Append(t.Context(), "x", 0, Record{Event: remit.Event{Kind: remit.UserEvent, Time: time.Unix(0, 0), Text: "x"}})
	if err == nil || !strings.Contains(err.Error(), "this user may not write the store") {
		t.Errorf("got %v", err)
	}
}

// TestFullDisk fills the disk under load: what was accepted is there, what was
// not says why, and when there is room again the store goes on.
func TestFullDisk(t *testing.T) {
	opened, err := Open(t.Context(), filepath.Join(t.TempDir(), "remit.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	}()
	s := opened.(*database)
	pragma(t, s, "max_page_count = 200")
	record := Record{Event: remit.Event{Kind: remit.UserEvent, Time: time.Unix(0, 0), Text: strings.Repeat("x", 10_000)}}
	const writers = 8
	accepted := make([]int64, writers)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			id := fmt.Sprint(w)
			for {
				err := s.Append(t.Context(), id, accepted[w], record)
				if err == nil {
					accepted[w]++
					continue
				}
				if !strings.Contains(err.Error(), "full") || errors.Is(err, ErrConflict) {
					t.Error(err)
				}
				return
			}
		})
	}
	wg.Wait()
	check := func() {
		t.Helper()
		for w, want := range accepted {
			n := int64(0)
			for _, err := range s.Read(t.Context(), fmt.Sprint(w), 0) {
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
			if n != want {
				t.Errorf("session %d has %d events, and %d were accepted", w, n, want)
			}
		}
		report, err := s.Verify(t.Context())
		if err != nil || !report.OK() {
			t.Errorf("verify: %v, %+v", err, report)
		}
	}
	check()
	pragma(t, s, "max_page_count = 100000")
	for w := range writers {
		if err := s.Append(t.Context(), fmt.Sprint(w), accepted[w], record); err != nil {
			t.Error(err)
		}
		accepted[w]++
	}
	check()
}

// TestBatchKeepsOthers fails one write of several that are committed together:
// the others are there.
func TestBatchKeepsOthers(t *testing.T) {
	opened, err := Open(t.Context(), filepath.Join(t.TempDir(), "remit.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	}()
	s := opened.(*database)
	// The first write holds the writer until the others wait behind it.
	hold, held := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		err := s.write(t.Context(), func(context.Context, querier) error { close(held); <-hold; return nil })
		if err != nil {
			t.Error(err)
		}
	})
	<-held
	ctx, cancel := context.WithCancel(t.Context())
	outcomes := make([]error, 9)
	for i := range outcomes {
		wg.Go(func() {
			record := Record{Event: remit.Event{Kind: remit.UserEvent, Time: time.Unix(0, 0), Text: "x"}}
			switch i % 3 {
			case 0:
				outcomes[i] = s.Append(t.Context(), fmt.Sprint(i), 0, record)
			case 1:
				outcomes[i] = s.Append(t.Context(), fmt.Sprint(i), 7, record)
			case 2:
				outcomes[i] = s.Append(ctx, fmt.Sprint(i), 0, record)
			}
		})
	}
	time.Sleep(20 * time.Millisecond)
	cancel()
	close(hold)
	wg.Wait()
	for i, err := range outcomes {
		want := []error{nil, ErrConflict, context.Canceled}[i%3]
		if !errors.Is(err, want) {
			t.Errorf("write %d: got %v, want %v", i, err, want)
		}
		info, err := s.Session(t.Context(), fmt.Sprint(i))
		if there := err == nil && info.Length == 1; there != (want == nil) {
			t.Errorf("write %d: %+v, %v", i, info, err)
		}
	}
	if report, err := s.Verify(t.Context()); err != nil || !report.OK() {
		t.Errorf("verify: %v, %+v", err, report)
	}
}
