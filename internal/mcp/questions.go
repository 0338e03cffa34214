package mcp

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/rawjson"
	"github.com/remit-project/remit/internal/strictjson"
)

// Questions keep the questions that clients of the generation without sessions
// come back to with the answer.
type Questions interface {
	// Put keeps a question about a call of the session, for as long as it may be
	// answered, and returns the name by which the client comes back to it.
	Put(ctx context.Context, s Session, d *remit.Decision) (name string, err error)
	// Settle takes an answer, once. It is [ErrNoQuestion] where no question of
	// that session and about that very call stands open by that name.
	Settle(ctx context.Context, s Session, a Answer) (Consent, error)
}

// ErrNoQuestion is returned for an answer to no question that stands.
var ErrNoQuestion = errors.New("there is no such question, or its time has passed")

// Answer is what a client came back with.
type Answer struct {
	// Name is the question's, Session the id of the session.
	Name, Session string
	// Call is the call as it is made now, without an id.
	Call remit.Call
	// Yes is set only when a person clearly agreed, and For says how far.
	Yes bool
	For Extent
}

// About tells whether the answer is about the call that was decided: in the same
// session, the same tool of the same server, with the same arguments.
func (a Answer) About(d *remit.Decision) bool {
	if d.Session != a.Session || d.Server != a.Call.Server || cmp.Or(d.Through, d.Tool) != a.Call.Tool {
		return false
	}
	raw := a.Call.Arguments
	if len(raw) == 0 {
		raw = []byte("{}")
	}
	doc, err := strictjson.Parse(raw, strictjson.DefaultLimits())
	return err == nil && string(doc.Canonical()) == string(d.Arguments)
}

// maxWaiting is how many questions wait in memory for clients that must come back
// with the answer: they may never.
const maxWaiting = 10_000

// waiting are the questions of a gateway without a store.
type waiting struct {
	life time.Duration

	mu    sync.Mutex
	calls map[string]held
}

// held is a call that waits for its answer.
type held struct {
	d       *remit.Decision
	expires time.Time
}

// Put implements [Questions].
func (w *waiting) Put(_ context.Context, _ Session, d *remit.Decision) (string, error) {
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	for name, h := range w.calls {
		if now.After(h.expires) {
			delete(w.calls, name)
		}
	}
	if len(w.calls) >= maxWaiting {
		return "", errors.New("too many questions are waiting")
	}
	if w.calls == nil {
		w.calls = map[string]held{}
	}
	name := rand.Text()
	w.calls[name] = held{d, now.Add(w.life)}
	return name, nil
}

// Settle implements [Questions].
func (w *waiting) Settle(ctx context.Context, s Session, a Answer) (Consent, error) {
	w.mu.Lock()
	h, ok := w.calls[a.Name]
	delete(w.calls, a.Name)
	w.mu.Unlock()
	if !ok || !a.About(h.d) || time.Now().After(h.expires) {
		return Consent{}, ErrNoQuestion
	}
	if !a.Yes {
		return Consent{Decision: h.d}, nil
	}
	after, err := s.Agree(ctx, h.d)
	return Consent{after, a.For, byClient}, err
}

// statePrefix begins the request states that are the gateway's own.
const statePrefix = "remit:"

// carried are the members of a call that a server asked for before the gateway
// did. They travel with the gateway's own state, since the client has them anyway.
var carried = []string{"requestState", "inputResponses"}

// state is what the client comes back with: the question's name, and what the
// server had asked before.
func state(name string, params json.RawMessage) string {
	earlier := []byte(`{}`)
	for _, member := range carried {
		if v := rawjson.Get(params, member); v != nil {
			earlier = rawjson.Set(earlier, member, v)
		}
	}
	return statePrefix + name + ":" + base64.RawURLEncoding.EncodeToString(earlier)
}

// answeredParams takes the answer to the gateway's own question out of the params of a
// call. It returns the params as they go on, and the answer; mine tells whether
// there was one.
func answeredParams(params json.RawMessage) (rest json.RawMessage, a Answer, mine bool) {
	own, mine := strings.CutPrefix(rawjson.GetText(params, "requestState"), statePrefix)
	if !mine {
		return params, a, false
	}
	a.Yes, a.For = approved(rawjson.Get(params, "inputResponses", questionKey))
	rest = rawjson.Remove(rawjson.Remove(params, "requestState"), "inputResponses")
	name, encoded, _ := strings.Cut(own, ":")
	a.Name = name
	earlier, err := base64.RawURLEncoding.DecodeString(encoded)
	if _, bad := strictjson.Parse(earlier, strictjson.DefaultLimits()); err != nil || bad != nil {
		return rest, Answer{}, true
	}
	for _, member := range carried {
		if v := rawjson.Get(earlier, member); v != nil {
			rest = rawjson.Set(rest, member, v)
		}
	}
	return rest, a, true
}
