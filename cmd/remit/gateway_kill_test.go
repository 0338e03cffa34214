package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/internal/storetest"
	"github.com/remit-project/remit/store"
)

// TestGatewayKilled kills a gateway under load with SIGKILL, at random moments,
// and starts it again over the same store. Whatever was answered is in the log as
// it was answered, with its result; no call reached the server that the log
// doesn't let through, and none twice; and the audit chain verifies.
func TestGatewayKilled(t *testing.T) {
	rounds := 100
	if testing.Short() {
		rounds = 10
	}
	program, server := program(t, "remit"), storetest.StartPostgres(t)
	for kind, name := range map[string]string{"sqlite": filepath.Join(t.TempDir(), "remit.db"), "postgres": server.Database(t)} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			config := d.configure(t, name)
			st, err := store.Open(t.Context(), name, store.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := st.Close(); err != nil {
					t.Error(err)
				}
			}()
			l := &killLog{store: st, verdicts: map[string]remit.Verdict{}, results: map[string]bool{}, next: map[string]int64{}}
			answers, calls := 0, 0
			for round := range rounds {
				list := suffer(t, program, config, round)
				// What comes in after this was decided before as well; it is
				// looked at in the next round.
				received := d.received()
				for _, token := range killTokens(round) {
					l.read(t, mcp.RunSession(token))
				}
				l.check(t, list, received[calls:])
				answers, calls = answers+len(list), len(received)
				if round%10 == 9 {
					l.verify(t)
				}
			}
			seen := map[string]bool{}
			for _, n := range d.received() {
				if seen[n] {
					t.Errorf("the call %s reached the server twice", n)
				}
				seen[n] = true
			}
			t.Logf("killed %d times: %d calls answered, %d at the server, none lost or undecided", rounds, answers, calls)
		})
	}
}

// killTokens are those of the conversations in a round. They go on over several
// rounds, so that sessions are restored as well as begun.
func killTokens(round int) []string {
	var list []string
	for w := range 2 {
		list = append(list, fmt.Sprintf("conversation-%d-of-rounds-%d-to-%d", w, round/5*5, round/5*5+4))
	}
	return list
}

// told is what a client was told about a call.
type told struct {
	n       string
	verdict remit.Verdict
}

// suffer runs a gateway that is called from all sides until it is killed, and
// returns what it had answered.
func suffer(t *testing.T, program, config string, round int) []told {
	t.Helper()
	p := startGateway(t, program, config)
	r := rand.New(rand.NewPCG(4, uint64(round)))
	ctx, cancel := context.WithCancel(t.Context())
	var mu sync.Mutex
	var list []told
	enough, some := make(chan struct{}), 1+r.IntN(20)
	call := func(s *sdk.ClientSession, w string) {
		for i := range 10_000 {
			n := fmt.Sprintf("%d-%s-%d", round, w, i)
			res, err := s.CallTool(ctx, &sdk.CallToolParams{Name: []string{"read", "send", "open"}[i%3], Arguments: killCall(n, i)})
			if err != nil {
				return
			}
			mu.Lock()
			list = append(list, told{n, outcome(res)})
			if len(list) == some {
				close(enough)
			}
			mu.Unlock()
		}
	}
	var work sync.WaitGroup
	for w, token := range killTokens(round) {
		work.Go(func() {
			s, err := p.connect(ctx, token)
			if err != nil {
				return // it is killed by now, or else too few answers come
			}
			var calls sync.WaitGroup
			for _, half := range []string{"a", "b"} {
				calls.Go(func() { call(s, fmt.Sprint(w, half)) })
			}
			calls.Wait()
			_ = s.Close() // the server is gone
		})
	}
	select {
	case <-enough:
	case <-time.After(time.Minute):
		t.Error("the gateway doesn't answer")
	}
	time.Sleep(time.Duration(r.IntN(3000)) * time.Microsecond)
	p.end(t)
	cancel()
	work.Wait()
	return list
}

// killCall are the arguments of a call: every other id is one that was read, and the user named
// no recipient.
func killCall(n string, i int) deskCall {
	switch i % 3 {
	case 0:
		return deskCall{N: n}
	case 1:
		return deskCall{N: n, To: "eve@evil.example"}
	}
	if i%2 == 0 {
		return deskCall{N: n, ID: "thread-unknown"}
	}
	at := strings.LastIndexByte(n, '-')
	return deskCall{N: n, ID: mailOf(fmt.Sprintf("%s-%d", n[:at], i-2)).ID}
}

// killLog is what the store says of the calls, by their argument n.
type killLog struct {
	store    store.Store
	verdicts map[string]remit.Verdict
	results  map[string]bool
	next     map[string]int64 // what was read, by session
}

// read reads what is new in a session.
func (l *killLog) read(t *testing.T, session string) {
	t.Helper()
	ids := map[string]string{}
	for rec, err := range l.store.Read(t.Context(), session, 0) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := rec.Event; e.Kind {
		case remit.CallEvent:
			var c deskCall
			if err := json.Unmarshal(e.Call.Arguments, &c); err != nil {
				t.Fatal(err)
			}
			if rec.Decision == nil || rec.Decision.Verdict != e.Verdict {
				t.Errorf("the decision on %s is %v", c.N, rec.Decision)
			}
			ids[e.Call.ID] = c.N
			if rec.Seq < l.next[session] {
				continue
			}
			if _, twice := l.verdicts[c.N]; twice {
				t.Errorf("the call %s is in the log twice", c.N)
			}
			l.verdicts[c.N] = e.Verdict
		case remit.ResultEvent:
			l.results[ids[e.Result.Call]] = true
		}
		l.next[session] = max(l.next[session], rec.Seq+1)
	}
}

// check compares the log with what clients were told and what the server got.
func (l *killLog) check(t *testing.T, answers []told, received []string) {
	t.Helper()
	for _, a := range answers {
		switch v, ok := l.verdicts[a.n]; {
		case !ok:
			t.Errorf("the call %s was answered, and is not in the log", a.n)
		case v != a.verdict:
			t.Errorf("the call %s was answered as one that is %s, and the log says %s", a.n, a.verdict, v)
		case v == remit.Allow && !l.results[a.n]:
			t.Errorf("the result of %s was answered, and is not in the log", a.n)
		}
	}
	for _, n := range received {
		if l.verdicts[n] != remit.Allow {
			t.Errorf("the call %s reached the server, and the log says %q", n, l.verdicts[n])
		}
	}
}

func (l *killLog) verify(t *testing.T) {
	t.Helper()
	report, err := l.store.Verify(t.Context())
	if err != nil || !report.OK() {
		t.Errorf("the audit log does not verify: %v, %+v", err, report)
	}
}
