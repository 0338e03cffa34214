package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/sighting"
)

// Session is one conversation of an agent as the decision point keeps it.
// Its methods are called from several goroutines.
type Session interface {
	Decide(ctx context.Context, c remit.Call) (*remit.Decision, error)
	// Agree notes that a person agreed to this decision, for the one call, and
	// decides it again. Reasons that the decision doesn't have are not settled.
	Agree(ctx context.Context, d *remit.Decision) (*remit.Decision, error)
	Result(ctx context.Context, r remit.Result) error
	// Text and Last are what questions show of the session.
	sighting.Session
	// Attach adds external text that reaches the model.
	Attach(ctx context.Context, name, text string) error
	// Principal says for whom the agent works, for the rules that ask.
	Principal(ctx context.Context, p guard.Principal) error
	// Duties are those that the session's calls brought and that are open.
	Duties(ctx context.Context) ([]guard.OpenDuty, error)
}

// Sessions finds sessions by their id. An id that was used before continues
// its session; two ids never share one.
type Sessions interface {
	// Open returns a session whose calls are decided by m from now on. It is the
	// principal's that opened it first, and [ErrNotYours] for any other. The empty
	// principal is whoever runs the gateway, and is not refused.
	Open(ctx context.Context, m *remit.Monitor, id, principal string) (Session, error)
}

// Approver brings a question to a person by another way than the client: a
// queue, a console.
type Approver interface {
	// Ask returns when the person has answered.
	Ask(ctx context.Context, s Session, d *remit.Decision) (Consent, error)
}

// Person is an [Approver] that asks by a function. It must return false, or an
// error, whenever the person did not clearly agree.
type Person func(ctx context.Context, d *remit.Decision) (yes bool, reach Extent, err error)

// byClient is who answered where a client says that a person did.
const byClient = "the client"

// Ask implements [Approver].
func (p Person) Ask(ctx context.Context, s Session, d *remit.Decision) (Consent, error) {
	yes, reach, err := p(ctx, d)
	if err != nil || !yes {
		return Consent{Decision: d}, err
	}
	after, err := s.Agree(ctx, d)
	return Consent{after, reach, byClient}, err
}

// ErrNotYours is returned for a session of another principal.
var ErrNotYours = errors.New("the session belongs to another principal")

// MaxMemorySessions is how many sessions a [Memory] keeps. One more is refused:
// forgetting one would be forgetting its labels.
const MaxMemorySessions = 10_000

// Memory keeps sessions for as long as the process runs. The zero value is
// ready for use.
type Memory struct {
	mu       sync.Mutex
	sessions map[string]*memorySession
}

// Open implements [Sessions].
func (k *Memory) Open(ctx context.Context, m *remit.Monitor, id, principal string) (Session, error) {
	k.mu.Lock()
	s, ok := k.sessions[id]
	if !ok {
		if len(k.sessions) >= MaxMemorySessions {
			k.mu.Unlock()
			return nil, fmt.Errorf("there are %d sessions already: restart the gateway, or give it a store", MaxMemorySessions)
		}
		if k.sessions == nil {
			k.sessions = map[string]*memorySession{}
		}
		s = &memorySession{id: id, principal: principal}
		k.sessions[id] = s
	}
	k.mu.Unlock()
	if principal != "" && s.principal != principal {
		return nil, ErrNotYours
	}
	return s, s.use(ctx, m)
}

// memorySession is a session with its log, from which it is made again when the
// contracts change.
type memorySession struct {
	id        string
	principal string

	mu      sync.Mutex
	monitor *remit.Monitor
	session *remit.Session
	log     []remit.Event
}

func (s *memorySession) use(ctx context.Context, m *remit.Monitor) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.monitor == m {
		return nil
	}
	session, err := m.Restore(ctx, s.id, func(yield func(remit.Event, error) bool) {
		for _, e := range s.log {
			if !yield(e, nil) {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	s.monitor, s.session = m, session
	return nil
}

// Decide implements [Session].
func (s *memorySession) Decide(ctx context.Context, c remit.Call) (*remit.Decision, error) {
	if c.ID == "" {
		return nil, errors.New("a call without an id")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.session.Decide(ctx, c)
	if err == nil {
		s.note(remit.Event{Kind: remit.CallEvent, Call: &c, Verdict: d.Verdict, Facts: d.Facts})
	}
	return d, err
}

// Agree implements [Session].
func (s *memorySession) Agree(ctx context.Context, shown *remit.Decision) (*remit.Decision, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.session.ConfirmOnce(ctx, shown.Call)
	if err == nil {
		s.note(remit.Event{Kind: remit.ConfirmationEvent, Call: &remit.Call{ID: shown.Call}, Once: true, Verdict: d.Verdict, Facts: d.Facts})
	}
	return d, err
}

// Result implements [Session].
func (s *memorySession) Result(ctx context.Context, r remit.Result) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.session.Result(ctx, r)
	if err == nil {
		s.note(remit.Event{Kind: remit.ResultEvent, Result: &r})
	}
	return err
}

// Text implements [sighting.Session].
func (s *memorySession) Text(_ context.Context, origin string) (string, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, ok := s.session.Text(origin)
	return text, ok, nil
}

// Last implements [sighting.Session]. Of the decision it has the call alone.
func (s *memorySession) Last(_ context.Context, call string) (*remit.Decision, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range slices.Backward(s.log) {
		if e.Kind == remit.CallEvent && e.Call.ID == call {
			return &remit.Decision{Session: s.id, Call: call, Server: e.Call.Server, Tool: e.Call.Tool, Arguments: e.Call.Arguments, Verdict: e.Verdict}, nil
		}
	}
	return nil, remit.ErrUnknownCall
}

// Attach implements [Session].
func (s *memorySession) Attach(_ context.Context, name, text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session.Attach(name, text)
	s.note(remit.Event{Kind: remit.AttachmentEvent, Name: name, Text: text})
	return nil
}

// Principal implements [Session].
func (s *memorySession) Principal(_ context.Context, p guard.Principal) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session.Principal(p)
	s.note(remit.Event{Kind: remit.PrincipalEvent, Principal: &p})
	return nil
}

// Duties implements [Session].
func (s *memorySession) Duties(context.Context) ([]guard.OpenDuty, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.session.Duties(), nil
}

func (s *memorySession) note(e remit.Event) {
	e.Time = time.Now()
	s.log = append(s.log, e)
}
