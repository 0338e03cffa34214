package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/remit-project/remit/rawjson"
)

// maxForget bounds the expired requests that one new request clears away.
const maxForget = 100

// key identifies a request in the table.
func (r Request) key() []byte {
	sum := sha256.Sum256([]byte(strconv.Itoa(len(r.Principal)) + ":" + r.Principal + r.Key))
	return sum[:]
}

// Accept implements [Requests].
func (s *database) Accept(ctx context.Context, r Request) (*Reply, error) {
	if r.Key == "" || len(r.Key) > MaxKey {
		return nil, fmt.Errorf("accept request: %w: a key has 1 to %d bytes", ErrInvalid, MaxKey)
	}
	var reply *Reply
	err := s.write(ctx, func(ctx context.Context, tx querier) error {
		now := s.now()
		// Those of other replicas are skipped: the next request finds them.
		if _, err := tx.ExecContext(ctx, "DELETE FROM requests WHERE key IN (SELECT key FROM requests WHERE expires <= $1 LIMIT $2"+s.skipLocked+")",
			micros(now), maxForget); err != nil {
			return err
		}
		// An expired one that is still there is taken over.
		done, err := tx.ExecContext(ctx, `INSERT INTO requests (key, content, begun, expires) VALUES ($1, $2, $3, $4)
			ON CONFLICT (key) DO UPDATE SET content = excluded.content, begun = excluded.begun, expires = excluded.expires, status = NULL, header = NULL, body = NULL
			WHERE requests.expires <= $3`, r.key(), r.Content[:], micros(now), micros(now.Add(RequestLife)))
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n == 1 {
			return err
		}
		reply, err = accepted(ctx, tx, r)
		return err
	})
	return reply, failed("accept request", err)
}

// accepted reads a request that was accepted before.
func accepted(ctx context.Context, tx querier, r Request) (*Reply, error) {
	var content, body []byte
	var begun int64
	var status sql.NullInt64
	var header sql.NullString
	if err := one(ctx, tx, "SELECT content, begun, status, header, body FROM requests WHERE key = $1", []any{r.key()}, &content, &begun, &status, &header, &body); err != nil {
		return nil, err
	}
	if string(content) != string(r.Content[:]) {
		return nil, ErrReused
	}
	if !status.Valid {
		return nil, &UnderwayError{fromMicros(begun)}
	}
	reply := &Reply{Status: int(status.Int64), Body: body}
	if err := json.Unmarshal([]byte(header.String), &reply.Header); err != nil {
		return nil, fmt.Errorf("%w: the reply to a request: %w", ErrCorrupt, err)
	}
	return reply, nil
}

// Settle implements [Requests].
func (s *database) Settle(ctx context.Context, r Request, reply Reply) error {
	header, err := rawjson.Encode(reply.Header)
	if err != nil {
		return fmt.Errorf("settle request: %w", err)
	}
	return s.change(ctx, "settle request", "UPDATE requests SET status = $3, header = $4, body = $5 WHERE key = $1 AND content = $2 AND status IS NULL",
		r.key(), r.Content[:], reply.Status, string(header), reply.Body)
}

// Release implements [Requests].
func (s *database) Release(ctx context.Context, r Request) error {
	return s.change(ctx, "release request", "DELETE FROM requests WHERE key = $1 AND content = $2 AND status IS NULL", r.key(), r.Content[:])
}

// change changes one row, which must be there.
func (s *database) change(ctx context.Context, what, statement string, args ...any) error {
	return failed(what, s.write(ctx, func(ctx context.Context, tx querier) error {
		done, err := tx.ExecContext(ctx, statement, args...)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n == 1 {
			return err
		}
		return ErrNotFound
	}))
}
