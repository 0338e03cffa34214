package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/remit-project/remit/internal/strictjson"
)

// errHash is returned for a text that is not a hash.
var errHash = errors.New("a hash is 64 hexadecimal digits")

const approvalColumns = "id, session, call, arguments, decision, places, state, extent, answerer, why, created, expires, settled, more, agreed, by_value"

// Ask implements [Approvals].
func (s *database) Ask(ctx context.Context, q Question) (Approval, error) {
	a, err := s.question(q)
	if err != nil {
		return Approval{}, fmt.Errorf("ask: %w", err)
	}
	decision, err := strictjson.Encode(a.Decision)
	if err != nil {
		return Approval{}, fmt.Errorf("ask: %w", err)
	}
	places, err := strictjson.Encode(a.Places)
	if err != nil {
		return Approval{}, fmt.Errorf("ask: %w", err)
	}
	more, err := strictjson.Encode(append([]Asked{}, a.More...))
	if err != nil {
		return Approval{}, fmt.Errorf("ask: %w", err)
	}
	if n := len(decision) + len(places) + len(more); n > MaxRecord {
		return Approval{}, fmt.Errorf("ask: %w: a question of %d bytes is beyond the bound of %d", ErrInvalid, n, MaxRecord)
	}

	err = s.write(ctx, func(ctx context.Context, tx querier) error {
		r, err := s.lock(ctx, tx, a.Session)
		if err != nil {
			return err
		}
		if r.ended {
			return fmt.Errorf("session %q: %w", a.Session, ErrEnded)
		}
		var open int
		if err := one(ctx, tx, "SELECT count(*) FROM approvals WHERE session = $1 AND state = 'pending' AND expires > $2",
			[]any{a.Session, micros(a.Created)}, &open); err != nil {
			return err
		}
		if open >= MaxOpenPerSession {
			return fmt.Errorf("session %q: %w", a.Session, ErrTooMany)
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO approvals ("+approvalColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, '', '', '', $8, $9, NULL, $10, '[]', $11)",
			a.ID, a.Session, a.Call, a.Arguments[:], string(decision), string(places), string(a.State), micros(a.Created), micros(a.Expires), string(more), a.ByValue); err != nil {
			return err
		}
		if err := s.settleRequest(ctx, tx, q.Settles, a); err != nil {
			return err
		}
		return s.note(ctx, tx, r, AskedEntry, &a)
	})
	if err != nil {
		return Approval{}, failed("ask", err)
	}
	return a, nil
}

// note writes what became of a question into the audit chain of its session.
func (s *database) note(ctx context.Context, tx querier, r *row, kind Kind, a *Approval) error {
	b, err := s.became(kind, a)
	if err != nil {
		return err
	}
	if err := r.add(ctx, tx, b, s.now(), nil); err != nil {
		return err
	}
	return r.save(ctx, tx)
}

func (a *Approval) scan(rows *sql.Rows) error {
	var arguments []byte
	var decision, places, state, extent, more, agreed string
	var created, expires int64
	var settled sql.NullInt64
	if err := rows.Scan(&a.ID, &a.Session, &a.Call, &arguments, &decision, &places, &state, &extent, &a.By, &a.Why, &created, &expires, &settled, &more, &agreed, &a.ByValue); err != nil {
		return err
	}
	if len(arguments) != len(a.Arguments) {
		return fmt.Errorf("%w: approval %s is bound to %d bytes", ErrCorrupt, a.ID, len(arguments))
	}

	copy(a.Arguments[:], arguments)
	a.State, a.Extent, a.Created, a.Expires = State(state), Extent(extent), fromMicros(created), fromMicros(expires)
	if settled.Valid {
		a.Settled = fromMicros(settled.Int64)
	}
	if err := errors.Join(json.Unmarshal([]byte(decision), &a.Decision), json.Unmarshal([]byte(places), &a.Places),
		json.Unmarshal([]byte(more), &a.More), json.Unmarshal([]byte(agreed), &a.Agreed)); err != nil {
		return fmt.Errorf("%w: approval %s: %w", ErrCorrupt, a.ID, err)
	}
	if len(a.More) == 0 {
		a.More = nil
	}
	if len(a.Agreed) == 0 {
		a.Agreed = nil
	}
	return nil
}

func approvals(ctx context.Context, q querier, where string, args ...any) ([]Approval, error) {
	rows, err := q.QueryContext(ctx, "SELECT "+approvalColumns+" FROM approvals WHERE "+where, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []Approval
	for rows.Next() {
		var a Approval
		if err := a.scan(rows); err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, errors.Join(rows.Err(), rows.Close())
}

func approval(ctx context.Context, q querier, id, suffix string) (Approval, error) {
	list, err := approvals(ctx, q, "id = $1"+suffix, id)
	switch {
	case err != nil:
		return Approval{}, err
	case len(list) == 0:
		return Approval{}, ErrNotFound
	}
	return list[0], nil
}

// approval returns a question as it is now.
func (s *database) approval(ctx context.Context, id string) (Approval, error) {
	return approval(ctx, s.read, id, "")
}

// Pending implements [Approvals].
func (s *database) Pending(ctx context.Context, limit int) ([]Approval, error) {
	return s.PendingOf(ctx, Whose{Everybody: true}, Turn{}, limit)
}

// settleRow changes a question under its lock, and says so in the audit log.
// change returns the entry's kind, or an error that leaves everything as it is;
// an empty kind does the same without an error.
func (s *database) settleRow(ctx context.Context, id string, request *Settlement, change func(*Approval) (Kind, error)) (a Approval, err error) {
	if err := checkID("approval id", id); err != nil {
		return Approval{}, err
	}

	err = s.write(ctx, func(ctx context.Context, tx querier) error {
		// The session's row is locked first, as everywhere.
		a, err = approval(ctx, tx, id, "")
		if err != nil {
			return err
		}
		r, err := s.lock(ctx, tx, a.Session)
		if err != nil {
			return err
		}
		if a, err = approval(ctx, tx, id, s.forUpdate); err != nil {
			return err
		}
		kind, err := change(&a)
		if err != nil || kind == "" {
			return err
		}
		if err := s.settled(ctx, tx, r, kind, &a); err != nil {
			return err
		}
		return s.settleRequest(ctx, tx, request, a)
	})
	if err != nil {
		return Approval{}, failed("approval "+id, err)
	}
	s.hub.wake(id)
	return a, nil
}

// settled writes down what became of a question, under the lock of its session.
func (s *database) settled(ctx context.Context, tx querier, r *row, kind Kind, a *Approval) error {
	a.Settled = fromMicros(micros(s.now()))
	agreed, err := strictjson.Encode(append([]string{}, a.Agreed...))
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE approvals SET state = $2, extent = $3, answerer = $4, why = $5, settled = $6, agreed = $7 WHERE id = $1",
		a.ID, string(a.State), string(a.Extent), a.By, a.Why, micros(a.Settled), string(agreed)); err != nil {
		return err
	}
	if err := s.note(ctx, tx, r, kind, a); err != nil {
		return err
	}
	if s.announce != "" {
		_, err = tx.ExecContext(ctx, s.announce, a.ID)
	}
	return err
}

// withdrawAll withdraws the questions of a session that ends, and returns their ids.
func (s *database) withdrawAll(ctx context.Context, tx querier, r *row) ([]string, error) {
	open, err := approvals(ctx, tx, "session = $1 AND state = 'pending' AND expires > $2", r.id, micros(s.now()))
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, a := range open {
		a.State, a.Why = Cancelled, whyEnded
		if err := s.settled(ctx, tx, r, CancelledEntry, &a); err != nil {
			return nil, err
		}
		ids = append(ids, a.ID)
	}
	return ids, nil
}
