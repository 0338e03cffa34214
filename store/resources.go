package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/remit-project/remit/label"
)

// key is the hash that a resource is found by.
func (r Resource) key() ([]byte, error) {
	h := sha256.New()
	for _, part := range []string{r.Server, r.Family, r.ID} {
		if len(part) > MaxResource {
			return nil, fmt.Errorf("%w: a resource's name is longer than %d bytes", ErrInvalid, MaxResource)
		}
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	if r.ID == "" {
		return nil, fmt.Errorf("%w: a resource needs an id", ErrInvalid)
	}
	return h.Sum(nil), nil
}

// Lower implements [Resources].
func (s *database) Lower(ctx context.Context, r Resource, l ResourceLabel) (ResourceLabel, error) {
	key, err := r.key()
	if err != nil {
		return ResourceLabel{}, fmt.Errorf("label of a resource: %w", err)
	}
	if l.Trust > label.Trusted {
		return ResourceLabel{}, fmt.Errorf("label of a resource: %w: %s", ErrInvalid, l.Trust)
	}
	for _, o := range l.Origins {
		if len(o) > MaxResource || o == "" || readable(o) != o {
			return ResourceLabel{}, fmt.Errorf("label of a resource: %w: an origin is text of at most %d bytes", ErrInvalid, MaxResource)
		}
	}
	var out ResourceLabel
	err = s.write(ctx, func(ctx context.Context, tx querier) error {
		// The names are for people, who need not see every byte.
		if _, err := tx.ExecContext(ctx, `INSERT INTO resources (hash, server, family, id, trust) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (hash) DO UPDATE SET trust = CASE WHEN excluded.trust < resources.trust THEN excluded.trust ELSE resources.trust END`,
			key, readable(r.Server), readable(r.Family), readable(r.ID), int64(l.Trust)); err != nil {
			return err
		}
		have, err := labelOf(ctx, tx, key)
		if err != nil {
			return err
		}
		n := len(have.Origins)
		for _, o := range l.Origins {
			if n >= MaxOrigins {
				o = MoreOrigins
			}
			done, err := tx.ExecContext(ctx, "INSERT INTO resource_origins (hash, origin) VALUES ($1, $2) ON CONFLICT (hash, origin) DO NOTHING", key, o)
			if err != nil {
				return err
			}
			added, err := done.RowsAffected()
			if err != nil {
				return err
			}
			n += int(added)
		}
		out, err = labelOf(ctx, tx, key)
		return err
	})
	if err != nil {
		return ResourceLabel{}, failed("label of a resource", err)
	}
	return out, nil
}

// Label implements [Resources].
func (s *database) Label(ctx context.Context, r Resource) (ResourceLabel, bool, error) {
	key, err := r.key()
	if err != nil {
		return ResourceLabel{}, false, fmt.Errorf("label of a resource: %w", err)
	}
	l, err := labelOf(ctx, s.read, key)
	if errors.Is(err, ErrNotFound) {
		return ResourceLabel{}, false, nil
	}
	return l, err == nil, failed("label of a resource", err)
}

func labelOf(ctx context.Context, q querier, key []byte) (ResourceLabel, error) {
	// One statement, so that trust and origins are of one moment.
	rows, err := q.QueryContext(ctx, `SELECT r.trust, coalesce(o.origin, '') FROM resources r
		LEFT JOIN resource_origins o ON o.hash = r.hash WHERE r.hash = $1 ORDER BY o.origin`, key)
	if err != nil {
		return ResourceLabel{}, err
	}
	defer rows.Close()
	var l ResourceLabel
	found := false
	for rows.Next() {
		var trust int64
		var origin string
		if err := rows.Scan(&trust, &origin); err != nil {
			return ResourceLabel{}, err
		}
		if trust < int64(label.External) || trust > int64(label.Trusted) {
			return ResourceLabel{}, fmt.Errorf("%w: a resource's trust is %d", ErrCorrupt, trust)
		}
		l.Trust, found = label.Trust(trust), true
		if origin != "" {
			l.Origins = append(l.Origins, origin)
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return ResourceLabel{}, err
	}
	if !found {
		return ResourceLabel{}, ErrNotFound
	}
	return l, nil
}
