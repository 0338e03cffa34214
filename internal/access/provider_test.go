package access_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/accesstest"
)

// signIn is how people sign in by a provider.
func signIn(p *accesstest.Provider) access.SignIn {
	return access.SignIn{Issuer: p.Issuer, Client: accesstest.Client, Secret: accesstest.Secret, Address: "https://remit.example/console/",
		Claim: "groups", Roles: map[access.Role][]string{access.LookRole: {"staff"}, access.AnswerRole: {"leads", "owners"}, access.EditRole: {"owners"}}}
}

func provider(t *testing.T, c access.SignIn) *access.IdentityProvider {
	t.Helper()
	p, err := access.NewIdentityProvider(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// walk goes where a browser is sent to sign in, and returns what it comes back with.
func walk(t *testing.T, address string) url.Values {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	back, err := res.Location()
	if err != nil {
		t.Fatalf("the provider answered %s, and sent nobody back", res.Status)
	}
	if !strings.HasPrefix(back.String(), "https://remit.example/console/login/done?") {
		t.Fatalf("people are sent back to %s", back)
	}
	return back.Query()
}

// signed goes through a whole signing in.
func signed(t *testing.T, p *access.IdentityProvider) (*access.Identity, error) {
	t.Helper()
	address, attempt, err := p.Begin(t.Context())
	if err != nil {
		return nil, err
	}
	return p.Finish(t.Context(), attempt, walk(t, address))
}

// Whom a provider has signed in is named by its signed token, and has the roles that the
// configuration gives for a claim of it.
func TestPeopleHaveTheirRoles(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*access.SignIn)
		claims map[string]any
		want   string
		may    []access.Scope
		mayNot []access.Scope
	}{
		"look":            {nil, nil, "#4711", []access.Scope{access.SessionsRead, access.SessionsAny, access.ApprovalsRead}, []access.Scope{access.ApprovalsAnswer, access.ContractsWrite, access.AuditRead}},
		"answer":          {nil, map[string]any{"groups": []string{"leads", "x"}}, "#4711", []access.Scope{access.SessionsRead, access.ApprovalsAnswer}, []access.Scope{access.ContractsWrite}},
		"answer and edit": {nil, map[string]any{"groups": "owners"}, "#4711", []access.Scope{access.ApprovalsAnswer, access.ContractsWrite}, []access.Scope{access.DecisionsWrite, access.ConfirmationsWrite}},
		"a nested claim": {func(c *access.SignIn) { c.Claim = "/realm_access/roles~1x" }, map[string]any{"realm_access": map[string]any{"roles/x": []string{"leads"}}}, "#4711",
			[]access.Scope{access.ApprovalsAnswer}, nil},
		"a claim with slashes and dots": {func(c *access.SignIn) { c.Claim = "https://corp.example/roles" }, map[string]any{"https://corp.example/roles": []string{"leads"}}, "#4711",
			[]access.Scope{access.ApprovalsAnswer}, nil},
		"named by a verified email": {func(c *access.SignIn) { c.Name = "email" }, nil, "ann@corp.example", nil, nil},
		"for several audiences":     {nil, map[string]any{"aud": []string{accesstest.Client, "x"}, "azp": accesstest.Client}, "#4711", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			at := accesstest.NewProvider(t)
			at.Claims = test.claims
			c := signIn(at)
			if test.change != nil {
				test.change(&c)
			}
			who, err := signed(t, provider(t, c))
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.Replace(test.want, "#", at.Issuer+"#", 1); who.Name != want {
				t.Errorf("it is %q, want %q", who.Name, want)
			}
			for _, s := range test.may {
				if !who.May(s) {
					t.Errorf("they may not %s: %v", s, who.Scopes)
				}
			}
			for _, s := range test.mayNot {
				if who.May(s) {
					t.Errorf("they may %s", s)
				}
			}
		})
	}
}

// A token signs a person in only if it is the provider's, for this client, for this attempt and
// this time, and the person has a role.
func TestForgedIdentities(t *testing.T) {
	other := accesstest.NewProvider(t)
	long := slices.Repeat([]string{"staff"}, 1001)
	for name, test := range map[string]struct {
		cheat func(*accesstest.Provider)
		want  error
	}{
		"of another issuer":        {func(p *accesstest.Provider) { p.Claims["iss"] = "https://evil.example" }, access.ErrSignIn},
		"for another client":       {func(p *accesstest.Provider) { p.Claims["aud"] = "mail" }, access.ErrSignIn},
		"for nobody":               {func(p *accesstest.Provider) { p.Claims["aud"] = nil }, access.ErrSignIn},
		"of another party":         {func(p *accesstest.Provider) { p.Claims["azp"] = "mail" }, access.ErrSignIn},
		"for several, of no party": {func(p *accesstest.Provider) { p.Claims["aud"] = []string{accesstest.Client, "mail"} }, access.ErrSignIn},
		"a party that is not text": {func(p *accesstest.Provider) { p.Claims["azp"] = 1 }, access.ErrSignIn},
		"another nonce":            {func(p *accesstest.Provider) { p.Claims["nonce"] = "another" }, access.ErrSignIn},
		"no nonce":                 {func(p *accesstest.Provider) { p.Claims["nonce"] = nil }, access.ErrSignIn},
		"expired":                  {func(p *accesstest.Provider) { p.Claims["exp"] = time.Now().Add(-time.Hour).Unix() }, access.ErrSignIn},
		"without an end":           {func(p *accesstest.Provider) { p.Claims["exp"] = nil }, access.ErrSignIn},
		"not yet":                  {func(p *accesstest.Provider) { p.Claims["nbf"] = time.Now().Add(time.Hour).Unix() }, access.ErrSignIn},
		"without a subject":        {func(p *accesstest.Provider) { p.Claims["sub"] = nil }, access.ErrSignIn},
		"of another key":           {func(p *accesstest.Provider) { p.Key = other.Key }, access.ErrSignIn},
		"a shared secret": {func(p *accesstest.Provider) {
			p.Sign = func(c map[string]any) string { return p.Signed(jose.HS256, []byte(accesstest.Secret+"!!!!"), c) }
		}, access.ErrSignIn},
		"unsigned":        {func(p *accesstest.Provider) { p.Sign = unsigned }, access.ErrSignIn},
		"no ID token":     {func(p *accesstest.Provider) { p.Sign = func(map[string]any) string { return "" } }, access.ErrSignIn},
		"no token at all": {func(p *accesstest.Provider) { p.Sign = func(map[string]any) string { return "x.y.z" } }, access.ErrSignIn},
		"another state":   {func(p *accesstest.Provider) { p.Answer = func(v url.Values) { v.Set("state", "another") } }, access.ErrSignIn},
		"no state":        {func(p *accesstest.Provider) { p.Answer = func(v url.Values) { v.Del("state") } }, access.ErrSignIn},
		"two states":      {func(p *accesstest.Provider) { p.Answer = func(v url.Values) { v.Add("state", "another") } }, access.ErrSignIn},
		"another code":    {func(p *accesstest.Provider) { p.Answer = func(v url.Values) { v.Set("code", "another") } }, access.ErrSignIn},
		"no code":         {func(p *accesstest.Provider) { p.Answer = func(v url.Values) { v.Del("code") } }, access.ErrSignIn},
		"a code without an end": {func(p *accesstest.Provider) {
			p.Answer = func(v url.Values) { v.Set("code", strings.Repeat("x", 5000)) }
		}, access.ErrSignIn},
		"an answer of another":    {func(p *accesstest.Provider) { p.Answer = func(v url.Values) { v.Set("iss", "https://evil.example") } }, access.ErrSignIn},
		"an answer of nobody":     {func(p *accesstest.Provider) { p.Answer = func(v url.Values) { v.Del("iss") } }, access.ErrSignIn},
		"the person has declined": {func(p *accesstest.Provider) { p.Answer = func(v url.Values) { v.Set("error", "access_denied") } }, access.ErrDeclined},
		"declined, in another's name": {func(p *accesstest.Provider) {
			p.Answer = func(v url.Values) { v.Set("error", "access_denied"); v.Set("state", "x") }
		}, access.ErrSignIn},
		"no role":                     {func(p *accesstest.Provider) { p.Claims["groups"] = []string{"guests"} }, access.ErrNoRole},
		"no claim of roles":           {func(p *accesstest.Provider) { p.Claims["groups"] = nil }, access.ErrNoRole},
		"roles of another form":       {func(p *accesstest.Provider) { p.Claims["groups"] = map[string]bool{"staff": true} }, access.ErrNoRole},
		"more roles than are read":    {func(p *accesstest.Provider) { p.Claims["groups"] = long }, access.ErrNoRole},
		"an email of nobody's":        {func(p *accesstest.Provider) { p.Claims["email_verified"] = false }, access.ErrNoRole},
		"an email, verified in words": {func(p *accesstest.Provider) { p.Claims["email_verified"] = "true" }, access.ErrNoRole},
		"a name that is none":         {func(p *accesstest.Provider) { p.Claims["email"] = "ann\u0000" }, access.ErrNoRole},
	} {
		t.Run(name, func(t *testing.T) {
			at := accesstest.NewProvider(t)
			test.cheat(at)
			c := signIn(at)
			c.Name = "email"
			who, err := signed(t, provider(t, c))
			if who != nil || !errors.Is(err, test.want) {
				t.Errorf("%v signed in: %v", who, err)
			}
		})
	}
}

// unsigned is a token with the algorithm "none".
func unsigned(claims map[string]any) string {
	payload, err := json.Marshal(claims)
	if err != nil {
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","kid":"1"}`)) + "." + base64.RawURLEncoding.EncodeToString(payload) + "."
}

// An answer is good once, and for the attempt that it was asked for with.
func TestAnswersOfProvidersAreUsedUp(t *testing.T) {
	p := provider(t, signIn(accesstest.NewProvider(t)))
	address, attempt, err := p.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	answer := walk(t, address)
	_, other, err := p.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name    string
		attempt access.Attempt
		want    error
	}{{"of another attempt", other, access.ErrSignIn}, {"of no attempt", access.Attempt{}, access.ErrSignIn}, {"its own", attempt, nil}, {"again", attempt, access.ErrSignIn}} {
		if _, err := p.Finish(t.Context(), step.attempt, answer); !errors.Is(err, step.want) {
			t.Errorf("%s: %v", step.name, err)
		}
	}
}

// Secrets go to safe addresses alone, and a provider that can't be asked is asked again by
// the next person.
func TestProvidersThatCantBeAsked(t *testing.T) {
	at := accesstest.NewProvider(t)
	for name, says := range map[string]map[string]any{
		"another issuer": {"issuer": "https://evil.example"}, "no endpoint": {"token_endpoint": ""}, "a token endpoint without TLS": {"token_endpoint": "http://login.example/token"},
		"a script": {"authorization_endpoint": "javascript:alert(1)"}, "keys without TLS": {"jwks_uri": "http://login.example/keys"}, "a long answer": {"x": strings.Repeat("x", 2<<20)},
	} {
		at.Metadata = says
		p := provider(t, signIn(at))
		if address, _, err := p.Begin(t.Context()); err == nil {
			t.Errorf("%s: people are sent to %s", name, address)
		}
		at.Metadata = nil
		if _, err := signed(t, p); err != nil {
			t.Errorf("%s, mended: %v", name, err)
		}
	}

	c := signIn(at)
	c.Secret = "another"
	if _, err := signed(t, provider(t, c)); err == nil || errors.Is(err, access.ErrSignIn) || strings.Contains(err.Error(), "another") {
		t.Errorf("with another secret: %v", err)
	}
	for _, change := range []func(*access.SignIn){
		func(c *access.SignIn) { c.Issuer = "http://login.example" }, func(c *access.SignIn) { c.Address = "http://remit.example/console/" },
		func(c *access.SignIn) { c.Address = "https://remit.example/console" }, func(c *access.SignIn) { c.Client = "" }, func(c *access.SignIn) { c.Issuer = "https://u:p@login.example" },
	} {
		c := signIn(at)
		change(&c)
		if _, err := access.NewIdentityProvider(c); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
}

// A provider is asked about a person again by a refresh token: they have the roles that it says
// then, or none. Another person, a forged token or a used one signs no one in.
func TestRolesAreAskedForAgain(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*accesstest.Provider)
		want   error
		may    bool
	}{
		"as before":            {func(*accesstest.Provider) {}, nil, false},
		"more":                 {func(p *accesstest.Provider) { p.Claims["groups"] = []string{"leads"} }, nil, true},
		"none":                 {func(p *accesstest.Provider) { p.Claims["groups"] = nil }, access.ErrNoRole, false},
		"revoked":              {func(p *accesstest.Provider) { p.Forget() }, access.ErrSignIn, false},
		"about another person": {func(p *accesstest.Provider) { p.Claims["sub"] = "4712" }, access.ErrSignIn, false},
		"another nonce":        {func(p *accesstest.Provider) { p.Claims["nonce"] = "another" }, access.ErrSignIn, false},
		"for another client":   {func(p *accesstest.Provider) { p.Claims["aud"] = "mail" }, access.ErrSignIn, false},
		"of no token":          {func(p *accesstest.Provider) { p.Sign = func(map[string]any) string { return "" } }, access.ErrSignIn, false},
	} {
		t.Run(name, func(t *testing.T) {
			at := accesstest.NewProvider(t)
			at.Refreshes = true
			p := provider(t, signIn(at))
			first, err := signed(t, p)
			if err != nil || !first.Lasts() {
				t.Fatalf("signed in as %+v: %v", first, err)
			}
			test.change(at)
			again, err := p.Renew(t.Context(), first)
			if !errors.Is(err, test.want) {
				t.Fatalf("asked again: %v, want %v", err, test.want)
			}
			if err != nil {
				return
			}
			if again.Name != first.Name || again.May(access.ApprovalsAnswer) != test.may {
				t.Errorf("it is %+v", again.Principal)
			}
			if _, err := p.Renew(t.Context(), first); !errors.Is(err, access.ErrSignIn) {
				t.Errorf("by a used token: %v", err)
			}
			if _, err := p.Renew(t.Context(), again); err != nil {
				t.Errorf("by the next one: %v", err)
			}
		})
	}

	at := accesstest.NewProvider(t)
	p := provider(t, signIn(at))
	if who, err := signed(t, p); err != nil || who.Lasts() {
		t.Errorf("without a refresh token: %+v, %v", who, err)
	} else if _, err := p.Renew(t.Context(), who); !errors.Is(err, access.ErrSignIn) {
		t.Errorf("asked again without one: %v", err)
	}
	at.Claims["groups"] = []string{"guests"}
	var refused *access.NoRoleError
	if _, err := signed(t, p); !errors.As(err, &refused) || refused.Name != at.Issuer+"#4711" {
		t.Errorf("without a role: %v", err)
	}
}

// The client proves who it is in the way that the provider says, and in none where it has no secret.
func TestClientsProveThemselves(t *testing.T) {
	for _, methods := range [][]string{nil, {"client_secret_post"}, {"client_secret_post", "client_secret_basic"}} {
		at := accesstest.NewProvider(t)
		at.Metadata = map[string]any{"token_endpoint_auth_methods_supported": methods}
		if _, err := signed(t, provider(t, signIn(at))); err != nil {
			t.Errorf("%v: %v", methods, err)
		}
	}
}

// The file that says how people sign in is read whole or not at all, and only while no one else
// may write it.
func TestSignInFiles(t *testing.T) {
	const good = "version: 1\nissuer: https://login.example\nclient: remit\nsecret: secret.txt\naddress: https://remit.example/console/\nname: email\nlife: 8h\nrecheck: 20m\nscopes: [email]\nroles: {claim: groups, look: [staff], edit: [owners]}\n"
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, []byte(text), mode), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("secret.txt", " s3cret\n", 0o600)
	got, err := access.OpenSignIn(write("signin.yaml", good, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	if got.Secret != "s3cret" || got.Name != "email" || got.Life != 8*time.Hour || got.Recheck != 20*time.Minute || !slices.Equal(got.Roles[access.EditRole], []string{"owners"}) || !slices.Equal(got.Scopes, []string{"email"}) {
		t.Errorf("it is read as %+v", got)
	}

	for name, test := range map[string]struct{ from, to, want string }{
		"no version": {"version: 1\n", "", "version"}, "another version": {"version: 1", "version: 2", "version"}, "an unknown key": {"client:", "clients:", "clients"},
		"http": {"issuer: https:", "issuer: http:", "issuer"}, "no slash": {"/console/", "/console", "slash"}, "no claim": {"claim: groups, ", "", "claim"},
		"nobody": {", look: [staff], edit: [owners]", "", "nobody gets a role"}, "an unknown role": {"edit:", "root:", "root"}, "too long a life": {"8h", "48h", "at most 24h"}, "asked at every page": {"20m", "1s", "asked about roles again"}, "no secret there": {"secret.txt", "none.txt", "none.txt"},
	} {
		if _, err := access.OpenSignIn(write("bad.yaml", strings.Replace(good, test.from, test.to, 1), 0o600)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := access.OpenSignIn(write("open.yaml", good, 0o666)); err == nil {
		t.Error("a file that everybody may write is read")
	}
	write("secret.txt", "s3cret", 0o666)
	if _, err := access.OpenSignIn(filepath.Join(dir, "signin.yaml")); err == nil {
		t.Error("a secret that everybody may write is read")
	}
}

// Many who come while the provider doesn't answer wait for one request, and who leaves
// doesn't end it for the others.
func TestPeopleWaitTogether(t *testing.T) {
	at := accesstest.NewProvider(t)
	asked, answer := make(chan struct{}, 100), make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked <- struct{}{}
		<-answer
		_ = json.NewEncoder(w).Encode(map[string]string{"issuer": at.Issuer, "authorization_endpoint": at.Issuer + "/authorize", "token_endpoint": at.Issuer + "/token", "jwks_uri": at.Issuer + "/keys"})
	}))
	defer slow.Close()
	c := signIn(at)
	c.Issuer = slow.URL
	p := provider(t, c)
	leaving, leave := context.WithCancel(t.Context())
	errs := make(chan error)
	go func() { _, _, err := p.Begin(leaving); errs <- err }()
	<-asked
	leave()
	if err := <-errs; !errors.Is(err, context.Canceled) {
		t.Errorf("who left: %v", err)
	}
	for range 10 {
		go func() { _, _, err := p.Begin(t.Context()); errs <- err }()
	}
	close(answer)
	for range 10 {
		// The answer names another issuer, which every one of them is told.
		if err := <-errs; err == nil {
			t.Error("people are sent to another issuer")
		}
	}
}
