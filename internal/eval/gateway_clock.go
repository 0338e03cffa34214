package eval

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/internal/mcp/upstream"
	"github.com/remit-project/remit/internal/rawjson"
	"github.com/remit-project/remit/store"
)

// stageClock times the stages of calls at the gateway's own ports, from the
// outside: nothing of the gateway knows that it is measured. A call is known by
// the argument that no other call has.
type stageClock struct {
	mu    sync.Mutex
	calls map[string]*callTimes // by the argument
	asked map[string]*callTimes // by the id that the gateway gave
}

// The stages that are timed. Most hold others, and come out less them.
const (
	stageTotal    = iota // as the client sees it
	stageGateway         // the whole of the gateway
	stageDecide          // with the append of the decision
	stageDecision        // the append alone
	stageServer          // to the server and back
	stageRecord          // with the append of the result
	stageResult          // the append alone
	stageCount
)

// callTimes are those of one call.
type callTimes [stageCount]time.Duration

func newStageClock() *stageClock {
	return &stageClock{calls: map[string]*callTimes{}, asked: map[string]*callTimes{}}
}

// note adds what a stage of a call took; of a call that isn't timed nothing.
func (c *stageClock) note(t *callTimes, stage int, took time.Duration) {
	if t == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	t[stage] += took
}

// begin makes a call one that is timed.
func (c *stageClock) begin(argument string) *callTimes {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &callTimes{}
	c.calls[argument] = t
	return t
}

func (c *stageClock) of(arguments []byte) *callTimes {
	argument := rawjson.GetText(arguments, "id")
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls[argument]
}

// stages are the means over the calls around the median, so that the parts add
// up to what a call takes there.
func (c *stageClock) stages(durable bool) []GatewayStage {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]*callTimes, 0, len(c.calls))
	for _, t := range c.calls {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b *callTimes) int { return cmp.Compare(a[stageTotal], b[stageTotal]) })
	middle := all[len(all)*9/20 : min(len(all)*11/20+1, len(all))]
	var t callTimes
	for _, one := range middle {
		for i := range t {
			t[i] += one[i]
		}
	}
	for i := range t {
		t[i] /= time.Duration(max(len(middle), 1))
	}
	out := []GatewayStage{
		{"client and its connection", t[stageTotal] - t[stageGateway]},
		{"gateway: read, route, write", t[stageGateway] - t[stageDecide] - t[stageServer] - t[stageRecord]},
		{"decide", t[stageDecide] - t[stageDecision]},
		{"append the decision", t[stageDecision]},
		{"server and its connection", t[stageServer]},
		{"label the result", t[stageRecord] - t[stageResult]},
		{"append the result", t[stageResult]},
	}
	if !durable {
		out = slices.Delete(slices.Delete(out, 6, 7), 3, 4)
	}
	return out
}

// timing carries the call that a context belongs to.
type timing struct{ t *callTimes }

// timingKey is that of the timing in a context.
type timingKey struct{}

// handler times the gateway as a whole over HTTP.
func (c *stageClock) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began, call := time.Now(), &timing{}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), timingKey{}, call)))
		c.note(call.t, stageGateway, time.Since(began))
	})
}

// timedSessions times what sessions do.
type timedSessions struct {
	mcp.Sessions
	clock *stageClock
}

// Open implements [mcp.Sessions].
func (s timedSessions) Open(ctx context.Context, m *remit.Monitor, id, principal string) (mcp.Session, error) {
	session, err := s.Sessions.Open(ctx, m, id, principal)
	return timedSession{session, s.clock}, err
}

type timedSession struct {
	mcp.Session
	clock *stageClock
}

// Decide implements [mcp.Session].
func (s timedSession) Decide(ctx context.Context, c remit.Call) (*remit.Decision, error) {
	t := s.clock.of(c.Arguments)
	if call, ok := ctx.Value(timingKey{}).(*timing); ok {
		call.t = t
	}
	if t != nil {
		s.clock.mu.Lock()
		s.clock.asked[c.ID] = t
		s.clock.mu.Unlock()
	}
	began := time.Now()
	d, err := s.Session.Decide(context.WithValue(ctx, timingKey{}, &timing{t}), c)
	s.clock.note(t, stageDecide, time.Since(began))
	return d, err
}

// Result implements [mcp.Session].
func (s timedSession) Result(ctx context.Context, r remit.Result) error {
	s.clock.mu.Lock()
	t := s.clock.asked[r.Call]
	s.clock.mu.Unlock()
	began := time.Now()
	err := s.Session.Result(context.WithValue(ctx, timingKey{}, &timing{t}), r)
	s.clock.note(t, stageRecord, time.Since(began))
	return err
}

// timedStore times appends.
type timedStore struct {
	store.Store
	clock *stageClock
}

// Append implements [store.Sessions].
func (s timedStore) Append(ctx context.Context, session string, expected int64, records ...store.Record) error {
	began := time.Now()
	err := s.Store.Append(ctx, session, expected, records...)
	s.appended(ctx, stageDecision, began)
	return err
}

// AppendRelaxed implements [store.Sessions].
func (s timedStore) AppendRelaxed(ctx context.Context, session string, expected int64, records ...store.Record) error {
	began := time.Now()
	err := s.Store.AppendRelaxed(ctx, session, expected, records...)
	s.appended(ctx, stageResult, began)
	return err
}

func (s timedStore) appended(ctx context.Context, stage int, began time.Time) {
	if call, ok := ctx.Value(timingKey{}).(*timing); ok {
		s.clock.note(call.t, stage, time.Since(began))
	}
}

// timedLink times the way to the server and back.
type timedLink struct {
	upstream.Link
	from *timedReceiver
}

// Send implements [upstream.Link].
func (l timedLink) Send(m upstream.Message) error {
	if t := l.from.clock.of(rawjson.Get(m.Raw, "params", "arguments")); t != nil {
		l.from.mu.Lock()
		l.from.sent[string(rawjson.Number(m.ID))] = sentCall{t, time.Now()}
		l.from.mu.Unlock()
	}
	return l.Link.Send(m)
}

type timedReceiver struct {
	upstream.Receiver
	clock *stageClock
	mu    sync.Mutex
	sent  map[string]sentCall // by the id of the request
}

type sentCall struct {
	t  *callTimes
	at time.Time
}

// Receive implements [upstream.Receiver].
func (r *timedReceiver) Receive(raw []byte, about int64) {
	now := time.Now()
	id := string(rawjson.Get(raw, "id"))
	r.mu.Lock()
	sent, ok := r.sent[id]
	delete(r.sent, id)
	r.mu.Unlock()
	if ok {
		r.clock.note(sent.t, stageServer, now.Sub(sent.at))
	}
	r.Receiver.Receive(raw, about)
}
