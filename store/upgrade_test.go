package store_test

import (
	"database/sql"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/store"
)

// TestUpgrade opens a store of the version before questions could be about several
// calls: a question that waits in it is answered and used as ever.
func TestUpgrade(t *testing.T) {
	name := filepath.Join(t.TempDir(), "remit.db")
	with := func(do func(s store.Store)) {
		t.Helper()
		s, err := store.Open(t.Context(), name, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		do(s)
	}

	held := &remit.Decision{Session: "s", Call: "c1", Tool: "send", Verdict: remit.Ask, Arguments: json.RawMessage(`{"to":"eve@evil.example"}`)}
	var asked store.Approval
	with(func(s store.Store) {
		if err := s.Append(t.Context(), "s", 0, store.Record{Event: remit.Event{Kind: remit.UserEvent, Text: "x"}}); err != nil {
			t.Fatal(err)
		}
		var err error
		if asked, err = s.Ask(t.Context(), store.Question{Decision: held}); err != nil {
			t.Fatal(err)
		}
	})

	db, err := sql.Open("sqlite", name)
	if err != nil {
		t.Fatal(err)
	}
	for _, back := range []string{
		"DROP TABLE grams", "DROP TABLE texts", "DROP INDEX sessions_behind", "ALTER TABLE sessions DROP COLUMN indexed", "DROP TABLE verified", "DROP TRIGGER events_decided", "DROP TABLE unlisted", "DROP TABLE decisions", "ALTER TABLE approvals DROP COLUMN by_value", "ALTER TABLE approvals DROP COLUMN agreed", "ALTER TABLE approvals DROP COLUMN more",
		"DELETE FROM goose_db_version WHERE version_id >= 3",
	} {
		if _, err := db.ExecContext(t.Context(), back); err != nil {
			t.Fatalf("%s: %v", back, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	with(func(s store.Store) {
		list, err := s.Pending(t.Context(), 0)
		if err != nil || len(list) != 1 || list[0].ID != asked.ID || len(list[0].Calls()) != 1 {
			t.Fatalf("%v, %v", list, err)
		}
		a, err := s.Answer(t.Context(), asked.ID, store.Answer{Approve: true})
		if err != nil || !a.Agrees("c1") || a.Agrees("c2") {
			t.Fatalf("%+v, %v", a, err)
		}
		if _, err := s.Claim(t.Context(), asked.ID, store.QuestionHash(a.Calls())); err != nil {
			t.Error(err)
		}
		if r, err := s.Verify(t.Context()); err != nil || !r.OK() {
			t.Errorf("%+v, %v", r, err)
		}
	})
}
