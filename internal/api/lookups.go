package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/ledger"
)

// answer is what a caller looked up for the rules of a call.
type answer struct {
	ID         string          `json:"id"`
	Content    string          `json:"content"`
	Structured json.RawMessage `json:"structured"`
	Error      string          `json:"error"`
}

// question is a look-up that a rule needs.
type question struct {
	ID        string          `json:"id"`
	Server    string          `json:"server,omitempty"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// caller looks things up by the answers that a request brought. It implements
// [guard.Reader].
type caller struct {
	name string

	mu    sync.Mutex
	given map[string]answer // those that were not asked for yet
	used  map[string]answer
	asked []question // those without an answer
}

// errAsked is why a look-up has no answer: the caller is asked for it.
var errAsked = errors.New("the caller is asked for it")

// newCaller returns the reader of a request's answers, or a problem with them.
func newCaller(r *request, given []answer) (*caller, error) {
	if !r.who.May(access.EventsWrite) {
		return nil, forbidden.errorf("who answers look-ups needs the scope %s", access.EventsWrite)
	}
	c := &caller{name: r.who.Name, given: map[string]answer{}, used: map[string]answer{}}
	for _, a := range given {
		if _, twice := c.given[a.ID]; twice {
			return nil, invalidRequest.errorf("the look-up %q is answered twice", clip(a.ID))
		}
		c.given[a.ID] = a
	}
	return c, nil
}

// Read returns the answer to a look-up, or asks for it.
func (c *caller) Read(_ context.Context, server, tool string, arguments json.RawMessage) (*guard.Result, error) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %s", server, tool, arguments))
	q := question{hex.EncodeToString(sum[:12]), server, tool, arguments}
	c.mu.Lock()
	defer c.mu.Unlock()

	if a, ok := c.given[q.ID]; ok {
		delete(c.given, q.ID)
		c.used[q.ID] = a
	}
	a, ok := c.used[q.ID]
	switch {
	case !ok:
		if !slices.ContainsFunc(c.asked, func(had question) bool { return had.ID == q.ID }) {
			c.asked = append(c.asked, q)
		}
		return nil, errAsked
	case a.Error != "":
		return nil, fmt.Errorf("the agent could not make it: %q", a.Error)
	}

	return &guard.Result{Content: a.Content, Structured: a.Structured, From: "caller:" + c.name}, nil
}

// complete returns an error unless all look-ups have an answer, and all answers a
// look-up.
func (c *caller) complete() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.asked) > 0 {
		return errAsked
	}
	for id := range c.given {
		return conflict.errorf("no rule asks for the look-up %q of this call now", clip(id))
	}
	return nil
}

// requestCallers is the reader of the callers of requests, who are in their contexts.
type requestCallers struct{}

type callerKey struct{}

// Callers looks things up with the callers of requests that say they answer look-ups.
// Monitors of a [Server] have it, alone or after other readers.
func Callers() guard.Reader { return requestCallers{} }

// Read asks the caller of the request that ctx is for.
func (requestCallers) Read(ctx context.Context, server, tool string, arguments json.RawMessage) (*guard.Result, error) {
	c, ok := ctx.Value(callerKey{}).(*caller)
	if !ok {
		return nil, fmt.Errorf("the caller doesn't answer look-ups, and %w", guard.ErrUnreached)
	}
	return c.Read(ctx, server, tool, arguments)
}

// askCaller lets a request's caller be asked for look-ups, where the request says that it
// answers them: given is not nil. Nothing is decided while answers are missing.
func askCaller(ctx context.Context, r *request, session *ledger.Session, given *[]answer) (context.Context, *ledger.Session, error) {
	if given == nil {
		return ctx, session, nil
	}
	c, err := newCaller(r, *given)
	if err != nil {
		return nil, nil, err
	}
	return context.WithValue(ctx, callerKey{}, c), session.Unless(c.complete), nil
}

// lookedUp returns the reply for a decision that may ask for look-ups first.
func lookedUp(ctx context.Context, d *remit.Decision, err error) (reply, error) {
	c, ok := ctx.Value(callerKey{}).(*caller)
	if !ok || !errors.Is(err, errAsked) {
		return decisionReply(d, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return reply{status: http.StatusAccepted, body: struct {
		Lookups []question `json:"lookups"`
	}{c.asked}}, nil
}
