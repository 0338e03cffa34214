package console

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/store"
)

var csrfField = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

// signedIn returns a client with the cookie of a principal, and the token of that login's forms.
func (s *site) signedIn(who access.Principal) (*client, string) {
	s.t.Helper()
	c := s.client()
	if status, _ := c.do("POST", "login", "token="+s.console.Invite(who)); status != http.StatusSeeOther {
		s.t.Fatalf("signing in: %d", status)
	}
	_, page := c.do("GET", "sessions", "")
	m := csrfField.FindStringSubmatch(page)
	if m == nil {
		s.t.Fatalf("there is no form on %s", page)
	}
	return c, m[1]
}

// An agent that can reach the port can't answer its questions: not without signing in, not
// with a cookie alone, not from another page, and not under another name of the server.
func TestAnswersNeedAPerson(t *testing.T) {
	s := newSite(t)
	asked := s.held("s")
	person, csrf := s.signedIn(everything("ann"))
	stranger := s.client()
	yes := "answer=once&csrf=" + csrf
	for name, test := range map[string]struct {
		c      *client
		form   string
		header http.Header
		want   int
	}{
		"nobody":                  {stranger, yes, nil, http.StatusForbidden},
		"a cookie of its own":     {&client{stranger.Client, s, cookieName + "=forged", http.Header{}}, yes, nil, http.StatusForbidden},
		"no mark":                 {person, "answer=once", nil, http.StatusForbidden},
		"another mark":            {person, "answer=once&csrf=x", nil, http.StatusForbidden},
		"from another site":       {person, yes, http.Header{"Sec-Fetch-Site": {"cross-site"}}, http.StatusForbidden},
		"from another port":       {person, yes, http.Header{"Sec-Fetch-Site": {"same-site"}}, http.StatusForbidden},
		"from an old browser":     {person, yes, http.Header{"Origin": {"http://127.0.0.1:9"}}, http.StatusForbidden},
		"from a page of no site":  {person, yes, http.Header{"Origin": {"null"}}, http.StatusForbidden},
		"under a rebound name":    {person, yes, http.Header{"Host": {"attacker.example"}}, http.StatusForbidden},
		"an answer of no button":  {person, "answer=forever&csrf=" + csrf, nil, http.StatusBadRequest},
		"a form beyond the bound": {person, yes + "&why=" + strings.Repeat("x", maxForm), nil, http.StatusRequestEntityTooLarge},
	} {
		test.c.header = test.header
		if got, page := test.c.do("POST", "question/"+asked.ID, test.form); got != test.want {
			t.Errorf("%s: %d, want %d: %s", name, got, test.want, page)
		}
	}

	a, err := s.store.Approval(t.Context(), asked.ID)
	if err != nil || a.State != store.Pending {
		t.Fatalf("the question is %s, %v", a.State, err)
	}
	person.header = http.Header{"Sec-Fetch-Site": {"same-origin"}}
	if got, page := person.do("POST", "question/"+asked.ID, yes); got != http.StatusSeeOther {
		t.Errorf("a person: %d, %s", got, page)
	}
}

// What people may do is what their token says: to see, and to answer.
func TestScopes(t *testing.T) {
	s := newSite(t)
	asked := s.held("theirs")
	only := func(scopes ...access.Scope) access.Principal { return access.Principal{Name: "ben", Scopes: scopes} }
	all := []access.Scope{access.SessionsAny, access.SessionsRead, access.ApprovalsRead}
	for name, test := range map[string]struct {
		who                         access.Principal
		inbox, question, log, reply int
	}{
		"may do all":            {everything("ann"), 200, 200, 200, 303},
		"may look":              {only(all...), 200, 200, 200, 403},
		"may look at their own": {only(access.SessionsRead, access.ApprovalsRead, access.ApprovalsAnswer), 200, 404, 404, 404},
		"may see no questions":  {only(access.SessionsRead, access.SessionsAny, access.ApprovalsAnswer), 403, 403, 200, 403},
		"may see no sessions":   {only(access.ApprovalsRead, access.SessionsAny), 200, 200, 403, 403},
	} {
		t.Run(name, func(t *testing.T) {
			c := s.client()
			c.do("POST", "login", "token="+s.console.Invite(test.who))
			csrf := ""
			for path, want := range map[string]int{"inbox": test.inbox, "question/" + asked.ID: test.question, "session?id=theirs": test.log, "text?id=theirs&seq=1": test.log} {
				got, page := c.do("GET", path, "")
				if got != want {
					t.Errorf("%s: %d, want %d", path, got, want)
				}
				if m := csrfField.FindStringSubmatch(page); m != nil {
					csrf = m[1]
				}
			}
			if got, _ := c.do("POST", "question/"+asked.ID, "answer=no&csrf="+csrf); got != test.reply {
				t.Errorf("an answer: %d, want %d", got, test.reply)
			}
		})
		asked = s.held("theirs-" + strings.ReplaceAll(name, " ", "-"))
		must(t, s.store.Cancel(t.Context(), asked.ID, ""))
		asked = s.held("again-" + strings.ReplaceAll(name, " ", "-"))
	}
}

// An invitation is good once, and for a while.
func TestInvitations(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	s := newSite(t)
	s.console.people.now = func() time.Time { return now }
	token := s.console.Invite(everything("ann"))
	for i, want := range []int{http.StatusSeeOther, http.StatusForbidden} {
		if got, _ := s.client().do("POST", "login", "token="+token); got != want {
			t.Errorf("time %d: %d, want %d", i+1, got, want)
		}
	}
	late := s.console.Invite(everything("ann"))
	now = now.Add(InvitationLife)
	if got, _ := s.client().do("POST", "login", "token="+late); got != http.StatusForbidden {
		t.Errorf("too late: %d", got)
	}
}

// Who has signed in stays so for a day's work, until they sign out, or until their token
// is revoked.
func TestLoginsEnd(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	s := newSite(t)
	s.console.people.now = func() time.Time { return now }
	who := everything("ann")
	s.tokens["remit_token"] = &who
	enter := func() *client {
		c := s.client()
		if got, _ := c.do("POST", "login", "token=remit_token"); got != http.StatusSeeOther {
			t.Fatalf("signing in: %d", got)
		}
		return c
	}
	is := func(c *client, want int) {
		t.Helper()
		if got, _ := c.do("GET", "inbox", ""); got != want {
			t.Errorf("the inbox: %d, want %d", got, want)
		}
	}

	c := enter()
	is(c, http.StatusOK)
	_, page := c.do("GET", "inbox", "")
	c.do("POST", "logout", "csrf="+csrfField.FindStringSubmatch(page)[1])
	is(c, http.StatusSeeOther)

	c = enter()
	now = now.Add(loginLife)
	is(c, http.StatusSeeOther)

	c = enter()
	less := access.Principal{Name: "ann", Scopes: []access.Scope{access.SessionsRead}}
	s.tokens["remit_token"] = &less
	is(c, http.StatusForbidden)
	delete(s.tokens, "remit_token")
	is(c, http.StatusSeeOther)
}

// Attempts that fail are slowed down; they don't keep out who has a token.
func TestFailedLoginsAreLimited(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	s := newSite(t)
	s.console.people.now = func() time.Time { return now }
	try := func(token string) int {
		status, _ := s.client().do("POST", "login", "token="+token)
		return status
	}
	for range failureBurst {
		if got := try("guess"); got != http.StatusForbidden {
			t.Fatalf("%d", got)
		}
	}
	if got := try("guess"); got != http.StatusTooManyRequests {
		t.Errorf("too many: %d", got)
	}
	if got := try(s.console.Invite(everything("ann"))); got != http.StatusSeeOther {
		t.Errorf("with a token: %d", got)
	}
	now = now.Add(time.Minute)
	if got := try("guess"); got != http.StatusForbidden {
		t.Errorf("after a minute: %d", got)
	}
}

// The cookie is out of reach of scripts and of other sites and paths, and what a page may
// load is said in its headers.
func TestHeaders(t *testing.T) {
	s := newSite(t)
	res, err := s.client().Post(s.url("login"), "application/x-www-form-urlencoded", strings.NewReader("token="+s.console.Invite(everything("ann"))))
	must(t, err)
	res.Body.Close()
	cookie := res.Header.Get("Set-Cookie")
	for _, want := range []string{"Path=/secret/", "HttpOnly", "SameSite=Strict"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("the cookie is %s, without %s", cookie, want)
		}
	}
	csp := res.Header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "form-action 'self'"} {
		if !strings.Contains(csp, want) {
			t.Errorf("the policy is %s, without %s", csp, want)
		}
	}
	if strings.Contains(csp, "unsafe") {
		t.Errorf("the policy is %s", csp)
	}
	outside, err := s.client().Get(s.server.URL + "/")
	must(t, err)
	defer outside.Body.Close()
	page, err := io.ReadAll(outside.Body)
	must(t, err)
	if outside.StatusCode != http.StatusNotFound || strings.Contains(string(page)+fmt.Sprint(outside.Header), "secret") {
		t.Errorf("outside of the pages: %d, %s", outside.StatusCode, page)
	}
}

// Failures are counted by network: an address of IPv6 comes with a range of others.
func TestFailuresAreCountedByNetwork(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.7:80": "192.0.2.7", "192.0.2.7": "192.0.2.7", "[::ffff:192.0.2.7]:80": "::ffff:192.0.2.7", "[2001:db8::1:2:3:4]:80": "2001:db8::/64", "[2001:db8::5]:81": "2001:db8::/64",
		"[2001:db8:0:1::5]:81": "2001:db8:0:1::/64", "[fe80::1%eth0]:80": "fe80::/64", "@": "@", "": "",
	} {
		if got := network(address); got != want {
			t.Errorf("%q is of %q, want %q", address, got, want)
		}
	}
}
