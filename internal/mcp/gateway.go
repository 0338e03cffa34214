package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/mcp/upstream"
	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/internal/pack"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/internal/telemetry"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/store"
)

// Mode says what a decision does.
type Mode string

// The modes. The zero value enforces.
const (
	// Enforce stops what was not allowed.
	Enforce Mode = "enforce"
	// Shadow decides and records, and lets everything through.
	Shadow Mode = "shadow"
)

// Server is one server behind the gateway.
type Server struct {
	// Name is the one that contracts call it by.
	Name string
	// Connect links to it, once for each conversation.
	Connect func(to upstream.Receiver) (upstream.Link, error)
	// Contract is what its tools are held to. When nil, contracts are made from
	// the tools' schemas.
	Contract *contract.File
	// Packs are reviewed contracts that the deployment selected for the server. Contracts
	// that are made here take what they have.
	Packs pack.Set
	// Directories are places that the deployment gave to the server, as in its
	// command. Contracts that are made here let it read below them; see
	// [synth.Below].
	Directories []string
	// Mode is for its tools, Modes for single ones.
	Mode  Mode
	Modes map[string]Mode
	// Timeout bounds one request; [DefaultTimeout] when zero.
	Timeout time.Duration
	// Check says why the server can't be there, as when its program is missing; nil where that
	// can't be told.
	Check func() error
}

// Limits bound what clients and servers may cost. Zero values mean the
// defaults.
type Limits struct {
	// Message is the longest message in bytes, Depth its deepest nesting.
	Message, Depth int
	// Requests is how many requests of one conversation are in flight at once.
	Requests int
	// Conversations is how many clients are connected at once. One principal has at most half of
	// them; callers without a name share all.
	Conversations int
	// Calls is how many tools/call of one principal are taken in a minute; any number when
	// zero. Callers without a name share one rate.
	Calls int
	// Approval is how long a person has to answer.
	Approval time.Duration
	// Together bounds the calls of one question, and Gather is how long the first of them
	// waits for others.
	Together int
	Gather   time.Duration
	// Greeting is how long, from the beginning of a handshake, lists wait for servers that have
	// not answered it.
	Greeting time.Duration
}

// The default limits.
const (
	// DefaultTimeout is that of one request: builds and crawls take minutes.
	DefaultTimeout = 10 * time.Minute
	// DefaultApproval is how long a question waits for a person.
	DefaultApproval = 5 * time.Minute
	// DefaultGather is longer than a client takes to make the calls of one answer of its
	// model, and nothing to a person.
	DefaultGather = 100 * time.Millisecond
	// DefaultGreeting is what a slow interpreter takes to start, and less than clients wait
	// for a list. Many ask for it once, and never again.
	DefaultGreeting = 20 * time.Second
	// DefaultRequests is more than agents have in flight, by a factor of ten.
	DefaultRequests = 128
	// DefaultConversations bounds child processes: every client has its own.
	DefaultConversations = 256
	// helloTime is how long a server may take to shake hands where others wait
	// for it: clients give up after a minute.
	helloTime = 40 * time.Second
	// listTime is how long a server may take to list its tools.
	listTime = 20 * time.Second
	// recordTime is how long the store may take to record a result.
	recordTime = 30 * time.Second
)

// Options configure a [Gateway].
type Options struct {
	Servers []Server
	// Ledger keeps the sessions; one in memory when nil.
	Ledger *ledger.Ledger
	// Approver answers questions that the client doesn't; none when nil.
	Approver ledger.Approver
	// Queue keeps the questions that clients come back to with the answer; the
	// process's memory when nil. It must be of the ledger's store.
	Queue *ledger.Queue
	// Always writes down a call that a person allowed for always, as [Approval]
	// has it. When nil, and after an error, the yes is for the session.
	Always func(ctx context.Context, d *remit.Decision, by string) error
	// Notify is told of questions that begin to wait for a person, with all calls of each, in
	// a goroutine of its own; not called when nil.
	Notify func(ctx context.Context, held ...*remit.Decision)
	// Elicit allows questions to go to the person by way of the client. A
	// client can answer them by itself: leave it off where that matters.
	Elicit bool
	// Monitor sets the precision, the modes of the global rules, and the planner of
	// scopes. Reviewed counts where contract files were made for the servers' present
	// definitions and have no marks.
	Monitor remit.Options
	// Policies are the company's policies for calls. What they look up goes over the
	// conversation's own connections.
	Policies []*guard.File
	// Judge answers what the rules ask of the conversation; without it, those that
	// ask fail.
	Judge guard.Judge
	// Weigh weighs what a model reads against contracts that were made for a server without any, except for the
	// definitions of the given fingerprints, which people reviewed; nil leaves them as they are.
	Weigh func(c *schema.Catalogue, made *contract.File, reviewed []string) *contract.File
	// Synthesized is told of contracts that were made because a server had
	// none, before anything is decided by them. An error fences the server off.
	Synthesized func(*contract.File) error
	// InForce is told of contracts that come into force while the gateway runs,
	// because a server had none or has new tools, before anything is decided by
	// them. An error keeps them out.
	InForce func(*contract.File) error
	// Listed is told of the definitions that a server shows, by their names, after its
	// contract is in force; not called when nil. The texts are the server's own.
	Listed func(c *schema.Catalogue, texts map[string]json.RawMessage)
	// Namespace puts the server's name before all names of tools and prompts,
	// not only before those that two servers share. It has no effect with one
	// server.
	Namespace bool
	Limits    Limits
	// Log takes structured logs; they are discarded when nil.
	Log *slog.Logger
	// Telemetry takes traces and metrics; none when nil.
	Telemetry *telemetry.Recorder
	// Version is what the gateway says about itself where it answers for
	// several servers.
	Version string
}

// Gateway relays between clients and servers, and decides.
type Gateway struct {
	o         Options
	servers   []*server
	log       *slog.Logger
	questions questions
	kept      kept
	rates     *access.Rates

	mu sync.Mutex
	// trouble is why a step could last not be recorded; nil since one was.
	trouble       error
	conversations map[*conversation]bool
	monitors      map[string]*remit.Monitor
	unusable      bool // rules of the latest monitor can't be used
	closed        bool
}

// New makes a gateway. It starts nothing.
func New(o Options) (*Gateway, error) {
	if len(o.Servers) == 0 {
		return nil, errors.New("there is no server behind the gateway")
	}

	if o.Ledger == nil {
		o.Ledger = ledger.New(&store.Memory{}, ledger.Options{})
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}

	l := &o.Limits
	d := wire.DefaultLimits()
	l.Message = orDefault(l.Message, d.Size)
	l.Depth = orDefault(l.Depth, d.Depth)
	l.Requests = orDefault(l.Requests, DefaultRequests)
	l.Conversations = orDefault(l.Conversations, DefaultConversations)
	l.Approval, l.Gather = orDefault(l.Approval, DefaultApproval), orDefault(l.Gather, DefaultGather)
	l.Greeting = orDefault(l.Greeting, DefaultGreeting)
	l.Together = min(orDefault(l.Together, store.MaxAsked), store.MaxAsked)
	g := &Gateway{o: o, log: o.Log, rates: access.NewRates(l.Calls), questions: &waiting{life: l.Approval}, conversations: map[*conversation]bool{}, monitors: map[string]*remit.Monitor{}}
	if o.Queue != nil {
		g.questions = queued{o.Queue}
	}

	seen := map[string]bool{}
	for _, s := range o.Servers {
		if s.Name == "" || seen[s.Name] {
			return nil, fmt.Errorf("the server name %q is empty or used twice: give every server a name of its own", s.Name)
		}
		seen[s.Name] = true
		if s.Contract != nil && s.Contract.Server != s.Name {
			return nil, fmt.Errorf("the contract file of server %q is for %q: name them alike", s.Name, s.Contract.Server)
		}
		s.Timeout = orDefault(s.Timeout, DefaultTimeout)
		g.servers = append(g.servers, &server{Server: s, given: s.Contract != nil, file: s.Contract, log: g.log.With("server", s.Name), flagged: map[string]bool{}})
	}

	// The contracts that are there already must make a monitor.
	if _, err := g.monitor(make([]*schema.Catalogue, len(g.servers))); err != nil {
		return nil, err
	}
	return g, nil
}

func orDefault[T int | time.Duration](v, d T) T {
	if v <= 0 {
		return d
	}
	return v
}

func (g *Gateway) limits() strictjson.Limits {
	return strictjson.Limits{Size: g.o.Limits.Message, Depth: g.o.Limits.Depth, Leaves: wire.DefaultLimits().Leaves}
}

// maxMonitors is how many sets of tools have a monitor at once. There is one as
// long as all conversations are shown the same tools.
const maxMonitors = 64

// monitor returns the monitor for the tools that a conversation was shown, one
// catalogue for each server, nil where it has not listed any.
func (g *Gateway) monitor(catalogues []*schema.Catalogue) (*remit.Monitor, error) {
	o := g.o.Monitor
	o.UnseenUser, o.Confirm = true, nil
	o.Contracts, o.Tools, o.ReviewedDefinitions = nil, nil, nil

	var key strings.Builder
	for i, s := range g.servers {
		file := s.contract()
		if file == nil {
			continue
		}
		o.Contracts = append(o.Contracts, file)
		c := s.offered(catalogues[i])
		o.Reviewed = o.Reviewed && reviewed(file, c)
		fmt.Fprintf(&key, "%d %p ", i, file)
		if c != nil {
			o.Tools = append(o.Tools, c)
			o.ReviewedDefinitions = append(o.ReviewedDefinitions, s.Packs.Reviewed(c)...)
			key.WriteString(c.Fingerprint())
		}
		key.WriteByte('\n')
	}

	g.mu.Lock()
	defer g.mu.Unlock()

	if m := g.monitors[key.String()]; m != nil {
		return m, nil
	}
	if err := g.guards(&o); err != nil {
		return nil, err
	}

	m, err := remit.New(o)
	if err != nil {
		return nil, err
	}
	if len(g.monitors) >= maxMonitors {
		clear(g.monitors) // they are made again, and sessions restored by them
	}
	g.monitors[key.String()] = m
	return m, nil
}

// reviewed reports whether a person can have reviewed all definitions of a server: the
// contract was made for them and has no marks.
func reviewed(file *contract.File, c *schema.Catalogue) bool {
	if c == nil {
		return true // the model sees none
	}
	return !slices.ContainsFunc(c.Tools, func(t schema.Tool) bool {
		known, ok := file.Tool(t.Name)
		return !ok || known.Fingerprint != t.Fingerprint || known.Review != ""
	})
}

// Approve lets a call of a server's through for always, from the next one on, in
// every conversation. It writes no file.
func (g *Gateway) Approve(name string, a contract.Approval) error {
	i := slices.IndexFunc(g.servers, func(s *server) bool { return s.Name == name })
	if i < 0 {
		return fmt.Errorf("there is no server %q", name)
	}
	return g.servers[i].approve(a)
}

// Reload puts another contract of a server in force, for all conversations, from the
// next call on.
func (g *Gateway) Reload(name string, file *contract.File) error {
	i := slices.IndexFunc(g.servers, func(s *server) bool { return s.Name == name })
	if i < 0 || file.Server != name {
		return fmt.Errorf("the contract is for %q, and not for the server %q", file.Server, name)
	}
	s := g.servers[i]
	was := s.replace(file)
	if _, err := g.monitor(make([]*schema.Catalogue, len(g.servers))); err != nil {
		s.replace(was)
		return err
	}
	if g.o.InForce != nil {
		return g.o.InForce(file)
	}
	return nil
}

// recorded takes note of whether a step could be recorded, and logs where that
// changes.
func (g *Gateway) recorded(err error) {
	if errors.Is(err, context.Canceled) {
		return // the caller has gone
	}
	g.mu.Lock()
	was := g.trouble
	g.trouble = err
	g.mu.Unlock()
	switch {
	case err != nil:
		g.log.Error("a step could not be recorded, and so nothing was done by it", "error", err)
	case was != nil:
		g.log.Info("steps can be recorded again")
	}
}

// mode returns what a decision on a tool does.
func (s *server) mode(tool string) Mode {
	if m := s.Modes[tool]; m != "" {
		return m
	}
	if s.Mode != "" {
		return s.Mode
	}
	return Enforce
}

// Close ends all conversations. Requests in flight may finish until the context
// ends.
func (g *Gateway) Close(ctx context.Context) error {
	g.mu.Lock()
	g.closed = true
	var all []*conversation
	for c := range g.conversations {
		all = append(all, c)
	}
	g.mu.Unlock()
	var work sync.WaitGroup
	errs := make([]error, len(all))
	for i, c := range all {
		work.Go(func() { errs[i] = c.close(ctx) })
	}
	work.Wait()
	return errors.Join(errs...)
}
