package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
)

func (c *Creation) check() error {
	if err := errors.Join(checkID("session id", c.ID), checkID("principal", c.Principal)); err != nil {
		return err
	}
	if len(c.Tools) > MaxTools {
		return fmt.Errorf("create session %q: %w: %d bytes of tools are more than %d", c.ID, ErrInvalid, len(c.Tools), MaxTools)
	}
	return nil
}

// Create implements [Logs].
func (s *database) Create(ctx context.Context, c Creation) (SessionInfo, error) {
	if err := c.check(); err != nil {
		return SessionInfo{}, err
	}
	b, err := newBody(&Entry{Kind: CreatedEntry, Principal: s.redact.Text(c.Principal)})
	if err != nil {
		return SessionInfo{}, fmt.Errorf("create session %q: %w", c.ID, err)
	}

	var info SessionInfo
	err = s.write(ctx, func(ctx context.Context, tx querier) error {
		r, err := s.lock(ctx, tx, c.ID)
		switch {
		case errors.Is(err, ErrNotFound):
			r, err = s.begin(ctx, tx, c.ID)
		case err == nil || errors.Is(err, ErrPruned):
			return ErrExists
		}
		if err != nil {
			return err
		}
		if r.entries > 0 { // another replica has begun it just now
			return ErrExists
		}
		var toolset []byte
		if len(c.Tools) > 0 {
			sum := sha256.Sum256(c.Tools)
			toolset = sum[:]
			if _, err := tx.ExecContext(ctx, "INSERT INTO toolsets (hash, tools) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING", toolset, string(c.Tools)); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, "UPDATE sessions SET principal = $2, toolset = $3 WHERE id = $1", c.ID, c.Principal, toolset); err != nil {
			return err
		}
		info = SessionInfo{ID: c.ID, Principal: c.Principal, Begun: fromMicros(r.begun)}
		if err := r.add(ctx, tx, b, s.now(), nil); err != nil {
			return err
		}
		info.Active = fromMicros(r.active)
		if err := s.settleRequest(ctx, tx, c.Settles, info); err != nil {
			return err
		}
		return r.save(ctx, tx)
	})

	return info, failed(fmt.Sprintf("create session %q", c.ID), err)
}

// End implements [Principals].
func (s *database) End(ctx context.Context, session string) (SessionInfo, error) {
	if err := checkID("session id", session); err != nil {
		return SessionInfo{}, err
	}
	b, err := newBody(&Entry{Kind: EndedEntry})
	if err != nil {
		return SessionInfo{}, fmt.Errorf("end session %q: %w", session, err)
	}

	var info SessionInfo
	var withdrawn []string
	err = s.write(ctx, func(ctx context.Context, tx querier) error {
		r, err := s.lock(ctx, tx, session)
		if err != nil {
			return err
		}
		if !r.ended {
			at := s.now()
			if _, err := tx.ExecContext(ctx, "UPDATE sessions SET ended = $2 WHERE id = $1", session, micros(at)); err != nil {
				return err
			}
			if err := r.add(ctx, tx, b, at, nil); err != nil {
				return err
			}
			if err := r.save(ctx, tx); err != nil {
				return err
			}
			if withdrawn, err = s.withdrawAll(ctx, tx, r); err != nil {
				return err
			}
		}
		list, err := infos(ctx, tx, selectInfo+"id = $1", session)
		if err == nil {
			info = list[0]
		}
		return err
	})

	for _, id := range withdrawn {
		s.hub.wake(id)
	}
	return info, failed(fmt.Sprintf("end session %q", session), err)
}

// Tools implements [Principals].
func (s *database) Tools(ctx context.Context, session string) (json.RawMessage, error) {
	if err := checkID("session id", session); err != nil {
		return nil, err
	}
	var tools sql.NullString
	err := one(ctx, s.read, "SELECT t.tools FROM sessions s LEFT JOIN toolsets t ON t.hash = s.toolset WHERE s.id = $1 AND s.pruned IS NULL", []any{session}, &tools)
	if err != nil || !tools.Valid {
		return nil, failed(fmt.Sprintf("tools of session %q", session), err)
	}
	return json.RawMessage(tools.String), nil
}

// where returns the condition on a principal, as the last parameter of a statement whose others
// are given.
func (w Whose) where(args []any) (string, []any) {
	if w.Everybody {
		return "", args
	}
	args = append(args, w.Principal)
	return fmt.Sprintf(" AND principal = $%d", len(args)), args
}

// SessionsOf implements [Principals].
func (s *database) SessionsOf(ctx context.Context, w Whose, after string, limit int) ([]SessionInfo, error) {
	where, args := w.where([]any{after, page(limit)})
	list, err := infos(ctx, s.read, selectInfo+"id > $1 AND id <> '' AND pruned IS NULL"+where+" ORDER BY id LIMIT $2", args...)
	return list, failed("list sessions", err)
}

// PendingOf implements [Principals].
func (s *database) PendingOf(ctx context.Context, w Whose, after Turn, limit int) ([]Approval, error) {
	where, args := w.where([]any{micros(s.now()), micros(after.Created), after.ID, page(limit)})
	if where != "" {
		where = " AND session IN (SELECT id FROM sessions WHERE" + where[len(" AND"):] + ")"
	}
	list, err := approvals(ctx, s.read, "state = 'pending' AND expires > $1 AND (created > $2 OR created = $2 AND id > $3)"+where+" ORDER BY created, id LIMIT $4", args...)
	return list, failed("list approvals", err)
}
