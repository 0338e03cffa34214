package console

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/remit-project/remit/internal/access"
)

const (
	// InvitationLife is how long an invitation waits to be used: for a person who has just
	// started the console.
	InvitationLife = 15 * time.Minute
	// loginLife is how long people stay signed in: a working day.
	loginLife = 12 * time.Hour
	// maxLogins bounds the people who are signed in; the one who signed in first is
	// signed out beyond it.
	maxLogins = 1024
	// maxOwn bounds the logins of one person, who is signed out of the first one beyond it: so
	// that signing in never signs out another person.
	maxOwn = 64
	// A person signs in at this rate, and this many at once: each time is an entry in the audit
	// log.
	enterRate  = rate.Limit(0.1)
	enterBurst = 30
	// cookieName is the cookie's name. Its path keeps it from other programs.
	cookieName = "remit_console"
	// Attempts to sign in that fail are answered at this rate, and this many at once. It
	// keeps the log readable: a token has 256 random bits, which no rate helps to guess.
	failureRate  = rate.Limit(0.5)
	failureBurst = 10
	// maxTried bounds the networks and persons whose attempts are counted.
	maxTried = 4096
	// maxBack bounds the address of a page that people come back to, in bytes.
	maxBack = 1024
)

// loginKey names a login: the digest of its cookie.
type loginKey [sha256.Size]byte

// login is a person who has signed in.
type login struct {
	key loginKey
	who access.Principal
	// token is what they signed in with, to notice when it is revoked; empty after an
	// invitation.
	token string
	// invitation is the one that let them in; nil for none.
	invitation *invitation
	// identity is what an identity provider said of them, where it can be asked again: at
	// recheck, but not before leave where it could not be. One request at a time has the turn
	// to do so. It is nil for other logins.
	identity       *access.Identity
	recheck, leave time.Time
	turn           chan struct{}

	csrf    string
	expires time.Time
	at      int // the order in which people signed in
}

// sent reports whether a form has the login's own mark.
func (l *login) sent(csrf string) bool {
	return subtle.ConstantTimeCompare([]byte(csrf), []byte(l.csrf)) == 1
}

// invitation lets its holder sign in once.
type invitation struct {
	who     access.Principal
	expires time.Time
}

// people are those who have signed in or may.
type people struct {
	now func() time.Time

	mu      sync.Mutex
	count   int
	logins  map[loginKey]*login
	invited map[[sha256.Size]byte]invitation
	failed  brake
	// begun are the signings in at the identity provider that have no answer yet, by their
	// cookies.
	begun  map[[sha256.Size]byte]begun
	begins brake
	// failures are the failed attempts in the audit log.
	failures *failures
	// entered are the signings in of each person.
	entered brake
}

func newPeople(now func() time.Time) *people {
	return &people{now: now, logins: map[loginKey]*login{}, invited: map[[sha256.Size]byte]invitation{}, begun: map[[sha256.Size]byte]begun{},
		failed: newBrake(failureRate, failureBurst), begins: newBrake(beginRate, beginBurst),
		failures: newFailures(), entered: newBrake(enterRate, enterBurst)}
}

// Invite returns a token with which one person can sign in, once and within
// [InvitationLife], as a principal.
func (c *Console) Invite(who access.Principal) string {
	token, hash := access.NewToken()
	p := c.people
	p.mu.Lock()
	defer p.mu.Unlock()
	p.invited[hash] = invitation{who, p.now().Add(InvitationLife)}
	return token
}

// accept uses an invitation up; nil when there is none.
func (p *people) accept(token string) *invitation {
	p.mu.Lock()
	defer p.mu.Unlock()
	// Maps are not searched in constant time, which reveals nothing of a hash's origin.
	hash := sha256.Sum256([]byte(token))
	i, ok := p.invited[hash]
	delete(p.invited, hash)
	if !ok || !p.now().Before(i.expires) {
		return nil
	}
	return &i
}

// again makes an invitation good once more, whose holder could not be let in.
func (p *people) again(token string, i invitation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.invited[sha256.Sum256([]byte(token))] = i
}

// oldest counts logins, and has the first of them.
type oldest struct {
	n     int
	first *login
}

func (o *oldest) see(l *login) {
	if o.n++; o.first == nil || l.at < o.first.at {
		o.first = l
	}
}

// enter signs a person in for a while, and returns the value of the cookie.
func (p *people) enter(l login, life time.Duration) string {
	cookie := rand.Text() + rand.Text()
	p.mu.Lock()
	defer p.mu.Unlock()

	now := p.now()
	var all, own oldest
	for key, other := range p.logins {
		if !now.Before(other.expires) {
			delete(p.logins, key)
			continue
		}
		all.see(other)
		if other.who.Name == l.who.Name {
			own.see(other)
		}
	}

	switch {
	case own.n >= maxOwn:
		delete(p.logins, own.first.key)
	case all.n >= maxLogins:
		delete(p.logins, all.first.key)
	}
	p.count++
	l.key, l.turn, l.csrf, l.expires, l.at = sha256.Sum256([]byte(cookie)), make(chan struct{}, 1), rand.Text(), now.Add(life), p.count
	p.logins[l.key] = &l
	return cookie
}

// leave signs a person out.
func (p *people) leave(r *http.Request) {
	for _, cookie := range r.CookiesNamed(cookieName) {
		p.forget(sha256.Sum256([]byte(cookie.Value)))
	}
}

// find returns the login of a request; nil when there is none, or when its token was
// revoked. The scopes are the token's as it is now.
func (p *people) find(r *http.Request, principal func(string) (*access.Principal, error)) (*login, error) {
	for _, cookie := range r.CookiesNamed(cookieName) {
		l := p.at(sha256.Sum256([]byte(cookie.Value)))
		switch {
		case l == nil || !p.now().Before(l.expires):
			continue
		case l.token == "":
			return l, nil
		}

		who, err := principal(l.token)
		if errors.Is(err, access.ErrUnknownToken) {
			continue
		}
		if err != nil {
			return nil, err
		}
		current := *l
		current.who = *who
		return &current, nil
	}
	return nil, nil
}

// network returns the part of an address that one network has: of IPv6, who has one address has
// the 64 bits after it as well.
func network(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || ip.Unmap().Is4() {
		return host
	}
	p, err := ip.WithZone("").Prefix(64)
	if err != nil {
		return host
	}
	return p.String()
}

// brake slows down what networks, or persons by their names, do too often.
type brake struct {
	rate  rate.Limit
	burst int

	mu    *sync.Mutex
	tried map[string]*rate.Limiter // by network, or by name
}

func newBrake(r rate.Limit, burst int) brake {
	return brake{rate: r, burst: burst, mu: &sync.Mutex{}, tried: map[string]*rate.Limiter{}}
}

// tooOften counts an attempt of an address at a time, and reports whether there were too
// many.
func (b *brake) tooOften(address string, now time.Time) bool {
	return b.tooOftenOf(network(address), now)
}

// tooOftenOf is tooOften for a network, or the name of a person.
func (b *brake) tooOftenOf(who string, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tried[who] == nil {
		if len(b.tried) >= maxTried {
			clear(b.tried)
		}
		b.tried[who] = rate.NewLimiter(b.rate, b.burst)
	}
	return !b.tried[who].AllowN(now, 1)
}

// resolve returns the login that a token gives, and what kind of token it is; nil when it gives
// none.
func (c *Console) resolve(token string) (l *login, by string, err error) {
	if i := c.people.accept(token); i != nil {
		return &login{who: i.who, invitation: i}, byInvitation, nil
	}
	if c.o.Principal == nil {
		return nil, "", nil
	}
	who, err := c.o.Principal(token)
	switch {
	case errors.Is(err, access.ErrUnknownToken):
		return nil, "", nil
	case err != nil:
		return nil, "", err
	}
	return &login{who: *who, token: token}, byToken, nil
}

// loginPage is what the page to sign in says.
type loginPage struct {
	Problem string
	// Provider names the identity provider, and Begin is the address that leads to it; both
	// are empty where there is none.
	Provider, Begin string
	// Out is set when the person has just signed out, and End where they sign out of the
	// provider as well; empty where it has no such place.
	Out bool
	End string
	// Back is the page that the person wanted.
	Back string
}

// loginPage returns the page to sign in for who wants a page.
func (c *Console) loginPage(problem, back string) loginPage {
	page := loginPage{Problem: problem, Back: back}
	if p := c.o.Provider; p != nil {
		// By the name that the provider knows, where its answer will find the cookie.
		page.Provider, page.Begin = p.Title(), p.Address()+"login/begin?"+url.Values{"to": {back}}.Encode()
	}
	return page
}

func (c *Console) showLogin(w http.ResponseWriter, r *http.Request) {
	page := c.loginPage("", wanted(r.FormValue("to")))
	if page.Out = r.FormValue("out") != ""; page.Out && c.o.Provider != nil {
		page.End = c.o.Provider.SignOut()
	}
	c.show(w, nil, outcome{page: "login", frame: frame{Title: "Sign in", Body: page}})
}

// views are the pages that people can come back to.
var views = []string{"inbox", "question", "sessions", "session", "text", "tools", "tool", "policies", "policy", "overview", "playground", "whatif"}

// wanted returns the address of a page below the base, for people who have to sign in first;
// empty when it is anything else. So no link to sign in leads out of the console.
func wanted(to string) string {
	u, err := url.Parse(to)
	if err != nil || len(to) > maxBack || u.IsAbs() || u.Host != "" || u.Opaque != "" {
		return ""
	}
	view, _, _ := strings.Cut(u.Path, "/")
	if !slices.Contains(views, view) || strings.ContainsAny(u.Path, "\\") || strings.Contains(u.Path, "..") {
		return ""
	}
	return (&url.URL{Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery}).String()
}

// login signs a person in.
func (c *Console) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	token, back := strings.TrimSpace(r.PostFormValue("token")), wanted(r.PostFormValue("to"))
	l, by, err := c.resolve(token)
	switch {
	case err != nil:
		c.o.Log.Error("reading the tokens failed", "error", err)
		c.noteRefused(r, "", byToken, "the tokens could not be read")
		c.refuse(w, http.StatusInternalServerError, errRead.text, back)
		return
	case l == nil && c.people.failed.tooOften(r.RemoteAddr, c.people.now()):
		c.people.failures.skip(1)
		c.slowDown(w, back)
		return
	case l == nil:
		c.o.Log.Warn("signing in failed", "from", r.RemoteAddr)
		c.noteRefused(r, "", byToken, "no such token")
		c.refuse(w, http.StatusForbidden, "That token is not known, has expired, or was used before.", back)
		return
	}

	secure := r.TLS != nil || strings.HasPrefix(r.Header.Get("Origin"), "https://")
	switch {
	case c.admit(w, r, *l, by, loginLife, secure):
		http.Redirect(w, r, c.o.Base+back, http.StatusSeeOther)
	case l.invitation != nil:
		c.people.again(token, *l.invitation)
	}
}

// slowDown tells a person that they come too often.
func (c *Console) slowDown(w http.ResponseWriter, back string) {
	w.Header().Set("Retry-After", "10")
	c.refuse(w, http.StatusTooManyRequests, "There were too many attempts. Wait a little.", back)
}

// refuse shows the page to sign in again, with why.
func (c *Console) refuse(w http.ResponseWriter, status int, text, back string) {
	c.show(w, nil, outcome{page: "login", frame: frame{Title: "Sign in", Status: status, Body: c.loginPage(text, back)}})
}

// admit gives a person the cookie by which the console knows them, once the audit log has them;
// false where it can't take them, or they come too often.
func (c *Console) admit(w http.ResponseWriter, r *http.Request, l login, by string, life time.Duration, secure bool) bool {
	if c.people.entered.tooOftenOf(l.who.Name, c.people.now()) {
		c.slowDown(w, "")
		return false
	}
	if err := c.note(r, signing{outcome: signedIn, who: l.who.Name, by: by}); err != nil {
		c.fail(w, r, nil, errNote)
		return false
	}
	c.o.Log.Info("signed in", "principal", l.who.Name, "from", r.RemoteAddr)
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: c.people.enter(l, life), Path: c.o.Base, MaxAge: int(life.Seconds()),
		HttpOnly: true, Secure: secure, SameSite: http.SameSiteStrictMode})
	return true
}

// logout signs the person out.
func (c *Console) logout(_ context.Context, v *visit) (outcome, error) {
	c.people.leave(v.Request)
	return outcome{to: "login?out=1"}, nil
}
