// Package doortest has what the tests of several doors share: a planner, and a person.
package doortest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/remit-project/remit/scope"
	"github.com/remit-project/remit/store"
)

// Filer is a planner that lets the file be renamed whose name is the last word of the turn.
type Filer struct{}

// Plan implements [scope.Planner].
func (Filer) Plan(_ context.Context, r *scope.Request) (*scope.Plan, error) {
	words := strings.Fields(r.Said[len(r.Said)-1].Text)
	find := fmt.Sprintf(`"tool":"find_files","args":{"/query":{"is":%q}}`, words[len(words)-1])
	source := fmt.Sprintf(`{%s,"field":"id","where":{"name":%q}}`, find, words[len(words)-1])
	return &scope.Plan{Model: "test", Scope: json.RawMessage(`{"calls":[{` + find + `},{"tool":"rename_file","args":{"/file_id":{"from":[` + source + `],"kind":"id","pick":"only"},"/name":{"any":true}}}]}`)}, nil
}

// Agreeing is the queue of a person who agrees to everything at once.
type Agreeing struct {
	store.Store
	// Asked are the questions as JSON, in their order.
	Asked []string
}

// Wait implements [store.Approvals]: it answers the question first.
func (a *Agreeing) Wait(ctx context.Context, id string) (store.Approval, error) {
	question, err := a.Store.Approval(ctx, id)
	if err != nil {
		return question, err
	}
	text, err := json.Marshal(question)
	if err != nil {
		return question, err
	}
	a.Asked = append(a.Asked, string(text))
	if _, err := a.Store.Answer(ctx, id, store.Answer{Approve: true, Extent: store.Once}); err != nil {
		return question, err
	}
	return a.Store.Wait(ctx, id)
}
