package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/explanation"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/trace"
)

type explainCommand struct {
	engineFlags
	scopesFlag
	Tools    []string `placeholder:"FILE" sep:"none" help:"Tool definitions to use instead of the recording's. Repeatable."`
	Session  string   `placeholder:"ID" help:"The session, when the recording has several."`
	Call     string   `placeholder:"ID" help:"The call to explain; without it, the first that is not allowed."`
	Decision string   `placeholder:"FILE" help:"Explain this recorded decision, as JSON, instead of deciding anew."`
	Recorded bool     `help:"Keep the results of calls that are not allowed, as if the monitor had only watched."`
	HTML     string   `name:"html" placeholder:"FILE" help:"Write a self-contained HTML page."`
	storeFlag
	File string `arg:"" optional:"" name:"trace" help:"The recording. Without it, --session and the store say what to explain: a decision as it fell."`
}

// Help is shown below the flags.
func (explainCommand) Help() string {
	return `Shows a call's arguments coloured by trust, and the places in the session where they came from.

Example:
  remit explain sessions.jsonl --session s12 --call call_3 --html why.html
  remit explain --session s12                # the last call that a door stopped in this session`
}

// Run explains one decision.
func (c *explainCommand) Run(ctx context.Context, s *command.Streams) error {
	if c.File == "" {
		return c.stored(ctx, s)
	}
	engine, err := c.engine()
	if err != nil {
		return err
	}
	given, err := c.given()
	if err != nil {
		return err
	}
	id := c.Session
	if given != nil {
		id = cmp.Or(id, given.Session)
	}

	recorded, err := readSession(c.File, id, "--session")
	if err != nil {
		return err
	}
	tools, err := toolsOf(c.Tools, recorded)
	if err != nil {
		return err
	}

	if recorded.Scoped() {
		engine.options.Scopes = c.Scopes
	}
	monitor, err := engine.monitor(tools, recorded.Time)
	if err != nil {
		return err
	}

	// With a recorded decision the session serves to look evidence up, and that may be in any
	// result of the recording.
	session, decisions, err := play(ctx, monitor, recorded, trace.Options{Recorded: c.Recorded || c.Decision != ""})
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}

	d := given
	if d == nil {
		if d, err = c.choose(recorded, decisions); err != nil {
			return err
		}
	}
	e, err := explanation.OfSession(ctx, session, d)
	if err != nil {
		return err
	}

	if c.HTML != "" {
		return writePage(s, c.HTML, e)
	}
	p := newPrinter(s)
	p.explanation(e)
	if !recorded.Scoped() {
		return nil
	}
	turn, err := explanation.OfScope(ctx, session, &remit.Event{Scope: recorded.ScopeOf(d.Call)})
	if err == nil {
		p.turn(turn)
	}
	return err
}

// given returns the decision that the command line names; nil without one.
func (c *explainCommand) given() (*remit.Decision, error) {
	switch {
	case c.Decision == "":
		return nil, nil
	case c.Call != "":
		return nil, command.UsageError(errors.New("--call and --decision both say what to explain: give one"))
	}
	return readDecision(c.Decision)
}

// choose returns the decision on the call of the command line, or on the first that
// was stopped.
func (c *explainCommand) choose(s *trace.Session, decisions []*remit.Decision) (*remit.Decision, error) {
	for _, d := range decisions {
		stopped := c.Call == "" && d.Verdict != remit.Allow
		if stopped || d.Call == c.Call {
			return d, nil
		}
	}
	if c.Call == "" {
		return nil, hint.Wrap(errors.New("every call of the session is allowed"), "say which to explain with --call ID")
	}
	return nil, hint.Wrap(fmt.Errorf("session %s has no call %q", display.Name(s.ID), c.Call), "remit replay --verbose "+c.File+" prints the ids")
}

// readDecision reads one decision. Any JSON object decodes into one, so what
// every decision has must be there.
func readDecision(name string) (*remit.Decision, error) {
	const form = "give one decision as remit check --json or a line of remit replay --json prints it"
	data, err := inputs.ReadAs(name, "a file with one decision (*.json)")
	if err != nil {
		return nil, err
	}
	var d remit.Decision
	if err := json.Unmarshal(data, &d); err != nil {
		return nil, hint.Wrap(fmt.Errorf("%s: %w", name, err), form)
	}
	switch d.Verdict {
	case remit.Allow, remit.Ask, remit.Deny:
	default:
		return nil, hint.Wrap(fmt.Errorf("%s: it is not a decision: the verdict is %q, not allow, ask or deny", name, d.Verdict), form)
	}
	if d.Tool == "" {
		return nil, hint.Wrap(fmt.Errorf("%s: it is not a decision: it names no tool", name), form)
	}
	return &d, nil
}

// writePage writes the HTML page, to the end or not at all unnoticed.
func writePage(s *command.Streams, name string, e *explanation.Explanation) (err error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) // it has what the agent read
	if err != nil {
		return err
	}
	defer closeFile(f, &err)
	if err := page(f, e); err != nil {
		return err
	}
	fmt.Fprintln(s.Err, "wrote "+name)
	return nil
}
