package eval

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/gateway/mcp"
	"github.com/remit-project/remit/gateway/mcp/upstream"
	"github.com/remit-project/remit/store"
)

// stageClock times the stages of calls at the gateway's own ports, from the
// outside: nothing of the gateway knows that it is measured.
type stageClock struct {
	mu      sync.Mutex
	running bool
	times   [stageCount][]time.Duration
}

// The stages that are timed. Those that hold others come out less them.
const (
	stageHandler  = iota // the whole of the gateway
	stageDecide          // with the append of the decision
	stageDecision        // the append alone
	stageUpstream        // to the server and back
	stageRecord          // with the append of the result
	stageResult          // the append alone
	stageCount
)

// run begins or ends the timing: handshakes and listings are not of interest.
func (c *stageClock) run(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = on
}

func (c *stageClock) note(stage int, began time.Time) {
	took := time.Since(began)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running {
		c.times[stage] = append(c.times[stage], took)
	}
}

// stages are the medians, given that of the whole.
func (c *stageClock) stages(total time.Duration, durable bool) []GatewayStage {
	c.mu.Lock()
	defer c.mu.Unlock()
	var p50 [stageCount]time.Duration
	for i := range p50 {
		p50[i] = quantile(c.times[i], 50)
	}
	relay := p50[stageHandler] - p50[stageDecide] - p50[stageUpstream] - p50[stageRecord]
	out := []GatewayStage{
		{"client and its connection", total - p50[stageHandler]},
		{"gateway: read, route, write", relay},
		{"decide", p50[stageDecide] - p50[stageDecision]},
		{"append the decision", p50[stageDecision]},
		{"server and its connection", p50[stageUpstream]},
		{"label the result", p50[stageRecord] - p50[stageResult]},
		{"append the result", p50[stageResult]},
	}
	if durable {
		return out
	}
	return append(out[:3:3], out[4:6]...)
}

// handler times the gateway as a whole.
func (c *stageClock) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		next.ServeHTTP(w, r)
		if r.Method == http.MethodPost {
			c.note(stageHandler, began)
		}
	})
}

// timedSessions times what sessions do.
type timedSessions struct {
	mcp.Sessions
	clock *stageClock
}

// Open implements [mcp.Sessions].
func (s timedSessions) Open(ctx context.Context, m *remit.Monitor, id string) (mcp.Session, error) {
	session, err := s.Sessions.Open(ctx, m, id)
	return timedSession{session, s.clock}, err
}

type timedSession struct {
	mcp.Session
	clock *stageClock
}

// Decide implements [mcp.Session].
func (s timedSession) Decide(ctx context.Context, c remit.Call) (*remit.Decision, error) {
	defer s.clock.note(stageDecide, time.Now())
	return s.Session.Decide(ctx, c)
}

// Result implements [mcp.Session].
func (s timedSession) Result(ctx context.Context, r remit.Result) error {
	defer s.clock.note(stageRecord, time.Now())
	return s.Session.Result(ctx, r)
}

// timedStore times appends.
type timedStore struct {
	store.Store
	clock *stageClock
}

// Append implements [store.Sessions].
func (s timedStore) Append(ctx context.Context, session string, expected int64, records ...store.Record) error {
	stage := stageResult
	if records[0].Decision != nil {
		stage = stageDecision
	}
	defer s.clock.note(stage, time.Now())
	return s.Store.Append(ctx, session, expected, records...)
}

// timedLink times the way to the server and back.
type timedLink struct {
	upstream.Link
	from *timedReceiver
}

// Send implements [upstream.Link].
func (l timedLink) Send(m upstream.Message) error {
	if m.ID != 0 {
		l.from.mu.Lock()
		l.from.sent[m.ID] = time.Now()
		l.from.mu.Unlock()
	}
	return l.Link.Send(m)
}

type timedReceiver struct {
	upstream.Receiver
	clock *stageClock
	mu    sync.Mutex
	sent  map[int64]time.Time
}

// Receive implements [upstream.Receiver]. The server that is measured says
// nothing about a request but its answer.
func (r *timedReceiver) Receive(raw []byte, about int64) {
	r.mu.Lock()
	began, ok := r.sent[about]
	delete(r.sent, about)
	r.mu.Unlock()
	if ok {
		r.clock.note(stageUpstream, began)
	}
	r.Receiver.Receive(raw, about)
}
