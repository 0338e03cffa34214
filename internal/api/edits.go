package api

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/policydoc/desk"
	"github.com/remit-project/remit/internal/revise"
	"github.com/remit-project/remit/scope"
)

const (
	// maxReplays bounds how many requests decide recorded calls again at once, and
	// replayTime each of them.
	maxReplays = 2
	replayTime = 20 * time.Second

	// maxContract bounds a contract or a guard file that a caller brings, and maxContracts all
	// of a request: reading one takes many times its size.
	maxContract  = 1 << 20
	maxContracts = 4 << 20
)

// edited is an edit as callers see it.
type edited struct {
	*revise.Proposal
	Laxer   bool            `json:"laxer"`
	Changes []string        `json:"changes"`
	Outcome *revise.Outcome `json:"outcome,omitempty"`
}

func editedForm(p *revise.Proposal, o *revise.Outcome) edited {
	out := edited{Proposal: p, Laxer: p.Laxer(), Changes: []string{}, Outcome: o}
	for _, c := range p.Changes {
		out.Changes = append(out.Changes, c.String())
	}
	return out
}

// readEdit reads what a request changes.
func readEdit(r *request) (revise.Edit, error) {
	var e revise.Edit
	err := decode(r, &e)
	e.Server, e.Tool = r.PathValue("server"), r.PathValue("tool")
	return e, err
}

// refusals are the kinds of problem that the errors of both desks are: that of contracts and that
// of policies.
var refusals = []struct {
	err  error
	kind kind
}{
	{revise.ErrNone, notFound}, {desk.ErrNone, notFound},
	{revise.ErrMoved, conflict}, {desk.ErrMoved, conflict},
	{revise.ErrReadOnly, forbidden}, {desk.ErrReadOnly, forbidden},
	{revise.ErrSetting, invalidRequest}, {desk.ErrReview, invalidRequest},
	{revise.ErrBroken, unavailable}, {desk.ErrBroken, unavailable}, // of files: where and what
}

// refusal returns what callers are told of what a desk refuses.
func refusal(err error) error {
	for _, r := range refusals {
		if errors.Is(err, r.err) {
			return r.kind.errorf("%s", clip(err.Error()))
		}
	}
	return err
}

// replaying counts a request that decides recorded calls again, and bounds its time.
func (s *Server) replaying(ctx context.Context) (context.Context, func(), error) {
	select {
	case s.replays <- struct{}{}:
	default:
		return nil, nil, tooMany.errorf("%d replays are running: wait for one", maxReplays).setHeader("Retry-After", "5")
	}
	ctx, cancel := context.WithTimeout(ctx, replayTime)
	return ctx, func() { cancel(); <-s.replays }, nil
}

// checkContract decides recorded calls of a tool again with an edit of its contract.
func (s *Server) checkContract(ctx context.Context, r *request) (reply, error) {
	e, err := readEdit(r)
	if err != nil {
		return reply{}, err
	}
	ctx, leave, err := s.replaying(ctx)
	if err != nil {
		return reply{}, err
	}
	defer leave()
	p, o, err := s.o.Desk.Check(ctx, sessionsFor(r.who), e)
	if err != nil {
		return reply{}, refusal(err)
	}
	return ok(editedForm(p, o), nil)
}

// editContract writes an edit to the contract's file.
func (s *Server) editContract(ctx context.Context, r *request) (reply, error) {
	e, err := readEdit(r)
	if err != nil {
		return reply{}, err
	}
	p, err := s.o.Desk.Write(ctx, e, *r.who, "api "+r.RemoteAddr)
	if err != nil {
		return reply{}, refusal(err)
	}
	return ok(editedForm(p, nil), nil)
}

// whatIf decides the calls of a session again with other contracts, guards and scopes.
func (s *Server) whatIf(ctx context.Context, r *request) (reply, error) {
	ctx, leave, err := s.replaying(ctx)
	if err != nil {
		return reply{}, err
	}
	defer leave()

	var in struct {
		Contracts []string   `json:"contracts"`
		Guards    []string   `json:"guards"`
		Scopes    scope.Mode `json:"scopes"`
	}
	if err := decode(r, &in); err != nil {
		return reply{}, err
	}
	info, err := s.reach(ctx, r.who, r.PathValue("session"))
	if err != nil {
		return reply{}, err
	}
	setting := revise.Setting{Scopes: in.Scopes}
	if err := measure(in.Contracts, in.Guards); err != nil {
		return reply{}, err
	}
	if setting.Contracts, err = readEach(ctx, "contract", in.Contracts, contract.Load); err != nil {
		return reply{}, err
	}
	if setting.Guards, err = readEach(ctx, "guard", in.Guards, func(name string, data []byte) (*guard.File, error) { return guard.Load(name, data) }); err != nil {
		return reply{}, err
	}
	out, err := s.o.Desk.WhatIf(ctx, info.ID, setting)
	if err != nil {
		return reply{}, refusal(err)
	}
	return ok(out, nil)
}

// measure bounds the files that a caller brings, before any of them is read.
func measure(lists ...[]string) error {
	all := 0
	for _, text := range slices.Concat(lists...) {
		if all += len(text); len(text) > maxContract || all > maxContracts {
			return requestTooLarge.errorf("at most %d bytes a file are accepted, and %d of all", maxContract, maxContracts)
		}
	}
	return nil
}

// readEach reads the files of a kind that a caller brings.
func readEach[T any](ctx context.Context, kind string, texts []string, load func(name string, data []byte) (T, error)) ([]T, error) {
	var out []T
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f, err := load(fmt.Sprintf("%s %d", kind, i+1), []byte(text))
		if err != nil {
			return nil, invalidRequest.errorf("%s", clip(err.Error()))
		}
		out = append(out, f)
	}
	return out, nil
}
