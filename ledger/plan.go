package ledger

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/scope"
	"github.com/remit-project/remit/store"
)

// Plan asks the monitor's planner about the user's last turn, unless that has its plan,
// and writes the scope, or why there is none, into the log. Decide does so by itself;
// see [Session.PlanAhead] for callers who know earlier that the user has spoken. Other
// steps of the session go on meanwhile. The planner's own failure is not an error: the turn
// has no scope then.
func (s *Session) Plan(ctx context.Context) error {
	planner, limit := s.monitor.Planner()
	if planner == nil || s.unplanned {
		return nil
	}
	v := s.ledger.enter(s.id)
	defer s.ledger.leave(v)
	release, err := s.alone(ctx, v.planning, "the plan of the turn")
	if err != nil {
		return err
	}
	defer release()

	request, err := s.planRequest(ctx)
	if request == nil {
		return err
	}
	plan, failed := scope.Ask(ctx, planner, request, limit)
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("session %q: wait for the plan of the turn: %w", s.id, err)
	}
	return s.answered(ctx, func(r *remit.Session) (remit.Event, error) { return r.Planned(request, plan, failed) })
}

// Name asks the monitor's planner which members of the results the names of the turn's scope mean that these don't have, and
// writes the answers into the log: see [remit.Session.Name].
func (s *Session) Name(ctx context.Context, tool string) error {
	planner, limit := s.monitor.Planner()
	namer, ok := planner.(scope.Namer)
	if !ok || s.unplanned {
		return nil
	}
	next := func() (*scope.NameRequest, error) { return s.nameRequest(ctx, tool) }
	if r, err := next(); r == nil || err != nil {
		return err
	}
	v := s.ledger.enter(s.id)
	defer s.ledger.leave(v)
	release, err := s.alone(ctx, v.naming, "the names of the turn's scope")
	if err != nil {
		return err
	}
	defer release()

	return scope.EachNaming(ctx, namer, limit, next, func(request *scope.NameRequest, naming *scope.Naming, failed error) error {
		return s.answered(ctx, func(r *remit.Session) (remit.Event, error) { return r.Named(request, naming, failed) })
	})
}

// alone takes a token that one caller has at a time, and returns what gives it back. It waits for what is awaited by the other one.
func (s *Session) alone(ctx context.Context, token chan struct{}, awaited string) (release func(), err error) {
	select {
	case token <- struct{}{}:
		return func() { <-token }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("session %q: wait for %s: %w", s.id, awaited, ctx.Err())
	}
}

// answered writes what the planner answered into the log. Where another replica has it, or the user has spoken again, nothing is written.
func (s *Session) answered(ctx context.Context, event func(*remit.Session) (remit.Event, error)) error {
	own := *s
	own.settles = nil // an answer is not a reply to the request that the session is used for
	err := own.step(ctx, func(r *remit.Session, _ int64) (remit.Event, error) { return event(r) })
	if planned(err) || errors.Is(err, store.ErrEnded) {
		return nil
	}
	return err
}

// read reads the session with all that its log has.
func (s *Session) read(ctx context.Context, read func(*remit.Session) error) error {
	v, release, err := s.ledger.hold(ctx, s.id)
	if err != nil {
		return fmt.Errorf("session %q: %w", s.id, err)
	}
	defer release()
	if _, err := s.refresh(ctx, v); err != nil {
		return err
	}
	return read(v.session)
}

// nameRequest returns what the planner is to be asked next about names; nil for nothing.
func (s *Session) nameRequest(ctx context.Context, tool string) (request *scope.NameRequest, err error) {
	err = s.read(ctx, func(r *remit.Session) error {
		request = r.NameRequest(tool)
		return nil
	})
	return request, err
}

// nameAhead begins [Session.Name] for a result that was told, and returns at once.
func (s *Session) nameAhead(ctx context.Context) {
	planner, limit := s.monitor.Planner()
	if _, ok := planner.(scope.Namer); !ok || s.unplanned {
		return
	}
	go func() {
		ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*limit)
		defer stop()
		defer func() { _ = recover() }() // what panics here panics again in the decision, where its caller is told
		_ = s.Name(ctx, "")              // an error of the store shows in the next decision
	}()
}

// Delegated returns the sources that the user's last turn delegates to and that were
// read, each with the plan that the monitor's planner makes of it, or why there is none.
// Nothing is authorised by it: a person has to see the text and the plan, and
// [Session.Delegate] takes the agreement in.
func (s *Session) Delegated(ctx context.Context) ([]*remit.Delegation, error) {
	var list []*remit.Delegation
	var requests []*scope.Request
	err := s.read(ctx, func(r *remit.Session) error {
		list, requests = r.Delegated()
		return nil
	})
	if err != nil {
		return nil, err
	}

	// Concurrently: a person waits for the question.
	planner, limit := s.monitor.Planner()
	var plans sync.WaitGroup
	for i, r := range requests {
		if r != nil {
			plans.Go(func() { list[i].Planned(scope.Ask(ctx, planner, r, limit)) })
		}
	}
	plans.Wait()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("session %q: wait for the plan of a delegation: %w", s.id, err)
	}
	return list, nil
}

// Delegate adds a person's agreement to the plan of a delegation, with the text of the answer. It
// fails where the source differs from what the person was shown.
func (s *Session) Delegate(ctx context.Context, d *remit.Delegation, answer string) error {
	return s.step(ctx, func(r *remit.Session, _ int64) (remit.Event, error) { return r.Delegate(d, answer) })
}

// Covers reports whether the plan of a delegation would let a call through that was held
// back.
func (s *Session) Covers(ctx context.Context, d *remit.Delegation, held *remit.Decision) (covers bool, err error) {
	err = s.read(ctx, func(r *remit.Session) error {
		covers = r.Covers(d, held)
		return nil
	})
	return covers, err
}

// planRequest returns what the planner is to be shown; nil where it is not to be asked.
func (s *Session) planRequest(ctx context.Context) (request *scope.Request, err error) {
	err = s.read(ctx, func(r *remit.Session) (err error) {
		request, err = r.PlanRequest()
		return err
	})
	if planned(err) {
		return nil, nil
	}
	return request, err
}

// planned reports whether an error says that there is nothing to plan.
func planned(err error) bool {
	return errors.Is(err, remit.ErrPlanned) || errors.Is(err, remit.ErrNoTurn) ||
		errors.Is(err, remit.ErrLongTurn) || errors.Is(err, remit.ErrTurnPassed)
}

// PlanAhead begins [Session.Plan] and returns at once: the planner runs beside the
// model's own answer to the user. The turn's first call finds its scope, and waits for
// the rest of the planner's time at most. An error of the store shows
// there.
func (s *Session) PlanAhead(ctx context.Context) {
	planner, limit := s.monitor.Planner()
	if planner == nil {
		return
	}
	go func() {
		ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*limit)
		defer stop()
		_ = s.Plan(ctx)
	}()
}
