package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/mcp/upstream"
	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/internal/protocol"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/store"
)

// members are the params of a call that servers read.
var members = []string{"name", "arguments", "_meta", "inputResponses", "requestState", "task"}

// call decides a tools/call, passes it on when it may run, and records what it
// returns before the client sees it.
func (c *conversation) call(ctx context.Context, x *exchange) (raw []byte, err error) {
	name := x.msg.ParamText("name")
	ctx, span := c.served(ctx, x, name)
	defer func() { span.End(failure(raw, err)) }()
	if name == "" {
		return nil, &wire.Error{Code: wire.InvalidParams, Message: "the params name no tool"}
	}
	for _, member := range x.msg.ParamNames() {
		if known, ok := strictjson.Alike(member, members...); ok {
			return nil, &wire.Error{Code: wire.InvalidParams, Message: fmt.Sprintf("the member %q is not %q, and some servers take it for that: leave it out", member, known)}
		}
	}

	if refused := c.rated(x, time.Now()); refused != nil {
		return refused, nil
	}

	s, b, tool, err := c.callee(ctx, x, name)
	if err != nil {
		return c.undecided(x, name, err)
	}
	msg, answer, err := c.answeredCall(x.msg)
	if err != nil {
		return nil, err
	}

	mode := b.server.mode(tool)
	if mode == Shadow {
		s = s.Shadowed()
	}
	began := time.Now()
	proposed := remit.Call{Server: b.server.Name, Tool: tool, Arguments: msg.Param("arguments"), Point: "gateway"}
	d, err := c.decided(ctx, s, answer, proposed)
	if err != nil {
		return c.undecided(x, name, err)
	}
	took := time.Since(began)
	// A person who answered, also too late, is not asked again.
	before, asks := store.Extent(""), mode == Enforce && answer == nil
	if d.Verdict == remit.Ask && asks {
		if d, before, err = c.agreed(ctx, b, s, d); err != nil {
			return nil, c.told("the call was not made, because it could not be decided", err)
		}
	}
	if d.Verdict == remit.Ask && asks {
		var question []byte
		if d, question, err = c.approve(ctx, x, s, d, proposed, msg.Params); question != nil || err != nil {
			return question, err
		}
	}

	c.logDecision(d, mode, before, took)
	span.Decided(d, string(mode), took)
	if d.Verdict != remit.Allow && mode == Enforce {
		return wire.NewResult(x.id, stopped(d, c.bare(x, b, tool))), nil
	}
	return c.run(ctx, x, b, s, d, tool, msg)
}

// undecided returns why a call could not be decided. In shadow mode it makes the call: what Remit
// can't do must not show there.
func (c *conversation) undecided(x *exchange, name string, why error) ([]byte, error) {
	b, tool, err := c.route(name)
	if err != nil || b.server.mode(tool) != Shadow {
		return nil, why
	}
	c.log.Error("a call was made without a decision, in shadow mode", "server", b.server.Name, "tool", tool, "error", why)
	params := x.msg.ReplaceParams(map[string]json.RawMessage{"name": strictjson.Quote(tool)})
	m, err := b.roundTrip(x, params, paramHeader(b.definition(tool), x.msg.Param("arguments")))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.server.Name, err)
	}
	return m.WithID(x.id), nil
}

// errLogged stands for what the log says, and the client has no business with: where the store is,
// or what it answered.
var errLogged = errors.New("the gateway's log says why")

// told logs why a step of the session failed, and returns what the client is told of that.
func (c *conversation) told(what string, why error) error {
	ended := errors.Is(why, context.Canceled) || errors.Is(why, context.DeadlineExceeded) || errors.Is(why, errCancelled) || errors.Is(why, errShutdown)
	if ended || errors.Is(why, ledger.ErrNotYours) {
		return fmt.Errorf("%s: %w", what, why)
	}
	c.log.Error(what, "error", why)
	return fmt.Errorf("%s: %w", what, errLogged)
}

// callee opens the session and finds the tool of a name. A server that is down is
// linked to again first: what it offers now, and the contracts of that, are seen
// before the call.
func (c *conversation) callee(ctx context.Context, x *exchange, name string) (*ledger.Session, *backend, string, error) {
	s, err := c.open(ctx, x)
	if err != nil {
		return nil, nil, "", c.told("the call was not made, because the session can't be opened", err)
	}
	b, tool, err := c.route(name)
	if err != nil || b.down() == nil {
		return s, b, tool, err
	}

	if err := b.revive(ctx); err != nil {
		return nil, nil, "", fmt.Errorf("%s: %w", b.server.Name, err)
	}
	if s, err = c.open(ctx, x); err != nil {
		return nil, nil, "", c.told("the call was not made, because the session can't be opened", err)
	}
	return s, b, tool, nil
}

// answeredCall returns the call as it goes on, and the answer to the gateway's own
// question that came with it; nil where none did.
func (c *conversation) answeredCall(m *wire.Message) (*wire.Message, *comeback, error) {
	if !strings.HasPrefix(m.ParamText("requestState"), statePrefix) {
		return m, nil, nil
	}
	params, answer := answeredParams(m)
	rest, err := wire.Parse(m.With(nil, params), c.g.limits())
	return rest, &answer, err
}

// decided decides a call: by the answer of a client that came back with one, where
// that is to an open question, or else as a new one.
func (c *conversation) decided(ctx context.Context, s *ledger.Session, answer *comeback, call remit.Call) (*remit.Decision, error) {
	if answer != nil {
		answer.session, answer.call = c.anchor, call
		d, err := c.settle(ctx, s, *answer)
		if err != nil {
			return nil, c.told("the call was not made, because the answer could not be recorded", err)
		}
		if d != nil {
			return d, nil
		}
	}

	call.ID = newCallID()
	d, err := c.decide(ctx, s, call)
	if err != nil {
		return nil, c.told("the call was not made, because it could not be decided", err)
	}
	return d, nil
}

// decide decides a call, where that can be recorded.
func (c *conversation) decide(ctx context.Context, s *ledger.Session, call remit.Call) (*remit.Decision, error) {
	d, err := s.Decide(ctx, call)
	c.g.recorded(err)
	return d, err
}

// run makes a call that may run.
func (c *conversation) run(ctx context.Context, x *exchange, b *backend, s *ledger.Session, d *remit.Decision, tool string, msg *wire.Message) ([]byte, error) {
	arguments := msg.Param("arguments")
	checked := map[string]json.RawMessage{"name": strictjson.Quote(tool)}
	if arguments != nil && d.Arguments != nil {
		arguments = d.Arguments
		checked["arguments"] = arguments
	}

	header := paramHeader(b.definition(tool), arguments)
	params, span := c.requested(ctx, x, b, tool, msg.ReplaceParams(checked), header)
	m, err := b.roundTrip(x, params, header)
	if errors.Is(err, upstream.ErrNoSession) {
		if err = b.again(ctx, x, tool); err == nil {
			m, err = b.roundTrip(x, params, header)
		}
	}

	span.End(answered(m, err))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.server.Name, err)
	}
	r := m.ToolResult()
	// Recorded even when the client has gone: the call has run.
	record, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()

	err = s.Result(record, remit.Result{Call: d.Call, Content: r.Text, Structured: r.Structured, Failed: r.Failed})
	c.g.recorded(err)
	if err != nil {
		err = c.told("the call has run, and its result is held back, because it could not be recorded", err)
	}
	if err != nil && b.server.mode(tool) == Enforce {
		return nil, err
	}
	return m.WithID(x.id), nil
}

// logDecision logs a decision; before is how far an agreement reached by which
// the call was let through, empty where there was none.
func (c *conversation) logDecision(d *remit.Decision, mode Mode, before store.Extent, took time.Duration) {
	message := "decided"
	if mode == Shadow && d.Verdict != remit.Allow {
		message = "would have been stopped"
	}
	log := c.log
	if before != "" {
		log = log.With("agreed", before)
	}
	log.Info(message, "server", d.Server, "tool", d.Tool, "call", d.Call, "verdict", d.Verdict, "confirmed", d.Confirmed,
		"mode", mode, "reasons", protocol.ReasonCodes(d), "took", took)
}

// shape says what a result that the gateway makes itself may hold.
type shape struct {
	// structured is set where the tool promises no structured form of its own:
	// clients hold a promised one to its schema.
	structured bool
	// stateless results say that they are complete.
	stateless bool
	// unasked is set where no person can be asked about the call.
	unasked bool
}

func (c *conversation) bare(x *exchange, b *backend, tool string) shape {
	return shape{structured: strictjson.Get(b.definition(tool), "outputSchema") == nil, stateless: x.stateless, unasked: !c.asks(x)}
}

// metaDecision is the member of _meta that holds why a call was stopped.
const metaDecision = "dev.remit/decision"

// stopped returns the result of a call that was stopped: for the model in words, for programs as
// data. Where no person can be asked, the model is not told to have one confirm it: that would
// never reach the gateway.
func stopped(d *remit.Decision, s shape) json.RawMessage {
	tail := ""
	if s.unasked && d.Verdict == remit.Ask {
		denied := *d
		denied.Verdict, d = remit.Deny, &denied
		tail = "No person can be asked about it here. Tell the user what you were about to do, so that they can do it.\n"
	}

	data := protocol.DenialData(d)
	result := fmt.Appendf(nil, `{"content":[{"type":"text","text":%s}],"isError":true,"_meta":{%s:%s}}`, strictjson.Quote(protocol.DenialText(d)+tail), strictjson.Quote(metaDecision), data)
	if s.structured {
		result = strictjson.Set(result, "structuredContent", fmt.Appendf(nil, `{"remit":%s}`, data))
	}
	if s.stateless {
		result = strictjson.Set(result, "resultType", []byte(`"complete"`))
	}
	return result
}
