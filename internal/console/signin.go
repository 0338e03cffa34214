package console

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/store"
)

const (
	// Attempts to sign in that fail are noted in the audit log at this rate, and this many at
	// once: an attacker must not be able to fill it. Each network has a third of it, so that one
	// can't use up the entries of the others. The rest are counted, and the next entry has their
	// number.
	noteRate     = rate.Limit(0.1)
	noteBurst    = 60
	noteShare    = noteRate / 3
	noteAtOnceOf = noteBurst / 3
	// noteTime bounds how long an entry may take, whether or not a request waits for it.
	noteTime = 5 * time.Second
	// maxNamed bounds the name of a person in an entry, in characters.
	maxNamed = 256
	// askAgain is how long a provider that could not be asked is left alone for each login.
	askAgain = 5 * time.Second
)

// signing is a signing in, or what became of one later, as the audit log has it.
type signing struct {
	outcome string
	// who is empty where it is unknown.
	who, by, why string
}

// The outcomes of signing in.
const (
	signedIn     = "signed in"
	refused      = "refused"
	otherRole    = "has another role now"
	signedOut    = "signed out"
	byToken      = "token"
	byInvitation = "invitation"
)

// failures holds the notes of failed attempts to their rate.
type failures struct {
	shares brake

	mu    sync.Mutex
	limit *rate.Limiter
	left  int // attempts that have no entry
}

func newFailures() *failures {
	return &failures{shares: newBrake(noteShare, noteAtOnceOf), limit: rate.NewLimiter(noteRate, noteBurst)}
}

// admits counts an attempt of an address at a time, and reports whether it may have an entry.
func (f *failures) admits(address string, now time.Time) bool {
	tooOften := f.shares.tooOften(address, now)
	f.mu.Lock()
	defer f.mu.Unlock()
	if tooOften || !f.limit.AllowN(now, 1) {
		f.left++
		return false
	}
	return true
}

// skip counts attempts that get no entry.
func (f *failures) skip(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left += n
}

// take returns how many attempts have no entry, and forgets them.
func (f *failures) take() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.left
	f.left = 0
	return n
}

// note writes into the audit log who signed in from where, or did not. It does so for a person
// who no longer waits, too.
func (c *Console) note(r *http.Request, s signing) error {
	members := map[string]string{"outcome": s.outcome, "by": s.by, "from": r.RemoteAddr}
	for name, text := range map[string]string{"principal": s.who, "why": s.why} {
		if text != "" {
			members[name] = display.Clip(strings.ToValidUTF8(text, "\uFFFD"), maxNamed)
		}
	}
	left := c.people.failures.take()
	if left > 0 {
		members["failed before, without an entry"] = strconv.Itoa(left)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), noteTime)
	defer cancel()
	err := c.o.Store.Note(ctx, store.Note{About: "sign-in", Members: members})
	if err != nil {
		c.people.failures.skip(left)
		c.o.Log.Error("a signing in could not be noted in the audit log", "error", err)
	}
	return err
}

// noteRefused notes an attempt that failed, as often as such notes may be.
func (c *Console) noteRefused(r *http.Request, who, by, why string) {
	if !c.people.failures.admits(r.RemoteAddr, c.people.now()) {
		return
	}
	if err := c.note(r, signing{outcome: refused, who: who, by: by, why: why}); err != nil { // which is in the log
		c.people.failures.skip(1)
	}
}

// find returns the login of a request; nil when there is none. Whose roles are an identity
// provider's has those that it says now, or up to its time to be asked again.
func (c *Console) find(r *http.Request) (*login, error) {
	l, err := c.people.find(r, c.o.Principal)
	if err != nil || l == nil || l.identity == nil || c.people.now().Before(l.recheck) {
		return l, err
	}
	select {
	case l.turn <- struct{}{}: // a refresh token is good once: one request asks for all
		defer func() { <-l.turn }()
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	if l = c.people.at(l.key); l == nil || c.people.now().Before(l.recheck) {
		return l, nil
	}
	return c.renew(r, l)
}

// renew asks the identity provider about a person again.
func (c *Console) renew(r *http.Request, l *login) (*login, error) {
	if c.people.now().Before(l.leave) {
		return nil, errAsk
	}
	// A page that is closed meanwhile must not cost the person the next refresh token.
	g, err := c.o.Provider.Renew(context.WithoutCancel(r.Context()), l.identity)
	if err == nil && g.Name != l.who.Name {
		err = access.ErrSignIn // another person, as far as the sessions here are concerned
	}

	s := signing{outcome: signedOut, who: l.who.Name, by: c.o.Provider.Title()}
	switch {
	case errors.Is(err, access.ErrNoRole):
		s.why = "has no role at the identity provider any more"
	case errors.Is(err, access.ErrSignIn):
		s.why = "the identity provider no longer vouches for them"
	case err != nil:
		c.o.Log.Error("the identity provider could not be asked about a role", "principal", l.who.Name, "error", err)
		c.people.put(l.key, func(l *login) { l.leave = c.people.now().Add(askAgain) })
		return nil, errAsk
	}
	if err != nil {
		c.people.forget(l.key)
		c.o.Log.Warn("signed out", "principal", l.who.Name, "why", s.why)
		return nil, c.note(r, s)
	}

	c.people.put(l.key, func(l *login) { l.identity = g }) // whose token was used up
	if !slices.Equal(g.Scopes, l.who.Scopes) {
		s.outcome, s.why = otherRole, fmt.Sprint(g.Scopes)
		if err := c.note(r, s); err != nil {
			return nil, errRead
		}
	}
	return c.people.put(l.key, func(l *login) { l.who, l.recheck = g.Principal, c.people.now().Add(c.o.Provider.Recheck()) }), nil
}

// at returns the login of a key; nil when it has ended.
func (p *people) at(key loginKey) *login {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.logins[key]
}

// put changes a login that there is still, and returns it as it is then. Who has found it before
// keeps what it was.
func (p *people) put(key loginKey, change func(*login)) *login {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.logins[key]
	if l == nil {
		return nil
	}
	changed := *l
	change(&changed)
	p.logins[key] = &changed
	return &changed
}

// forget ends a login.
func (p *people) forget(key loginKey) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.logins, key)
}
