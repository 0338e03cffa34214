package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/mcp/upstream"
	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/internal/protocol"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/store"
)

// call decides a tools/call, passes it on when it may run, and records what it
// returns before the client sees it.
func (c *conversation) call(ctx context.Context, x *exchange) (raw []byte, err error) {
	name := strictjson.GetText(x.msg.Params, "name")
	ctx, span := c.served(ctx, x, name)
	defer func() { span.End(failure(raw, err)) }()
	if name == "" {
		return nil, &wire.Error{Code: wire.InvalidParams, Message: "the params name no tool"}
	}
	if members, err := strictjson.Members(x.msg.Params); err == nil {
		for _, m := range members {
			if known, ok := strictjson.Alike(m.Name, "name", "arguments", "_meta", "inputResponses", "requestState", "task"); ok {
				return nil, &wire.Error{Code: wire.InvalidParams, Message: fmt.Sprintf("the member %q is not %q, and some servers take it for that: leave it out", m.Name, known)}
			}
		}
	}
	s, err := c.open(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("the call was not made, because the session can't be opened: %w", err)
	}
	b, tool, err := c.route(name)
	if err != nil {
		return nil, err
	}
	if b.down() != nil {
		// What it offers now, and what is held against that, is seen before the call.
		if err := b.revive(ctx); err != nil {
			return nil, fmt.Errorf("%s: %w", b.server.Name, err)
		}
		if s, err = c.open(ctx, x); err != nil {
			return nil, fmt.Errorf("the call was not made, because the session can't be opened: %w", err)
		}
	}
	mode := b.server.mode(tool)
	params, answer, answered := answeredParams(x.msg.Params)
	proposed := remit.Call{Server: b.server.Name, Tool: tool, Arguments: strictjson.Get(params, "arguments")}
	begun := time.Now()
	var d *remit.Decision
	if answered {
		answer.session, answer.call = c.anchor, proposed
		if d, err = c.settle(ctx, s, answer); err != nil {
			return nil, fmt.Errorf("the call was not made, because the answer could not be recorded: %w", err)
		}
	}
	if d == nil {
		proposed.ID = newCallID()
		d, err = c.decide(ctx, s, proposed)
		if err != nil {
			return nil, fmt.Errorf("the call was not made, because it could not be decided: %w", err)
		}
	}
	took := time.Since(begun)
	// Who answered, also too late, is not asked again.
	before := store.Extent("")
	if d.Verdict == remit.Ask && mode == Enforce && !answered {
		if d, before, err = c.agreed(ctx, b, s, d); err != nil {
			return nil, fmt.Errorf("the call was not made, because it could not be decided: %w", err)
		}
	}
	if d.Verdict == remit.Ask && mode == Enforce && !answered {
		var question []byte
		if d, question, err = c.approve(ctx, x, s, d, params); question != nil || err != nil {
			return question, err
		}
	}
	c.logDecision(d, mode, before, took)
	span.Decided(d, string(mode), took)
	if d.Verdict != remit.Allow && mode == Enforce {
		return wire.NewResult(x.id, stopped(d, c.bare(x, b, tool))), nil
	}
	return c.run(ctx, x, b, s, d, tool, params)
}

// decide decides a call, where that can be recorded.
func (c *conversation) decide(ctx context.Context, s *ledger.Session, call remit.Call) (d *remit.Decision, err error) {
	if c.g.o.Check != nil {
		err = c.g.o.Check()
	}
	if err == nil {
		d, err = s.Decide(ctx, call)
	}
	c.g.recorded(err)
	return d, err
}

// run makes a call that may run.
func (c *conversation) run(ctx context.Context, x *exchange, b *backend, s *ledger.Session, d *remit.Decision, tool string, params json.RawMessage) ([]byte, error) {
	if at, ok := strictjson.Find(params, "arguments"); ok && d.Arguments != nil {
		params = strictjson.Splice(params, at, d.Arguments)
	}
	params = strictjson.Replace(params, strictjson.Quote(tool), "name")
	header := paramHeader(b.definition(tool), strictjson.Get(params, "arguments"))
	params, span := c.requested(ctx, x, b, tool, params, header)
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
	text, structured := toolResult(m)
	// Recorded even when the client has gone: the call has run.
	record, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	err = s.Result(record, remit.Result{Call: d.Call, Content: text, Structured: structured})
	c.g.recorded(err)
	if err != nil {
		c.log.Error("a result could not be recorded", "call", d.Call, "tool", d.Tool, "error", err)
		return nil, fmt.Errorf("the call has run, and its result is held back, because it could not be recorded: %w", err)
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
}

func (c *conversation) bare(x *exchange, b *backend, tool string) shape {
	return shape{structured: strictjson.Get(b.definition(tool), "outputSchema") == nil, stateless: x.stateless}
}

// metaDecision is the member of _meta that holds why a call was stopped.
const metaDecision = "dev.remit/decision"

// stopped is the result of a call that was stopped: for the model in words, for
// programs as data.
func stopped(d *remit.Decision, s shape) json.RawMessage {
	data := protocol.DenialData(d)
	result := fmt.Appendf(nil, `{"content":[{"type":"text","text":%s}],"isError":true,"_meta":{%s:%s}}`, strictjson.Quote(protocol.DenialText(d)), strictjson.Quote(metaDecision), data)
	if s.structured {
		result = strictjson.Set(result, "structuredContent", fmt.Appendf(nil, `{"remit":%s}`, data))
	}
	if s.stateless {
		result = strictjson.Set(result, "resultType", []byte(`"complete"`))
	}
	return result
}
