package api

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/explanation"
	"github.com/remit-project/remit/internal/protocol"
	"github.com/remit-project/remit/ledger"
)

func (s *Server) decide(ctx context.Context, r *request) (reply, error) {
	var in struct {
		remit.Call
		Lookups *[]answer `json:"lookups"`
	}
	if err := decode(r, &in); err != nil {
		return reply{}, err
	}
	session, err := s.open(ctx, r)
	if err != nil {
		return reply{}, err
	}
	if ctx, session, err = askCaller(ctx, r, session, in.Lookups); err != nil {
		return reply{}, err
	}
	d, err := s.decideIn(ctx, r, session, in.Call)
	return lookedUp(ctx, d, err)
}

// decideCall decides a call for every form of the API.
func (s *Server) decideCall(ctx context.Context, r *request, id string, c remit.Call) (*remit.Decision, error) {
	session, err := s.openID(ctx, r, id)
	if err != nil {
		return nil, err
	}
	return s.decideIn(ctx, r, session, c)
}

func (s *Server) decideIn(ctx context.Context, r *request, session *ledger.Session, c remit.Call) (*remit.Decision, error) {
	c.Arguments, c.Point = protocol.Arguments(c.Arguments), "api"
	began := time.Now()
	d, err := session.Decide(ctx, c)
	s.hub.wake(session.ID())
	if err == nil {
		s.noteDecision(r, d, began)
	}
	return d, err
}

// decisionReply returns the reply for a decision.
func decisionReply(d *remit.Decision, err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	return ok(decisionForm(d), nil)
}

func (s *Server) listDecisions(ctx context.Context, r *request) (reply, error) {
	p, from, info, err := s.pageOfLog(ctx, r)
	if err != nil {
		return reply{}, err
	}

	// They are all read before any is sent: a slow reader must not hold the store.
	decisions, next := written{list: []json.RawMessage{}}, ""
	for rec, err := range s.o.Store.Read(ctx, info.ID, from) {
		if err != nil {
			return reply{}, err
		}
		if rec.Decision == nil {
			continue
		}
		if decisions.ends(p.limit) {
			next = cursor(strconv.FormatInt(rec.Seq, 10))
			break
		}
		if err := decisions.add(decisionForm(rec.Decision)); err != nil {
			return reply{}, err
		}
	}

	return ok(struct {
		Decisions []json.RawMessage `json:"decisions"`
		Next      string            `json:"next,omitempty"`
	}{decisions.list, next}, nil)
}

// placedDecision is a decision as it is sent, with its position in the session's log.
type placedDecision struct {
	answer json.RawMessage
	seq    int64
}

// decisions reads the next decisions of a session from a log position on, and reports whether
// there may be more. It reads them all before any is sent: a slow reader must not hold the
// store.
func (s *Server) decisions(ctx context.Context, session string, from int64) (list []placedDecision, more bool, err error) {
	size := 0
	for rec, err := range s.o.Store.Read(ctx, session, from) {
		switch {
		case err != nil:
			return nil, false, err
		case rec.Decision == nil:
			continue
		}
		answer, err := encode(protocol.NewAnswer(rec.Decision))
		if err != nil {
			return nil, false, err
		}
		list = append(list, placedDecision{json.RawMessage(answer), rec.Seq})
		if size += len(answer); len(list) == streamBatch || size >= streamBytes {
			return list, true, nil
		}
	}
	return list, false, nil
}

func (s *Server) getDecision(ctx context.Context, r *request) (reply, error) {
	session, err := s.open(ctx, r)
	if err != nil {
		return reply{}, err
	}
	return decisionReply(session.Last(ctx, r.PathValue("call")))
}

func (s *Server) explain(ctx context.Context, r *request) (reply, error) {
	session, err := s.open(ctx, r)
	if err != nil {
		return reply{}, err
	}
	d, err := session.Last(ctx, r.PathValue("call"))
	if err != nil {
		return reply{}, err
	}
	return ok(explanation.OfSession(ctx, session, d))
}

func (s *Server) confirm(ctx context.Context, r *request) (reply, error) {
	var in struct {
		Call    string    `json:"call"`
		For     string    `json:"for"`
		Lookups *[]answer `json:"lookups"`
	}
	if err := decode(r, &in); err != nil {
		return reply{}, err
	}

	session, err := s.open(ctx, r)
	if err != nil {
		return reply{}, err
	}
	if ctx, session, err = askCaller(ctx, r, session, in.Lookups); err != nil {
		return reply{}, err
	}

	confirm := session.Confirm
	if in.For == "once" {
		confirm = session.ConfirmOnce
	}
	began := time.Now()
	d, err := confirm(ctx, in.Call)
	s.hub.wake(session.ID())
	if err == nil {
		s.noteDecision(r, d, began)
	}
	return lookedUp(ctx, d, err)
}
