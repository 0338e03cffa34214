package trace

import (
	"context"
	"errors"
	"fmt"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/ledger"
)

// Options say how a session is replayed.
type Options struct {
	// Recorded keeps the results of calls that the monitor does not allow, as
	// if it had only watched. Without it such a call has no result, as it
	// would have had none had the monitor been there; what the agent does
	// afterwards is recorded and stays the same in both cases.
	Recorded bool
	// Results takes note of what tools returned, for guards to look things up in;
	// nil where there are none.
	Results *Results
	// Each is called with every decision as it is made; nil does nothing.
	Each func(*remit.Decision)
}

// Replay feeds a recorded session to a new session of the monitor, decides
// every proposed call at its place, and returns the decisions in order. Guards
// look things up in the results that the recording has.
func Replay(ctx context.Context, m *remit.Monitor, s *Session, o Options) ([]*remit.Decision, error) {
	if o.Results == nil {
		o.Results = NewResults()
	}
	return Feed(ctx, ledger.Begin(m.With(o.Results, nil), s.ID), s, o)
}

// Feed is [Replay] into a session that the caller holds, who can then look
// evidence up in it or let it go on.
func Feed(ctx context.Context, to *ledger.Session, s *Session, o Options) ([]*remit.Decision, error) {
	p := NewPlayer(to, o)
	var all []*remit.Decision
	for i := range s.Messages {
		decisions, err := p.Play(ctx, &s.Messages[i])
		all = append(all, decisions...)
		if err != nil {
			return all, fmt.Errorf("line %d: %w", s.Messages[i].Line, err)
		}
	}
	return all, nil
}

// Player feeds messages to a session one by one. It is for one goroutine.
type Player struct {
	to      *ledger.Session
	options Options
	// allowed are the calls whose results go to the session.
	allowed map[string]bool
}

// NewPlayer returns a player into a session.
func NewPlayer(to *ledger.Session, o Options) *Player {
	return &Player{to: to, options: o, allowed: map[string]bool{}}
}

// Confirm tells the session that a person agreed to a call that was held back.
func (p *Player) Confirm(ctx context.Context, call string) (*remit.Decision, error) {
	d, err := p.to.Confirm(ctx, call)
	if err == nil && d.Verdict == remit.Allow {
		p.allowed[call] = true
	}
	return d, err
}

// Play feeds one message, and returns the decisions on the calls it proposes.
func (p *Player) Play(ctx context.Context, m *Message) ([]*remit.Decision, error) {
	if p.options.Results != nil {
		p.options.Results.add(m)
	}

	switch m.Role {
	case System:
		return nil, hand(ctx, m, p.to.System)
	case User:
		err := hand(ctx, m, p.to.User)
		if err == nil && m.Scope != nil {
			_, _, err = p.to.Scope(ctx, m.Scope)
		}
		for _, a := range m.Attachments {
			err = errors.Join(err, p.to.Attach(ctx, a.Name, a.Text))
		}
		return nil, err
	case Assistant:
		if err := hand(ctx, m, p.to.Assistant); err != nil {
			return nil, err
		}
		return p.calls(ctx, m.Calls)
	}

	if !p.allowed[m.CallID] {
		return nil, nil
	}
	return nil, p.to.Result(ctx, remit.Result{Call: m.CallID, Content: m.Text, Structured: m.Structured, Failed: m.Failed, Stored: m.Stored})
}

// hand passes a message's text on; a message of attachments or calls has none.
func hand(ctx context.Context, m *Message, to func(context.Context, string) error) error {
	if m.Text == "" {
		return nil
	}
	return to(ctx, m.Text)
}

func (p *Player) calls(ctx context.Context, calls []Call) ([]*remit.Decision, error) {
	var out []*remit.Decision
	for _, c := range calls {
		d, err := p.to.Decide(ctx, remit.Call{ID: c.ID, Server: c.Server, Tool: c.Tool, Arguments: c.Arguments})
		if err != nil {
			return out, fmt.Errorf("call %s: %w", c.ID, err)
		}
		out = append(out, d)
		p.allowed[c.ID] = d.Verdict == remit.Allow || p.options.Recorded
		if p.options.Each != nil {
			p.options.Each(d)
		}
	}
	return out, nil
}
