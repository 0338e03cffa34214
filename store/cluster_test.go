package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/storetest"
	"github.com/remit-project/remit/store"
)

func TestMain(m *testing.M) {
	storetest.ServeNode()
	m.Run()
}

// TestCluster writes to three nodes while the one that leads is killed, and while the next
// one that leads is cut off from the others and still reached by its clients: nothing that
// was accepted is lost, no call is decided twice and no approval is used twice.
func TestCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("elections take their time")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	const nodes = 3
	c := storetest.StartCluster(t, nodes)
	for i := range nodes {
		c.Ready(ctx, t, i)
	}
	var stores []store.Store
	for i := range nodes {
		st := eventually(ctx, t, func() (store.Store, error) { return store.Open(ctx, c.Stream(i, "remit"), store.Options{}) })
		defer func() { must(t, st.Close()) }()
		stores = append(stores, st)
	}

	var load sync.WaitGroup
	var callers []*caller
	for session := range 2 {
		for i, st := range stores {
			w := &caller{Store: st, session: fmt.Sprintf("s%d", session), name: fmt.Sprintf("c%d", i), others: stores}
			callers = append(callers, w)
			load.Go(func() { w.run(ctx, t) })
		}
	}
	// progress waits until every caller that has to has made so many more steps.
	progress := func(what string, more int64, except int) {
		t.Helper()
		began := make([]int64, len(callers))
		for i, w := range callers {
			began[i] = w.done.Load()
		}
		for i, w := range callers {
			for i%nodes != except && w.done.Load() < began[i]+more {
				select {
				case <-ctx.Done():
					t.Fatalf("%s: %s by %s makes no progress: %v", what, w.session, w.name, w.last.Load())
				case <-time.After(10 * time.Millisecond):
				}
			}
		}
	}

	progress("with all nodes", 10, -1)
	killed := leader(ctx, t, c)
	c.Kill(t, killed)
	progress("with a node killed", 10, killed)
	c.Start(t, killed)
	progress("with the node back", 10, -1)
	cut := leader(ctx, t, c)
	c.Isolate(cut)
	progress("with a node cut off", 10, cut)
	c.Heal(cut)
	progress("with the node connected again", 10, -1)
	for _, w := range callers {
		w.over.Store(true)
	}
	load.Wait()

	check(ctx, t, stores, callers)
}

// check reads what became of all steps from the log.
func check(ctx context.Context, t *testing.T, stores []store.Store, callers []*caller) {
	t.Helper()
	decided := map[string]int{}
	for _, session := range []string{"s0", "s1"} {
		for r, err := range stores[0].Read(ctx, session, 0) {
			must(t, err)
			decided[session+" "+r.Event.Call.ID]++
		}
	}
	for call, n := range decided {
		if n != 1 {
			t.Errorf("%s is decided %d times", call, n)
		}
	}
	steps := int64(0)
	for _, w := range callers {
		steps += w.done.Load()
		for _, call := range w.accepted {
			if decided[w.session+" "+call] == 0 {
				t.Errorf("the decision on %s %s was accepted, and is lost", w.session, call)
			}
		}
	}

	used := map[string]int{}
	for l, err := range stores[1].Export(ctx) {
		must(t, err)
		var e store.Entry
		must(t, json.Unmarshal(l.Entry, &e))
		if e.Kind == store.UsedEntry {
			used[e.Approval.ID]++
		}
	}
	for id, n := range used {
		if n != 1 {
			t.Errorf("approval %s was used %d times", id, n)
		}
	}
	for _, w := range callers {
		for id, n := range w.claimed {
			if n > 1 || used[id] == 0 {
				t.Errorf("approval %s was claimed %d times, and the log has %d", id, n, used[id])
			}
		}
	}

	report, err := stores[2].Verify(ctx)
	must(t, err)
	if !report.OK() {
		t.Errorf("%v", report.Problems)
	}
	t.Logf("%d steps of %d callers: %d decisions, %d approvals used, %d entries verified", steps, len(callers), len(decided), len(used), report.Entries)
}

// caller makes calls in a session that others make calls in as well, one after the other:
// each is decided, and every fifth is asked about and used.
type caller struct {
	store.Store
	session, name string
	others        []store.Store
	done          atomic.Int64
	over          atomic.Bool
	last          atomic.Value
	accepted      []string
	claimed       map[string]int
}

func (w *caller) run(ctx context.Context, t *testing.T) {
	w.claimed = map[string]int{}
	for n := 0; !w.over.Load() && ctx.Err() == nil; n++ {
		id := fmt.Sprintf("%s-%d", w.name, n)
		verdict := remit.Allow
		if n%5 == 4 {
			verdict = remit.Ask
		}
		d := &remit.Decision{Session: w.session, Call: id, Tool: "t", Verdict: verdict}
		if !w.decide(ctx, t, d) {
			return
		}
		w.accepted = append(w.accepted, id)
		if verdict == remit.Ask {
			w.use(ctx, d)
		}
		w.done.Add(1)
	}
}

// decide appends a decision, once: after an error it looks first whether it is there.
func (w *caller) decide(ctx context.Context, t *testing.T, d *remit.Decision) bool {
	r := store.Record{Event: remit.Event{Kind: remit.CallEvent, Time: time.Unix(0, 0), Verdict: d.Verdict, Call: &remit.Call{ID: d.Call, Tool: d.Tool}}, Decision: d}
	for doubt := false; ctx.Err() == nil && !w.over.Load(); {
		length, there, err := w.length(ctx, d.Call)
		if err == nil && there {
			if !doubt {
				t.Errorf("%s was decided by nobody, and is there", d.Call)
			}
			return true
		}
		if err == nil {
			err = w.Append(ctx, w.session, length, r)
		}
		switch {
		case err == nil:
			return true
		case errors.Is(err, store.ErrConflict):
		default:
			doubt = true
			w.last.Store(err.Error())
		}
	}
	return false
}

// length is that of the session, and whether a call is in it.
func (w *caller) length(ctx context.Context, call string) (n int64, there bool, err error) {
	for r, err := range w.Read(ctx, w.session, 0) {
		if err != nil {
			return 0, false, err
		}
		n, there = n+1, there || r.Event.Call.ID == call
	}
	return n, there, nil
}

// use asks about a call, answers, and claims the approval by all stores at the same time.
// Where a node isn't there, nothing comes of it.
func (w *caller) use(ctx context.Context, d *remit.Decision) {
	a, err := w.Ask(ctx, store.Question{Decision: d})
	if err != nil {
		return
	}
	if _, err := w.Answer(ctx, a.ID, store.Answer{Approve: true}); err != nil {
		return
	}
	var won atomic.Int64
	var all sync.WaitGroup
	for _, st := range w.others {
		all.Go(func() {
			if _, err := st.Claim(ctx, a.ID, a.Arguments); err == nil {
				won.Add(1)
			}
		})
	}
	all.Wait()
	if n := int(won.Load()); n > 0 {
		w.claimed[a.ID] = n
	}
}

// eventually tries until it succeeds.
func eventually[T any](ctx context.Context, t testing.TB, f func() (T, error)) T {
	t.Helper()
	for {
		v, err := f()
		if err == nil {
			return v
		}
		select {
		case <-ctx.Done():
			t.Fatal(err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// leader is the node that leads the stream.
func leader(ctx context.Context, t *testing.T, c *storetest.Cluster) int {
	t.Helper()
	return eventually(ctx, t, func() (int, error) {
		for i := range 3 {
			address := c.Stream(i, "")
			nc, err := nats.Connect(address[:len(address)-len("/?replicas=3")])
			if err != nil {
				continue
			}
			m, err := nc.RequestWithContext(ctx, "$JS.API.STREAM.INFO.remit", nil)
			nc.Close()
			var info struct {
				Cluster struct {
					Leader string `json:"leader"`
				} `json:"cluster"`
			}
			if err == nil && json.Unmarshal(m.Data, &info) == nil && c.Index(info.Cluster.Leader) >= 0 {
				return c.Index(info.Cluster.Leader), nil
			}
		}
		return 0, errors.New("no node leads the stream")
	})
}
