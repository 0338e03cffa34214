package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/store"
)

// approvals is the hub topic of every approval question.
const approvalsTopic = ""

func (s *Server) ask(ctx context.Context, r *request) (reply, error) {
	var in struct {
		Call string   `json:"call"`
		More []string `json:"more"`
	}
	if err := decode(r, &in); err != nil {
		return reply{}, err
	}

	session, err := s.open(ctx, r)
	if err != nil {
		return reply{}, err
	}
	var held []*remit.Decision
	for _, call := range append([]string{in.Call}, in.More...) {
		d, err := session.Last(ctx, call)
		if err != nil {
			return reply{}, err
		}
		if d.Verdict != remit.Ask {
			return reply{}, conflict.errorf("the verdict of call %q is %s: only what was held back can be asked about", call, d.Verdict)
		}
		held = append(held, d)
	}

	a, err := s.queue.Put(ctx, session, held...)
	s.hub.wake(approvalsTopic)
	return approvalReply(a), err
}

// approvalReply returns the reply for a question: created if it is still open, OK
// if it is settled.
func approvalReply(a store.Approval) reply {
	if a.State == store.Pending {
		return reply{status: http.StatusCreated, location: "/v1/approvals/" + a.ID, body: a}
	}
	return reply{status: http.StatusOK, body: a}
}

// turn encodes a question's place in the queue; parseTurn decodes it.
func turn(a *store.Approval) string {
	return strconv.FormatInt(a.Created.UnixMicro(), 10) + "-" + a.ID
}

func parseTurn(text string) (store.Turn, error) {
	created, id, ok := strings.Cut(text, "-")
	n, err := strconv.ParseInt(created, 10, 64)
	if !ok || err != nil {
		return store.Turn{}, errCursor
	}
	return store.Turn{Created: time.UnixMicro(n), ID: id}, nil
}

func (s *Server) listApprovals(ctx context.Context, r *request) (reply, error) {
	p, err := parsePage(r)
	if err != nil {
		return reply{}, err
	}
	var after store.Turn
	if len(p.cursor) > 0 {
		if after, err = parseTurn(string(p.cursor)); err != nil {
			return reply{}, err
		}
	}

	list, err := s.o.Store.PendingOf(ctx, sessionsFor(r.who), after, p.limit+1)
	if err != nil {
		return reply{}, err
	}

	out := struct {
		Approvals []store.Approval `json:"approvals"`
		Next      string           `json:"next,omitempty"`
	}{Approvals: append([]store.Approval{}, list[:min(len(list), p.limit)]...)}
	if len(list) > p.limit {
		out.Next = cursor(turn(&list[p.limit-1]))
	}
	return ok(out, nil)
}

// question reads the question that a request names, if the caller's scopes reach
// its session.
func (s *Server) question(ctx context.Context, r *request) (store.Approval, error) {
	a, err := s.o.Store.Approval(ctx, r.PathValue("approval"))
	if err == nil {
		_, err = s.reach(ctx, r.who, a.Session)
	}
	var p *problem
	absent := errors.Is(err, store.ErrNotFound) || (errors.As(err, &p) && p.kind == notFound)
	switch {
	case absent:
		return store.Approval{}, notFound.errorf("there is no question with this id that the token reaches: check the id of the question, and that the token has sessions:any where the session is another principal's")
	case err != nil:
		return store.Approval{}, err
	}
	return a, nil
}

func (s *Server) getApproval(ctx context.Context, r *request) (reply, error) {
	a, err := s.question(ctx, r)
	if err != nil {
		return reply{}, err
	}
	seconds, _ := strconv.Atoi(r.URL.Query().Get("wait")) // the description has made sure of it
	if seconds == 0 || a.State != store.Pending {
		return ok(s.asked(a), nil)
	}
	wait, cancel := context.WithTimeout(ctx, time.Duration(seconds)*time.Second)
	defer cancel()
	stop := context.AfterFunc(s.stopping, cancel)
	defer stop()
	settled, err := s.o.Store.Wait(wait, a.ID)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		settled, err = s.question(ctx, r)
	}
	return ok(s.asked(settled), err)
}

// asked is a question as callers read it, with how far a yes would reach while it waits.
type asked struct {
	store.Approval
	Reaches []reach `json:"reaches,omitempty"`
}

// reach is how far a yes reaches.
type reach struct {
	Extent store.Extent `json:"for"`
	Words  string       `json:"words"`
	// Entry is what the server's contract file gets for always, below the tool, and File that
	// file, where it is known here.
	Entry string `json:"entry,omitempty"`
	File  string `json:"file,omitempty"`
}

func (s *Server) asked(a store.Approval) asked {
	out := asked{Approval: a}
	if a.State != store.Pending || len(a.More) > 0 { // several calls are agreed to once
		return out
	}
	for _, r := range mcp.Reaches(&a) {
		one := reach{Extent: r.Extent, Words: r.Words}
		if r.Extent == store.Always {
			if entry, err := mcp.Approval(a.Decision); err == nil {
				one.Entry, one.File = entry.Entry(), s.o.Desk.Files.File(a.Decision.Server)
			}
		}
		out.Reaches = append(out.Reaches, one)
	}
	return out
}

func (s *Server) answer(ctx context.Context, r *request) (reply, error) {
	var in struct {
		Answer string       `json:"answer"`
		Calls  []string     `json:"calls"`
		For    store.Extent `json:"for"`
		Why    string       `json:"why"`
	}
	if err := decode(r, &in); err != nil {
		return reply{}, err
	}
	a, err := s.question(ctx, r)
	if err != nil {
		return reply{}, err
	}
	a, err = s.o.Store.Answer(ctx, a.ID, store.Answer{Approve: in.Answer == "approve", Calls: in.Calls, Extent: in.For, By: r.who.Name, Why: in.Why, From: "decision API " + r.RemoteAddr, Settles: r.settles})
	s.hub.wake(approvalsTopic)
	return approvalReply(a), err
}

func (s *Server) useApproval(ctx context.Context, r *request) (reply, error) {
	a, err := s.question(ctx, r)
	if err != nil {
		return reply{}, err
	}
	session, err := s.openID(ctx, r, a.Session)
	if err != nil {
		return reply{}, err
	}
	if a.State == store.Pending {
		return reply{}, conflict.errorf("nobody has answered yet: wait for the question to be settled")
	}

	if len(a.More) > 0 {
		session = session.Settling(nil) // no step of it has the whole reply
	}
	began := time.Now()
	used, err := s.queue.Use(ctx, session, a)
	for _, d := range used.Decisions {
		s.noteDecision(r, d, began)
	}

	s.hub.wake(a.Session)
	s.hub.wake(approvalsTopic)
	if err != nil {
		return reply{}, err
	}
	if used.Failed != nil {
		s.o.Log.Error("what a person agreed to could not be noted", "session", a.Session, "error", used.Failed)
	}
	if len(used.Decisions) == 1 {
		return decisionReply(used.Decisions[0], nil)
	}
	out := make([]any, len(used.Decisions))
	for i, d := range used.Decisions {
		out[i] = decisionForm(d)
	}
	return ok(map[string]any{"decisions": out}, nil)
}

// whyWithdrawn is why a question of this API is closed without an answer.
const whyWithdrawn = "it has withdrawn the question"

func (s *Server) withdraw(ctx context.Context, r *request) (reply, error) {
	a, err := s.question(ctx, r)
	if err != nil {
		return reply{}, err
	}
	if err := s.o.Store.Cancel(ctx, a.ID, whyWithdrawn); err != nil {
		return reply{}, err
	}
	s.hub.wake(approvalsTopic)
	return ok(s.question(ctx, r))
}
