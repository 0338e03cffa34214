package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"strings"
	"time"
)

const (
	// maxHeads bounds the heads in one entry of the store's own chain, which is
	// read whole.
	maxHeads = 1000
	// maxPrune bounds the sessions that one transaction removes: others wait
	// for it.
	maxPrune = 100
)

// readable makes a text fit for a column that people read: what isn't text is
// replaced.
func readable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// Note implements [Audit].
func (s *database) Note(ctx context.Context, n Note) error {
	b, err := s.noted(n)
	if err != nil {
		return err
	}
	return failed("note", s.write(ctx, func(ctx context.Context, tx querier) error {
		_, err := s.own(ctx, tx, b)
		return err
	}))
}

// Head implements [Audit].
func (s *database) Head(ctx context.Context) (head ChainHead, err error) {
	last := ""
	for more := true; more; {
		err = s.write(ctx, func(ctx context.Context, tx querier) error {
			// The own chain is locked first: heads are noted one after the other.
			r, err := s.lock(ctx, tx, "")
			if err != nil {
				return err
			}
			head = ChainHead{Entries: r.entries, Hash: r.head}
			heads, err := changed(ctx, tx, last)
			if more = len(heads) == maxHeads; err != nil || len(heads) == 0 {
				return err
			}
			b, err := newBody(&Entry{Kind: HeadsEntry, Heads: heads})
			if err != nil {
				return err
			}
			for _, h := range heads {
				if _, err := tx.ExecContext(ctx, "UPDATE sessions SET noted = $2 WHERE id = $1", h.Chain, h.Entries); err != nil {
					return err
				}
			}
			last = heads[len(heads)-1].Chain
			head, err = s.own(ctx, tx, b)
			return err
		})
		if err != nil {
			return ChainHead{}, failed("head of the audit log", err)
		}
	}

	return head, nil
}

// changed returns the heads of sessions that went on since they were last noted, those after an
// id.
func changed(ctx context.Context, tx querier, after string) ([]ChainHead, error) {
	return chainHeads(ctx, tx, "SELECT id, entries, head FROM sessions WHERE entries <> noted AND pruned IS NULL AND id > $1 ORDER BY id LIMIT $2", after, maxHeads)
}

func chainHeads(ctx context.Context, q querier, query string, args ...any) ([]ChainHead, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()

	var list []ChainHead
	for rows.Next() {
		var h ChainHead
		var head []byte
		if err := rows.Scan(&h.Chain, &h.Entries, &head); err != nil {
			return nil, err
		}
		if len(head) != len(h.Hash) {
			return nil, fmt.Errorf("%w: the head of session %q has %d bytes", ErrCorrupt, h.Chain, len(head))
		}
		copy(h.Hash[:], head)
		list = append(list, h)
	}

	return list, errors.Join(rows.Err(), rows.Close())
}

// Prune implements [Sessions].
func (s *database) Prune(ctx context.Context, before time.Time) (int, error) {
	total := 0

	for {
		n := 0
		err := s.write(ctx, func(ctx context.Context, tx querier) error {
			if _, err := s.lock(ctx, tx, ""); err != nil {
				return err
			}
			heads, err := chainHeads(ctx, tx, idle+" LIMIT $2"+s.forUpdate,
				micros(before), maxPrune)
			if n = len(heads); err != nil || n == 0 {
				return err
			}
			b, err := newBody(&Entry{Kind: PrunedEntry, Heads: heads})
			if err != nil {
				return err
			}
			for _, h := range heads {
				if err := s.forgetSession(ctx, tx, h.Chain); err != nil {
					return err
				}
				// The row stays: the id is never used again.
				if _, err := tx.ExecContext(ctx, "UPDATE sessions SET pruned = $2, toolset = NULL, indexed = length WHERE id = $1", h.Chain, micros(s.now())); err != nil {
					return err
				}
			}
			_, err = s.own(ctx, tx, b)
			return err
		})
		if err != nil {
			return total, failed("prune", err)
		}
		if total += n; n < maxPrune {
			return total, failed("prune", s.forgetToolsets(ctx))
		}
	}
}

// forgetToolsets removes the tools that no session has any more. It looks at every session
// that has tools: once for all that are pruned.
func (s *database) forgetToolsets(ctx context.Context) error {
	return s.write(ctx, func(ctx context.Context, tx querier) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM toolsets WHERE hash NOT IN (SELECT toolset FROM sessions WHERE toolset IS NOT NULL)")
		return err
	})
}

// idle are the heads of sessions in which nothing happened since a time, by an index without
// pruned sessions.
const idle = "SELECT id, entries, head FROM sessions WHERE active < $1 AND pruned IS NULL AND id <> '' ORDER BY active"

// forgetSession removes what a session has, except for its row.
func (s *database) forgetSession(ctx context.Context, tx querier, id string) error {
	for _, remove := range append([]string{"DELETE FROM events WHERE session = $1", "DELETE FROM audit WHERE chain = $1", "DELETE FROM approvals WHERE session = $1", "DELETE FROM decisions WHERE session = $1"}, s.texts.forget...) {
		if _, err := tx.ExecContext(ctx, remove, id); err != nil {
			return err
		}
	}
	return nil
}

// Export implements [Audit].
func (s *database) Export(ctx context.Context) iter.Seq2[Line, error] {
	return s.ExportFrom(ctx, LogPlace{})
}

// ExportFrom implements [Audit].
func (s *database) ExportFrom(ctx context.Context, from LogPlace) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		err := s.reading(ctx, func(tx *sql.Tx) error {
			rows, err := tx.QueryContext(ctx, "SELECT entry, hash FROM audit WHERE (chain, n) >= ($1, $2) ORDER BY chain, n", from.Chain, from.N)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				var entry string
				var hash []byte
				if err := rows.Scan(&entry, &hash); err != nil {
					return err
				}
				l := Line{Entry: json.RawMessage(entry)}
				copy(l.Hash[:], hash)
				if !yield(l, nil) {
					return rows.Close()
				}
			}
			return errors.Join(rows.Err(), rows.Close())
		})
		if err != nil {
			yield(Line{}, failed("export the audit log", err))
		}
	}
}

// reading runs a function that sees the store as it is at one moment.
func (s *database) reading(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.read.BeginTx(ctx, s.snapshot)
	if err != nil {
		return err
	}
	err = f(tx)
	if undo := tx.Rollback(); err == nil && !errors.Is(undo, sql.ErrTxDone) {
		err = undo
	}
	return err
}

// Verify implements [Audit], and notes what it found for [Views.Verified].
func (s *database) Verify(ctx context.Context, heads ...Hash) (*Report, error) {
	return s.VerifyFrom(ctx, Progress{}, nil, heads...)
}

// VerifyFrom implements [Audit], and notes what it found for [Views.Verified]: as of when the
// verification began.
func (s *database) VerifyFrom(ctx context.Context, from Progress, note func(Progress) error, heads ...Hash) (*Report, error) {
	if from.Began.IsZero() {
		from.Began = s.now()
	}
	report, err := s.verify(ctx, maxFollowed, from, note, heads)
	if err != nil {
		return nil, failed("verify the audit log", err)
	}

	found := report.found(from.Began)
	err = s.write(ctx, func(ctx context.Context, tx querier) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO verified (one, at, entries, sessions, problems, chained, head) VALUES (1, $1, $2, $3, $4, $5, $6) ON CONFLICT (one) DO UPDATE SET at = $1, entries = $2, sessions = $3, problems = $4, chained = $5, head = $6",
			micros(found.At), found.Entries, found.Sessions, found.Problems, found.Head.Entries, found.Head.Hash.String())
		return err
	})
	if err != nil {
		return nil, failed("note that the audit log was verified", err)
	}
	return report, nil
}

// verify follows so many sessions at a time, by their ids, and reads the store's own chain each
// time.
func (s *database) verify(ctx context.Context, most int, from Progress, note func(Progress) error, heads []Hash) (*Report, error) {
	v := newVerifier(heads)
	v.most = most
	v.from(from)

	err := s.reading(ctx, func(tx *sql.Tx) error {
		for more := true; more; more = v.next() {
			if note != nil && v.again {
				if err := note(v.progress(from.Began)); err != nil {
					return err
				}
			}
			if err := v.part(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return v.finish(), nil
}

// part checks the next sessions, and the store's own chain with the first ones.
func (v *verifier) part(ctx context.Context, tx *sql.Tx) error {
	if err := v.entries(ctx, tx, "a.chain = ''"); err != nil {
		return err
	}
	if !v.again {
		if err := v.rows(ctx, tx, "s.id = ''"); err != nil {
			return err
		}
	}

	if err := v.bound(ctx, tx); err != nil {
		return err
	}
	if err := v.entries(ctx, tx, "a.chain > $1 AND ($2 = '' OR a.chain <= $2)", v.after, v.upTo); err != nil {
		return err
	}
	return v.rows(ctx, tx, "s.id > $1 AND ($2 = '' OR s.id <= $2)", v.after, v.upTo)
}

// bound leaves sessions that the store's own chain may not have for another time, where there are
// too many.
func (v *verifier) bound(ctx context.Context, tx *sql.Tx) error {
	var last string
	err := one(ctx, tx, "SELECT id FROM sessions WHERE id > $1 AND ($2 = '' OR id <= $2) ORDER BY id LIMIT 1 OFFSET $3", []any{v.after, v.upTo, v.most}, &last)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	v.upTo = last
	maps.DeleteFunc(v.sessions, func(id string, _ *followed) bool { return !v.follows(id) })
	return nil
}

// entries checks entries, and the events that they are about.
func (v *verifier) entries(ctx context.Context, tx *sql.Tx, where string, args ...any) error {
	rows, err := tx.QueryContext(ctx, `SELECT a.chain, a.n, a.entry, a.hash, e.event, e.decision, e.salt FROM audit a
		LEFT JOIN events e ON e.session = a.chain AND e.seq = a.seq WHERE `+where+` ORDER BY a.chain, a.n`, args...)
	if err != nil {
		return err
	}
	defer rows.Close()

	for rows.Next() {
		var chain, entry string
		var n int64
		var hash, salt []byte
		var event, decision sql.NullString
		if err := rows.Scan(&chain, &n, &entry, &hash, &event, &decision, &salt); err != nil {
			return err
		}
		l := Line{Entry: json.RawMessage(entry)}
		if v.again && chain == "" {
			v.said(l)
			continue
		}
		if copy(l.Hash[:], hash) != len(hash) {
			v.problem(chain, n, "its hash has %d bytes", len(hash))
		}
		e, err := v.line(l)
		switch {
		case err != nil:
		case e.Chain != chain || e.N != n:
			v.problem(chain, n, "the entry says that it is entry %d of %q", e.N, e.Chain)
		case e.Seq == nil:
		case !event.Valid:
			v.problem(chain, n, "event %d is missing", *e.Seq)
		case e.Digest == nil || digest(salt, event.String, decision) != *e.Digest:
			v.problem(chain, n, "event %d was changed", *e.Seq)
		}
	}

	return errors.Join(rows.Err(), rows.Close())
}

// rows checks the chains against what the sessions' rows say of them.
func (v *verifier) rows(ctx context.Context, tx *sql.Tx, where string, args ...any) error {
	rows, err := tx.QueryContext(ctx, `SELECT s.id, s.length, s.entries, s.head, s.pruned,
		(SELECT count(*) FROM events e WHERE e.session = s.id) FROM sessions s WHERE `+where, args...)
	if err != nil {
		return err
	}
	defer rows.Close()

	for rows.Next() {
		var id string
		var length, entries, events int64
		var head []byte
		var pruned sql.NullInt64
		if err := rows.Scan(&id, &length, &entries, &head, &pruned, &events); err != nil {
			return err
		}
		c := v.chain(id)
		switch {
		case pruned.Valid:
			if c.pruned == nil {
				v.problem(id, 0, "it is marked as pruned, and the store's own chain doesn't say so")
			}
			continue
		case c.pruned != nil && !c.seen:
			v.problem(id, 0, "the store's own chain says that it was pruned, and it isn't marked so")
		case c.Entries != entries || string(c.Hash[:]) != string(head):
			v.problem(id, c.Entries, "the session's row names another head: the chain is cut or the row was changed")
		}
		if id != "" && (c.events != length || events != length) {
			v.problem(id, c.Entries, "the session has %d events, and its audit chain speaks of %d (its row says %d)", events, c.events, length)
		}
	}

	return errors.Join(rows.Err(), rows.Close())
}
