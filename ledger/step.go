package ledger

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/store"
)

// add is a step that decides nothing.
func (s *Session) add(ctx context.Context, e remit.Event) error {
	return s.step(ctx, func(*remit.Session, int64) (remit.Event, error) { return e, nil })
}

// step is a step whose event is known before it is taken.
func (s *Session) step(ctx context.Context, propose func(r *remit.Session, seq int64) (remit.Event, error)) error {
	return s.take(ctx, func(v *live, write func(store.Record) error) error {
		at := s.ledger.now()
		e, err := propose(v.session, v.seq)
		if err != nil {
			return err
		}
		e.Time = at
		if err := write(store.Record{Event: e}); err != nil {
			return err
		}
		return v.replay(context.WithoutCancel(ctx), e)
	})
}

// take runs a step on the session as it is: the step writes a record, and then
// takes it into the session in memory. While it does, no other step of this
// session runs in this process; that none came between in another one is what the
// append makes sure of.
func (s *Session) take(ctx context.Context, step func(v *live, write func(store.Record) error) error) error {
	v, release, err := s.ledger.hold(ctx, s.id)
	if err != nil {
		return fmt.Errorf("session %q: %w", s.id, err)
	}
	defer release()
	for range MaxTries {
		current, err := s.fresh(ctx, v)
		if err != nil {
			return err
		}

		tried, written := false, false
		err = step(v, func(r store.Record) error {
			tried = true
			r.Settles = s.settles
			err := s.write(ctx, v.seq, r)
			if err == nil {
				v.seq++
				written = true
			}
			return err
		})
		var conflict *store.ConflictError
		switch {
		case err == nil:
			return nil
		case !tried:
			if current || ctx.Err() != nil || errors.Is(err, errUnseen) {
				return err
			}
			v.behind = true // the log may know what the session in memory doesn't
		case written:
			v.forget() // the session in memory is not what the log says
			return err
		case errors.As(err, &conflict) && conflict.Actual > v.seq:
			v.behind = true
		case errors.Is(err, store.ErrConflict):
			v.forget() // the log is not the one that was read
		default:
			v.forget() // it may have been written
			return err
		}
	}
	return fmt.Errorf("session %q: %w, %d times in a row", s.id, ErrContended, MaxTries)
}

// write appends a record. What a call returned need not wait for the disk, since
// its absence is noticed; everything else must.
func (s *Session) write(ctx context.Context, seq int64, r store.Record) error {
	if r.Event.Kind == remit.ResultEvent {
		return s.ledger.store.AppendRelaxed(ctx, s.id, seq, r)
	}
	return s.ledger.store.Append(ctx, s.id, seq, r)
}

// replay takes events of the log into the session in memory.
func (v *live) replay(ctx context.Context, events ...remit.Event) error {
	err := v.session.Replay(ctx, func(yield func(remit.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	})
	if err != nil {
		v.forget()
	}
	return err
}

// fresh makes the session in memory what the log says, as far as it is known to
// be otherwise, and tells whether it has just read the log.
func (s *Session) fresh(ctx context.Context, v *live) (current bool, err error) {
	m := s.monitor()
	switch {
	case m == nil:
		return false, fmt.Errorf("session %q: there is no monitor", s.id)
	case v.session == nil, v.monitor != m:
		return true, s.restore(ctx, v, m)
	case !v.behind:
		return false, nil
	}
	n := v.seq
	if err := v.session.Replay(ctx, s.events(ctx, &n, nil)); err != nil {
		v.forget()
		return false, err
	}
	v.seq, v.behind = n, false
	return true, nil
}

// restore makes the session from its log.
func (s *Session) restore(ctx context.Context, v *live, m *remit.Monitor) error {
	for range MaxTries {
		v.forget()
		n, unsure := int64(0), calls{}
		session, err := m.Restore(ctx, s.id, s.events(ctx, &n, &unsure))
		if err != nil {
			return err
		}
		v.session, v.monitor, v.seq = session, m, n
		events, err := s.lost(ctx, v, unsure)
		if err != nil {
			return err
		}
		if err = s.mark(ctx, v, events); !errors.Is(err, store.ErrConflict) {
			return err
		}
	}
	v.forget()
	return fmt.Errorf("session %q: %w, %d times in a row", s.id, ErrContended, MaxTries)
}

// events reads the log from n on, counting, and notes the calls in it.
func (s *Session) events(ctx context.Context, n *int64, c *calls) iter.Seq2[remit.Event, error] {
	return func(yield func(remit.Event, error) bool) {
		for rec, err := range s.ledger.store.Read(ctx, s.id, *n) {
			if err == nil && c != nil {
				c.note(&rec)
			}
			if !yield(rec.Event, err) {
				return
			}
			*n++
		}
	}
}

// calls are those of a log that were let through before the machine started
// anew and have no result.
type calls []string

func (c *calls) note(r *store.Record) {
	switch e := &r.Event; {
	case e.Kind == remit.ResultEvent && e.Result != nil:
		*c = slices.DeleteFunc(*c, func(id string) bool { return id == e.Result.Call })
	case r.Restarted && e.Verdict == remit.Allow && e.Call != nil && !slices.Contains(*c, e.Call.ID):
		*c = append(*c, e.Call.ID)
	}
}

// lost are the events that stand for results that may have been lost with the
// power after the model had seen them: an empty result, which has the origins of
// its tool and of what that kept, and a text that anybody may have written.
func (s *Session) lost(ctx context.Context, v *live, list calls) ([]remit.Event, error) {
	var events []remit.Event
	for _, id := range list {
		stored, err := s.ledger.found(ctx, v.session, id)
		if err != nil {
			v.forget()
			return nil, err
		}
		events = append(events,
			remit.Event{Kind: remit.ResultEvent, Result: &remit.Result{Call: id, Stored: stored}},
			remit.Event{Kind: remit.AttachmentEvent, Name: "the result of " + id + ", which was lost"})
	}
	return events, nil
}

// mark writes events that follow from what the log lacks. In a session that has
// ended nothing is written, and nothing will be decided.
func (s *Session) mark(ctx context.Context, v *live, events []remit.Event) error {
	for part := range slices.Chunk(events, store.MaxRecords) {
		records := make([]store.Record, len(part))
		for i := range part {
			part[i].Time = s.ledger.now()
			records[i].Event = part[i]
		}
		err := s.ledger.store.Append(ctx, s.id, v.seq, records...)
		if err != nil && !errors.Is(err, store.ErrEnded) {
			v.forget()
			return err
		}
		v.seq += int64(len(part))
		if err := v.replay(ctx, part...); err != nil {
			return err
		}
	}
	return nil
}
