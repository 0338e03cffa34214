package access

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

// The errors of access tokens. Every other error means that the issuer could not
// be asked.
var (
	// ErrNoToken is returned for a request without a token.
	ErrNoToken = errors.New("the request has no access token")
	// ErrInvalidToken is returned for a token that isn't accepted here: it is forged
	// or expired, of another issuer, or for another resource.
	ErrInvalidToken = errors.New("the access token is not valid")
	// ErrTokenScope is returned for a valid token that lacks a scope.
	ErrTokenScope = errors.New("the access token lacks a scope")
)

// OAuth configures which access tokens a server accepts.
type OAuth struct {
	// Issuer is the authorization server's identifier.
	Issuer string
	// JWKS is the address of the issuer's keys. If it is empty, the issuer is asked
	// for it.
	JWKS string
	// Resource is the address of this server as clients know it. A token must have
	// been issued for it (RFC 8707), so that a token for one server isn't accepted by
	// another.
	Resource string
	// Scopes are the scopes that a token must have, all of them.
	Scopes []string
}

// algorithms are the signature algorithms of accepted tokens. Symmetric ones are
// missing: a server that can check such a token could make one.
var algorithms = []string{oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.EdDSA}

// ResourceServer accepts access tokens that an issuer signed for this server, as
// the authorization chapter of MCP specifies it: a resource server of OAuth that
// tells clients where to get tokens (RFC 9728).
type ResourceServer struct {
	c        OAuth
	metadata string // the address of the metadata
	client   *http.Client

	mu       sync.Mutex
	verifier *oidc.IDTokenVerifier
}

// NewResourceServer returns a resource server. It makes no request yet.
func NewResourceServer(c OAuth) (*ResourceServer, error) {
	u, err := url.Parse(c.Resource)
	if err != nil || u.Scheme == "" || u.Host == "" {
		return nil, fmt.Errorf("the resource %q is not a web address", c.Resource)
	}
	return &ResourceServer{
		c: c, metadata: u.Scheme + "://" + u.Host + wellKnown + strings.TrimSuffix(u.EscapedPath(), "/"),
		client: &http.Client{Timeout: fetchTime, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}, nil
}

// Register adds the server's metadata to mux, at the paths where clients look.
func (r *ResourceServer) Register(mux *http.ServeMux) {
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Access-Control-Allow-Origin", "*") // the metadata is public
		_ = json.NewEncoder(w).Encode(map[string]any{      // fails only if the client has gone
			"resource": r.c.Resource, "authorization_servers": []string{r.c.Issuer},
			"scopes_supported": append([]string{}, r.c.Scopes...), "bearer_methods_supported": []string{"header"},
		})
	})
	mux.Handle("GET "+wellKnown, h)
	if at := strings.TrimPrefix(r.metadata[strings.Index(r.metadata, wellKnown):], wellKnown); at != "" {
		mux.Handle("GET "+wellKnown+at, h)
	}
}

// Authenticate returns the principal that the request's access token identifies:
// ISSUER#SUBJECT, so that equal subjects of two issuers differ. The error is
// [ErrNoToken], [ErrInvalidToken] or [ErrTokenScope], or says that the issuer
// could not be asked.
func (r *ResourceServer) Authenticate(req *http.Request) (principal string, err error) {
	fields := req.Header.Values("Authorization")
	if len(fields) == 0 {
		return "", ErrNoToken
	}
	scheme, raw, ok := strings.Cut(fields[0], " ")
	if !ok || len(fields) > 1 || !strings.EqualFold(scheme, "Bearer") || len(raw) > maxToken {
		return "", ErrInvalidToken
	}

	v, err := r.tokenVerifier(req.Context())
	if err != nil {
		return "", err
	}
	ctx := oidc.ClientContext(req.Context(), r.client)
	token, err := v.Verify(ctx, raw)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrInvalidToken, err)
	}

	var claims struct {
		Scope string `json:"scope"`
	}
	if err := token.Claims(&claims); err != nil || token.Subject == "" {
		return "", fmt.Errorf("%w: it has no subject, or its claims can't be read", ErrInvalidToken)
	}
	has := strings.Fields(claims.Scope)
	for _, s := range r.c.Scopes {
		if !slices.Contains(has, s) {
			return "", fmt.Errorf("%w: %s", ErrTokenScope, s)
		}
	}
	return r.c.Issuer + "#" + token.Subject, nil
}

// tokenVerifier returns a verifier with the issuer's keys. If the issuer can't be
// reached, the next request asks it again.
func (r *ResourceServer) tokenVerifier(ctx context.Context) (*oidc.IDTokenVerifier, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.verifier != nil {
		return r.verifier, nil
	}

	jwks := r.c.JWKS
	if jwks == "" {
		// Only the address of the keys is read from the answer.
		p, err := oidc.NewProvider(oidc.ClientContext(ctx, r.client), r.c.Issuer)
		if err != nil {
			return nil, fmt.Errorf("the issuer %s could not be asked for its keys: %w", r.c.Issuer, err)
		}
		var meta struct {
			JWKS string `json:"jwks_uri"`
		}
		if err := p.Claims(&meta); err != nil || meta.JWKS == "" {
			return nil, fmt.Errorf("the issuer %s doesn't say where its keys are: give their address as jwks", r.c.Issuer)
		}
		jwks = meta.JWKS
	}

	// The keys outlive the request. They are fetched again when a token has an
	// unknown one.
	keys := oidc.NewRemoteKeySet(oidc.ClientContext(context.Background(), r.client), jwks)
	r.verifier = oidc.NewVerifier(r.c.Issuer, keys, &oidc.Config{ClientID: r.c.Resource, SupportedSigningAlgs: algorithms})
	return r.verifier, nil
}

// Challenge answers a request whose token was not accepted: it tells the client
// where to get one. The error is that of [ResourceServer.Authenticate].
func (r *ResourceServer) Challenge(w http.ResponseWriter, err error) {
	status, challenge := http.StatusUnauthorized, fmt.Sprintf("Bearer resource_metadata=%q", r.metadata)
	if len(r.c.Scopes) > 0 {
		challenge += fmt.Sprintf(", scope=%q", strings.Join(r.c.Scopes, " "))
	}

	message := "an access token is needed"
	switch {
	case errors.Is(err, ErrNoToken):
	case errors.Is(err, ErrTokenScope):
		status, message = http.StatusForbidden, "the access token lacks a scope"
		challenge += `, error="insufficient_scope"`
	case errors.Is(err, ErrInvalidToken):
		message = "the access token is not valid"
		challenge += `, error="invalid_token"`
	default:
		http.Error(w, "access tokens can't be checked at present", http.StatusServiceUnavailable)
		return
	}

	w.Header().Set("WWW-Authenticate", challenge)
	http.Error(w, message, status)
}
