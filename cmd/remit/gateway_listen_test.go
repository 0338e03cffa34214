package main

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/remit-project/remit"
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
}
