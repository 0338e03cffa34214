package proxy_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/proxy"
)

// canaried is what a proxy answers at its canary.
func canaried(t *testing.T, o proxy.Options) string {
	t.Helper()
	u := newUpstream(t)
	o.Upstream, _ = url.Parse(u.URL)
	p, err := proxy.New(o)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	resp, err := http.Get(s.URL + proxy.CanaryPath)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if len(u.asked) > 0 {
		t.Error("the upstream was asked")
	}
	return string(body)
}

// The canary's call is stopped; in shadow it passes, and the client sees it.
func TestCanary(t *testing.T) {
	off := remit.Options{Sinks: contract.Off, Unprovoked: contract.Off}
	for name, test := range map[string]struct {
		o      proxy.Options
		passes bool
	}{
		"as it is":         {proxy.Options{}, false},
		"with other tools": {proxy.Options{Contract: &contract.File{Server: "agent"}}, false},
		"without rules":    {proxy.Options{Monitor: off}, false}, // the recipient is still the page's
		"in shadow":        {proxy.Options{Shadow: true}, true},
	} {
		t.Run(name, func(t *testing.T) {
			got := canaried(t, test.o)
			if passes := strings.Contains(got, `"tool_calls":[{`); passes != test.passes || !strings.Contains(got, `"chat.completion"`) {
				t.Errorf("the agent gets %s", got)
			}
		})
	}
}
