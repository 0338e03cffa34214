package api

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/explanation"
	"github.com/remit-project/remit/scope"
)

func (s *Server) giveScope(ctx context.Context, r *request) (reply, error) {
	var in struct {
		Scope json.RawMessage `json:"scope"`
	}
	if err := decode(r, &in); err != nil {
		return reply{}, err
	}
	session, err := s.open(ctx, r)
	if err != nil {
		return reply{}, err
	}

	// What the request's write keeps as its reply has to be known before.
	out, err := explanation.OfScope(ctx, session, &remit.Event{Scope: in.Scope})
	if err != nil {
		return reply{}, err
	}
	r.made = &reply{status: http.StatusOK, body: out}
	_, _, err = session.Scope(ctx, in.Scope)
	return *r.made, err
}

func (s *Server) getDelegations(ctx context.Context, r *request) (reply, error) {
	session, err := s.open(ctx, r)
	if err != nil {
		return reply{}, err
	}
	list, err := explanation.OfDelegations(ctx, session)
	return ok(map[string]any{"delegations": list}, err)
}

func (s *Server) agreeToPlan(ctx context.Context, r *request) (reply, error) {
	var in struct {
		Plan      json.RawMessage `json:"plan"`
		Delegated scope.Delegated `json:"delegated"`
		Answer    string          `json:"answer"`
	}
	if err := decode(r, &in); err != nil {
		return reply{}, err
	}
	session, err := s.open(ctx, r)
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusNoContent}, session.Delegate(ctx, explanation.Agreed(in.Plan, in.Delegated), in.Answer)
}

func (s *Server) getScope(ctx context.Context, r *request) (reply, error) {
	session, err := s.open(ctx, r)
	if err != nil {
		return reply{}, err
	}
	turn, err := explanation.OfTurn(ctx, session)
	if err == nil && turn == nil {
		err = notFound.errorf("the user's last turn has no scope: nobody has given one, and no planner has written one yet")
	}
	return ok(turn, err)
}
