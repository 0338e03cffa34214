package mcp

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/store"
)

const mailContracts = `version: 1
server: mail
tools:
  send: {effect: egress, args: {/to: {role: target, floor: USER, discharge: [confirm]}, /text: {role: content}}}
`

// Where no person can be asked, the model is told so, and not to have somebody confirm the call:
// a user's yes would never reach the gateway. What is denied anyway is told alike.
func TestNoConfirmationIsAskedForInVain(t *testing.T) {
	const confirm, nobody = "have the user confirm", "No person can be asked"
	held := remit.Decision{Tool: "send", Verdict: remit.Ask, Reasons: []remit.Reason{
		{Code: remit.BelowFloor, Path: "/to", Verdict: remit.Ask, Message: "it must come from the user", Remedies: []string{confirm + " this value"}}}}
	denied := held
	denied.Verdict = remit.Deny
	for name, test := range map[string]struct {
		d              remit.Decision
		unasked        bool
		confirm, alone bool // what the model reads
	}{
		"a person can be asked": {held, false, true, false},
		"nobody can":            {held, true, false, true},
		"denied":                {denied, true, false, false},
	} {
		got := string(stopped(&test.d, shape{structured: true, unasked: test.unasked}))
		if strings.Contains(got, confirm) != test.confirm || strings.Contains(got, nobody) != test.alone {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// Tools that a server has changed are not used as they were while it hangs, however often they are asked for.
func TestStaleToolsOfAServerThatHangs(t *testing.T) {
	since := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	b := &backend{shown: &schema.Catalogue{}, stale: true, hung: errSlowList, hungAt: since}
	for range 2 {
		if shown, asks, err := b.known(since.Add(time.Second)); shown != nil || asks || !errors.Is(err, errSlowList) {
			t.Errorf("got %v, %t, %v", shown, asks, err)
		}
	}
	if _, asks, err := b.known(since.Add(hungTime)); !asks || err != nil {
		t.Errorf("it is not asked again: %v", err)
	}
}

// A question that a client comes back to outlives the process, and is answered at
// whatever replica; once, and about nothing else.
func TestQuestionsOutliveTheProcess(t *testing.T) {
	f, err := contract.Load("mail.yaml", []byte(mailContracts))
	if err != nil {
		t.Fatal(err)
	}
	m, err := remit.New(remit.Options{Contracts: []*contract.File{f}, UnseenUser: true})
	if err != nil {
		t.Fatal(err)
	}
	var name string
	// replica is a gateway's part of it, with the session in it.
	replica := func(t *testing.T) (queued, *ledger.Session) {
		t.Helper()
		s, err := store.Open(t.Context(), name, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		session, err := ledger.New(s, ledger.Options{}).Open(t.Context(), m, "s")
		if err != nil {
			t.Fatal(err)
		}
		return queued{&ledger.Queue{Approvals: s}}, session
	}
	good := comeback{session: "s", yes: true, call: remit.Call{Server: "mail", Tool: "send", Arguments: []byte(`{ "to": "ann@corp.example", "text": "x" }`)}}
	for what, test := range map[string]struct {
		change func(*comeback)
		want   remit.Verdict // empty for no question
	}{
		"the answer":      {func(*comeback) {}, remit.Allow},
		"a no":            {func(a *comeback) { a.yes = false }, remit.Ask},
		"another session": {func(a *comeback) { a.session = "t" }, ""},
		"another tool":    {func(a *comeback) { a.call.Tool = "forward" }, ""},
		"another server":  {func(a *comeback) { a.call.Server = "post" }, ""},
		"other arguments": {func(a *comeback) { a.call.Arguments = []byte(`{"to":"eve@evil.example","text":"x"}`) }, ""},
		"another name":    {func(a *comeback) { a.name = "nothing" }, ""},
	} {
		t.Run(what, func(t *testing.T) {
			name = filepath.Join(t.TempDir(), "remit.db")
			asking, session := replica(t)
			d, err := session.Decide(t.Context(), remit.Call{ID: what, Server: "mail", Tool: "send", Arguments: []byte(`{"to":"ann@corp.example","text":"x"}`)})
			if err != nil {
				t.Fatal(err)
			}
			answer := good
			if answer.name, err = asking.put(t.Context(), session, d); err != nil {
				t.Fatal(err)
			}
			test.change(&answer)
			answered, session := replica(t)
			got, err := answered.settle(t.Context(), session, answer)
			if test.want == "" {
				if !errors.Is(err, errNoQuestion) {
					t.Errorf("got %+v, %v", got, err)
				}
				return
			}
			if err != nil || got.Decisions[0].Verdict != test.want {
				t.Fatalf("got %+v, %v", got, err)
			}
			if again, err := answered.settle(t.Context(), session, answer); test.want == remit.Allow && !errors.Is(err, errNoQuestion) {
				t.Errorf("it is answered again: %+v, %v", again, err)
			}
		})
	}
}
