package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/explanation"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inquire"
	"github.com/remit-project/remit/internal/protocol"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/scope"
	"github.com/remit-project/remit/synth"
)

// request is one line of standard input. Which members a line may have
// depends on its type; see docs/reference/session.schema.json.
type request struct {
	Type       string          `json:"type"`
	Session    string          `json:"session"`
	Server     string          `json:"server"`
	Tools      json.RawMessage `json:"tools"`
	YAML       string          `json:"yaml"`
	Text       *string         `json:"text"`
	Name       string          `json:"name"`
	ID         string          `json:"id"`
	Tool       string          `json:"tool"`
	Arguments  json.RawMessage `json:"arguments"`
	Call       string          `json:"call"`
	For        string          `json:"for"`
	Content    *string         `json:"content"`
	Structured json.RawMessage `json:"structured"`
	Suspended  bool            `json:"suspended"`
	Failed     *bool           `json:"failed"`
	Scope      json.RawMessage `json:"scope"`
	Plan       json.RawMessage `json:"plan"`
	Delegated  scope.Delegated `json:"delegated"`
	Message    string          `json:"message"`
	Beside     string          `json:"beside"`
	Lookup     string          `json:"lookup"`
	Error      string          `json:"error"`
}

// answered is a decision as a line of standard output.
type answered struct {
	Type string `json:"type"`
	protocol.Answer
}

// acknowledged answers a line that needs no answer.
type acknowledged struct {
	Type string `json:"type"`
	Line int    `json:"line"`
}

// problem answers a line that was not understood or not accepted. It never
// allows anything: the call of such a line, if there was one, must not run.
type problem struct {
	Type    string `json:"type"`
	Line    int    `json:"line"`
	Session string `json:"session,omitempty"`
	Call    string `json:"call,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// dialogue is the state behind the lines.
type dialogue struct {
	engine   *engine
	ack      bool
	shared   tooling
	sessions map[string]*conversation
	// inquiries are what rules ask the other side to look up.
	inquiries *inquiries
}

// tooling is the tools and contracts with which sessions begin.
type tooling struct {
	tools     []*schema.Catalogue
	contracts []*contract.File
}

// conversation is one session, which begins with its first event.
type conversation struct {
	tooling
	session *ledger.Session
}

func newDialogue(e *engine, ack bool) *dialogue {
	return &dialogue{engine: e, ack: ack, shared: tooling{contracts: e.contracts}, sessions: map[string]*conversation{}, inquiries: newInquiries()}
}

// line answers one line; nil means that there is nothing to say.
func (p *dialogue) line(ctx context.Context, n int, data []byte) any {
	r, err := parseRequest(data)
	if err == nil {
		var answer any
		if answer, err = p.answer(ctx, r); err == nil {
			if answer == nil && p.ack {
				return &acknowledged{Type: "ok", Line: n}
			}
			return answer
		}
	}

	out := &problem{Type: "error", Line: n, Message: err.Error()}
	if r != nil {
		out.Session = r.Session
		if out.Call = r.Call; r.Type == "call" {
			out.Call = r.ID
		}
	}
	if advice, ok := hint.Of(err); ok {
		out.Hint = advice
	}
	return out
}

// members lists what each type of line must and may have beside "type" and
// "session".
var members = map[string]struct{ must, may []string }{
	"tools":         {must: []string{"server", "tools"}},
	"contracts":     {must: []string{"yaml"}},
	"system":        {must: []string{"text"}},
	"user":          {must: []string{"text"}},
	"attach":        {must: []string{"text"}, may: []string{"name"}},
	"assistant":     {must: []string{"text"}},
	"call":          {must: []string{"tool"}, may: []string{"id", "server", "arguments", "message", "beside"}},
	"confirm":       {must: []string{"call"}, may: []string{"for"}},
	"result":        {must: []string{"call"}, may: []string{"content", "structured", "suspended", "failed"}},
	"scope":         {may: []string{"scope"}},
	"delegations":   {},
	"delegate":      {must: []string{"plan", "delegated"}, may: []string{"text"}},
	"lookup_result": {must: []string{"lookup"}, may: []string{"content", "structured", "error"}},
	"end":           {},
}

// parseRequest reads a line. It returns what it could of the line with the
// error, for the answer to name the call.
func parseRequest(data []byte) (*request, error) {
	const form = "docs/reference/session.md describes every line"
	limits := strictjson.OutputLimits()
	limits.Size, limits.Depth = maxLine, limits.Depth+2
	if _, err := strictjson.Parse(data, limits); err != nil {
		return nil, hint.Wrap(err, form)
	}
	var r request
	if err := decodeStrict(data, &r); err != nil {
		return identified(data), hint.Wrap(err, form)
	}

	allowed, known := members[r.Type]
	if !known {
		return &r, hint.Wrap(fmt.Errorf("unknown type %q", r.Type), "write tools, contracts, system, user, scope, delegations, delegate, attach, assistant, call, confirm, result, lookup_result or end")
	}
	var have map[string]json.RawMessage
	if err := json.Unmarshal(data, &have); err != nil {
		return &r, hint.Wrap(err, form)
	}
	for _, name := range allowed.must {
		raw, ok := have[name]
		empty := string(raw) == `""` && name != "text"
		if !ok || empty || string(raw) == "null" {
			return &r, hint.Wrap(fmt.Errorf("a line of type %q needs %q", r.Type, name), form)
		}
	}

	for name := range have {
		if name != "type" && name != "session" && !slices.Contains(allowed.must, name) && !slices.Contains(allowed.may, name) {
			return &r, hint.Wrap(fmt.Errorf("a line of type %q has no %q", r.Type, name), form)
		}
	}
	return &r, nil
}

// identified reads the ids of a malformed line, so that the error names the call that an agent waits
// for.
func identified(data []byte) *request {
	return &request{
		Type: strictjson.GetText(data, "type"), Session: strictjson.GetText(data, "session"),
		ID: strictjson.GetText(data, "id"), Call: strictjson.GetText(data, "call"),
	}
}

// scoped answers a scope line: what the turn authorises, or why it has no scope.
type scoped struct {
	Type    string `json:"type"`
	Session string `json:"session,omitempty"`
	explanation.Turn
}

// answer carries one line out; nil means that there is nothing to say.
func (p *dialogue) answer(ctx context.Context, r *request) (any, error) {
	switch r.Type {
	case "scope":
		return p.scope(ctx, r)
	case "delegations":
		return p.delegations(ctx, r)
	case "lookup_result":
		return nil, p.inquiries.answer(r)
	}
	d, err := p.handle(ctx, r)
	if err != nil || d == nil {
		return nil, err
	}
	return &answered{Type: "decision", Answer: protocol.NewAnswer(d)}, nil
}

// scope puts the scope of a turn into force, or says which one it has. Where a planner
// is asked, that takes as long as the planner.
func (p *dialogue) scope(ctx context.Context, r *request) (any, error) {
	s, err := p.session(r.Session)
	if err != nil {
		return nil, err
	}
	given := remit.Event{Scope: r.Scope}
	if len(r.Scope) == 0 {
		if err := s.Plan(ctx); err != nil {
			return nil, err
		}
		last, err := s.LastScope(ctx)
		if err != nil {
			return nil, err
		}
		if last == nil {
			return &scoped{Type: "scope", Session: r.Session}, nil
		}
		given = *last
	} else if _, _, err := s.Scope(ctx, r.Scope); err != nil {
		return nil, err
	}

	turn, err := explanation.OfScope(ctx, s, &given)
	if err != nil {
		return nil, err
	}
	return &scoped{Type: "scope", Session: r.Session, Turn: *turn}, nil
}

// delegations answers with the sources that the turn delegates to, each with its plan, which
// takes as long as the planner.
func (p *dialogue) delegations(ctx context.Context, r *request) (any, error) {
	s, err := p.session(r.Session)
	if err != nil {
		return nil, err
	}
	list, err := explanation.OfDelegations(ctx, s)
	if err != nil {
		return nil, err
	}
	return &delegating{Type: "delegations", Session: r.Session, Delegations: list}, nil
}

// delegating answers a delegations line.
type delegating struct {
	Type        string                   `json:"type"`
	Session     string                   `json:"session,omitempty"`
	Delegations []explanation.Delegation `json:"delegations"`
}

// handle carries one line out. Only calls and confirmations have a decision.
func (p *dialogue) handle(ctx context.Context, r *request) (*remit.Decision, error) {
	switch r.Type {
	case "tools", "contracts":
		return nil, p.prepare(r)
	case "end":
		delete(p.sessions, r.Session)
		return nil, nil
	}

	s, err := p.session(r.Session)
	if err != nil {
		return nil, err
	}

	switch r.Type {
	case "system":
		return nil, s.System(ctx, *r.Text)
	case "user":
		err := s.User(ctx, *r.Text)
		if err == nil {
			s.PlanAhead(ctx)
		}
		return nil, err
	case "delegate":
		answer := ""
		if r.Text != nil {
			answer = *r.Text
		}
		return nil, s.Delegate(ctx, explanation.Agreed(r.Plan, r.Delegated), answer)
	case "attach":
		return nil, s.Attach(ctx, r.Name, *r.Text)
	case "assistant":
		return nil, s.Assistant(ctx, *r.Text)
	case "confirm":
		switch r.For {
		case "", "call":
			return s.ConfirmOnce(ctx, r.Call)
		case "session":
			return s.Confirm(ctx, r.Call)
		}
		return nil, hint.Wrap(fmt.Errorf("a confirmation can't be for %q", r.For), `write "for": "call", or "session" for the targets of later calls as well`)
	case "result":
		if r.Suspended && r.Content == nil && r.Structured == nil {
			return nil, s.Result(ctx, remit.Result{Call: r.Call, Suspended: true})
		}
		if r.Suspended {
			return nil, errors.New("a call that is suspended has returned nothing: leave content and structured out")
		}
		if r.Content == nil && r.Structured == nil {
			return nil, hint.Wrap(errors.New("the result is empty"), `write "content" with the text that the model sees, "structured", or both`)
		}
		result := remit.Result{Call: r.Call, Structured: r.Structured, Failed: r.Failed}
		if r.Content != nil {
			result.Content = *r.Content
		}
		return nil, s.Result(ctx, result)
	}

	return s.Decide(ctx, remit.Call{ID: r.ID, Server: r.Server, Tool: r.Tool, Arguments: protocol.Arguments(r.Arguments), Message: r.Message, Beside: r.Beside})
}

// prepare takes tools or contracts in, for one session or, when the line names
// none, for all that have not begun.
func (p *dialogue) prepare(r *request) error {
	to := &p.shared
	if r.Session != "" {
		c, err := p.conversation(r.Session)
		if err != nil {
			return err
		}
		if c.session != nil {
			return hint.Wrap(fmt.Errorf("session %q has begun", r.Session), "send tools and contracts before a session's first event; after a change of tools begin a new session")
		}
		to = &c.tooling
	}

	if r.Type == "contracts" {
		f, err := contract.Load("yaml", []byte(r.YAML))
		if err != nil {
			return err
		}
		to.contracts = append(slices.DeleteFunc(slices.Clone(to.contracts), func(o *contract.File) bool { return o.Server == f.Server }), f)
		return nil
	}
	c, err := schema.Parse(r.Server, r.Tools)
	if err != nil {
		return err
	}

	// A name with a dot or a slash in it is a server's name here, not a file's.
	c.Server = r.Server
	to.tools = append(slices.DeleteFunc(slices.Clone(to.tools), func(o *schema.Catalogue) bool { return o.Server == c.Server }), c)
	return nil
}

// conversation finds or makes the state of a session that need not have begun.
func (p *dialogue) conversation(id string) (*conversation, error) {
	c := p.sessions[id]
	if c != nil {
		return c, nil
	}
	if len(p.sessions) >= maxSessions {
		return nil, hint.Wrap(fmt.Errorf("more than %d sessions are open", maxSessions), `end sessions with {"type":"end","session":"…"}`)
	}
	c = &conversation{tooling: tooling{tools: slices.Clone(p.shared.tools), contracts: slices.Clone(p.shared.contracts)}}
	p.sessions[id] = c
	return c, nil
}

// session begins a session with its first event. Servers without a contract
// file have their contracts made from their schemas.
func (p *dialogue) session(id string) (*ledger.Session, error) {
	c, err := p.conversation(id)
	if err != nil {
		return nil, err
	}
	if c.session != nil {
		return c.session, nil
	}
	o := p.engine.options
	o.Tools, o.Contracts = c.tools, c.contracts

	for _, t := range c.tools {
		if !slices.ContainsFunc(c.contracts, func(f *contract.File) bool { return f.Server == t.Server }) {
			o.Contracts = append(o.Contracts, synth.Contract(t))
		}
	}
	if id == "" {
		id = "default"
	}
	ask := inquire.Chain{&agentReader{p.inquiries, id}}
	if o.Reader != nil {
		ask = append(inquire.Chain{o.Reader}, ask...)
	}
	o.Reader = ask
	m, err := p.engine.guarded(o)
	if err != nil {
		return nil, err
	}
	c.session = ledger.Begin(m, id)
	return c.session, nil
}
