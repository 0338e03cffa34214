package llm_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/llm/llmtest"
)

// raw is an endpoint that answers everything in one way.
func raw(t *testing.T, p llm.Provider, h http.HandlerFunc) llm.Endpoint {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return llm.Endpoint{Provider: p, BaseURL: s.URL + "/v1", Key: llmtest.Key, Model: "m"}
}

// An endpoint is waited for as long as it asks, within a bound, or longer each time.
func TestWaits(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		name          string
		header, value string
		// least and most are of each wait.
		least, most []time.Duration
	}{
		{"seconds", "Retry-After", "7", []time.Duration{7e9, 7e9, 7e9}, []time.Duration{7e9, 7e9, 7e9}},
		{"none", "Retry-After", "0", []time.Duration{0, 0, 0}, []time.Duration{0, 0, 0}},
		{"a date", "Retry-After", now.Add(30 * time.Second).Format(http.TimeFormat), []time.Duration{30e9, 30e9, 30e9}, []time.Duration{30e9, 30e9, 30e9}},
		{"a date that has passed", "Retry-After", now.Add(-time.Hour).Format(http.TimeFormat), []time.Duration{0, 0, 0}, []time.Duration{0, 0, 0}},
		{"milliseconds", "Retry-After-Ms", "1500", []time.Duration{15e8, 15e8, 15e8}, []time.Duration{15e8, 15e8, 15e8}},
		{"a day", "Retry-After", "86400", []time.Duration{3e11, 3e11, 3e11}, []time.Duration{3e11, 3e11, 3e11}},
		{"beyond all numbers", "Retry-After", "1e300", []time.Duration{3e11, 3e11, 3e11}, []time.Duration{3e11, 3e11, 3e11}},
		{"nothing that is understood", "Retry-After", "soon", []time.Duration{25e7, 5e8, 1e9}, []time.Duration{5e8, 1e9, 2e9}},
		{"a negative time", "Retry-After", "-5", []time.Duration{25e7, 5e8, 1e9}, []time.Duration{5e8, 1e9, 2e9}},
		{"nothing", "X-Other", "1", []time.Duration{25e7, 5e8, 1e9}, []time.Duration{5e8, 1e9, 2e9}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := raw(t, llm.OpenAI, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set(tc.header, tc.value)
				w.WriteHeader(http.StatusTooManyRequests)
			})
			c := newClient(t, llm.Options{Default: e, Retries: 3})
			var waits []time.Duration
			c.Clock(now, func(d time.Duration) { waits = append(waits, d) })
			if a, err := c.Complete(t.Context(), prompt()); city(t, a, err) != "status" || !strings.Contains(err.Error(), "after 4 tries") {
				t.Fatal(err)
			}
			if len(waits) != 3 {
				t.Fatalf("waited %v", waits)
			}
			for i, w := range waits {
				if w < tc.least[i] || w > tc.most[i] {
					t.Errorf("the wait before try %d was %v, not %v to %v", i+2, w, tc.least[i], tc.most[i])
				}
			}
		})
	}
}

// However often an endpoint fails, no wait is longer than a minute.
func TestWaitsAreBounded(t *testing.T) {
	e := raw(t, llm.OpenAI, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	c := newClient(t, llm.Options{Default: e, Retries: 80})
	var waits []time.Duration
	c.Clock(time.Unix(0, 0), func(d time.Duration) { waits = append(waits, d) })
	if _, err := c.Complete(t.Context(), prompt()); err == nil {
		t.Fatal("no error")
	}
	if longest := slices.Max(waits); len(waits) != 80 || longest > time.Minute || longest < 30*time.Second {
		t.Errorf("%d waits, the longest %v", len(waits), longest)
	}
}

// What won't get better is not asked again, and its message is passed on.
func TestNotAskedAgain(t *testing.T) {
	for _, tc := range []struct {
		name   string
		status int
		body   string
		want   []string
	}{
		{"no key", 401, `{"error": {"message": "Incorrect API key provided", "type": "invalid_request_error", "code": "invalid_api_key"}}`, []string{"401: Incorrect API key provided", "set a key"}},
		{"not allowed", 403, `{"type": "error", "error": {"type": "permission_error", "message": "no access"}}`, []string{"403: no access", "set a key"}},
		{"no such model", 404, `{"error": {"message": "The model does not exist"}}`, []string{"404: The model does not exist", "name of the model"}},
		{"a parameter", 400, `{"error": {"message": "must be positive", "param": "n"}}`, []string{"400: must be positive (n)"}},
		{"an error of FastAPI", 422, `{"detail": [{"loc": ["body", "model"], "msg": "field required"}]}`, []string{"422", "field required"}},
		{"an error that is only text", 400, `{"error": "model not loaded"}`, []string{`400: "model not loaded"`}},
		{"a page", 404, "<html>\n\x1b[31mnot here\x00</html>", []string{"404: <html> [31mnot here </html>"}},
		{"nothing", 400, "", []string{"answered 400: look at"}},
		{"no more money", 429, `{"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}`, []string{"429: You exceeded"}},
		{"a redirect", 307, "", []string{"not redirected"}},
		{"an endless message", 400, strings.Repeat("x", 100_000), []string{strings.Repeat("x", 499) + "…"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			each(t, func(t *testing.T, p llm.Provider) {
				var asked atomic.Int32
				e := raw(t, p, func(w http.ResponseWriter, r *http.Request) {
					asked.Add(1)
					w.Header().Set("Location", "/elsewhere")
					w.WriteHeader(tc.status)
					w.Write([]byte(tc.body))
				})
				_, err := newClient(t, llm.Options{Default: e}).Complete(t.Context(), prompt())
				var status *llm.StatusError
				if !errors.As(err, &status) || status.Status != tc.status {
					t.Fatal(err)
				}
				for _, want := range append(tc.want, "look-up of France: ") {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("%q lacks %q", err, want)
					}
				}
				if len(err.Error()) > 1000 || strings.ContainsAny(err.Error(), "\n\x1b\x00") {
					t.Errorf("%q", err)
				}
				if n := asked.Load(); n != 1 {
					t.Errorf("%d requests", n)
				}
			})
		})
	}
}

// A page may be that of a proxy which works again a little later. One that stays is of a wrong
// address.
func TestPageInsteadOfAnAnswer(t *testing.T) {
	e := raw(t, llm.OpenAI, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("\n<!doctype html><p>Welcome")) })
	c := newClient(t, llm.Options{Default: e, Retries: 1})
	c.Clock(time.Unix(0, 0), func(time.Duration) {})
	_, err := c.Complete(t.Context(), prompt())
	if err == nil || !strings.Contains(err.Error(), "after 2 tries") || !strings.Contains(err.Error(), "look at the base URL") {
		t.Error(err)
	}
}

// A filter in front of the model is a refusal, whatever status it has.
func TestFilterInFront(t *testing.T) {
	e := raw(t, llm.OpenAI, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		w.Write([]byte(`{"error": {"message": "The prompt was filtered", "code": "content_filter"}}`))
	})
	dir := t.TempDir()
	a, err := newClient(t, llm.Options{Default: e, Recordings: llm.Record(dir)}).Complete(t.Context(), prompt())
	if city(t, a, err) != "refused" || !strings.Contains(err.Error(), "The prompt was filtered") {
		t.Error(err)
	}
	again, replayed := newClient(t, llm.Options{Default: e, Recordings: llm.Replay(dir)}).Complete(t.Context(), prompt())
	if again != nil || replayed == nil || replayed.Error() != err.Error() {
		t.Errorf("replayed: %v", replayed)
	}
}

// An endpoint that is silent is asked again, and then reported.
func TestTimeout(t *testing.T) {
	each(t, func(t *testing.T, p llm.Provider) {
		s := llmtest.New(t, right)
		s.Fail(llmtest.Slow, llmtest.Slow)
		c := newClient(t, llm.Options{Default: s.Endpoint(p), Timeout: 50 * time.Millisecond, Retries: 1})
		c.Clock(time.Unix(0, 0), func(time.Duration) {})
		if _, err := c.Complete(t.Context(), prompt()); err == nil || !strings.Contains(err.Error(), "after 2 tries: no answer within 50ms") {
			t.Error(err)
		}
	})
}

// A caller who gives up is obeyed at once, wherever the prompt is.
func TestCancel(t *testing.T) {
	for name, fault := range map[string]llmtest.Fault{"while the endpoint thinks": llmtest.Slow, "while waiting to try again": llmtest.RateLimited} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s := llmtest.New(t, func(llmtest.Asked) llmtest.Reply {
				if fault == llmtest.Slow {
					cancel()
				}
				return llmtest.Reply{JSON: paris, Fault: fault}
			})
			c := newClient(t, llm.Options{Default: s.Endpoint(llm.OpenAI), Progress: func(e llm.Event) {
				if e.Step == llm.Retried {
					cancel()
				}
			}})
			if _, err := c.Complete(ctx, prompt()); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			if n := len(s.Asked()); n != 1 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// A prompt that waits for its turn, or for the same prompt to be answered, can be
// given up as well.
func TestCancelInQueue(t *testing.T) {
	arrived, answer := make(chan struct{}), make(chan struct{})
	s := llmtest.New(t, func(llmtest.Asked) llmtest.Reply {
		close(arrived)
		<-answer
		return llmtest.Reply{JSON: paris}
	})
	c := newClient(t, llm.Options{Default: s.Endpoint(llm.OpenAI), Parallel: 1, Recordings: llm.Record(t.TempDir())})
	first := make(chan error)
	go func() {
		_, err := c.Complete(t.Context(), prompt())
		first <- err
	}()
	<-arrived
	over, cancel := context.WithCancel(t.Context())
	cancel()
	another := prompt()
	another.Subject = "Spain"
	for _, p := range []llm.Prompt{prompt(), another} {
		if _, err := c.Complete(over, p); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", p.Subject, err)
		}
	}
	close(answer)
	if err := <-first; err != nil {
		t.Error(err)
	}
}

// An answer without an end is given up, not read.
func TestEndlessAnswer(t *testing.T) {
	var asked atomic.Int32
	e := raw(t, llm.Anthropic, func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		chunk := []byte(strings.Repeat("x", 1<<16))
		for range 17 << 4 {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	_, err := newClient(t, llm.Options{Default: e}).Complete(t.Context(), prompt())
	if err == nil || !strings.Contains(err.Error(), "longer than 16777216 bytes") || asked.Load() != 1 {
		t.Errorf("%d requests: %v", asked.Load(), err)
	}
}

// A redirect to another host gets neither the key nor the prompt.
func TestRedirect(t *testing.T) {
	each(t, func(t *testing.T, p llm.Provider) {
		elsewhere := raw(t, p, func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") })
		e := raw(t, p, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.BaseURL, http.StatusPermanentRedirect)
		})
		if a, err := newClient(t, llm.Options{Default: e}).Complete(t.Context(), prompt()); city(t, a, err) != "status" {
			t.Error(err)
		}
	})
}

// At most so many requests are out at once, and the rest wait for their turn.
func TestParallel(t *testing.T) {
	const parallel, all = 3, 12
	together := make(chan struct{})
	var waiting atomic.Int32
	s := llmtest.New(t, func(llmtest.Asked) llmtest.Reply {
		if waiting.Add(1) == parallel {
			close(together)
		}
		<-together // so that as many as may be are there at once
		return llmtest.Reply{JSON: paris}
	})
	c := newClient(t, llm.Options{Default: s.Endpoint(llm.OpenAI), Parallel: parallel})
	done := make(chan error)
	for i := range all {
		go func() {
			p := prompt()
			p.Subject = fmt.Sprint(i)
			_, err := c.Complete(t.Context(), p)
			done <- err
		}()
	}
	for range all {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if s.Parallel() != parallel || len(s.Asked()) != all {
		t.Errorf("%d requests, %d at once", len(s.Asked()), s.Parallel())
	}
}

// The rate is held between all requests of a client.
func TestRate(t *testing.T) {
	s := llmtest.New(t, right)
	c := newClient(t, llm.Options{Default: s.Endpoint(llm.OpenAI), RequestsPerMinute: 1})
	if _, err := c.Complete(t.Context(), prompt()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	// The second would have to wait for a minute, and its time is over before.
	if _, err := c.Complete(ctx, prompt()); err == nil || len(s.Asked()) != 1 {
		t.Errorf("%d requests: %v", len(s.Asked()), err)
	}
}

// A word that a server wants for a key is not a secret, and may stand in answers.
func TestWordForAKey(t *testing.T) {
	e := raw(t, llm.OpenAI, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"model": "ollama/llama", "choices": [{"message": {"content": "{\"city\": \"Paris\", \"population\": 2}"}}]}`)
	})
	e.Key = "ollama"
	a, err := newClient(t, llm.Options{Default: e}).Complete(t.Context(), prompt())
	if err != nil || a.Model != "ollama/llama" {
		t.Error(a, err)
	}
}

// The key gets into no error and no recording, even if the endpoint repeats it.
func TestKeyStaysSecret(t *testing.T) {
	each(t, func(t *testing.T, p llm.Provider) {
		secret := func(what, text string) {
			t.Helper()
			if strings.Contains(text, llmtest.Key) {
				t.Errorf("%s has the key: %s", what, text)
			}
		}
		repeats := raw(t, p, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
			key := r.Header.Get("Authorization") + r.Header.Get("X-Api-Key")
			fmt.Fprintf(w, `{"error": {"message": "Incorrect API key provided: %s, or %s"}}`, key, strings.ReplaceAll(key, "k", `\u006b`))
		})
		_, err := newClient(t, llm.Options{Default: repeats}).Complete(t.Context(), prompt())
		secret("the error", fmt.Sprintf("%v %+v", err, err))
		if !strings.Contains(err.Error(), "[key]") {
			t.Error(err)
		}

		s := llmtest.New(t, func(llmtest.Asked) llmtest.Reply {
			return llmtest.Reply{JSON: capital{"Paris " + llmtest.Key, 1}}
		})
		dir := t.TempDir()
		e := s.Endpoint(p)
		a, err := newClient(t, llm.Options{Default: e, Recordings: llm.Record(dir)}).Complete(t.Context(), prompt())
		if got := city(t, a, err); got != "Paris [key]" {
			t.Errorf("the answer is %s", got)
		}
		for name, text := range files(t, dir) {
			secret(name, text)
		}
		for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
			secret("an endpoint", fmt.Sprintf(format, e))
			secret("options", fmt.Sprintf(format, llm.Options{Default: e}))
		}
	})
}
