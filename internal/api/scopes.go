package api

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/scope"
)

// turnScope is what a turn of the user's authorises.
type turnScope struct {
	// Calls counts the entries that hold, and Refused says why others don't.
	Calls   int             `json:"calls"`
	Refused []scope.Refusal `json:"refused,omitempty"`
	// Scope is the scope as it was written; absent where there is none.
	Scope json.RawMessage `json:"scope,omitempty"`
	// Planned says what the planner was shown, or why there is no scope; absent where
	// the caller gave it.
	Planned *scope.Planned `json:"planned,omitempty"`
}

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
	out, err := readScope(ctx, session, &remit.Event{Scope: in.Scope})
	if err != nil {
		return reply{}, err
	}
	r.made = &reply{status: http.StatusOK, body: out}
	_, _, err = session.Scope(ctx, in.Scope)
	return *r.made, err
}

func (s *Server) getScope(ctx context.Context, r *request) (reply, error) {
	session, err := s.open(ctx, r)
	if err != nil {
		return reply{}, err
	}
	e, err := session.LastScope(ctx)
	if err != nil {
		return reply{}, err
	}
	if e == nil {
		return reply{}, notFound.errorf("the user's last turn has no scope: nobody has given one, and no planner has written one yet")
	}
	return ok(readScope(ctx, session, e))
}

// readScope reads the scope of an event as the session does.
func readScope(ctx context.Context, session *ledger.Session, e *remit.Event) (*turnScope, error) {
	out := &turnScope{Scope: e.Scope, Planned: e.Planned}
	if len(e.Scope) == 0 {
		return out, nil
	}
	parsed, refused, err := session.CheckScope(ctx, e.Scope)
	if err != nil {
		return nil, err
	}
	out.Calls, out.Refused = len(parsed.Calls), refused
	return out, nil
}
