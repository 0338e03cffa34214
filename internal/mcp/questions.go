package mcp

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/store"
)

// questions keep the questions that clients of the generation without sessions
// come back to with the answer.
type questions interface {
	// put keeps a question about a call of the session, for as long as it may be
	// answered, and returns the name by which the client comes back to it.
	put(ctx context.Context, s *ledger.Session, d *remit.Decision) (name string, err error)
	// settle takes an answer, once. It returns errNoQuestion where no question of
	// that session and about that very call is open by that name.
	settle(ctx context.Context, s *ledger.Session, a comeback) (ledger.Answer, error)
}

// errNoQuestion is returned for an answer to a question that isn't open.
var errNoQuestion = errors.New("there is no such question, or its time has passed")

// comeback is the answer of a client that came back with one.
type comeback struct {
	// name is the question's, session the id of the session.
	name, session string
	// call is the call as it is made now, without an id.
	call remit.Call
	// yes is set only when a person clearly agreed, and extent says how far; no when a
	// person refused, and did not only close the question.
	yes, no bool
	extent  store.Extent
}

// about reports whether the answer is about the call that was decided: in the same
// session, the same tool of the same server, with the same arguments.
func (a *comeback) about(d *remit.Decision) bool {
	if d.Session != a.session || d.Server != a.call.Server || cmp.Or(d.Through, d.Tool) != a.call.Tool {
		return false
	}
	raw := a.call.Arguments
	if len(raw) == 0 {
		raw = []byte("{}")
	}
	doc, err := strictjson.Parse(raw, strictjson.DefaultLimits())
	return err == nil && string(doc.Canonical()) == string(d.Arguments)
}

// unconfirmed returns the decision on a call to which a person did not agree.
func (a *comeback) unconfirmed(d *remit.Decision) *remit.Decision {
	if a.no {
		return refused(d)
	}
	return d
}

// queued are questions in the queue of a store.
type queued struct{ queue *ledger.Queue }

func (q queued) put(ctx context.Context, s *ledger.Session, d *remit.Decision) (string, error) {
	asked, err := q.queue.Put(ctx, s, d)
	return asked.ID, err
}

func (q queued) settle(ctx context.Context, s *ledger.Session, a comeback) (ledger.Answer, error) {
	asked, err := q.queue.Approvals.Approval(ctx, a.name)
	if err == nil && (asked.Session != a.session || !a.about(asked.Decision)) {
		err = store.ErrNotFound
	}
	if err == nil && asked.State == store.Pending {
		// A person may have answered in the queue meanwhile.
		asked, err = q.queue.Approvals.Answer(ctx, a.name, store.Answer{Approve: a.yes, Extent: a.extent, By: byClient})
	}

	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrSettled):
		return ledger.Answer{}, errNoQuestion
	case err != nil:
		return ledger.Answer{}, err
	case asked.State != store.Approved && asked.State != store.Denied:
		return ledger.Answer{}, errNoQuestion
	case !a.yes:
		return ledger.Answer{Decisions: []*remit.Decision{a.unconfirmed(asked.Decision)}}, nil
	}
	return q.queue.Use(ctx, s, asked)
}

// maxWaiting is how many questions wait in memory for clients that must come back
// with the answer: they may never.
const maxWaiting = 10_000

// waiting are questions in memory, for a gateway without a store.
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

func (w *waiting) put(_ context.Context, _ *ledger.Session, d *remit.Decision) (string, error) {
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.calls, func(_ string, h held) bool { return now.After(h.expires) })
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

func (w *waiting) settle(ctx context.Context, s *ledger.Session, a comeback) (ledger.Answer, error) {
	w.mu.Lock()
	h, ok := w.calls[a.name]
	delete(w.calls, a.name)
	w.mu.Unlock()

	if !ok || !a.about(h.d) || time.Now().After(h.expires) {
		return ledger.Answer{}, errNoQuestion
	}
	if !a.yes {
		return ledger.Answer{Decisions: []*remit.Decision{a.unconfirmed(h.d)}}, nil
	}
	return agree(ctx, s, h.d, a.extent)
}

// statePrefix begins the request states that are the gateway's own.
const statePrefix = "remit:"

// carried are the members of a call that a server asked for before the gateway
// did. They travel with the gateway's own state, since the client has them anyway.
var carried = []string{"requestState", "inputResponses"}

// state returns what the client comes back with: the question's name, and what the server had
// asked before.
func state(name string, params json.RawMessage) string {
	earlier := []byte(`{}`)
	for _, member := range carried {
		if v := strictjson.Get(params, member); v != nil {
			earlier = strictjson.Set(earlier, member, v)
		}
	}
	return statePrefix + name + ":" + base64.RawURLEncoding.EncodeToString(earlier)
}

// answeredParams takes the answer to the gateway's own question out of the params of
// a call. It returns the params as they go on, and the answer, which is to no
// question when the client has changed the state.
func answeredParams(m *wire.Message) (rest json.RawMessage, a comeback) {
	own := strings.TrimPrefix(m.ParamText("requestState"), statePrefix)
	rest = strictjson.Remove(strictjson.Remove(m.Params, "requestState"), "inputResponses")
	name, encoded, _ := strings.Cut(own, ":")
	earlier, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		return rest, comeback{}
	}
	doc, err := strictjson.Parse(earlier, strictjson.DefaultLimits())
	if err != nil {
		return rest, comeback{}
	}

	a.name = name
	answer := m.Param("inputResponses", questionKey)
	yes, extent := approved(answer, 1)
	a.yes, a.extent = yes[0], extent
	a.no = !a.yes && answeredForm(answer)
	for _, member := range carried {
		if v := doc.Root().Get(member); v.Exists() {
			rest = strictjson.Set(rest, member, v.Raw())
		}
	}
	return rest, a
}
