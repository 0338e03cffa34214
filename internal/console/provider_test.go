package console

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/accesstest"
	"github.com/remit-project/remit/store"
)

// withProvider is a site whose people sign in by an identity provider.
func withProvider(t *testing.T) (*site, *accesstest.Provider) {
	t.Helper()
	at := accesstest.NewProvider(t)
	s := newSite(t, func(o *Options, address string) {
		var err error
		o.Provider, err = access.NewIdentityProvider(access.SignIn{Issuer: at.Issuer, Client: accesstest.Client, Secret: accesstest.Secret, Address: address, Name: "email",
			Claim: "groups", Roles: map[access.Role][]string{access.LookRole: {"staff"}, access.AnswerRole: {"leads"}}})
		must(t, err)
	})
	return s, at
}

// page asks for a page and returns it with where it leads.
func (c *client) page(address string) *http.Response {
	c.s.t.Helper()
	req, err := http.NewRequestWithContext(c.s.t.Context(), "GET", address, nil)
	must(c.s.t, err)
	if c.cookie != "" {
		req.Header.Set("Cookie", c.cookie)
	}
	res, err := c.Do(req)
	must(c.s.t, err)
	must(c.s.t, res.Body.Close())
	for _, k := range res.Cookies() {
		if k.MaxAge >= 0 {
			c.cookie = k.Name + "=" + k.Value
		}
	}
	return res
}

// toProvider begins to sign in, and returns where the provider sends the browser back.
func (c *client) toProvider(begin string) string {
	c.s.t.Helper()
	there := c.page(c.s.url(begin)).Header.Get("Location")
	back := c.page(there).Header.Get("Location")
	if !strings.HasPrefix(back, c.s.url("login/done?")) {
		c.s.t.Fatalf("%s leads to %s, and that to %s", begin, there, back)
	}
	return back
}

// Who signs in by the provider has their roles, comes to the page that they wanted, and is
// themselves in the audit log.
func TestSigningInByAProvider(t *testing.T) {
	s, at := withProvider(t)
	asked := s.held("s")
	at.Claims["groups"] = []string{"leads"}
	c := s.client()
	if res := c.page(s.url("question/" + asked.ID)); res.Header.Get("Location") != s.console.Base()+"login?"+(url.Values{"to": {"question/" + asked.ID}}).Encode() {
		t.Fatalf("people are sent to %s first", res.Header.Get("Location"))
	}
	res := c.page(c.toProvider("login/begin?to=question/" + asked.ID))
	cookie := strings.Join(res.Header.Values("Set-Cookie"), "\n")
	for _, want := range []string{cookieName + "=", "Path=/secret/;", "HttpOnly", "SameSite=Strict", beginCookie + "=;", "Max-Age=3600"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("the cookies are %s, without %s", cookie, want)
		}
	}
	_, page := c.do("GET", "question/"+asked.ID, "")
	m := csrfField.FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("the question is not shown: %s", page)
	}
	if status, page := c.do("POST", "question/"+asked.ID, "answer=no&csrf="+m[1]); status != http.StatusSeeOther {
		t.Errorf("answering: %d, %s", status, page)
	}
	if a, err := s.store.Approval(t.Context(), asked.ID); err != nil || a.State != store.Denied || a.By != "ann@corp.example" {
		t.Errorf("it is %s by %q, %v", a.State, a.By, err)
	}
	if status, _ := c.do("GET", "tools", ""); status != http.StatusOK {
		t.Errorf("the tools: %d", status)
	}

	_, page = c.do("GET", "sessions", "")
	c.do("POST", "logout", "csrf="+csrfField.FindStringSubmatch(page)[1])
	if status, _ := c.do("GET", "sessions", ""); status != http.StatusSeeOther {
		t.Errorf("after signing out: %d", status)
	}
	if _, page := c.do("GET", "login?out=1", ""); !strings.Contains(page, at.Issuer+"/end?client_id=remit-console") {
		t.Errorf("it doesn't say how to sign out of the provider: %s", page)
	}
}

// An answer of the provider signs in the browser that asked for it, once, and soon; any
// other answer, and any other browser, gets a page to sign in.
func TestAnswersOfTheProviderAreTied(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	s, at := withProvider(t)
	s.console.people.now = func() time.Time { return now }
	signedIn := func(c *client) bool {
		status, _ := c.do("GET", "sessions", "")
		return status == http.StatusOK
	}

	person, stranger := s.client(), s.client()
	back := person.toProvider("login/begin")
	for name, c := range map[string]*client{"without the cookie": stranger, "with a made-up one": {stranger.Client, s, beginCookie + "=x", http.Header{}}} {
		if res := c.page(back); res.StatusCode != http.StatusForbidden || signedIn(c) {
			t.Errorf("%s: %d", name, res.StatusCode)
		}
	}
	begun := person.cookie
	if res := person.page(back); res.StatusCode != http.StatusOK || !signedIn(person) {
		t.Fatalf("its own: %d", res.StatusCode)
	}
	again := s.client()
	again.cookie = begun
	if res := again.page(back); res.StatusCode != http.StatusForbidden || signedIn(again) {
		t.Errorf("again: %d", res.StatusCode)
	}

	// A victim who is made to bring an attacker's answer is not signed in as the attacker.
	attacker, victim := s.client(), s.client()
	theirs := attacker.toProvider("login/begin")
	victim.toProvider("login/begin")
	if res := victim.page(theirs); res.StatusCode != http.StatusForbidden || signedIn(victim) {
		t.Errorf("an injected answer: %d", res.StatusCode)
	}

	late := s.client()
	back = late.toProvider("login/begin")
	now = now.Add(beginLife)
	if res := late.page(back); res.StatusCode != http.StatusForbidden || signedIn(late) {
		t.Errorf("too late: %d", res.StatusCode)
	}

	at.Claims["groups"] = []string{"guests"}
	guest := s.client()
	if res := guest.page(guest.toProvider("login/begin")); res.StatusCode != http.StatusForbidden || signedIn(guest) {
		t.Errorf("without a role: %d", res.StatusCode)
	}
}

// People are sent to the provider as often as people sign in, and what begins and never
// ends is bounded.
func TestSigningInIsLimited(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	s, _ := withProvider(t)
	p := s.console.people
	p.now = func() time.Time { return now }
	for range beginBurst {
		if res := s.client().page(s.url("login/begin")); res.StatusCode != http.StatusSeeOther {
			t.Fatalf("%d", res.StatusCode)
		}
	}
	if res := s.client().page(s.url("login/begin")); res.StatusCode != http.StatusTooManyRequests {
		t.Errorf("one more: %d", res.StatusCode)
	}
	now = now.Add(time.Minute)
	if res := s.client().page(s.url("login/begin")); res.StatusCode != http.StatusSeeOther {
		t.Errorf("a minute later: %d", res.StatusCode)
	}
	for range maxBegun + 10 {
		p.keep(begun{})
	}
	if len(p.begun) > maxBegun {
		t.Errorf("%d are kept", len(p.begun))
	}
	now = now.Add(beginLife)
	p.keep(begun{})
	if len(p.begun) != 1 {
		t.Errorf("%d are kept when all have expired", len(p.begun))
	}
}

// A provider that can't be asked doesn't keep out a person with a token.
func TestTheProviderIsDown(t *testing.T) {
	s, at := withProvider(t)
	at.Close()
	if res := s.client().page(s.url("login/begin")); res.StatusCode != http.StatusBadGateway {
		t.Errorf("to the provider: %d", res.StatusCode)
	}
	if status, _ := s.client().do("POST", "login", "token="+s.console.Invite(everything("ann"))); status != http.StatusSeeOther {
		t.Errorf("with a token: %d", status)
	}
}

// Signing in leads to a page of the console, whatever a link says.
func TestSigningInLeadsNowhereElse(t *testing.T) {
	s := newSite(t)
	for to, want := range map[string]string{
		"": "", "inbox": "inbox", "question/ab?x=1": "question/ab?x=1", "session?id=a%2Fb%26c&from=3": "session?id=a%2Fb%26c&from=3",
		"//evil.example/inbox": "", "https://evil.example/": "", "inbox@evil.example": "", "/inbox": "", "\\\\evil.example": "", "inbox\\..\\..": "", "inbox/../../x": "",
		"inbox/%2e%2e/x": "", "javascript:alert(1)": "", "logout": "", "login?to=login": "", "question/" + strings.Repeat("x", maxBack): "", "\x00inbox": "", "inbox\r\nX: y": "", ".//evil.example": "",
	} {
		c := s.client()
		form := url.Values{"token": {s.console.Invite(everything("ann"))}, "to": {to}}
		req, err := http.NewRequestWithContext(context.Background(), "POST", s.url("login"), strings.NewReader(form.Encode()))
		must(t, err)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		res, err := c.Do(req)
		must(t, err)
		must(t, res.Body.Close())
		if got := res.Header.Get("Location"); got != s.console.Base()+want {
			t.Errorf("%q leads to %q, want %q", to, got, s.console.Base()+want)
		}
		if got := s.client().page(s.url("login?" + url.Values{"to": {to}}.Encode())); got.StatusCode != http.StatusOK {
			t.Errorf("%q: the page to sign in: %d", to, got.StatusCode)
		}
	}
}

// In a browser, with the keyboard and on a telephone: from a link to a question to the
// provider, which is another site and sends people on itself, and back to the question.
func TestSigningInInABrowser(t *testing.T) {
	s, at := withProvider(t)
	at.Claims["groups"], at.Asks = []string{"leads"}, true
	asked := s.held("s")
	b := chromium(t)
	p := b.tab(380)
	p.open(s.url("question/" + asked.ID))
	p.until(`document.querySelector("#login")`)
	p.shoot(*screenshots, "telephone-login-provider")
	p.usable("signing in")
	p.tabTo(`e.classList.contains("button")`)
	p.key("Enter", 0)
	p.until(`document.getElementById("agree")`)
	p.tabTo(`e.id === "agree"`)
	p.key("Enter", 0)
	p.until(`location.pathname.endsWith("/question/` + asked.ID + `") && document.querySelector(".answers")`)
	if who := p.text(`document.querySelector(".who").textContent`); !strings.Contains(who, "ann@corp.example") {
		t.Errorf("it is %s who signed in", who)
	}
	p.tabTo(`e.textContent === "Sign out"`)
	p.key("Enter", 0)
	p.until(`document.querySelector("[role=status].note")`)
	p.shoot(*screenshots, "telephone-signed-out")
	if c := b.complaints(); c != "" {
		t.Errorf("pages complain:\n%s", c)
	}
}
