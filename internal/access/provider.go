package access

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

const (
	// maxAnswer bounds what an identity provider answers, in bytes: metadata, keys and
	// tokens are a few thousand.
	maxAnswer = 1 << 20
	// maxCode bounds a code, in bytes: what fits into an address.
	maxCode = 4 << 10
	// maxClaims bounds the values of the claim that has the roles.
	maxClaims = 1000
	// DefaultRecheck is how long a person keeps a role that they have lost at the provider, at
	// most, where the configuration doesn't say.
	DefaultRecheck = time.Hour
)

// The errors of signing in by an identity provider. Every other error means that the
// provider could not be asked.
var (
	// ErrSignIn is returned for an answer that isn't the one to what was begun: it is
	// forged, used up, expired, or of another provider or client.
	ErrSignIn = errors.New("the answer of the identity provider is not valid")
	// ErrDeclined is returned when the provider says that the person did not sign in.
	ErrDeclined = errors.New("the identity provider says that nobody signed in")
	// ErrNoRole is returned for a person to whom the configuration gives no role.
	ErrNoRole = errors.New("the person has no role here")
)

// SignIn configures how people sign in by an identity provider.
type SignIn struct {
	// Issuer is the provider's identifier, an https address: its metadata are below it.
	Issuer string
	// Client and Secret are what the provider knows this server by. A public client has
	// no secret: the proof of PKCE is sent in either case.
	Client, Secret string
	// Address is where people reach the pages, with a slash at the end. The provider sends
	// them back to login/done below it.
	Address string
	// Scopes are asked for beside openid.
	Scopes []string
	// Name is the claim that names a person. If it is empty, a person is ISSUER#SUBJECT,
	// as a caller of the gateway is. An email counts where the provider has verified it.
	Name string
	// Claim has the values by which people get their roles, and Roles what each role needs:
	// one of its values is enough. A claim with a slash at its beginning is a JSON pointer.
	Claim string
	Roles map[Role][]string
	// Life is how long a person stays signed in; what the console gives when zero.
	Life time.Duration
	// Recheck is for how long a role holds until the provider is asked about it again;
	// [DefaultRecheck] when zero.
	Recheck time.Duration
	// Now is the clock; [time.Now] when nil.
	Now func() time.Time
}

// Role is what a person may do, as people speak of it.
type Role string

// The roles. Each has what looking needs.
const (
	LookRole   Role = "look"
	AnswerRole Role = "answer"
	AuditRole  Role = "audit"
	EditRole   Role = "edit"
)

// roles returns all roles.
func roles() []Role { return []Role{LookRole, AnswerRole, AuditRole, EditRole} }

// Scopes returns the scopes of a role.
func (r Role) Scopes() []Scope {
	look := []Scope{SessionsRead, SessionsAny, ApprovalsRead, ContractsRead}
	switch r {
	case LookRole:
		return look
	case AnswerRole:
		return append(look, ApprovalsAnswer)
	case AuditRole:
		return append(look, AuditRead)
	case EditRole:
		return append(look, ContractsWrite)
	}
	return nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (r *Role) UnmarshalText(text []byte) error {
	if !slices.Contains(roles(), Role(text)) {
		return errors.New("unknown role")
	}
	*r = Role(text)
	return nil
}

// Attempt is a signing in that has begun: what its end is held to. It belongs to one
// browser, and is good for one answer.
type Attempt struct{ state, nonce, verifier string }

// NoRoleError is the [ErrNoRole] of a person whom the provider has named.
type NoRoleError struct {
	// Name is the person's name; ISSUER#SUBJECT where theirs can't be used.
	Name string
	why  string
}

// Error implements error.
func (e *NoRoleError) Error() string { return ErrNoRole.Error() + ": " + e.why }

// Unwrap returns [ErrNoRole].
func (e *NoRoleError) Unwrap() error { return ErrNoRole }

// Identity is a person as a provider has signed them in, with what it can be asked about them
// again by. It holds a secret.
type Identity struct {
	Principal
	subject, nonce, refresh string
}

// Lasts reports whether the provider can be asked again without the person.
func (i *Identity) Lasts() bool { return i.refresh != "" }

// IdentityProvider signs people in by OpenID Connect, with the code flow and PKCE.
type IdentityProvider struct {
	c      SignIn
	client *http.Client

	mu    sync.Mutex
	known *metadata
	// asking is the request for the metadata that is on its way; nil when there is none.
	asking *asking
}

// asking is one request, for all who need its answer.
type asking struct {
	done  chan struct{}
	known *metadata
	err   error
}

// metadata is what a provider says of itself.
type metadata struct {
	flow     oauth2.Config
	verifier *oidc.IDTokenVerifier
	// named is set where the provider names itself in its answers (RFC 9207).
	named bool
	// end is where people sign out of the provider; empty where it has no such place.
	end string
}

// NewIdentityProvider returns a provider. It makes no request yet.
func NewIdentityProvider(c SignIn) (*IdentityProvider, error) {
	for what, address := range map[string]string{"issuer": c.Issuer, "address": c.Address} {
		if err := checkWeb(address); err != nil {
			return nil, fmt.Errorf("the %s %q: %w", what, address, err)
		}
	}
	if !strings.HasSuffix(c.Address, "/") {
		return nil, fmt.Errorf("the address %q has no slash at its end", c.Address)
	}
	if c.Client == "" || c.Claim == "" {
		return nil, errors.New("the client, or the claim that has the roles, is missing")
	}

	client := &http.Client{Timeout: fetchTime, Transport: bounded{http.DefaultTransport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &IdentityProvider{c: c, client: client}, nil
}

// checkWeb returns an error for an address that people's secrets must not be sent to: one
// without TLS, but on the loopback interface.
func checkWeb(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("write it as https://HOST/PATH")
	case u.Scheme == "https", u.Scheme == "http" && (Hosts{}).allowsName(u.Host):
		return nil
	}
	return errors.New("only https is safe, or http on the loopback interface")
}

// bounded bounds the answers that a transport brings.
type bounded struct{ next http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.next.RoundTrip(r)
	if err == nil {
		res.Body = http.MaxBytesReader(nil, res.Body, maxAnswer)
	}
	return res, err
}

// Address returns where people reach the pages.
func (p *IdentityProvider) Address() string { return p.c.Address }

// Life is how long a person stays signed in; 0 where the configuration doesn't say.
func (p *IdentityProvider) Life() time.Duration { return p.c.Life }

// Recheck is for how long a role holds until the provider is asked about it again.
func (p *IdentityProvider) Recheck() time.Duration { return cmp.Or(p.c.Recheck, DefaultRecheck) }

// Title names the provider to people.
func (p *IdentityProvider) Title() string {
	u, err := url.Parse(p.c.Issuer)
	if err != nil {
		return p.c.Issuer
	}
	return u.Host
}

// Begin returns the address where a person signs in, and what to keep until they are back.
func (p *IdentityProvider) Begin(ctx context.Context) (string, Attempt, error) {
	m, err := p.discover(ctx)
	if err != nil {
		return "", Attempt{}, err
	}
	a := Attempt{state: rand.Text(), nonce: rand.Text(), verifier: oauth2.GenerateVerifier()}
	return m.flow.AuthCodeURL(a.state, oidc.Nonce(a.nonce), oauth2.S256ChallengeOption(a.verifier)), a, nil
}

// Finish returns who has signed in, by the answer that their browser brought back. The
// error is [ErrSignIn], [ErrDeclined] or [ErrNoRole], or says that the provider could not
// be asked.
func (p *IdentityProvider) Finish(ctx context.Context, a Attempt, answer url.Values) (*Identity, error) {
	m, err := p.discover(ctx)
	if err != nil {
		return nil, err
	}
	code, err := p.checkAnswer(m, a, answer)
	if err != nil {
		return nil, err
	}

	tokens, err := m.flow.Exchange(oidc.ClientContext(ctx, p.client), code, oauth2.VerifierOption(a.verifier))
	if err != nil {
		return nil, p.refused(err)
	}
	return p.person(ctx, m, tokens, func(nonce string) bool { return subtle.ConstantTimeCompare([]byte(nonce), []byte(a.nonce)) == 1 })
}

// Renew asks the provider about a person again. The error is [ErrSignIn] where it no longer
// vouches for them, [ErrNoRole] where they have no role any more, and any other one says that
// the provider could not be asked. The identity before is used up.
func (p *IdentityProvider) Renew(ctx context.Context, i *Identity) (*Identity, error) {
	if i.refresh == "" { // the provider's last one was of no use
		return nil, fmt.Errorf("%w: there is no refresh token any more", ErrSignIn)
	}

	m, err := p.discover(ctx)
	if err != nil {
		return nil, err
	}
	tokens, err := m.flow.TokenSource(oidc.ClientContext(ctx, p.client), &oauth2.Token{RefreshToken: i.refresh}).Token()
	if err != nil {
		return nil, p.refused(err)
	}
	// A nonce is that of the first token, where there is one.
	out, err := p.person(ctx, m, tokens, func(nonce string) bool { return nonce == "" || nonce == i.nonce })
	switch {
	case err != nil:
		return nil, err
	case out.subject != i.subject:
		return nil, fmt.Errorf("%w: the new ID token is about another person", ErrSignIn)
	}
	out.nonce = i.nonce
	return out, nil
}

// refused returns the error of a request for tokens.
func (p *IdentityProvider) refused(err error) error {
	var refused *oauth2.RetrieveError
	switch {
	case errors.As(err, &refused) && refused.ErrorCode == "invalid_grant":
		return fmt.Errorf("%w: the code, or the refresh token, is not accepted", ErrSignIn)
	case errors.As(err, &refused):
		// The body may have anything in it, and goes into a log.
		return fmt.Errorf("the issuer %s gave no token: %s %q", p.c.Issuer, refused.Response.Status, refused.ErrorCode)
	}
	return fmt.Errorf("the issuer %s gave no token: %w", p.c.Issuer, err)
}

// checkAnswer returns the code of an answer, if it is the answer to an attempt.
func (p *IdentityProvider) checkAnswer(m *metadata, a Attempt, answer url.Values) (code string, err error) {
	for _, name := range []string{"state", "code", "error", "iss"} {
		if len(answer[name]) > 1 {
			return "", fmt.Errorf("%w: it has two of %s", ErrSignIn, name)
		}
	}
	switch issuer, failed := answer.Get("iss"), answer.Get("error"); {
	case a.state == "" || subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(a.state)) != 1:
		return "", fmt.Errorf("%w: it has another state", ErrSignIn)
	case issuer != "" && issuer != p.c.Issuer, m.named && issuer == "":
		return "", fmt.Errorf("%w: it is of another issuer", ErrSignIn)
	case failed != "":
		return "", ErrDeclined
	}
	if code = answer.Get("code"); code == "" || len(code) > maxCode {
		return "", fmt.Errorf("%w: it has no code", ErrSignIn)
	}
	return code, nil
}

// person returns whom tokens are about, if their nonce is the right one. Everything is read from
// the ID token, which is signed; access tokens are not used.
func (p *IdentityProvider) person(ctx context.Context, m *metadata, tokens *oauth2.Token, isNonce func(string) bool) (*Identity, error) {
	raw, _ := tokens.Extra("id_token").(string)
	if raw == "" || len(raw) > maxAnswer {
		return nil, fmt.Errorf("%w: there is no ID token", ErrSignIn)
	}
	token, err := m.verifier.Verify(oidc.ClientContext(ctx, p.client), raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSignIn, err)
	}

	var claims map[string]any
	if err := token.Claims(&claims); err != nil || token.Subject == "" {
		return nil, fmt.Errorf("%w: it has no subject, or its claims can't be read", ErrSignIn)
	}
	party, has := claims["azp"]
	switch {
	case !isNonce(token.Nonce):
		return nil, fmt.Errorf("%w: the ID token has another nonce", ErrSignIn)
	case has && party != p.c.Client, !has && len(token.Audience) > 1:
		return nil, fmt.Errorf("%w: the ID token was made for another client", ErrSignIn)
	}
	who, err := p.principal(token.Subject, claims)
	if err != nil {
		return nil, err
	}
	out := &Identity{Principal: *who, subject: token.Subject, nonce: token.Nonce}
	if len(tokens.RefreshToken) <= maxCode {
		out.refresh = tokens.RefreshToken
	}
	return out, nil
}

// principal returns the principal of a person by the claims about them.
func (p *IdentityProvider) principal(subject string, claims map[string]any) (*Principal, error) {
	id := p.c.Issuer + "#" + subject
	out := &Principal{Name: id}
	if p.c.Name != "" {
		out.Name, _ = claimed(claims, p.c.Name).(string)
		// Who may write any address into their account must not become its owner here.
		if p.c.Name == "email" && claims["email_verified"] != true {
			return nil, &NoRoleError{id, "their email is not verified"}
		}
	}
	if !isPrincipalName(out.Name) {
		return nil, &NoRoleError{id, "the claim that names them can't be used as a name"}
	}

	has := values(claimed(claims, p.c.Claim))
	for _, role := range roles() {
		if !slices.ContainsFunc(p.c.Roles[role], func(v string) bool { return slices.Contains(has, v) }) {
			continue
		}
		for _, s := range role.Scopes() {
			if !out.May(s) {
				out.Scopes = append(out.Scopes, s)
			}
		}
	}
	if len(out.Scopes) == 0 {
		return nil, &NoRoleError{out.Name, out.Name}
	}
	return out, nil
}

// claimed returns a claim by its name, or by a JSON pointer to it.
func claimed(claims map[string]any, name string) any {
	if !strings.HasPrefix(name, "/") {
		return claims[name]
	}
	var at any = claims
	for _, part := range strings.Split(name[1:], "/") {
		members, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = members[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]
	}
	return at
}

// values returns the texts of a claim: one, or a list. A longer list has none, so that what is
// cut off can't matter.
func values(claim any) []string {
	switch v := claim.(type) {
	case string:
		return []string{v}
	case []any:
		if len(v) > maxClaims {
			return nil
		}
		var out []string
		for _, e := range v {
			if s, ok := e.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

// SignOut returns where people sign out of the provider; empty where it doesn't say, or
// was not asked yet.
func (p *IdentityProvider) SignOut() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil || p.known.end == "" {
		return ""
	}
	u, err := url.Parse(p.known.end)
	if err != nil {
		return ""
	}
	q := u.Query()
	q.Set("client_id", p.c.Client)
	u.RawQuery = q.Encode()
	return u.String()
}

// discover asks the provider about itself, once, for all who wait. If it can't be reached,
// the next person asks again.
func (p *IdentityProvider) discover(ctx context.Context) (*metadata, error) {
	p.mu.Lock()
	if p.known != nil {
		defer p.mu.Unlock()
		return p.known, nil
	}
	a := p.asking
	if a == nil {
		a = &asking{done: make(chan struct{})}
		p.asking = a
		go p.ask(context.WithoutCancel(ctx), a) // the first to ask may leave before the others
	}
	p.mu.Unlock()

	select {
	case <-a.done:
		return a.known, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// ask carries a request out; the client bounds how long that takes.
func (p *IdentityProvider) ask(ctx context.Context, a *asking) {
	a.known, a.err = p.metadata(ctx)
	p.mu.Lock()
	p.known, p.asking = a.known, nil
	p.mu.Unlock()
	close(a.done)
}

// metadata asks the provider about itself.
func (p *IdentityProvider) metadata(ctx context.Context) (*metadata, error) {
	// The keys outlive the request. They are fetched again when a token has an unknown one.
	found, err := oidc.NewProvider(oidc.ClientContext(ctx, p.client), p.c.Issuer)
	if err != nil {
		return nil, fmt.Errorf("the issuer %s could not be asked about itself: %w", p.c.Issuer, err)
	}
	var says struct {
		Methods []string `json:"token_endpoint_auth_methods_supported"`
		Named   bool     `json:"authorization_response_iss_parameter_supported"`
		End     string   `json:"end_session_endpoint"`
		JWKS    string   `json:"jwks_uri"`
	}
	if err := found.Claims(&says); err != nil {
		return nil, fmt.Errorf("the issuer %s says nothing of use about itself: %w", p.c.Issuer, err)
	}
	endpoint := found.Endpoint()
	for _, address := range []string{endpoint.AuthURL, endpoint.TokenURL, says.JWKS} {
		if before, _, _ := strings.Cut(address, "?"); checkWeb(before) != nil {
			return nil, fmt.Errorf("the issuer %s names %q, where nothing safe can be sent", p.c.Issuer, address)
		}
	}
	if before, _, _ := strings.Cut(says.End, "?"); checkWeb(before) != nil {
		says.End = ""
	}

	// Said, not tried out: a code is good for one try.
	endpoint.AuthStyle = oauth2.AuthStyleInHeader
	posted := len(says.Methods) > 0 && !slices.Contains(says.Methods, "client_secret_basic")
	if p.c.Secret == "" || posted {
		endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	keys := oidc.NewRemoteKeySet(oidc.ClientContext(context.Background(), p.client), says.JWKS)
	return &metadata{
		flow: oauth2.Config{ClientID: p.c.Client, ClientSecret: p.c.Secret, Endpoint: endpoint, RedirectURL: p.c.Address + "login/done",
			Scopes: append([]string{oidc.ScopeOpenID}, p.c.Scopes...)},
		verifier: oidc.NewVerifier(p.c.Issuer, keys, &oidc.Config{ClientID: p.c.Client, SupportedSigningAlgs: algorithms, Now: p.c.Now}),
		named:    says.Named, end: says.End,
	}, nil
}
