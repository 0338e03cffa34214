package store

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/remit-project/remit"
)

// MaxMemorySessions is how many sessions a [Memory] keeps when its Max doesn't
// say. A further one is refused: to forget a session is to forget its labels.
const MaxMemorySessions = 10_000

// Memory keeps the logs of sessions for as long as the process runs. It implements
// [Logs] and nothing else: it has no audit log, no queue of questions, no labels of
// resources and no requests, and it can't be shared by replicas. Of decisions other
// than [remit.Ask] it drops the findings, which nothing reads again. The zero
// value is ready for use.
type Memory struct {
	// Max bounds the sessions; [MaxMemorySessions] when zero.
	Max int
	// Now is the clock of [SessionInfo]; [time.Now] when nil.
	Now func() time.Time

	mu       sync.Mutex
	sessions map[string]*memorySession
}

var _ Logs = (*Memory)(nil)

// memoryEntry is what is kept of a [Record].
type memoryEntry struct {
	event    remit.Event
	decision *remit.Decision
}

type memorySession struct {
	info    SessionInfo
	entries []memoryEntry
}

func (m *Memory) now() time.Time {
	if m.Now != nil {
		return m.Now()
	}
	return time.Now()
}

// begin makes a session. The caller holds the lock.
func (m *Memory) begin(id, principal string) (*memorySession, error) {
	most := m.Max
	if most == 0 {
		most = MaxMemorySessions
	}
	if len(m.sessions) >= most {
		return nil, fmt.Errorf("session %q: there are %d sessions in memory already: restart, or use a store", id, most)
	}

	if m.sessions == nil {
		m.sessions = map[string]*memorySession{}
	}
	now := m.now()
	s := &memorySession{info: SessionInfo{ID: id, Principal: principal, Begun: now, Active: now}}
	m.sessions[id] = s
	return s, nil
}

// Append implements [Logs].
func (m *Memory) Append(ctx context.Context, session string, expected int64, records ...Record) error {
	if err := checkAppend(session, expected, records); err != nil {
		return err
	}
	if slices.ContainsFunc(records, func(r Record) bool { return r.Settles != nil }) {
		return fmt.Errorf("append to session %q: %w: memory keeps no requests", session, ErrInvalid)
	}
	if err := ctx.Err(); err != nil {
		return err
	}

	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[session]
	length := int64(0)
	if s != nil {
		length = s.info.Length
	}
	if length != expected {
		return &ConflictError{session, expected, length}
	}
	if s == nil {
		var err error
		if s, err = m.begin(session, ""); err != nil {
			return err
		}
	}

	for _, r := range records {
		e := memoryEntry{event: r.Event}
		if r.Decision != nil {
			own := *r.Decision // the caller may change its decision
			if own.Verdict != remit.Ask {
				own.Findings = nil
			}
			e.decision = &own
		}
		s.entries = append(s.entries, e)
		s.info.Length++
	}
	s.info.Active = m.now()
	return nil
}

// AppendRelaxed implements [Logs].
func (m *Memory) AppendRelaxed(ctx context.Context, session string, expected int64, records ...Record) error {
	return m.Append(ctx, session, expected, records...)
}

// Read implements [Logs].
func (m *Memory) Read(ctx context.Context, session string, from int64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		entries, err := m.read(ctx, session, from)
		if err != nil {
			yield(Record{}, err)
			return
		}
		for i, e := range entries {
			if !yield(Record{Seq: from + int64(i), Event: e.event, Decision: e.decision}, nil) {
				return
			}
		}
	}
}

// read returns the entries of a session, which are never changed.
func (m *Memory) read(ctx context.Context, session string, from int64) ([]memoryEntry, error) {
	if err := checkID("session id", session); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}

	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[session]
	if s == nil || from >= s.info.Length {
		return nil, nil
	}
	return s.entries[from:], nil
}

// Session implements [Logs].
func (m *Memory) Session(_ context.Context, id string) (SessionInfo, error) {
	if err := checkID("session id", id); err != nil {
		return SessionInfo{}, err
	}

	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[id]
	if s == nil {
		return SessionInfo{}, fmt.Errorf("session %q: %w", id, ErrNotFound)
	}
	return s.info, nil
}

// Create implements [Logs]. It refuses tools, which it doesn't keep.
func (m *Memory) Create(_ context.Context, c Creation) (SessionInfo, error) {
	if err := c.check(); err != nil {
		return SessionInfo{}, err
	}
	if len(c.Tools) > 0 || c.Settles != nil {
		return SessionInfo{}, fmt.Errorf("create session %q: %w: memory keeps neither tools nor requests", c.ID, ErrInvalid)
	}

	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sessions[c.ID] != nil {
		return SessionInfo{}, fmt.Errorf("create session %q: %w", c.ID, ErrExists)
	}
	s, err := m.begin(c.ID, c.Principal)
	if err != nil {
		return SessionInfo{}, err
	}
	return s.info, nil
}
