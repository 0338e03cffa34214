package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/doctor"
	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/internal/mcp/upstream"
	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/internal/pack"
	"github.com/remit-project/remit/schema"
)

type packVerifyCommand struct {
	Name    string        `arg:"" optional:"" help:"The pack; without it, all packs are verified."`
	Version string        `placeholder:"VERSION" help:"Verify this version, such as the one that you run, instead of the present one."`
	Timeout time.Duration `default:"5m" help:"How long one package may take to be installed and to list its tools (5m)."`
}

// Help is shown below the flags.
func (packVerifyCommand) Help() string {
	return `Installs the present version of the package into a temporary directory by npm, pip or go, without its
installation scripts, starts the server with credentials that open nothing, and asks for its tools; a tool kit lists them. No tool is
called. The server is a program of others: run this where you would run the server.
Exit code 4 when a definition is not one that the pack reviewed.

Example:
  remit contract pack verify slack
  remit contract pack verify git --version 2026.10.19`
}

// Run verifies packs.
func (c *packVerifyCommand) Run(ctx context.Context, s *command.Streams) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	packs, err := pack.All()
	if err != nil {
		return err
	}
	if c.Name != "" {
		one, err := packNamed(c.Name)
		if err != nil {
			return err
		}
		packs = []*pack.Pack{one}
	}

	changed := false
	var errs []error
	for _, one := range packs {
		if ctx.Err() != nil {
			break // nothing that began is left behind
		}
		fmt.Fprintf(s.Err, "%s is being installed\n", packageOf(one))
		same, err := c.verify(ctx, newPrinter(s), one)
		if err != nil {
			errs = append(errs, fmt.Errorf("pack %s: %w", one.Name, err))
		}
		changed = changed || !same
	}
	if err := errors.Join(append(errs, context.Cause(ctx))...); err != nil {
		return err
	}
	if changed {
		return command.Status(exitFindings)
	}
	return nil
}

// verify compares a pack with the present version of its package, and reports whether all
// definitions are ones that the pack reviewed.
func (c *packVerifyCommand) verify(ctx context.Context, p *printer, one *pack.Pack) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	dir, err := os.MkdirTemp("", "remit-pack-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)

	fetched, err := one.Fetch(ctx, dir, c.Version)
	if err != nil {
		return false, err
	}
	cat, bad, err := listed(ctx, one, fetched, dir)
	if err != nil {
		return false, err
	}
	for _, name := range bad {
		p.line(0, one.Name+": a definition can't be understood: "+name)
	}

	known := "which was reviewed"
	if !slices.Contains(one.Versions, fetched.Version) {
		known = "which was not reviewed"
	}
	p.line(0, fmt.Sprintf("%s %s %s, %s", one.Registry, one.Package, fetched.Version, known))
	found := one.Compare(cat)
	p.compared(one, found)
	return len(found.Changed)+len(found.New)+len(bad) == 0, nil
}

// listed returns the tools of a package, and the names of definitions that can't be
// understood: what the tool kit lists, or what the server answers.
func listed(ctx context.Context, one *pack.Pack, fetched *pack.Fetched, dir string) (*schema.Catalogue, []string, error) {
	if fetched.Definitions != nil {
		cat, err := schema.Parse(one.Name, fetched.Definitions)
		return cat, nil, err
	}
	start := upstream.Command{
		Args: fetched.Command, Env: fetched.Env, Dir: dir, MaxMessage: wire.DefaultLimits().Size,
		Log: slog.New(slog.DiscardHandler),
	}
	raw, err := doctor.Definitions(ctx, mcp.Server{Name: one.Name, Connect: func(to upstream.Receiver) (upstream.Link, error) { return upstream.Start(start, to) }}, version())
	if err != nil {
		return nil, nil, err
	}
	cat, bad := doctor.Catalogue(one.Name, raw)
	return cat, bad, nil
}
