package api

import (
	"context"
	"strconv"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/explanation"
	"github.com/remit-project/remit/internal/protocol"
)

func (s *Server) decide(ctx context.Context, r *request) (reply, error) {
	var in remit.Call
	if err := decode(r, &in); err != nil {
		return reply{}, err
	}
	return answered(s.decideCall(ctx, r, r.PathValue("session"), in))
}

// decideCall decides a call, whatever way it came.
func (s *Server) decideCall(ctx context.Context, r *request, id string, c remit.Call) (*remit.Decision, error) {
	session, err := s.openID(ctx, r, id)
	if err != nil {
		return nil, err
	}
	c.Arguments = protocol.Arguments(c.Arguments)
	began := time.Now()
	d, err := session.Decide(ctx, c)
	s.hub.wake(id)
	if err == nil {
		s.decided(r, d, began)
	}
	return d, err
}

// answered is the answer that a decision is.
func answered(d *remit.Decision, err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	return ok(decisionForm(d), nil)
}

func (s *Server) listDecisions(ctx context.Context, r *request) (reply, error) {
	p, err := pageOf(r)
	if err != nil {
		return reply{}, err
	}
	from := int64(0)
	if len(p.cursor) > 0 {
		if from, err = strconv.ParseInt(string(p.cursor), 10, 64); err != nil || from < 0 {
			return reply{}, errCursor
		}
	}

	info, err := s.reach(ctx, r.who, r.PathValue("session"))
	if err != nil {
		return reply{}, err
	}
	list, err := s.decisions(ctx, info.ID, from, p.limit+1)
	if err != nil {
		return reply{}, err
	}

	out := struct {
		Decisions []protocol.Answer `json:"decisions"`
		Next      string            `json:"next,omitempty"`
	}{Decisions: []protocol.Answer{}}
	for _, d := range list[:min(len(list), p.limit)] {
		out.Decisions = append(out.Decisions, d.Answer)
	}

	if len(list) > p.limit {
		out.Next = cursor(strconv.FormatInt(list[p.limit].seq, 10))
	}
	return ok(out, nil)
}

// placed is a decision with its place in the session's log.
type placed struct {
	protocol.Answer
	seq int64
}

// decisions reads decisions of a session from a place in its log on. They are
// read before any is sent: a slow reader must not hold the store.
func (s *Server) decisions(ctx context.Context, session string, from int64, limit int) ([]placed, error) {
	var list []placed
	for rec, err := range s.o.Store.Read(ctx, session, from) {
		if err != nil {
			return nil, err
		}
		if rec.Decision != nil {
			list = append(list, placed{protocol.NewAnswer(rec.Decision), rec.Seq})
		}
		if len(list) == limit {
			break
		}
	}
	return list, nil
}

func (s *Server) getDecision(ctx context.Context, r *request) (reply, error) {
	session, err := s.open(ctx, r)
	if err != nil {
		return reply{}, err
	}
	return answered(session.Last(ctx, r.PathValue("call")))
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
	var failed error
	e := explanation.Of(d, func(origin string) (string, bool) {
		text, ok, err := session.Text(ctx, origin)
		if err != nil {
			failed = err
		}
		return text, ok && err == nil
	})
	return ok(e, failed)
}

func (s *Server) confirm(ctx context.Context, r *request) (reply, error) {
	var in struct {
		Call string `json:"call"`
		For  string `json:"for"`
	}
	if err := decode(r, &in); err != nil {
		return reply{}, err
	}

	session, err := s.open(ctx, r)
	if err != nil {
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
		s.decided(r, d, began)
	}
	return answered(d, err)
}
