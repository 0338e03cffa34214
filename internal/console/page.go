package console

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/store"
)

// visit is a request of a person who has signed in.
type visit struct {
	*http.Request
	c     *Console
	login *login
	who   *access.Principal
}

// whose returns the sessions that the person's scopes reach.
func (v *visit) whose() store.Whose {
	return store.Whose{Principal: v.who.Name, Everybody: v.who.May(access.SessionsAny)}
}

// reach reads a session that the person's scopes reach. Any other one looks as if it
// didn't exist.
func (v *visit) reach(ctx context.Context, id string) (store.SessionInfo, error) {
	info, err := v.c.o.Store.Session(ctx, id)
	if err == nil && info.Principal != v.who.Name && !v.who.May(access.SessionsAny) {
		err = store.ErrNotFound
	}
	return info, err
}

// frame is what every page has around its own body.
type frame struct {
	Base, Assets, Title string
	// View is the part of the console that the page belongs to.
	View string
	// Status is the HTTP status; 0 for 200.
	Status int
	// Live is the topic whose changes the page shows, beside the questions that wait, and
	// Version what it was when the page was made.
	Live, Version string
	Who           string
	CSRF          string
	May           may
	// Waiting counts the questions that wait, and Pending is the version of them.
	Waiting int
	Pending string
	// Onward is the page that the browser goes on to by itself; empty to stay.
	Onward string
	Body   any
}

// may is what the person may do.
type may struct{ Look, Ask, Answer, Contracts, Edit bool }

// outcome is what a request leads to: a page, or another address below the base.
type outcome struct {
	page string
	frame
	to string
	// most bounds the page, in bytes; 0 for what the store's bounds leave.
	most int
}

// bounded is a page that is written up to a bound.
type bounded struct {
	b    bytes.Buffer
	most int
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.most > 0 && b.b.Len()+len(p) > b.most {
		return 0, errPage
	}
	return b.b.Write(p)
}

// failure is an error that people are told.
type failure struct {
	status int
	text   string
}

func (f *failure) Error() string { return f.text }

var (
	errNoPage   = &failure{http.StatusNotFound, "There is no such page."}
	errNotFound = &failure{http.StatusNotFound, "There is no such thing, or it isn't yours to see."}
	errRead     = &failure{http.StatusInternalServerError, "The store could not be read. The server's log says why."}
	errNote     = &failure{http.StatusInternalServerError, "You were not signed in, because that could not be written into the audit log. The server's log says why."}
	errAsk      = &failure{http.StatusServiceUnavailable, "The identity provider could not be asked whether you still have your role. Try again."}
	errSignIn   = &failure{http.StatusForbidden, "Sign in first."}
	errScope    = &failure{http.StatusForbidden, "Your token doesn't allow that."}
	errForm     = &failure{http.StatusForbidden, "The form was not sent from a page of this console, or you have signed in again since. Go back and reload it."}
	errLong     = &failure{http.StatusRequestEntityTooLarge, "The form is longer than 512 kB as it is sent, where many characters count three times. Write less."}
	errUnread   = &failure{http.StatusBadRequest, "The form could not be read. Go back and send it again."}
	errPage     = &failure{http.StatusRequestEntityTooLarge, "What comes of it is longer than a page of the console. Write less."}
	errBusy     = &failure{http.StatusServiceUnavailable, "The server is busy. Try again."}
)

// known lets people in who have signed in; others are sent to sign in.
func (c *Console) known(next func(http.ResponseWriter, *visit)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l, err := c.find(r)
		var f *failure
		switch {
		case errors.As(err, &f):
			c.fail(w, r, nil, f)
		case r.Context().Err() != nil: // the client is gone
		case err != nil:
			c.o.Log.Error("reading the tokens failed", "error", err)
			c.fail(w, r, nil, errRead)
		case l == nil && r.Method == http.MethodGet && r.URL.Path != c.o.Base+"live":
			to := "login"
			if back := wanted(strings.TrimPrefix(r.URL.RequestURI(), c.o.Base)); back != "" {
				to += "?" + url.Values{"to": {back}}.Encode()
			}
			http.Redirect(w, r, c.o.Base+to, http.StatusSeeOther)
		case l == nil:
			c.fail(w, r, nil, errSignIn)
		default:
			next(w, &visit{Request: r, c: c, login: l, who: &l.who})
		}
	})
}

// within lets people in who have a scope.
func (c *Console) within(scope access.Scope, next func(http.ResponseWriter, *visit)) func(http.ResponseWriter, *visit) {
	return func(w http.ResponseWriter, v *visit) {
		if !v.who.May(scope) {
			c.fail(w, v.Request, v, errScope)
			return
		}
		next(w, v)
	}
}

// page wraps what makes a page with what all of them need: who asks, the scopes, and for
// a form that it was sent from a page of this login.
func (c *Console) page(scopes []access.Scope, make func(context.Context, *visit) (outcome, error)) http.Handler {
	return c.paged(c.slot, scopes, make)
}

// slot takes one of the places of requests, and returns what gives it back; nil when there
// is none.
func (c *Console) slot(*visit) func() {
	select {
	case c.busy <- struct{}{}:
		return func() { <-c.busy }
	default:
		return nil
	}
}

// paged is page for requests that take their places with enter.
func (c *Console) paged(enter func(*visit) func(), scopes []access.Scope, make func(context.Context, *visit) (outcome, error)) http.Handler {
	return c.known(func(w http.ResponseWriter, v *visit) {
		for _, s := range scopes {
			if !v.who.May(s) {
				c.fail(w, v.Request, v, errScope)
				return
			}
		}
		leave := enter(v)
		if leave == nil {
			c.fail(w, v.Request, v, errBusy)
			return
		}
		defer leave()
		if err := v.form(w); err != nil {
			c.fail(w, v.Request, v, err)
			return
		}

		out, err := make(v.Context(), v)
		switch {
		case err != nil:
			c.fail(w, v.Request, v, err)
		case out.to != "":
			http.Redirect(w, v.Request, c.o.Base+out.to, http.StatusSeeOther)
		default:
			c.show(w, v, out)
		}
	})
}

// form reads what was posted, and checks that a page of this login has sent it.
func (v *visit) form(w http.ResponseWriter) error {
	if v.Method != http.MethodPost {
		return nil
	}
	v.Body = http.MaxBytesReader(w, v.Body, maxForm)
	err := v.ParseForm()
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return errLong
	case err != nil:
		return errUnread
	case !v.login.sent(v.PostForm.Get("csrf")):
		return errForm
	}
	return nil
}

// fail shows an error as a page.
func (c *Console) fail(w http.ResponseWriter, r *http.Request, v *visit, err error) {
	var f *failure
	switch {
	case errors.As(err, &f):
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrInvalid), errors.Is(err, store.ErrPruned):
		f = errNotFound
	case r.Context().Err() != nil:
		return // the client is gone
	default:
		c.o.Log.Error("a page could not be made", "path", r.URL.Path, "error", err)
		f = errRead
	}
	c.show(w, v, outcome{page: "problem", frame: frame{Title: "Not shown", Status: f.status, Body: f.text}})
}

// show writes a page; v is nil for people who have not signed in.
func (c *Console) show(w http.ResponseWriter, v *visit, out outcome) {
	f := out.frame
	f.Base, f.Assets = c.o.Base, c.assets
	if v != nil {
		f.Who, f.CSRF = v.who.Name, v.login.csrf
		f.May = may{
			v.who.May(access.SessionsRead), v.who.May(access.ApprovalsRead),
			v.who.May(access.ApprovalsAnswer), v.who.May(access.ContractsRead),
			v.who.May(access.ContractsWrite),
		}
	}
	if f.May.Ask {
		state, err := v.stateOf(v.Context(), "inbox")
		if err != nil {
			c.o.Log.Error("counting the questions failed", "error", err)
		}
		f.Waiting, f.Pending = len(strings.Fields(state)), versionOf(state)
	}

	// Written when it is complete: a page that breaks off half-way could hide a part.
	b := bounded{most: out.most}
	err := c.pages[out.page].Execute(&b, f)
	if errors.Is(err, errPage) {
		c.fail(w, v.Request, v, errPage)
		return
	}
	if err != nil {
		c.o.Log.Error("a page could not be rendered", "page", out.page, "error", err)
		http.Error(w, errRead.text, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if f.Status != 0 {
		w.WriteHeader(f.Status)
	}
	_, _ = b.b.WriteTo(w) // the reader has gone, then
}

// home is where people begin.
func (c *Console) home(_ context.Context, v *visit) (outcome, error) {
	if v.who.May(access.ApprovalsRead) {
		return outcome{to: "inbox"}, nil
	}
	return outcome{to: "sessions"}, nil
}
