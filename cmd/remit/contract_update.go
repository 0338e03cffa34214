package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/doctor"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/internal/mcp/config"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

type updateCommand struct {
	clientFlags
	Config    string        `placeholder:"FILE" help:"The servers of a gateway's configuration."`
	Contracts string        `placeholder:"DIR" help:"The contract files, for a server whose command stands after --."`
	Name      string        `placeholder:"NAME" help:"What contracts call that server; taken from the command by default."`
	Pack      string        `placeholder:"NAME" help:"The pack for that server, or none; by default that of the package that the command starts."`
	Only      []string      `placeholder:"NAME" sep:"none" help:"Only the server that contracts call so. Repeatable."`
	Timeout   time.Duration `default:"60s" help:"How long each server may take to list its tools (60s)."`
	Command   []string      `arg:"" optional:"" name:"command" help:"The server to start, after --."`
}

// Help is shown below the flags.
func (updateCommand) Help() string {
	return `Asks servers for their tools and brings their contract files up to date: tools that are new or that have changed
get contracts, marked for review, and what people edited or allowed for always stays. No tool is called. Read what it
prints: a tool that was fenced off is let through by its new contract.
Exit code 4 when there are conflicts; your version is kept.

Example:
  remit contract update --client cursor
  remit contract update --config remit.yaml --only notes
  remit contract update --contracts contracts -- npx -y @modelcontextprotocol/server-filesystem ~/notes`
}

// Run brings contract files up to date.
func (c *updateCommand) Run(ctx context.Context, s *command.Streams) error {
	targets, err := c.targets()
	if err != nil {
		return err
	}
	for _, name := range c.Only {
		if !slices.ContainsFunc(targets, func(t target) bool { return t.server.Name == name }) {
			return command.UsageError(fmt.Errorf("--only: there is no server %q", name))
		}
	}

	var errs []error
	conflicts := 0
	for _, t := range targets {
		if len(c.Only) > 0 && !slices.Contains(c.Only, t.server.Name) {
			continue
		}
		n, err := t.update(ctx, s, c.Timeout)
		if err != nil {
			errs = append(errs, fmt.Errorf("server %s: %w", t.server.Name, err))
		}
		conflicts += n
	}

	if err := errors.Join(errs...); err != nil {
		return err
	}
	if conflicts > 0 {
		return command.Status(exitFindings)
	}
	newPrinter(s).line(0, "gateways that run take the new contracts when they start again, or on SIGHUP")
	return nil
}

// target is a server with the file of its contracts.
type target struct {
	server mcp.Server
	file   string
}

// targets returns the servers that are meant.
func (c *updateCommand) targets() ([]target, error) {
	log := slog.New(slog.DiscardHandler)
	switch {
	case c.Config != "":
		if c.Client+c.File+c.Contracts+c.Name+c.Pack != "" || len(c.Command) > 0 {
			return nil, command.UsageError(errors.New("--config says which servers there are: leave the command and the other flags out"))
		}
		data, err := inputs.Read(c.Config)
		if err != nil {
			return nil, err
		}
		f, err := config.Load(c.Config, data, os.LookupEnv)
		if err != nil {
			return nil, err
		}
		d, err := configured(f, log)
		if err != nil {
			return nil, err
		}
		return targetsOf(d)
	case len(c.Command) > 0:
		if c.Contracts == "" {
			return nil, command.UsageError(hint.Wrap(errors.New("it is not said where the contracts are"), "name their directory with --contracts"))
		}
		d, err := (&gatewayCommand{Command: c.Command, Name: c.Name, Contracts: c.Contracts, Pack: c.Pack}).wrap(log)
		if err != nil {
			return nil, err
		}
		return targetsOf(d)
	}

	return c.clientTargets()
}

// clientTargets returns the servers of a client's file that are behind the gateway.
func (c *updateCommand) clientTargets() ([]target, error) {
	files, err := c.files()
	if err != nil {
		return nil, err
	}

	var out []target
	for _, f := range files {
		for _, server := range f.Servers {
			g := server.Gateway()
			if g == nil || server.Disabled {
				continue
			}
			launch, err := doctor.Entry{Server: server, File: f.Name, Dir: server.Dir}.Launch()
			if err != nil {
				return nil, server.Error("put it into the environment, and refer to it as ${env:NAME}", "%v", err)
			}
			d, err := launched(launch)
			if err != nil {
				return nil, err
			}
			found, err := targetsOf(d)
			if err != nil {
				return nil, server.Error("name a directory for them: --contracts DIR", "%v", err)
			}
			out = append(out, found...)
		}
	}

	if len(out) == 0 {
		return nil, hint.Wrap(errors.New("no server of the client is behind Remit"), "put Remit before them: remit init --apply")
	}
	return out, nil
}

// targetsOf returns the servers of a deployment.
func targetsOf(d *deployment) ([]target, error) {
	var out []target
	for _, s := range d.options.Servers {
		file := d.files[s.Name]
		if file == "" {
			return nil, hint.Wrap(fmt.Errorf("it is not said where the contracts of server %q are", s.Name), "name their directory: contracts: DIR in the configuration, or --contracts DIR")
		}
		out = append(out, target{s, file})
	}
	return out, nil
}

// update brings the contracts of one server up to date, and returns how many
// conflicts there were.
func (t target) update(ctx context.Context, s *command.Streams, timeout time.Duration) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	raw, err := doctor.Definitions(ctx, t.server, version())
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("it doesn't list its tools within %s: give it longer with --timeout", timeout)
		}
		return 0, err
	}

	c, bad := doctor.Catalogue(t.server.Name, raw)
	p := newPrinter(s)
	for _, name := range bad {
		p.line(0, display.Line(t.server.Name)+": the definition of "+display.Line(name)+" can't be understood, and so its calls are denied")
	}
	file := t.server.Packs.Contract(c)
	for i := range file.Tools {
		synth.Below(&file.Tools[i], t.server.Directories)
	}

	if err := os.MkdirAll(filepath.Dir(t.file), 0o755); err != nil {
		return 0, err
	}
	before, err := inputs.ExistingContract(t.file)
	if err != nil {
		return 0, err
	}
	p.packs(t.server.Packs, c)
	n, err := mergeContract(s, t.file, file)
	if err == nil && before != nil {
		p.changed(before, c)
	}
	return n, err
}

// maxDescription is how much of a description is shown, in bytes: what is longer
// is read in the server's own documentation.
const maxDescription = 400

// changed shows the definitions that differ from those that the contracts were made for: updating
// the contracts lets their calls through.
func (p *printer) changed(before *contract.File, c *schema.Catalogue) {
	for i := range c.Tools {
		t := &c.Tools[i]
		known, ok := before.Tool(t.Name)
		what := "has changed"
		switch {
		case !ok:
			what = "is new"
		case known.Fingerprint == "" || known.Fingerprint == t.Fingerprint:
			continue
		}

		text := t.Description
		if len(text) > maxDescription {
			text = strings.ToValidUTF8(text[:maxDescription], "") + "…"
		}
		p.line(2, display.Line(t.Name)+" "+what+"; it says of itself now:")
		p.quote(2, foreign(text), nil)
		for _, found := range synth.Instructions(t) {
			p.para(4, p.Warn("beware: "), "it speaks to the model: "+display.Line(found))
		}
	}
}
