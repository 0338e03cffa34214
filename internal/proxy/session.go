package proxy

import (
	"context"

	"github.com/remit-project/remit"
)

// Session is one conversation as the decision point keeps it.
type Session interface {
	System(ctx context.Context, text string) error
	User(ctx context.Context, text string) error
	Attach(ctx context.Context, name, text string) error
	Assistant(ctx context.Context, text string) error
	Decide(ctx context.Context, c remit.Call) (*remit.Decision, error)
	Result(ctx context.Context, r remit.Result) error
}

// Sessions keeps sessions beyond the process, by an id.
type Sessions interface {
	// Open returns the session of an id, whose calls are decided by m, and what
	// is recorded of it. An id that was used before goes on.
	Open(ctx context.Context, m *remit.Monitor, id string) (Session, []remit.Event, error)
}

// Approver brings a question to a person.
type Approver interface {
	// Ask returns the call's decision as it is after the person answered. It
	// must not be Allow unless the person clearly agreed to that very decision
	// and the session has noted so.
	Ask(ctx context.Context, s Session, d *remit.Decision) (*remit.Decision, error)
}

// volatile is a session that ends with the process.
type volatile struct {
	s *remit.Session
	// log is what has happened in it.
	log []remit.Event
}

func (v *volatile) System(_ context.Context, text string) error {
	v.s.System(text)
	v.log = append(v.log, event(remit.SystemEvent, text))
	return nil
}

func (v *volatile) User(_ context.Context, text string) error {
	v.s.User(text)
	v.log = append(v.log, event(remit.UserEvent, text))
	return nil
}

func (v *volatile) Attach(_ context.Context, name, text string) error {
	v.s.Attach(name, text)
	v.log = append(v.log, attached(name, text))
	return nil
}

func (v *volatile) Assistant(_ context.Context, text string) error {
	v.s.Assistant(text)
	v.log = append(v.log, event(remit.AssistantEvent, text))
	return nil
}

func (v *volatile) Decide(ctx context.Context, c remit.Call) (*remit.Decision, error) {
	d, err := v.s.Decide(ctx, c)
	if err != nil {
		return nil, err
	}
	v.log = append(v.log, remit.Event{Kind: remit.CallEvent, Call: &c, Verdict: d.Verdict})
	return d, nil
}

func (v *volatile) Result(ctx context.Context, r remit.Result) error {
	err := v.s.Result(ctx, r)
	if err == nil {
		v.log = append(v.log, remit.Event{Kind: remit.ResultEvent, Result: &r})
	}
	return err
}

// under is the session as another monitor decides it.
func (v *volatile) under(ctx context.Context, m *remit.Monitor) (*volatile, error) {
	s, err := m.Restore(ctx, v.s.ID(), func(yield func(remit.Event, error) bool) {
		for _, e := range v.log {
			if !yield(e, nil) {
				return
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return &volatile{s, v.log}, nil
}
