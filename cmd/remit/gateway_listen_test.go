package main

import (
	"errors"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/remit-project/remit"
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
		{"s", "ann", nil}, {"s", "ann", nil}, {"s", "bob", ledger.ErrNotYours}, {"s", "", nil}, {"t", "bob", nil}, {"t", "ann", ledger.ErrNotYours},
	} {
		s, err := store.Open(t.Context(), name, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		sessions := ledger.New(s, ledger.Options{})
		if _, err := sessions.OpenFor(t.Context(), m, step.id, step.who); !errors.Is(err, step.want) {
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
