package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/hook"
	"github.com/remit-project/remit/scope"
	"github.com/remit-project/remit/store"
)

type hookCommand struct {
	Answer    hookAnswer    `cmd:"" default:"withargs" help:"Answer an event of an agent from standard input. Agents run it."`
	Install   hookInstall   `cmd:"" help:"Write Remit's hooks into an agent's file."`
	Uninstall hookUninstall `cmd:"" help:"Remove Remit's hooks from an agent's file."`
	Contracts hookContracts `cmd:"" help:"Print the contracts of an agent's own tools."`
	Metrics   hookMetrics   `cmd:"" help:"Print what the hooks have decided, in numbers, as Prometheus reads it."`
	Stop      hookStop      `cmd:"" help:"Stop the daemon that keeps the sessions."`
	Daemon    hookDaemon    `cmd:"" hidden:""`
}

type hookAnswer struct {
	hookSettings
	Agent string `arg:"" help:"claude-code, codex, cursor, gemini, copilot or windsurf."`
}

// hookSettings are the settings of a hook.
type hookSettings struct {
	Contracts  string     `placeholder:"DIR" help:"Contract files of MCP servers, and of the agent's own tools where they replace those that Remit ships."`
	Policies   string     `placeholder:"DIR" help:"Guard files (*.yaml): the company's policies for calls."`
	Lookups    string     `placeholder:"FILE" help:"The servers with which rules look things up: a gateway's configuration (remit.yaml), of which the servers count. Without it, what the agent looked up itself counts."`
	Judge      string     `placeholder:"MODEL" help:"The model that answers what rules ask a judge, as anthropic:NAME or openai:NAME; its key is in the agent's environment."`
	Planner    string     `placeholder:"MODEL" help:"The model that writes down what each prompt authorises, as anthropic:NAME or openai:NAME; its key is in the agent's environment, in ANTHROPIC_API_KEY or OPENAI_API_KEY."`
	PlannerURL string     `name:"planner-url" placeholder:"URL" help:"Where the planner's API begins, such as http://127.0.0.1:8000/v1."`
	Scopes     scope.Mode `placeholder:"MODE" help:"What scopes of prompts are for: off, grant or bound (grant)."`
}

// settings returns the settings for the daemon.
func (c *hookSettings) settings() (hook.Settings, error) {
	s := hook.Settings{
		Contracts: c.Contracts, Policies: c.Policies, Lookups: c.Lookups, Judge: c.Judge,
		Planner: c.Planner, PlannerURL: c.PlannerURL, Scopes: c.Scopes,
	}
	if s.Policies == "" && (s.Lookups != "" || s.Judge != "") {
		return s, hint.Wrap(errors.New("--lookups and --judge are for rules, and there are none"), "name their directory with --policies DIR")
	}
	for _, path := range []*string{&s.Contracts, &s.Policies, &s.Lookups} {
		if *path == "" {
			continue
		}
		full, err := filepath.Abs(*path)
		if err != nil {
			return s, err
		}
		*path = full
	}
	return s, nil
}

// Help is shown below the flags.
func (hookAnswer) Help() string {
	return `Reads an event in the agent's own form and answers in that form. Whatever goes wrong, a call is denied, with a reason.

People run:
  remit hook install AGENT     writes the hooks into the agent's file
  remit hook uninstall AGENT   takes them out again
  remit hook contracts AGENT   prints the contracts of the agent's own tools
  remit hook stop              ends the daemon until the next event
  remit doctor --hooks AGENT   proves that a call is stopped

Example:
  remit hook claude-code --contracts ~/.config/remit/contracts < event.json`
}

// Run answers one event. Its way is kept short: an agent waits for it at every
// call.
func (c *hookAnswer) Run(ctx context.Context, s *command.Streams) error {
	agent, err := hook.Find(c.Agent)
	if err != nil {
		return command.UsageError(err)
	}
	ctx, cancel := hook.Deadline(ctx)
	defer cancel()
	done := make(chan hook.Output, 1)
	go func() { done <- c.answer(ctx, agent, s.In) }()

	var out hook.Output
	select {
	case out = <-done:
	case <-ctx.Done():
		// Not even the event came.
		out = agent.Refuse(fmt.Errorf("no answer within %s", hook.AnswerTime))
	}

	if _, err := io.WriteString(s.Out, out.Stdout); err != nil {
		out = agent.Refuse(err)
	}
	if _, err := io.WriteString(s.Err, out.Stderr); err != nil || out.Exit != 0 {
		return command.Status(max(out.Exit, exitBlocked))
	}
	return nil
}

func (c *hookAnswer) answer(ctx context.Context, agent *hook.Agent, in io.Reader) hook.Output {
	input, err := io.ReadAll(io.LimitReader(in, hook.MaxInput+1))
	if err != nil {
		return agent.Refuse(err)
	}
	e, err := agent.Parse(input, os.Getenv)
	if err != nil {
		return agent.Refuse(err)
	}

	settings, err := c.settings()
	if err != nil {
		return agent.Fail(e, err)
	}
	client, err := hookClient(settings)
	if err != nil {
		return agent.Fail(e, err)
	}
	a, err := client.Ask(ctx, e)
	if err != nil {
		return agent.Fail(e, err)
	}
	return agent.Answer(e, a)
}

// hookClient returns the way to the daemon of the user's store.
func hookClient(settings hook.Settings) (*hook.Client, error) {
	path, err := store.DefaultPath()
	if err != nil {
		return nil, err
	}

	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	identity, err := hook.Identity()
	if err != nil {
		return nil, err
	}
	dir := hook.Dir(path)
	return &hook.Client{Dir: dir, Identity: identity, Settings: settings,
		Start: func(ctx context.Context) error { return hook.Spawn(ctx, dir, exe, "hook", "daemon") }}, nil
}

type hookContracts struct {
	Agent string `arg:"" help:"claude-code, codex, cursor, gemini, copilot or windsurf."`
}

// Help is shown below the flags.
func (hookContracts) Help() string {
	return `Edit what it prints, keep it in your directory of contracts, and it decides instead.

Example:
  remit hook contracts claude-code > ~/.config/remit/contracts/claude-code.yaml`
}

// Run prints the file.
func (c *hookContracts) Run(s *command.Streams) error {
	agent, err := hook.Find(c.Agent)
	if err != nil {
		return command.UsageError(err)
	}
	text, err := agent.Contracts()
	if err != nil {
		return err
	}
	_, err = s.Out.Write(text)
	return err
}

type hookStop struct{}

// Help is shown below the flags.
func (hookStop) Help() string {
	return `The sessions of running agents end with the daemon. The next event of an agent starts another.

Example:
  remit hook stop`
}

// Run ends the daemon.
func (hookStop) Run(ctx context.Context, s *command.Streams) error {
	client, err := hookClient(hook.Settings{})
	if err != nil {
		return err
	}
	ctx, cancel := hook.Deadline(ctx)
	defer cancel()
	was, err := client.Stop(ctx)
	if err != nil {
		return err
	}
	if was {
		newPrinter(s).line(0, "the daemon ends; sessions are in the store")
	} else {
		newPrinter(s).line(0, "no daemon is running")
	}
	return nil
}

type hookDaemon struct {
	Idle time.Duration `default:"15m" help:"How long it stays when nothing comes."`
}

// Run serves. Its first line tells the hook that started it how that went.
func (c *hookDaemon) Run(ctx context.Context, s *command.Streams) error {
	ctx, stop := standing(ctx)
	defer stop()
	err := c.serve(ctx, s)
	switch {
	case errors.Is(err, hook.ErrRunning):
		fmt.Fprintln(s.Out, hook.Ready) // another one serves
		return nil
	case err != nil:
		fmt.Fprintln(s.Out, display.Line(err.Error()))
	}
	return err
}

func (c *hookDaemon) serve(ctx context.Context, s *command.Streams) error {
	path, err := store.DefaultPath()
	if err != nil {
		return err
	}
	identity, err := hook.Identity()
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(s.Err, nil))
	// Agents have variables of OpenTelemetry's of their own, which may be none for Remit.
	observe, flush, err := observed(ctx, "hooks", true, log)
	if err != nil {
		log.Warn("nothing is counted", "error", err)
		flush = func() {}
	}
	defer flush()
	defer keepingPage(ctx, filepath.Join(hook.Dir(path), pageName), observe, log)()

	open := func() (hook.Handler, func() error, error) {
		st, err := store.Open(ctx, path, store.Options{})
		if err != nil {
			return nil, nil, err
		}
		service, err := hook.NewService(st, hook.Home(), time.Now, log)
		if err != nil {
			return nil, nil, errors.Join(err, st.Close())
		}
		service.Planner = func(model, url string) (scope.Planner, error) {
			f := plannerModel{Planner: model, PlannerURL: url}
			p, err := f.planner(&plannerRecordings{})
			if err != nil {
				return nil, err
			}
			return &loggedPlanner{p, log, observe}, nil
		}
		servers := &lookupServers{log: log}
		service.Reader = servers.reader
		service.Judge = judgeNamed
		service.Telemetry = observe
		end := func() error {
			service.Close()
			return errors.Join(servers.close(), st.Close())
		}
		return service.Handle, end, nil
	}

	d := &hook.Daemon{Dir: hook.Dir(path), Identity: identity, Idle: c.Idle, Log: log}
	return d.Serve(ctx, open, func() {
		fmt.Fprintln(s.Out, hook.Ready)
		if f, ok := s.Out.(*os.File); ok {
			f.Close() // the hook that waits for the line, and the agent, need it no more
		}
	})
}
