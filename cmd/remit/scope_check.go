package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/strictyaml"
	"github.com/remit-project/remit/internal/trace"
	"github.com/remit-project/remit/ledger"
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

// written plans by the scopes of a file, and remembers that it was asked.
type written struct {
	turns []json.RawMessage
	used  bool
}

// Plan implements [scope.Planner].
func (w *written) Plan(_ context.Context, r *scope.Request) (*scope.Plan, error) {
	if r.Turn > len(w.turns) || string(w.turns[r.Turn-1]) == "null" {
		return nil, fmt.Errorf("there is no scope for turn %d", r.Turn)
	}
	return &scope.Plan{Scope: w.turns[r.Turn-1]}, nil
}

// faults says what of the scopes grants nothing in a session, or doesn't count as it is written.
func (w *written) faults(ctx context.Context, s *ledger.Session) ([]string, error) {
	var out []string
	for i, turn := range w.turns {
		if string(turn) == "null" {
			continue
		}
		place := fmt.Sprintf("session %s, turn %d", display.Name(s.ID()), i+1)
		parsed, refused, err := s.CheckScope(ctx, turn)
		switch {
		case errors.Is(err, remit.ErrNoTurn):
			return append(out, place+": the user says nothing in the recording, so that no scope counts"), nil
		case errors.Is(err, scope.ErrInvalid):
			out = append(out, fmt.Sprintf("%s: %s; the turn is decided without a scope", place, err))
			continue
		case err != nil:
			return nil, err
		}

		for _, r := range refused {
			out = append(out, fmt.Sprintf("%s: %s; the entry grants nothing", place, r))
		}
		for _, kind := range parsed.UnknownKinds() {
			out = append(out, fmt.Sprintf("%s: no value is looked for by the kind %q, it has to be a whole field: %s",
				place, display.Clip(string(kind), 40), strictyaml.DidYouMean(string(kind), scope.Kinds())))
		}
	}
	return out, nil
}

// scopes are those of a file, by session. Those without an id hold for every session that has none
// of its own.
type scopes map[string]*written

// of returns the scopes of a session.
func (s scopes) of(session string) *written {
	w, ok := s[session]
	if !ok {
		w = s[""]
	}
	w.used = true
	return w
}

// unused names the sessions that have scopes and weren't recorded.
func (s scopes) unused() []string {
	var out []string
	for _, id := range slices.Sorted(maps.Keys(s)) {
		if !s[id].used && len(s[id].turns) > 0 {
			out = append(out, fmt.Sprintf("no recording has the session %s: its scopes were not used", display.Name(id)))
		}
	}
	return out
}

// Run decides every call, and prints what the scopes say.
func (c *scopeCheckCommand) Run(ctx context.Context, s *command.Streams) error {
	engine, err := c.engine()
	if err != nil {
		return err
	}
	model, scopes, err := c.plannerOf()
	if err != nil {
		return err
	}
	engine.options.Scopes, engine.options.Reviewed, engine.options.PlanTime = c.Mode, c.Reviewed, c.PlannerTimeout
	progress := newProgress(s, c.Files)
	defer progress.clear()

	for _, name := range c.Files {
		err := eachRecorded(s, progress, name, func(recorded *trace.Session) error {
			var w *written
			engine.options.Planner = model
			if model == nil {
				w = scopes.of(recorded.ID)
				engine.options.Planner = w
			}
			m, err := newMonitors(engine, c.Tools).of(recorded)
			if err != nil {
				return err
			}
			return c.session(ctx, s, m, w, recorded)
		})
		if err != nil {
			return err
		}
	}

	c.note(s, scopes.unused())
	return nil
}

// note says what is wrong with the file of scopes.
func (c *scopeCheckCommand) note(s *command.Streams, faults []string) {
	for _, f := range faults {
		fmt.Fprintf(s.Err, "note: %s: %s\n", c.Scopes, f)
	}
}

// session decides the calls of one session, by scopes of the file where there are any.
func (c *scopeCheckCommand) session(ctx context.Context, s *command.Streams, m *remit.Monitor, w *written, recorded *trace.Session) error {
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
	live, _, err := play(ctx, m, recorded, trace.Options{Recorded: c.Recorded, Each: each})
	if err != nil || failed != nil {
		return errors.Join(failed, err)
	}

	if w == nil {
		return nil
	}
	faults, err := w.faults(ctx, live)
	if turns := userTurns(recorded); len(w.turns) > turns {
		faults = append(faults, fmt.Sprintf("session %s: there are scopes for %s, and the recording has %d: the last were not used",
			display.Name(recorded.ID), display.Count(len(w.turns), "turn", "turns"), turns))
	}
	c.note(s, faults)
	return err
}

// userTurns counts the turns of the user in a recording.
func userTurns(recorded *trace.Session) int {
	n := 0
	for i := range recorded.Messages {
		if m := &recorded.Messages[i]; m.Role == trace.User && m.Text != "" {
			n++
		}
	}
	return n
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

// plannerOf returns the model that plans, or the scopes of the file.
func (c *scopeCheckCommand) plannerOf() (scope.Planner, scopes, error) {
	model, err := c.planner(&c.plannerRecordings)
	switch {
	case err != nil:
		return nil, nil, err
	case model != nil && c.Scopes != "":
		return nil, nil, command.UsageError(errors.New("--planner and --scopes both say where scopes come from: give one"))
	case model != nil:
		return model, nil, nil
	case c.Scopes == "":
		return nil, nil, command.UsageError(hint.Wrap(errors.New("there are no scopes to check with"), "give a file with --scopes FILE, or a model with --planner MODEL"))
	}
	written, err := readScopes(c.Scopes)
	return nil, written, err
}

// readScopes reads a file of scopes.
func readScopes(name string) (scopes, error) {
	data, err := inputs.ReadAs(name, "a file of scopes (*.json, *.jsonl)")
	if err != nil {
		return nil, err
	}
	out := scopes{"": {}}
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
		out[entry.ID] = &written{turns: entry.Turns}
	}
}
