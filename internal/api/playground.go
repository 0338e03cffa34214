package api

import (
	"context"
	"encoding/json"
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

	data, err := encodePlayed(played)
	return ok(data, err)
}

// encodePlayed writes a decided conversation, up to the bound of a page: what is said of a value is many times
// its size. It is written while the request has its place among the replays, which bound how
// many are in memory.
func encodePlayed(p playground.Played) (kept, error) {
	contracts, err := encode(append([]*contract.File{}, p.Contracts...))
	if err != nil {
		return nil, err
	}
	var events written
	for i := range p.Records {
		if err := events.add(logged(&p.Records[i])); err != nil {
			return nil, err
		}
		if events.size > pageBytes {
			return nil, invalidRequest.errorf("what comes of it is longer than %d MiB: write less", pageBytes>>20)
		}
	}
	return encode(played{json.RawMessage(contracts), append([]json.RawMessage{}, events.list...)})
}

// played is the reply to a conversation.
type played struct {
	Contracts json.RawMessage   `json:"contracts"`
	Events    []json.RawMessage `json:"events"`
}
