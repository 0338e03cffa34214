// Package oauth makes a server of Remit a resource server of OAuth, as the
// authorization chapter of MCP has it: it says where its tokens come from
// (RFC 9728), and accepts access tokens that the issuer signed for it.
package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

const (
	// wellKnown is where clients look for the metadata.
	wellKnown = "/.well-known/oauth-protected-resource"
	// fetchTime bounds a request to the issuer: a caller waits for it.
	fetchTime = 10 * time.Second
	// maxToken bounds a token, in bytes: what fits into a header.
	maxToken = 16 << 10
)

// The errors of tokens. Every other error means that the issuer could not be
// asked.
var (
	// ErrNoToken is returned for a request without a token.
	ErrNoToken = errors.New("an access token is needed")
	// ErrInvalid is returned for a token that is not good here: forged, expired,
	// of another issuer, for another resource.
	ErrInvalid = errors.New("the access token is not valid")
	// ErrScope is returned for a token that may not do this.
	ErrScope = errors.New("the access token lacks a scope")
)

// Config says whose tokens are accepted.
type Config struct {
	// Issuer is the authorization server's identifier.
	Issuer string
	// JWKS is the address of its keys. When empty it is looked up at the issuer.
	JWKS string
	// Resource is the address of this server as clients know it. Tokens must be
	// for it (RFC 8707): one for another server is no good here, nor one of this
	// server's elsewhere.
	Resource string
	// Scopes must all be in a token.
	Scopes []string
}

// algorithms are those that tokens are signed by. Symmetric ones are none: who
// can check such a token can make it.
var algorithms = []string{oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.EdDSA}

// Resource is a resource server.
type Resource struct {
	c        Config
	metadata string // its address
	client   *http.Client

	mu       sync.Mutex
	verifier *oidc.IDTokenVerifier
}

// New makes a resource server. It asks nobody yet.
func New(c Config) (*Resource, error) {
	u, err := url.Parse(c.Resource)
	if err != nil || u.Scheme == "" || u.Host == "" {
		return nil, fmt.Errorf("the resource %q is no web address", c.Resource)
	}
	return &Resource{
		c: c, metadata: u.Scheme + "://" + u.Host + wellKnown + strings.TrimSuffix(u.EscapedPath(), "/"),
		client: &http.Client{Timeout: fetchTime, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}, nil
}

// Register adds the metadata to a server, at the places where clients look.
func (r *Resource) Register(mux *http.ServeMux) {
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Access-Control-Allow-Origin", "*") // it is public
		_ = json.NewEncoder(w).Encode(map[string]any{      // or the client has gone
			"resource": r.c.Resource, "authorization_servers": []string{r.c.Issuer},
			"scopes_supported": append([]string{}, r.c.Scopes...), "bearer_methods_supported": []string{"header"},
		})
	})
	mux.Handle("GET "+wellKnown, h)
	if at := strings.TrimPrefix(r.metadata[strings.Index(r.metadata, wellKnown):], wellKnown); at != "" {
		mux.Handle("GET "+wellKnown+at, h)
	}
}

// Authenticate returns the subject of the request's access token. An error is
// one of this package's, or the issuer could not be asked.
func (r *Resource) Authenticate(req *http.Request) (subject string, err error) {
	fields := req.Header.Values("Authorization")
	if len(fields) == 0 {
		return "", ErrNoToken
	}
	scheme, raw, ok := strings.Cut(fields[0], " ")
	if !ok || len(fields) > 1 || !strings.EqualFold(scheme, "Bearer") || len(raw) > maxToken {
		return "", ErrInvalid
	}
	v, err := r.verify(req.Context())
	if err != nil {
		return "", err
	}
	ctx := oidc.ClientContext(req.Context(), r.client)
	token, err := v.Verify(ctx, raw)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	var claims struct {
		Scope string `json:"scope"`
	}
	if err := token.Claims(&claims); err != nil || token.Subject == "" {
		return "", fmt.Errorf("%w: it names no subject, or its claims can't be read", ErrInvalid)
	}
	has := strings.Fields(claims.Scope)
	for _, s := range r.c.Scopes {
		if !slices.Contains(has, s) {
			return "", fmt.Errorf("%w: %s", ErrScope, s)
		}
	}
	return token.Subject, nil
}

// verify returns what checks tokens, with the issuer's keys. An issuer that can't
// be reached is asked again the next time.
func (r *Resource) verify(ctx context.Context) (*oidc.IDTokenVerifier, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.verifier != nil {
		return r.verifier, nil
	}
	jwks := r.c.JWKS
	if jwks == "" {
		// Only the address of the keys is taken from it.
		p, err := oidc.NewProvider(oidc.ClientContext(ctx, r.client), r.c.Issuer)
		if err != nil {
			return nil, fmt.Errorf("the issuer %s could not be asked for its keys: %w", r.c.Issuer, err)
		}
		var meta struct {
			JWKS string `json:"jwks_uri"`
		}
		if err := p.Claims(&meta); err != nil || meta.JWKS == "" {
			return nil, fmt.Errorf("the issuer %s doesn't say where its keys are: name them in jwks", r.c.Issuer)
		}
		jwks = meta.JWKS
	}
	// The keys outlive the request, and are fetched anew when a token has an
	// unknown one.
	keys := oidc.NewRemoteKeySet(oidc.ClientContext(context.Background(), r.client), jwks)
	r.verifier = oidc.NewVerifier(r.c.Issuer, keys, &oidc.Config{ClientID: r.c.Resource, SupportedSigningAlgs: algorithms})
	return r.verifier, nil
}

// Challenge answers a request whose token was not accepted, so that a client
// learns where to get one.
func (r *Resource) Challenge(w http.ResponseWriter, err error) {
	status, challenge := http.StatusUnauthorized, fmt.Sprintf("Bearer resource_metadata=%q", r.metadata)
	if len(r.c.Scopes) > 0 {
		challenge += fmt.Sprintf(", scope=%q", strings.Join(r.c.Scopes, " "))
	}
	message := "an access token is needed"
	switch {
	case errors.Is(err, ErrNoToken):
	case errors.Is(err, ErrScope):
		status, message = http.StatusForbidden, "the access token lacks a scope"
		challenge += `, error="insufficient_scope"`
	case errors.Is(err, ErrInvalid):
		message = "the access token is not valid"
		challenge += `, error="invalid_token"`
	default:
		http.Error(w, "access tokens can't be checked at present", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("WWW-Authenticate", challenge)
	http.Error(w, message, status)
}
