package ledger_test

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/scope"
	"github.com/remit-project/remit/synth"
)

// naming is a planner that says what a name means once it may.
type naming struct {
	times  atomic.Int64
	begun  chan struct{}
	answer chan struct{}
}

func (*naming) Plan(context.Context, *scope.Request) (*scope.Plan, error) {
	return &scope.Plan{Scope: json.RawMessage(`{"calls":[{"tool":"list_mails"},{"tool":"delete_mail","args":{"/id":{"from":[{"tool":"list_mails","field":"id","where":{"folk":"Ann"}}],"kind":"id","pick":"only"}}}]}`)}, nil
}

func (n *naming) Name(ctx context.Context, _ *scope.NameRequest) (*scope.Naming, error) {
	n.times.Add(1)
	n.begun <- struct{}{}
	select {
	case <-n.answer:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return &scope.Naming{Names: []scope.Meant{{Guess: "folk", Member: "correspondent"}}}, nil
}

// TestNames: the planner is asked as soon as a result is told, beside other steps of the session; the call that needs the answer
// waits for it, and a session that is read from the log knows it.
func TestNames(t *testing.T) {
	n := &naming{begun: make(chan struct{}, 1), answer: make(chan struct{})}
	c, err := schema.Parse("mail", []byte(`{"tools":[{"name":"list_mails","inputSchema":{"type":"object","properties":{}}},
		{"name":"delete_mail","inputSchema":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}}]}`))
	must(t, err)
	m, err := remit.New(remit.Options{Tools: []*schema.Catalogue{c}, Contracts: []*contract.File{synth.Contract(c)}, Planner: n})
	must(t, err)
	st := open(t, sqlite(t))
	s, err := ledger.New(st, ledger.Options{}).Open(t.Context(), m, "s")
	must(t, err)
	must(t, s.User(t.Context(), "Delete Ann's mail."))
	decide := func(s *ledger.Session, call remit.Call, want remit.Verdict) {
		t.Helper()
		if d, err := s.Decide(t.Context(), call); err != nil || d.Verdict != want {
			t.Errorf("%s: %v, %v", call.Tool, d, err)
		}
	}
	decide(s, remit.Call{ID: "l", Tool: "list_mails", Arguments: json.RawMessage(`{}`)}, remit.Allow)
	must(t, s.Result(t.Context(), remit.Result{Call: "l", Content: `[{"id":"m1","correspondent":"Ann"},{"id":"m2","correspondent":"Eve"}]`}))
	<-n.begun
	must(t, s.Assistant(t.Context(), "I have found it.")) // doesn't wait
	decide(s, remit.Call{ID: "l2", Tool: "list_mails", Arguments: json.RawMessage(`{}`)}, remit.Allow)

	close(n.answer)
	decide(s, remit.Call{ID: "x", Tool: "delete_mail", Arguments: json.RawMessage(`{"id":"m1"}`)}, remit.Allow)
	decide(s, remit.Call{ID: "y", Tool: "delete_mail", Arguments: json.RawMessage(`{"id":"m2"}`)}, remit.Ask)
	if n.times.Load() != 1 {
		t.Errorf("the planner was asked %d times", n.times.Load())
	}

	again, err := ledger.New(st, ledger.Options{}).Open(t.Context(), m, "s")
	must(t, err)
	names, err := again.LastNames(t.Context())
	must(t, err)
	if len(names) != 1 || len(names[0].Names) != 1 || names[0].Names[0] != (scope.Meant{Guess: "folk", Member: "correspondent"}) {
		t.Errorf("the log has %v", names)
	}
	if last, err := again.LastScope(t.Context()); err != nil || last == nil || len(last.Scope) == 0 {
		t.Errorf("the scope of the turn is %v, %v", last, err)
	}
	must(t, again.Result(t.Context(), remit.Result{Call: "l2", Content: `[{"id":"m1","correspondent":"Ann"}]`}))
	decide(again, remit.Call{ID: "x", Tool: "delete_mail", Arguments: json.RawMessage(`{"id":"m1"}`)}, remit.Deny)
	if n.times.Load() != 1 {
		t.Errorf("the planner was asked %d times", n.times.Load())
	}
}
