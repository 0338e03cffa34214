package console

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/DataDog/datadog-agent/pkg/template/html"

	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/door"
	"github.com/remit-project/remit/internal/playground"
	"github.com/remit-project/remit/internal/policydoc/desk"
	"github.com/remit-project/remit/internal/revise"
	"github.com/remit-project/remit/store"
)

//go:embed pages/*.html
var pageFiles embed.FS

//go:embed assets
var assetFiles embed.FS

const (
	// DefaultBase is where the console's pages begin when the options don't say.
	DefaultBase = "/console/"
	// maxForm bounds a form, in bytes: definitions and a conversation in the playground.
	maxForm = 512 << 10
	// maxRequests bounds concurrent requests, streams apart.
	maxRequests = 64
	// grace is how long running requests may take on shutdown.
	grace = 5 * time.Second
)

// Options configure a [Console].
type Options struct {
	// Store has the sessions and the questions.
	Store store.Store
	// Principal resolves a token that people sign in with; nil where only invitations
	// do. [access.ErrUnknownToken] means that it is unknown.
	Principal func(token string) (*access.Principal, error)
	// Provider signs people in as well; nil for none.
	Provider *access.IdentityProvider
	// Hosts names the server. Its origins are not used: no other page may post here.
	Hosts access.Hosts
	// Base is the path of the pages, which begins and ends with a slash; [DefaultBase]
	// when empty. Cookies are sent to no other path. A name has one cookie jar for all
	// of its ports, so that a console on the loopback interface needs a path that no
	// other program there can guess.
	Base string
	// Desk has the deployment's contracts; nil for none.
	Desk *revise.Desk
	// Policies is where people decide about the policies of the document; nil where there is
	// none.
	Policies *desk.Desk
	// Samples are conversations to begin with in the playground.
	Samples []playground.Sample
	// Now is the clock; [time.Now] when nil.
	Now func() time.Time
	// Log receives details that people aren't told; discarded when nil.
	Log *slog.Logger
}

// Console serves the pages. It is safe for concurrent use.
type Console struct {
	o        Options
	mux      *http.ServeMux
	pages    map[string]*template.Template
	assets   string // a digest of the assets, by which browsers keep them
	people   *people
	foreign  *http.CrossOriginProtection
	busy     chan struct{}
	plays    *plays
	live     *live
	outlines *outlines
	stopping context.Context
	stop     context.CancelFunc
}

// New returns a console.
func New(o Options) (*Console, error) {
	if o.Base == "" {
		o.Base = DefaultBase
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}

	if p := o.Provider; p != nil {
		if u, err := url.Parse(p.Address()); err != nil || u.Path != o.Base {
			return nil, fmt.Errorf("console: people are sent back to %s, and the pages are at %s", p.Address(), o.Base)
		}
	}
	if o.Desk == nil {
		o.Desk = &revise.Desk{Store: o.Store}
	}

	c := &Console{o: o, mux: http.NewServeMux(), people: newPeople(o.Now), foreign: http.NewCrossOriginProtection(),
		busy: make(chan struct{}, maxRequests), plays: newPlays(), live: newLive(), outlines: newOutlines(o.Store)}
	c.stopping, c.stop = context.WithCancel(context.Background())
	var err error
	if c.assets, err = digestOf(assetFiles); err != nil {
		return nil, err
	}
	if c.pages, err = c.parse(); err != nil {
		return nil, err
	}
	c.routes()
	return c, nil
}

// digestOf names files by what is in them.
func digestOf(files fs.FS) (string, error) {
	h := sha256.New()
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		h.Write(data)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)[:8]), err
}

// parse reads the pages, each within the frame.
func (c *Console) parse() (map[string]*template.Template, error) {
	names, err := fs.Glob(pageFiles, "pages/*.html")
	if err != nil {
		return nil, err
	}
	pages := map[string]*template.Template{}
	for _, name := range names {
		t, err := template.New("frame.html").Funcs(functions()).ParseFS(pageFiles, "pages/frame.html", "pages/parts.html", name)
		if err != nil {
			return nil, fmt.Errorf("console: %w", err)
		}
		pages[strings.TrimSuffix(path.Base(name), ".html")] = t
	}
	return pages, nil
}

func (c *Console) routes() {
	at := func(pattern string, h http.Handler) {
		method, path, _ := strings.Cut(pattern, " ")
		c.mux.Handle(method+" "+c.o.Base+path, h)
	}
	// Who asks for something else must not learn where the pages are.
	c.mux.HandleFunc("/", http.NotFound)
	at("GET ", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { c.fail(w, r, nil, errNoPage) }))
	at("GET assets/{name}", http.HandlerFunc(c.asset))
	at("GET login", http.HandlerFunc(c.showLogin))
	at("POST login", http.HandlerFunc(c.login))
	if c.o.Provider != nil {
		at("GET login/begin", http.HandlerFunc(c.begin))
		at("GET login/done", http.HandlerFunc(c.done))
	}
	at("GET live", c.known(c.follow))

	look := []access.Scope{access.SessionsRead}
	ask := []access.Scope{access.ApprovalsRead}
	at("GET {$}", c.page(nil, c.home))
	at("POST logout", c.page(nil, c.logout))
	at("GET inbox", c.page(ask, c.inbox))
	at("GET question/{id}", c.page(ask, c.question))
	at("POST question/{id}", c.page([]access.Scope{access.ApprovalsRead, access.ApprovalsAnswer}, c.answer))
	at("GET sessions", c.page(look, c.sessions))
	at("GET session", c.page(look, c.session))
	contracts := []access.Scope{access.ContractsRead}
	at("GET tools", c.page(contracts, c.tools))
	at("GET tool", c.page(contracts, c.tool))
	checks := []access.Scope{access.ContractsRead, access.SessionsRead}
	at("POST tool", c.paged(c.plays.enter, checks, c.tool))
	at("GET whatif", c.page(checks, c.whatIf))
	at("POST whatif", c.paged(c.plays.enter, checks, c.whatIf))
	at("POST tool/write", c.page([]access.Scope{access.ContractsRead, access.ContractsWrite}, c.writeTool))
	at("POST tool/patch", c.known(c.within(access.ContractsRead, c.patch)))
	at("GET contract/{file}", c.known(c.within(access.ContractsRead, c.export)))
	at("GET policies", c.paged(c.plays.enter, contracts, c.policies))
	at("GET policies/changes", c.paged(c.plays.enter, contracts, c.compared))
	at("GET policy", c.paged(c.plays.enter, contracts, c.policy))
	at("POST policy", c.paged(c.plays.enter, contracts, c.policy))
	at("POST policy/write", c.page([]access.Scope{access.ContractsRead, access.ContractsWrite}, c.writeReview))
	at("POST policy/patch", c.known(c.within(access.ContractsRead, c.reviewPatch)))
	at("GET policies/document", c.known(c.within(access.ContractsRead, c.document)))
	at("GET playground", c.paged(c.plays.enter, look, c.playground))
	at("POST playground", c.paged(c.plays.enter, look, c.playground))
	at("GET overview", c.page(look, c.overview))
	at("GET text", c.page(look, c.text))
}

// Base returns the path of the pages.
func (c *Console) Base() string { return c.o.Base }

// headers are on every answer. The pages' own files are all that is loaded.
var headers = map[string]string{
	"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
	"Cache-Control":              "no-store",
	"Cross-Origin-Opener-Policy": "same-origin",
	"Permissions-Policy":         "camera=(), geolocation=(), microphone=()",
	// Not no-referrer, by which forms would be sent without an origin.
	"Referrer-Policy":        "same-origin",
	"X-Content-Type-Options": "nosniff",
	"X-Frame-Options":        "DENY",
}

// ServeHTTP implements [http.Handler].
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, value := range headers {
		w.Header().Set(name, value)
	}
	if err := c.o.Hosts.CheckName(r); err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	if err := c.foreign.Check(r); err != nil {
		http.Error(w, "another page may not send this", http.StatusForbidden)
		return
	}
	c.mux.ServeHTTP(w, r)
}

// Stop ends the streams: their readers come back.
func (c *Console) Stop() { c.stop() }

// Serve serves HTTP until ctx ends, and then waits for running requests up to a bound.
func (c *Console) Serve(ctx context.Context, l net.Listener) error {
	s := door.Server{Handler: c, Log: c.o.Log, Grace: grace, Stop: func(context.Context) error { c.stop(); return nil }}
	return s.Serve(ctx, l)
}

// asset serves a file of the pages. Its address has the digest of all of them.
func (c *Console) asset(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeFileFS(w, r, assetFiles, "assets/"+path.Base(r.PathValue("name")))
}
