package access_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/remit-project/remit/internal/access"
)

func TestCheck(t *testing.T) {
	p := access.Hosts{Names: []string{"gate.example", "other.example:8443"}, Origins: []string{"https://console.example"}}
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
		"another port":             {"other.example:1", nil, access.ErrHost},
		"a name that leads here":   {"rebound.example", nil, access.ErrHost},
		"a look-alike of loopback": {"127.0.0.1.evil.example", nil, access.ErrHost},
		"no name":                  {"", nil, access.ErrHost},
		"a declared page":          {"localhost", []string{"https://console.example"}, nil},
		"another page":             {"localhost", []string{"https://evil.example"}, access.ErrOrigin},
		"a page of no origin":      {"localhost", []string{"null"}, access.ErrOrigin},
		"two origins":              {"localhost", []string{"https://console.example", "https://console.example"}, access.ErrOrigin},
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
