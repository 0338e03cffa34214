package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/remit-project/remit/label"
)

// key returns the hash that a resource is found by.
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

// MaxResources bounds the resources of one look-up or note: those that one call
// can name.
const MaxResources = 128

func keys(list []Resource) ([][]byte, error) {
	if len(list) > MaxResources {
		return nil, fmt.Errorf("%w: %d resources at once are more than %d", ErrInvalid, len(list), MaxResources)
	}
	out := make([][]byte, len(list))
	for i, r := range list {
		var err error
		if out[i], err = r.key(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// checkLower checks what is to be noted, and returns the keys of the resources.
func checkLower(l ResourceLabel, list []Resource) ([][]byte, error) {
	keys, err := keys(list)
	if err != nil {
		return nil, fmt.Errorf("label of a resource: %w", err)
	}
	if l.Trust > label.Trusted {
		return nil, fmt.Errorf("label of a resource: %w: %s", ErrInvalid, l.Trust)
	}
	for _, o := range l.Origins {
		if len(o) > MaxResource || o == "" || readable(o) != o {
			return nil, fmt.Errorf("label of a resource: %w: an origin is text of at most %d bytes", ErrInvalid, MaxResource)
		}
	}
	return keys, nil
}

// Lower implements [Resources].
func (s *database) Lower(ctx context.Context, l ResourceLabel, list ...Resource) error {
	keys, err := checkLower(l, list)
	if err != nil {
		return err
	}

	// In one order everywhere, so that two replicas never wait for each other.
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}

	slices.SortFunc(order, func(a, b int) int { return bytes.Compare(keys[a], keys[b]) })
	return failed("label of a resource", s.write(ctx, func(ctx context.Context, tx querier) error {
		for _, i := range order {
			if err := lower(ctx, tx, keys[i], &list[i], l); err != nil {
				return err
			}
		}
		return nil
	}))
}

func lower(ctx context.Context, tx querier, key []byte, r *Resource, l ResourceLabel) error {
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

	return nil
}

// Labels implements [Resources].
func (s *database) Labels(ctx context.Context, list ...Resource) ([]*ResourceLabel, error) {
	keys, err := keys(list)
	if err != nil {
		return nil, fmt.Errorf("label of a resource: %w", err)
	}
	found, err := labels(ctx, s.look, keys)
	if err != nil {
		return nil, failed("label of a resource", err)
	}
	out := make([]*ResourceLabel, len(list))
	for i, key := range keys {
		out[i] = found[string(key)]
	}
	return out, nil
}

// labelOf returns the label of a resource that is there.
func labelOf(ctx context.Context, q querier, key []byte) (*ResourceLabel, error) {
	found, err := labels(ctx, q, [][]byte{key})
	if err == nil && found[string(key)] == nil {
		err = ErrNotFound
	}
	return found[string(key)], err
}

// labels reads labels by their keys in one statement, so that trust and origins
// are of one moment.
func labels(ctx context.Context, q looker, keys [][]byte) (map[string]*ResourceLabel, error) {
	out := make(map[string]*ResourceLabel, len(keys))
	if len(keys) == 0 {
		return out, nil
	}

	// Statements are few, so that each is prepared once: the last key fills up.
	args := make([]any, 1<<bits.Len(uint(len(keys)-1)))
	places := make([]string, len(args))
	for i := range args {
		args[i], places[i] = keys[min(i, len(keys)-1)], fmt.Sprintf("$%d", i+1)
	}

	rows, err := q.QueryContext(ctx, `SELECT r.hash, r.trust, coalesce(o.origin, '') FROM resources r
		LEFT JOIN resource_origins o ON o.hash = r.hash WHERE r.hash IN (`+strings.Join(places, ", ")+`) ORDER BY o.origin`, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()

	for rows.Next() {
		var key []byte
		var trust int64
		var origin string
		if err := rows.Scan(&key, &trust, &origin); err != nil {
			return nil, err
		}
		if trust < int64(label.External) || trust > int64(label.Trusted) {
			return nil, fmt.Errorf("%w: a resource's trust is %d", ErrCorrupt, trust)
		}
		l := out[string(key)]
		if l == nil {
			l = &ResourceLabel{Trust: label.Trust(trust)}
			out[string(key)] = l
		}
		if origin != "" {
			l.Origins = append(l.Origins, origin)
		}
	}

	return out, errors.Join(rows.Err(), rows.Close())
}
