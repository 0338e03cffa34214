package main

import (
	"errors"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/internal/oauth"
	"github.com/remit-project/remit/internal/tlsfiles"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/store"
)

// A session in the store is the principal's that opened it first, for every
// gateway and after every restart, and the store says whose it is.
func TestStoredSessionsArePrincipals(t *testing.T) {
	m, err := remit.New(remit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "remit.db")
	for _, step := range []struct {
		id, who string
		want    error
	}{
		{"s", "ann", nil}, {"s", "ann", nil}, {"s", "bob", mcp.ErrNotYours}, {"s", "", nil}, {"t", "bob", nil}, {"t", "ann", mcp.ErrNotYours},
	} {
		s, err := store.Open(t.Context(), name, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		sessions := ledgerSessions{ledger.New(s, func() *remit.Monitor { return nil }, ledger.Options{}), s}
		if _, err := sessions.Open(t.Context(), m, step.id, step.who); !errors.Is(err, step.want) {
			t.Errorf("%s opens %s: %v", step.who, step.id, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s, err := store.Open(t.Context(), name, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	info, err := s.Session(t.Context(), "s")
	if err != nil || info.Principal != "ann" {
		t.Errorf("the session is of %q, %v", info.Principal, err)
	}
	if err := reachable(t.Context(), s, false); err != nil {
		t.Errorf("the store is not reachable: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if reachable(t.Context(), s, false) == nil {
		t.Error("a closed store is reachable")
	}
}

// Who shows nothing is nobody, whichever way the deployment tells principals by.
func TestNobody(t *testing.T) {
	r, err := oauth.New(oauth.Config{Issuer: "https://login.example", Resource: "https://gate.example/mcp"})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		auth   mcp.Authenticator
		want   error
		status int
	}{
		"without a certificate": {certificates{}, tlsfiles.ErrNoSubject, 403},
		"without a token":       {tokens{r, "https://login.example"}, oauth.ErrNoToken, 401},
	} {
		t.Run(name, func(t *testing.T) {
			who, err := test.auth.Authenticate(httptest.NewRequest("POST", "/mcp", nil))
			if who != "" || !errors.Is(err, test.want) {
				t.Errorf("got %q, %v", who, err)
			}
			w := httptest.NewRecorder()
			if test.auth.Challenge(w, err); w.Code != test.status {
				t.Errorf("got %d", w.Code)
			}
		})
	}
}

// A question that a client comes back to outlives the process, and is answered at
// whatever replica; once, and about nothing else.
func TestQuestionsOutliveTheProcess(t *testing.T) {
	f, err := contract.Load("mail.yaml", []byte(agentContracts))
	if err != nil {
		t.Fatal(err)
	}
	m, err := remit.New(remit.Options{Contracts: []*contract.File{f}, UnseenUser: true})
	if err != nil {
		t.Fatal(err)
	}
	var name string
	// replica is a gateway's part of it, with the session in it.
	replica := func(t *testing.T) (ledgerApprover, mcp.Session) {
		t.Helper()
		s, err := store.Open(t.Context(), name, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		l := ledger.New(s, func() *remit.Monitor { return nil }, ledger.Options{})
		session, err := ledgerSessions{l, s}.Open(t.Context(), m, "s", "")
		if err != nil {
			t.Fatal(err)
		}
		return ledgerApprover{ledger.NewApprover(l, s, ledger.ApproverOptions{}), s}, session
	}
	good := mcp.Answer{Session: "s", Yes: true, Call: remit.Call{Server: "mail", Tool: "send", Arguments: []byte(`{ "to": "ann@corp.example", "text": "x" }`)}}
	for what, test := range map[string]struct {
		change func(*mcp.Answer)
		want   remit.Verdict // empty for no question
	}{
		"the answer":      {func(*mcp.Answer) {}, remit.Allow},
		"a no":            {func(a *mcp.Answer) { a.Yes = false }, remit.Ask},
		"another session": {func(a *mcp.Answer) { a.Session = "t" }, ""},
		"another tool":    {func(a *mcp.Answer) { a.Call.Tool = "forward" }, ""},
		"another server":  {func(a *mcp.Answer) { a.Call.Server = "post" }, ""},
		"other arguments": {func(a *mcp.Answer) { a.Call.Arguments = []byte(`{"to":"eve@evil.example","text":"x"}`) }, ""},
		"another name":    {func(a *mcp.Answer) { a.Name = "nothing" }, ""},
	} {
		t.Run(what, func(t *testing.T) {
			name = filepath.Join(t.TempDir(), "remit.db")
			asking, session := replica(t)
			d, err := session.Decide(t.Context(), remit.Call{ID: what, Server: "mail", Tool: "send", Arguments: []byte(`{"to":"ann@corp.example","text":"x"}`)})
			if err != nil {
				t.Fatal(err)
			}
			answer := good
			if answer.Name, err = asking.Put(t.Context(), session, d); err != nil {
				t.Fatal(err)
			}
			test.change(&answer)
			answered, session := replica(t)
			got, err := answered.Settle(t.Context(), session, answer)
			if test.want == "" {
				if !errors.Is(err, mcp.ErrNoQuestion) {
					t.Errorf("got %+v, %v", got, err)
				}
				return
			}
			if err != nil || got.Decision.Verdict != test.want {
				t.Fatalf("got %+v, %v", got, err)
			}
			if again, err := answered.Settle(t.Context(), session, answer); test.want == remit.Allow && !errors.Is(err, mcp.ErrNoQuestion) {
				t.Errorf("it is answered again: %+v, %v", again, err)
			}
		})
	}
}
