package ledger_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/store"
)

// person answers the first question that turns up.
func person(t *testing.T, st store.Store, answer func(a store.Approval)) {
	t.Helper()
	done := make(chan struct{})
	t.Cleanup(func() { <-done })
	go func() {
		defer close(done)
		for t.Context().Err() == nil {
			list, err := st.Pending(t.Context(), 1)
			if err != nil {
				return
			}
			if len(list) == 1 {
				answer(list[0])
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
}

const claimedByAnother = "claimed by another"

// late is a queue in which another replica is always first to claim an answer.
type late struct{ store.Approvals }

func (l late) Claim(ctx context.Context, id string, arguments store.Hash) (store.Approval, error) {
	if _, err := l.Approvals.Claim(ctx, id, arguments); err != nil {
		return store.Approval{}, err
	}
	return l.Approvals.Claim(ctx, id, arguments)
}

func TestAsk(t *testing.T) {
	for name, c := range map[string]struct {
		answer   func(t *testing.T, st store.Store, a store.Approval) error
		life     time.Duration
		verdict  remit.Verdict
		state    store.State
		callOnly bool
	}{
		"approved": {func(t *testing.T, st store.Store, a store.Approval) error {
			return second(st.Answer(t.Context(), a.ID, store.Answer{Approve: true}))
		}, 0, remit.Allow, store.Used, false},
		"for the session": {func(t *testing.T, st store.Store, a store.Approval) error {
			return second(st.Answer(t.Context(), a.ID, store.Answer{Approve: true, Extent: store.ForSession}))
		}, 0, remit.Allow, store.Used, false},
		"for the session, kept elsewhere": {func(t *testing.T, st store.Store, a store.Approval) error {
			return second(st.Answer(t.Context(), a.ID, store.Answer{Approve: true, Extent: store.ForSession}))
		}, 0, remit.Allow, store.Used, true},
		"approved once": {func(t *testing.T, st store.Store, a store.Approval) error {
			return second(st.Answer(t.Context(), a.ID, store.Answer{Approve: true, Extent: store.Once}))
		}, 0, remit.Allow, store.Used, false},
		"always": {func(t *testing.T, st store.Store, a store.Approval) error {
			return second(st.Answer(t.Context(), a.ID, store.Answer{Approve: true, Extent: store.Always}))
		}, 0, remit.Allow, store.Used, false},
		"denied": {func(t *testing.T, st store.Store, a store.Approval) error {
			return second(st.Answer(t.Context(), a.ID, store.Answer{}))
		}, 0, remit.Deny, store.Denied, false},
		"cancelled": {func(t *testing.T, st store.Store, a store.Approval) error {
			return st.Cancel(t.Context(), a.ID, "it has gone")
		}, 0, remit.Deny, store.Cancelled, false},
		"expired": {func(*testing.T, store.Store, store.Approval) error { return nil }, 20 * time.Millisecond, remit.Deny, store.Expired, false},
		claimedByAnother: {func(t *testing.T, st store.Store, a store.Approval) error {
			return second(st.Answer(t.Context(), a.ID, store.Answer{Approve: true}))
		}, 0, remit.Deny, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			_, st, s := begin(t)
			tainted(t, s)
			d := verdict(t, s, send("c1", "eve@evil.example"), remit.Ask)
			var queue store.Approvals = st
			if name == claimedByAnother {
				queue = late{st}
			}
			approver := &ledger.Queue{Approvals: queue, Life: c.life, CallOnly: c.callOnly}
			person(t, st, func(a store.Approval) {
				if err := c.answer(t, st, a); err != nil {
					t.Error(err)
				}
			})
			got, err := approver.Ask(t.Context(), s, d)
			must(t, err)
			if refused := c.state == store.Denied; got.Decisions[0].Refused != refused {
				t.Errorf("a person refused it: %v, want %v", got.Decisions[0].Refused, refused)
			}
			if got.Decisions[0].Verdict != c.verdict || c.state != "" && got.Approval.State != c.state {
				t.Errorf("got %s, %s; want %s, %s", got.Decisions[0].Verdict, got.Approval.State, c.verdict, c.state)
			}
			next := remit.Ask
			if c.verdict == remit.Allow && name != "approved" && name != "approved once" && !c.callOnly {
				next = remit.Allow // for the session
			}
			verdict(t, s, send("c2", "eve@evil.example"), next)
			verdict(t, s, send("c3", "mallory@evil.example"), remit.Ask)
			// Another replica, which knows the log alone, decides the same.
			verdict(t, replica(t, st), send("c4", "eve@evil.example"), next)
			verify(t, st)
		})
	}
}

// replica opens the session with nothing but the store.
func replica(t *testing.T, st store.Store) *ledger.Session {
	t.Helper()
	s, err := ledger.New(st, ledger.Options{}).Open(t.Context(), monitor(t, contracts, remit.Options{}), "s")
	must(t, err)
	return s
}

// TestUse puts a question and acts on its answer later, in another process: the
// answer lets the call run once.
func TestUse(t *testing.T) {
	_, st, s := begin(t)
	tainted(t, s)
	d := verdict(t, s, send("c1", "eve@evil.example"), remit.Ask)
	a, err := (&ledger.Queue{Approvals: st}).Put(t.Context(), s, d)
	must(t, err)
	later := replica(t, st)
	approver := &ledger.Queue{Approvals: st}
	use := func(want remit.Verdict) {
		t.Helper()
		settled, err := st.Approval(t.Context(), a.ID)
		must(t, err)
		got, err := approver.Use(t.Context(), later, settled)
		must(t, err)
		if got.Decisions[0].Verdict != want {
			t.Errorf("it is %s: %s, want %s", got.Approval.State, got.Decisions[0].Verdict, want)
		}
	}
	use(remit.Deny) // not answered yet
	must(t, second(st.Answer(t.Context(), a.ID, store.Answer{Approve: true, Extent: store.Once})))
	use(remit.Allow)
	use(remit.Deny)
	verdict(t, later, send("c2", "eve@evil.example"), remit.Ask)
	verify(t, st)
}

// TestAskUnseenReasons decides the call again while the person thinks, for one
// more reason: the answer is to another question, and confirms nothing.
func TestAskUnseenReasons(t *testing.T) {
	st := open(t, sqlite(t))
	strict := monitor(t, contracts, remit.Options{})
	lax := monitor(t, strings.Replace(contracts, "/day:  {role: selector, floor: USER, discharge: [confirm]}", "/day: {role: content}", 1), remit.Options{})
	s, err := ledger.New(st, ledger.Options{}).Open(t.Context(), lax, "s")
	must(t, err)
	tainted(t, s)
	c := send("c1", "eve@evil.example")
	c.Arguments = []byte(strings.Replace(string(c.Arguments), "2026-03-03", "some other day", 1))
	d := verdict(t, s, c, remit.Ask)
	s, err = s.Under(t.Context(), strict)
	must(t, err)
	again := verdict(t, s, c, remit.Ask)
	if len(again.Reasons) <= len(d.Reasons) {
		t.Fatalf("no more reasons: %v", again.Reasons)
	}
	got, err := s.ConfirmAsked(t.Context(), d, store.ForSession)
	must(t, err)
	if got.Verdict != remit.Ask || len(got.Reasons) != len(again.Reasons) {
		t.Errorf("got %s: %v", got.Verdict, got.Reasons)
	}
	got, err = s.ConfirmAsked(t.Context(), got, store.ForSession)
	must(t, err)
	if got.Verdict != remit.Allow {
		t.Errorf("after all reasons were seen: %s", got.Verdict)
	}
}

// Another call under the id of one that waits for a person is refused, and takes nothing from the
// person's answer.
func TestRepeatedIDsTakeNoAnswer(t *testing.T) {
	_, _, s := begin(t)
	tainted(t, s)
	d := verdict(t, s, send("c1", "eve@evil.example"), remit.Ask)
	verdict(t, s, send("c1", "mallory@evil.example"), remit.Deny)
	got, err := s.ConfirmAsked(t.Context(), d, store.Once)
	must(t, err)
	if got.Verdict != remit.Allow {
		t.Errorf("after the yes: %s %v", got.Verdict, got.Reasons)
	}
	last, err := s.Last(t.Context(), "c1")
	must(t, err)
	if last.Verdict != remit.Allow {
		t.Errorf("the decision on c1 is %s %v", last.Verdict, last.Reasons)
	}
}

// TestAskShows keeps with the question where the value came from.
func TestAskShows(t *testing.T) {
	_, st, s := begin(t)
	tainted(t, s)
	d := verdict(t, s, send("c1", "eve@evil.example"), remit.Ask)
	person(t, st, func(a store.Approval) {
		for _, p := range a.Places {
			if p.Path == "/to" && p.Text == "eve@evil.example" && p.Before == "Please write to " && strings.HasPrefix(p.After, " on 2026") && strings.HasPrefix(p.Origin, "result:") {
				if _, err := st.Answer(t.Context(), a.ID, store.Answer{Approve: true}); err != nil {
					t.Error(err)
				}
				return
			}
		}
		t.Errorf("the place is not shown: %+v", a.Places)
		if err := st.Cancel(t.Context(), a.ID, ""); err != nil {
			t.Error(err)
		}
	})
	got, err := (&ledger.Queue{Approvals: st}).Ask(t.Context(), s, d)
	must(t, err)
	if got.Decisions[0].Verdict != remit.Allow {
		t.Errorf("got %s", got.Decisions[0].Verdict)
	}
}

// TestAskGone ends the context of the one who asks: the question is withdrawn.
func TestAskGone(t *testing.T) {
	_, st, s := begin(t)
	tainted(t, s)
	d := verdict(t, s, send("c1", "eve@evil.example"), remit.Ask)
	ctx, cancel := context.WithCancel(t.Context())
	id := ""
	person(t, st, func(a store.Approval) { id = a.ID; cancel() })
	if _, err := (&ledger.Queue{Approvals: st}).Ask(ctx, s, d); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if a, err := st.Approval(t.Context(), id); err != nil || a.State != store.Cancelled {
		t.Errorf("it is %s, %v", a.State, err)
	}
}

// TestAskFails: what can't be asked about isn't.
func TestAskFails(t *testing.T) {
	_, st, s := begin(t)
	tainted(t, s)
	verdict(t, s, send("c1", "eve@evil.example"), remit.Ask)
	for name, d := range map[string]*remit.Decision{
		"another session's": {Session: "t", Call: "c1", Verdict: remit.Ask},
		"an allowed one":    {Session: "s", Call: "c1", Verdict: remit.Allow},
	} {
		if _, err := (&ledger.Queue{Approvals: st}).Ask(t.Context(), s, d); err == nil {
			t.Errorf("%s: asked", name)
		}
	}
}

// TestTheUserStopsACall: a yes that is still unused is void after the user has said no, whenever the person
// gave it, and holds after what else the user says.
func TestTheUserStopsACall(t *testing.T) {
	for said, want := range map[string]remit.Verdict{
		"No, stop, send nothing.":         remit.Deny,
		"Don't send it!":                  remit.Deny,
		"Forget it.":                      remit.Deny,
		"Bitte nicht senden.":             remit.Deny,
		strings.Repeat("and so on ", 1e3): remit.Deny, // nobody reads it
		"Thanks, no hurry.":               remit.Allow,
		"And tell Bob afterwards.":        remit.Allow,
		"How long does it take?":          remit.Allow,
	} {
		for _, first := range []string{"the turn", "the answer"} {
			t.Run(said[:4]+", then "+first, func(t *testing.T) {
				_, st, s := begin(t)
				tainted(t, s)
				q := &ledger.Queue{Approvals: st}
				a, err := q.Put(t.Context(), s, verdict(t, s, send("c1", "eve@evil.example"), remit.Ask))
				must(t, err)
				if first == "the turn" {
					must(t, s.User(t.Context(), said))
				}
				must(t, second(st.Answer(t.Context(), a.ID, store.Answer{Approve: true, Extent: store.Once})))
				if first == "the answer" {
					must(t, s.User(t.Context(), said))
				}

				settled, err := st.Approval(t.Context(), a.ID)
				must(t, err)
				got, err := q.Use(t.Context(), replica(t, st), settled)
				must(t, err)
				if got.Decisions[0].Verdict != want {
					t.Errorf("after %q: %s, want %s", said[:min(len(said), 40)], got.Decisions[0].Verdict, want)
				}
			})
		}
	}
}
