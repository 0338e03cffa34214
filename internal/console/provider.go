package console

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/remit-project/remit/internal/access"
)

const (
	// beginLife is how long a person may take at the identity provider.
	beginLife = 10 * time.Minute
	// maxBegun bounds the people who are there; of more, the one who began first begins
	// again.
	maxBegun = 4096
	// beginCookie ties an answer of the provider to the browser that it was asked for in.
	beginCookie = "remit_signin"
	// People are sent to the provider at this rate, and this many at once, for each
	// network: what began and never ends must not push out those who are there.
	beginRate  = rate.Limit(1)
	beginBurst = 30
)

// begun is a signing in at the identity provider that has no answer yet.
type begun struct {
	attempt access.Attempt
	back    string // the page that the person wanted
	expires time.Time
}

// keep remembers a signing in, and returns the value of its cookie.
func (p *people) keep(b begun) string {
	cookie := rand.Text() + rand.Text()
	p.mu.Lock()
	defer p.mu.Unlock()

	now := p.now()
	var first [sha256.Size]byte
	var oldest time.Time
	for key, other := range p.begun {
		if !now.Before(other.expires) {
			delete(p.begun, key)
		} else if oldest.IsZero() || other.expires.Before(oldest) {
			first, oldest = key, other.expires
		}
	}
	if len(p.begun) >= maxBegun {
		delete(p.begun, first)
	}
	b.expires = now.Add(beginLife)
	p.begun[sha256.Sum256([]byte(cookie))] = b
	return cookie
}

// take uses up what was begun in a browser; false when there is nothing.
func (p *people) take(r *http.Request) (begun, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, cookie := range r.CookiesNamed(beginCookie) {
		key := sha256.Sum256([]byte(cookie.Value))
		b, ok := p.begun[key]
		delete(p.begun, key)
		if ok && p.now().Before(b.expires) {
			return b, true
		}
	}
	return begun{}, false
}

// begin sends a person to the identity provider.
func (c *Console) begin(w http.ResponseWriter, r *http.Request) {
	back := wanted(r.FormValue("to"))
	if c.people.begins.tooOften(r.RemoteAddr, c.people.now()) {
		c.slowDown(w, back)
		return
	}
	address, attempt, err := c.o.Provider.Begin(r.Context())
	if err != nil {
		c.o.Log.Error("the identity provider could not be asked", "error", err)
		c.refuse(w, http.StatusBadGateway, errProvider, back)
		return
	}

	// Lax: the answer comes from a page of the provider.
	http.SetCookie(w, c.beginCookie(c.people.keep(begun{attempt: attempt, back: back}), int(beginLife.Seconds())))
	http.Redirect(w, r, address, http.StatusSeeOther)
}

// beginCookie returns the cookie of a signing in, which no other path gets.
func (c *Console) beginCookie(value string, age int) *http.Cookie {
	return &http.Cookie{
		Name: beginCookie, Value: value, Path: c.o.Base + "login/", MaxAge: age, HttpOnly: true,
		Secure: c.overTLS(), SameSite: http.SameSiteLaxMode,
	}
}

// overTLS reports whether people reach the pages by TLS, which a proxy may end.
func (c *Console) overTLS() bool { return strings.HasPrefix(c.o.Provider.Address(), "https://") }

const errProvider = "The identity provider could not be asked. The server's log says why. Try again."

// done signs a person in who comes back from the identity provider.
func (c *Console) done(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, c.beginCookie("", -1))
	b, ok := c.people.take(r)
	var who *access.Identity
	err := access.ErrSignIn
	if ok {
		var answer url.Values
		if answer, err = url.ParseQuery(r.URL.RawQuery); err == nil {
			who, err = c.o.Provider.Finish(r.Context(), b.attempt, answer)
		} else {
			err = access.ErrSignIn
		}
	}
	if err != nil {
		c.notDone(w, r, err, b.back)
		return
	}

	life := loginLife
	if l := c.o.Provider.Life(); l > 0 {
		life = l
	}
	l := login{who: who.Principal}
	if who.Lasts() {
		l.identity, l.recheck = who, c.people.now().Add(c.o.Provider.Recheck())
	} else {
		life = min(life, c.o.Provider.Recheck()) // it is asked again by signing in again
	}
	if !c.admit(w, r, l, c.o.Provider.Title(), life, c.overTLS()) {
		return
	}
	// Not a redirect: a browser keeps a strict cookie to itself until the last of the
	// redirects that another site began. It goes on from here by itself.
	c.show(w, nil, outcome{page: "enter", frame: frame{Title: "Signed in", Onward: c.o.Base + b.back}})
}

// notDone tells a person why they were not signed in. Beyond the rate of failed attempts nothing
// is written about it: any client can bring a false answer.
func (c *Console) notDone(w http.ResponseWriter, r *http.Request, err error, back string) {
	if c.people.failed.tooOften(r.RemoteAddr, c.people.now()) {
		c.people.failures.skip(1)
		c.slowDown(w, back)
		return
	}
	c.o.Log.Warn("signing in by the identity provider failed", "from", r.RemoteAddr, "error", err)
	status, why, text := http.StatusForbidden, "the answer of the identity provider is not valid", "That didn't work: it took too long, was begun in another browser, or was answered before. Begin again."
	switch {
	case errors.Is(err, access.ErrNoRole):
		why, text = "no role", "The identity provider knows you, and nobody gave you a role here. Ask who runs this server."
	case errors.Is(err, access.ErrDeclined):
		why, text = "declined at the identity provider", "The identity provider says that you did not sign in."
	case !errors.Is(err, access.ErrSignIn):
		status, why, text = http.StatusBadGateway, "the identity provider could not be asked", errProvider
	}

	var refused *access.NoRoleError
	name := ""
	if errors.As(err, &refused) {
		name = refused.Name
	}
	c.noteRefused(r, name, c.o.Provider.Title(), why)
	c.refuse(w, status, text, back)
}
