package ledger_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/scope"
	"github.com/remit-project/remit/synth"
)

// asked is a planner that counts, and answers when it may.
type asked struct {
	times  atomic.Int64
	answer chan struct{}
}

func (a *asked) Plan(ctx context.Context, _ *scope.Request) (*scope.Plan, error) {
	a.times.Add(1)
	select {
	case <-a.answer:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return &scope.Plan{Scope: json.RawMessage(`{"calls":[{"tool":"send_mail","args":{"/to":{"is":"ann@partner.example"},"/body":{"any":true}}}]}`)}, nil
}

func planned(t *testing.T, p scope.Planner) *remit.Monitor {
	t.Helper()
	c, err := schema.Parse("mail", []byte(`{"tools":[{"name":"send_mail","inputSchema":{"type":"object","properties":{"to":{"type":"string"},"body":{"type":"string"}},"required":["to","body"]}}]}`))
	must(t, err)
	m, err := remit.New(remit.Options{Tools: []*schema.Catalogue{c}, Contracts: []*contract.File{synth.Contract(c)}, Planner: p})
	must(t, err)
	return m
}

// TestPlanAhead: the planner runs beside other steps of the session, once for a turn, and
// every call of the turn waits for it, however many there are.
func TestPlanAhead(t *testing.T) {
	p := &asked{answer: make(chan struct{})}
	m := planned(t, p)
	st := open(t, sqlite(t))
	s, err := ledger.New(st, ledger.Options{}).Open(t.Context(), m, "s")
	must(t, err)
	must(t, s.User(t.Context(), "Send a mail to ann@partner.example, not to bob@partner.example."))
	s.PlanAhead(t.Context())
	must(t, s.Assistant(t.Context(), "I am on it.")) // doesn't wait

	var all sync.WaitGroup
	for id, want := range map[string]remit.Verdict{"ann@partner.example": remit.Allow, "bob@partner.example": remit.Ask} {
		all.Go(func() {
			args, _ := json.Marshal(map[string]string{"to": id, "body": "x"})
			d, err := s.Decide(context.Background(), remit.Call{ID: id, Tool: "send_mail", Arguments: args})
			if err != nil || d.Verdict != want {
				t.Errorf("%s: %v, %v", id, d, err)
			}
		})
	}
	close(p.answer)
	all.Wait()
	if n := p.times.Load(); n != 1 {
		t.Errorf("the planner was asked %d times", n)
	}

	// Another replica needs no planner for the turn.
	other, err := ledger.New(st, ledger.Options{}).Open(t.Context(), planned(t, nil), "s")
	must(t, err)
	count := 0
	for e, err := range other.Events(t.Context()) {
		must(t, err)
		if e.Kind == remit.ScopeEvent {
			count++
			if e.Planned == nil || e.Planned.Shown == "" {
				t.Errorf("the log doesn't say what the planner was shown: %+v", e.Planned)
			}
		}
	}
	if count != 1 {
		t.Errorf("the log has %d scopes", count)
	}
	verify(t, st)
}

// TestPlanEnds: a caller whose context ends while the planner thinks gets no decision.
func TestPlanEnds(t *testing.T) {
	m := planned(t, &asked{answer: make(chan struct{})})
	s := ledger.Begin(m, "s")
	must(t, s.User(t.Context(), "Send a mail to ann@partner.example."))
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if d, err := s.Decide(ctx, remit.Call{Tool: "send_mail", Arguments: json.RawMessage(`{"to":"ann@partner.example","body":"x"}`)}); err == nil {
		t.Errorf("decided %s without waiting", d.Verdict)
	}
}

// TestPlanOfOthersTurn: a turn that another replica writes is planned for, although this
// one has planned for the turn before.
func TestPlanOfOthersTurn(t *testing.T) {
	p := &asked{answer: make(chan struct{})}
	close(p.answer)
	st := open(t, sqlite(t))
	s, err := ledger.New(st, ledger.Options{}).Open(t.Context(), planned(t, p), "s")
	must(t, err)
	must(t, s.User(t.Context(), "Send a mail to ann@partner.example."))
	mail := func(to string) remit.Verdict {
		d, err := s.Decide(t.Context(), remit.Call{Tool: "send_mail", Arguments: json.RawMessage(`{"to":"` + to + `","body":"x"}`)})
		must(t, err)
		return d.Verdict
	}
	if v := mail("ann@partner.example"); v != remit.Allow {
		t.Errorf("in the first turn: %s", v)
	}

	other, err := ledger.New(st, ledger.Options{}).Open(t.Context(), planned(t, nil), "s")
	must(t, err)
	must(t, other.User(t.Context(), "Send a mail to bob@partner.example."))
	if v := mail("bob@partner.example"); v != remit.Ask || p.times.Load() != 2 {
		t.Errorf("in the other's turn: %s, and the planner was asked %d times", v, p.times.Load())
	}
}

// together is a planner whose plans of sources wait for each other.
type together struct{ arrived sync.WaitGroup }

func (p *together) Plan(_ context.Context, r *scope.Request) (*scope.Plan, error) {
	read := `{"tool":"read_list","args":{"/name":{"is":["one","two","three"]}}}`
	if r.Material == nil {
		return &scope.Plan{Scope: json.RawMessage(`{"calls":[` + strings.Replace(read, `"args"`, `"times":3,"args"`, 1) + `],"delegates":[` + read + `,` +
			strings.Replace(read, `["one","two","three"]`, `"one"`, 1) + `,` + strings.Replace(read, `["one","two","three"]`, `"two"`, 1) + `]}`)}, nil
	}
	p.arrived.Done()
	p.arrived.Wait()
	return &scope.Plan{Scope: json.RawMessage(`{"calls":[{"tool":"read_list","args":{"/name":{"is":"four"}}}]}`)}, nil
}

// TestDelegatedBeside: the plans of several sources are made concurrently, as a person waits for
// them.
func TestDelegatedBeside(t *testing.T) {
	c, err := schema.Parse("lists", []byte(`{"tools":[{"name":"read_list","description":"Read a list","inputSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}]}`))
	must(t, err)
	p := &together{}
	p.arrived.Add(3)
	m, err := remit.New(remit.Options{Tools: []*schema.Catalogue{c}, Contracts: []*contract.File{synth.Contract(c)}, Planner: p, Scopes: scope.ModeBound})
	must(t, err)
	s := ledger.Begin(m, "s")
	must(t, s.User(t.Context(), "Do what my lists one, two and three say."))
	for _, name := range []string{"one", "two", "three"} {
		d, err := s.Decide(t.Context(), remit.Call{Tool: "read_list", Arguments: json.RawMessage(`{"name":"` + name + `"}`)})
		must(t, err)
		must(t, s.Result(t.Context(), remit.Result{Call: d.Call, Content: "Read list four, says " + name + "."}))
	}
	list, err := s.Delegated(t.Context())
	must(t, err)
	if len(list) != 3 {
		t.Fatalf("%d sources", len(list))
	}
	for _, d := range list {
		if d.Scope == nil {
			t.Errorf("no plan: %s", d.Failed)
		}
	}
}
