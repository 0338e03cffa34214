package api

import (
	"context"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/store"
)

func (s *Server) listContracts(context.Context, *request) (reply, error) {
	return ok(struct {
		Contracts []*contract.File `json:"contracts"`
	}{append([]*contract.File{}, s.o.Desk.Files.List()...)}, nil)
}

func (s *Server) contract(server string) (*contract.File, error) {
	for _, f := range s.o.Desk.Files.List() {
		if f.Server == server {
			return f, nil
		}
	}
	return nil, store.ErrNotFound
}

func (s *Server) getContract(_ context.Context, r *request) (reply, error) {
	return ok(s.contract(r.PathValue("server")))
}

func (s *Server) getToolContract(_ context.Context, r *request) (reply, error) {
	f, err := s.contract(r.PathValue("server"))
	if err != nil {
		return reply{}, err
	}
	t, found := f.Tool(r.PathValue("tool"))
	if !found {
		return reply{}, store.ErrNotFound
	}
	return ok(t, nil)
}
