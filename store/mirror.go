package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"

	"github.com/remit-project/remit/internal/strictjson"
)

// maxMirrored bounds the bytes that a mirror takes over in one transaction.
const maxMirrored = 16 << 20

// mirror is a copy of a stream in an SQLite file, with the tables that every store has, by
// which sessions are listed, decisions counted and the audit log checked: a stream has no
// indexes. It is made when it is first asked for, is brought up to date by every question,
// and ends with the process. Nothing is decided by it.
type mirror struct {
	stream *stream
	common questions

	mu  sync.Mutex
	dir string
	db  *database
	at  uint64 // the last message that it has
}

// current returns the copy as the stream is now.
func (m *mirror) current(ctx context.Context) (*database, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now, err := m.stream.barrier(ctx)
	if err != nil {
		return nil, failed("the store's stream", err)
	}
	if m.db == nil {
		if err := m.open(ctx); err != nil {
			return nil, err
		}
	}
	return m.db, failed("the copy of the store's stream", m.follow(ctx, now))
}

func (m *mirror) open(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "remit-mirror-")
	if err != nil {
		return err
	}
	db := newDatabase(m.common)
	if err := db.openSQLite(ctx, filepath.Join(dir, "remit.db"), Options{}); err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	m.dir, m.db = dir, db
	return nil
}

func (m *mirror) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.db == nil {
		return nil
	}
	err := errors.Join(m.db.Close(), os.RemoveAll(m.dir))
	m.db, m.at = nil, 0
	return err
}

// follow takes over the messages up to one that is there.
func (m *mirror) follow(ctx context.Context, to uint64) error {
	var list []*incoming
	bytes := 0
	take := func() error {
		if len(list) == 0 {
			return nil
		}
		err := m.db.relaxed(ctx, func(ctx context.Context, tx querier) error {
			for _, in := range list {
				if err := m.apply(ctx, tx, in); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			m.at = list[len(list)-1].seq
			list, bytes = list[:0], 0
		}
		return err
	}

	err := m.stream.scan(ctx, m.stream.subject(">"), m.at+1, to, func(in *incoming) error {
		list = append(list, in)
		if bytes += len(in.data); len(list) < streamPage && bytes < maxMirrored {
			return nil
		}
		return take()
	})
	return errors.Join(err, take())
}

// apply takes one message over.
func (m *mirror) apply(ctx context.Context, tx querier, in *incoming) error {
	kind, rest := m.stream.kindOfSubject(in.subject)
	switch {
	case kind == ownToken:
		return m.ownChain(ctx, tx, in)
	case kind == sessionToken && len(rest) == 1:
		id, err := fromToken(rest[0])
		if err != nil {
			return err
		}
		return m.session(ctx, tx, in, id)
	case kind == questionToken:
		return m.question(ctx, tx, in)
	}
	return nil // what is only looked up
}

func (m *mirror) session(ctx context.Context, tx querier, in *incoming, id string) error {
	r, err := readRow(in, id)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO sessions (id, length, begun, active, entries, head, noted, principal, ended, pruned) VALUES ($1, $2, $3, $4, $5, $6, 0, $7, $8, $9)
		ON CONFLICT (id) DO UPDATE SET length = excluded.length, active = excluded.active, entries = excluded.entries, head = excluded.head, ended = excluded.ended, pruned = excluded.pruned,
			indexed = CASE WHEN excluded.pruned IS NULL THEN sessions.indexed ELSE excluded.length END`,
		id, r.length, r.begun, r.active, r.entries, r.head[:], r.principal, orNull(r.endedAt), orNull(r.pruned)); err != nil {
		return err
	}
	if r.pruned != 0 {
		return m.db.forgetSession(ctx, tx, id)
	}

	var t transaction
	if err := in.decode(&t); err != nil {
		return err
	}
	first := r.length - int64(len(t.Events))
	for i, e := range t.Events {
		if _, err := tx.ExecContext(ctx, "INSERT INTO events (session, seq, event, decision, salt) VALUES ($1, $2, $3, $4, $5)",
			id, first+int64(i), e.Event, e.decision(), e.Salt); err != nil {
			return err
		}
	}
	return entries(ctx, tx, r, t.Entries)
}

// entries takes the audit entries of one message over.
func entries(ctx context.Context, tx querier, r *streamRow, list []writtenEntry) error {
	first := r.entries - int64(len(list))
	for i, e := range list {
		if _, err := tx.ExecContext(ctx, "INSERT INTO audit (chain, n, seq, entry, hash) VALUES ($1, $2, $3, $4, $5)",
			r.id, first+int64(i), e.Seq, e.Entry, e.Hash[:]); err != nil {
			return err
		}
	}
	return nil
}

func (m *mirror) ownChain(ctx context.Context, tx querier, in *incoming) error {
	var t transaction
	r, err := readRow(in, "")
	if err == nil {
		err = in.decode(&t)
	}
	if err != nil {
		return err
	}
	return errors.Join(r.save(ctx, tx), entries(ctx, tx, r, t.Entries))
}

func (m *mirror) question(ctx context.Context, tx querier, in *incoming) error {
	var a Approval
	if err := in.decode(&a); err != nil {
		return err
	}
	var settled any
	if !a.Settled.IsZero() {
		settled = micros(a.Settled)
	}
	var texts [4]string
	for i, v := range []any{a.Decision, a.Places, append([]Asked{}, a.More...), append([]string{}, a.Agreed...)} {
		text, err := strictjson.Encode(v)
		if err != nil {
			return err
		}
		texts[i] = string(text)
	}

	_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO approvals ("+approvalColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)",
		a.ID, a.Session, a.Call, a.Arguments[:], texts[0], texts[1], string(a.State), string(a.Extent), a.By, a.Why, micros(a.Created), micros(a.Expires), settled, texts[2], texts[3], a.ByValue)
	return err
}

// orNull is NULL for a time that isn't there.
func orNull(micros int64) any {
	if micros == 0 {
		return nil
	}
	return micros
}
