package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/trace"
)

type replayCommand struct {
	engineFlags
	scopesFlag
	Tools    []string `placeholder:"FILE" sep:"none" help:"Tool definitions to use instead of those in the recordings. Repeatable."`
	JSON     bool     `help:"Print every decision as a line of JSON, and the summary on standard error."`
	Out      string   `placeholder:"FILE" help:"Write every decision as a line of JSON to a file."`
	Verbose  bool     `short:"v" help:"Print every decision."`
	Stopped  bool     `help:"Print every decision that is not allow."`
	Recorded bool     `help:"Keep the results of calls that are not allowed, as if the monitor had only watched."`
	ExitCode bool     `help:"Exit with 3 when any call was denied or held back."`
	Diff     bool     `help:"Decide the calls of a gateway's store anew by --contracts, and print those that turn."`
	Store    string   `placeholder:"NAME" env:"REMIT_STORE" help:"The store for --diff: a file, postgres://… or nats://…"`
	Files    []string `arg:"" optional:"" name:"file" help:"Recordings: JSON or JSON Lines, plain or gzip; - for standard input."`
}

// Help is shown below the flags.
func (replayCommand) Help() string {
	return `A recording has one JSON document a session: {"id", "tools", "messages"}, messages in the OpenAI chat form.
See docs/reference/traces.md.

Example:
  remit replay --stopped sessions.jsonl.gz
  remit replay --diff --contracts changed --store remit.db`
}

// replay is a run of the command.
type replay struct {
	*replayCommand
	streams  *command.Streams
	json     io.Writer
	progress *progress
	monitors *monitors
	totals   totals
	bare     int // sessions for which there are no definitions of tools
}

// Run decides every call of every session.
func (c *replayCommand) Run(ctx context.Context, s *command.Streams) (err error) {
	if c.Diff {
		return c.diff(ctx, s)
	}
	if len(c.Files) == 0 {
		return command.UsageError(hint.Wrap(errors.New("there is no recording to replay"), "name a file, or - for standard input, or compare a store's sessions with --diff"))
	}
	if c.JSON && c.Out != "" {
		return command.UsageError(fmt.Errorf("--json and --out both say where the decisions go: give one"))
	}

	engine, err := c.engine()
	if err != nil {
		return err
	}
	engine.options.Scopes = c.Scopes
	r := &replay{replayCommand: c, streams: s, monitors: newMonitors(engine, c.Tools), totals: newTotals()}
	summary := s.Out
	if c.JSON {
		out := bufio.NewWriter(s.Out)
		defer flush(out, &err)
		r.json, summary = out, s.Err
	}

	if c.Out != "" {
		f, ferr := os.Create(c.Out)
		if ferr != nil {
			return ferr
		}
		defer closeFile(f, &err)
		out := bufio.NewWriter(f)
		defer flush(out, &err)
		r.json = out
	}

	r.progress = newProgress(s, c.Files)
	defer r.progress.clear()
	for _, name := range c.Files {
		if err := r.file(ctx, name); err != nil {
			return err
		}
	}

	r.progress.clear()
	r.totals.print(&printer{w: summary, Paint: display.Paint(s.Color && !c.JSON), width: s.Width})
	if r.bare > 0 && r.totals.reasons[remit.UnknownTool] > 0 {
		fmt.Fprintf(s.Err, "hint: %s no definitions of tools, without which tools are unknown: give them with --tools FILE\n", display.Count(r.bare, "session has", "sessions have"))
	}
	if c.ExitCode && r.totals.stopped() > 0 {
		return command.Status(exitStopped)
	}
	return nil
}

func (r *replay) file(ctx context.Context, name string) error {
	return eachRecorded(r.streams, r.progress, name, func(s *trace.Session) error {
		if err := r.session(ctx, s); err != nil {
			return err
		}
		r.progress.show(r.totals.sessions, r.totals.calls())
		return nil
	})
}

// eachRecorded visits the sessions of a recording; - is standard input.
func eachRecorded(streams *command.Streams, progress *progress, name string, visit func(*trace.Session) error) error {
	in := streams.In
	if name != "-" {
		f, err := inputs.Open(name, aRecording)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}

	some := false
	for s, err := range trace.Read(progress.count(in)) {
		some = true
		if err == nil {
			err = visit(s)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}

	if !some {
		return noSession(name)
	}
	return nil
}

func (r *replay) session(ctx context.Context, s *trace.Session) error {
	m, err := r.monitors.of(s)
	if err != nil {
		return err
	}
	r.totals.sessions++
	if len(r.Tools) == 0 && len(s.Tools) == 0 {
		r.bare++
	}
	var failed error
	each := func(d *remit.Decision) {
		r.totals.add(d)
		if r.json != nil && failed == nil {
			failed = writeJSON(r.json, d)
		}
		stopped := r.Stopped && d.Verdict != remit.Allow
		if !r.JSON && (r.Verbose || stopped) {
			r.progress.clear()
			p := newPrinter(r.streams)
			p.line(0, p.Dim("session "+display.Name(s.ID)))
			p.decision(0, d)
			p.line(0, "")
		}
	}

	if _, err := trace.Replay(ctx, m, s, trace.Options{Recorded: r.Recorded, Each: each}); err != nil {
		return err
	}
	return failed
}

// monitors make the monitors for recorded sessions. They are kept by time and
// the text of the tool list: the sessions of a file mostly share both.
type monitors struct {
	engine *engine
	// tools are files that replace the tools of the recordings.
	tools []string
	known map[string]*remit.Monitor
}

func newMonitors(e *engine, tools []string) *monitors {
	return &monitors{e, tools, map[string]*remit.Monitor{}}
}

// of returns the monitor for a session.
func (m *monitors) of(s *trace.Session) (*remit.Monitor, error) {
	key := fmt.Sprint(s.Time, s.Scoped())
	if len(m.tools) == 0 {
		key += string(s.Tools)
	}
	if known, ok := m.known[key]; ok {
		return known, nil
	}

	tools, err := toolsOf(m.tools, s)
	if err != nil {
		return nil, err
	}
	e := *m.engine
	if !s.Scoped() && e.options.Planner == nil {
		e.options.Scopes = "" // results are not kept for nothing
	}
	made, err := e.monitor(tools, s.Time)
	if err != nil {
		return nil, err
	}
	m.known[key] = made
	return made, nil
}

// totals counts decisions by tool and reasons by code.
type totals struct {
	sessions int
	tools    map[string]*tally
	reasons  map[remit.Code]int
}

type tally struct{ allow, ask, deny int }

func newTotals() totals {
	return totals{tools: map[string]*tally{}, reasons: map[remit.Code]int{}}
}

func (t *totals) add(d *remit.Decision) {
	of := t.tools[d.Tool]
	if of == nil {
		of = &tally{}
		t.tools[d.Tool] = of
	}
	switch d.Verdict {
	case remit.Allow:
		of.allow++
	case remit.Ask:
		of.ask++
	default:
		of.deny++
	}
	for _, r := range d.Reasons {
		t.reasons[r.Code]++
	}
}

func (t *totals) all() tally {
	var sum tally
	for _, of := range t.tools {
		sum.allow += of.allow
		sum.ask += of.ask
		sum.deny += of.deny
	}
	return sum
}

func (t *totals) calls() int {
	sum := t.all()
	return sum.allow + sum.ask + sum.deny
}

func (t *totals) stopped() int {
	sum := t.all()
	return sum.ask + sum.deny
}

// print writes the table, the tools with most stopped calls first.
func (t *totals) print(p *printer) {
	names := make([]string, 0, len(t.tools))
	sessions := display.Count(t.sessions, "session", "sessions")
	width := max(len("tool"), len(sessions))
	for tool := range t.tools {
		names = append(names, tool)
		width = max(width, len([]rune(display.Name(tool))))
	}
	width = min(width, max(p.width-32, 12, len(sessions)))

	slices.SortFunc(names, func(a, b string) int {
		x, y := t.tools[a], t.tools[b]
		if d := (y.ask + y.deny) - (x.ask + x.deny); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	row := func(first string, x tally) {
		p.line(0, fmt.Sprintf("%-*s  %6d  %s  %s  %s", width, first, x.allow+x.ask+x.deny,
			count(x.allow, p.Good), count(x.ask, p.Warn), count(x.deny, p.Bad)))
	}

	p.line(0, p.Dim(fmt.Sprintf("%-*s  %6s  %6s  %6s  %6s", width, "tool", "calls", "allow", "ask", "deny")))
	for _, tool := range names {
		row(display.ShortName(tool, width), *t.tools[tool])
	}
	row(sessions, t.all())
	if len(t.reasons) == 0 {
		return
	}
	codes := make([]remit.Code, 0, len(t.reasons))
	for code := range t.reasons {
		codes = append(codes, code)
	}

	slices.SortFunc(codes, func(a, b remit.Code) int {
		if d := t.reasons[b] - t.reasons[a]; d != 0 {
			return d
		}
		return strings.Compare(string(a), string(b))
	})
	var parts []string
	for _, code := range codes {
		parts = append(parts, fmt.Sprintf("%s %d", code, t.reasons[code]))
	}
	p.line(0, "")
	p.para(0, "reasons: ", strings.Join(parts, ", "))
}

// count right-aligns a number and colours it unless it is zero.
func count(n int, color func(string) string) string {
	text := fmt.Sprintf("%6d", n)
	if n == 0 {
		return text
	}
	return color(text)
}

func flush(w *bufio.Writer, err *error) {
	if e := w.Flush(); *err == nil {
		*err = e
	}
}

func closeFile(f *os.File, err *error) {
	if e := f.Close(); *err == nil {
		*err = e
	}
}
