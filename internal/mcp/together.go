package mcp

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/store"
)

// Calls of a conversation that are held back at about the same time are asked about in one
// question. The first one waits a moment for others, and asks for all of them.

// batch is a question in the making, about one or more calls.
type batch struct {
	held []*remit.Decision
	full chan struct{} // closed when it takes no more
	done chan struct{} // closed when it has its answer
	// answer and failed are what came of it, once it is done, and followed is set where the
	// person agreed to a plan, by which calls are decided again.
	answer   ledger.Answer
	failed   error
	followed bool
}

// together gathers the calls of one conversation.
type together struct {
	mu   sync.Mutex
	open *batch // the one that still takes calls; nil for none
}

// join adds a call to the question that is being made, and reports whether it is the first
// in it, which has to ask.
func (t *together) join(d *remit.Decision, most int) (b *batch, first bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if b = t.open; b == nil {
		b, first = &batch{full: make(chan struct{}), done: make(chan struct{})}, true
		t.open = b
	}
	if b.held = append(b.held, d); len(b.held) >= most {
		t.open = nil
		close(b.full)
	}
	return b, first
}

// shut ends the gathering of a question.
func (t *together) shut(b *batch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open == b {
		t.open = nil
	}
}

// errLeft is why there is no answer where the call that asked was withdrawn.
var errLeft = errors.New("the call that asked was withdrawn")

// askTogether asks a person about a call, together with those that are held back within a moment.
// The person's time begins when everything is there.
func (c *conversation) askTogether(ctx context.Context, person ledger.Approver, s *ledger.Session, d *remit.Decision, call remit.Call) (*remit.Decision, store.Approval, error) {
	for {
		b, first := c.together.join(d, c.g.o.Limits.Together)
		if first {
			c.lead(ctx, b, person, s)
		}
		select {
		case <-b.done:
		case <-ctx.Done():
			return nil, store.Approval{}, context.Cause(ctx)
		}

		switch {
		case !first && errors.Is(b.failed, errLeft):
			continue // ask again, without it
		case b.failed != nil:
			return nil, store.Approval{}, b.failed
		}
		i := slices.Index(b.held, d)
		after := b.answer.Decisions[i]
		if after.Verdict == remit.Ask && !after.Refused && b.followed {
			call.ID = d.Call
			again, err := c.decide(ctx, s, call)
			return again, store.Approval{}, err
		}
		return after, b.answer.Approval, nil
	}
}

// lead waits for other calls, and asks about all of them.
func (c *conversation) lead(ctx context.Context, b *batch, person ledger.Approver, s *ledger.Session) {
	defer close(b.done)
	moment := time.NewTimer(c.g.o.Limits.Gather)
	defer moment.Stop()
	select {
	case <-b.full:
	case <-moment.C:
	case <-ctx.Done():
	}
	c.together.shut(b)

	ask, cancel := context.WithTimeoutCause(ctx, c.g.o.Limits.Approval, errLate)
	defer cancel()
	first := b.held[0]
	if c.g.o.Notify != nil {
		go c.g.o.Notify(context.WithoutCancel(ctx), b.held...)
	}
	c.log.Info("a question waits for a person", "call", first.Call, "server", first.Server, "tool", first.Tool, "calls", len(b.held), "time", c.g.o.Limits.Approval)
	b.answer, b.failed = person.Ask(ask, s, b.held...)
	if f, ok := person.(*form); ok {
		b.followed = f.followed
	}
	switch {
	case ctx.Err() != nil:
		b.failed = errLeft
	case b.failed != nil && ask.Err() != nil:
		b.failed = errLate
	case b.failed == nil && b.answer.Failed != nil:
		c.log.Error("what a person agreed to could not be noted", "error", b.answer.Failed)
	}
}

// errLate is the reason where no answer came in time.
var errLate = errors.New("nobody answered in time")
