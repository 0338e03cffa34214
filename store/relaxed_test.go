package store

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/remit-project/remit"
)

func openHere(t *testing.T) *database {
	t.Helper()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "remit.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s.(*database)
}

// TestRelaxed asks SQLite what its commits wait for: relaxed ones for nothing,
// all others, also after a relaxed one, for the disk.
func TestRelaxed(t *testing.T) {
	s := openHere(t)
	if s.boot == "" {
		t.Skip("the system doesn't name its run: every commit waits for the disk")
	}
	level := func(write writing) (n int) {
		t.Helper()
		err := write(t.Context(), func(ctx context.Context, q querier) error {
			return one(ctx, q, "PRAGMA synchronous", nil, &n)
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	const normal, full = 1, 2
	for i, want := range []int{full, normal, normal, full, full, normal} {
		write := s.write
		if want == normal {
			write = s.relaxed
		}
		if got := level(write); got != want {
			t.Errorf("commit %d is made with synchronous = %d, want %d", i, got, want)
		}
	}
}

// TestRelaxedTogether commits relaxed writes together with others: all wait for
// the disk when one has to.
func TestRelaxedTogether(t *testing.T) {
	for name, c := range map[string]struct {
		batch []*job
		want  bool
	}{
		"relaxed":         {[]*job{{}, {}}, false},
		"one is not":      {[]*job{{}, {sync: true}, {}}, true},
		"none is relaxed": {[]*job{{sync: true}}, true},
	} {
		if got := synced(c.batch); got != c.want {
			t.Errorf("%s: waits for the disk: %v, want %v", name, got, c.want)
		}
	}
}

// TestRestarted reads decisions that were written in another run of the machine.
func TestRestarted(t *testing.T) {
	s := openHere(t)
	decision := func(id string) Record {
		return Record{Event: remit.Event{Kind: remit.CallEvent, Time: time.Unix(0, 0), Verdict: remit.Allow, Call: &remit.Call{ID: id, Tool: "t"}},
			Decision: &remit.Decision{Session: "s", Call: id, Tool: "t", Verdict: remit.Allow}}
	}
	said := Record{Event: remit.Event{Kind: remit.UserEvent, Time: time.Unix(0, 0), Text: "x"}}
	append1 := func(boot string, n int64, r Record) {
		t.Helper()
		s.boot = boot
		if err := s.Append(t.Context(), "s", n, r); err != nil {
			t.Fatal(err)
		}
	}
	append1("first", 0, said)
	append1("first", 1, decision("a"))
	append1("second", 2, decision("b"))
	append1("", 3, decision("c")) // where every commit waits for the disk
	for boot, want := range map[string][4]bool{
		"first": {false, false, true, false}, "second": {false, true, false, false}, "third": {false, true, true, false}, "": {false, true, true, false},
	} {
		s.boot = boot
		for r, err := range s.Read(t.Context(), "s", 0) {
			if err != nil {
				t.Fatal(err)
			}
			if r.Restarted != want[r.Seq] {
				t.Errorf("in the run %q event %d has Restarted %v", boot, r.Seq, r.Restarted)
			}
		}
	}
}
