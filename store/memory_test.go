package store_test

import (
	"testing"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/storetest"
	"github.com/remit-project/remit/store"
)

func TestMemory(t *testing.T) {
	storetest.RunLogs(t, func(_ *testing.T, now func() time.Time) *storetest.Logs {
		m := &store.Memory{Now: now}
		return &storetest.Logs{Logs: m, Other: m}
	})
}

func hello() store.Record {
	return store.Record{Event: remit.Event{Kind: remit.UserEvent, Text: "hello"}}
}

// TestMemoryBound refuses a session too many, and goes on with those that there
// are.
func TestMemoryBound(t *testing.T) {
	m := &store.Memory{Max: 2}
	for _, id := range []string{"a", "b"} {
		if err := m.Append(t.Context(), id, 0, hello()); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Append(t.Context(), "c", 0, hello()); err == nil {
		t.Error("a session too many was begun")
	}
	if _, err := m.Create(t.Context(), store.Creation{ID: "d", Principal: "ann"}); err == nil {
		t.Error("a session too many was created")
	}
	if err := m.Append(t.Context(), "a", 1, hello()); err != nil {
		t.Error(err)
	}
}

// TestMemoryKeepsNoRequests: what it would lose, it refuses.
func TestMemoryKeepsNoRequests(t *testing.T) {
	m := &store.Memory{}
	r := hello()
	r.Settles = &store.Settlement{}
	if err := m.Append(t.Context(), "s", 0, r); err == nil {
		t.Error("a record that carries a request out was appended")
	}
	for _, c := range []store.Creation{{ID: "s", Principal: "ann", Settles: r.Settles}, {ID: "s", Principal: "ann", Tools: []byte("[]")}} {
		if _, err := m.Create(t.Context(), c); err == nil {
			t.Errorf("%+v was created", c)
		}
	}
}
