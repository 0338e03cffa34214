package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"sync"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/store"
)

const (
	// maxMonitors bounds the monitors that are kept made, one for each set of
	// tools, and maxKnown the sessions whose set is known without asking the
	// store. Beyond them any one is dropped and costs only time.
	maxMonitors = 256
	maxKnown    = 10_000
)

// toolset identifies the tools that sessions were created with.
type toolset [sha256.Size]byte

// monitors keeps the monitors of sessions: sessions of the same agent have the
// same tools, and share one.
type monitors struct {
	build func([]*schema.Catalogue) (*remit.Monitor, error)

	mu    sync.Mutex
	made  map[toolset]*agent
	known map[string]toolset // by session
}

// agent is what is known of the agent of a session: who decides its calls.
type agent struct {
	monitor *remit.Monitor
	// unseen decides where not everything that the model sees comes here. It is
	// monitor where the session was created so; declared tells that it said either.
	unseen   *remit.Monitor
	declared bool
}

func newMonitors(build func([]*schema.Catalogue) (*remit.Monitor, error)) *monitors {
	return &monitors{build: build, made: map[toolset]*agent{}, known: map[string]toolset{}}
}

// of returns the agent of a session.
func (k *monitors) of(ctx context.Context, from store.Principals, session string) (*agent, error) {
	k.mu.Lock()
	m := k.made[k.known[session]]
	k.mu.Unlock()
	if m != nil {
		return m, nil
	}

	tools, err := from.Tools(ctx, session)
	if err != nil {
		return nil, err
	}
	if m, err = k.make(tools); err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()

	if len(k.known) >= maxKnown {
		dropOne(k.known)
	}
	k.known[session] = sha256.Sum256(tools)
	return m, nil
}

// make returns the agent that a session is created with; nil for one that says
// nothing.
func (k *monitors) make(tools json.RawMessage) (*agent, error) {
	id := toolset(sha256.Sum256(tools))
	k.mu.Lock()
	m := k.made[id]
	k.mu.Unlock()
	if m != nil {
		return m, nil
	}

	said, err := readCreation(tools)
	if err != nil {
		return nil, err
	}
	catalogues, err := parseTools(said.Tools)
	if err != nil {
		return nil, err
	}
	built, err := k.build(catalogues)
	if err != nil {
		return nil, invalidRequest.of("%s", clip(err.Error()))
	}
	m = &agent{monitor: built, unseen: built.Unseen(), declared: said.UnseenUser != nil}
	if m.declared && *said.UnseenUser {
		m.monitor = m.unseen
	}
	k.mu.Lock()
	defer k.mu.Unlock()

	if other := k.made[id]; other != nil {
		return other, nil // another request made it meanwhile
	}
	if len(k.made) >= maxMonitors {
		dropOne(k.made)
	}
	k.made[id] = m
	return m, nil
}

// creation is what a session is created with, and the store keeps for it.
type creation struct {
	Tools      json.RawMessage `json:"tools,omitempty"`
	UnseenUser *bool           `json:"unseen_user,omitempty"`
}

// text is the form in which the store keeps it: the tools alone, where nothing
// else was said.
func (c creation) text() (json.RawMessage, error) {
	if c.UnseenUser == nil {
		return c.Tools, nil
	}
	return json.Marshal(c)
}

func readCreation(kept json.RawMessage) (creation, error) {
	var c creation
	if text := bytes.TrimSpace(kept); len(text) == 0 || text[0] == '[' {
		return creation{Tools: kept}, nil
	}
	if err := json.Unmarshal(kept, &c); err != nil {
		return c, invalidRequest.of("%s", plain(err))
	}
	return c, nil
}

// parseTools reads tools as a session is created with.
func parseTools(tools json.RawMessage) ([]*schema.Catalogue, error) {
	if len(tools) == 0 {
		return nil, nil
	}
	var list []struct {
		Server string          `json:"server"`
		Tools  json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(tools, &list); err != nil {
		return nil, invalidRequest.of("%s", plain(err))
	}

	var catalogues []*schema.Catalogue
	for _, l := range list {
		if slices.ContainsFunc(catalogues, func(c *schema.Catalogue) bool { return c.Server == l.Server }) {
			return nil, invalidRequest.of("the tools of the server %q stand twice", clip(l.Server))
		}
		c, err := schema.Parse(l.Server, l.Tools)
		if err != nil {
			return nil, invalidRequest.of("%s", clip(err.Error()))
		}
		c.Server = l.Server // with a dot in it too
		catalogues = append(catalogues, c)
	}

	return catalogues, nil
}

// dropOne drops any one entry of a cache.
func dropOne[K comparable, V any](m map[K]V) {
	for key := range m {
		delete(m, key)
		return
	}
}
