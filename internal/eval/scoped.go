package eval

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/scope"
)

// scopedEngine is Remit with scopes for the user's turns.
type scopedEngine struct{ mode scope.Mode }

func (e scopedEngine) Describe() Description {
	return Description{"remit-" + string(e.mode), "every argument by its own role and floor, with scopes of the user's turns", "task scopes"}
}

func (e scopedEngine) Ready(contracts []*contract.File, tools []*schema.Catalogue) (Begin, error) {
	m, err := monitor(contracts, tools, setPrecision(label.L3), e.mode)
	if err != nil {
		return nil, err
	}
	return func(id string) Conversation { return ledger.Begin(m, id) }, nil
}

// scoper is a session that takes scopes.
type scoper interface {
	Scope(ctx context.Context, data []byte) (*scope.Scope, []scope.Refusal, error)
}

// putScope gives a session the scope of the user's turn, where there is one and the
// session takes scopes.
func putScope(ctx context.Context, s Conversation, data json.RawMessage) error {
	to, ok := s.(scoper)
	if !ok || data == nil {
		return nil
	}
	if _, _, err := to.Scope(ctx, data); err != nil {
		return fmt.Errorf("put a scope into force: %w", err)
	}
	return nil
}

// loadDojoScopes reads the scopes of a suite's tasks: SUITE.scopes*.json or
// SUITE/scopes*.json in the directory.
func loadDojoScopes(dir, suite string) (map[string]json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	found := 0
	for _, pattern := range []string{suite + ".scopes*.json", filepath.Join(suite, "scopes*.json")} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, fmt.Errorf("find scopes: %w", err)
		}
		for _, f := range files {
			found++
			if err := readJSON(f, &out); err != nil {
				return nil, err
			}
		}
	}
	if found == 0 {
		return nil, fmt.Errorf("%s holds no scopes of suite %s: write them as %s.scopes.json, by the ids of the tasks", dir, suite, suite)
	}
	return out, nil
}
