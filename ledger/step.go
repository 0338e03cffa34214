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
		at := s.monitor.Now()
		e, err := propose(v.session, v.seq)
		if err != nil {
			return err
		}
		e.Time = at
		if err := write(store.Record{Event: e}); err != nil {
			return err
		}
		if err := v.replay(context.WithoutCancel(ctx), e); err != nil {
			return err
		}
		if e.Kind == remit.UserEvent || e.Kind == remit.ResultEvent {
			v.session.ReadAhead()
		}
		return nil
	})
}

// take runs a step on the session as it is: the step writes a record, and then
// takes it into the session in memory. Meanwhile no other step of this session
// runs in this process; the append makes sure that none ran in another one.
func (s *Session) take(ctx context.Context, step func(v *live, write func(store.Record) error) error) error {
	v, release, err := s.ledger.hold(ctx, s.id)
	if err != nil {
		return fmt.Errorf("session %q: %w", s.id, err)
	}
	defer release()

	for range MaxTries {
		current, err := s.refresh(ctx, v)
		if err != nil {
			return err
		}
		again, err := s.try(ctx, v, current, step)
		if !again {
			return err
		}
	}
	return s.contended()
}

// try runs a step once, and reports whether it is to be run again: the session has
// moved on, or the log may know what the session in memory doesn't.
func (s *Session) try(ctx context.Context, v *live, current bool, step func(v *live, write func(store.Record) error) error) (again bool, err error) {
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
	final := current || ctx.Err() != nil || errors.Is(err, errUnseen)
	switch {
	case err == nil:
		return false, nil
	case !tried && final:
		return false, err
	case !tried:
		v.behind = true
	case written:
		v.forget() // the session in memory is not what the log says
		return false, err
	case errors.As(err, &conflict) && conflict.Actual > v.seq:
		v.behind = true
	case errors.Is(err, store.ErrConflict):
		v.forget() // the log is not the one that was read
	default:
		v.forget() // it may have been written
		return false, err
	}
	return true, nil
}

// contended returns the error of a session that never stood still.
func (s *Session) contended() error {
	return fmt.Errorf("session %q: %w, %d times in a row", s.id, ErrContended, MaxTries)
}

// write appends a record. A result need not wait for the disk, since its absence
// is noticed; everything else must.
func (s *Session) write(ctx context.Context, seq int64, r store.Record) error {
	if r.Event.Kind == remit.ResultEvent {
		return s.ledger.noteWrite(s.ledger.logs.AppendRelaxed(ctx, s.id, seq, r))
	}
	return s.ledger.noteWrite(s.ledger.logs.Append(ctx, s.id, seq, r))
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

// refresh brings the session in memory up to what the log is known to say, and
// reports whether it has just read the log.
func (s *Session) refresh(ctx context.Context, v *live) (current bool, err error) {
	switch {
	case v.session == nil, v.monitor != s.monitor:
		return true, s.restore(ctx, v)
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

// restore rebuilds the session from its log.
func (s *Session) restore(ctx context.Context, v *live) error {
	for range MaxTries {
		v.forget()
		n, unsure := int64(0), calls{}
		session, err := s.monitor.Restore(ctx, s.id, s.events(ctx, &n, &unsure))
		if err != nil {
			return err
		}

		v.session, v.monitor, v.seq = session, s.monitor, n
		events, err := s.replacements(ctx, v, unsure)
		if err != nil {
			return err
		}
		if err = s.mark(ctx, v, events); !errors.Is(err, store.ErrConflict) {
			return err
		}
	}
	v.forget()
	return s.contended()
}

// events reads the log from n on, counting, and notes the calls in it.
func (s *Session) events(ctx context.Context, n *int64, c *calls) iter.Seq2[remit.Event, error] {
	return func(yield func(remit.Event, error) bool) {
		for rec, err := range s.ledger.logs.Read(ctx, s.id, *n) {
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

// calls are the ids of a log's calls that were allowed before the machine last
// started and have no result.
type calls []string

func (c *calls) note(r *store.Record) {
	switch e := &r.Event; {
	case e.Kind == remit.ResultEvent && e.Result != nil: // also of one that was suspended
		*c = slices.DeleteFunc(*c, func(id string) bool { return id == e.Result.Call })
	case r.Restarted && e.Verdict == remit.Allow && e.Call != nil && !slices.Contains(*c, e.Call.ID):
		*c = append(*c, e.Call.ID)
	}
}

// replacements returns events in place of results that may have been lost with the power after
// the model had seen them: an empty result, which has the origins of its tool and of what that
// kept, and a text that an outsider may have written.
func (s *Session) replacements(ctx context.Context, v *live, lost calls) ([]remit.Event, error) {
	var events []remit.Event
	for _, id := range lost {
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
// ended it writes nothing, and nothing will be decided.
func (s *Session) mark(ctx context.Context, v *live, events []remit.Event) error {
	for part := range slices.Chunk(events, store.MaxRecords) {
		records := make([]store.Record, len(part))
		for i := range part {
			part[i].Time = s.monitor.Now()
			records[i].Event = part[i]
		}
		err := s.ledger.noteWrite(s.ledger.logs.Append(ctx, s.id, v.seq, records...))
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
