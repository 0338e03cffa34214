package api

import (
	"context"
	"encoding/json"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/definitions"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
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
	return nil, notFound.errorf("there are no contracts of a server with this name: check the name of the server")
}

func errNoTool() error {
	return notFound.errorf("the contracts of the server have no such tool: check the name of the tool")
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
		return reply{}, errNoTool()
	}
	return ok(t, nil)
}

// getDefinition answers with what a server has changed about the definition of a tool.
func (s *Server) getDefinition(_ context.Context, r *request) (reply, error) {
	server, tool := r.PathValue("server"), r.PathValue("tool")
	f, err := s.contract(server)
	if err != nil {
		return reply{}, err
	}
	kept, err := s.o.Desk.Files.Definitions(server)
	if err != nil {
		return reply{}, unavailable.errorf("%s", clip(err.Error()))
	}
	d, known := kept[tool]
	if _, found := f.Tool(tool); !found || !known {
		return reply{}, errNoTool()
	}

	out := struct {
		definitions.Tool
		Changes []definitions.Part `json:"changes"`
		Speaks  []string           `json:"speaks"`
	}{d, []definitions.Part{}, []string{}}
	if !d.Changed() {
		return ok(out, nil)
	}
	if now, _ := schema.ParseEach(server, []json.RawMessage{d.Present.Text}, schema.Parse); len(now.Tools) == 1 {
		out.Speaks = append(out.Speaks, synth.Instructions(&now.Tools[0])...)
	}
	if len(d.Reviewed.Text) == 0 || len(d.Present.Text) == 0 {
		return ok(out, nil)
	}
	parts, err := definitions.Compare(*d.Reviewed, *d.Present)
	if err != nil {
		return reply{}, unavailable.errorf("%s", clip(err.Error()))
	}
	for _, p := range parts {
		if !p.Same {
			out.Changes = append(out.Changes, p)
		}
	}
	return ok(out, nil)
}
