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
	select {
	case v.planning <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("session %q: wait for the plan of the turn: %w", s.id, ctx.Err())
	}
	defer func() { <-v.planning }()

	request, err := s.planRequest(ctx)
	if request == nil {
		return err
	}
	plan, failed := scope.Ask(ctx, planner, request, limit)
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("session %q: wait for the plan of the turn: %w", s.id, err)
	}

	own := *s
	own.settles = nil // the plan is not a reply to the request that the session is used for
	err = own.step(ctx, func(r *remit.Session, _ int64) (remit.Event, error) {
		return r.Planned(request, plan, failed)
	})
	if planned(err) || errors.Is(err, store.ErrEnded) {
		return nil // another replica has it, or the user has spoken again
	}
	return err
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
	select {
	case v.naming <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("session %q: wait for the names of the turn's scope: %w", s.id, ctx.Err())
	}
	defer func() { <-v.naming }()

	own := *s
	own.settles = nil // an answer is not a reply to the request that the session is used for
	return scope.EachNaming(ctx, namer, limit, next, func(r *scope.NameRequest, naming *scope.Naming, failed error) error {
		err := own.step(ctx, func(rs *remit.Session, _ int64) (remit.Event, error) { return rs.Named(r, naming, failed) })
		if planned(err) || errors.Is(err, store.ErrEnded) {
			return nil // another replica has it, or the user has spoken again
		}
		return err
	})
}

// nameRequest returns what the planner is to be asked next about names; nil for nothing.
func (s *Session) nameRequest(ctx context.Context, tool string) (*scope.NameRequest, error) {
	v, release, err := s.ledger.hold(ctx, s.id)
	if err != nil {
		return nil, fmt.Errorf("session %q: %w", s.id, err)
	}
	defer release()
	if _, err := s.refresh(ctx, v); err != nil {
		return nil, err
	}
	return v.session.NameRequest(tool), nil
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
	v, release, err := s.ledger.hold(ctx, s.id)
	if err != nil {
		return nil, fmt.Errorf("session %q: %w", s.id, err)
	}
	_, err = s.refresh(ctx, v)
	if err != nil {
		release()
		return nil, err
	}
	list, requests := v.session.Delegated()
	release()

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
func (s *Session) Covers(ctx context.Context, d *remit.Delegation, held *remit.Decision) (bool, error) {
	v, release, err := s.ledger.hold(ctx, s.id)
	if err != nil {
		return false, fmt.Errorf("session %q: %w", s.id, err)
	}
	defer release()
	if _, err := s.refresh(ctx, v); err != nil {
		return false, err
	}
	return v.session.Covers(d, held), nil
}

// planRequest returns what the planner is to be shown; nil where it is not to be asked.
func (s *Session) planRequest(ctx context.Context) (*scope.Request, error) {
	v, release, err := s.ledger.hold(ctx, s.id)
	if err != nil {
		return nil, fmt.Errorf("session %q: %w", s.id, err)
	}
	defer release()
	if _, err := s.refresh(ctx, v); err != nil {
		return nil, err
	}
	request, err := v.session.PlanRequest()
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
