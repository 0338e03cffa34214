package api

import (
	"context"
	"errors"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/playground"
)

// play decides a conversation that a caller has written down, by contracts that are made from
// definitions. Nothing of it is kept.
func (s *Server) play(ctx context.Context, r *request) (reply, error) {
	var in struct {
		Tools        string `json:"tools"`
		Conversation string `json:"conversation"`
	}
	if err := decode(r, &in); err != nil {
		return reply{}, err
	}
	ctx, leave, err := s.replaying(ctx)
	if err != nil {
		return reply{}, err
	}
	defer leave()
	thinking, cancel := context.WithTimeout(ctx, playground.Time)
	defer cancel()
	played, err := playground.Play(thinking, in.Tools, in.Conversation)
	var mistake *playground.Mistake
	switch {
	case errors.As(err, &mistake):
		return reply{}, invalidRequest.errorf("%s", clip(mistake.Error()))
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return reply{}, invalidRequest.errorf("it takes longer than %s: write less", playground.Time)
	case err != nil:
		return reply{}, err
	}

	out := struct {
		Contracts []*contract.File `json:"contracts"`
		Events    []loggedEvent    `json:"events"`
	}{append([]*contract.File{}, played.Contracts...), []loggedEvent{}}
	for i := range played.Records {
		out.Events = append(out.Events, logged(&played.Records[i]))
	}
	return ok(out, nil)
}
