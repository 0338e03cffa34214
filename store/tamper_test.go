package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/storetest"
	"github.com/remit-project/remit/store"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func said(text string) store.Record {
	return store.Record{Event: remit.Event{Kind: remit.UserEvent, Time: time.Unix(0, 0), Text: text}}
}

// TestTampering changes a store as an attacker with write access to the database could:
// verification names the change.
func TestTampering(t *testing.T) {
	server := storetest.StartPostgres(t)
	// What only a head that was kept elsewhere proves is reported so.
	const forged = "UPDATE audit SET hash = (SELECT head FROM sessions WHERE id = 'b') WHERE chain = 'b'; "
	for name, c := range map[string]struct {
		statements string
		want       string
	}{
		"an event's text":             {"UPDATE events SET event = replace(event, 'one', 'two') WHERE session = 'a' AND seq = 0", "event 0 was changed"},
		"a decision":                  {"UPDATE events SET decision = '{}' WHERE session = 'a' AND seq = 1", "event 1 was changed"},
		"an event removed":            {"DELETE FROM events WHERE session = 'a' AND seq = 1", "event 1 is missing"},
		"the last event removed":      {"DELETE FROM events WHERE session = 'a' AND seq = 2", "event 2 is missing"},
		"an event added":              {"INSERT INTO events SELECT session, 3, event, decision, salt FROM events WHERE session = 'a' AND seq = 0", "the session has 4 events"},
		"an entry changed":            {"UPDATE audit SET entry = replace(entry, 'deny', 'allow') WHERE chain = 'a' AND n = 1", "the hash is wrong"},
		"an entry removed":            {"DELETE FROM audit WHERE chain = 'a' AND n = 1", "entry 1 was expected here"},
		"the last entry removed":      {"DELETE FROM audit WHERE chain = 'a' AND n = 2", "names another head"},
		"a row that follows":          {"DELETE FROM audit WHERE chain = 'a' AND n = 2; DELETE FROM events WHERE session = 'a' AND seq = 2; UPDATE sessions SET length = 2, entries = 2, head = (SELECT hash FROM audit WHERE chain = 'a' AND n = 1) WHERE id = 'a'", "the chain is cut"},
		"a session removed":           {"DELETE FROM events WHERE session = 'a'; DELETE FROM audit WHERE chain = 'a'; DELETE FROM sessions WHERE id = 'a'", "the session is missing"},
		"a session marked as pruned":  {"DELETE FROM events WHERE session = 'a'; DELETE FROM audit WHERE chain = 'a'; UPDATE sessions SET pruned = 1 WHERE id = 'a'", "the store's own chain doesn't say so"},
		"a session under another id":  {"INSERT INTO sessions SELECT 'c', length, begun, active, entries, head, noted, pruned, principal, ended, toolset, indexed FROM sessions WHERE id = 'a'; UPDATE events SET session = 'c' WHERE session = 'a'; UPDATE audit SET chain = 'c' WHERE chain = 'a'; DELETE FROM sessions WHERE id = 'a'", "the entry says that it is entry 0"},
		"own chain cut":               {"DELETE FROM audit WHERE chain = '' AND n = 2", "names another head"},
		"own chain cut with its row":  {"DELETE FROM audit WHERE chain = '' AND n = 2; UPDATE sessions SET entries = 2, head = (SELECT hash FROM audit WHERE chain = '' AND n = 1) WHERE id = ''", "is not in the log"},
		"a hash of a different chain": {forged, "the hash is wrong"},
	} {
		for kind, dsn := range map[string]string{"sqlite": filepath.Join(t.TempDir(), "remit.db"), "postgres": server.Database(t)} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				st, err := store.Open(t.Context(), dsn, store.Options{})
				must(t, err)
				defer func() { must(t, st.Close()) }()
				d := &remit.Decision{Session: "a", Call: "c", Tool: "t", Verdict: remit.Deny}
				must(t, st.Append(t.Context(), "a", 0, said("one"),
					store.Record{Event: remit.Event{Kind: remit.CallEvent, Verdict: remit.Deny, Call: &remit.Call{ID: "c", Tool: "t"}}, Decision: d}, said("three")))
				must(t, st.Append(t.Context(), "b", 0, said("x"), said("y")))
				head, err := st.Head(t.Context())
				must(t, err)
				report, err := st.Verify(t.Context(), head.Hash)
				must(t, err)
				if !report.OK() {
					t.Fatalf("before: %v", report.Problems)
				}
				tamper(t, dsn, c.statements)
				report, err = st.Verify(t.Context(), head.Hash)
				must(t, err)
				if report.OK() || !strings.Contains(fmt.Sprint(report.Problems), c.want) {
					t.Errorf("got %v, want %q", report.Problems, c.want)
				}
			})
		}
	}
}

func tamper(t *testing.T, dsn, statements string) {
	t.Helper()
	driver := "sqlite"
	if strings.HasPrefix(dsn, "postgres:") {
		driver = "pgx"
	}
	db, err := sql.Open(driver, dsn)
	must(t, err)
	for s := range strings.SplitSeq(statements, ";") {
		if strings.TrimSpace(s) == "" {
			continue
		}
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	must(t, db.Close())
}

// TestDamaged opens what is not a store, or one that a newer program wrote.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	none := filepath.Join(dir, "none.db")
	must(t, os.WriteFile(none, []byte(strings.Repeat("no database ", 1000)), 0o600))
	newer := filepath.Join(dir, "newer.db")
	st, err := store.Open(t.Context(), newer, store.Options{})
	must(t, err)
	must(t, st.Close())
	torn := filepath.Join(dir, "torn.db")
	st, err = store.Open(t.Context(), torn, store.Options{})
	must(t, err)
	must(t, st.Close())
	text, err := os.ReadFile(torn)
	must(t, err)
	copy(text[4096:8192], strings.Repeat("Z", 4096)) // a page of it
	must(t, os.WriteFile(torn, text, 0o600))
	tamper(t, newer, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)")
	foreign := filepath.Join(dir, "foreign.db")
	tamper(t, foreign, "CREATE TABLE sessions (name TEXT)")
	for name, c := range map[string]struct{ dsn, want string }{
		"another program": {foreign, "foreign.db: its tables are of version 0, and can't be brought to version 10"},
		"no database":     {none, "none.db: the store is damaged, or is none: name the file of a store, or put it back from a backup: file is not a database"},
		"a torn page":     {torn, "torn.db: the store is damaged: put it back from a backup, or move it away to begin a new one: database disk image"},
		"a folder":        {dir, "is a directory"},
		"a newer store":   {newer, "newer version of remit: use that one, or a copy from before (its tables are of version 999"},
		"no name":         {"", "there is no name"},
		"no server":       {"postgres://x@/x?host=" + dir, "open store at"},
		"no postgres url": {"postgres://[", "open store"},
		"one connection":  {"postgres://x@/x?host=" + dir + "&pool_max_conns=1", "pool_max_conns=1: write a number from 2 to 1000"},
		"many of them":    {"postgres://x@/x?host=" + dir + "&pool_max_conns=1e9", "pool_max_conns=1e9: write a number"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		s, err := store.Open(ctx, c.dsn, store.Options{})
		cancel()
		if err == nil || s != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, %v; want an error with %q", name, s, err, c.want)
		}
	}
	if _, err := store.Open(t.Context(), filepath.Join(dir, "absent.db"), store.Options{Existing: true}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an absent store: %v", err)
	}
	for _, r := range []store.Rule{{Name: "x", Pattern: "("}, {Name: "x", Pattern: "a*"}, {Pattern: "a"}} {
		if _, err := store.Open(t.Context(), filepath.Join(dir, "rule.db"), store.Options{Redact: []store.Rule{r}}); err == nil {
			t.Errorf("rule %v was taken", r)
		}
	}
	info, err := os.Stat(newer)
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the store may be read by others: %s", info.Mode())
	}
}

// TestLostConnection ends the PostgreSQL server under load: what was accepted is
// there when it is back, and nothing else pretends to be.
func TestLostConnection(t *testing.T) {
	server := storetest.StartPostgres(t)
	st, err := store.Open(t.Context(), server.Database(t), store.Options{})
	must(t, err)
	defer func() { must(t, st.Close()) }()
	const writers = 4
	accepted := make([]int64, writers)
	load := func() {
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				id := fmt.Sprint(w)
				for {
					err := st.Append(t.Context(), id, accepted[w], said(fmt.Sprint(accepted[w])))
					var c *store.ConflictError
					switch {
					case err == nil:
						accepted[w]++
					case errors.As(err, &c):
						// The answer to the last commit was lost with the
						// connection; the record was not.
						if c.Actual != accepted[w]+1 {
							t.Errorf("session %s: %v", id, err)
							return
						}
						accepted[w]++
					default:
						return
					}
				}
			})
		}
		time.Sleep(50 * time.Millisecond)
		server.Kill(t)
		wg.Wait()
	}
	for range 3 {
		load()
		if err := st.Append(t.Context(), "x", 0, said("x")); err == nil {
			t.Error("written without a server")
		}
		server.Start(t)
	}
	for w, want := range accepted {
		n := int64(0)
		for r, err := range st.Read(t.Context(), fmt.Sprint(w), 0) {
			must(t, err)
			if r.Event.Text != fmt.Sprint(n) {
				t.Errorf("session %d: event %d says %s", w, n, r.Event.Text)
			}
			n++
		}
		if n != want && n != want+1 {
			t.Errorf("session %d has %d events, and %d were accepted", w, n, want)
		}
	}
	report, err := st.Verify(t.Context())
	must(t, err)
	if !report.OK() {
		t.Errorf("%v", report.Problems)
	}
}
