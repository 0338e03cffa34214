// Package storetest has the tests that every store must pass, and a PostgreSQL
// server to run them on.
package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/store"
)

// Run tests a kind of store. Fresh returns the name of one that is empty.
func Run(t *testing.T, fresh func(t *testing.T) string) {
	t.Run("logs", func(t *testing.T) {
		RunLogs(t, func(t *testing.T, now func() time.Time) *Logs {
			s := &suite{name: fresh(t), clock: now()}
			s.Store = s.open(t)
			return &Logs{Logs: s.Store, Other: s.open(t), Check: func(t *testing.T) { verified(t, s) }}
		})
	})

	for _, c := range []struct {
		name string
		test func(*testing.T, *suite)
	}{
		{"a relaxed append is an append", relaxed},
		{"an append finds what others did to the session", meanwhile},
		{"notes that can't be kept are refused", refusedNotes},
		{"sessions are listed in pages", pages},
		{"a store is as it was when it is opened again", reopened},
		{"stores are opened at the same time", openedTogether},
		{"an ended context changes nothing", ended},
		{"a closed store says so", closed},
		{"a question is answered once", answered},
		{"a question is bound to its call", bound},
		{"what nobody approved lets nothing run", unapproved},
		{"a question is about several calls", joined},
		{"a question expires", expired},
		{"who waits is woken", woken},
		{"who waits hears of another replica's answer", wokenElsewhere},
		{"of answers at the same time one counts", answerRace},
		{"of claims at the same time one counts", claimRace},
		{"questions of one session are bounded", bounded},
		{"a resource's label is only ever lowered", lowered},
		{"labels of different resources are apart", apart},
		{"the origins of a resource are bounded", origins},
		{"lowering at the same time loses nothing", lowerRace},
		{"the audit log verifies", audited},
		{"an exported audit log verifies", exported},
		{"a head proves what was before it", heads},
		{"secrets stay out of the audit log", secrets},
		{"what is pruned is gone, and the rest verifies", pruned},
		{"sessions are found by what is in them", filtered},
		{"the user's turns are read backwards", spoken},
		{"decisions are counted", counted},
		{"it is known how long questions waited", waited},
		{"a created session has its tools", createdWithTools},
		{"an ended session ends for everybody", endedForAll},
		{"sessions are listed by principal", ownPages},
		{"questions are listed by principal", ownQuestions},
		{"a request is carried out once", requestOnce},
		{"a write keeps the reply to the request that it carries out", requestWritten},
		{"a request is remembered for its life", requestExpired},
		{"of equal requests at the same time one counts", requestRace},
		{"what a session was created with is pruned with it", prunedCreation},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			name := fresh(t)
			s := &suite{name: name, clock: morning}
			s.Store = s.open(t)
			c.test(t, s)
		})
	}
}

// suite is an open store with a clock that moves only when a test moves it.
type suite struct {
	store.Store
	name string

	mu    sync.Mutex
	clock time.Time
}

func (s *suite) now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clock
}

func (s *suite) pass(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock = s.clock.Add(d)
}

// open opens the store once more, as another replica does.
func (s *suite) open(t *testing.T) store.Store {
	t.Helper()
	opened, err := store.Open(t.Context(), s.name, store.Options{Now: s.now, Redact: []store.Rule{{Name: "badge", Pattern: `\bbadge-[0-9]+`}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	})
	return opened
}

func (s *suite) begin(t *testing.T, sessions ...string) {
	t.Helper()
	for _, id := range sessions {
		must(t, s.Append(t.Context(), id, 0, said("hello from "+id)))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func is(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("got error %v, want %v", err, want)
	}
}

var noon = time.Date(2026, 3, 2, 12, 0, 0, 123456789, time.FixedZone("", 3600))

func said(text string) store.Record {
	return store.Record{Event: remit.Event{Kind: remit.UserEvent, Time: noon, Text: text}}
}

// call is a call that was decided, with a decision that says why.
func call(session, id string, v remit.Verdict) store.Record {
	d := decision(session, id)
	d.Verdict = v
	return store.Record{Event: remit.Event{Kind: remit.CallEvent, Time: noon, Verdict: v,
		Call: &remit.Call{ID: id, Server: "mail", Tool: "send", Arguments: d.Arguments}}, Decision: d}
}

func decision(session, id string) *remit.Decision {
	return &remit.Decision{Session: session, Call: id, Server: "mail", Tool: "send", Verdict: remit.Ask, Effect: "egress", Precision: label.L3,
		Arguments: json.RawMessage(`{"to":"eve@evil.example","text":"<b>&</b> 12345678901234567890"}`),
		Findings: []remit.Finding{
			{Path: "/to", Value: "eve@evil.example", Role: label.Target, Floor: label.User, Origins: []string{"result:c0"}, How: "exact",
				Evidence: []remit.Evidence{{Origin: "result:c0", Start: 3, End: 19, ValueEnd: 16, Text: "eve@evil.example"}}},
			{Path: "/text", Value: "<b>&</b>", Role: label.Content, Trust: label.User, How: "exact", Satisfied: true},
		},
		Reasons: []remit.Reason{{Code: remit.BelowFloor, Path: "/to", Verdict: remit.Ask, Message: "it must come from the user", Remedies: []string{"ask"}}},
	}
}

func records(t *testing.T, list iter.Seq2[store.Record, error]) []store.Record {
	t.Helper()
	var out []store.Record
	for r, err := range list {
		must(t, err)
		out = append(out, r)
	}
	return out
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: got\n%+v\nwant\n%+v", what, show(got), show(want))
	}
}

func show(v any) string {
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Sprintf("%#v", v)
	}
	return string(out)
}

func verified(t *testing.T, s store.Store, heads ...store.Hash) *store.Report {
	t.Helper()
	report, err := s.Verify(context.WithoutCancel(t.Context()), heads...)
	must(t, err)
	if !report.OK() {
		t.Fatalf("the audit log does not verify:\n%s", show(report.Problems))
	}
	return report
}

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

func refusedNotes(t *testing.T, s *suite) {
	is(t, s.Note(t.Context(), store.Note{}), store.ErrInvalid)
	is(t, s.Note(t.Context(), store.Note{About: "x", Members: map[string]string{"x": strings.Repeat("x", store.MaxNote)}}), store.ErrInvalid)
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
		"cancel":   func() error { return s.Cancel(ctx, a.ID) },
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

	must(t, s.Cancel(t.Context(), a.ID))
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
	a, err := s.Ask(t.Context(), store.Question{Decision: decision("s", "c1"), More: more})
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
		"cancelled": func(id string) error { return s.Cancel(t.Context(), id) },
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
		"cancelled": {func(id string) error { return s.Cancel(t.Context(), id) }, store.Cancelled},
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

func lowered(t *testing.T, s *suite) {
	r := store.Resource{Server: "fs", Family: "file", ID: "/tmp/\xff\x00x"}
	if got, err := s.Labels(t.Context(), r, r); len(got) != 2 || got[0] != nil || got[1] != nil || err != nil {
		t.Fatalf("got %v, %v for what was never noted", got, err)
	}

	for _, c := range []struct{ put, want store.ResourceLabel }{
		{store.ResourceLabel{Trust: label.User, Origins: []string{"user"}}, store.ResourceLabel{Trust: label.User, Origins: []string{"user"}}},
		{store.ResourceLabel{Trust: label.External, Origins: []string{"web"}}, store.ResourceLabel{Trust: label.External, Origins: []string{"user", "web"}}},
		{store.ResourceLabel{Trust: label.Trusted, Origins: []string{"Web", "web"}}, store.ResourceLabel{Trust: label.External, Origins: []string{"Web", "user", "web"}}},
		{store.ResourceLabel{Trust: label.ToolOutput}, store.ResourceLabel{Trust: label.External, Origins: []string{"Web", "user", "web"}}},
	} {
		must(t, s.Lower(t.Context(), c.put, r))
		got, err := s.Labels(t.Context(), r)
		must(t, err)
		equal(t, "lowered", got, []*store.ResourceLabel{&c.want})
	}

	if got, err := s.Labels(t.Context(), store.Resource{Server: "fs", ID: "good"}, r); err != nil || got[0] != nil || got[1] == nil {
		t.Errorf("got %v, %v for one of two", got, err)
	}
	_, err := s.Labels(t.Context(), make([]store.Resource, store.MaxResources+1)...)
	is(t, err, store.ErrInvalid)

	for name, c := range map[string]struct {
		r store.Resource
		l store.ResourceLabel
	}{
		"no id":           {store.Resource{Server: "fs"}, store.ResourceLabel{}},
		"a long id":       {store.Resource{ID: strings.Repeat("x", store.MaxResource+1)}, store.ResourceLabel{}},
		"no origin":       {r, store.ResourceLabel{Origins: []string{""}}},
		"an odd origin":   {r, store.ResourceLabel{Origins: []string{"\xff"}}},
		"a zero in one":   {r, store.ResourceLabel{Origins: []string{"a\x00b"}}},
		"a long origin":   {r, store.ResourceLabel{Origins: []string{strings.Repeat("x", store.MaxResource+1)}}},
		"no trust at all": {r, store.ResourceLabel{Trust: 9}},
	} {
		if err := s.Lower(t.Context(), c.l, store.Resource{ID: "good"}, c.r); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%s: got %v, want %v", name, err, store.ErrInvalid)
		}
	}
}

func apart(t *testing.T, s *suite) {
	var list []store.Resource
	for _, p := range [][3]string{{"a", "b", "c"}, {"ab", "", "c"}, {"a", "bc", "x"}, {"A", "b", "c"}, {"", "", "abc"}, {"a", "b", "c "}, {"a", "b", "1:c"}} {
		list = append(list, store.Resource{Server: p[0], Family: p[1], ID: p[2]})
	}
	for i, r := range list {
		must(t, s.Lower(t.Context(), store.ResourceLabel{Trust: label.User, Origins: []string{fmt.Sprint(i)}}, r))
		got, err := s.Labels(t.Context(), r)
		must(t, err)
		equal(t, fmt.Sprint(r), got[0].Origins, []string{fmt.Sprint(i)})
	}
}

func origins(t *testing.T, s *suite) {
	r := store.Resource{Server: "fs", ID: "/x"}
	for i := range store.MaxOrigins + 10 {
		must(t, s.Lower(t.Context(), store.ResourceLabel{Trust: label.User, Origins: []string{fmt.Sprint(i)}}, r))
	}
	found, err := s.Labels(t.Context(), r)
	must(t, err)
	l := found[0]
	if len(l.Origins) != store.MaxOrigins+1 || !slices.Contains(l.Origins, store.MoreOrigins) {
		t.Errorf("%d origins: %v", len(l.Origins), l.Origins)
	}
}

func lowerRace(t *testing.T, s *suite) {
	r := store.Resource{Server: "fs", ID: "/x"}
	n := together(t, s, 16, func(st store.Store, i int) error {
		list := []store.Resource{r, {Server: "fs", ID: "/y"}, {Server: "fs", ID: "/z"}}
		if i%2 == 0 {
			slices.Reverse(list)
		}
		return st.Lower(t.Context(), store.ResourceLabel{Trust: label.Trust(i % 4), Origins: []string{fmt.Sprintf("%02d", i)}}, list...)
	})
	found, err := s.Labels(t.Context(), r)
	must(t, err)
	l := found[0]
	if n != 16 || l.Trust != label.External || len(l.Origins) != 16 {
		t.Errorf("%d went through: %v", n, l)
	}
}

// story writes something of every kind.
func story(t *testing.T, s *suite) {
	t.Helper()
	s.begin(t, "s", "t")
	must(t, s.Append(t.Context(), "s", 1, call("s", "c1", remit.Ask), call("s", "c2", remit.Deny),
		store.Record{Event: remit.Event{Kind: remit.ResultEvent, Time: noon, Result: &remit.Result{Call: "c1", Content: "text"}}}))
	a := s.ask(t, "s", "c1", 0)
	_, err := s.Answer(t.Context(), a.ID, store.Answer{Approve: true, By: "ann"})
	must(t, err)
	_, err = s.Claim(t.Context(), a.ID, a.Arguments)
	must(t, err)
	must(t, s.Cancel(t.Context(), s.ask(t, "t", "c9", 0).ID))
	must(t, s.Note(t.Context(), store.Note{About: "contracts", Members: map[string]string{"server": "mail", "sha256": "00"}}))
}

func audited(t *testing.T, s *suite) {
	story(t, s)
	r := verified(t, s)
	if r.Sessions != 2 || r.Entries != 3+7+3 || r.Unnoted != r.Entries-3 {
		t.Errorf("got %s", show(r))
	}
	_, err := s.Head(t.Context())
	must(t, err)
	if r := verified(t, s); r.Unnoted != 0 {
		t.Errorf("after the head: %s", show(r))
	}
}

func export(t *testing.T, s store.Store) []byte {
	t.Helper()
	var b bytes.Buffer
	for l, err := range s.Export(t.Context()) {
		must(t, err)
		must(t, store.WriteLine(&b, l))
	}
	return b.Bytes()
}

func exported(t *testing.T, s *suite) {
	story(t, s)
	head, err := s.Head(t.Context())
	must(t, err)
	out := export(t, s)
	r, err := store.VerifyLines(store.ReadLines(bytes.NewReader(out)), head.Hash)
	must(t, err)
	if !r.OK() || r.Sessions != 2 || r.Head != head {
		t.Errorf("got %s\nhead %s", show(r), show(head))
	}

	lines := bytes.SplitAfter(out, []byte("\n"))
	lines = lines[:len(lines)-1]
	for i := range lines {
		for name, changed := range map[string][][]byte{
			"removed":  slices.Concat(lines[:i], lines[i+1:]),
			"repeated": slices.Concat(lines[:i+1], lines[i:]),
			"cut":      lines[:i],
			"changed":  slices.Concat(lines[:i], [][]byte{bytes.Replace(lines[i], []byte(`"time":"2026`), []byte(`"time":"2025`), 1)}, lines[i+1:]),
			"moved":    slices.Concat(lines[i:], lines[:i]),
		} {
			if name == "moved" && i == 0 {
				continue
			}
			r, err := store.VerifyLines(store.ReadLines(bytes.NewReader(bytes.Join(changed, nil))), head.Hash)
			must(t, err)
			if r.OK() {
				t.Errorf("line %d %s: nothing is wrong\n%s", i, name, lines[i])
			}
		}
	}
}

func heads(t *testing.T, s *suite) {
	empty, err := s.Head(t.Context())
	must(t, err)
	verified(t, s, empty.Hash)
	s.begin(t, "a")
	first, err := s.Head(t.Context())
	must(t, err)
	if again, err := s.Head(t.Context()); err != nil || again != first {
		t.Errorf("nothing has happened, and the head is %v, not %v (%v)", again, first, err)
	}

	s.begin(t, "b")
	must(t, s.Append(t.Context(), "a", 1, said("more")))
	second, err := s.Head(t.Context())
	must(t, err)
	verified(t, s, empty.Hash, first.Hash, second.Hash)
	report, err := s.Verify(t.Context(), store.Hash{1})
	must(t, err)
	if report.OK() {
		t.Error("a head of another log is in it")
	}
}

func secrets(t *testing.T, s *suite) {
	secret := []string{"hunter2hunter2", "ghp_0123456789abcdefghijABCDEFGHIJ", "AKIAIOSFODNN7EXAMPLE", "badge-4711", "tr0ub4dor"}
	d := decision("s", "c1")
	d.Findings = append(d.Findings,
		remit.Finding{Path: "/password", Value: secret[0], Role: label.Credential, How: "ambient"},
		remit.Finding{Path: "/text", Value: "use " + secret[1] + " and " + secret[2], Role: label.Content, How: "ambient"})
	d.Reasons = append(d.Reasons, remit.Reason{Code: remit.BelowFloor, Message: "“" + secret[0] + "” and “" + secret[0][:9] + "…”, also " + secret[3]})
	r := call("s", "c1", remit.Ask)
	r.Decision = d
	r.Event.Call.Arguments = json.RawMessage(`{"password":"` + secret[0] + `"}`)
	must(t, s.Append(t.Context(), "s", 0, said("password: "+secret[4]), r,
		store.Record{Event: remit.Event{Kind: remit.AttachmentEvent, Name: secret[1], Text: secret[1], Time: noon}}))
	a, err := s.Ask(t.Context(), store.Question{Decision: d})
	must(t, err)
	_, err = s.Answer(t.Context(), a.ID, store.Answer{By: "ann", Why: "it has " + secret[3]})
	must(t, err)
	must(t, s.Note(t.Context(), store.Note{About: "start", Members: map[string]string{"password": secret[4], "url": "https://u:" + secret[4] + "@x.example"}}))

	out := string(export(t, s))
	for _, x := range append(secret, secret[0][:9]) {
		if strings.Contains(out, x) {
			t.Errorf("%q is in the audit log:\n%s", x, out)
		}
	}

	for _, x := range []string{"[redacted: credential]", "[redacted: github token]", "[redacted: aws key]", "[redacted: badge]", "https://u:[redacted: password in an address]@x.example"} {
		if !strings.Contains(out, x) {
			t.Errorf("%q is not in the audit log:\n%s", x, out)
		}
	}

	// The session itself has every byte.
	if got := records(t, s.Read(t.Context(), "s", 0)); got[0].Event.Text != "password: "+secret[4] || got[1].Decision.Findings[2].Value != secret[0] {
		t.Errorf("the events are redacted: %s", show(got))
	}
	verified(t, s)
}

func pruned(t *testing.T, s *suite) {
	story(t, s)
	before, err := s.Head(t.Context())
	must(t, err)
	s.pass(time.Hour)
	s.begin(t, "new")
	must(t, s.Append(t.Context(), "t", 1, said("still here")))
	n, err := s.Prune(t.Context(), s.now())
	must(t, err)
	if n != 1 {
		t.Errorf("%d were pruned, want 1: s", n)
	}

	for _, err := range s.Read(t.Context(), "s", 0) {
		is(t, err, store.ErrPruned)
	}

	is(t, s.Append(t.Context(), "s", 0, said("x")), store.ErrPruned)
	is(t, s.Append(t.Context(), "s", 4, said("x")), store.ErrPruned)
	_, err = s.Session(t.Context(), "s")
	is(t, err, store.ErrNotFound)
	list, err := s.Sessions(t.Context(), "", 0)
	must(t, err)
	if len(list) != 2 || list[0].ID != "new" || list[1].ID != "t" {
		t.Errorf("left: %v", list)
	}
	if r := verified(t, s, before.Hash); r.Pruned != 1 || r.Sessions != 2 {
		t.Errorf("got %s", show(r))
	}
	if bytes.Contains(export(t, s), []byte(`"chain":"s"},`)) {
		t.Error("the pruned session is in the export")
	}
	if n, err := s.Prune(t.Context(), s.now()); n != 0 || err != nil {
		t.Errorf("a second time: %d, %v", n, err)
	}
	verified(t, s, before.Hash)
}
