package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/storetest"
	"github.com/remit-project/remit/store"
)

// deciders is how many agents ask at a time.
const deciders = 16

// TestServeKilled kills servers of the decision API under load, with SIGKILL.
// What got no answer is sent again, once, at once: to the same server started
// again, or to the other replica. It is answered then, and no call is decided
// twice or lost.
func TestServeKilled(t *testing.T) {
	server := storetest.StartPostgres(t)
	for kind, name := range map[string]string{"sqlite": filepath.Join(t.TempDir(), "remit.db"), "postgres": server.Database(t)} {
		t.Run(kind, func(t *testing.T) {
			program, contracts := program(t, "remit"), contractsOf(t)
			files := filepath.Join(t.TempDir(), "tokens.yaml")
			first, other := &apiServer{tokens: files, store: name}, &apiServer{tokens: files, store: name}
			first.token = first.newToken(t, program, "me", "all")
			other.token = first.token
			first.start(t, program, "--contracts", contracts)
			for i := range deciders {
				if status, v := first.post(t, "/v1/sessions", fmt.Sprintf(`{"id":"s%d"}`, i)); status != http.StatusCreated {
					t.Fatalf("%d: %v", status, v)
				}
			}
			answers, again := map[string][]byte{}, 0
			for round := range 5 {
				if kind == "postgres" {
					other.start(t, program, "--contracts", contracts)
				}
				answered, open := underLoad(t, first, round, 20*(round+1))
				if kind == "sqlite" {
					other.start(t, program, "--contracts", contracts)
				}
				for _, r := range open {
					body, status, err := r.send(t, other)
					if err != nil || status != http.StatusOK {
						t.Fatalf("%s, sent again: %d %s %v", r.call, status, body, err)
					}
					answered[r] = body
				}
				for r, body := range answered {
					// Sent once more, it is the same.
					if once, _, err := r.send(t, other); err != nil || !bytes.Equal(once, body) {
						t.Errorf("%s: got %s, then %s, %v", r.call, body, once, err)
					}
					answers[r.session+"/"+r.call] = body
				}
				again += len(open)
				first, other = other, &apiServer{tokens: files, store: name, token: first.token}
			}

			st, err := store.Open(t.Context(), name, store.Options{})
			must(t, err)
			defer st.Close()
			decided := map[string]int{}
			for i := range deciders {
				session := fmt.Sprintf("s%d", i)
				for rec, err := range st.Read(t.Context(), session, 0) {
					must(t, err)
					if rec.Decision == nil {
						continue
					}
					key := session + "/" + rec.Decision.Call
					if decided[key]++; !strings.Contains(string(answers[key]), `"verdict":"`+string(rec.Decision.Verdict)+`"`) {
						t.Errorf("%s was decided as %s, and answered %s", key, rec.Decision.Verdict, answers[key])
					}
					if rec.Decision.Verdict == remit.Deny {
						t.Errorf("%s was denied: %+v", key, rec.Decision.Reasons)
					}
				}
			}
			for key, n := range decided {
				if n != 1 {
					t.Errorf("%s was decided %d times", key, n)
				}
			}
			if len(decided) != len(answers) {
				t.Errorf("%d calls were answered, and %d decided", len(answers), len(decided))
			}
			t.Logf("%d calls answered, %d of them sent again", len(answers), again)
		})
	}
}

// inquiry is a call that an agent asks about.
type inquiry struct{ session, call string }

// send asks, under the call's key.
func (a inquiry) send(t *testing.T, s *apiServer) ([]byte, int, error) {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/v1/sessions/"+a.session+"/decisions",
		strings.NewReader(fmt.Sprintf(`{"id":%q,"server":"test","tool":"send_email","arguments":{"to":"eve@evil.example"}}`, a.call)))
	if err != nil {
		return nil, 0, err
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", a.session+a.call)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, 0, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return body, res.StatusCode, err
}

// underLoad asks from all sides until there are enough answers, and kills the
// server. It returns what was answered, and what was asked and wasn't.
func underLoad(t *testing.T, s *apiServer, round, enough int) (map[inquiry][]byte, []inquiry) {
	t.Helper()
	var mu sync.Mutex
	answered, open := map[inquiry][]byte{}, []inquiry(nil)
	kill, agents := make(chan struct{}), sync.WaitGroup{}
	for i := range deciders {
		agents.Go(func() {
			for n := range 10_000 {
				a := inquiry{fmt.Sprintf("s%d", i), fmt.Sprintf("r%d-%d", round, n)}
				body, status, err := a.send(t, s)
				mu.Lock()
				if err == nil && status == http.StatusOK {
					if answered[a] = body; len(answered) == enough {
						close(kill)
					}
				} else {
					open = append(open, a)
				}
				mu.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	<-kill
	s.kill()
	agents.Wait()
	return answered, open
}
