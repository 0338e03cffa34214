package proxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/ledger"
)

// The headers by which an application speaks to the proxy. The upstream doesn't
// see them.
const (
	headerSession  = "Remit-Session"
	headerAttached = "Remit-Attached"
)

// Limits bound what clients and the upstream may cost. Zero values mean the
// defaults.
type Limits struct {
	// Request and Answer are the longest body in bytes.
	Request, Answer int
	// Conversations and Text are how many conversations are kept between
	// requests, and how much they may have read together, in bytes.
	Conversations, Text int
	// Idle is how long the upstream may be silent.
	Idle time.Duration
	// Approval is how long a person has to answer.
	Approval time.Duration
	// Quiet is how long a stream says nothing to the client.
	Quiet time.Duration
}

// The default limits.
const (
	// DefaultRequest holds the longest contexts that models have, pictures
	// included.
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
	// DefaultQuiet is less than load balancers wait: a minute, as a rule.
	DefaultQuiet = 15 * time.Second
	// DefaultRetries is how often a model is asked again after a denial. Models
	// that do not take the reason to heart at once seldom do later.
	DefaultRetries = 2
	// maxAnswers is how many answers are remembered as passed on: a hundred and
	// twenty-eight bytes each, and some for finding them.
	maxAnswers = 1 << 18
	// grace is how long requests may go on when the proxy ends.
	grace = 10 * time.Second
)

// Options configure a [Proxy].
type Options struct {
	// Upstream is where requests go; their paths are put behind its own.
	Upstream *url.URL
	// Name is the one that contracts call the tools' server by; "agent" when
	// empty.
	Name string
	// Contract is what the tools are held to. When nil, contracts are made from
	// the definitions in the requests.
	Contract *contract.File
	// Learned takes up contracts that were made of tools that the contracts don't
	// have, before anything is decided by them, and returns the contracts that
	// hold from then on. When nil, tools that a given contract doesn't have stay
	// unknown, and where none is given every set of tools has contracts of its own.
	Learned func(made *contract.File) (*contract.File, error)
	// Accept are tools whose definitions may change: contracts are made again of
	// those, and go to Learned. Calls of other tools that change are denied.
	Accept []string
	// Ledger keeps sessions; when nil they end with the process.
	Ledger *ledger.Ledger
	// Approver answers questions; when nil they stay unanswered.
	Approver ledger.Approver
	// Monitor has the precision and the modes of the global rules.
	Monitor remit.Options
	// Shadow decides and records, and lets everything pass.
	Shadow bool
	// Retries is how often a model is asked again after a denial, within one
	// request; [DefaultRetries] when zero, never when negative.
	Retries int
	// Attached declares containers of material that users and prompts pass on: the name of a
	// tag, or BEGIN...END.
	Attached []string
	// TextCalls lets conversations pass in which calls are text that a program
	// runs: they are not decided.
	TextCalls bool
	// Pass are further paths that go to the upstream undecided.
	Pass []string
	// Callers say by what names, and from which pages, the proxy is called.
	Callers access.Hosts
	Limits  Limits
	// Transport makes the requests; one like the default when nil.
	Transport http.RoundTripper
	// Log takes structured logs; they are discarded when nil.
	Log *slog.Logger
}

// Proxy decides the calls in the answers of language models. It is an
// [http.Handler].
type Proxy struct {
	o        Options
	attached containers
	client   *http.Client
	relay    *httputil.ReverseProxy
	monitors monitors
	cache    cache
	answers  answers
	echoes   *echoes
}

// New makes a proxy.
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
	if versioned.MatchString(o.Upstream.Path) {
		o.Log.Warn("the upstream's address ends in the version of an API, and the paths of requests are put behind it: leave the version out of one of the two", "upstream", o.Upstream.Path)
	}
	if o.Retries == 0 {
		o.Retries = DefaultRetries
	}
	if o.Transport == nil {
		o.Transport = transport()
	}

	p := &Proxy{o: o, attached: attached, cache: cache{max: l.Conversations, maxBytes: l.Text}, answers: answers{max: maxAnswers}, echoes: newEchoes()}
	p.monitors = monitors{o: &p.o, file: o.Contract}
	// Where an answer redirects to is for the client to know.
	p.client = &http.Client{Transport: o.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

	p.relay = &httputil.ReverseProxy{
		Transport:     o.Transport,
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(o.Upstream)
			forget(r.Out.Header)
		},
		ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug),
	}

	return p, nil
}

// webAddress reports whether an address is one of the web, with a host.
func webAddress(u *url.URL) bool {
	return u != nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// versioned is how addresses end that hold the version of an API.
var versioned = regexp.MustCompile(`/v[0-9][a-z0-9]*/?$`)

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

// forget takes out what is between the application and the proxy.
func forget(h http.Header) {
	h.Del(headerSession)
	h.Del(headerAttached)
}

// ServeHTTP implements [http.Handler].
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := p.o.Callers.Check(r); err != nil {
		answerError(w, chat{}, http.StatusForbidden, err.Error()+": allow it with --host or --origin")
		return
	}
	if err := plain(r); err != nil && p.o.Shadow {
		p.o.Log.Warn("a request would have been refused", "method", r.Method, "path", r.URL.Path, "error", err)
		p.relay.ServeHTTP(w, r)
		return
	} else if err != nil {
		answerError(w, chat{}, http.StatusBadRequest, err.Error())
		return
	}
	if r.Method == http.MethodGet && (r.URL.Path == "/healthz" || r.URL.Path == "/readyz") {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"status":"ok"}`+"\n")
		return
	}
	p.route(w, r)
}

func answerError(w http.ResponseWriter, d dialect, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(d.problem(status, message))
}

// Serve answers on a listener until the context ends, and then lets requests in
// flight end.
func (p *Proxy) Serve(ctx context.Context, l net.Listener) error {
	s := &http.Server{Handler: p, ReadHeaderTimeout: 30 * time.Second, IdleTimeout: 5 * time.Minute}
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		err := s.Shutdown(end)
		if err != nil {
			err = s.Close()
		}
		stopped <- err
	})
	err := s.Serve(l)
	if !stop() {
		return <-stopped
	}
	return err
}
