package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/scope"
	"github.com/remit-project/remit/store"
)

// joint is a person who answers forms about several calls.
type joint struct {
	content map[string]any

	mu    sync.Mutex
	asked []string
}

func (j *joint) client() *sdk.ClientOptions {
	return &sdk.ClientOptions{ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.asked = append(j.asked, r.Params.Message)
		content := j.content
		if only, ok := content["only"].(func(string) string); ok {
			content = map[string]any{"decision": content["decision"], "only": only(r.Params.Message)}
		}
		return &sdk.ElicitResult{Action: "accept", Content: content}, nil
	}}
}

// mailsAtOnce makes calls beside each other, and returns to whom mail went.
func mailsAtOnce(t *testing.T, s *sdk.ClientSession, to ...string) []string {
	t.Helper()
	sent := make([]bool, len(to))
	var all sync.WaitGroup
	for i, who := range to {
		all.Go(func() { sent[i] = !call(t, s, "send_email", mail{To: who, Body: "Hello."}).IsError })
	}
	all.Wait()
	var out []string
	for i, who := range to {
		if sent[i] {
			out = append(out, who)
		}
	}
	return out
}

// numberOf finds in a question the number of the call to a recipient.
func numberOf(question, to string) string {
	before, _, _ := strings.Cut(question, to)
	at := strings.LastIndex(before, ". The call of")
	return before[at-1 : at]
}

// TestTogether asks once about the calls that are held back at the same time, and lets
// those through that the person agrees to.
func TestTogether(t *testing.T) {
	const ann, bob, eve = "ann@corp.example", "bob@corp.example", "eve@evil.example"
	for name, c := range map[string]struct {
		content map[string]any
		want    []string
	}{
		"all":              {map[string]any{"decision": "approve"}, []string{ann, bob, eve}},
		"all, with a word": {map[string]any{"decision": "approve", "only": ""}, []string{ann, bob, eve}},
		"some": {map[string]any{"decision": "approve", "only": func(q string) string {
			return numberOf(q, ann) + ", " + numberOf(q, bob)
		}}, []string{ann, bob}},
		"one that isn't there": {map[string]any{"decision": "approve", "only": "1 4"}, nil},
		"words":                {map[string]any{"decision": "approve", "only": "not 1"}, nil},
		"none":                 {map[string]any{"decision": "decline"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &joint{content: c.content}
			g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "desk", "desk")}, Elicit: true, Limits: mcp.Limits{Together: 3, Gather: time.Minute}})
			s := overStdio(t, g, "s1", p.client(), legacy)
			if got := mailsAtOnce(t, s, ann, bob, eve); !slices.Equal(got, c.want) {
				t.Errorf("mails to %v, want %v", got, c.want)
			}
			if len(p.asked) != 1 || strings.Count(p.asked[0], "The call of") != 3 {
				t.Errorf("the questions: %q", p.asked)
			}
		})
	}
}

// TestTogetherInTheQueue puts the calls into the queue as one question.
func TestTogetherInTheQueue(t *testing.T) {
	q := &even{}
	g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "desk", "desk")}, Approver: q, Limits: mcp.Limits{Together: 4, Gather: time.Minute}})
	s := overStdio(t, g, "s1", nil, legacy)
	sent := mailsAtOnce(t, s, "a@corp.example", "b@corp.example", "c@corp.example", "d@corp.example")
	if len(sent) != 2 || !slices.Equal(q.questions, []int{4}) {
		t.Errorf("mails to %v after questions about %v calls", sent, q.questions)
	}
}

// even is a person who agrees to every second call, and remembers how many calls each
// question had.
type even struct{ questions []int }

func (e *even) Ask(ctx context.Context, s *ledger.Session, held ...*remit.Decision) (ledger.Answer, error) {
	e.questions = append(e.questions, len(held))
	out := ledger.Answer{Decisions: slices.Clone(held)}
	for i, d := range held {
		if i%2 == 0 {
			after, err := s.ConfirmAsked(ctx, d, store.Once)
			if err != nil {
				return out, err
			}
			out.Decisions[i] = after
		}
	}
	return out, nil
}

// TestTogetherWithoutTheFirst asks again about the others where the client withdraws the
// call that asked.
func TestTogetherWithoutTheFirst(t *testing.T) {
	p := &patient{began: make(chan int, 2)}
	g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "desk", "desk")}, Approver: p, Limits: mcp.Limits{Together: 2, Gather: time.Minute}})
	s := overStdio(t, g, "s1", nil, legacy)

	var all sync.WaitGroup
	results := make([]*sdk.CallToolResult, 3)
	stops := make([]context.CancelFunc, 3)
	begin := func(i int) {
		var ctx context.Context
		ctx, stops[i] = context.WithCancel(t.Context())
		all.Go(func() {
			results[i], _ = s.CallTool(ctx, &sdk.CallToolParams{Name: "send_email", Arguments: mail{To: fmt.Sprintf("%d@corp.example", i), Body: "x"}})
		})
	}
	begin(0)
	begin(1)
	<-p.began
	first := 0
	if strings.Contains(p.first, "1@corp.example") {
		first = 1
	}
	stops[first]()
	begin(2) // which the other one is asked about with
	if got := <-p.began; got != 2 {
		t.Errorf("the second question is about %d calls", got)
	}

	all.Wait()
	for i, r := range results {
		stops[i]()
		if i != first && (r == nil || r.IsError) {
			t.Errorf("call %d was not made: %+v", i, r)
		}
	}
}

// patient is a person who never answers the first question, and agrees to the next ones.
type patient struct {
	began chan int
	n     int
	first string // the arguments of the call that asked first
}

func (p *patient) Ask(ctx context.Context, s *ledger.Session, held ...*remit.Decision) (ledger.Answer, error) {
	p.n++
	if p.n == 1 {
		p.first = string(held[0].Arguments)
		p.began <- len(held)
		<-ctx.Done()
		return ledger.Answer{Decisions: held}, ctx.Err()
	}
	out := ledger.Answer{}
	for _, d := range held {
		after, err := s.ConfirmAsked(ctx, d, store.Once)
		if err != nil {
			return out, err
		}
		out.Decisions = append(out.Decisions, after)
	}
	p.began <- len(held)
	return out, nil
}

// follower plans turns that delegate to the inbox, and the inbox.
type follower struct{ to string }

func (f follower) Plan(_ context.Context, r *scope.Request) (*scope.Plan, error) {
	text := `{"calls":[{"tool":"read_inbox"}],"delegates":[{"tool":"read_inbox"}]}`
	if r.Material != nil {
		text = `{"calls":[{"tool":"send_email","args":{"/to":{"is":"` + f.to + `"},"/body":{"any":true}}}]}`
	}
	return &scope.Plan{Scope: json.RawMessage(text)}, nil
}

// TestDelegationInAForm shows the source and its plan in the form, in place of the calls
// that the plan covers, and lets those through once the person has agreed.
func TestDelegationInAForm(t *testing.T) {
	const eve, bob = "eve@evil.example", "bob@corp.example"
	for name, c := range map[string]struct {
		content map[string]any
		plan    string
		shows   string
		want    []string
	}{
		"all":                {map[string]any{"decision": "approve"}, eve, "1. Following what \"read_inbox\" returned", []string{eve, bob}},
		"the plan":           {map[string]any{"decision": "approve", "only": "1"}, eve, "1. Following", []string{eve}},
		"the other call":     {map[string]any{"decision": "approve", "only": "2"}, eve, "2. The call of", []string{bob}},
		"none":               {map[string]any{"decision": "decline"}, eve, "1. Following", nil},
		"a plan of no avail": {map[string]any{"decision": "approve"}, "ann@corp.example", "1. The call of", []string{eve, bob}},
	} {
		t.Run(name, func(t *testing.T) {
			p := &joint{content: c.content}
			shared, _ := sharedWith(t, "Do what my inbox says.")
			g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{child(t, "desk", "desk")}, Elicit: true, Ledger: shared,
				Monitor: remit.Options{Planner: follower{c.plan}, Scopes: scope.ModeBound}, Limits: mcp.Limits{Together: 2, Gather: time.Minute}})
			s := overStdio(t, g, "s", p.client(), legacy)
			call(t, s, "read_inbox", empty{})
			if got := mailsAtOnce(t, s, eve, bob); !slices.Equal(got, c.want) {
				t.Errorf("mails to %v, want %v", got, c.want)
			}
			if len(p.asked) != 1 || !strings.Contains(p.asked[0], c.shows) {
				t.Errorf("the questions: %q", p.asked)
			}
		})
	}
}
