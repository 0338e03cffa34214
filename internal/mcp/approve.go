package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/internal/sighting"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/store"
)

// asks reports whether a person can confirm a call: by way of the client, by the approver, or,
// where there is a store, in a session that others share.
func (c *conversation) asks(x *exchange) bool {
	capabilities := x.msg.Param("_meta", "io.modelcontextprotocol/clientCapabilities")
	if !x.stateless {
		capabilities = c.clientCapabilities()
	}
	form := c.g.o.Elicit && elicits(capabilities)
	return form || c.g.o.Approver != nil || c.g.o.Queue != nil
}

// approve asks a person about a call that was held back: by way of the client
// where that is allowed and the client can, or else the approver. It returns the
// decision as it is then, or a result that asks the client to come back with an
// answer.
func (c *conversation) approve(ctx context.Context, x *exchange, s *ledger.Session, d *remit.Decision, call remit.Call, params json.RawMessage) (*remit.Decision, []byte, error) {
	var person ledger.Approver
	switch {
	case c.g.o.Elicit && x.stateless && elicits(x.msg.Param("_meta", "io.modelcontextprotocol/clientCapabilities")):
		question, err := c.askBack(ctx, x, s, d, params)
		if err == nil {
			c.log.Info("a question goes to a person with the answer to the client", "call", d.Call, "server", d.Server, "tool", d.Tool)
		}
		if err != nil {
			c.log.Warn("the person could not be asked", "call", d.Call, "tool", d.Tool, "error", err)
			return d, nil, nil
		}
		return nil, question, nil
	case c.g.o.Elicit && !x.stateless && elicits(c.clientCapabilities()):
		person = &form{c: c, x: x}
	case c.g.o.Approver != nil:
		person = c.g.o.Approver
	default:
		return d, nil, nil
	}

	ctx, leave := x.attended(ctx)
	defer leave()
	settled := c.g.o.Telemetry.Asked(ctx)
	answered := c.waits(ctx, x)
	after, approval, err := c.askTogether(ctx, person, s, d, call)
	answered()
	settled()

	switch {
	case ctx.Err() != nil:
		c.log.Info("the call that a person was asked about is withdrawn", "call", d.Call, "tool", d.Tool, "why", context.Cause(ctx))
		return nil, nil, context.Cause(ctx)
	case errors.Is(err, errLate):
		c.log.Warn(errLate.Error(), "call", d.Call, "tool", d.Tool, "time", c.g.o.Limits.Approval)
		return d, nil, nil
	case err != nil:
		c.log.Warn("the person could not be asked", "call", d.Call, "tool", d.Tool, "error", err)
		return d, nil, nil
	}

	c.remember(ctx, after, approval)
	return after, nil, nil
}

// attended is a [Port] whose client may leave before the request has its answer, which is lost then.
type attended interface{ Caller() context.Context }

// attended returns a context that ends also when the client has left. A call that waits for a person is
// not made then: it may run minutes later, and nobody would hear of it.
func (x *exchange) attended(ctx context.Context) (context.Context, context.CancelFunc) {
	port, ok := x.port.(attended)
	if !ok {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(port.Caller(), func() { cancel(errGone) })
	return ctx, func() { stop(); cancel(nil) }
}

// sign is how often a client hears that its call waits for a person: many give up
// after a minute without a word.
const sign = 10 * time.Second

// waits tells a client that wants progress of its call that it waits for a person. The
// returned function says that it waits no more.
func (c *conversation) waits(ctx context.Context, x *exchange) (answered func()) {
	token := x.msg.Param("_meta", "progressToken")
	if token == nil {
		return func() {}
	}

	ctx, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		every := time.NewTicker(sign)
		defer every.Stop()
		for n := 1; ; n++ {
			// The server's own progress begins where this has hardly moved.
			params := fmt.Appendf(nil, `{"progressToken":%s,"progress":%g,"message":"waiting for a person's answer"}`, token, float64(n)/1e6)
			if err := x.port.Send(wire.NewNotification("notifications/progress", params)); err != nil {
				return
			}
			select {
			case <-every.C:
			case <-ctx.Done():
				return
			}
		}
	}()

	return func() {
		stop()
		<-done
	}
}

// settle takes the answer of a client that came back with it. There is no
// decision where the answer is to no question.
func (c *conversation) settle(ctx context.Context, s *ledger.Session, a comeback) (*remit.Decision, error) {
	yes, err := c.g.questions.settle(ctx, s, a)
	switch {
	case errors.Is(err, errNoQuestion):
		return nil, nil
	case err != nil:
		return nil, err
	}
	c.remember(ctx, yes.Decisions[0], yes.Approval)
	return yes.Decisions[0], nil
}

func (c *conversation) clientCapabilities() json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.client.capabilities
}

// form is the [ledger.Approver] that has the client show a form to the person.
type form struct {
	c *conversation
	x *exchange
	// followed is set where the person agreed to a plan of a delegated source.
	followed bool
}

// Ask implements [ledger.Approver]. Where the user told the agent to follow what a source
// says, the form is about the plan that is made of it, in place of the calls that the plan
// covers.
func (f *form) Ask(ctx context.Context, s *ledger.Session, held ...*remit.Decision) (ledger.Answer, error) {
	plans, covered := f.c.plans(ctx, s, held)
	var asked []sighting.Asked
	for _, d := range held {
		if !covered[d] {
			asked = append(asked, sighting.Asked{Decision: d, Places: f.c.places(ctx, s, d)})
		}
	}
	result, err := f.c.elicit(ctx, f.x, formOf(plans, asked...))
	out := ledger.Answer{Decisions: slices.Clone(held), Approval: store.Approval{By: byClient}}
	if err != nil {
		return out, err
	}

	var yes []bool
	yes, out.Approval.Extent = approved(result, len(plans)+len(asked))
	for i, d := range plans {
		if yes[i] {
			err := s.Delegate(ctx, d, "")
			f.followed = f.followed || err == nil
			out.Failed = errors.Join(out.Failed, err)
		}
	}
	for i, a := range asked {
		at := slices.Index(held, a.Decision)
		if !yes[len(plans)+i] {
			if answeredForm(result) {
				out.Decisions[at] = refused(a.Decision)
			}
			continue
		}
		after, err := s.ConfirmAsked(ctx, a.Decision, store.Once)
		if err != nil {
			out.Failed = errors.Join(out.Failed, err)
			continue
		}
		out.Decisions[at] = after
	}
	return out, nil
}

// plans returns the plans of delegated sources that a person can agree to in place of calls
// that were held back, and those calls.
func (c *conversation) plans(ctx context.Context, s *ledger.Session, held []*remit.Decision) ([]*remit.Delegation, map[*remit.Decision]bool) {
	list, err := s.Delegated(ctx)
	if err != nil {
		c.log.Warn("what the user delegates could not be planned", "error", err)
	}

	var plans []*remit.Delegation
	covered := map[*remit.Decision]bool{}
	for _, plan := range list {
		if plan.Failed != "" {
			c.log.Info("a delegated source has no plan", "tool", plan.Tool, "why", plan.Failed)
		}
		some := false
		for _, d := range held {
			ok, err := s.Covers(ctx, plan, d)
			if err == nil && ok {
				some, covered[d] = true, true
			}
		}
		if some {
			plans = append(plans, plan)
		}
	}
	return plans, covered
}

// byClient is who answered where a client says that a person did.
const byClient = "the client"

// agree confirms a call to which a person agreed by way of the client.
func agree(ctx context.Context, s *ledger.Session, d *remit.Decision, extent store.Extent) (ledger.Answer, error) {
	after, err := s.ConfirmAsked(ctx, d, store.Once)
	return ledger.Answer{Decisions: []*remit.Decision{after}, Approval: store.Approval{Extent: extent, By: byClient}}, err
}

// elicit asks by a request to the client, which belongs to the one call, and returns what
// the client answers.
func (c *conversation) elicit(ctx context.Context, x *exchange, params json.RawMessage) (json.RawMessage, error) {
	q := &inquiry{answer: make(chan *wire.Message, 1)}
	id, ok := c.ask(q)
	if !ok {
		return nil, errors.New("too many questions wait for the client")
	}
	defer c.unask(id)

	if err := x.port.Send(wire.NewRequest(strictjson.Int(id), "elicitation/create", params)); err != nil {
		return nil, err
	}

	select {
	case m := <-q.answer:
		if m.Result == nil {
			return nil, errors.New("the client can't show the question")
		}
		return m.Result, nil
	case <-ctx.Done():
		why := "nobody answered in time"
		if !errors.Is(context.Cause(ctx), errLate) {
			why = "the call was withdrawn"
		}
		note := wire.NewNotification("notifications/cancelled", fmt.Appendf(nil, `{"requestId":%d,"reason":%q}`, id, why))
		if err := x.port.Send(note); err != nil {
			c.log.Debug("the client could not be told", "error", err)
		}
		return nil, errLate
	}
}

// places returns where the doubtful values of a call appear. A question without them is
// still a question.
func (c *conversation) places(ctx context.Context, s *ledger.Session, d *remit.Decision) []sighting.Place {
	out, err := sighting.Of(ctx, s, d)
	if err != nil {
		c.log.Warn("where the values come from could not be told", "call", d.Call, "tool", d.Tool, "error", err)
	}
	return out
}

// questionKey names the gateway's question among the input requests.
const questionKey = "remit-approval"

// askBack keeps a question and returns the result that asks the client to come
// back with the answer.
func (c *conversation) askBack(ctx context.Context, x *exchange, s *ledger.Session, d *remit.Decision, params json.RawMessage) ([]byte, error) {
	name, err := c.g.questions.put(ctx, s, d)
	if err != nil {
		return nil, err
	}
	result := fmt.Appendf(nil, `{"resultType":"input_required","inputRequests":{%q:{"method":"elicitation/create","params":%s}},"requestState":%q}`,
		questionKey, formOf(nil, sighting.Asked{Decision: d, Places: c.places(ctx, s, d)}), state(name, params))
	return wire.NewResult(x.id, result), nil
}
