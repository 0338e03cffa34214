package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/trace"
	"github.com/remit-project/remit/scope"
)

type scopeCheckCommand struct {
	engineFlags
	plannerModel
	plannerRecordings
	Tools  []string   `placeholder:"FILE" sep:"none" help:"Tool definitions to use instead of those in the recordings. Repeatable."`
	Scopes string     `placeholder:"FILE" help:"The scopes of the user's turns: one line of JSON a session, {\"id\": …, \"turns\": [SCOPE, …]}, or one such object for a recording with one session."`
	Mode   scope.Mode `placeholder:"MODE" default:"bound" help:"What the scopes are for: off, grant or bound (bound)."`
	reviewedFlag
	Recorded bool     `help:"Keep the results of calls that are not allowed, as if the monitor had only watched."`
	JSON     bool     `help:"Print every decision as a line of JSON."`
	Files    []string `arg:"" name:"session" help:"Recordings: JSON or JSON Lines, plain or gzip; - for standard input."`
}

// Help is shown below the flags.
func (scopeCheckCommand) Help() string {
	return `Prints every decision with what the scope of its turn has to do with it: the entry that covers the call, and what lets
each value pass; or why no entry covers it.

Example:
  remit scope check --scopes scopes.jsonl sessions.jsonl
  remit scope check --planner openai:qwen3 --record plans sessions.jsonl`
}

// written plans by the scopes of a file.
type written struct{ turns []json.RawMessage }

// Plan implements [scope.Planner].
func (w *written) Plan(_ context.Context, r *scope.Request) (*scope.Plan, error) {
	if r.Turn > len(w.turns) || string(w.turns[r.Turn-1]) == "null" {
		return nil, fmt.Errorf("there is no scope for turn %d", r.Turn)
	}
	return &scope.Plan{Scope: w.turns[r.Turn-1]}, nil
}

// Run decides every call, and prints what the scopes say.
func (c *scopeCheckCommand) Run(ctx context.Context, s *command.Streams) error {
	engine, err := c.engine()
	if err != nil {
		return err
	}
	of, err := c.plannerOf()
	if err != nil {
		return err
	}
	engine.options.Scopes, engine.options.Reviewed, engine.options.PlanTime = c.Mode, c.Reviewed, c.PlannerTimeout
	progress := newProgress(s, c.Files)
	defer progress.clear()

	for _, name := range c.Files {
		err := eachRecorded(s, progress, name, func(recorded *trace.Session) error {
			engine.options.Planner = of(recorded.ID)
			m, err := newMonitors(engine, c.Tools).of(recorded)
			if err != nil {
				return err
			}
			return c.session(ctx, s, m, recorded)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// session decides the calls of one session.
func (c *scopeCheckCommand) session(ctx context.Context, s *command.Streams, m *remit.Monitor, recorded *trace.Session) error {
	p := newPrinter(s)
	if !c.JSON {
		p.line(0, p.Dim("session "+display.Name(recorded.ID)))
	}
	var failed error
	each := func(d *remit.Decision) {
		switch {
		case failed != nil:
		case c.JSON:
			failed = writeJSON(s.Out, d)
		default:
			p.scoped(d)
		}
	}
	if _, err := trace.Replay(ctx, m, recorded, trace.Options{Recorded: c.Recorded, Each: each}); err != nil {
		return err
	}
	return failed
}

// scoped writes a decision with what a scope has to do with it.
func (p *printer) scoped(d *remit.Decision) {
	p.headline(0, d)
	p.arguments(2, d)
	for i := range d.Findings {
		f := &d.Findings[i]
		for _, c := range f.Certificates {
			if c.Procedure == remit.ScopeProcedure {
				p.para(2, p.Good("scope: "), display.OneLine(c.Basis))
			}
		}
	}
	p.reasons(2, d)
}

// plannerOf returns the planner of a session: the file's scopes, or the model.
func (c *scopeCheckCommand) plannerOf() (func(session string) scope.Planner, error) {
	model, err := c.planner(&c.plannerRecordings)
	switch {
	case err != nil:
		return nil, err
	case model != nil && c.Scopes != "":
		return nil, command.UsageError(errors.New("--planner and --scopes both say where scopes come from: give one"))
	case model != nil:
		return func(string) scope.Planner { return model }, nil
	case c.Scopes == "":
		return nil, command.UsageError(hint.Wrap(errors.New("there are no scopes to check with"), "give a file with --scopes FILE, or a model with --planner MODEL"))
	}

	written, err := readScopes(c.Scopes)
	if err != nil {
		return nil, err
	}
	return func(session string) scope.Planner {
		if w, ok := written[session]; ok {
			return w
		}
		return written[""]
	}, nil
}

// readScopes reads a file of scopes, by session. An entry without an id is for every
// session that has none.
func readScopes(name string) (map[string]*written, error) {
	data, err := inputs.ReadAs(name, "a file of scopes (*.json, *.jsonl)")
	if err != nil {
		return nil, err
	}
	out := map[string]*written{"": {}}
	lines := json.NewDecoder(bytes.NewReader(data))
	lines.DisallowUnknownFields()

	for n := 1; ; n++ {
		var entry struct {
			ID    string            `json:"id"`
			Turns []json.RawMessage `json:"turns"`
		}
		err := lines.Decode(&entry)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, hint.Wrap(fmt.Errorf("%s: entry %d: %w", name, n, err), `write {"id": …, "turns": [SCOPE, …]} for each session`)
		}
		out[entry.ID] = &written{entry.Turns}
	}
}
