package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
	"unicode/utf8"
)

// questions is the queue of questions over a store that settles one at a time.
type questions struct {
	scribe
	hub *hub
	// listen makes the answers of other replicas heard; nil when there are none.
	listen func()
	// poll is how often a waiting question looks for an answer that it didn't hear of.
	poll time.Duration
	// find returns a question as it is kept. settle changes one, unless another caller does, and
	// says so in the audit log: change returns the entry's kind, or an error that leaves
	// everything as it is; an empty kind does the same without an error.
	find   func(ctx context.Context, id string) (Approval, error)
	settle func(ctx context.Context, id string, request *Settlement, change func(*Approval) (Kind, error)) (Approval, error)
}

// Approval implements [Approvals].
func (s *questions) Approval(ctx context.Context, id string) (Approval, error) {
	if err := checkID("approval id", id); err != nil {
		return Approval{}, err
	}
	a, err := s.find(ctx, id)
	if err == nil && a.State == Pending && !s.now().Before(a.Expires) {
		a.State = Expired
	}
	return a, failed("approval "+id, err)
}

// Answer implements [Approvals].
func (s *questions) Answer(ctx context.Context, id string, answer Answer) (Approval, error) {
	extent := Extent("")
	if answer.Approve {
		if extent = answer.Extent; extent == "" {
			extent = Once
		}
		if extent != Once && extent != ForSession && extent != Always {
			return Approval{}, fmt.Errorf("%w: an approval is for %s, the %s or %s, not for %q", ErrInvalid, Once, ForSession, Always, extent)
		}
	}

	if err := checkNotes(answer.By, answer.Why, answer.From); err != nil {
		return Approval{}, err
	}

	return s.settle(ctx, id, answer.Settles, func(a *Approval) (Kind, error) {
		if err := s.open(a); err != nil {
			return "", err
		}
		if err := answer.choose(a); err != nil {
			return "", err
		}
		a.State, a.Extent, a.By, a.Why, a.from = Denied, extent, answer.By, answer.Why, answer.From
		if answer.Approve {
			a.State = Approved
		}
		return AnsweredEntry, nil
	})
}

// checkNotes holds what is said of an answer to its bound.
func checkNotes(texts ...string) error {
	for _, t := range texts {
		if len(t) > MaxNote || !utf8.ValidString(t) {
			return fmt.Errorf("%w: who answers, why and from where is text of at most %d bytes", ErrInvalid, MaxNote)
		}
	}
	return nil
}

// choose writes down which calls of the question an approval is for.
func (answer *Answer) choose(a *Approval) error {
	ids := map[string]bool{}
	for _, c := range a.Calls() {
		ids[c.Decision.Call] = true
	}
	for _, id := range answer.Calls {
		if !ids[id] {
			return fmt.Errorf("%w: the question is not about the call %q", ErrInvalid, id)
		}
	}

	switch {
	case !answer.Approve || len(a.More) == 0:
		return nil
	case len(answer.Calls) == 0:
		return fmt.Errorf("%w: the question is about %d calls: name those that are agreed to", ErrInvalid, len(ids))
	case answer.Extent == Always:
		return fmt.Errorf("%w: an answer about several calls is for %s or the %s", ErrInvalid, Once, ForSession)
	}
	a.Agreed = slices.Clone(answer.Calls)
	return nil
}

// open reports why a question can't be answered any more; nil when it can.
func (s *questions) open(a *Approval) error {
	if a.State == Cancelled {
		return fmt.Errorf("%w: %w", ErrSettled, a.withdrawn())
	}
	if a.State != Pending {
		return fmt.Errorf("%w: it is %s", ErrSettled, a.State)
	}
	if !s.now().Before(a.Expires) {
		return fmt.Errorf("%w: it is %s", ErrSettled, Expired)
	}
	return nil
}

// withdrawn says that nobody acts on an answer any more.
func (a *Approval) withdrawn() error {
	if a.Why == "" {
		return errors.New("the agent no longer waits for an answer")
	}
	return fmt.Errorf("the agent no longer waits for an answer: %s", a.Why)
}

// whyEnded is why the questions of a session that has ended are withdrawn.
const whyEnded = "its session has ended"

// Claim implements [Approvals].
func (s *questions) Claim(ctx context.Context, id string, arguments Hash) (Approval, error) {
	return s.settle(ctx, id, nil, func(a *Approval) (Kind, error) {
		switch {
		case a.State != Approved:
			return "", fmt.Errorf("%w: it is %s", ErrSettled, a.State)
		case !s.now().Before(a.Expires):
			return "", fmt.Errorf("%w: it is %s", ErrSettled, Expired)
		case a.Arguments != arguments:
			return "", fmt.Errorf("%w: it is for another call", ErrSettled)
		}
		a.State = Used
		return UsedEntry, nil
	})
}

// Cancel implements [Approvals].
func (s *questions) Cancel(ctx context.Context, id, why string) error {
	if err := checkNotes(why); err != nil {
		return err
	}
	_, err := s.settle(ctx, id, nil, func(a *Approval) (Kind, error) {
		if a.State != Pending {
			return "", nil
		}
		a.State, a.Why = Cancelled, why
		return CancelledEntry, nil
	})
	return err
}

// expire notes that a question was not answered in time.
func (s *questions) expire(ctx context.Context, id string) (Approval, error) {
	return s.settle(ctx, id, nil, func(a *Approval) (Kind, error) {
		if a.State != Pending {
			return "", nil
		}
		a.State = Expired
		return ExpiredEntry, nil
	})
}

// Wait implements [Approvals].
func (s *questions) Wait(ctx context.Context, id string) (Approval, error) {
	if s.listen != nil {
		s.listen()
	}
	woken, stop := s.hub.wait(id)
	defer stop()

	for {
		a, err := s.Approval(ctx, id)
		switch {
		case err != nil:
			return Approval{}, err
		case a.State == Expired && a.Settled.IsZero():
			return s.expire(ctx, id)
		case a.State != Pending:
			return a, nil
		}
		timer := time.NewTimer(min(s.poll, max(a.Expires.Sub(s.now()), time.Millisecond)))
		select {
		case <-ctx.Done():
			timer.Stop()
			return Approval{}, fmt.Errorf("approval %s: %w", id, ctx.Err())
		case <-woken:
			timer.Stop()
		case <-timer.C:
		}
	}
}

// hub wakes the callers that wait for a question in this process.
type hub struct {
	mu      sync.Mutex
	waiting map[string][]chan struct{}
}

func newHub() *hub { return &hub{waiting: map[string][]chan struct{}{}} }

// wait returns a channel that is woken when the question is settled, and a
// function that ends the waiting.
func (h *hub) wait(id string) (<-chan struct{}, func()) {
	c := make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()

	h.waiting[id] = append(h.waiting[id], c)
	return c, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		list := h.waiting[id]
		for i := range list {
			if list[i] == c {
				list = append(list[:i], list[i+1:]...)
				break
			}
		}
		if len(list) == 0 {
			delete(h.waiting, id)
			return
		}
		h.waiting[id] = list
	}
}

func (h *hub) wake(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.waiting[id] {
		select {
		case c <- struct{}{}:
		default: // it is awake already
		}
	}
}

func (h *hub) wakeAll() {
	h.mu.Lock()
	ids := make([]string, 0, len(h.waiting))
	for id := range h.waiting {
		ids = append(ids, id)
	}
	h.mu.Unlock()
	for _, id := range ids {
		h.wake(id)
	}
}
