package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/api"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/console"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/inquire"
	"github.com/remit-project/remit/internal/revise"
	"github.com/remit-project/remit/internal/telemetry"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/store"
	"github.com/remit-project/remit/synth"
)

type serveCommand struct {
	engineFlags
	logFlags
	rateFlag
	judgeFlag
	lookupsFlag
	plannerFlags
	reviewedFlag
	tokensFlag
	tlsFlags
	compiledFlags
	Compiled string   `placeholder:"DIR" help:"The directory that a policy document was compiled into, to review with --document. Its rules decide where --policies names its directory guards."`
	Tools    []string `placeholder:"FILE" sep:"none" help:"Tool definitions of the agents' servers; the file's name is the server's. Repeatable. Sessions may bring their own."`
	Store    string   `placeholder:"NAME" env:"REMIT_STORE" help:"The store: a file, postgres://… or nats://…; made where it isn't there ($XDG_STATE_HOME/remit/remit.db, ~/.local/state/remit/remit.db)."`
	Listen   string   `placeholder:"HOST:PORT" default:"127.0.0.1:7677" help:"Where to listen (127.0.0.1:7677)."`
	Host     []string `placeholder:"NAME" sep:"none" help:"A host name under which callers reach the server, besides the loopback names. Repeatable."`
	Origin   []string `placeholder:"URL" sep:"none" help:"A web page's origin that may call, as https://console.example. Repeatable."`
	Console  bool     `help:"Serve the web console too, at /console/. People sign in with a token."`
	SignIn   string   `placeholder:"FILE" help:"How people sign in to the console by an identity provider (OpenID Connect)."`
	Edit     bool     `help:"Let callers with the scope contracts:write change the files of --contracts and --compiled."`
	Log      string   `placeholder:"LEVEL" default:"info" enum:"debug,info,warn,error" help:"What to log to standard error: debug, info, warn or error (info)."`

	provider *access.IdentityProvider // of SignIn
}

// Help is shown below the flags.
func (serveCommand) Help() string {
	return `The decision API: events in, decisions out, over HTTP. It describes itself at /openapi.yaml, and docs/how-to/decision-api.md shows how to use it.
Sessions are in the store, so that a gateway on the same store joins one by its id. Callers need a token: remit token new.

Example:
  remit token new --principal planner --scope events:write --scope decisions:write --scope sessions:write
  remit serve --contracts contracts`
}

// Run serves until it is stopped.
func (c *serveCommand) Run(ctx context.Context, s *command.Streams) error {
	ctx, stop := standing(ctx)
	defer stop()
	log := c.logger(s.Err, c.Log)
	observe, flush, err := observed(ctx, "api", true, log)
	if err != nil {
		return err
	}
	defer flush()
	lookups, end, err := c.reader(c.Policies, log)
	if err != nil {
		return err
	}
	return errors.Join(c.run(ctx, log, lookups, observe), end())
}

// run serves with what rules look things up with; nil for nothing but the callers.
func (c *serveCommand) run(ctx context.Context, log *slog.Logger, lookups guard.Reader, observe *telemetry.Recorder) error {
	options, err := c.options(log, lookups, observe)
	if err != nil {
		return err
	}
	name := c.Store
	if name == "" {
		if name, err = store.DefaultPath(); err != nil {
			return hint.Wrap(err, "say where the store is with --store NAME")
		}
	}
	if options.Store, err = openStore(ctx, name, store.Options{}, log); err != nil {
		return err
	}
	options.Desk.Store = options.Store

	scope := func() (guard.Deployment, error) { return inputs.Deployment(c.Tools, c.Contracts) }
	if options.Policies, err = c.policyDesk(c.Compiled, "--compiled", c.Edit, scope, options.Store); err != nil {
		return errors.Join(err, options.Store.Close())
	}
	return errors.Join(c.serve(ctx, options), options.Store.Close())
}

func (c *serveCommand) serve(ctx context.Context, o api.Options) error {
	if c.Console {
		played, err := samples()
		if err != nil {
			return err
		}
		pages := console.Options{
			Store: o.Store, Principal: o.Principal, Provider: c.provider, Hosts: o.Callers, Desk: o.Desk,
			Policies: o.Policies, Samples: played, Log: o.Log,
		}
		if o.Pages, err = console.New(pages); err != nil {
			return err
		}
	}

	server, err := api.New(o)
	if err != nil {
		return err
	}
	l, url, err := c.listen(c.Listen, o.Log)
	if err != nil {
		return err
	}
	if !loopback(l.Addr().String()) && c.Cert == "" {
		o.Log.Warn("the address can be reached from other machines: use --tls-cert or put a proxy with TLS in front, since tokens travel with every request")
	}
	if c.Console {
		o.Log.Info("console", "url", url+o.Pages.Base())
	}
	o.Log.Info("listening", "url", url)
	return server.Serve(ctx, l)
}

// options reads everything that the server needs but its store. All mistakes are
// found before anything starts.
func (c *serveCommand) options(log *slog.Logger, lookups guard.Reader, observe *telemetry.Recorder) (api.Options, error) {
	engine, err := c.engine()
	if err != nil {
		return api.Options{}, err
	}
	if engine.options.Judge, err = c.judge(c.Policies); err != nil {
		return api.Options{}, err
	}
	readers := inquire.Chain{api.Callers()}
	if lookups != nil {
		readers = inquire.Chain{lookups, api.Callers()}
	}
	engine.options.Reader = readers
	engine.options.Reviewed = c.Reviewed
	if err := c.plan(&engine.options, true, log, observe); err != nil {
		return api.Options{}, err
	}
	tools, err := inputs.Tools(c.Tools)
	if err != nil {
		return api.Options{}, err
	}

	tokens, err := c.open()
	if err != nil {
		return api.Options{}, err
	}
	o := api.Options{
		Monitor: func(brought []*schema.Catalogue) (*remit.Monitor, error) {
			if err := twice(tools, brought); err != nil {
				return nil, err
			}
			all := append(tools[:len(tools):len(tools)], brought...)
			return engine.monitor(all, time.Time{})
		},
		Principal:   tokens.Find,
		Callers:     access.Hosts{Names: c.Host, Origins: c.Origin},
		Log:         log,
		Version:     version(),
		Observation: api.Observation{Telemetry: observe, Rates: access.NewRates(int(c.Rate))},
	}
	if err := c.signIn(&o); err != nil {
		return o, err
	}
	if o.Desk, err = c.desk(engine, tools); err != nil {
		return o, err
	}
	if engine.open = len(c.Tools) == 0; engine.open {
		if c.Contracts == "" && looksUp(engine.guards) {
			return o, hint.Wrap(errors.New("the rules of --policies look things up with tools, and no tools are given"), "give their definitions: --tools FILE, what tools/list of the servers returns")
		}
		noteUnknown(engine, log)
	}
	_, err = o.Monitor(nil)
	return o, err
}

// signIn reads how people sign in by an identity provider. The name to which it sends them
// back is one of the server's.
func (c *serveCommand) signIn(o *api.Options) error {
	switch {
	case c.SignIn == "":
		return nil
	case !c.Console:
		return command.UsageError(errors.New("--sign-in is about the console: add --console"))
	}

	how, err := access.OpenSignIn(c.SignIn)
	if err != nil {
		return err
	}
	if c.provider, err = access.NewIdentityProvider(how); err != nil {
		return fmt.Errorf("%s: %w", c.SignIn, err)
	}
	at, err := url.Parse(how.Address)
	if err != nil {
		return fmt.Errorf("%s: %w", c.SignIn, err)
	}
	if at.Path != console.DefaultBase {
		return fmt.Errorf("%s: the address must end with %s, where the console is", c.SignIn, console.DefaultBase)
	}
	o.Callers.Names = append(o.Callers.Names, at.Hostname())
	return nil
}

// desk returns where contracts are changed: those of the directory, or those that are made from
// the tools.
func (c *serveCommand) desk(e *engine, tools []*schema.Catalogue) (*revise.Desk, error) {
	d := &revise.Desk{Monitor: func(s revise.Setting) (*remit.Monitor, error) {
		changed := *e
		changed.contracts = s.Contracts
		if len(s.Guards) > 0 {
			changed.guards = s.Over(e.guards)
		}
		if s.Scopes != "" {
			changed.options.Scopes = s.Scopes
		}
		return changed.monitor(tools, time.Time{})
	}}

	var err error
	if d.Files, err = contractFiles(c.Contracts, c.Edit && (c.Contracts != "" || c.Compiled == "")); err != nil || d.Files != nil {
		return d, err
	}
	var made []*contract.File
	for _, t := range tools {
		made = append(made, synth.Contract(t))
	}
	d.Files = revise.Made(made)
	return d, nil
}

// tokensFlag names the file of tokens.
type tokensFlag struct {
	Tokens string `placeholder:"FILE" env:"REMIT_TOKENS" help:"The file of tokens ($XDG_CONFIG_HOME/remit/tokens.yaml, ~/.config/remit/tokens.yaml)."`
}

// open reads the file, which must be there: without tokens no client could call.
func (f tokensFlag) open() (*access.TokenFile, error) {
	name, err := f.file()
	if err != nil {
		return nil, err
	}
	tokens, err := access.OpenTokens(name, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, hint.Wrap(err, "make a token with remit token new, or say where they are with --tokens FILE")
	}
	return tokens, err
}
