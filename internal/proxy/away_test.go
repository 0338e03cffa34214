package proxy_test

import (
	"bytes"
	"log/slog"
	"net/http"
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
