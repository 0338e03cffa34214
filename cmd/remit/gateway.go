package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/internal/mcp/config"
	"github.com/remit-project/remit/internal/mcp/upstream"
	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/internal/pack"
	"github.com/remit-project/remit/internal/setup"
	"github.com/remit-project/remit/internal/telemetry"
	"github.com/remit-project/remit/store"
)

type gatewayCommand struct {
	logFlags
	rateFlag
	judgeFlag
	plannerFlags
	firstReaderFlags
	carriedConsole
	Config    string   `placeholder:"FILE" help:"Serve the servers of a configuration file; see docs/reference/gateway.md."`
	Session   string   `placeholder:"ID" help:"The session that calls belong to. A client that comes back under the same id keeps its labels; by default every run is a session of its own."`
	Shared    bool     `help:"One session for all gateways that the same client starts: what was read from one server counts at the others. They need the same --store."`
	Name      string   `placeholder:"NAME" help:"What contracts call the server; taken from the command by default."`
	Contracts string   `placeholder:"DIR" help:"Contract files, NAME.yaml. A server that has none gets one there, made from its tools, for you to review."`
	Pack      string   `placeholder:"NAME" help:"The pack of reviewed contracts for the server, or none; by default that of the package that the command starts. remit contract pack list shows all."`
	Policies  string   `placeholder:"DIR" help:"Guard files: the company's policies for calls."`
	Reviewed  bool     `help:"You have read the definitions of the tools in the contract files, and they say nothing that the deployment would not. Where a server has others, or marked ones, they are text of whoever wrote them."`
	Shadow    bool     `help:"Decide and record, and let everything pass."`
	Elicit    bool     `help:"Let the client put questions to the person. A client can answer them by itself."`
	Store     string   `placeholder:"STORE" help:"Keep sessions there, so that they outlive the process: a file, postgres://… or nats://… (REMIT_STORE). Without either they end with the process."`
	Queue     bool     `help:"Put questions into the store's queue and wait for a person's answer. Without --store it is the one that remit approvals looks into."`
	Message   int      `name:"message-mib" placeholder:"N" help:"The longest message, in MiB (16): pictures and dumps that are longer fail, and nothing else with them."`
	Log       string   `placeholder:"LEVEL" default:"info" enum:"debug,info,warn,error" help:"What to log to standard error: debug, info, warn or error (info)."`
	Command   []string `arg:"" optional:"" name:"command" help:"The server to start, after --."`
}

// Help is shown below the flags.
func (gatewayCommand) Help() string {
	return `Stands between an MCP client and its servers: every tools/call is decided before it reaches a server, and what
comes back is labelled. Put it in front of a server in your client's configuration.

Example:
  remit gateway --contracts contracts -- npx -y @modelcontextprotocol/server-filesystem /srv/notes
  remit gateway --config remit.yaml`
}

// Run serves until the client's input ends, or over HTTP until it is stopped.
func (c *gatewayCommand) Run(ctx context.Context, s *command.Streams) error {
	// Those who start servers end them by SIGTERM as often as by an interrupt.
	ctx, stop := standing(ctx)
	defer stop()

	context.AfterFunc(ctx, stop) // a second signal doesn't wait for what is in flight
	log := c.logger(s.Err, c.Log)
	observe, flush, err := observed(ctx, "gateway", c.Config != "", log)
	if err != nil {
		return err
	}
	defer flush()

	if c.Config != "" {
		return c.serve(ctx, s, log, observe)
	}
	if len(c.Command) == 0 {
		return command.UsageError(hint.Wrap(errors.New("there is no server to start"), "write its command after --, as in: remit gateway -- my-server"))
	}
	d, err := c.wrap(log)
	if err != nil {
		return err
	}

	d.options.Telemetry = observe
	if err := c.planned(d, log); err != nil {
		return err
	}
	g, err := c.start(ctx, d, log)
	if err != nil {
		return err
	}
	reloading(ctx, g, log)
	err = g.ServeStdio(ctx, s.In, s.Out, c.session())
	if errors.Is(err, mcp.ErrNoServer) {
		err = hint.Wrap(err, "check the command after --: run it by itself to see what it says")
	}
	return errors.Join(err, g.end())
}

// serve runs the gateway of a configuration file.
func (c *gatewayCommand) serve(ctx context.Context, s *command.Streams, log *slog.Logger, observe *telemetry.Recorder) error {
	if c.configures() {
		return command.UsageError(errors.New("--config says everything but --session, --shared, --reviewed, --log, --console and what is about readers, planners and scopes: leave the command and the other flags out"))
	}
	data, err := inputs.Read(c.Config)
	if err != nil {
		return err
	}
	f, err := config.Load(c.Config, data, os.LookupEnv)
	if err != nil {
		return err
	}

	if f.Listen != nil && (c.Session != "" || c.Shared) {
		return command.UsageError(errors.New("--session and --shared are for a client over stdio, and the configuration listens"))
	}
	if c.Shared && f.Store == "" {
		return command.UsageError(hint.Wrap(errors.New("gateways share their session by a store, and the configuration has none"), "write 'store: remit.db' in "+c.Config))
	}
	d, err := configured(f, log)
	if err != nil {
		return err
	}

	d.config, d.options.Telemetry = c.Config, observe
	if err := c.planned(d, log); err != nil {
		return err
	}
	g, err := c.start(ctx, d, log)
	if err != nil {
		return err
	}
	reloading(ctx, g, log)
	if f.Listen == nil {
		err := g.ServeStdio(ctx, s.In, s.Out, c.session())
		if errors.Is(err, mcp.ErrNoServer) {
			err = hint.Wrap(err, "check the command of every server in "+c.Config+": run it by itself to see what it says")
		}
		return errors.Join(err, g.end())
	}
	return errors.Join(listenOn(ctx, f, g, log), g.end())
}

// configures reports whether a flag says what a configuration does.
func (c *gatewayCommand) configures() bool {
	named := c.Name != "" || c.Contracts != "" || c.Pack != "" || c.Policies != "" || c.Judge != "" || c.Store != ""
	return len(c.Command) > 0 || named || c.Shadow || c.Elicit || c.Queue || c.Message != 0 || c.Rate != 0
}

// start starts the deployment, and the console with it.
func (c *gatewayCommand) start(ctx context.Context, d *deployment, log *slog.Logger) (*running, error) {
	advice := nameStore
	if c.Config != "" {
		advice = "name one in " + c.Config + ", as store: remit.db"
	}
	if err := c.check(d.store != "", advice); err != nil {
		return nil, err
	}
	d.edit = c.Edit
	g, err := d.start(ctx, log)
	if err != nil || g.store == nil {
		return g, err
	}

	end, err := c.carriedConsole.serve(ctx, g.store, g.desk, log)
	if err != nil {
		return nil, errors.Join(err, g.end())
	}
	close := g.end
	g.end = func() error { return errors.Join(end(), close()) }
	return g, nil
}

// planned adds the planner and the reader. Where there is a store, others can give
// scopes in a session.
func (c *gatewayCommand) planned(d *deployment, log *slog.Logger) (err error) {
	if d.options.Weigh, err = c.maker(log); err != nil {
		return err
	}
	d.options.Monitor.Reviewed = c.Reviewed
	return c.plan(&d.options.Monitor, d.store != "", log, d.options.Telemetry)
}

// configured makes the deployment of a configuration. All contract files are
// read, and all their mistakes reported, before anything starts.
func configured(f *config.File, log *slog.Logger) (*deployment, error) {
	d := &deployment{files: map[string]string{}, store: f.Store, queue: f.Queue, audit: f.Audit, notify: f.Notify}
	o := mcp.Options{Elicit: f.Elicit, Namespace: f.Namespace, Limits: f.Limits, Log: log, Version: version()}
	o.Monitor.Precision, o.Monitor.Sinks, o.Monitor.Unprovoked, o.Monitor.Mentions = f.Precision, f.Sinks, f.Unprovoked, f.Mentions
	dir := contractDir(f.Contracts)
	if dir != "" {
		o.Synthesized = dir.adding(log)
	}
	most := f.Limits.Message

	var errs []error
	if f.Policies != "" {
		if err := named(d.policies(&o, f.Policies), f.PoliciesAt, f.Policies); err != nil {
			errs = append(errs, err)
		}
	}
	if f.Judge != nil {
		o.Judge = f.Judge
	}

	for _, s := range f.Servers {
		server := mcp.Server{Name: s.Name, Mode: cmp.Or(s.Mode, f.Mode), Modes: s.Tools, Timeout: s.Timeout, Packs: s.Packs}
		var err error
		switch {
		case s.Contract != "":
			d.files[s.Name] = s.Contract
			server.Contract, err = inputs.Contract(s.Contract)
			err = named(err, s.Position, s.Contract)
		case dir != "":
			if d.files[s.Name], err = dir.file(s.Name); err == nil {
				server.Contract, err = dir.find(s.Name)
			}
		}
		if err != nil {
			errs = append(errs, err)
		}
		log := log.With("server", s.Name)
		server.Connect = connector(s, most, log)
		if s.URL == "" {
			server.Directories = directories(s.Command, s.Dir)
			server.Check = func() error { return runnable(s.Command[0], s.Dir) }
			if err := server.Check(); err != nil {
				log.Error("the server's program can't be started", "error", err)
			}
		}
		o.Servers = append(o.Servers, server)
	}
	d.options = o

	return d, errors.Join(errs...)
}

// connector links to a server of a configuration; most bounds its messages in bytes, and
// has its default when zero.
func connector(s config.Server, most int, log *slog.Logger) func(to upstream.Receiver) (upstream.Link, error) {
	most = cmp.Or(most, wire.DefaultLimits().Size)
	if s.URL == "" {
		c := upstream.Command{Args: s.Command, Env: s.Env, Dir: s.Dir, MaxMessage: most, Log: log}
		return func(to upstream.Receiver) (upstream.Link, error) { return upstream.Start(c, to) }
	}
	e := upstream.Endpoint{URL: s.URL, Header: http.Header{}, Transport: upstream.NewTransport(), MaxMessage: most, Log: log}
	for k, v := range s.Header {
		e.Header.Set(k, v)
	}
	return func(to upstream.Receiver) (upstream.Link, error) { return upstream.Dial(e, to), nil }
}

// named words the error of a file that a configuration names and that isn't there.
func named(err error, at contract.Position, name string) error {
	if err == nil {
		return nil
	}
	if _, missing := os.Stat(name); !errors.Is(missing, fs.ErrNotExist) {
		return err
	}
	return &contract.Error{Position: at, Message: name + " is not there", Hint: "paths in a configuration are relative to its directory"}
}

// runnable returns why a program can't be started; nil when it is there.
func runnable(program, dir string) error {
	if dir != "" && !filepath.IsAbs(program) && strings.ContainsRune(program, filepath.Separator) {
		program = filepath.Join(dir, program)
	}
	_, err := exec.LookPath(program)
	return err
}

// policies reads the company's policies. Mistakes that take the servers' tools to
// find are logged when those are listed.
func (d *deployment) policies(o *mcp.Options, path string) (err error) {
	if o.Policies, err = inputs.Guards(path); err != nil {
		return err
	}
	for _, f := range o.Policies {
		d.guards = append(d.guards, f.Position.File)
	}
	return nil
}

// wrap makes the deployment for one server.
func (c *gatewayCommand) wrap(log *slog.Logger) (*deployment, error) {
	c.Store = cmp.Or(c.Store, os.Getenv(config.EnvStore))
	for _, p := range []*string{&c.Contracts, &c.Policies, &c.Store} {
		*p = atHome(*p)
	}
	d := &deployment{files: map[string]string{}, store: c.Store, queue: c.Queue}
	if d.store == "" && (c.Queue || c.Shared) {
		var err error
		if d.store, err = store.DefaultPath(); err != nil {
			return nil, hint.Wrap(err, "say where the store is with --store")
		}
	}

	server := mcp.Server{Name: c.Name}
	if server.Name == "" {
		server.Name = setup.CommandName(c.Command)
	}
	if c.Shadow {
		server.Mode = mcp.Shadow
	}

	most := wire.DefaultLimits().Size
	switch {
	case c.Message < 0 || c.Message > config.MaxMessage:
		return nil, command.UsageError(fmt.Errorf("--message-mib: write a number from 1 to %d", config.MaxMessage))
	case c.Message > 0:
		most = c.Message << 20
	}

	var err error
	if server.Packs, err = pack.Select(c.Pack, c.Command); err != nil {
		return nil, command.UsageError(err)
	}
	command := upstream.Command{Args: c.Command, Env: os.Environ(), MaxMessage: most, Log: log.With("server", server.Name)}
	server.Connect = func(to upstream.Receiver) (upstream.Link, error) { return upstream.Start(command, to) }
	server.Directories = directories(c.Command, "")
	o := mcp.Options{Elicit: c.Elicit, Log: log, Version: version(), Limits: mcp.Limits{Message: most, Calls: int(c.Rate)}}
	if c.Policies != "" {
		if err := d.policies(&o, c.Policies); err != nil {
			return nil, err
		}
	}

	if o.Judge, err = c.judge(c.Policies); err != nil {
		return nil, err
	}
	if c.Contracts != "" {
		keep := contractDir(c.Contracts)
		if d.files[server.Name], err = keep.file(server.Name); err != nil {
			return nil, err
		}
		if server.Contract, err = keep.find(server.Name); err != nil {
			return nil, err
		}
		o.Synthesized = keep.adding(log)
	}

	o.Servers = []mcp.Server{server}
	d.options = o
	return d, nil
}

// atHome reads ~/ as the person's home, which no shell does where a client starts the
// gateway.
func atHome(path string) string {
	rest, ok := strings.CutPrefix(path, "~/")
	home, err := os.UserHomeDir()
	if !ok || err != nil {
		return path
	}
	return filepath.Join(home, rest)
}

// directories returns the directories that a command gives to the server which it starts, as
// absolute paths: arguments, or values of flags, that are directories.
func directories(command []string, working string) []string {
	var out []string
	for _, arg := range command[1:] {
		if strings.HasPrefix(arg, "-") {
			_, value, ok := strings.Cut(arg, "=")
			if !ok || value == "" {
				continue
			}
			arg = value
		}
		if !filepath.IsAbs(arg) {
			arg = filepath.Join(working, arg)
		}
		dir, err := filepath.Abs(arg)
		if info, statErr := os.Stat(arg); err == nil && statErr == nil && info.IsDir() {
			out = append(out, dir)
		}
	}
	return out
}
