package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/scope"
	"github.com/remit-project/remit/store"
)

// Logs are an empty store's logs under test.
type Logs struct {
	store.Logs
	// Other is what another replica has of the same store.
	Other store.Logs
	// Check is called after each test, when the store can tell whether it is sound.
	Check func(t *testing.T)
}

// RunLogs tests a kind of logs. Fresh returns empty ones, which take the time from
// the clock.
func RunLogs(t *testing.T, fresh func(t *testing.T, now func() time.Time) *Logs) {
	for _, c := range []struct {
		name string
		test func(*testing.T, *Logs)
	}{
		{"what was appended is read", appended},
		{"every byte of an event stays", everyByte},
		{"an append that expects another length is a conflict", conflict},
		{"of appends at the same place one wins", race},
		{"what can't be kept is refused", refused},
		{"ids differ by every byte", ids},
		{"an ended context appends and reads nothing", cancelled},
		{"a created session is its principal's", created},
		{"of creations at the same time one counts", createRace},
	} {

		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := fresh(t, func() time.Time { return morning })
			c.test(t, s)
			if s.Check != nil {
				s.Check(t)
			}
		})
	}
}

// morning is when the clock of a suite begins.
var morning = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

func appended(t *testing.T, s *Logs) {
	want := []store.Record{said("one"), call("s", "c1", remit.Ask), said("three")}
	must(t, s.Append(t.Context(), "s", 0, want[0]))
	must(t, s.AppendRelaxed(t.Context(), "s", 1, want[1:]...))
	for i := range want {
		want[i].Seq = int64(i)
		want[i].Event.Time = noon
	}

	got := records(t, s.Other.Read(t.Context(), "s", 0))
	for i := range got {
		if !got[i].Event.Time.Equal(noon) {
			t.Errorf("event %d: time %s, want %s", i, got[i].Event.Time, noon)
		}
		if _, zone := got[i].Event.Time.Zone(); zone != 3600 {
			t.Errorf("event %d: the zone is lost", i)
		}
		got[i].Event.Time = noon
	}
	equal(t, "all", got, want)
	if got := records(t, s.Read(t.Context(), "s", 2)); len(got) != 1 || got[0].Seq != 2 {
		t.Errorf("from 2 on: got %s", show(got))
	}
	if got := records(t, s.Read(t.Context(), "s", 3)); got != nil {
		t.Errorf("from the end on: got %s", show(got))
	}
	if got := records(t, s.Read(t.Context(), "other", 0)); got != nil {
		t.Errorf("another session has %s", show(got))
	}

	info, err := s.Session(t.Context(), "s")
	must(t, err)
	equal(t, "info", info, store.SessionInfo{ID: "s", Length: 3, Begun: morning, Active: morning})
	_, err = s.Session(t.Context(), "other")
	is(t, err, store.ErrNotFound)
}

func everyByte(t *testing.T, s *Logs) {
	odd := "nul \x00, no text \xff\xfe\xed\xa0\x80, \u2028\u2029 <b>&amp;</b> \r\n\t \u202e \U0001f600 \uFFFD"
	events := []remit.Event{
		{Kind: remit.SystemEvent, Text: odd},
		{Kind: remit.AttachmentEvent, Name: odd, Text: odd},
		{Kind: remit.CallEvent, Verdict: remit.Deny, Call: &remit.Call{ID: odd, Server: odd, Tool: odd, Arguments: json.RawMessage(" {\"a\" :1e400, \"a\":12345678901234567890,, \xff")}},
		{Kind: remit.ResultEvent, Result: &remit.Result{Call: odd, Content: odd, Structured: json.RawMessage("[1.0,\n 1e2, \"\\ud800\"]")}},
		{Kind: remit.ResultEvent, Result: &remit.Result{Call: "c", Failed: new(bool)}},
		{Kind: remit.ConfirmationEvent, Verdict: remit.Allow, Once: true, Call: &remit.Call{ID: odd}, Facts: &guard.Facts{
			Lookups:   []guard.Lookup{{Server: "s", Tool: "t", Arguments: json.RawMessage(`{"a":"<b>\u2028"}`), Result: &guard.Result{Content: "\x00 \u2028 <b>"}}, {Tool: "u", Arguments: json.RawMessage(`{}`), Error: "down"}},
			Judgments: []guard.Judgment{{Question: "Is it?", Answer: true, Evidence: "It is."}}}},
		{Kind: remit.ConfirmationEvent, Verdict: remit.Allow, Call: &remit.Call{ID: "c"}, Readings: []scope.Reading{{Server: "s", Tool: "t", Format: "yaml", Shape: `yaml {1"<b>\u2028":_}`}, {Tool: "t", Format: "table", Shape: `table ["a"]`, Call: "c"}}},
		{Kind: remit.PrincipalEvent, Principal: &guard.Principal{ID: "ann", Groups: []string{"<b>"}, Attributes: map[string]string{"a": "b"}}},
		{Kind: remit.UserEvent, Text: strings.Repeat("long ", 1<<18)},
	}

	list := make([]store.Record, len(events))
	for i, e := range events {
		e.Time = noon.UTC()
		list[i] = store.Record{Seq: int64(i), Event: e}
	}

	must(t, s.Append(t.Context(), "s", 0, list...))
	equal(t, "events", records(t, s.Read(t.Context(), "s", 0)), list)
}

func conflict(t *testing.T, s *Logs) {
	is(t, s.Append(t.Context(), "s", 1, said("x")), store.ErrConflict)
	must(t, s.Append(t.Context(), "s", 0, said("x")))
	for _, expected := range []int64{0, 2, 1 << 40} {
		err := s.Append(t.Context(), "s", expected, said("y"), said("z"))
		is(t, err, store.ErrConflict)
		var c *store.ConflictError
		if !errors.As(err, &c) || c.Actual != 1 || c.Expected != expected {
			t.Errorf("got %v", err)
		}
	}
	if got := records(t, s.Read(t.Context(), "s", 0)); len(got) != 1 {
		t.Errorf("a conflict has written: %s", show(got))
	}
}

func race(t *testing.T, s *Logs) {
	const writers, each = 8, 10
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			st := s.Logs
			if w%2 == 1 {
				st = s.Other
			}
			expected := int64(0)
			for i := 0; i < each; {
				err := st.Append(t.Context(), "s", expected, said(fmt.Sprintf("%d/%d", w, i)))
				var c *store.ConflictError
				switch {
				case err == nil:
					i, expected = i+1, expected+1
				case errors.As(err, &c):
					expected = c.Actual
				default:
					t.Error(err)
					return
				}
			}
		})
	}

	wg.Wait()

	got := records(t, s.Read(t.Context(), "s", 0))
	next := map[string]int{}
	for _, r := range got {
		writer, i, _ := strings.Cut(r.Event.Text, "/")
		if fmt.Sprint(next[writer]) != i {
			t.Errorf("writer %s: %s came at the place of %d", writer, i, next[writer])
		}
		next[writer]++
	}

	if len(got) != writers*each {
		t.Errorf("%d events, want %d", len(got), writers*each)
	}
}

func refused(t *testing.T, s *Logs) {
	long := strings.Repeat("x", store.MaxID+1)
	create := func(c store.Creation) error {
		_, err := s.Create(t.Context(), c)
		return err
	}
	for _, c := range []struct {
		name string
		err  error
	}{
		{"no session id", s.Append(t.Context(), "", 0, said("x"))},
		{"no session id, relaxed", s.AppendRelaxed(t.Context(), "", 0, said("x"))},
		{"a long session id", s.Append(t.Context(), long, 0, said("x"))},
		{"a session id that is not text", s.Append(t.Context(), "\xff", 0, said("x"))},
		{"a session id with a zero byte", s.Append(t.Context(), "a\x00b", 0, said("x"))},
		{"no records", s.Append(t.Context(), "s", 0)},
		{"many records", s.Append(t.Context(), "s", 0, make([]store.Record, store.MaxRecords+1)...)},
		{"a negative length", s.Append(t.Context(), "s", -1, said("x"))},
		{"a creation without an id", create(store.Creation{Principal: "ann"})},
		{"a creation without a principal", create(store.Creation{ID: "x"})},
		{"a creation with a long id", create(store.Creation{ID: long, Principal: "ann"})},
		{"a creation with many tools", create(store.Creation{ID: "x", Principal: "ann", Tools: make([]byte, store.MaxTools+1)})},
	} {
		is(t, c.err, store.ErrInvalid)
	}

	for _, id := range []string{"", long, "\xff"} {
		for _, err := range s.Read(t.Context(), id, 0) {
			is(t, err, store.ErrInvalid)
		}
	}

	for _, id := range []string{"s", "x"} {
		_, err := s.Session(t.Context(), id)
		is(t, err, store.ErrNotFound)
	}
}

func ids(t *testing.T, s *Logs) {
	list := []string{"a", "A", "a ", " a", "ä", "a\u0308", "Ä", "%", "_", "'", "a\nb", "ß", "ss", "\U0001f600"}
	for _, id := range list {
		must(t, s.Append(t.Context(), id, 0, said("hello from "+id)))
	}
	for _, id := range list {
		got := records(t, s.Read(t.Context(), id, 0))
		if len(got) != 1 || got[0].Event.Text != "hello from "+id {
			t.Errorf("%q has %s", id, show(got))
		}
	}
}

func cancelled(t *testing.T, s *Logs) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	is(t, s.Append(ctx, "s", 0, said("x")), context.Canceled)
	for _, err := range s.Read(ctx, "s", 0) {
		is(t, err, context.Canceled)
	}
	must(t, s.Append(t.Context(), "s", 0, said("y")))
}

func created(t *testing.T, s *Logs) {
	must(t, s.Append(t.Context(), "gateway", 0, said("hello")))
	info, err := s.Create(t.Context(), store.Creation{ID: "s", Principal: "ann"})
	must(t, err)
	equal(t, "session", info, store.SessionInfo{ID: "s", Principal: "ann", Begun: morning, Active: morning})
	if got := records(t, s.Read(t.Context(), "s", 0)); len(got) != 0 {
		t.Errorf("it begins with %s", show(got))
	}
	for _, id := range []string{"s", "gateway"} {
		_, err = s.Other.Create(t.Context(), store.Creation{ID: id, Principal: "bob"})
		is(t, err, store.ErrExists)
	}

	must(t, s.Append(t.Context(), "s", 0, said("hello")))
	info, err = s.Session(t.Context(), "s")
	must(t, err)
	equal(t, "session", info, store.SessionInfo{ID: "s", Length: 1, Principal: "ann", Begun: morning, Active: morning})
}

func createRace(t *testing.T, s *Logs) {
	replicas := []store.Logs{s.Logs, s.Other}
	results := make(chan error, 8)
	for i := range cap(results) {
		go func() {
			_, err := replicas[i%2].Create(t.Context(), store.Creation{ID: "s", Principal: fmt.Sprint(i)})
			results <- err
		}()
	}

	won := 0
	for range cap(results) {
		switch err := <-results; {
		case err == nil:
			won++
		case !errors.Is(err, store.ErrExists):
			t.Error(err)
		}
	}

	if won != 1 {
		t.Errorf("%d created it", won)
	}
}
