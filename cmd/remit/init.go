package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/mcp/clients"
	"github.com/remit-project/remit/internal/setup"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/store"
)

type initCommand struct {
	clientFlags
	Out       string   `placeholder:"FILE" help:"The configuration to write: remit.yaml here, or remit/remit.yaml beside your settings where the client's file is for all projects."`
	Contracts string   `placeholder:"DIR" help:"Where contract files are kept; contracts beside the configuration, by default."`
	Store     string   `placeholder:"STORE" help:"Where sessions, questions and the audit log are kept; where remit approvals looks, by default."`
	Apply     bool     `xor:"way" help:"Put the gateway before every server in the client's file, which is kept as FILE.remit-backup."`
	Remove    bool     `xor:"way" help:"Take the gateway out of the client's file again."`
	All       bool     `xor:"way" help:"Protect everything that is found on the machine, without asking."`
	Undo      bool     `xor:"way" help:"Take Remit out of everything on the machine again."`
	Skip      []string `placeholder:"NAME" sep:"none" help:"Leave a server as it is. Repeatable."`
	Program   string   `placeholder:"PATH" help:"With --apply: how the client starts Remit; where this program is, by default."`

	usual bool // the store is where remit approvals looks
}

// Help is shown below the flags.
func (initCommand) Help() string {
	return `By itself it looks at the machine: MCP clients, coding agents, and the project in this directory. It says what it
found and what would protect it, and on a terminal asks for each step. A file that it can't read stays as it is.

With --client or --file it reads the servers of an MCP client. Without --apply it writes a configuration that serves the
same ones, and touches nothing else. Values that look like secrets are left where they are; the configuration refers to them.

Example:
  remit init
  remit init --all
  remit init --undo
  remit init --client claude-desktop
  remit init --client cursor --apply
  remit init --client cursor --remove`
}

// Run makes a configuration, or edits the client's file.
func (c *initCommand) Run(s *command.Streams) error {
	if c.All || c.Undo || (c.Client == "" && c.File == "" && !c.Apply && !c.Remove && c.Out == "") {
		return c.machine(s)
	}
	f, err := c.one()
	if err != nil {
		return err
	}
	data, err := inputs.Read(f.Name)
	if err != nil {
		return err
	}
	if f, err = clients.Parse(f.Name, data); err != nil {
		return err
	}
	for _, name := range c.Skip {
		if !hasServer(f, name) {
			return command.UsageError(fmt.Errorf("--skip: %s has no server %q", f.Name, name))
		}
	}
	if err := c.defaults(f); err != nil {
		return err
	}

	o := c.setup()
	switch {
	case c.Remove:
		return c.remove(s, o, f, data)
	case len(f.Servers) == 0:
		return noServers(f.Name)
	case c.Apply:
		return c.apply(s, o, f, data)
	}
	return c.configure(s, o, f)
}

// setup returns where a setup keeps its files.
func (c *initCommand) setup() setup.Options {
	return setup.Options{Out: c.Out, Contracts: c.Contracts, Store: c.Store, Skip: c.Skip}
}

// noServers returns the error for a client's file without servers.
func noServers(name string) error {
	return hint.Wrap(fmt.Errorf("%s: there are no servers in the file", name), "servers are members of mcpServers, or of servers for VS Code")
}

// defaults sets what flags leave open. The servers of a project are configured in
// the project, and those of a user beside the user's other settings.
func (c *initCommand) defaults(f *clients.File) error {
	if c.Out == "" {
		c.Out = "remit.yaml"
		if personal(f.Name) {
			settings, err := os.UserConfigDir()
			if err != nil {
				return hint.Wrap(err, "say where the configuration is to be with --out")
			}
			c.Out = filepath.Join(settings, "remit", "remit.yaml")
		}
	}

	var err error
	switch {
	case c.Store == "":
		if c.Store, err = store.DefaultPath(); err != nil {
			return hint.Wrap(err, "say where sessions are to be kept with --store")
		}
		c.usual = true
	case !strings.Contains(c.Store, ":"):
		c.Store, err = filepath.Abs(c.Store)
	}

	return err
}

// personal reports whether a client reads a file for a user in every project.
func personal(name string) bool {
	return slices.ContainsFunc(clients.Clients(), func(c clients.Client) bool {
		const noProject = "no project"
		places, err := clients.Places(c, noProject)
		return err == nil && !strings.HasPrefix(name, noProject) && slices.Contains(places, name)
	})
}

// printQuestions prints who is asked, and where decisions are recorded.
func (c *initCommand) printQuestions(p *printer) {
	flag := ""
	if !c.usual {
		flag = " --store " + c.Store
	}
	p.line(0, "questions appear in the client if it shows forms, and else wait for: remit approvals"+flag)
	p.line(0, "decisions are recorded: remit audit export"+flag)
}

func hasServer(f *clients.File, name string) bool {
	return slices.ContainsFunc(f.Servers, func(s *clients.Server) bool { return s.Name == name })
}

// configure makes a configuration of the client's servers.
func (c *initCommand) configure(s *command.Streams, o setup.Options, f *clients.File) error {
	p := newPrinter(s)
	out, err := o.Configure(f)
	p.notes(out.Notes)
	if err != nil {
		return err
	}

	if out.Existed {
		p.line(0, c.Out+": there already, and it serves these servers; nothing was written")
	} else {
		p.line(0, fmt.Sprintf("wrote %s: %s", c.Out, display.Count(out.Servers, "server", "servers")))
	}
	for _, v := range out.Variables {
		p.line(0, fmt.Sprintf("set %s before the gateway starts: it is %s", v.Name, v.What))
	}
	c.printQuestions(p)
	p.line(0, "serve them with "+display.Command("remit", "gateway", "--config", c.Out)+", or put Remit before each with remit init --apply")
	return nil
}

// notes prints notes about servers.
func (p *printer) notes(notes []setup.Note) {
	for _, n := range notes {
		line := display.Line(n.Server.Name) + ": " + n.Text
		if n.Mark {
			line = fmt.Sprintf("%s: %s", n.Server.Position, line)
		}
		p.line(0, line)
	}
}

// apply puts the gateway before the servers of the client's file.
func (c *initCommand) apply(s *command.Streams, o setup.Options, f *clients.File, data []byte) error {
	p := newPrinter(s)
	var err error
	if o.Program, err = setup.Program(c.Program); err != nil {
		return err
	}
	out, err := o.Apply(f, data)
	if err != nil {
		if out != nil && len(out.ByHand) > 0 {
			p.line(0, "Change the file by hand as follows. The other settings of a server stay.")
			for _, e := range out.ByHand {
				p.edit(e)
			}
		}
		return err
	}

	p.notes(out.Notes)
	if out.Backup == "" {
		p.line(0, f.Name+": nothing to change")
		return nil
	}
	p.line(0, fmt.Sprintf("wrote %s; what it was is in %s", f.Name, out.Backup))
	c.printQuestions(p)
	p.line(0, "restart the client, and prove the protection with "+display.Command("remit", "doctor", "--file", f.Name))
	return nil
}

// edit prints what a person has to write. It doesn't repeat what is there already,
// which may be a secret.
func (p *printer) edit(e setup.Edit) {
	s, w := e.Server, e.Wrapping
	args, rest := w.Args, ""
	if s.URL == "" {
		args = slices.Concat(args, []string{"--", s.Command[0]})
		if len(s.Command) > 1 {
			rest = ", and then the arguments that are there"
		}
	}
	p.line(0, fmt.Sprintf("%s: %s:", s.Position, display.Line(s.Name)))
	p.line(2, `"command": `+display.Line(strictjson.Quotes(w.Program)))
	p.line(2, `"args": [`+display.Line(strictjson.Quotes(args...))+rest+`]`)
	for _, v := range w.Env {
		p.line(2, `in "env", `+display.Line(strictjson.Quotes(v.Name))+": what is in url or headers now")
	}
}

// remove takes the gateway out of the client's file.
func (c *initCommand) remove(s *command.Streams, o setup.Options, f *clients.File, data []byte) error {
	p := newPrinter(s)
	out, err := o.Remove(f, data)
	for _, server := range out.Stay {
		p.line(0, fmt.Sprintf("%s: %s: stays behind Remit, because no backup says what it was: write its url here by hand; it is in the file that --config names", server.Position, display.Line(server.Name)))
	}
	switch {
	case err != nil:
		return err
	case !out.Changed:
		p.line(0, f.Name+": nothing to change")
		return nil
	}
	p.line(0, "wrote "+f.Name+": the servers in it are not protected any more; restart the client")
	p.line(0, "contracts and configurations stay where they are")
	return nil
}
