package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/fleet"
	"github.com/remit-project/remit/internal/storetest"
	"github.com/remit-project/remit/store"
)

// deploymentBound is how long the whole deployment may be at work.
const deploymentBound = 10 * time.Minute

// deployed is one kind of enforcement point: its replicas, and what was answered by them.
type deployed struct {
	name, program string
	args          []string
	// url is the balancer's.
	url      string
	balancer *fleet.Balancer
	running  []*fleet.Process

	answers fleet.Answers
	mu      sync.Mutex
	// ran are calls that an agent was given to run, and failed counts requests without an answer.
	ran    []string
	failed int
}

func newDeployed(t *testing.T, name, program string, replicas int, args ...string) *deployed {
	t.Helper()
	// The protocol of tools has connections with a state, which stay with a gateway.
	d := &deployed{name: name, program: program, args: args, balancer: fleet.NewBalancer(t.Context(), args[0] == "gateway")}
	s := httptest.NewServer(d.balancer)
	t.Cleanup(s.Close)
	d.url = s.URL
	for range replicas {
		d.start(t)
	}
	t.Cleanup(func() {
		for _, p := range d.running {
			must(t, p.Kill())
		}
	})
	return d
}

// start adds a replica.
func (d *deployed) start(t *testing.T) {
	t.Helper()
	p, err := fleet.Start(t.Context(), t.Output(), d.program, d.args...)
	must(t, err)
	d.running = append(d.running, p)
	must(t, d.balancer.Add(p.URL))
}

// restart replaces every replica by a new one, which is there before the old one ends.
func (d *deployed) restart(t *testing.T) {
	t.Helper()
	for range len(d.running) {
		d.start(t)
		old := d.running[0]
		d.running = d.running[1:]
		d.balancer.Remove(old.URL)
		if err := old.Stop(); err != nil {
			t.Errorf("a replica of the %s ended with %v", d.name, err)
		}
	}
}

// lose kills a replica without telling the balancer, as a crash does.
func (d *deployed) lose(t *testing.T) {
	t.Helper()
	old := d.running[0]
	d.running = d.running[1:]
	must(t, old.Kill())
}

// told notes what an agent was told of a call.
func (d *deployed) told(n string, v remit.Verdict, recorded bool) {
	d.mu.Lock()
	if v == remit.Allow {
		d.ran = append(d.ran, n)
	}
	d.mu.Unlock()
	d.answers.Add(fleet.Answer{N: n, Verdict: v, Recorded: recorded, Tries: 1})
}

// fail notes that a request got no answer, and waits before the next.
func (d *deployed) fail(ctx context.Context) {
	d.mu.Lock()
	d.failed++
	d.mu.Unlock()
	fleet.Pause(ctx)
}

// deployedArguments returns a call's arguments. Every third call has a recipient that the user
// did not name.
func deployedArguments(n string, i int) (tool string, c deskCall) {
	if i%3 == 2 {
		return "send", deskCall{N: n, To: "eve@evil.example"}
	}
	return "read", deskCall{N: n}
}

// callTools has an agent call tools over the gateway until ctx ends. A call without an answer
// may have run: the agent goes on with another one.
func (d *deployed) callTools(ctx context.Context, agent int) {
	for conversation := 0; ctx.Err() == nil; conversation++ {
		token := fmt.Sprintf("agent-%d-in-conversation-%d", agent, conversation)
		for try := 0; ctx.Err() == nil && try < 2; try++ {
			if !d.converse(ctx, token, fmt.Sprintf("mcp-%d-%d-%d", agent, conversation, try)) {
				d.fail(ctx)
			}
		}
	}
}

// converse makes some calls, and reports whether each of them got an answer.
func (d *deployed) converse(ctx context.Context, token, name string) bool {
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	s, err := c.Connect(ctx, &sdk.StreamableClientTransport{Endpoint: d.url + "/mcp/" + token, MaxRetries: -1, DisableStandaloneSSE: true}, nil)
	if err != nil {
		return ctx.Err() != nil
	}
	defer s.Close()
	for i := range 12 {
		n := fmt.Sprintf("%s-%d", name, i)
		tool, arguments := deployedArguments(n, i)
		r, err := s.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil {
			return ctx.Err() != nil
		}
		v, ok := verdictOf(r)
		if !ok {
			return false
		}
		d.told(n, v, v == remit.Allow)
	}
	return true
}

// verdictOf is what a result says that was decided on its call; false where nothing was, or
// the result could not be recorded.
func verdictOf(r *sdk.CallToolResult) (remit.Verdict, bool) {
	if !r.IsError {
		return remit.Allow, true
	}
	data, err := json.Marshal(r.Meta["dev.remit/decision"])
	var d struct{ Verdict remit.Verdict }
	if err != nil || json.Unmarshal(data, &d) != nil || d.Verdict == remit.Allow {
		return "", false
	}
	return d.Verdict, d.Verdict != ""
}

// ask has an agent ask the model over the proxy until ctx ends, in conversations of three
// turns. A conversation in which a request fails is over.
func (d *deployed) ask(ctx context.Context, agent int) {
	for conversation := 0; ctx.Err() == nil; conversation++ {
		id := fmt.Sprintf("proxy-%d-%d", agent, conversation)
		messages := []any{}
		for i := range 3 {
			n := fmt.Sprintf("%s-%d", id, i)
			tool, arguments := deployedArguments(n, i)
			text, err := json.Marshal(arguments)
			if err != nil {
				return
			}
			messages = append(messages, map[string]string{"role": "user", "content": tool + " " + string(text)})
			answer, called, err := d.complete(ctx, id, messages)
			if err != nil {
				if ctx.Err() == nil {
					d.fail(ctx)
				}
				break
			}
			v := remit.Ask
			if called {
				v = remit.Allow
			}
			d.told(n, v, false)
			messages = append(messages, answer)
			if called {
				messages = append(messages, map[string]string{"role": "tool", "tool_call_id": "c-" + n, "content": mailOf(n).Body})
			}
		}
	}
}

const proxiedTools = `[{"type":"function","function":{"name":"read","parameters":{"type":"object","properties":{"n":{"type":"string"}}}}},
{"type":"function","function":{"name":"send","parameters":{"type":"object","properties":{"n":{"type":"string"},"to":{"type":"string"}}}}}]`

// complete makes one request, and returns the model's message and whether it has a call.
func (d *deployed) complete(ctx context.Context, session string, messages []any) (answer json.RawMessage, called bool, err error) {
	body, err := json.Marshal(map[string]any{"model": "m", "messages": messages, "tools": json.RawMessage(proxiedTools)})
	if err != nil {
		return nil, false, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url+"/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, false, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Remit-Session", session)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, false, err
	}
	defer res.Body.Close()
	var out struct {
		Choices []struct{ Message json.RawMessage }
	}
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
		return nil, false, err
	}
	if res.StatusCode != http.StatusOK || len(out.Choices) != 1 {
		return nil, false, fmt.Errorf("the answer is %s", res.Status)
	}
	answer = out.Choices[0].Message
	return answer, bytes.Contains(answer, []byte(`"tool_calls"`)), nil
}

// newModel is an upstream that calls the tool that the user's last message names.
func newModel(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Messages []struct{ Role, Content string }
		}
		data, err := io.ReadAll(r.Body)
		if err != nil || json.Unmarshal(data, &in) != nil {
			http.Error(w, "this is not a request", http.StatusBadRequest)
			return
		}
		wanted := ""
		for _, m := range in.Messages {
			if m.Role == "user" {
				wanted = m.Content
			}
		}
		tool, arguments, _ := strings.Cut(wanted, " ")
		var c deskCall
		if err := json.Unmarshal([]byte(arguments), &c); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":%q,"type":"function","function":{"name":%q,"arguments":%q}}]},"finish_reason":"tool_calls"}]}`,
			"c-"+c.N, tool, arguments)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestDeployment is a deployment at work: gateways, proxies and servers of the decision API
// behind balancers, on a PostgreSQL with a standby. Every replica is replaced, one of each
// kind is killed, and the database fails over. Meanwhile agents call, ask and go on. In the
// end each call that was answered is in the log, once and as it was answered, and no call ran
// that the log doesn't allow.
func TestDeployment(t *testing.T) {
	gateways, proxies, servers, more := 3, 2, 2, 60
	if testing.Short() {
		gateways, proxies, servers, more = 2, 1, 2, 10
	}
	ctx, cancel := context.WithTimeout(t.Context(), deploymentBound)
	defer cancel()
	primary := storetest.StartPostgres(t)
	standby := primary.Standby(t)
	name := primary.Over(t, primary.Database(t), standby) + "&pool_max_conns=8"

	program, dir := program(t, "remit"), t.TempDir()
	contracts, tokens := filepath.Join(dir, "contracts"), filepath.Join(dir, "tokens.yaml")
	must(t, os.Mkdir(contracts, 0o700))
	must(t, os.WriteFile(filepath.Join(contracts, "desk.yaml"), []byte(fleet.Contracts), 0o600))
	token := (&apiServer{tokens: tokens}).newToken(t, program, "me", "all")
	desk := newDesk(t)
	api := newDeployed(t, "decision API", program, servers, "serve", "--listen", "127.0.0.1:0", "--tokens", tokens, "--store", name, "--contracts", contracts)
	gateway := newDeployed(t, "gateway", program, gateways, "gateway", "--config", desk.configure(t, name))
	proxy := newDeployed(t, "proxy", program, proxies, "proxy", "--listen", "127.0.0.1:0", "--upstream", newModel(t), "--name", "desk", "--contracts", contracts,
		"--store", name, "--no-learn", "--no-questions", "--retries", "0", "--reviewed")
	all := []*deployed{api, gateway, proxy}

	working, stop := context.WithCancel(ctx)
	defer stop()
	agents := &fleet.Agents{URL: api.url, Token: token, Answers: &api.answers, Client: http.DefaultClient, Name: "api"}
	var work sync.WaitGroup
	work.Go(func() {
		if err := agents.Run(ctx, 4, working.Done()); err != nil {
			t.Error(err)
		}
	})
	for i := range 2 {
		work.Go(func() { gateway.callTools(working, i) })
		work.Go(func() { proxy.ask(working, i) })
	}
	goOn := func(after string) {
		t.Helper()
		for _, d := range all {
			if err := d.answers.Await(ctx, len(d.answers.List())+more); err != nil {
				t.Fatalf("%s: the %s doesn't go on: %v", after, d.name, err)
			}
		}
	}

	goOn("at the beginning")
	for _, d := range all {
		d.restart(t)
	}
	goOn("after a rolling restart")
	for _, a := range api.answers.List() {
		if a.Tries > 1 {
			t.Errorf("a rolling restart has the decision API asked %d times about %s", a.Tries, a.N)
		}
	}
	for _, d := range all {
		if d.start(t); len(d.running) > 1 {
			d.lose(t)
		}
	}
	goOn("with a replica of each kind killed")
	primary.Kill(t)
	standby.Promote(t)
	goOn("after the failover")
	stop()
	work.Wait()

	unequal, err := agents.Again(ctx)
	must(t, err)
	st, err := store.Open(ctx, name, store.Options{})
	must(t, err)
	defer st.Close()
	log, err := fleet.ReadLog(ctx, st)
	must(t, err)
	gateway.ran = desk.received()
	for _, d := range all {
		answers := d.answers.List()
		for _, a := range answers {
			if d.failed += a.Tries - 1; d == api && a.Verdict == remit.Allow {
				d.ran = append(d.ran, a.N)
			}
		}
		f := log.Check(answers, d.ran)
		if d == api {
			f.Unequal = unequal
		}
		if f != (fleet.Faults{}) {
			t.Errorf("the %s: %+v", d.name, f)
		}
		t.Logf("the %s: %d calls answered, %d of them ran, %d requests without an answer", d.name, len(answers), len(d.ran), d.failed)
	}
	for _, n := range append(append(api.ran, gateway.ran...), proxy.ran...) {
		if strings.HasSuffix(n, "-2") && strings.HasPrefix(n, "proxy") {
			t.Errorf("the call %s ran, and nobody named its recipient", n)
		}
	}
	report, err := st.Verify(ctx)
	must(t, err)
	if !report.OK() {
		t.Errorf("the audit log: %v", report.Problems)
	}
	t.Logf("%d sessions, %d events, %d decisions", log.Sessions, log.Events, log.Decisions)
}
