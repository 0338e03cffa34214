package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/remit-project/remit/internal/strictjson"
)

const (
	// forgetEach is after how many requests expired ones are cleared away, and
	// maxForget how many are at a time: more go than come.
	forgetEach = 100
	maxForget  = 1000
)

// key identifies a request in the table.
func (r Request) key() []byte {
	sum := sha256.Sum256([]byte(strconv.Itoa(len(r.Principal)) + ":" + r.Principal + r.Key))
	return sum[:]
}

func (r Request) check() error {
	if r.Key == "" || len(r.Key) > MaxKey {
		return fmt.Errorf("%w: a key has 1 to %d bytes", ErrInvalid, MaxKey)
	}
	return nil
}

// Reply implements [Requests].
func (s *database) Reply(ctx context.Context, r Request) (*Reply, error) {
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("reply to a request: %w", err)
	}
	if s.requests.Add(1)%forgetEach == 0 {
		if err := s.forget(ctx); err != nil {
			return nil, failed("forget requests", err)
		}
	}

	var content, body []byte
	var expires int64
	var status sql.NullInt64
	var header sql.NullString
	err := one(ctx, s.look, "SELECT content, expires, status, header, body FROM requests WHERE key = $1", []any{r.key()}, &content, &expires, &status, &header, &body)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, failed("reply to a request", err)
	case expires <= micros(s.now()):
		return nil, nil
	case string(content) != string(r.Content[:]):
		return nil, ErrReused
	case !status.Valid: // an earlier version noted requests before it carried them out
		return nil, nil
	}

	reply := &Reply{Status: int(status.Int64), Body: body}
	if err := json.Unmarshal([]byte(header.String), &reply.Header); err != nil {
		return nil, fmt.Errorf("%w: the reply to a request: %w", ErrCorrupt, err)
	}
	return reply, nil
}

// forget clears expired requests away. Those of other replicas are skipped: the
// next time finds them.
func (s *database) forget(ctx context.Context) error {
	return s.write(ctx, func(ctx context.Context, tx querier) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM requests WHERE key IN (SELECT key FROM requests WHERE expires <= $1 LIMIT $2"+s.skipLocked+")",
			micros(s.now()), maxForget)
		return err
	})
}

// Settle implements [Requests].
func (s *database) Settle(ctx context.Context, r Request, reply Reply) error {
	k, err := keep(&Settlement{r, func(any) (Reply, error) { return reply, nil }}, nil, s.now())
	if err != nil {
		return fmt.Errorf("settle request: %w", err)
	}
	err = s.write(ctx, k.write)
	if errors.Is(err, ErrAnswered) {
		return err
	}
	return failed("settle request", err)
}

// keeping is the reply to a request, ready to be written. A nil one writes
// nothing.
type keeping struct {
	key, content   []byte
	begun, expires int64
	status         int
	header         string
	body           []byte
}

// keepRequest writes a reply where the request has none. An expired one is taken
// over.
const keepRequest = `INSERT INTO requests (key, content, begun, expires, status, header, body) VALUES ($1, $2, $3, $4, $5, $6, $7)
	ON CONFLICT (key) DO UPDATE SET content = excluded.content, begun = excluded.begun, expires = excluded.expires,
		status = excluded.status, header = excluded.header, body = excluded.body
	WHERE requests.expires <= excluded.begun OR requests.status IS NULL AND requests.content = excluded.content`

// keep makes what is written for the reply to a request.
func keep(x *Settlement, outcome any, now time.Time) (*keeping, error) {
	if x == nil {
		return nil, nil
	}
	if err := x.Request.check(); err != nil {
		return nil, err
	}
	reply, err := x.Reply(outcome)
	if err != nil {
		return nil, err
	}
	header, err := strictjson.Encode(reply.Header)
	if err != nil {
		return nil, err
	}
	return &keeping{x.Request.key(), x.Request.Content[:], micros(now), micros(now.Add(RequestLife)), reply.Status, string(header), reply.Body}, nil
}

// write keeps the reply within a transaction.
func (k *keeping) write(ctx context.Context, tx querier) error {
	if k == nil {
		return nil
	}
	done, err := tx.ExecContext(ctx, keepRequest, k.key, k.content, k.begun, k.expires, k.status, k.header, k.body)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return ErrAnswered
}

// settleRequest keeps the reply that an outcome is, within the transaction that leads to
// it.
func (s *database) settleRequest(ctx context.Context, tx querier, x *Settlement, outcome any) error {
	k, err := keep(x, outcome, s.now())
	if err != nil {
		return err
	}
	return k.write(ctx, tx)
}
