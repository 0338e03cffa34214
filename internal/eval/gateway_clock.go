package eval

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/mcp/upstream"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/store"
)

// stageClock times the stages of calls at the gateway's own ports: the gateway
// doesn't know that it is measured. A unique argument identifies each call.
type stageClock struct {
	mu    sync.Mutex
	calls map[string]*callTimes // by the argument
	asked map[string]*callTimes // by the id that the gateway gave
}

// The timed stages. Most contain others, whose time is subtracted.
const (
	stageTotal    = iota // as the client sees it
	stageGateway         // the whole of the gateway
	stageDecide          // with the append of the decision
	stageDecision        // the append alone
	stageServer          // to the server and back
	stageResult          // the append of the result
	stageLabel           // from there to the answer
	stageCount
)

// callTimes are those of one call.
type callTimes struct {
	stages   [stageCount]time.Duration
	recorded time.Time // when the result was in the log
}

func newStageClock() *stageClock {
	return &stageClock{calls: map[string]*callTimes{}, asked: map[string]*callTimes{}}
}

// note adds the time of a call's stage; it ignores untimed calls.
func (c *stageClock) note(t *callTimes, stage int, took time.Duration) {
	if t == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	t.stages[stage] += took
}

// begin starts timing a call.
func (c *stageClock) begin(argument string) *callTimes {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &callTimes{}
	c.calls[argument] = t
	return t
}

func (c *stageClock) lookup(arguments []byte) *callTimes {
	argument := strictjson.GetText(arguments, "id")
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls[argument]
}

// stages returns the means over the calls around the median, so that the parts
// add up to a whole call.
func (c *stageClock) stages(durable bool) []GatewayStage {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]*callTimes, 0, len(c.calls))
	for _, t := range c.calls {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b *callTimes) int { return cmp.Compare(a.stages[stageTotal], b.stages[stageTotal]) })
	middle := all[len(all)*9/20 : min(len(all)*11/20+1, len(all))]
	var t [stageCount]time.Duration
	for _, one := range middle {
		for i := range t {
			t[i] += one.stages[i]
		}
	}
	for i := range t {
		t[i] /= time.Duration(max(len(middle), 1))
	}

	out := []GatewayStage{
		{"client and its connection", t[stageTotal] - t[stageGateway]},
		{"gateway: read, route, write", t[stageGateway] - t[stageDecide] - t[stageServer] - t[stageResult] - t[stageLabel]},
		{"decide", t[stageDecide]},
		{"server and its connection", t[stageServer]},
		{"label the result", t[stageLabel]},
	}
	if !durable {
		out[4].Time += t[stageResult]
		return out
	}
	out[2].Time -= t[stageDecision]
	out = slices.Insert(out, 3, GatewayStage{"append the decision", t[stageDecision]})
	return append(out, GatewayStage{"append the result", t[stageResult]})
}

// timing is a context's timed call.
type timing struct{ t *callTimes }

// timingKey is that of the timing in a context.
type timingKey struct{}

// handler times the gateway as a whole over HTTP.
func (c *stageClock) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began, call := time.Now(), &timing{}
		next.ServeHTTP(&timedWriter{ResponseWriter: w, clock: c, call: call}, r.WithContext(context.WithValue(r.Context(), timingKey{}, call)))
		c.note(call.t, stageGateway, time.Since(began))
	})
}

// timedWriter notes when the gateway answers.
type timedWriter struct {
	http.ResponseWriter
	clock *stageClock
	call  *timing
}

// Write implements [http.ResponseWriter].
func (w *timedWriter) Write(b []byte) (int, error) {
	w.clock.noteReply(w.call.t, time.Now())
	return w.ResponseWriter.Write(b)
}

// Unwrap is for [http.ResponseController].
func (w *timedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// noteReply records the first answer to a call.
func (c *stageClock) noteReply(t *callTimes, at time.Time) {
	if t == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !t.recorded.IsZero() && t.stages[stageLabel] == 0 {
		t.stages[stageLabel] = at.Sub(t.recorded)
	}
}

// timedLogs times appends and reads the ids of calls.
type timedLogs struct {
	store.Logs
	clock *stageClock
}

// timedStore is timedLogs with the labels of resources.
type timedStore struct {
	timedLogs
	store.Resources
}

// Append implements [store.Logs].
func (s timedLogs) Append(ctx context.Context, session string, expected int64, records ...store.Record) error {
	began := time.Now()
	err := s.Logs.Append(ctx, session, expected, records...)
	took := time.Since(began)
	for _, r := range records {
		if r.Event.Kind == remit.CallEvent {
			s.clock.noteDecision(ctx, r.Event.Call, took)
		}
	}
	return err
}

// AppendRelaxed implements [store.Logs].
func (s timedLogs) AppendRelaxed(ctx context.Context, session string, expected int64, records ...store.Record) error {
	began := time.Now()
	err := s.Logs.AppendRelaxed(ctx, session, expected, records...)
	took := time.Since(began)
	for _, r := range records {
		if r.Event.Result != nil {
			s.clock.noteResult(r.Event.Result.Call, took)
		}
	}
	return err
}

// noteDecision records that a call's decision was appended.
func (c *stageClock) noteDecision(ctx context.Context, call *remit.Call, took time.Duration) {
	t := c.lookup(call.Arguments)
	if t == nil {
		return
	}
	if request, ok := ctx.Value(timingKey{}).(*timing); ok {
		request.t = t
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked[call.ID] = t
	t.stages[stageDecision] += took
}

// noteResult records that a call's result was appended. The session then labels
// it, and the gateway replies.
func (c *stageClock) noteResult(call string, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.asked[call]; t != nil {
		t.stages[stageResult] += took
		t.recorded = time.Now()
	}
}

// decisionLog is a [slog.Handler] that takes the time of decisions from the
// gateway's log.
type decisionLog struct{ clock *stageClock }

func (decisionLog) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelInfo }

func (d decisionLog) WithAttrs([]slog.Attr) slog.Handler { return d }

func (d decisionLog) WithGroup(string) slog.Handler { return d }

func (d decisionLog) Handle(_ context.Context, r slog.Record) error {
	var call string
	var took time.Duration
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "call":
			call = a.Value.String()
		case "took":
			took = a.Value.Duration()
		}
		return true
	})
	d.clock.mu.Lock()
	defer d.clock.mu.Unlock()
	if t := d.clock.asked[call]; t != nil {
		t.stages[stageDecide] += took
	}
	return nil
}

// timedLink times the round trip to the server.
type timedLink struct {
	upstream.Link
	from *timedReceiver
}

// Send implements [upstream.Link].
func (l timedLink) Send(m upstream.Message) error {
	if t := l.from.clock.lookup(strictjson.Get(m.Raw, "params", "arguments")); t != nil {
		l.from.mu.Lock()
		l.from.sent[string(strictjson.Int(m.ID))] = sentCall{t, time.Now()}
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
	id := string(strictjson.Get(raw, "id"))
	r.mu.Lock()
	sent, ok := r.sent[id]
	delete(r.sent, id)
	r.mu.Unlock()
	if ok {
		r.clock.note(sent.t, stageServer, now.Sub(sent.at))
	}
	r.Receiver.Receive(raw, about)
}
