package store

import (
	"context"
	"database/sql"
	"math"
	"sync/atomic"
)

const (
	// listEach is how many decisions wait before the writing process lists them in the
	// background. Together they change the pages of the indexes once.
	listEach = 64
	// maxListed bounds the decisions that one transaction lists, for which appends wait.
	maxListed = 1000
)

// unlisted are the decisions of an SQLite store that are not yet in the table by which sessions
// are found and counted. To list one changes six pages, which a call would wait for: so an append
// notes its place alone, and a reader of the table lists first what is noted.
type unlisted struct {
	n      atomic.Int64 // at most so many were noted since this process listed them
	lister *background
}

// unlistedBefore finds out what other processes have left.
func unlistedBefore(ctx context.Context, q looker) (*unlisted, error) {
	u := &unlisted{lister: newBackground(0)}
	var n int64
	if err := one(ctx, q, "SELECT count(*) FROM (SELECT 1 FROM unlisted LIMIT $1)", []any{listEach}, &n); err != nil {
		return nil, err
	}
	u.n.Store(n)
	return u, nil
}

// wrote counts the decisions among records that were written, and has them listed from time
// to time.
func (s *database) wrote(list []*encoded) {
	n := int64(0)
	for _, e := range list {
		if e.decision.Valid {
			n++
		}
	}
	if s.unlisted.n.Add(n) >= listEach {
		s.unlisted.n.Store(0)
		s.unlisted.lister.wake(func(ctx context.Context) error {
			// A process that ends waits for it: short-lived processes may be the only ones.
			_, err := s.listSome(context.WithoutCancel(ctx), math.MaxInt64)
			return err
		})
	}
}

// list lists the decisions that were written before it is called.
func (s *database) list(ctx context.Context) error {
	if s.unlisted == nil {
		return nil
	}
	var last sql.NullInt64
	if err := one(ctx, s.look, "SELECT max(rowid) FROM unlisted", nil, &last); err != nil {
		return err
	}
	for more := last.Valid; more; {
		var err error
		if more, err = s.listSome(ctx, last.Int64); err != nil {
			return err
		}
	}
	return nil
}

// listSome lists the first decisions up to a row, and reports whether there may be more.
func (s *database) listSome(ctx context.Context, last int64) (more bool, err error) {
	err = s.relaxed(ctx, func(ctx context.Context, tx querier) error {
		done, err := tx.ExecContext(ctx, "DELETE FROM unlisted WHERE rowid IN (SELECT rowid FROM unlisted WHERE rowid <= $1 ORDER BY rowid LIMIT $2)", last, maxListed)
		if err != nil {
			return err
		}
		n, err := done.RowsAffected()
		more = n == maxListed
		return err
	})
	return more, err
}
