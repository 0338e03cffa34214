package store_test

import (
	"context"
	"testing"

	"github.com/remit-project/remit/internal/storetest"
	"github.com/remit-project/remit/store"
)

// maxStale is how many connections to a server that is gone a store can have.
const maxStale = 16

// given appends an event, gives up when the server has it and waits for its standby, and
// returns what came of it.
func given(t *testing.T, st store.Store, server *storetest.Postgres, stalled int, session, text string) error {
	t.Helper()
	ctx, give := context.WithCancel(t.Context())
	defer give()
	ended := make(chan error, 1)
	go func() { ended <- st.Append(ctx, session, 0, said(text)) }()
	server.AwaitStalled(t, stalled)
	give()
	return <-ended
}

// length is how many events a session shows.
func length(t *testing.T, st store.Store, session string) (n int) {
	t.Helper()
	for _, err := range st.Read(t.Context(), session, 0) {
		must(t, err)
		n++
	}
	return n
}

// TestFailover: what the standby doesn't have is not acknowledged, and not shown to others
// either, however its writer ends; so nothing that a caller has seen is lost when the standby
// takes over. A server whose place was taken acknowledges nothing any more.
func TestFailover(t *testing.T) {
	primary := storetest.StartPostgres(t)
	standby := primary.Standby(t)
	name := primary.Database(t)
	st, err := store.Open(t.Context(), primary.Over(t, name, standby)+"&pool_max_conns=2", store.Options{})
	must(t, err)
	defer func() { must(t, st.Close()) }()
	must(t, st.Append(t.Context(), "kept", 0, said("before")))

	standby.Kill(t)
	if err := given(t, st, primary, 1, "lost", "without a standby"); err == nil {
		t.Error("acknowledged without the standby")
	}
	for range 200 {
		if n := length(t, st, "lost"); n != 0 {
			t.Fatalf("%d events are shown that the standby doesn't have", n)
		}
	}

	primary.Kill(t)
	standby.Start(t)
	standby.Promote(t)
	for range maxStale { // each error is that of a connection to the server that is gone
		if _, err = st.Session(t.Context(), "kept"); err == nil {
			break
		}
	}
	must(t, err)
	if n := length(t, st, "kept"); n != 1 {
		t.Errorf("%d events are left of the one that was acknowledged", n)
	}
	if n := length(t, st, "lost"); n != 0 {
		t.Errorf("%d events that were not acknowledged", n)
	}
	for range maxStale {
		if err = st.Append(t.Context(), "kept", 1, said("after")); err == nil {
			break
		}
	}
	must(t, err)

	primary.Start(t)
	old, err := store.Open(t.Context(), name, store.Options{})
	must(t, err)
	defer func() { must(t, old.Close()) }()
	if err := given(t, old, primary, 1, "forked", "on the server that was replaced"); err == nil {
		t.Error("the server that was replaced has acknowledged")
	}
	if n := length(t, old, "forked"); n != 0 {
		t.Errorf("the server that was replaced shows %d events", n)
	}
	report, err := st.Verify(t.Context())
	must(t, err)
	if !report.OK() {
		t.Errorf("%v", report.Problems)
	}
}
