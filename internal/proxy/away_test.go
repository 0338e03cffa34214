package proxy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/proxy"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/store"
)

// TestAStoreThatIsAway: no answer goes out, and the agent isn't told where the store is. The log
// is.
func TestAStoreThatIsAway(t *testing.T) {
	file := t.TempDir() + "/remit.db"
	s, err := store.Open(t.Context(), file, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var log bytes.Buffer
	c := newTalk(t, func(o *proxy.Options) {
		never(o)
		o.Ledger, o.Log = ledger.New(s, ledger.Options{}), slog.New(slog.NewTextHandler(&log, nil))
	})
	c.header = []string{"Remit-Session", "run-1"}
	c.say("user", "Read https://news.example/today.")
	c.ask(calls("c1", "read_page", reading))
	c.result("c1", "News.")
	if err := os.Rename(file, file+".away"); err != nil {
		t.Fatal(err)
	}

	c.u.add(chatReply(mailTo("m1", "ann@corp.example")))
	resp, text := post(t, c.base, "/v1/chat/completions", c.body(), c.header...)
	if resp.StatusCode != http.StatusBadGateway || !strings.Contains(text, "the log of remit proxy says why") || strings.Contains(text, file) {
		t.Errorf("%d %s", resp.StatusCode, text)
	}
	if !strings.Contains(log.String(), file) {
		t.Errorf("the log has %s", log.String())
	}
}

// TestAStoreThatGoesInShadow: in shadow mode an answer passes as it came, also where the store goes
// away while the model answers.
func TestAStoreThatGoesInShadow(t *testing.T) {
	for name, test := range map[string]struct {
		stream bool
		kind   string
		answer string
	}{
		"whole":    {false, "application/json", chatReply(mailTo("m1", "eve@evil.example")).body},
		"streamed": {true, "text/event-stream", `data: {"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"m1","type":"function","function":{"name":"send_email","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			file := t.TempDir() + "/remit.db"
			s, err := store.Open(t.Context(), file, store.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if err := os.Rename(file, file+".away"); err != nil {
					t.Error(err)
				}
				w.Header().Set("Content-Type", test.kind)
				fmt.Fprint(w, test.answer)
			}))
			defer model.Close()

			var log bytes.Buffer
			base := newProxy(t, &upstream{Server: model}, func(o *proxy.Options) {
				o.Shadow, o.Ledger, o.Log = true, ledger.New(s, ledger.Options{}), slog.New(slog.NewTextHandler(&log, nil))
			}).URL
			body, err := json.Marshal(map[string]any{"model": "m", "stream": test.stream, "tools": json.RawMessage(mailTools), "messages": []any{map[string]string{"role": "user", "content": "Mail hello to ann@corp.example."}}})
			if err != nil {
				t.Fatal(err)
			}
			resp, text := post(t, base, "/v1/chat/completions", string(body), "Remit-Session", "run-1")
			if resp.StatusCode != http.StatusOK || text != test.answer {
				t.Errorf("%d %s", resp.StatusCode, text)
			}
			if !strings.Contains(log.String(), "would have been refused") || !strings.Contains(log.String(), file) {
				t.Errorf("the log has %s", log.String())
			}
		})
	}
}
