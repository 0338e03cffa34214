package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/remit-project/remit/internal/strictjson"
)

// onOwn runs a function that drafts a transaction on the store's own chain, and publishes
// it, until no other one comes before it.
func (s *jetStream) onOwn(ctx context.Context, f func(*draft) error) error {
	s.own.Lock()
	defer s.own.Unlock()
	for t := (turn{by: rand.Text()}); t.try < maxTurns; t.try++ {
		d, err := s.ownDraft(ctx, t)
		if err != nil {
			return err
		}
		if done, err := s.succeeded(ctx, t, d.streamRow); done || err != nil {
			return err
		}
		if err = f(d); err == nil {
			err = s.publish(ctx, d)
		}
		if again, err := t.again(ctx, err, d); !again {
			return err
		}
	}
	return fmt.Errorf("%d times others were first: try again", maxTurns)
}

// Note implements [Audit].
func (s *jetStream) Note(ctx context.Context, n Note) error {
	b, err := s.noted(n)
	if err != nil {
		return err
	}
	return failed("note", s.onOwn(ctx, func(d *draft) error { return d.entry(b, nil) }))
}

// Head implements [Audit]. It reads only the entries that were appended since the last
// time.
func (s *jetStream) Head(ctx context.Context) (head ChainHead, err error) {
	for more := true; more; {
		err := s.onOwn(ctx, func(d *draft) error {
			if d.turn.try == 0 {
				return errMoved // it may be remembered, and not as it is
			}
			heads, last, err := s.went(ctx, d.noted)
			if more = len(heads) == maxHeads; err != nil || len(heads) == 0 {
				head = ChainHead{Entries: d.entries, Hash: d.head}
				return err
			}
			b, err := newBody(&Entry{Kind: HeadsEntry, Heads: heads})
			if err != nil {
				return err
			}
			d.noted = last
			err = d.entry(b, nil)
			head = ChainHead{Entries: d.entries, Hash: d.head}
			return err
		})
		if err != nil {
			return ChainHead{}, failed("head of the audit log", err)
		}
	}

	return head, nil
}

// went returns the heads of sessions that went on after a message, and the message up to
// which it has looked.
func (s *jetStream) went(ctx context.Context, after uint64) (heads []ChainHead, last uint64, err error) {
	now, err := s.stream.barrier(ctx)
	if err != nil {
		return nil, 0, err
	}

	places := map[string]int{}
	err = s.stream.scan(ctx, s.stream.subject(">"), after+1, now, func(in *incoming) error {
		last = in.seq
		kind, rest := s.stream.kindOfSubject(in.subject)
		if kind != sessionToken || len(rest) != 1 {
			return nil
		}
		id, err := fromToken(rest[0])
		if err != nil {
			return err
		}
		r, err := readRow(in, id)
		if err != nil || r.pruned != 0 {
			return err
		}
		at, there := places[id]
		if !there {
			at, heads = len(heads), append(heads, ChainHead{})
			places[id] = at
		}
		heads[at] = ChainHead{id, r.entries, r.head}
		if len(heads) == maxHeads {
			return errStop
		}
		return nil
	})
	if errors.Is(err, errStop) {
		err = nil
	}
	slices.SortFunc(heads, func(a, b ChainHead) int { return strings.Compare(a.Chain, b.Chain) })
	return heads, last, err
}

// Prune implements [Sessions]. A session's mark of its end and the entry about it are one
// transaction; the messages before it are removed afterwards, by the next call where this one
// doesn't get to it.
func (s *jetStream) Prune(ctx context.Context, before time.Time) (total int, err error) {
	for {
		n, full := 0, false
		if err := s.purge(ctx); err != nil {
			return total, failed("prune", err)
		}

		err := s.onOwn(ctx, func(d *draft) error {
			copied, err := s.mirror.current(ctx)
			if err != nil {
				return err
			}
			heads, err := chainHeads(ctx, copied.read, idle+" LIMIT $2", micros(before), maxPrune)
			if err != nil {
				return err
			}
			full = len(heads) == maxPrune
			n, err = s.mark(ctx, d, heads, micros(before))
			return err
		})
		if err != nil {
			return total, failed("prune", err)
		}
		if total += n; !full {
			return total, failed("prune", s.purge(ctx))
		}
	}
}

// mark drafts that sessions are pruned in which still nothing has happened.
func (s *jetStream) mark(ctx context.Context, d *draft, idle []ChainHead, before int64) (int, error) {
	var subjects []string
	for _, h := range idle {
		subjects = append(subjects, s.rowSubject(h.Chain))
	}
	if len(subjects) == 0 {
		return 0, nil
	}
	found, err := s.stream.last(ctx, subjects...)
	if err != nil {
		return 0, err
	}

	var heads []ChainHead
	for i, h := range idle {
		in := found[subjects[i]]
		if in == nil {
			continue
		}
		r, err := readRow(in, h.Chain)
		if err != nil {
			return 0, err
		}
		if r.pruned != 0 || r.active >= before {
			continue
		}
		r.pruned, r.open = micros(s.now()), nil
		row, err := r.encode()
		if err != nil {
			return 0, err
		}
		d.out = append(d.out, &outgoing{subject: subjects[i], expected: &in.seq, row: row})
		d.purging = append(d.purging, token(h.Chain))
		heads = append(heads, ChainHead{h.Chain, r.entries, r.head})
	}
	if len(heads) == 0 {
		return 0, nil
	}

	b, err := newBody(&Entry{Kind: PrunedEntry, Heads: heads})
	if err != nil {
		return 0, err
	}
	return len(heads), d.entry(b, nil)
}

// purge removes the messages of sessions that are marked as pruned.
func (s *jetStream) purge(ctx context.Context) error {
	r, _, err := s.load(ctx, "", false)
	if err != nil || r == nil || len(r.purging) == 0 {
		return err
	}
	for _, t := range r.purging {
		// Questions and tools go before the log: a copy expects the log of those that it finds.
		for _, what := range []struct {
			subject string
			keep    int
		}{{s.stream.subject(questionToken, t, "*"), 0}, {s.stream.subject(toolsToken, t), 0}, {s.stream.subject(sessionToken, t), 1}} {
			request := map[string]any{"filter": what.subject}
			if what.keep > 0 {
				request["keep"] = what.keep
			}
			if err := s.stream.api(ctx, "PURGE", request, &struct{}{}); err != nil {
				return err
			}
		}
	}

	done := r.purging
	return s.onOwn(ctx, func(d *draft) error {
		if len(d.purging) > 0 && len(done) == len(d.purging) && done[0] == d.purging[0] {
			d.purging, d.bare = nil, true
		}
		return nil
	})
}

// Export implements [Audit].
func (s *jetStream) Export(ctx context.Context) iter.Seq2[Line, error] {
	return s.ExportFrom(ctx, LogPlace{})
}

// ExportFrom implements [Audit].
func (s *jetStream) ExportFrom(ctx context.Context, from LogPlace) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		copied, err := s.mirror.current(ctx)
		if err != nil {
			yield(Line{}, err)
			return
		}
		copied.ExportFrom(ctx, from)(yield)
	}
}

// Verify implements [Audit].
func (s *jetStream) Verify(ctx context.Context, heads ...Hash) (*Report, error) {
	return s.VerifyFrom(ctx, Progress{}, nil, heads...)
}

// VerifyFrom implements [Audit]. The stream is read from its beginning, and not what a copy once
// had of it: what goes on where it ended is the checking of the copy.
func (s *jetStream) VerifyFrom(ctx context.Context, from Progress, note func(Progress) error, heads ...Hash) (report *Report, err error) {
	if from.Began.IsZero() {
		from.Began = s.now()
	}
	m := &mirror{stream: s.stream, common: s.questions}
	defer func() { err = errors.Join(err, m.close()) }()
	copied, err := m.current(ctx)
	if err != nil {
		return nil, err
	}
	report, err = copied.VerifyFrom(ctx, from, note, heads...)
	if err != nil {
		return nil, err
	}

	data, err := strictjson.Encode(report.found(fromMicros(micros(from.Began))))
	if err == nil {
		err = s.stream.publish(ctx, &outgoing{subject: s.stream.subject(verifiedToken), data: data})
	}
	return report, failed("note that the audit log was verified", err)
}

// Verified implements [Views].
func (s *jetStream) Verified(ctx context.Context) (v Verification, err error) {
	subject := s.stream.subject(verifiedToken)
	found, err := s.stream.last(ctx, subject)
	if err == nil && found[subject] == nil {
		err = ErrNotFound
	}
	if err != nil {
		return v, failed("the last verification", err)
	}
	return v, found[subject].decode(&v)
}

// Index implements [Views].
func (s *jetStream) Index(ctx context.Context) error {
	copied, err := s.mirror.current(ctx)
	if err != nil {
		return err
	}
	return copied.Index(ctx)
}

// Took implements [Views].
func (s *jetStream) Took(ctx context.Context, w Whose, since time.Time, limit int) ([]time.Duration, error) {
	copied, err := s.mirror.current(ctx)
	if err != nil {
		return nil, err
	}
	return copied.Took(ctx, w, since, limit)
}

// Sessions implements [Sessions].
func (s *jetStream) Sessions(ctx context.Context, after string, limit int) ([]SessionInfo, error) {
	return s.SessionsOf(ctx, Whose{Everybody: true}, after, limit)
}

// SessionsOf implements [Principals].
func (s *jetStream) SessionsOf(ctx context.Context, w Whose, after string, limit int) ([]SessionInfo, error) {
	copied, err := s.mirror.current(ctx)
	if err != nil {
		return nil, err
	}
	return copied.SessionsOf(ctx, w, after, limit)
}

// Pending implements [Approvals].
func (s *jetStream) Pending(ctx context.Context, limit int) ([]Approval, error) {
	return s.PendingOf(ctx, Whose{Everybody: true}, Turn{}, limit)
}

// PendingOf implements [Principals].
func (s *jetStream) PendingOf(ctx context.Context, w Whose, after Turn, limit int) ([]Approval, error) {
	copied, err := s.mirror.current(ctx)
	if err != nil {
		return nil, err
	}
	return copied.PendingOf(ctx, w, after, limit)
}

// Find implements [Views].
func (s *jetStream) Find(ctx context.Context, f Filter, limit int) ([]Found, error) {
	copied, err := s.mirror.current(ctx)
	if err != nil {
		return nil, err
	}
	return copied.Find(ctx, f, limit)
}

// Turns implements [Views].
func (s *jetStream) Turns(ctx context.Context, session string, before int64, limit int) ([]Record, error) {
	copied, err := s.mirror.current(ctx)
	if err != nil {
		return nil, err
	}
	return copied.Turns(ctx, session, before, limit)
}

// Stopped implements [Views].
func (s *jetStream) Stopped(ctx context.Context, w Whose, since time.Time, limit int) ([]Record, error) {
	copied, err := s.mirror.current(ctx)
	if err != nil {
		return nil, err
	}
	return copied.Stopped(ctx, w, since, limit)
}

// Tally implements [Views].
func (s *jetStream) Tally(ctx context.Context, w Whose, since time.Time, step time.Duration) ([]Count, error) {
	copied, err := s.mirror.current(ctx)
	if err != nil {
		return nil, err
	}
	return copied.Tally(ctx, w, since, step)
}

// Waits implements [Views].
func (s *jetStream) Waits(ctx context.Context, w Whose, since time.Time, limit int) ([]Waited, error) {
	copied, err := s.mirror.current(ctx)
	if err != nil {
		return nil, err
	}
	return copied.Waits(ctx, w, since, limit)
}
