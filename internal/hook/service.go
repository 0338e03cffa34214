package hook

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/protocol"
	"github.com/remit-project/remit/internal/shell"
	"github.com/remit-project/remit/internal/telemetry"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/scope"
	"github.com/remit-project/remit/store"
)

// Service decides the calls of agents. It is safe for concurrent use.
type Service struct {
	ledger   *ledger.Ledger
	store    store.Logs
	programs *shell.Programs
	home     string
	now      func() time.Time
	log      *slog.Logger
	// Planner makes the planner of a model that settings name; nil where there can be
	// none. It is set before the first event.
	Planner func(model, url string) (scope.Planner, error)
	// Reader makes what policies look things up with, of a file that settings name, and
	// Judge the judge of a model; nil where there can be none. They are set before the first
	// event.
	Reader func(file string) (guard.Reader, error)
	Judge  func(model string) (guard.Judge, error)
	// Telemetry takes metrics; none when nil. It is set before the first event.
	Telemetry *telemetry.Recorder

	work     sync.WaitGroup // sessions that are being read
	mu       sync.Mutex
	policies map[Settings]*kept
	open     map[string][]*openCall // calls without a result yet, by session

	histories map[string]*history
}

// kept is a directory's policy with its version.
type kept struct {
	files, rules version
	policy       *policy
}

// openCall is a decided call without a result.
type openCall struct {
	agent, id string // id is the agent's own
	tool      string
	arguments string
	decision  *remit.Decision
	asked     bool
}

const (
	// maxOpen bounds the calls of a session that wait for their results: agents
	// run a handful at a time. Beyond it the oldest is forgotten, so that its
	// result counts as external.
	maxOpen = 256
	// maxSessions bounds the sessions with stored open calls.
	maxSessions = 4096
	// maxPolicies bounds the directories of contracts in use.
	maxPolicies = 64
)

// NewService returns a service over a store. home is the user's home directory.
func NewService(s store.Logs, home string, now func() time.Time, log *slog.Logger) (*Service, error) {
	programs, err := shell.Known()
	if err != nil {
		return nil, err
	}
	l := ledger.New(s, ledger.Options{})
	return &Service{ledger: l, store: s, histories: map[string]*history{}, programs: programs, home: home, now: now, log: log, policies: map[Settings]*kept{}, open: map[string][]*openCall{}}, nil
}

// policy returns the policy in force for a hook's settings.
func (s *Service) policy(settings Settings) (*policy, error) {
	files, err := list("contracts", settings.Contracts)
	if err != nil {
		return nil, err
	}
	rules, err := list("policies", settings.Policies)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.policies[settings]; k != nil && k.files.same(files) && k.rules.same(rules) {
		return k.policy, nil
	}

	o := remit.Options{Now: s.now}
	if err := s.equip(settings, &o); err != nil {
		return nil, err
	}
	p, err := load(settings, files, o, s.log)
	if err != nil {
		return nil, err
	}
	if len(s.policies) >= maxPolicies {
		clear(s.policies)
	}
	s.policies[settings] = &kept{files, rules, p}
	return p, nil
}

// equip adds who plans, looks things up and judges.
func (s *Service) equip(settings Settings, o *remit.Options) (err error) {
	if settings.Planner != "" {
		if s.Planner == nil {
			return errors.New("there is nobody to plan here: leave --planner out")
		}
		if o.Planner, err = s.Planner(settings.Planner, settings.PlannerURL); err != nil {
			return err
		}
	}

	if settings.Lookups != "" {
		if s.Reader == nil {
			return errors.New("nothing can be looked up here: leave --lookups out")
		}
		if o.Reader, err = s.Reader(settings.Lookups); err != nil {
			return err
		}
	}

	if settings.Judge != "" {
		if s.Judge == nil {
			return errors.New("there is no judge here: leave --judge out")
		}
		o.Judge, err = s.Judge(settings.Judge)
	}
	return err
}

// sessionID returns the store's session id for an agent's conversation. A gateway
// or a proxy that serves the same conversation shares the session by this id.
func sessionID(agent, session string) string {
	const most = 128
	plain := len(session) <= most && !strings.ContainsFunc(session, func(r rune) bool { return r <= ' ' || r > '~' })
	if !plain {
		sum := sha256.Sum256([]byte(session))
		session = "sha256-" + hex.EncodeToString(sum[:])
	}
	return agent + ":" + session
}

// Handle adds an event to its session and answers it. After an error the call must
// not run.
func (s *Service) Handle(ctx context.Context, settings Settings, e *Event) (Answer, error) {
	allow := Answer{Verdict: remit.Allow}
	a, err := Find(e.Agent)
	if err != nil {
		return Answer{}, err
	}
	if err := e.check(); err != nil {
		return Answer{}, err
	}
	p, err := s.policy(settings)
	if err != nil {
		return Answer{}, err
	}

	if e.Kind == SessionEnd || e.Kind == Other {
		return allow, nil
	}
	opening := s.session(ctx, p.of(a.Name), sessionID(e.Agent, e.Session))
	if e.Kind == SessionStart {
		return allow, nil // it is read while the user thinks
	}

	var session *ledger.Session
	select {
	case o := <-opening:
		if session, err = o.session, o.err; err != nil {
			return Answer{}, err
		}
	case <-ctx.Done():
		return Answer{}, fmt.Errorf("the session is long and still being read: try again in a moment: %w", ctx.Err())
	}

	switch e.Kind {
	case Prompt:
		if e.Attached != "" {
			if err := session.Attach(ctx, "prompt", e.Attached); err != nil {
				return Answer{}, err
			}
		}
		if e.Beside != "" {
			if err := session.Attach(ctx, byEditor, e.Beside); err != nil {
				return Answer{}, err
			}
		}
		if err := session.User(ctx, e.Prompt); err != nil {
			return Answer{}, err
		}
		session.PlanAhead(ctx)
		return allow, nil
	case PreTool:
		return s.decide(ctx, p, a, session, e)
	default:
		return allow, s.record(ctx, session, e)
	}
}

// openTime bounds how long reading a session from the store may take. Reading
// continues after the hook that needed it has given up: the next hook finds the
// session open.
const openTime = time.Minute

// openedSession is the result of opening a session.
type openedSession struct {
	session *ledger.Session
	err     error
}

// session opens a session.
func (s *Service) session(ctx context.Context, m *remit.Monitor, id string) <-chan openedSession {
	out := make(chan openedSession, 1)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), openTime)
	s.work.Go(func() {
		defer cancel()
		session, err := s.ledger.Open(ctx, m, id)
		out <- openedSession{session, err}
	})
	return out
}

// Close waits until no session is being read. The store may be closed afterwards.
func (s *Service) Close() { s.work.Wait() }

func (s *Service) decide(ctx context.Context, p *policy, a *Agent, session *ledger.Session, e *Event) (Answer, error) {
	began := time.Now()
	server, tool, c := p.find(a, e.Call)
	call := remit.Call{ID: e.Call.ID, Server: server, Tool: tool, Arguments: e.Call.Arguments, Point: "hook"}
	if call.ID == "" || len(call.ID) > store.MaxID {
		call.ID = "hook-" + strings.ToLower(rand.Text())
	}
	why := ""
	if c != nil && c.Verb == "/"+reachName {
		h, err := s.history(ctx, p, session.ID())
		if err != nil {
			return Answer{}, err
		}
		seen, err := reach(c, e.Call.Arguments, newWorkspace(e, s.home), s.programs, h)
		if err != nil {
			return Answer{Verdict: remit.Deny, Reason: "Remit denies the call: " + err.Error()}, nil
		}
		call.Arguments, why = seen.arguments, seen.why
	}

	planned, err := s.await(ctx, p, session)
	if planned == nil {
		return Answer{Verdict: remit.Deny, Reason: stillPlanning}, err
	}
	d, err := planned.Decide(ctx, call)
	if err != nil {
		return Answer{}, err
	}

	answer := Answer{Verdict: d.Verdict}
	switch {
	case d.Verdict == remit.Allow:
	case c == nil:
		answer.Reason = unknown(a, e.Call)
	default:
		answer.Reason = signature + ": " + plainly(d).Explain()
		if why != "" {
			answer.Reason += "Why it is looked at: " + why + ".\n"
		}
	}

	if d.Verdict == remit.Ask && !e.Call.Asks {
		answer.Verdict = remit.Deny
		answer.Reason += "The question can't be put to the user from here. Don't look for another way: tell the user what you wanted to do, and ask them to write the command or the value in question in the conversation.\n"
	}
	s.note(session.ID(), &openCall{agent: e.Agent, id: e.Call.ID, tool: e.Call.Server + "\x00" + e.Call.Tool, arguments: compact(e.Call.Arguments),
		decision: d, asked: answer.Verdict == remit.Ask})
	took := time.Since(began)
	s.log.Info("decided", "session", session.ID(), "server", d.Server, "tool", d.Tool, "call", d.Call, "verdict", answer.Verdict, "reasons", protocol.ReasonCodes(d), "took", took)
	s.Telemetry.Decided(ctx, d, "enforce", took)
	return answer, nil
}

// plainly returns a decision whose reason about a doubt says the doubt, and not that an argument has
// it: nobody wrote that argument.
func plainly(d *remit.Decision) *remit.Decision {
	at := slices.IndexFunc(d.Reasons, func(r remit.Reason) bool { return r.Path == "/"+doubtName })
	finding := slices.IndexFunc(d.Findings, func(f remit.Finding) bool { return f.Path == "/"+doubtName })
	if at < 0 || finding < 0 {
		return d
	}
	out := *d
	out.Reasons = slices.Clone(d.Reasons)
	r := &out.Reasons[at]
	r.Path, r.Message, r.Remedies = "", d.Findings[finding].Value, []string{"have the user say that it is to be run, or confirm the call"}
	return &out
}

// planWait is how long a call waits for the plan of its turn, which began with the
// user's prompt. A hook has to answer soon.
const planWait = AnswerTime - 2*time.Second

// stillPlanning is what the model is told of a call that came before the plan.
const stillPlanning = signature + ": what the user's request authorises is still being worked out. Make the same call again.\n"

// await waits for the plan of the turn for a while, and returns the session to decide in. A
// call that comes before a plan that bounds has none, and is to be made again; one before
// a plan that only grants is decided without.
func (s *Service) await(ctx context.Context, p *policy, session *ledger.Session) (*ledger.Session, error) {
	wait, stop := context.WithTimeout(ctx, planWait)
	defer stop()
	err := session.Plan(wait)
	switch {
	case err == nil:
		return session, nil
	case wait.Err() == nil || ctx.Err() != nil:
		return nil, err
	case p.bound:
		return nil, nil
	}
	return session.Unplanned(), nil
}

// unknown returns the advice for a tool without a contract.
func unknown(a *Agent, c *Call) string {
	const most = 100
	name := c.Tool
	if len(name) > most {
		name = strings.ToValidUTF8(name[:most], "")
	}
	if c.MCP || c.Server != "" {
		return fmt.Sprintf("Remit denies the call: the MCP tool %q has no contract. The user can make one with remit contract update, and name its directory with remit hook install %s --contracts DIR. Where remit gateway is before the server, DIR is that of the gateway.\n", name, a.Name)
	}
	return fmt.Sprintf("Remit denies the call: the tool %q has no contract. The user can add it to the file that remit hook contracts %s prints, kept as %s.yaml in the directory of remit hook install --contracts DIR.\n", name, a.Name, a.Name)
}

// compact normalizes arguments, so that a result finds its call.
func compact(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	out, err := json.Marshal(v) // members are sorted
	if err != nil {
		return string(raw)
	}
	return string(out)
}

// note stores a call until its result comes.
func (s *Service) note(session string, o *openCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.open[session]; !ok && len(s.open) >= maxSessions {
		clear(s.open)
	}
	all := append(s.open[session], o)
	s.open[session] = all[max(0, len(all)-maxOpen):]
}

// take finds the call of a result: by its id, or else the latest with the same
// tool and arguments.
func (s *Service) take(session string, c *Call) *openCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.open[session]
	tool, arguments := c.Server+"\x00"+c.Tool, compact(c.Arguments)
	for i := len(all) - 1; i >= 0; i-- {
		o := all[i]
		if o.id == c.ID && o.tool == tool && o.arguments == arguments {
			if s.open[session] = append(all[:i:i], all[i+1:]...); len(s.open[session]) == 0 {
				delete(s.open, session)
			}
			return o
		}
	}
	return nil
}

// record adds a result to the session. If a call that was asked about has run,
// the user agreed: nothing else lets it run.
func (s *Service) record(ctx context.Context, session *ledger.Session, e *Event) error {
	r := remit.Result{Call: "unseen-" + strings.ToLower(rand.Text()), Content: e.Result.Text, Structured: e.Result.Structured}
	if e.Result.Failed {
		r.Failed = &e.Result.Failed // otherwise it may still say so in words
	}
	if o := s.take(session.ID(), e.Call); o != nil {
		r.Call = o.decision.Call
		if o.asked && !e.Result.Failed {
			if _, err := session.ConfirmAsked(ctx, o.decision, store.ForSession); err != nil && !errors.Is(err, remit.ErrUnknownCall) {
				return err
			}
		}
	}
	return session.Result(ctx, r)
}

// Home returns the user's home directory as workspaces resolve it.
func Home() string {
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return ""
	}
	return home
}
