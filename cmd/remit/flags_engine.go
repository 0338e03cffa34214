package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/trace"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// engineFlags are the flags of every command that decides calls.
type engineFlags struct {
	Contracts  string `placeholder:"DIR" help:"Contract files (*.yaml). Without them contracts are made from the tools' schemas."`
	Policies   string `placeholder:"DIR" help:"Guard files (*.yaml): the company's policies for calls."`
	Precision  string `placeholder:"L0|L1|L2|L3" help:"How finely calls are checked where a contract doesn't say (L3)."`
	Sinks      string `placeholder:"MODE" help:"Addresses of external origin in outward calls: off, ask or deny (ask)."`
	Unprovoked string `placeholder:"MODE" help:"Calls with an effect that the user did not ask for: off, ask or deny (ask)."`
	Mentions   string `placeholder:"MODE" help:"Values that the user mentioned without asking for what a call does: off or ask (ask)."`
	Now        string `placeholder:"TIME" help:"What \"today\" means, as 2026-03-31T09:00:00Z. A recording's own time comes before it."`
}

// engine is what the engine flags result in.
type engine struct {
	// contracts are the files of --contracts; nil when the flag was not given.
	contracts []*contract.File
	// guards are the files of --policies.
	guards []*guard.File
	// open is set where each session brings its own tools. A guard for a tool that a session lacks
	// is then not a mistake.
	open    bool
	options remit.Options
}

func (f engineFlags) engine() (*engine, error) {
	e := &engine{}
	if f.Precision != "" {
		if err := e.options.Precision.UnmarshalText([]byte(strings.ToUpper(f.Precision))); err != nil {
			return nil, command.UsageError(fmt.Errorf("--precision: %w", err))
		}
	}

	for _, m := range []struct {
		flag, value string
		to          *contract.Mode
	}{{"--sinks", f.Sinks, &e.options.Sinks}, {"--unprovoked", f.Unprovoked, &e.options.Unprovoked}, {"--mentions", f.Mentions, &e.options.Mentions}} {
		if m.value == "" {
			continue
		}
		if err := m.to.UnmarshalText([]byte(m.value)); err != nil {
			return nil, command.UsageError(fmt.Errorf("%s: %w", m.flag, err))
		}
	}

	if f.Now != "" {
		now, err := time.Parse(time.RFC3339, f.Now)
		if err != nil {
			return nil, command.UsageError(fmt.Errorf("--now: %q is not a time: write it as 2026-03-31T09:00:00Z", f.Now))
		}
		e.options.Now = func() time.Time { return now }
	}
	if f.Policies != "" {
		var err error
		if e.guards, err = inputs.Guards(f.Policies); err != nil {
			return nil, err
		}
	}

	if f.Contracts == "" {
		return e, nil
	}
	files, err := inputs.Contracts(f.Contracts)
	e.contracts = files
	return e, err
}

// monitor makes a monitor for sessions that use the given tools. Tools that a
// contract file covers are held to it; when there are contract files, a tool
// in none of them stays unknown, and when there are none at all, contracts are
// made from the schemas. The time is the session's own; zero when unknown.
func (e *engine) monitor(tools []*schema.Catalogue, at time.Time) (*remit.Monitor, error) {
	o := e.options
	if !at.IsZero() {
		o.Now = func() time.Time { return at }
	}
	if e.contracts == nil {
		for _, c := range tools {
			o.Contracts = append(o.Contracts, synth.Contract(c))
		}
		o.Tools = tools
		return e.guarded(o)
	}
	o.Contracts = e.contracts
	for _, c := range tools {
		o.Tools = append(o.Tools, inputs.Assign(c, e.contracts)...)
	}
	return e.guarded(o)
}

// guarded makes the monitor with the guards, which know its tools. A guard for a
// tool that doesn't exist is a mistake, unless sessions bring their own tools.
func (e *engine) guarded(o remit.Options) (*remit.Monitor, error) {
	if e.guards == nil {
		return remit.New(o)
	}
	var err error
	o.Guards, err = guard.Compile(e.guards, guard.Deployment{Tools: o.Tools, Contracts: o.Contracts})
	var mistakes guard.Errors
	if errors.As(err, &mistakes) && e.open {
		mistakes = slices.DeleteFunc(mistakes, func(m *guard.Error) bool { return errors.Is(m, guard.ErrNoTool) })
		if err = nil; len(mistakes) > 0 {
			err = mistakes
		}
	}
	if err != nil {
		return nil, err
	}
	return remit.New(o)
}

// toolsOf reads the tool definitions of the named files, or else those that a recorded session
// lists.
func toolsOf(named []string, s *trace.Session) ([]*schema.Catalogue, error) {
	if len(named) > 0 {
		return inputs.Tools(named)
	}
	if s.Tools == nil {
		return nil, nil
	}
	c, err := schema.Parse("tools", s.Tools)
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", display.Name(s.ID), err)
	}
	return []*schema.Catalogue{c}, nil
}

// play feeds a recorded session to a new session of a monitor. Rules look things up in the
// recording.
func play(ctx context.Context, m *remit.Monitor, s *trace.Session, o trace.Options) (*ledger.Session, []*remit.Decision, error) {
	o.Results = trace.NewResults()
	session := ledger.Begin(m.With(o.Results, nil), s.ID)
	decisions, err := trace.Feed(ctx, session, s, o)
	return session, decisions, err
}

// aRecording is what a recording is called in advice.
const aRecording = "a recording (*.json, *.jsonl)"

// readSession reads the one session of a recording that is meant: the named
// one, or the only one. The flag is the one that names it.
func readSession(name, id, flag string) (*trace.Session, error) {
	f, err := inputs.Open(name, aRecording)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var found *trace.Session

	n := 0
	for s, err := range trace.Read(f) {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		n++
		if id == "" || s.ID == id {
			if found != nil && id != "" {
				return nil, fmt.Errorf("%s: two sessions are called %q", name, id)
			}
			found = s
		}
	}

	switch {
	case n > 1 && id == "":
		return nil, command.UsageError(hint.Wrap(fmt.Errorf("%s: there are %d sessions in this file", name, n), "say which with "+flag+" ID"))
	case found == nil && id != "":
		return nil, hint.Wrap(fmt.Errorf("%s: no session is called %q", name, id), "remit replay --json FILE prints the ids")
	case found == nil:
		return nil, noSession(name)
	}

	return found, nil
}

func noSession(name string) error {
	return hint.Wrap(fmt.Errorf("%s: there is no session in this file", name), "a recording has one JSON document a session: docs/reference/traces.md")
}
