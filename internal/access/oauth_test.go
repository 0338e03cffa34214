package access_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/remit-project/remit/internal/access"
)

const resource = "https://gate.example/mcp"

// issuer is an authorization server in the process.
type issuer struct {
	*httptest.Server
	key *ecdsa.PrivateKey
}

func issue(t *testing.T) *issuer {
	t.Helper()
	i := &issuer{key: newKey(t)}
	mux := http.NewServeMux()
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": i.URL, "jwks_uri": i.URL + "/keys"})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &i.key.PublicKey, KeyID: "1", Algorithm: "ES256", Use: "sig"}}})
	})
	return i
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// token is a good one, except for what is changed; nil takes a claim away.
func (i *issuer) token(t *testing.T, key any, alg jose.SignatureAlgorithm, change map[string]any) string {
	t.Helper()
	claims := map[string]any{"iss": i.URL, "aud": resource, "sub": "ann", "scope": "other remit", "exp": time.Now().Add(time.Hour).Unix(), "iat": time.Now().Unix()}
	maps.Copy(claims, change)
	for name, v := range claims {
		if v == nil {
			delete(claims, name)
		}
	}
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, (&jose.SignerOptions{}).WithHeader("kid", "1"))
	if err != nil {
		t.Fatal(err)
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := s.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	out, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func open(t *testing.T, c access.OAuth) *access.ResourceServer {
	t.Helper()
	r, err := access.NewResourceServer(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func request(authorization ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, resource, nil)
	r.Header["Authorization"] = authorization
	return r
}

// A token is good when the issuer signed it, for this server, for this time, with
// the scopes; anything else is refused, and says how a client gets a better one.
func TestTokens(t *testing.T) {
	i := issue(t)
	good := i.token(t, i.key, jose.ES256, nil)
	unsigned := "eyJhbGciOiJub25lIn0." + strings.Split(good, ".")[1] + "."
	for name, test := range map[string]struct {
		authorization []string
		want          error
		status        int
		challenge     string
	}{
		"good":                   {[]string{"Bearer " + good}, nil, 0, ""},
		"the scheme in capitals": {[]string{"BEARER " + good}, nil, 0, ""},
		"for several":            {[]string{"Bearer " + i.token(t, i.key, jose.ES256, map[string]any{"aud": []string{"https://x.example", resource}})}, nil, 0, ""},
		"none":                   {nil, access.ErrNoToken, 401, `Bearer resource_metadata="https://gate.example/.well-known/oauth-protected-resource/mcp", scope="remit"`},
		"two":                    {[]string{"Bearer " + good, "Bearer " + good}, access.ErrInvalidToken, 401, `error="invalid_token"`},
		"another scheme":         {[]string{"Basic YTpi"}, access.ErrInvalidToken, 401, `error="invalid_token"`},
		"no token":               {[]string{"Bearer x"}, access.ErrInvalidToken, 401, `error="invalid_token"`},
		"too long":               {[]string{"Bearer " + strings.Repeat("x", 20_000)}, access.ErrInvalidToken, 401, `error="invalid_token"`},
		"unsigned":               {[]string{"Bearer " + unsigned}, access.ErrInvalidToken, 401, `error="invalid_token"`},
		"of another key":         {[]string{"Bearer " + i.token(t, newKey(t), jose.ES256, nil)}, access.ErrInvalidToken, 401, `error="invalid_token"`},
		"a shared secret":        {[]string{"Bearer " + i.token(t, []byte(strings.Repeat("k", 32)), jose.HS256, nil)}, access.ErrInvalidToken, 401, `error="invalid_token"`},
		"expired":                {[]string{"Bearer " + i.token(t, i.key, jose.ES256, map[string]any{"exp": time.Now().Add(-time.Hour).Unix()})}, access.ErrInvalidToken, 401, `error="invalid_token"`},
		"not yet":                {[]string{"Bearer " + i.token(t, i.key, jose.ES256, map[string]any{"nbf": time.Now().Add(time.Hour).Unix()})}, access.ErrInvalidToken, 401, `error="invalid_token"`},
		"without an end":         {[]string{"Bearer " + i.token(t, i.key, jose.ES256, map[string]any{"exp": nil})}, access.ErrInvalidToken, 401, `error="invalid_token"`},
		"of another issuer":      {[]string{"Bearer " + i.token(t, i.key, jose.ES256, map[string]any{"iss": "https://evil.example"})}, access.ErrInvalidToken, 401, `error="invalid_token"`},
		"for another server":     {[]string{"Bearer " + i.token(t, i.key, jose.ES256, map[string]any{"aud": "https://mail.example/mcp"})}, access.ErrInvalidToken, 401, `error="invalid_token"`},
		"for nobody":             {[]string{"Bearer " + i.token(t, i.key, jose.ES256, map[string]any{"aud": nil})}, access.ErrInvalidToken, 401, `error="invalid_token"`},
		"without a subject":      {[]string{"Bearer " + i.token(t, i.key, jose.ES256, map[string]any{"sub": nil})}, access.ErrInvalidToken, 401, `error="invalid_token"`},
		"without the scope":      {[]string{"Bearer " + i.token(t, i.key, jose.ES256, map[string]any{"scope": "remitted"})}, access.ErrTokenScope, 403, `error="insufficient_scope"`},
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t, access.OAuth{Issuer: i.URL, Resource: resource, Scopes: []string{"remit"}})
			got, err := r.Authenticate(request(test.authorization...))
			if !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
				t.Fatalf("got %q, %v", got, err)
			}
			if err == nil {
				if got != i.URL+"#ann" {
					t.Errorf("it is of %q", got)
				}
				return
			}
			w := httptest.NewRecorder()
			r.Challenge(w, err)
			if c := w.Header().Get("WWW-Authenticate"); w.Code != test.status || !strings.Contains(c, test.challenge) {
				t.Errorf("got %d, %s", w.Code, c)
			}
			if len(test.authorization) > 0 && strings.Contains(err.Error()+w.Body.String(), good) {
				t.Error("the token is repeated")
			}
		})
	}
}

// An issuer that is down when the server starts, or whose keys it doesn't know
// yet, is asked again.
func TestIssuer(t *testing.T) {
	i := issue(t)
	handler := i.Config.Handler
	i.Config.Handler = http.NotFoundHandler()
	r := open(t, access.OAuth{Issuer: i.URL, Resource: resource})
	_, err := r.Authenticate(request("Bearer " + i.token(t, i.key, jose.ES256, nil)))
	if err == nil || errors.Is(err, access.ErrInvalidToken) {
		t.Fatalf("got %v", err)
	}
	w := httptest.NewRecorder()
	if r.Challenge(w, err); w.Code != http.StatusServiceUnavailable {
		t.Errorf("got %d", w.Code)
	}
	i.Config.Handler = handler
	if _, err := r.Authenticate(request("Bearer " + i.token(t, i.key, jose.ES256, nil))); err != nil {
		t.Errorf("after it came back: %v", err)
	}
	known := open(t, access.OAuth{Issuer: i.URL, JWKS: i.URL + "/keys", Resource: resource})
	if _, err := known.Authenticate(request("Bearer " + i.token(t, i.key, jose.ES256, nil))); err != nil {
		t.Errorf("with the keys' address: %v", err)
	}
}

// The metadata says where tokens come from, at both places where clients look.
func TestMetadata(t *testing.T) {
	mux := http.NewServeMux()
	open(t, access.OAuth{Issuer: "https://login.example", Resource: resource, Scopes: []string{"remit"}}).Register(mux)
	for _, at := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, at, nil))
		want := `{"authorization_servers":["https://login.example"],"bearer_methods_supported":["header"],"resource":"https://gate.example/mcp","scopes_supported":["remit"]}`
		if w.Code != http.StatusOK || strings.TrimSpace(w.Body.String()) != want {
			t.Errorf("%s: %d %s", at, w.Code, w.Body)
		}
	}
	if _, err := access.NewResourceServer(access.OAuth{Issuer: "https://login.example", Resource: "gate"}); err == nil {
		t.Error("a resource without an address")
	}
}
