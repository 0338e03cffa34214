package access_test

import (
	"errors"
	"net/http/httptest"
	"testing"

	"github.com/remit-project/remit/internal/access"
)

// Metrics are scraped by address. A name may be one that a page made resolve here.
func TestCheckScrape(t *testing.T) {
	h := access.Hosts{Names: []string{"remit.example"}, Origins: []string{"https://console.example"}}
	for _, test := range []struct {
		host, origin string
		want         error
	}{
		{"10.0.0.7:7677", "", nil},
		{"[fd00::7]:7677", "", nil},
		{"10.0.0.7", "", nil},
		{"localhost:7677", "", nil},
		{"remit.example", "", nil},
		{"evil.example:7677", "", access.ErrHost},
		{"10.0.0.7.evil.example", "", access.ErrHost},
		{"10.0.0.7:7677", "http://10.0.0.7:7677", access.ErrOrigin},
		{"10.0.0.7:7677", "https://evil.example", access.ErrOrigin},
		{"remit.example", "https://console.example", nil},
	} {
		r := httptest.NewRequest("GET", "/metrics", nil)
		r.Host = test.host
		if test.origin != "" {
			r.Header.Set("Origin", test.origin)
		}
		if err := h.CheckScrape(r); !errors.Is(err, test.want) {
			t.Errorf("%s from %q: %v, want %v", test.host, test.origin, err, test.want)
		}
	}
}
