package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/remit-project/remit"
)

// grown is a store in which so many sessions have so many events each.
func grown(t *testing.T, sessions, events int) *database {
	t.Helper()
	s := openHere(t)
	for i := range sessions {
		list := make([]Record, events)
		for n := range list {
			list[n] = Record{Event: remit.Event{Kind: remit.UserEvent, Time: time.Unix(0, 0), Text: "x"}}
		}
		if err := s.AppendRelaxed(t.Context(), fmt.Sprintf("s%06d", i), 0, list...); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// peak runs a function that calls its argument for every entry, and returns how much more
// memory is in use meanwhile than before, at most.
func peak(t *testing.T, f func(entry func()) error) uint64 {
	t.Helper()
	used := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, most, n := used(), uint64(0), 0
	err := f(func() {
		if n++; n%5000 == 0 {
			most = max(most, used())
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return max(most, before) - before
}

// TestLargeLog exports and verifies a log of a million entries (a fiftieth of that in the short
// run), in the memory of a small one.
func TestLargeLog(t *testing.T) {
	sessions, events := 1000, 1000
	if testing.Short() {
		sessions = 20
	}
	const enough = 2 << 20 // lines of the short run, kept, are three times that
	s := grown(t, sessions, events)

	entries := 0
	if used := peak(t, func(entry func()) error {
		for _, err := range s.Export(t.Context()) {
			if err != nil {
				return err
			}
			entries++
			entry()
		}
		return nil
	}); used > enough {
		t.Errorf("exporting %d entries takes %d bytes", entries, used)
	}
	if entries < sessions*events {
		t.Errorf("%d entries were exported", entries)
	}

	if used := peak(t, func(entry func()) error {
		r, err := VerifyLines(func(yield func(Line, error) bool) {
			s.Export(t.Context())(func(l Line, err error) bool { entry(); return yield(l, err) })
		})
		if err == nil && !r.OK() {
			err = fmt.Errorf("%v", r.Problems)
		}
		return err
	}); used > enough {
		t.Errorf("verifying %d exported entries takes %d bytes", entries, used)
	}
	if r, err := s.Verify(t.Context()); err != nil || !r.OK() || r.Entries != int64(entries) {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestVerifyInParts follows few sessions at a time: the report is the same, also of a store
// that was changed.
func TestVerifyInParts(t *testing.T) {
	for _, change := range []string{
		"",
		"DELETE FROM audit WHERE chain = 's000003' AND n = 1",
		"UPDATE audit SET entry = replace(entry, 'user', 'call') WHERE chain = 's000005' AND n = 0",
		"DELETE FROM events WHERE session = 's000004'; DELETE FROM audit WHERE chain = 's000004'; DELETE FROM sessions WHERE id = 's000004'",
		"INSERT INTO sessions (id, length, begun, active, entries, head, noted) SELECT 's' || n, 0, 0, 0, 0, zeroblob(32), 0 FROM (SELECT 0 AS n UNION SELECT 1 UNION SELECT 2 UNION SELECT 3)",
		"UPDATE sessions SET pruned = 1 WHERE id = 's000006'",
		"DELETE FROM audit WHERE chain = '' AND n = 4",
		"DELETE FROM audit WHERE chain = '' AND n > 2",
	} {
		s := grown(t, 9, 3)
		if _, err := s.Head(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Prune(t.Context(), time.Unix(0, 0)); err != nil {
			t.Fatal(err)
		}
		for statement := range strings.SplitSeq(change, ";") {
			err := s.write(t.Context(), func(ctx context.Context, q querier) error {
				_, err := q.ExecContext(ctx, statement)
				return err
			})
			if err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
		whole, err := s.verify(t.Context(), maxFollowed, Progress{}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if whole.OK() != (change == "") {
			t.Errorf("%q: %v", change, whole.Problems)
		}
		for most := 1; most < 5; most++ {
			var places []Progress
			parts, err := s.verify(t.Context(), most, Progress{}, func(p Progress) error { places = append(places, p); return nil }, nil)
			if err != nil {
				t.Fatal(err)
			}
			same(t, fmt.Sprintf("%q, %d at a time", change, most), parts, whole)
			if want := 9 / (2 * most); len(places) < want {
				t.Errorf("%q, %d at a time: progress was noted %d times", change, most, len(places))
			}

			for _, p := range places {
				rest, err := s.verify(t.Context(), most, fromFile(t, p), nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				same(t, fmt.Sprintf("%q, %d at a time, from %q", change, most, p.After), rest, whole)
			}
		}
	}
}

// same compares what two verifications of a store found.
func same(t *testing.T, what string, got, want *Report) {
	t.Helper()
	got.Problems, want.Problems = sorted(got.Problems), sorted(want.Problems)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n%+v\nall at once:\n%+v", what, got, want)
	}
}

// fromFile is progress as a file has it.
func fromFile(t *testing.T, p Progress) (back Progress) {
	t.Helper()
	data, err := json.Marshal(p)
	if err == nil {
		err = json.Unmarshal(data, &back)
	}
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// TestVerifyGoesOn ends where the note of progress fails, goes on after it, and finds what
// happened to the rest of the log, and to the store's own chain, meanwhile.
func TestVerifyGoesOn(t *testing.T) {
	for name, c := range map[string]struct {
		change, problem string
	}{
		"nothing happens":        {"", ""},
		"a later entry changes":  {"UPDATE audit SET entry = replace(entry, 'user', 'call') WHERE chain = 's000008' AND n = 0", "the hash is wrong"},
		"the own chain is cut":   {"DELETE FROM audit WHERE chain = '' AND n > 2; UPDATE sessions SET entries = 3 WHERE id = ''", "is not in the log"},
		"a later one disappears": {"DELETE FROM events WHERE session = 's000008'; DELETE FROM audit WHERE chain = 's000008'; DELETE FROM sessions WHERE id = 's000008'", "the session is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			s := grown(t, 9, 3)
			if _, err := s.Head(t.Context()); err != nil {
				t.Fatal(err)
			}
			full := errors.New("no space left")
			var place Progress
			began := time.Unix(1000, 0)
			_, err := s.verify(t.Context(), 2, Progress{Began: began}, func(p Progress) error { place = p; return full }, nil)
			if !errors.Is(err, full) || place.After == "" || place.Report.Entries >= 27 || !place.Began.Equal(began) {
				t.Fatalf("%+v, %v", place, err)
			}

			for statement := range strings.SplitSeq(c.change, ";") {
				if err := s.write(t.Context(), func(ctx context.Context, q querier) error { _, err := q.ExecContext(ctx, statement); return err }); err != nil {
					t.Fatal(err)
				}
			}
			if c.change == "" {
				if err := s.Note(t.Context(), Note{About: "contracts"}); err != nil {
					t.Fatal(err)
				}
			}
			r, err := s.verify(t.Context(), 2, fromFile(t, place), nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			found := fmt.Sprint(r.Problems)
			if r.OK() != (c.problem == "") || !strings.Contains(found, c.problem) {
				t.Errorf("%s, want %q", found, c.problem)
			}
			if c.problem == "" && (r.Sessions != 9 || r.Unnoted != 0) {
				t.Errorf("%+v", r)
			}
			if r.Head != place.Own {
				t.Errorf("it counts up to %+v, and began at %+v", r.Head, place.Own)
			}
		})
	}
}

// TestVerifierKeeps bounds what is kept, however much the store's own chain says.
func TestVerifierKeeps(t *testing.T) {
	s := grown(t, 200, 1)
	v := newVerifier(nil)
	v.most = 10
	err := s.reading(t.Context(), func(tx *sql.Tx) error { return v.entries(t.Context(), tx, "a.chain = ''") })
	if err != nil || len(v.sessions) >= 2*v.most || v.upTo == "" {
		t.Errorf("%d sessions are followed, up to %q: %v", len(v.sessions), v.upTo, err)
	}
}

// TestRetentionPlans asks SQLite how it finds what retention and digests look for: by an
// index, and without putting everything in order first.
func TestRetentionPlans(t *testing.T) {
	s := openHere(t)
	for query, want := range map[string]string{
		idle + " LIMIT 100": "sessions_active",
		"SELECT id, entries, head FROM sessions WHERE entries <> noted AND pruned IS NULL AND id > 'a' ORDER BY id LIMIT 100": "id>?",
	} {
		rows, err := s.read.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+strings.ReplaceAll(query, "$1", "5"))
		if err != nil {
			t.Fatal(err)
		}
		plan := ""
		for rows.Next() {
			var id, parent, unused int
			var step string
			if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
				t.Fatal(err)
			}
			plan += step + "\n"
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(plan, want) || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%s:\n%s", query, plan)
		}
	}
}

// TestPruneMany removes more sessions than one transaction does, in the order in which they
// were left, and what is left verifies.
func TestPruneMany(t *testing.T) {
	name := filepath.Join(t.TempDir(), "remit.db")
	at := time.Unix(0, 0)
	opened, err := Open(t.Context(), name, Options{Now: func() time.Time { at = at.Add(time.Second); return at }})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	for i := range 2*maxPrune + 10 {
		if err := opened.AppendRelaxed(t.Context(), fmt.Sprint("s", i), 0, Record{Event: remit.Event{Kind: remit.UserEvent, Time: at, Text: "x"}}); err != nil {
			t.Fatal(err)
		}
	}
	half := at
	if err := opened.Append(t.Context(), "late", 0, Record{Event: remit.Event{Kind: remit.UserEvent, Time: at, Text: "x"}}); err != nil {
		t.Fatal(err)
	}
	n, err := opened.Prune(t.Context(), half.Add(time.Second))
	if err != nil || n != 2*maxPrune+10 {
		t.Errorf("%d were pruned, %v", n, err)
	}
	if r, err := opened.Verify(t.Context()); err != nil || !r.OK() || r.Sessions != 1 || r.Pruned != n {
		t.Errorf("%+v, %v", r, err)
	}
}

func sorted(list []Problem) []Problem {
	return slices.SortedFunc(slices.Values(list), func(a, b Problem) int { return strings.Compare(a.String(), b.String()) })
}

// TestStoppedIsBounded lists of large stopped calls only the last, which together have [MaxStopped]
// bytes. All stores read them in one place.
func TestStoppedIsBounded(t *testing.T) {
	s := openHere(t)
	for i := range 3 {
		id := fmt.Sprint("c", i)
		r := Record{
			Event:    remit.Event{Kind: remit.CallEvent, Time: time.Unix(0, 0), Call: &remit.Call{ID: id, Beside: strings.Repeat("x", MaxStopped/2)}, Verdict: remit.Deny},
			Decision: &remit.Decision{Session: "s", Call: id, Verdict: remit.Deny},
		}
		if err := s.Append(t.Context(), "s", int64(i), r); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Stopped(t.Context(), Whose{Everybody: true}, time.Unix(0, 0), 9)
	if err != nil || len(got) != 2 {
		t.Errorf("%d large ones, want 2: %v", len(got), err)
	}
}
