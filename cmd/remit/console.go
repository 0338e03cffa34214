package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"html"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/console"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/desk"
	"github.com/remit-project/remit/internal/revise"
	"github.com/remit-project/remit/store"
)

type consoleCommand struct {
	logFlags
	storeFlag
	deploymentFlags
	compiledFlags
	Policies string `placeholder:"DIR" help:"The directory that a policy document was compiled into, to show with --document."`
	Edit     bool   `help:"Let the console change the files of --contracts and --policies."`
	Demo     bool   `help:"Show the sessions of remit demo, with questions to answer, in a store of their own that is removed at the end."`
	Listen   string `placeholder:"HOST:PORT" default:"127.0.0.1:7678" help:"Where to listen, on the loopback interface (127.0.0.1:7678)."`
	Open     bool   `negatable:"" default:"true" help:"Open the browser, where this is a terminal."`
	Log      string `placeholder:"LEVEL" default:"warn" enum:"debug,info,warn,error" help:"What to log to standard error: debug, info, warn or error (warn)."`
}

// Help is shown below the flags.
func (consoleCommand) Help() string {
	return `A web page for this machine alone: the questions that wait, and every session with where each argument came from. It prints a link that is good for one person, once.
For several people, use remit serve --console.

Example:
  remit console --demo`
}

// Run serves the console until it is stopped.
func (c *consoleCommand) Run(ctx context.Context, s *command.Streams) error {
	ctx, stop := standing(ctx)
	defer stop()
	if !loopback(c.Listen) {
		return command.UsageError(hint.Wrap(fmt.Errorf("--listen %s can be reached from other machines", c.Listen), "listen on 127.0.0.1, or run remit serve --console, where each person has a token"))
	}
	log := c.logger(s.Err, c.Log)
	files, err := c.files()
	if err != nil {
		return err
	}

	serve := func(st store.Store) error { return c.serve(ctx, s, st, files, log) }
	if c.Demo {
		return withDemo(ctx, serve)
	}
	return c.with(ctx, serve)
}

// files returns the contracts that are shown: those of the directory, or those that the demo
// makes.
func (c *consoleCommand) files() (*revise.Files, error) {
	if c.Contracts == "" && c.Demo && (!c.Edit || c.Policies != "") {
		list, err := demoContracts()
		return revise.Made(list), err
	}
	return contractFiles(c.Contracts, c.Edit && (c.Contracts != "" || c.Policies == ""))
}

// contractFiles opens the contract files at a path; nil where there is none.
func contractFiles(path string, edit bool) (*revise.Files, error) {
	switch {
	case path != "":
		return revise.Open(path, edit)
	case edit:
		return nil, command.UsageError(errors.New("--edit changes files, and there are none: name a directory of contracts with --contracts DIR"))
	}
	return nil, nil
}

// compiledFlags name a policy document with what it was compiled into.
type compiledFlags struct {
	Document string `placeholder:"FILE" help:"The policy document, to review what it was compiled into."`
	Before   string `placeholder:"DIR" help:"What an earlier version of the document was compiled into, to show what the present one changes."`
}

// policyDesk returns where people decide about the policies in a directory; nil without one.
func (f compiledFlags) policyDesk(dir, flag string, edit bool, scope func() (guard.Deployment, error), audit store.Audit) (*desk.Desk, error) {
	switch {
	case (dir == "") != (f.Document == ""):
		return nil, command.UsageError(errors.New(flag + " and --document belong together: the directory, and what it was compiled from"))
	case dir == "" && f.Before != "":
		return nil, command.UsageError(errors.New("--before needs " + flag + ": what the earlier version is held against"))
	case dir == "":
		return nil, nil
	}

	if _, err := os.Stat(f.Document); err != nil {
		return nil, inputs.Missing(err)
	}
	for _, compiled := range []string{dir, f.Before} {
		if compiled == "" {
			continue
		}
		// Mistakes in the files are shown in the console, where people correct them.
		d, err := policydoc.ReadDirectory(compiled)
		if err == nil && len(d.Mappings) == 0 && d.Unmapped == nil {
			return nil, hint.Wrap(fmt.Errorf("%s is not what a policy document was compiled into", compiled),
				"name the directory that remit policy compile wrote with --out, with mapping and guards in it")
		}
	}
	return &desk.Desk{Root: dir, Document: f.Document, Before: f.Before, Write: edit, Deployment: scope, Audit: audit}, nil
}

// loopback reports whether an address is on the loopback interface.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil || host == "localhost" {
		return err == nil
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback()
}

func (c *consoleCommand) serve(ctx context.Context, s *command.Streams, st store.Store, files *revise.Files, log *slog.Logger) error {
	played, err := samples()
	if err != nil {
		return err
	}
	policies, err := c.policyDesk(c.Policies, "--policies", c.Edit, c.scope, st)
	if err != nil {
		return err
	}
	// Cookies are shared by all ports of a host: only a secret path keeps this one from
	// other programs on the machine.
	pages, err := console.New(console.Options{
		Store: st, Base: "/" + strings.ToLower(rand.Text()) + "/",
		Desk: &revise.Desk{Files: files, Store: st}, Policies: policies, Samples: played, Log: log,
	})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return hint.Wrap(err, "choose another address with --listen HOST:PORT, as 127.0.0.1:0")
	}
	link := "http://" + l.Addr().String() + pages.Base() + "login#" + pages.Invite(operator())
	fmt.Fprintf(s.Out, "The console is at\n\n  %s\n\nThe link is good for one person, once, within %d minutes. Stop the console with Ctrl-C.\n", link, int(console.InvitationLife.Minutes()))

	if c.Open && s.ErrTerminal {
		forget, err := openBrowser(ctx, link)
		if err != nil {
			log.Info("opening the browser failed", "error", err)
		}
		defer forget()
	}
	return pages.Serve(ctx, l)
}

// operator returns the person who runs the command. Reading the store is all the authority that
// the console asks for, so the operator may see and answer everything.
func operator() access.Principal {
	name := "operator"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return access.Principal{Name: name, Scopes: []access.Scope{
		access.SessionsRead, access.SessionsAny, access.ApprovalsRead, access.ApprovalsAnswer,
		access.ContractsRead, access.ContractsWrite, access.AuditRead,
	}}
}

// openers are the programs that open a file in the browser.
var openers = map[string][]string{"linux": {"xdg-open"}, "darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"}}

// openBrowser opens a link by way of a file that the user alone can read: everybody on the
// machine can see the arguments of a program. The returned function removes the file.
func openBrowser(ctx context.Context, link string) (forget func(), err error) {
	forget = func() {}
	program, ok := openers[runtime.GOOS]
	if !ok {
		return forget, errors.New("no program is known that opens one")
	}
	dir, err := os.MkdirTemp("", "remit-console-")
	if err != nil {
		return forget, err
	}
	forget = func() { _ = os.RemoveAll(dir) } // the link in it was used, or will expire
	name := filepath.Join(dir, "console.html")
	page := `<!doctype html><meta http-equiv="refresh" content="0;url=` + html.EscapeString(link) + `"><title>Remit</title>`
	if err := os.WriteFile(name, []byte(page), 0o600); err != nil {
		return forget, err
	}
	return forget, exec.CommandContext(ctx, program[0], append(program[1:], name)...).Start()
}
