package mcp

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/gateway/mcp/wire"
	"github.com/remit-project/remit/rawjson"
)

// approve asks a person about a call that was held back: by way of the client
// where that is allowed and the client can, or else the approver. It returns the
// decision as it is then, or a result that asks the client to come back with an
// answer.
func (c *conversation) approve(ctx context.Context, x *exchange, s Session, d *remit.Decision, params json.RawMessage) (*remit.Decision, []byte, error) {
	ask, cancel := context.WithTimeout(ctx, c.g.o.Limits.Approval)
	defer cancel()
	var person Approver
	switch {
	case c.g.o.Elicit && x.stateless && elicits(rawjson.Get(x.msg.Params, "_meta", "io.modelcontextprotocol/clientCapabilities")):
		return nil, c.g.waiting.question(x, c.anchor, d, params, c.g.o.Limits.Approval), nil
	case c.g.o.Elicit && !x.stateless && elicits(c.clientCapabilities()):
		person = Person(func(ctx context.Context, d *remit.Decision) (bool, error) { return c.elicit(ctx, x, d) })
	case c.g.o.Approver != nil:
		person = c.g.o.Approver
	default:
		return d, nil, nil
	}
	settled := c.g.o.Telemetry.Asked(ctx)
	after, err := person.Ask(ask, s, d)
	settled()
	switch {
	case ctx.Err() != nil:
		return nil, nil, context.Cause(ctx)
	case err != nil:
		c.log.Warn("the person could not be asked", "call", d.Call, "tool", d.Tool, "error", err)
		return d, nil, nil
	}
	return after, nil, nil
}

func (c *conversation) clientCapabilities() json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.client.capabilities
}

// elicit asks by a request to the client, which belongs to the one call.
func (c *conversation) elicit(ctx context.Context, x *exchange, d *remit.Decision) (bool, error) {
	q := &question{answer: make(chan *wire.Message, 1)}
	id, ok := c.ask(q)
	if !ok {
		return false, errors.New("too many questions wait for the client")
	}
	defer c.unask(id)
	if err := x.port.Send(wire.NewRequest(rawjson.Number(id), "elicitation/create", form(d))); err != nil {
		return false, err
	}
	select {
	case m := <-q.answer:
		if m.Result == nil {
			return false, errors.New("the client can't show the question")
		}
		return approved(m.Result), nil
	case <-ctx.Done():
		note := wire.NewNotification("notifications/cancelled", fmt.Appendf(nil, `{"requestId":%d,"reason":"nobody answered in time"}`, id))
		if err := x.port.Send(note); err != nil {
			c.log.Debug("the client could not be told", "error", err)
		}
		return false, errors.New("nobody answered in time")
	}
}

const (
	// statePrefix begins the request states that are the gateway's own.
	statePrefix = "remit:"
	// questionKey names the gateway's question among the input requests.
	questionKey = "remit-approval"
	// maxWaiting is how many questions wait for clients that must come back with
	// the answer: they may never.
	maxWaiting = 10_000
)

// waiting are the questions that clients of the generation without sessions
// will come back to.
type waiting struct {
	mu    sync.Mutex
	calls map[string]*held
}

// held is a call that waits for its answer.
type held struct {
	anchor  string
	hash    [sha256.Size]byte
	d       *remit.Decision
	params  json.RawMessage // as they are to be passed on
	expires time.Time
}

// question puts a call aside and returns the result that asks about it.
func (w *waiting) question(x *exchange, anchor string, d *remit.Decision, params json.RawMessage, life time.Duration) []byte {
	nonce := rand.Text()
	now := time.Now()
	w.mu.Lock()
	if w.calls == nil {
		w.calls = map[string]*held{}
	}
	for k, h := range w.calls {
		if now.After(h.expires) {
			delete(w.calls, k)
		}
	}
	full := len(w.calls) >= maxWaiting
	if !full {
		w.calls[nonce] = &held{anchor: anchor, hash: callHash(params), d: d, params: params, expires: now.Add(life)}
	}
	w.mu.Unlock()
	if full {
		return wire.NewResult(x.id, stopped(d, shape{stateless: true}))
	}
	result := fmt.Appendf(nil, `{"resultType":"input_required","inputRequests":{%q:{"method":"elicitation/create","params":%s}},"requestState":%q}`,
		questionKey, form(d), statePrefix+nonce)
	return wire.NewResult(x.id, result)
}

// take returns the call that a state belongs to, once, if it is this very call
// of this conversation and its time has not passed.
func (w *waiting) take(state, anchor string, params json.RawMessage) *held {
	nonce, ok := strings.CutPrefix(state, statePrefix)
	if !ok {
		return nil
	}
	w.mu.Lock()
	h := w.calls[nonce]
	delete(w.calls, nonce)
	w.mu.Unlock()
	if h == nil || h.anchor != anchor || h.hash != callHash(params) || time.Now().After(h.expires) {
		return nil
	}
	return h
}

// callHash is a digest of what a call is: its tool and its arguments.
func callHash(params []byte) [sha256.Size]byte {
	name := rawjson.GetText(params, "name")
	return sha256.Sum256(fmt.Appendf(nil, "%d:%s%s", len(name), name, rawjson.Get(params, "arguments")))
}

// answeredIn takes the answer to the gateway's own question out of a call. It
// returns the params without it, and the call that was answered about with the
// answer; nil when there is none, because no question was answered or, with late
// set, because the answer is to no question that still stands.
func (c *conversation) answeredIn(x *exchange) (params json.RawMessage, h *held, yes, late bool) {
	params = x.msg.Params
	state := rawjson.GetText(params, "requestState")
	if !strings.HasPrefix(state, statePrefix) {
		return params, nil, false, false
	}
	h = c.g.waiting.take(state, c.anchor, params)
	yes = approved(rawjson.Get(params, "inputResponses", questionKey))
	params = rawjson.Remove(rawjson.Remove(params, "requestState"), "inputResponses")
	if h != nil {
		// What the server had asked before goes on with the call.
		for _, member := range []string{"requestState", "inputResponses"} {
			if v := rawjson.Get(h.params, member); v != nil {
				params = rawjson.Set(params, member, v)
			}
		}
	}
	return params, h, yes, h == nil
}
