package proxy

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/discharge"
	"github.com/remit-project/remit/store"
)

// made remembers, for each of the users' turns, the calls that were let through and can't be taken
// back. A client may tell a conversation from the turn on several times: at the same time, again,
// or without some of it. What a scope allows once is allowed once in all of them. That lasts from
// call to call as long as a confirmation does: later, the same words in a new conversation are a
// new task, such as one that runs each day.
type made struct {
	mu    sync.Mutex
	turns recent[*madeIn]
}

// Bounds on what is remembered, in each of two generations: turns, and the bytes of their calls.
// maxMade bounds the calls of one turn.
const (
	maxMadeTurns, maxMadeWeight = 1 << 14, 16 << 20
	maxMade                     = 1 << 10
)

// madeElsewhere is the id of a call that a telling of the conversation lacks.
const madeElsewhere = "made-elsewhere"

// madeIn are the calls of one turn.
type madeIn struct {
	// deciding holds a value while a call of the turn is decided, which a person may take minutes for.
	deciding chan struct{}
	calls    []madeCall
	// last is when a call of the turn was decided.
	last time.Time
}

// madeCall is a call that was let through, and agreed is set where the user said yes to it.
type madeCall struct {
	call
	agreed bool
}

// in returns the calls of a turn.
func (m *made) in(turn hash) *madeIn {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, ok := m.turns.get(turn.short())
	if !ok {
		t = &madeIn{deciding: make(chan struct{}, 1)}
		m.turns.put(turn.short(), t, 0)
	}
	return t
}

// weigh counts a call's bytes.
func (m *made) weigh(turn hash, t *madeIn, k *call) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turns.put(turn.short(), t, len(k.arguments))
}

// identity tells calls from each other, however a client writes their arguments.
func (k *call) identity() hash { return hashParts([]byte(k.tool), []byte(plainJSON(k.arguments))) }

// proposeOnce decides a call that the model proposes now, where the turn has a scope whose counts
// no log keeps: after the calls of the turn that this telling of the conversation lacks. What a yes let through in another one counts too.
func (c *conversation) proposeOnce(ctx context.Context, k *call, proposal remit.Call) (*remit.Decision, error) {
	t := c.made.in(c.turn)
	select {
	case t.deciding <- struct{}{}:
		defer func() { <-t.deciding }()
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the turn's other calls: %w", ctx.Err())
	}
	now := c.monitor.Now()
	if !now.Before(t.last.Add(discharge.ConfirmationLife)) {
		t.calls = nil
	}
	t.last = now

	had := map[hash]int{}
	for i := range t.calls {
		m := &t.calls[i]
		id := m.identity()
		had[id]++
		retold := had[id] <= c.retold[id] && m.tool != k.tool
		if had[id] <= c.here[id] || retold {
			continue // what it rests on may not be read yet, which matters where the tool is called again
		}
		c.retold[id] = max(c.retold[id], had[id])
		d, err := c.decide(ctx, &m.call, remit.Call{Past: true})
		if err == nil && m.agreed && d != nil && d.Verdict == remit.Ask {
			if _, err = c.session.ConfirmAsked(ctx, d, store.Once); err == nil {
				c.here[id]++
			}
		}
		if err != nil {
			return nil, err
		}
	}

	d, agreed, err := c.decideAgreed(ctx, k, proposal)
	if err != nil || d == nil || d.Verdict != remit.Allow || len(t.calls) >= maxMade {
		return d, err
	}
	switch d.Effect {
	case contract.Egress, contract.Destructive, contract.Execute:
		t.calls = append(t.calls, madeCall{call{id: madeElsewhere, tool: k.tool, arguments: k.arguments}, agreed})
		c.made.weigh(c.turn, t, k)
	}
	return d, nil
}
