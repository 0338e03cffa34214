package proxy

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/door"
	"github.com/remit-project/remit/internal/pack"
	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/telemetry"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/schema"
)

// The headers for the proxy itself. It removes them before the upstream.
const (
	headerSession  = "Remit-Session"
	headerAttached = "Remit-Attached"
)

// Limits bound the resources of clients and the upstream. Zero means the default.
type Limits struct {
	// Request and Answer bound bodies, in bytes.
	Request, Answer int
	// Conversations and Text bound the conversations kept between requests, and
	// how much they have read together, in bytes.
	Conversations, Text int
	// Idle is how long the upstream may be silent.
	Idle time.Duration
	// Approval is how long a person has to answer.
	Approval time.Duration
	// Quiet is how long a stream may be silent before it sends a comment.
	Quiet time.Duration
}

// The default limits.
const (
	// DefaultRequest holds the longest contexts of models, images included.
	DefaultRequest = 64 << 20
	// DefaultAnswer is far more than a model writes at once.
	DefaultAnswer = 32 << 20
	// DefaultConversations is how many conversations are kept.
	DefaultConversations = 16_384
	// DefaultText is the text of ten thousand short conversations, or of a
	// hundred long ones. Their indexes take some twenty times as much.
	DefaultText = 128 << 20
	// DefaultIdle is longer than models think before their first word.
	DefaultIdle = 10 * time.Minute
	// DefaultApproval is less than clients wait for an answer.
	DefaultApproval = 5 * time.Minute
	// DefaultQuiet is below the usual minute of load balancers.
	DefaultQuiet = 15 * time.Second
	// DefaultRetries is how often a model is asked again after a denial. A model
	// that ignores the reason once seldom heeds it later.
	DefaultRetries = 2
	// maxAnswers bounds the recorded answers: a hundred and twenty-eight bytes
	// each, plus an index.
	maxAnswers = 1 << 18
	// grace is how long running requests may take on shutdown.
	grace = 10 * time.Second
)

// Options configure a [Proxy].
type Options struct {
	// Upstream is the address that requests go to; their paths are appended to
	// its path.
	Upstream *url.URL
	// Rates hold each credential to a number of requests in a minute; none when nil.
	Rates *access.Rates
	// Telemetry takes metrics, of which /metrics shows the page; none when nil.
	Telemetry *telemetry.Recorder
	// Name is the server name of the tools in contracts; "agent" when empty.
	Name string
	// Contract is the contract file for the tools. When nil, contracts are
	// synthesized from the definitions in the requests.
	Contract *contract.File
	// Packs are reviewed contracts that the operator selected for the tools.
	Packs pack.Set
	// Weigh weighs what a model reads against contracts that were made of definitions, except for the definitions of the
	// given fingerprints, which people reviewed; nil leaves them as they are.
	Weigh func(c *schema.Catalogue, made *contract.File, reviewed []string) *contract.File
	// Learned receives contracts that were synthesized for tools without one,
	// before any decision uses them, and returns the contracts in force from then
	// on. When nil, tools that a given contract file lacks stay unknown; without
	// a contract file each set of tools has contracts of its own.
	Learned func(made *contract.File) (*contract.File, error)
	// Listed is told of the definitions that a request brings, by their names, after their
	// contracts are in force, and not of the same ones again; not called when nil.
	Listed func(c *schema.Catalogue, texts map[string]json.RawMessage)
	// Accept lists tools whose definitions may change: their contracts are
	// synthesized again and go to Learned. Calls of other changed tools are
	// denied.
	Accept []string
	// Ledger stores sessions; when nil they end with the process.
	Ledger *ledger.Ledger
	// Ready says what keeps the proxy from serving, as a store that doesn't answer; nil when
	// nothing can.
	Ready func(context.Context) error
	// Approver answers questions; when nil, the user is asked in the conversation.
	Approver ledger.Approver
	// Policies are the company's policies for calls. Those with mistakes deny every call of their
	// tools, and so do those that look things up with tools that are in no request and no
	// contract file.
	Policies []*guard.File
	// Monitor sets the precision, the modes of the global rules, the planner of scopes, and
	// what policies look things up with and ask.
	Monitor remit.Options
	// NoQuestions leaves the user unasked where there is no Approver.
	NoQuestions bool
	// Shadow decides and records, but denies nothing.
	Shadow bool
	// Retries is how often a model is asked again after a denial, within one
	// request; zero means [DefaultRetries], a negative value never.
	Retries int
	// Attached declares containers of material that users and prompts pass on:
	// the name of a tag, or BEGIN...END.
	Attached []string
	// TextCalls lets conversations pass in which calls are text that a program
	// runs; the proxy can't decide those calls.
	TextCalls bool
	// Pass are further paths that go to the upstream undecided.
	Pass []string
	// Callers lists the host names and origins that may call the proxy.
	Callers access.Hosts
	Limits  Limits
	// Transport makes the requests; when nil, one like the default.
	Transport http.RoundTripper
	// Log receives structured logs; discarded when nil.
	Log *slog.Logger
}

// Proxy is an [http.Handler] that decides the calls in the answers of language
// models.
type Proxy struct {
	o        Options
	attached containers
	client   *http.Client
	relay    *httputil.ReverseProxy
	monitors monitors
	cache    cache
	answers  answers
	// questions are those that users were asked.
	questions questions
	// made are the calls of the users' turns.
	made   made
	echoes *echoes
	// beginnings are how requests began.
	beginnings beginnings
}

// New returns a proxy. It fails if an option is invalid.
func New(o Options) (*Proxy, error) {
	if !webAddress(o.Upstream) {
		return nil, errors.New("the upstream is not an address as in https://api.example")
	}

	o.Name = cmp.Or(o.Name, "agent")
	if o.Contract != nil && o.Contract.Server != o.Name {
		return nil, fmt.Errorf("the contract file is for %q, not for %q: name them alike", o.Contract.Server, o.Name)
	}
	attached, err := parseContainers(o.Attached)
	if err != nil {
		return nil, err
	}

	for _, p := range o.Pass {
		if !strings.HasPrefix(p, "/") {
			return nil, fmt.Errorf("the path %q does not begin with a slash", p)
		}
	}

	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	l := &o.Limits
	l.Request, l.Answer = orDefault(l.Request, DefaultRequest), orDefault(l.Answer, DefaultAnswer)
	l.Conversations, l.Text = orDefault(l.Conversations, DefaultConversations), orDefault(l.Text, DefaultText)
	l.Idle, l.Approval = orDefault(l.Idle, DefaultIdle), orDefault(l.Approval, DefaultApproval)
	l.Quiet = orDefault(l.Quiet, DefaultQuiet)
	if versioned().MatchString(o.Upstream.Path) {
		o.Log.Warn("the upstream's address ends in the version of an API, and the paths of requests are put behind it: leave the version out of one of the two", "upstream", o.Upstream.Path)
	}
	if o.Retries == 0 {
		o.Retries = DefaultRetries
	}
	if o.Transport == nil {
		o.Transport = transport()
	}

	p := &Proxy{o: o, attached: attached, cache: cache{max: l.Conversations, maxBytes: l.Text}, answers: answers{max: maxAnswers}, beginnings: beginnings{least: minBegun},
		questions: questions{
			put:    recent[*open]{max: maxQuestions, maxWeight: maxQuestionWeight},
			places: recent[*open]{max: maxQuestions, maxWeight: maxQuestionWeight},
		}, made: made{turns: recent[*madeIn]{max: maxMadeTurns, maxWeight: maxMadeWeight}}, echoes: newEchoes()}
	p.monitors = monitors{o: &p.o, file: o.Contract}
	// Nobody follows redirects: see redirect.
	p.client = &http.Client{Transport: o.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

	p.relay = &httputil.ReverseProxy{
		Transport:     o.Transport,
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(o.Upstream)
			forget(r.Out.Header)
		},
		ModifyResponse: p.staysHere,
		ErrorHandler:   p.relayFailed,
		ErrorLog:       slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug),
	}

	return p, nil
}

// staysHere refuses a relayed answer that leads the client elsewhere.
func (p *Proxy) staysHere(resp *http.Response) error {
	away := p.redirect(resp)
	if away != nil && p.o.Shadow {
		p.o.Log.Warn("an answer would have been refused", "error", away)
		return nil
	}
	return away
}

// relayFailed answers a request that could not be relayed.
func (p *Proxy) relayFailed(w http.ResponseWriter, r *http.Request, err error) {
	if e := (*errRedirect)(nil); errors.As(err, &e) {
		p.o.Log.Error("a request failed", "path", r.URL.Path, "error", err)
		answerError(w, chat{}, http.StatusBadGateway, err.Error())
		return
	}
	p.o.Log.Debug("a request could not be relayed", "path", r.URL.Path, "error", err)
	w.WriteHeader(http.StatusBadGateway)
}

// webAddress reports whether an address is http or https with a host.
func webAddress(u *url.URL) bool {
	return u != nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// versioned matches addresses that end with an API version.
var versioned = pattern.OnUse(`/v[0-9][a-z0-9]*/?$`)

func orDefault[T int | time.Duration](v, d T) T {
	if v <= 0 {
		return d
	}
	return v
}

func transport() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 256 // one upstream, many conversations
	return t
}

// forget removes the headers between the application and the proxy.
func forget(h http.Header) {
	h.Del(headerSession)
	h.Del(headerAttached)
}

// ServeHTTP implements [http.Handler].
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	check := p.o.Callers.Check
	if r.URL.Path == "/metrics" {
		check = p.o.Callers.CheckScrape
	}
	if err := check(r); err != nil {
		answerError(w, chat{}, http.StatusForbidden, err.Error()+": allow it with --host or --origin")
		return
	}
	if err := plain(r); err != nil && p.o.Shadow {
		p.o.Log.Warn("a request would have been refused", "method", r.Method, "path", r.URL.Path, "error", err)
		p.pass(w, r)
		return
	} else if err != nil {
		answerError(w, chat{}, http.StatusBadRequest, err.Error())
		return
	}

	if r.Method == http.MethodGet && (r.URL.Path == "/healthz" || r.URL.Path == "/readyz") {
		p.health(w, r)
		return
	}
	if r.Method == http.MethodGet && r.URL.Path == CanaryPath {
		p.canary(w, r)
		return
	}
	if r.Method == http.MethodGet && r.URL.Path == "/metrics" {
		p.o.Telemetry.ServePage(w, r)
		return
	}
	p.route(w, r)
}

// pass hands a request to the upstream undecided. The answer may begin before the relay has read
// the request to its end: without full duplex the server closes the request's body then, and the
// relay, which can't read on, breaks the answer off.
func (p *Proxy) pass(w http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(w).EnableFullDuplex() // what can't do it, as a recorder, closes no body
	p.relay.ServeHTTP(w, r)
}

func answerError(w http.ResponseWriter, d dialect, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(d.problem(status, message))
}

// Serve serves on a listener until ctx ends, and then waits for running requests.
func (p *Proxy) Serve(ctx context.Context, l net.Listener) error {
	s := door.Server{Handler: p, Log: p.o.Log, Grace: grace}
	return s.Serve(ctx, l)
}
