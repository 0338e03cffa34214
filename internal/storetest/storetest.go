// Package storetest has the tests that every store must pass, and a PostgreSQL
// server to run them on.
package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"sync"
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
		{"the audit log verifies", audited}, {"the audit log says what was not enforced", shadowed},
		{"an exported audit log verifies", exported},
		{"an export goes on where it ended", resumed},
		{"a head proves what was before it", heads},
		{"secrets stay out of the audit log", secrets},
		{"what is pruned is gone, and the rest verifies", pruned},
		{"sessions are found by what is in them", filtered},
		{"what sessions say is found, whatever the index has", searched},
		{"the index is built beside writers and other replicas", indexedTogether},
		{"the user's turns are read backwards", spoken},
		{"decisions are counted", counted},
		{"it is known how long questions waited", waited},
		{"it is known how long decisions took", timed},
		{"it is known when the audit log was verified", lastVerified},
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

// call returns a call that was decided, with a decision that says why.
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
