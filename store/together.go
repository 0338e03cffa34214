package store

import (
	"context"
	"database/sql"
	"sync"
)

// together appends in one statement what would take a transaction of several: a
// server is asked once. For that it remembers the rows of sessions as they were
// left, and where one is different by now, nothing is written.
type together struct {
	db        *sql.DB
	statement string

	mu   sync.Mutex
	rows map[string]row
}

// maxTogether bounds the rows that are remembered; what is forgotten is read
// again.
const maxTogether = 8192

// remember notes how a session was left.
func (t *together) remember(r *row) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.rows) >= maxTogether {
		clear(t.rows)
	}
	t.rows[r.id] = *r
}

// take returns the row of a session, and forgets it until it is known again.
func (t *together) take(session string) (row, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, ok := t.rows[session]
	delete(t.rows, session)
	return r, ok
}

// add appends a record and reports whether it did: not when the session is not remembered, or not
// as it is.
func (t *together) add(ctx context.Context, session string, e *encoded, s *database) (bool, error) {
	r, ok := t.take(session)
	if !ok || r.length != e.seq {
		return false, nil
	}
	n, prev := r.entries, r.head
	entry, err := r.next(e.entry, s.now())
	if err != nil {
		return false, err
	}

	r.length++
	written := int64(0)

	write := func(ctx context.Context, q querier) error {
		done, err := q.ExecContext(ctx, t.statement, session, e.seq, e.event, e.decision, e.salt, n, string(entry), r.head[:], r.length, r.active, r.entries, prev[:])
		if err != nil {
			return err
		}
		if written, err = done.RowsAffected(); err != nil || written == 0 {
			return err
		}
		return e.settles.write(ctx, q)
	}

	if e.settles == nil {
		err = write(ctx, t.db)
	} else {
		err = s.write(ctx, write)
	}
	if err != nil || written == 0 {
		return false, err
	}
	t.remember(&r)
	return true, nil
}
