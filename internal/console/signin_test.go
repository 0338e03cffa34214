package console

import (
	"context"
	"encoding/json"
	"fmt"
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
		if !strings.HasPrefix(m["from"], "127.0.0.1:") {
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

// Nobody can fill the audit log by failing: the entries have a rate, and say how many they leave
// out.
func TestFailuresInTheAuditLogAreBounded(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	s := newSite(t)
	p := s.console.people
	p.now = func() time.Time { return now }
	for i := range noteBurst + 7 {
		r, err := http.NewRequestWithContext(t.Context(), "POST", "/", nil)
		must(t, err)
		r.RemoteAddr = fmt.Sprintf("127.0.0.1:%d", i)
		s.console.noteRefused(r, "", byToken, "no such token")
	}
	if got := len(s.signings()); got != noteBurst {
		t.Errorf("%d entries, want %d", got, noteBurst)
	}
	s.signedIn(everything("ann"))
	got := s.signings()
	if last := got[len(got)-1]; last != "signed in, principal ann, by invitation, failed before, without an entry 7" {
		t.Errorf("the next entry is %q", last)
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

// A provider that can't be asked lets nobody go on, and signs nobody out: many pages at once ask
// it once.
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

// Nobody is signed in whom the audit log can't take.
func TestNobodyIsSignedInUnnoted(t *testing.T) {
	s := newSite(t, func(o *Options, _ string) { o.Store = deaf{o.Store} })
	c := s.client()
	if status, page := c.do("POST", "login", "token="+s.console.Invite(everything("ann"))); status != http.StatusInternalServerError || c.cookie != "" {
		t.Errorf("%d, with the cookie %q: %s", status, c.cookie, page)
	}
}
