package access_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/remit-project/remit/internal/access"
)

type authenticator interface {
	Authenticate(*http.Request) (string, error)
	Challenge(http.ResponseWriter, error)
}

// A client that shows nothing is refused, whatever identifies principals.
func TestNoPrincipal(t *testing.T) {
	r, err := access.NewResourceServer(access.OAuth{Issuer: "https://login.example", Resource: "https://gate.example/mcp"})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		auth   authenticator
		want   error
		status int
	}{
		"without a certificate": {access.ClientCertificates{}, access.ErrNoSubject, 403},
		"without a token":       {r, access.ErrNoToken, 401},
	} {
		t.Run(name, func(t *testing.T) {
			who, err := test.auth.Authenticate(httptest.NewRequest("POST", "/mcp", nil))
			if who != "" || !errors.Is(err, test.want) {
				t.Errorf("got %q, %v", who, err)
			}
			w := httptest.NewRecorder()
			if test.auth.Challenge(w, err); w.Code != test.status {
				t.Errorf("got %d", w.Code)
			}
		})
	}
}
