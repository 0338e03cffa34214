package main

import (
	"path/filepath"
	"testing"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/store"
)

// An agent can't hide a call from the one command that explains it by repeating its id.
func TestRepeatedIDsHideNoDecision(t *testing.T) {
	ctx := t.Context()
	st, err := store.Open(ctx, filepath.Join(t.TempDir(), "remit.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	f, err := contract.Load("mail.yaml", []byte(agentContracts))
	if err != nil {
		t.Fatal(err)
	}
	m, err := remit.New(remit.Options{Contracts: []*contract.File{f}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := ledger.New(st, ledger.Options{}).Open(ctx, m, "s")
	if err != nil {
		t.Fatal(err)
	}

	if err := s.User(ctx, "Send ann@corp.example a hello."); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"hello", "hello again", "and again"} {
		if _, err := s.Decide(ctx, remit.Call{ID: "c", Tool: "send", Arguments: []byte(`{"to":"ann@corp.example","text":"` + text + `"}`)}); err != nil {
			t.Fatal(err)
		}
	}
	for call, want := range map[string]struct {
		verdict  remit.Verdict
		repeated int
	}{
		"c": {remit.Allow, 2},
		"":  {remit.Deny, 0}, // the last that was stopped
	} {
		d, repeated, err := (&explainCommand{Session: "s", Call: call}).fallen(ctx, st)
		if err != nil {
			t.Fatal(err)
		}
		if d.Verdict != want.verdict || repeated != want.repeated {
			t.Errorf("call %q: got %s and %d repeated, want %s and %d", call, d.Verdict, repeated, want.verdict, want.repeated)
		}
	}
}
