package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/store"
)

// relaxed appends what may be lost with the power, and only with that: others
// see it at once, it conflicts as every append, and it is there when the store is
// opened again.
func relaxed(t *testing.T, s *suite) {
	must(t, s.AppendRelaxed(t.Context(), "s", 0, said("one")))
	must(t, s.Append(t.Context(), "s", 1, call("s", "c1", remit.Allow)))
	must(t, s.AppendRelaxed(t.Context(), "s", 2, said("three"), said("four")))
	is(t, s.AppendRelaxed(t.Context(), "s", 2, said("three")), store.ErrConflict)
	is(t, s.AppendRelaxed(t.Context(), "", 0, said("x")), store.ErrInvalid)
	other := s.open(t)
	if got := records(t, other.Read(t.Context(), "s", 0)); len(got) != 4 || got[1].Restarted {
		t.Errorf("another one reads %s", show(got))
	}
	must(t, s.Close())
	again := s.open(t)
	if got := records(t, again.Read(t.Context(), "s", 0)); len(got) != 4 || got[1].Restarted {
		t.Errorf("afterwards there is %s", show(got))
	}
	verified(t, again)
}

// meanwhile changes a session by one store between the appends of another, which
// may remember how it left the session.
func meanwhile(t *testing.T, s *suite) {
	other := s.open(t)
	must(t, s.Append(t.Context(), "s", 0, said("0")))
	must(t, s.Append(t.Context(), "s", 1, call("s", "c1", remit.Ask)))
	must(t, other.Append(t.Context(), "s", 2, said("2")))
	is(t, s.Append(t.Context(), "s", 2, said("2")), store.ErrConflict)
	must(t, s.Append(t.Context(), "s", 3, said("3")))
	must(t, s.Append(t.Context(), "s", 4, said("4")))
	// A question changes the session's audit chain and not its length.
	_, err := other.Ask(t.Context(), store.Question{Decision: decision("s", "c1")})
	must(t, err)
	must(t, s.Append(t.Context(), "s", 5, said("5")))
	must(t, s.Append(t.Context(), "s", 6, said("6"), said("7")))
	must(t, s.Append(t.Context(), "s", 8, said("8")))
	is(t, s.Append(t.Context(), "s", 7, said("7")), store.ErrConflict)

	if got := records(t, other.Read(t.Context(), "s", 0)); len(got) != 9 {
		t.Errorf("the session has %s", show(got))
	}
	must(t, s.Append(t.Context(), "s", 9, said("9")))
	_, err = other.End(t.Context(), "s")
	must(t, err)
	is(t, s.Append(t.Context(), "s", 10, said("10")), store.ErrEnded)
	must(t, s.Append(t.Context(), "t", 0, said("0")))
	s.pass(time.Hour)
	if n, err := other.Prune(t.Context(), s.now()); err != nil || n != 2 {
		t.Errorf("%d pruned, %v", n, err)
	}
	is(t, s.Append(t.Context(), "t", 1, said("1")), store.ErrPruned)
	verified(t, other)
}

func pages(t *testing.T, s *suite) {
	var want []string
	for i := range 23 {
		want = append(want, fmt.Sprintf("s%02d", i))
	}
	s.begin(t, want...)
	var got []string
	for after := ""; ; after = got[len(got)-1] {
		list, err := s.Sessions(t.Context(), after, 5)
		must(t, err)
		for _, i := range list {
			got = append(got, i.ID)
		}
		if len(list) < 5 {
			break
		}
	}
	equal(t, "sessions", got, want)
}

func reopened(t *testing.T, s *suite) {
	s.begin(t, "s")
	must(t, s.Append(t.Context(), "s", 1, call("s", "c1", remit.Ask)))
	a, err := s.Ask(t.Context(), store.Question{Decision: decision("s", "c1")})
	must(t, err)
	err = s.Lower(t.Context(), store.ResourceLabel{Trust: label.User}, store.Resource{Server: "fs", ID: "/x"})
	must(t, err)
	must(t, s.Close())
	again := s.open(t)

	if got := records(t, again.Read(t.Context(), "s", 0)); len(got) != 2 {
		t.Errorf("events: %s", show(got))
	}
	if got, err := again.Approval(t.Context(), a.ID); err != nil || got.State != store.Pending {
		t.Errorf("approval: %v, %v", got, err)
	}
	if l, err := again.Labels(t.Context(), store.Resource{Server: "fs", ID: "/x"}); err != nil || l[0] == nil || l[0].Trust != label.User {
		t.Errorf("the label is %v, %v", l, err)
	}
	must(t, again.Append(t.Context(), "s", 2, said("more")))
	verified(t, again)
}

func openedTogether(t *testing.T, s *suite) {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			st, err := store.Open(t.Context(), s.name, store.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			if err := errors.Join(st.Append(t.Context(), fmt.Sprint(i), 0, said("x")), st.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	verified(t, s)
}

func ended(t *testing.T, s *suite) {
	s.begin(t, "s")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	is(t, s.Append(ctx, "s", 1, said("x")), context.Canceled)
	_, err := s.Ask(ctx, store.Question{Decision: decision("s", "c1")})
	is(t, err, context.Canceled)
	for _, err := range s.Read(ctx, "s", 0) {
		is(t, err, context.Canceled)
	}
	_, err = s.Head(ctx)
	is(t, err, context.Canceled)
	must(t, s.Append(t.Context(), "s", 1, said("y")))
	verified(t, s)
}

func closed(t *testing.T, s *suite) {
	s.begin(t, "s")
	a, err := s.Ask(t.Context(), store.Question{Decision: decision("s", "c1")})
	must(t, err)
	must(t, s.Close())
	must(t, s.Close())

	ctx := t.Context()
	for name, f := range map[string]func() error{
		"append":   func() error { return s.Append(ctx, "s", 1, said("x")) },
		"session":  func() error { _, err := s.Session(ctx, "s"); return err },
		"sessions": func() error { _, err := s.Sessions(ctx, "", 0); return err },
		"prune":    func() error { _, err := s.Prune(ctx, s.now()); return err },
		"ask":      func() error { _, err := s.Ask(ctx, store.Question{Decision: decision("s", "c1")}); return err },
		"approval": func() error { _, err := s.Approval(ctx, a.ID); return err },
		"pending":  func() error { _, err := s.Pending(ctx, 0); return err },
		"answer":   func() error { _, err := s.Answer(ctx, a.ID, store.Answer{Approve: true}); return err },
		"wait":     func() error { _, err := s.Wait(ctx, a.ID); return err },
		"claim":    func() error { _, err := s.Claim(ctx, a.ID, a.Arguments); return err },
		"cancel":   func() error { return s.Cancel(ctx, a.ID, "") },
		"lower":    func() error { return s.Lower(ctx, store.ResourceLabel{}, store.Resource{ID: "x"}) },
		"label":    func() error { _, err := s.Labels(ctx, store.Resource{ID: "x"}); return err },
		"note":     func() error { return s.Note(ctx, store.Note{About: "x"}) },
		"head":     func() error { _, err := s.Head(ctx); return err },
		"verify":   func() error { _, err := s.Verify(ctx); return err },
		"read": func() error {
			for _, err := range s.Read(ctx, "s", 0) {
				return err
			}
			return nil
		},
		"export": func() error {
			for _, err := range s.Export(ctx) {
				return err
			}
			return nil
		},
	} {
		if err := f(); !errors.Is(err, store.ErrClosed) {
			t.Errorf("%s: got %v, want %v", name, err, store.ErrClosed)
		}
	}
}
