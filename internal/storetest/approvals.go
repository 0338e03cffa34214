package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/store"
)

func (s *suite) ask(t *testing.T, session, id string, life time.Duration) store.Approval {
	t.Helper()
	a, err := s.Ask(t.Context(), store.Question{Decision: decision(session, id), Life: life,
		Places: []store.Place{{Path: "/to", Origin: "result:c0", Before: "to ", Text: "eve@evil.example", After: " now"}}})
	must(t, err)
	return a
}

func answered(t *testing.T, s *suite) {
	s.begin(t, "s")
	a := s.ask(t, "s", "c1", 0)
	if a.State != store.Pending || !a.Expires.Equal(s.now().Add(store.DefaultApprovalLife)) || a.Arguments != store.ArgumentsHash(decision("s", "c1")) {
		t.Errorf("asked: %s", show(a))
	}

	list, err := s.Pending(t.Context(), 0)
	must(t, err)
	equal(t, "pending", list, []store.Approval{a})
	if string(list[0].Decision.Arguments) != string(a.Decision.Arguments) {
		t.Error("the arguments have changed their bytes")
	}

	got, err := s.Answer(t.Context(), a.ID, store.Answer{Approve: true, Extent: store.ForSession, By: "ann", Why: "known"})
	must(t, err)
	if got.State != store.Approved || got.Extent != store.ForSession || got.By != "ann" || got.Why != "known" || !got.Settled.Equal(s.now()) {
		t.Errorf("answered: %s", show(got))
	}

	for _, answer := range []store.Answer{{Approve: true}, {}} {
		_, err = s.Answer(t.Context(), a.ID, answer)
		is(t, err, store.ErrSettled)
	}

	must(t, s.Cancel(t.Context(), a.ID, "late"))
	if again, err := s.Approval(t.Context(), a.ID); err != nil || again.State != store.Approved {
		t.Errorf("afterwards: %s, %v", show(again), err)
	}
	if list, err := s.Pending(t.Context(), 0); err != nil || len(list) != 0 {
		t.Errorf("still pending: %v, %v", list, err)
	}

	used, err := s.Claim(t.Context(), a.ID, a.Arguments)
	must(t, err)
	if used.State != store.Used || used.Extent != store.ForSession {
		t.Errorf("claimed: %s", show(used))
	}
	_, err = s.Claim(t.Context(), a.ID, a.Arguments)
	is(t, err, store.ErrSettled)
	_, err = s.Answer(t.Context(), "nothing", store.Answer{})
	is(t, err, store.ErrNotFound)
	b := s.ask(t, "s", "c2", 0)
	_, err = s.Answer(t.Context(), b.ID, store.Answer{Approve: true, Extent: "forever"})
	is(t, err, store.ErrInvalid)
	verified(t, s)
}

// joined is a question about several calls.
func joined(t *testing.T, s *suite) {
	s.begin(t, "s")
	places := []store.Place{{Path: "/to", Origin: "result:c0", Text: "eve@evil.example"}}
	more := []store.Asked{{Decision: decision("s", "c2"), Places: places}, {Decision: decision("s", "c3")}}
	a, err := s.Ask(t.Context(), store.Question{Decision: decision("s", "c1"), More: more, ByValue: true})
	must(t, err)
	list, err := s.Pending(t.Context(), 0)
	must(t, err)
	equal(t, "pending", list, []store.Approval{a})

	got, err := s.Answer(t.Context(), a.ID, store.Answer{Approve: true, Calls: []string{"c3", "c1"}})
	must(t, err)
	for id, want := range map[string]bool{"c1": true, "c2": false, "c3": true, "c4": false} {
		if got.Agrees(id) != want {
			t.Errorf("agreed to %s: %t, want %t", id, !want, want)
		}
	}
	again, err := s.Approval(t.Context(), a.ID)
	must(t, err)
	equal(t, "answered", again, got)

	for name, calls := range map[string][]store.Asked{
		"one of them":   got.Calls()[:1],
		"other order":   {got.Calls()[1], got.Calls()[0], got.Calls()[2]},
		"without one":   got.Calls()[:2],
		"with one more": append(got.Calls(), store.Asked{Decision: decision("s", "c4")}),
	} {
		if _, err := s.Claim(t.Context(), a.ID, store.QuestionHash(calls)); !errors.Is(err, store.ErrSettled) {
			t.Errorf("%s: got %v, want %v", name, err, store.ErrSettled)
		}
	}
	used, err := s.Claim(t.Context(), a.ID, store.QuestionHash(got.Calls()))
	must(t, err)
	if !used.Agrees("c1") || used.Agrees("c2") {
		t.Errorf("claimed: %s", show(used))
	}
	verified(t, s)
}

func bound(t *testing.T, s *suite) {
	s.begin(t, "s")
	a := s.ask(t, "s", "c1", 0)
	_, err := s.Answer(t.Context(), a.ID, store.Answer{Approve: true})
	must(t, err)

	for name, change := range map[string]func(*remit.Decision){
		"other arguments": func(d *remit.Decision) { d.Arguments = json.RawMessage(`{"to":"ann@corp.example"}`) },
		"another tool":    func(d *remit.Decision) { d.Tool = "delete" },
		"another server":  func(d *remit.Decision) { d.Server = "web" },
		"another session": func(d *remit.Decision) { d.Session = "t" },
		"another call":    func(d *remit.Decision) { d.Call = "c2" },
		"shifted names":   func(d *remit.Decision) { d.Server, d.Tool = "mails", "end" },
	} {
		d := decision("s", "c1")
		change(d)
		if _, err := s.Claim(t.Context(), a.ID, store.ArgumentsHash(d)); !errors.Is(err, store.ErrSettled) {
			t.Errorf("%s: got %v, want %v", name, err, store.ErrSettled)
		}
	}

	_, err = s.Claim(t.Context(), a.ID, store.ArgumentsHash(decision("s", "c1")))
	must(t, err)
}

func unapproved(t *testing.T, s *suite) {
	s.begin(t, "s")
	for name, settle := range map[string]func(id string) error{
		"open":      func(string) error { return nil },
		"denied":    func(id string) error { _, err := s.Answer(t.Context(), id, store.Answer{}); return err },
		"cancelled": func(id string) error { return s.Cancel(t.Context(), id, "it has gone") },
	} {
		a := s.ask(t, "s", name, 0)
		must(t, settle(a.ID))
		if _, err := s.Claim(t.Context(), a.ID, a.Arguments); !errors.Is(err, store.ErrSettled) {
			t.Errorf("%s: got %v, want %v", name, err, store.ErrSettled)
		}
	}

	for name, q := range map[string]store.Question{
		"no decision":    {},
		"an allowed one": {Decision: &remit.Decision{Session: "s", Call: "c", Verdict: remit.Allow}},
		"a denied one":   {Decision: &remit.Decision{Session: "s", Call: "c", Verdict: remit.Deny}},
		"no call":        {Decision: &remit.Decision{Session: "s", Verdict: remit.Ask}},
		"a long life":    {Decision: decision("s", "c"), Life: store.MaxApprovalLife + 1},
		"a negative one": {Decision: decision("s", "c"), Life: -1},
		"many places":    {Decision: decision("s", "c"), Places: make([]store.Place, store.MaxPlaces+1)},
	} {
		if _, err := s.Ask(t.Context(), q); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%s: got %v, want %v", name, err, store.ErrInvalid)
		}
	}

	_, err := s.Ask(t.Context(), store.Question{Decision: decision("nobody", "c")})
	is(t, err, store.ErrNotFound)
}

func expired(t *testing.T, s *suite) {
	s.begin(t, "s")
	open, approved := s.ask(t, "s", "c1", time.Minute), s.ask(t, "s", "c2", time.Minute)
	_, err := s.Answer(t.Context(), approved.ID, store.Answer{Approve: true})
	must(t, err)
	s.pass(time.Minute)
	_, err = s.Answer(t.Context(), open.ID, store.Answer{Approve: true})
	is(t, err, store.ErrSettled)
	_, err = s.Claim(t.Context(), approved.ID, approved.Arguments)
	is(t, err, store.ErrSettled)
	if list, err := s.Pending(t.Context(), 0); err != nil || len(list) != 0 {
		t.Errorf("still pending: %v, %v", list, err)
	}
	got, err := s.Wait(t.Context(), open.ID)
	must(t, err)
	if got.State != store.Expired {
		t.Errorf("it is %s", got.State)
	}
	verified(t, s)
}

// waiting starts to wait for a question and returns what comes of it.
func waiting(ctx context.Context, s store.Store, id string) <-chan store.Approval {
	c := make(chan store.Approval, 1)
	go func() {
		defer close(c)
		if a, err := s.Wait(ctx, id); err == nil {
			c <- a
		}
	}()
	return c
}

func woken(t *testing.T, s *suite) {
	s.begin(t, "s")
	for name, c := range map[string]struct {
		settle func(id string) error
		want   store.State
	}{
		"approved":  {func(id string) error { _, err := s.Answer(t.Context(), id, store.Answer{Approve: true}); return err }, store.Approved},
		"denied":    {func(id string) error { _, err := s.Answer(t.Context(), id, store.Answer{}); return err }, store.Denied},
		"cancelled": {func(id string) error { return s.Cancel(t.Context(), id, "it has gone") }, store.Cancelled},
	} {
		a := s.ask(t, "s", name, 0)
		one, two := waiting(t.Context(), s, a.ID), waiting(t.Context(), s, a.ID)
		time.Sleep(10 * time.Millisecond)
		must(t, c.settle(a.ID))
		if got := []store.State{(<-one).State, (<-two).State}; got[0] != c.want || got[1] != c.want {
			t.Errorf("%s: got %v", name, got)
		}
	}

	a := s.ask(t, "s", "given up", 0)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()

	_, err := s.Wait(ctx, a.ID)
	is(t, err, context.DeadlineExceeded)
	_, err = s.Wait(t.Context(), "nothing")
	is(t, err, store.ErrNotFound)
}

func wokenElsewhere(t *testing.T, s *suite) {
	s.begin(t, "s")
	other := s.open(t)
	a := s.ask(t, "s", "c1", 0)
	c := waiting(t.Context(), s, a.ID)
	time.Sleep(50 * time.Millisecond)
	began := time.Now()
	_, err := other.Answer(t.Context(), a.ID, store.Answer{Approve: true})
	must(t, err)
	if got := <-c; got.State != store.Approved {
		t.Errorf("it is %q", got.State)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %s", took)
	}
}

// together runs f n times at the same time over two replicas and returns how
// many times it succeeded; the others must be settled already.
func together(t *testing.T, s *suite, n int, f func(store.Store, int) error) int {
	t.Helper()
	stores := []store.Store{s.Store, s.open(t)}
	var won atomic.Int64
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			switch err := f(stores[i%2], i); {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, store.ErrSettled):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	return int(won.Load())
}

func answerRace(t *testing.T, s *suite) {
	s.begin(t, "s")
	a := s.ask(t, "s", "c1", 0)
	n := together(t, s, 8, func(st store.Store, i int) error {
		_, err := st.Answer(t.Context(), a.ID, store.Answer{Approve: i%4 < 2, By: fmt.Sprint(i)})
		return err
	})
	if n != 1 {
		t.Errorf("%d answers were taken", n)
	}
	verified(t, s)
}

func claimRace(t *testing.T, s *suite) {
	s.begin(t, "s")
	a := s.ask(t, "s", "c1", 0)
	_, err := s.Answer(t.Context(), a.ID, store.Answer{Approve: true})
	must(t, err)
	n := together(t, s, 8, func(st store.Store, _ int) error {
		_, err := st.Claim(t.Context(), a.ID, a.Arguments)
		return err
	})
	if n != 1 {
		t.Errorf("%d claims were taken", n)
	}
	verified(t, s)
}

func bounded(t *testing.T, s *suite) {
	s.begin(t, "s", "other")
	for i := range store.MaxOpenPerSession {
		s.ask(t, "s", fmt.Sprint(i), time.Minute)
	}
	_, err := s.Ask(t.Context(), store.Question{Decision: decision("s", "c")})
	is(t, err, store.ErrTooMany)
	s.ask(t, "other", "c", 0)
	s.pass(time.Minute)
	s.ask(t, "s", "c", 0)
}
