// Package inquire makes the look-ups of rules with MCP servers that it reaches by
// connections of its own, for enforcement points that have none to the agent's tools.
//
// A server is started, or reached, when something is first looked up, and again when its
// connection has ended. It is asked for its tools and for calls, and is offered nothing.
package inquire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/mcp/upstream"
)

// Server is a server to look things up with.
type Server struct {
	// Name is the one that contracts and rules call it by.
	Name string
	// Connect links to it.
	Connect func(to upstream.Receiver) (upstream.Link, error)
}

// Servers look things up. It implements [guard.Reader], and is safe for concurrent use.
type Servers struct {
	clients []*client
}

// New returns a reader by servers; version is the program's. Nothing is started yet.
func New(servers []Server, version string) *Servers {
	s := &Servers{}
	for _, one := range servers {
		s.clients = append(s.clients, newClient(one, version))
	}
	return s
}

// Read implements [guard.Reader]. It calls the tool of the server of that name; without
// such a server, the tool of the only server that has one of its name. The error is
// [guard.ErrUnreached] where no server has it.
func (s *Servers) Read(ctx context.Context, server, tool string, arguments json.RawMessage) (*guard.Result, error) {
	c, err := s.find(ctx, server, tool)
	if err != nil {
		return nil, err
	}
	result, err := c.read(ctx, tool, arguments)
	if err != nil {
		return nil, fmt.Errorf("server %s: %w", c.server.Name, err)
	}
	return result, nil
}

// find returns the client of the server that has a tool.
func (s *Servers) find(ctx context.Context, server, tool string) (*client, error) {
	for _, c := range s.clients {
		if c.server.Name == server {
			return c, nil
		}
	}

	has := make([]bool, len(s.clients))
	errs := make([]error, len(s.clients))
	var work sync.WaitGroup
	for i, c := range s.clients {
		work.Go(func() { has[i], errs[i] = c.offers(ctx, tool) })
	}
	work.Wait()

	var found []*client
	var names []string
	for i, c := range s.clients {
		if errs[i] != nil {
			errs[i] = fmt.Errorf("server %s: %w", c.server.Name, errs[i])
		}
		if has[i] {
			found, names = append(found, c), append(names, c.server.Name)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, fmt.Errorf("the servers %s have the tool, and none of them is called %q", strings.Join(names, " and "), server)
	case errors.Join(errs...) != nil:
		return nil, errors.Join(errs...)
	}
	return nil, fmt.Errorf("none of the servers has it, and %w", guard.ErrUnreached)
}

// Chain is readers of which each is for the tools that those before it can't call. It
// implements [guard.Reader].
type Chain []guard.Reader

// Read asks one reader after the other.
func (c Chain) Read(ctx context.Context, server, tool string, arguments json.RawMessage) (*guard.Result, error) {
	err := guard.ErrUnreached
	for _, r := range c {
		var result *guard.Result
		if result, err = r.Read(ctx, server, tool, arguments); !errors.Is(err, guard.ErrUnreached) {
			return result, err
		}
	}
	return nil, err
}

// Close ends all connections.
func (s *Servers) Close(ctx context.Context) error {
	var errs []error
	for _, c := range s.clients {
		errs = append(errs, c.close(ctx))
	}
	return errors.Join(errs...)
}
