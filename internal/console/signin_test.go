package console

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/accesstest"
	"github.com/remit-project/remit/store"
)

// signings are the entries of the audit log about signing in, without the ports that people came
// from.
func (s *site) signings() (out []string) {
	s.t.Helper()
	for line, err := range s.store.Export(s.t.Context()) {
		must(s.t, err)
		var e store.Entry
		must(s.t, json.Unmarshal(line.Entry, &e))
		if e.Note == nil || e.Note.About != "sign-in" {
			continue
		}
		m := e.Note.Members
		text := m["outcome"]
		for _, name := range []string{"principal", "by", "why", "failed before, without an entry"} {
			if m[name] != "" {
				text += ", " + name + " " + m[name]
			}
		}
		if !strings.HasPrefix(m["from"], "127.0.0.") {
			s.t.Errorf("%s has no address: %v", text, m)
		}
		out = append(out, text)
	}
	return out
}

// noted compares the entries about signing in with what is wanted.
func (s *site) noted(want ...string) {
	s.t.Helper()
	got := s.signings()
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		s.t.Errorf("the audit log has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The audit log says who signed in, by what and from where, and who tried to.
func TestSignInsAreAudited(t *testing.T) {
	s, at := withProvider(t)
	who := everything("ann")
	s.tokens["remit_token"] = &who
	try := func(token string) { s.client().do("POST", "login", "token="+token) }
	try("remit_token")
	try(s.console.Invite(everything("ben")))
	try("<b>guess</b>")
	c := s.client()
	c.page(c.toProvider("login/begin"))
	at.Claims["groups"] = nil
	guest := s.client()
	guest.page(guest.toProvider("login/begin"))
	s.client().page(s.url("login/done?state=x&code=y"))
	by := strings.TrimPrefix(at.Issuer, "http://")
	s.noted("signed in, principal ann, by token", "signed in, principal ben, by invitation", "refused, by token, why no such token",
		"signed in, principal ann@corp.example, by "+by, "refused, principal ann@corp.example, by "+by+", why no role", "refused, by "+by+", why the answer of the identity provider is not valid")
}

// An attacker can't fill the audit log by failing: the entries have a rate, and say how many they
// leave out. One network can't use up those of the others.
func TestFailuresInTheAuditLogAreBounded(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	s := newSite(t)
	p := s.console.people
	p.now = func() time.Time { return now }
	fail := func(from string, times int) (entries int) {
		before := len(s.signings())
		for range times {
			r, err := http.NewRequestWithContext(t.Context(), "POST", "/", nil)
			must(t, err)
			r.RemoteAddr = from + ":1"
			s.console.noteRefused(r, "", byToken, "no such token")
		}
		return len(s.signings()) - before
	}
	for _, from := range []string{"127.0.0.1", "127.0.0.2", "127.0.0.3"} {
		if got := fail(from, noteAtOnceOf+2); got != noteAtOnceOf {
			t.Errorf("%s has %d entries, want %d", from, got, noteAtOnceOf)
		}
	}
	if got := fail("127.0.0.4", 1); got != 0 {
		t.Errorf("%d entries beyond those of all", got)
	}
	s.signedIn(everything("ann"))
	got := s.signings()
	if last := got[len(got)-1]; last != "signed in, principal ann, by invitation, failed before, without an entry 3" {
		t.Errorf("the next entry is %q", last)
	}
}

// A person who signs in again and again fills neither the audit log nor the places of others.
func TestSigningInAgainAndAgain(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	s := newSite(t)
	p := s.console.people
	p.now = func() time.Time { return now }
	ben, _ := s.signedIn(everything("ben"))
	who := everything("ann")
	s.tokens["remit_token"] = &who
	last := 0
	for range enterBurst + 1 {
		last, _ = s.client().do("POST", "login", "token=remit_token")
	}
	if got := len(s.signings()); last != http.StatusTooManyRequests || got != 1+enterBurst {
		t.Errorf("%d, with %d entries", last, got)
	}
	for range maxLogins {
		p.enter(login{who: who}, loginLife)
	}
	if status, _ := ben.do("GET", "inbox", ""); status != http.StatusOK || len(p.logins) != 1+maxOwn {
		t.Errorf("ben's inbox: %d, with %d logins", status, len(p.logins))
	}
	now = now.Add(time.Minute)
	if status, _ := s.client().do("POST", "login", "token=remit_token"); status != http.StatusSeeOther {
		t.Errorf("after a minute: %d", status)
	}
}

// deaf is a store whose audit log takes nothing.
type deaf struct{ store.Store }

func (deaf) Note(context.Context, store.Note) error { return store.ErrClosed }

// lasting is a site whose people sign in by a provider that is asked about them again, the
// provider, and what moves the clock.
func lasting(t *testing.T, refreshes bool) (*site, *accesstest.Provider, func(time.Duration)) {
	t.Helper()
	s, at := withProvider(t)
	at.Refreshes = refreshes
	at.Claims["groups"] = []string{"leads"}
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	s.console.people.now = func() time.Time { return now }
	return s, at, func(d time.Duration) { now = now.Add(d) }
}

// A role that a person has lost at the provider holds until it is asked again, and a person whom
// it no longer knows is signed out then. The audit log says so.
func TestLostRolesEnd(t *testing.T) {
	s, at, wait := lasting(t, true)
	asked := s.held("s")
	c := s.client()
	c.page(c.toProvider("login/begin"))
	mayAnswer := func() string {
		status, page := c.do("GET", "question/"+asked.ID, "")
		return fmt.Sprint(status, " ", strings.Contains(page, `value="once"`))
	}
	is := func(when, want string) {
		t.Helper()
		if got := mayAnswer(); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}

	is("at first", "200 true")
	at.Claims["groups"] = []string{"staff"}
	wait(access.DefaultRecheck - time.Second)
	is("before it is asked", "200 true")
	wait(time.Second)
	is("with a lesser role", "200 false")
	at.Claims["groups"] = []string{"leads"}
	wait(access.DefaultRecheck)
	is("with the role again", "200 true")
	at.Claims["groups"] = nil
	wait(access.DefaultRecheck)
	is("without a role", "303 false")
	at.Claims["groups"] = []string{"leads"}
	is("with one again, and signed out", "303 false")

	by := strings.TrimPrefix(at.Issuer, "http://")
	look, answer := access.LookRole.Scopes(), access.AnswerRole.Scopes()
	s.noted("signed in, principal ann@corp.example, by "+by, "has another role now, principal ann@corp.example, by "+by+", why "+fmt.Sprint(look),
		"has another role now, principal ann@corp.example, by "+by+", why "+fmt.Sprint(answer), "signed out, principal ann@corp.example, by "+by+", why has no role at the identity provider any more")
}

// Whom the provider has signed out is signed out here, when it is asked.
func TestRevokedAtTheProvider(t *testing.T) {
	s, at, wait := lasting(t, true)
	c := s.client()
	c.page(c.toProvider("login/begin"))
	at.Forget()
	wait(access.DefaultRecheck)
	if status, _ := c.do("GET", "inbox", ""); status != http.StatusSeeOther {
		t.Errorf("%d", status)
	}
}

// While the provider can't be asked, no page is shown and no person signed out: many pages at
// once ask it once.
func TestTheProviderIsDownLater(t *testing.T) {
	s, at, wait := lasting(t, true)
	c := s.client()
	c.page(c.toProvider("login/begin"))
	was := at.Config.Handler
	requests := 0
	at.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests++
		http.Error(w, "down", http.StatusServiceUnavailable)
	})
	wait(access.DefaultRecheck)
	for range 3 {
		if status, _ := c.do("GET", "inbox", ""); status != http.StatusServiceUnavailable {
			t.Errorf("while it is down: %d", status)
		}
	}
	if requests != 1 {
		t.Errorf("it was asked %d times", requests)
	}
	at.Config.Handler = was
	wait(askAgain)
	if status, _ := c.do("GET", "inbox", ""); status != http.StatusOK {
		t.Errorf("when it is up: %d", status)
	}
}

// Where a provider can't be asked without the person, they sign in again when the role has to be
// asked for.
func TestWithoutRefreshTokens(t *testing.T) {
	s, _, wait := lasting(t, false)
	c := s.client()
	c.page(c.toProvider("login/begin"))
	wait(access.DefaultRecheck - time.Second)
	if status, _ := c.do("GET", "inbox", ""); status != http.StatusOK {
		t.Errorf("before: %d", status)
	}
	wait(time.Second)
	if status, _ := c.do("GET", "inbox", ""); status != http.StatusSeeOther {
		t.Errorf("after: %d", status)
	}
}

// A person whose signing in the audit log can't take is not signed in. Their invitation is good
// when it can.
func TestNobodyIsSignedInUnnoted(t *testing.T) {
	s := newSite(t, func(o *Options, _ string) { o.Store = deaf{o.Store} })
	c := s.client()
	token := s.console.Invite(everything("ann"))
	if status, page := c.do("POST", "login", "token="+token); status != http.StatusInternalServerError || c.cookie != "" {
		t.Errorf("%d, with the cookie %q: %s", status, c.cookie, page)
	}
	s.console.o.Store = s.store
	for _, want := range []int{http.StatusSeeOther, http.StatusForbidden} {
		if status, _ := s.client().do("POST", "login", "token="+token); status != want {
			t.Errorf("when it can: %d, want %d", status, want)
		}
	}
}

// Beyond the rate of failed attempts, answers that are none have no line in the server's log.
func TestFailedAnswersDoNotFillTheLog(t *testing.T) {
	lines := &strings.Builder{}
	s, _ := withProvider(t)
	s.console.o.Log = slog.New(slog.NewTextHandler(lines, nil))
	s.console.people.now = func() time.Time { return time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC) }
	for range failureBurst + 5 {
		s.client().page(s.url("login/done?state=x&code=y"))
	}
	if got := strings.Count(lines.String(), "signing in by the identity provider failed"); got != failureBurst {
		t.Errorf("%d lines, want %d", got, failureBurst)
	}
}
