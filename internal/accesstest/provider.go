// Package accesstest has an identity provider for tests: it speaks OpenID Connect over
// HTTP as real ones do, with keys, codes and signed tokens, and can be told to cheat.
package accesstest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/oauth2"
)

// Client and Secret are what a provider knows the server under test by.
const (
	Client = "remit-console"
	Secret = "correct horse battery staple"
)

// Provider is an identity provider in the process. Change its fields before it is asked.
type Provider struct {
	*httptest.Server
	// Issuer is its identifier. It has another host name than servers on 127.0.0.1, so
	// that browsers take the two for different sites.
	Issuer string
	// Key is what it signs with, and Keys are what it shows.
	Key  *ecdsa.PrivateKey
	Keys jose.JSONWebKeySet
	// Metadata are changes to what it says of itself.
	Metadata map[string]any
	// Claims are changes to the claims of an ID token; nil takes one away.
	Claims map[string]any
	// Sign makes an ID token of claims; [Provider.Signed] when nil.
	Sign func(claims map[string]any) string
	// Refreshes has it give refresh tokens, each of which is good once.
	Refreshes bool
	// Asks has people agree on a page of the provider, which sends them back.
	Asks bool
	// Answer changes what a browser is sent back with; nil for no change.
	Answer func(url.Values)

	t     testing.TB
	mu    sync.Mutex
	codes map[string]url.Values // what was asked for, by the code that it was given
	lasts map[string]bool       // the refresh tokens that are good
}

// Forget makes every refresh token useless.
func (p *Provider) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.lasts)
}

// NewProvider starts a provider that ends with the test. Everyone is signed in as ann, one of the
// staff.
func NewProvider(t testing.TB) *Provider {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}

	p := &Provider{t: t, Key: key, codes: map[string]url.Values{}, lasts: map[string]bool{}, Claims: map[string]any{},
		Keys: jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &key.PublicKey, KeyID: "1", Algorithm: "ES256", Use: "sig"}}}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		says := map[string]any{"issuer": p.Issuer, "authorization_endpoint": p.Issuer + "/authorize", "token_endpoint": p.Issuer + "/token", "jwks_uri": p.Issuer + "/keys",
			"end_session_endpoint": p.Issuer + "/end", "authorization_response_iss_parameter_supported": true, "id_token_signing_alg_values_supported": []string{"ES256"}}
		maps.Copy(says, p.Metadata)
		p.write(w, says)
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) { p.write(w, p.Keys) })
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })

	p.Server = httptest.NewServer(mux)
	p.Issuer = strings.Replace(p.URL, "127.0.0.1", "localhost", 1)
	t.Cleanup(p.Close)
	return p
}

func (p *Provider) write(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		p.t.Error(err)
	}
}

// authorize signs every visitor in at once, and sends their browser back.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	asked := r.URL.Query()
	switch {
	case asked.Get("client_id") != Client, asked.Get("response_type") != "code", !strings.Contains(" "+asked.Get("scope")+" ", " openid "),
		asked.Get("code_challenge_method") != "S256", asked.Get("code_challenge") == "", asked.Get("state") == "", asked.Get("nonce") == "":
		http.Error(w, "that is not a request of the code flow with PKCE, a state and a nonce: "+r.URL.RawQuery, http.StatusBadRequest)
		return
	}
	code := rand.Text()
	p.mu.Lock()
	p.codes[code] = asked
	p.mu.Unlock()
	answer := url.Values{"code": {code}, "state": {asked.Get("state")}, "iss": {p.Issuer}}
	if p.Answer != nil {
		p.Answer(answer)
	}

	back := asked.Get("redirect_uri") + "?" + answer.Encode()
	if p.Asks {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>Provider</title><a id="agree" href="%s">Go on as ann</a>`, html.EscapeString(back))
		return
	}
	http.Redirect(w, r, back, http.StatusFound)
}

// token gives the tokens for a code, once.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	refuse := func(status int, text string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": text})
	}
	client, secret, _ := r.BasicAuth()
	if client == "" {
		client, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	if secret, _ = url.QueryUnescape(secret); client != Client || secret != Secret {
		refuse(http.StatusUnauthorized, "invalid_client")
		return
	}

	nonce, ok := p.granted(r)
	if !ok {
		refuse(http.StatusBadRequest, "invalid_grant")
		return
	}

	now := time.Now()
	claims := map[string]any{"iss": p.Issuer, "aud": Client, "sub": "4711", "email": "ann@corp.example", "email_verified": true, "groups": []string{"staff"},
		"nonce": nonce, "iat": now.Unix(), "exp": now.Add(time.Minute).Unix()}
	maps.Copy(claims, p.Claims)
	for name, v := range claims {
		if v == nil {
			delete(claims, name)
		}
	}
	sign := p.Sign
	if sign == nil {
		sign = func(claims map[string]any) string { return p.Signed(jose.ES256, p.Key, claims) }
	}
	out := map[string]any{"access_token": rand.Text(), "token_type": "Bearer", "expires_in": 60, "id_token": sign(claims)}
	if p.Refreshes {
		token := rand.Text()
		p.mu.Lock()
		p.lasts[token] = true
		p.mu.Unlock()
		out["refresh_token"] = token
	}
	p.write(w, out)
}

// granted uses up a code or a refresh token, and returns the nonce of a code; nil for a refresh
// token, which needs none.
func (p *Provider) granted(r *http.Request) (nonce any, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.PostFormValue("grant_type") == "refresh_token" {
		token := r.PostFormValue("refresh_token")
		ok := p.lasts[token]
		delete(p.lasts, token)
		return nil, ok
	}

	asked := p.codes[r.PostFormValue("code")]
	delete(p.codes, r.PostFormValue("code"))
	proved := asked != nil && oauth2.S256ChallengeFromVerifier(r.PostFormValue("code_verifier")) == asked.Get("code_challenge")
	if !proved || r.PostFormValue("redirect_uri") != asked.Get("redirect_uri") {
		return nil, false
	}
	return asked.Get("nonce"), true
}

// Signed returns a token with claims that a key signs.
func (p *Provider) Signed(alg jose.SignatureAlgorithm, key any, claims map[string]any) string {
	p.t.Helper()
	must := func(err error) {
		if err != nil {
			p.t.Error(err)
		}
	}
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, (&jose.SignerOptions{}).WithHeader("kid", "1"))
	must(err)
	payload, err := json.Marshal(claims)
	must(err)
	signed, err := s.Sign(payload)
	must(err)
	out, err := signed.CompactSerialize()
	must(err)
	return out
}
