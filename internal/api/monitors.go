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
	// maxMonitors bounds the cached monitors, one for each set of tools; maxKnown
	// bounds the sessions whose set is cached. Eviction is arbitrary and costs
	// only time.
	maxMonitors = 256
	maxKnown    = 10_000
)

// toolset identifies the tools that a session was created with.
type toolset [sha256.Size]byte

// monitors caches the monitors of sessions: sessions with the same tools share
// one.
type monitors struct {
	build func([]*schema.Catalogue) (*remit.Monitor, error)

	mu    sync.Mutex
	made  map[toolset]*agent
	known map[string]toolset // by session
}

// agent decides the calls of a session's agent.
type agent struct {
	monitor *remit.Monitor
	// unseen decides when the model may see text that the caller doesn't report.
	// It equals monitor if the session was created so; declared is true if the
	// session said either.
	unseen   *remit.Monitor
	declared bool
}

func newMonitors(build func([]*schema.Catalogue) (*remit.Monitor, error)) *monitors {
	return &monitors{build: build, made: map[toolset]*agent{}, known: map[string]toolset{}}
}

// agentFor returns the agent of a session.
func (k *monitors) agentFor(ctx context.Context, from store.Principals, session string) (*agent, error) {
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
	if m, err = k.newAgent(tools); err != nil {
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

// newAgent returns the agent for the data that a session was created with; nil if
// there is none.
func (k *monitors) newAgent(tools json.RawMessage) (*agent, error) {
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
		return nil, invalidRequest.errorf("%s", clip(err.Error()))
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

// creation is what a session is created with; the store keeps it.
type creation struct {
	Tools      json.RawMessage `json:"tools,omitempty"`
	UnseenUser *bool           `json:"unseen_user,omitempty"`
}

// text returns the stored form: the tools alone if nothing else was set.
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
		return c, invalidRequest.errorf("%s", plain(err))
	}
	return c, nil
}

// parseTools parses the tools of a session's creation.
func parseTools(tools json.RawMessage) ([]*schema.Catalogue, error) {
	if len(tools) == 0 {
		return nil, nil
	}
	var list []struct {
		Server string          `json:"server"`
		Tools  json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(tools, &list); err != nil {
		return nil, invalidRequest.errorf("%s", plain(err))
	}

	var catalogues []*schema.Catalogue
	for _, l := range list {
		if slices.ContainsFunc(catalogues, func(c *schema.Catalogue) bool { return c.Server == l.Server }) {
			return nil, invalidRequest.errorf("the tools of the server %q stand twice", clip(l.Server))
		}
		c, err := schema.Parse(l.Server, l.Tools)
		if err != nil {
			return nil, invalidRequest.errorf("%s", clip(err.Error()))
		}
		c.Server = l.Server // with a dot in it too
		catalogues = append(catalogues, c)
	}

	return catalogues, nil
}

// dropOne evicts an arbitrary entry of a cache.
func dropOne[K comparable, V any](m map[K]V) {
	for key := range m {
		delete(m, key)
		return
	}
}
