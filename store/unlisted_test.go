package store_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/store"
)

// TestUnlisted: an append leaves a decision to be listed by others, and every list has it.
func TestUnlisted(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	everybody := store.Whose{Everybody: true}
	denied := func(session string, n int) []store.Record {
		list := make([]store.Record, n)
		for i := range list {
			id := fmt.Sprint("c", i)
			list[i] = store.Record{Event: remit.Event{Kind: remit.CallEvent, Time: at, Call: &remit.Call{ID: id, Tool: "send"}, Verdict: remit.Deny},
				Decision: &remit.Decision{Session: session, Call: id, Tool: "send", Verdict: remit.Deny}, Took: time.Millisecond}
		}
		return list
	}

	for _, c := range []struct {
		name   string
		do     func(s store.Store)
		listed int
	}{
		{"nothing", func(store.Store) {}, 0},
		{"one", func(s store.Store) { must(t, s.Append(t.Context(), "s", 0, denied("s", 1)...)) }, 1},
		{"more than a transaction lists", func(s store.Store) {
			for i := range 30 {
				must(t, s.Append(t.Context(), "s", int64(i*50), denied("s", 50)...))
			}
		}, 1500},
		{"of a session that was removed before", func(s store.Store) {
			must(t, s.Append(t.Context(), "s", 0, denied("s", 3)...))
			must(t, s.Append(t.Context(), "other", 0, denied("other", 2)...))
			_, err := s.Prune(t.Context(), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC))
			must(t, err)
		}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "remit.db")
			s, err := store.Open(t.Context(), name, store.Options{})
			must(t, err)
			c.do(s)
			must(t, s.Close())

			// Another process finds what this one has left.
			s, err = store.Open(t.Context(), name, store.Options{})
			must(t, err)
			counts, err := s.Tally(t.Context(), everybody, at, time.Hour)
			must(t, err)
			n := 0
			for _, count := range counts {
				n += count.N
			}
			took, err := s.Took(t.Context(), everybody, at, store.MaxTimes)
			must(t, err)
			if n != c.listed || len(took) != c.listed {
				t.Errorf("counted %d, timed %d, want %d", n, len(took), c.listed)
			}
			must(t, s.Close())
			if left := rows(t, name, "unlisted"); left != 0 {
				t.Errorf("%d are left", left)
			}
		})
	}
}

// TestListedMeanwhile: a process whose callers ask for no lists doesn't leave all its decisions
// to the first list.
func TestListedMeanwhile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "remit.db")
	for i := range 5 * 64 { // each by a process of its own
		s, err := store.Open(t.Context(), name, store.Options{})
		must(t, err)
		must(t, s.Append(t.Context(), "s", int64(i), store.Record{Event: remit.Event{Kind: remit.CallEvent, Call: &remit.Call{ID: "c", Tool: "send"}, Verdict: remit.Deny},
			Decision: &remit.Decision{Session: "s", Call: "c", Tool: "send", Verdict: remit.Deny}}))
		must(t, s.Close())
	}
	if rows(t, name, "decisions") == 0 {
		t.Error("none is listed")
	}
}

// rows counts the rows of a table.
func rows(t *testing.T, name, table string) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite", name)
	must(t, err)
	defer db.Close()
	must(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n))
	return n
}
