package caller_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/remit-project/remit/internal/caller"
)

func TestCheck(t *testing.T) {
	p := caller.Policy{Hosts: []string{"gate.example", "other.example:8443"}, Origins: []string{"https://console.example"}}
	for name, c := range map[string]struct {
		host    string
		origins []string
		want    error
	}{
		"loopback by name":         {"localhost:8080", nil, nil},
		"loopback by number":       {"127.0.0.1:1", nil, nil},
		"loopback of IPv6":         {"[::1]:8080", nil, nil},
		"a declared name":          {"Gate.Example:443", nil, nil},
		"a declared port":          {"other.example:8443", nil, nil},
		"another port":             {"other.example:1", nil, caller.ErrHost},
		"a name that leads here":   {"rebound.example", nil, caller.ErrHost},
		"a look-alike of loopback": {"127.0.0.1.evil.example", nil, caller.ErrHost},
		"no name":                  {"", nil, caller.ErrHost},
		"a declared page":          {"localhost", []string{"https://console.example"}, nil},
		"another page":             {"localhost", []string{"https://evil.example"}, caller.ErrOrigin},
		"a page of no origin":      {"localhost", []string{"null"}, caller.ErrOrigin},
		"two origins":              {"localhost", []string{"https://console.example", "https://console.example"}, caller.ErrOrigin},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "/", nil)
			r.Host, r.Header["Origin"] = c.host, c.origins
			if err := p.Check(r); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}
