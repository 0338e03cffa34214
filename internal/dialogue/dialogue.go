// Package dialogue has the protocol by which agents in any language ask for decisions over two
// streams: lines of JSON tell what the model sees and propose calls, and each call is answered
// with a decision. docs/reference/session.md describes the lines.
package dialogue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/explanation"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inquire"
	"github.com/remit-project/remit/internal/protocol"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// The bounds of a dialogue. A line is bounded like a recorded session,
// sessions by what a program can mean to hold open at once.
const (
	maxLine     = 64 << 20
	maxSessions = 4096
)

// Options say by what sessions are decided.
type Options struct {
	// Session is what the monitor of a session begins with. Tools and contracts come with lines.
	Session remit.Options
	// Contracts are those that sessions begin with.
	Contracts []*contract.File
	// Monitor makes the monitor of a session.
	Monitor func(remit.Options) (*remit.Monitor, error)
	// Acknowledge has lines answered that need no answer.
	Acknowledge bool
}

// Run answers lines until the input ends. A line that is not understood is answered with an error
// and changes nothing; the lines after it are read.
func Run(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	dl := newDialogue(o)
	x := newExchange(ctx, in, out)
	for {
		i, ok, err := x.next(ctx)
		if err != nil || !ok {
			return err
		}

		var answer any
		switch {
		case errors.Is(i.err, errLongLine):
			answer = &problem{Type: "error", Line: i.n, Message: fmt.Sprintf("the line is longer than %d MiB", maxLine>>20)}
		case i.err != nil:
			return i.err
		default:
			if answer, err = x.carryOut(ctx, dl, i); err != nil {
				return err
			}
		}
		if answer == nil {
			continue
		}
		if err := x.write(answer); err != nil {
			return err
		}
	}
}

// dialogue is the state behind the lines.
type dialogue struct {
	options  Options
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

func newDialogue(o Options) *dialogue {
	return &dialogue{options: o, shared: tooling{contracts: o.Contracts}, sessions: map[string]*conversation{}, inquiries: newInquiries()}
}

// line answers one line; nil means that there is nothing to say.
func (dl *dialogue) line(ctx context.Context, n int, data []byte) any {
	r, err := parseRequest(data)
	if err == nil {
		var answer any
		if answer, err = dl.answer(ctx, r); err == nil {
			if answer == nil && dl.options.Acknowledge {
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

// answer carries one line out; nil means that there is nothing to say.
func (dl *dialogue) answer(ctx context.Context, r *request) (any, error) {
	switch r.Type {
	case "scope":
		return dl.scope(ctx, r)
	case "delegations":
		return dl.delegations(ctx, r)
	case "lookup_result":
		return nil, dl.inquiries.answer(r)
	}
	d, err := dl.handle(ctx, r)
	if err != nil || d == nil {
		return nil, err
	}
	return &answered{Type: "decision", Answer: protocol.NewAnswer(d)}, nil
}

// scope puts the scope of a turn into force, or says which one it has. Where a planner
// is asked, that takes as long as the planner.
func (dl *dialogue) scope(ctx context.Context, r *request) (any, error) {
	s, err := dl.session(r.Session)
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
func (dl *dialogue) delegations(ctx context.Context, r *request) (any, error) {
	s, err := dl.session(r.Session)
	if err != nil {
		return nil, err
	}
	list, err := explanation.OfDelegations(ctx, s)
	if err != nil {
		return nil, err
	}
	return &delegating{Type: "delegations", Session: r.Session, Delegations: list}, nil
}

// handle carries one line out. Only calls and confirmations have a decision.
func (dl *dialogue) handle(ctx context.Context, r *request) (*remit.Decision, error) {
	switch r.Type {
	case "tools", "contracts":
		return nil, dl.prepare(r)
	case "end":
		delete(dl.sessions, named(r.Session))
		return nil, nil
	}

	s, err := dl.session(r.Session)
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
func (dl *dialogue) prepare(r *request) error {
	to := &dl.shared
	if r.Session != "" {
		c, err := dl.conversation(r.Session)
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

// named returns the id of the session that a line belongs to.
func named(session string) string { return cmp.Or(session, "default") }

// conversation finds or makes the state of a session that need not have begun.
func (dl *dialogue) conversation(id string) (*conversation, error) {
	id = named(id)
	c := dl.sessions[id]
	if c != nil {
		return c, nil
	}
	if len(dl.sessions) >= maxSessions {
		return nil, hint.Wrap(fmt.Errorf("more than %d sessions are open", maxSessions), `end sessions with {"type":"end","session":"…"}`)
	}
	c = &conversation{tooling: tooling{tools: slices.Clone(dl.shared.tools), contracts: slices.Clone(dl.shared.contracts)}}
	dl.sessions[id] = c
	return c, nil
}

// session begins a session with its first event. Servers without a contract
// file have their contracts made from their schemas.
func (dl *dialogue) session(id string) (*ledger.Session, error) {
	c, err := dl.conversation(id)
	if err != nil {
		return nil, err
	}
	if c.session != nil {
		return c.session, nil
	}
	o := dl.options.Session
	o.Tools, o.Contracts = c.tools, c.contracts

	for _, t := range c.tools {
		if !slices.ContainsFunc(c.contracts, func(f *contract.File) bool { return f.Server == t.Server }) {
			o.Contracts = append(o.Contracts, synth.Contract(t))
		}
	}
	id = named(id)
	ask := inquire.Chain{&agentReader{dl.inquiries, id}}
	if o.Reader != nil {
		ask = append(inquire.Chain{o.Reader}, ask...)
	}
	o.Reader = ask
	m, err := dl.options.Monitor(o)
	if err != nil {
		return nil, err
	}
	c.session = ledger.Begin(m, id)
	return c.session, nil
}
