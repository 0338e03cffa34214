package eval

import (
	"context"
	"errors"
	"sync"

	"github.com/remit-project/remit/scope"
)

// NamesReport says what was asked about the names of members, and answered.
type NamesReport struct {
	// Questions are those that differ, and Failed those without an answer.
	Questions int `json:"questions"`
	Failed    int `json:"failed"`
	// Guesses are the names that were asked about, and Named those for which a member is meant.
	Guesses int `json:"guesses"`
	Named   int `json:"named"`
	// Input and Output are the tokens of all answers.
	Input  int `json:"input_tokens"`
	Output int `json:"output_tokens"`
}

// asking asks a namer and counts the questions. As a planner it plans nothing: scopes are given.
type asking struct {
	namer scope.Namer
	mu    sync.Mutex
	seen  map[string]bool
	NamesReport
}

func newAsking(n scope.Namer) *asking {
	if n == nil {
		return nil
	}
	return &asking{namer: n, seen: map[string]bool{}}
}

// Plan implements [scope.Planner].
func (*asking) Plan(context.Context, *scope.Request) (*scope.Plan, error) {
	return nil, errors.New("the scopes are given")
}

// Name implements [scope.Namer].
func (a *asking) Name(ctx context.Context, r *scope.NameRequest) (*scope.Naming, error) {
	naming, err := a.namer.Name(ctx, r)
	a.mu.Lock()
	defer a.mu.Unlock()
	if key := r.Digest(); a.seen[key] {
		return naming, err
	} else {
		a.seen[key] = true
	}

	a.Questions++
	a.Guesses += len(r.Guesses)
	if err != nil {
		a.Failed++
		return nil, err
	}
	a.Named += len(naming.Names)
	a.Input += naming.InputTokens
	a.Output += naming.OutputTokens
	return naming, nil
}

func (a *asking) report() *NamesReport {
	if a == nil {
		return nil
	}
	return &a.NamesReport
}
