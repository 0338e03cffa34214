package store_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver
	"github.com/pressly/goose/v3"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/storetest"
	"github.com/remit-project/remit/store"
)

// TestMigrationsGoBothWays takes the tables of a store with sessions back to the version
// before the last ones and forth again: the sessions are found, counted and verified as
// before.
func TestMigrationsGoBothWays(t *testing.T) {
	for _, kind := range []struct {
		name, driver string
		dialect      goose.Dialect
		fresh        func(t *testing.T) string
	}{
		{"sqlite", "sqlite", goose.DialectSQLite3, func(t *testing.T) string { return filepath.Join(t.TempDir(), "remit.db") }},
		{"postgres", "pgx", goose.DialectPostgres, func(t *testing.T) string { return storetest.StartPostgres(t).Database(t) }},
	} {
		t.Run(kind.name, func(t *testing.T) {
			name := kind.fresh(t)
			write(t, name, "before")
			db, err := sql.Open(kind.driver, name)
			if err != nil {
				t.Fatal(err)
			}
			p, err := goose.NewProvider(kind.dialect, db, os.DirFS(filepath.Join("migrations", kind.name)), goose.WithDisableGlobalRegistry(true))
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if _, err := p.DownTo(t.Context(), 5); err != nil {
					t.Fatal(err)
				}
				if _, err := p.Up(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := p.DownTo(t.Context(), 5); err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			write(t, name, "after")
		})
	}
}

// write adds a session to a store, and finds all that there are.
func write(t *testing.T, name, session string) {
	t.Helper()
	s, err := store.Open(t.Context(), name, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	err = s.Append(t.Context(), session, 0, store.Record{Event: remit.Event{Kind: remit.CallEvent, Time: at, Call: &remit.Call{ID: "c", Tool: "send"}, Verdict: remit.Deny},
		Decision: &remit.Decision{Session: session, Call: "c", Tool: "send", Verdict: remit.Deny}, Took: time.Millisecond, Shadow: true})
	if err != nil {
		t.Fatal(err)
	}

	found := func() string {
		list, err := s.Find(t.Context(), store.Filter{Whose: store.Whose{Everybody: true}, Tool: "send", Text: "SEND"}, 0)
		if err != nil {
			t.Fatal(err)
		}
		counts, err := s.Tally(t.Context(), store.Whose{Everybody: true}, at, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, c := range counts {
			n += c.N
		}
		return fmt.Sprint(len(list), n)
	}
	want := map[string]string{"before": "1 1", "after": "2 2"}[session]
	for range 2 {
		if got := found(); got != want {
			t.Errorf("%s: found %s, want %s", session, got, want)
		}
		if err := s.Index(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if r, err := s.Verify(t.Context()); err != nil || !r.OK() {
		t.Errorf("%+v, %v", r, err)
	}
}
