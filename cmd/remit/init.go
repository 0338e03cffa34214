package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/mcp/clients"
	"github.com/remit-project/remit/internal/mcp/config"
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
	Skip      []string `placeholder:"NAME" sep:"none" help:"Leave a server as it is. Repeatable."`
	Program   string   `placeholder:"PATH" help:"With --apply: how the client starts Remit; where this program is, by default."`

	usual bool // the store is where remit approvals looks
}

// Help is shown below the flags.
func (initCommand) Help() string {
	return `Reads the servers of an MCP client. Without --apply it writes a configuration that serves the same ones, and
touches nothing else. Values that look like secrets are left where they are; the configuration refers to them.

Example:
  remit init --client claude-desktop
  remit init --client cursor --apply
  remit init --client cursor --remove`
}

// Run makes a configuration, or edits the client's file.
func (c *initCommand) Run(s *command.Streams) error {
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
	switch {
	case c.Remove:
		return c.remove(s, f, data)
	case len(f.Servers) == 0:
		return hint.Wrap(fmt.Errorf("%s: there are no servers in the file", f.Name), "servers stand in mcpServers, or in servers for VS Code")
	case c.Apply:
		return c.apply(s, f, data)
	}
	return c.write(s, f)
}

// defaults fill in what flags don't say. The servers of a project are configured
// in the project, and those of a person beside the person's other settings.
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

// personal tells whether a file is one that a client reads for a person, whatever
// the project.
func personal(name string) bool {
	return slices.ContainsFunc(clients.Clients(), func(c clients.Client) bool {
		const noProject = "no project"
		places, err := clients.Places(c, noProject)
		return err == nil && !strings.HasPrefix(name, noProject) && slices.Contains(places, name)
	})
}

// asking says who is asked, and where everything is written down.
func (c *initCommand) asking(p *printer) {
	flag := ""
	if !c.usual {
		flag = " --store " + c.Store
	}
	p.line(0, "questions come up in the client where it shows forms, and else wait for: remit approvals"+flag)
	p.line(0, "what was decided is written down: remit audit export"+flag)
}

func hasServer(f *clients.File, name string) bool {
	return slices.ContainsFunc(f.Servers, func(s *clients.Server) bool { return s.Name == name })
}

func (c *initCommand) skipped(s *clients.Server) bool { return slices.Contains(c.Skip, s.Name) }

// write makes a configuration of the client's servers.
func (c *initCommand) write(s *command.Streams, f *clients.File) error {
	p := newPrinter(s)
	names := commonNames(f.Servers)
	made := &madeConfig{contracts: c.Contracts, store: c.Store, secrets: newSecrets()}
	var errs contract.Errors
	for _, server := range f.Servers {
		if c.skipped(server) {
			p.line(0, display.Line(server.Name)+": left out")
			continue
		}
		notes, err := made.add(server, names[server])
		for _, n := range notes {
			p.line(0, fmt.Sprintf("%s: %s: %s", server.Position, display.Line(server.Name), n))
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 {
		return errs
	}
	if len(made.servers) == 0 {
		return hint.Wrap(fmt.Errorf("%s: no server of the file can be in a configuration", f.Name), "put the gateway before each of them: remit init --apply --file "+f.Name)
	}
	kept, err := made.save(c.Out)
	if err != nil {
		return err
	}
	if kept {
		p.line(0, c.Out+": there already, and it serves these servers; nothing was written")
	} else {
		p.line(0, fmt.Sprintf("wrote %s: %s", c.Out, display.Count(len(made.servers), "server", "servers")))
	}
	for _, v := range made.variables {
		p.line(0, fmt.Sprintf("set %s before the gateway starts: it is %s", v.name, v.what))
	}
	c.asking(p)
	p.line(0, "serve them with remit gateway --config "+c.Out+", or put Remit before each with remit init --apply")
	return nil
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}

// apply puts the gateway before the servers of the client's file.
func (c *initCommand) apply(s *command.Streams, f *clients.File, data []byte) error {
	p := newPrinter(s)
	program, err := ownProgram(c.Program)
	if err != nil {
		return err
	}
	out, err := filepath.Abs(c.Out)
	if err != nil {
		return err
	}
	contracts := c.Contracts
	if contracts == "" {
		contracts = filepath.Join(filepath.Dir(out), "contracts")
	}
	if contracts, err = filepath.Abs(contracts); err != nil {
		return err
	}
	names := commonNames(f.Servers)
	wrappings := map[*clients.Server]*clients.Wrapping{}
	files := map[string]*madeConfig{}
	var lines []string
	var errs contract.Errors
	for _, server := range f.Servers {
		switch {
		case c.skipped(server):
			lines = append(lines, display.Line(server.Name)+": left as it is, and so not protected")
		case server.Gateway() != nil:
			lines = append(lines, display.Line(server.Name)+": goes through Remit already")
		case server.Legacy:
			lines = append(lines, display.Line(server.Name)+": left as it is, and so not protected: "+legacy)
		case server.URL != "":
			name := strings.TrimSuffix(out, filepath.Ext(out)) + "-" + names[server] + ".yaml"
			made := &madeConfig{contracts: contracts, store: c.Store, secrets: newSecrets()}
			env, err := made.addURL(server, names[server])
			if err != nil {
				errs = append(errs, err)
				continue
			}
			files[name] = made
			wrappings[server] = &clients.Wrapping{Program: program, Args: []string{"gateway", "--config", name, "--shared"}, Env: env}
			lines = append(lines, fmt.Sprintf("%s: now goes through Remit, as %s says", display.Line(server.Name), name))
		default:
			wrappings[server] = &clients.Wrapping{Program: program, Args: []string{"gateway", "--name", names[server], "--contracts", contracts, "--store", c.Store, "--queue", "--elicit", "--shared"}}
			lines = append(lines, fmt.Sprintf("%s: now goes through Remit; contracts in %s", display.Line(server.Name), filepath.Join(contracts, names[server]+".yaml")))
		}
	}
	if len(errs) > 0 {
		return errs
	}
	if len(wrappings) == 0 {
		for _, l := range lines {
			p.line(0, l)
		}
		p.line(0, f.Name+": nothing to change")
		return nil
	}
	changed, err := wrapped(f, data, wrappings)
	if err != nil {
		p.line(0, "Change it by hand, as follows. What else stands with a server stays.")
		for _, server := range f.Servers {
			if w := wrappings[server]; w != nil {
				byHand(p, server, w)
			}
		}
		return err
	}
	for name, made := range files {
		if _, err := made.save(name); err != nil {
			return err
		}
	}
	backup, err := replaceClient(f.Name, data, changed)
	if err != nil {
		return err
	}
	for _, l := range lines {
		p.line(0, l)
	}
	p.line(0, fmt.Sprintf("wrote %s; what it was is in %s", f.Name, backup))
	c.asking(p)
	p.line(0, "restart the client, and prove the protection with remit doctor --file "+f.Name)
	return nil
}

// wrapped edits the client's file, and makes sure that the edit can be undone
// exactly.
func wrapped(f *clients.File, data []byte, how map[*clients.Server]*clients.Wrapping) ([]byte, error) {
	changed, err := f.Wrap(func(s *clients.Server) *clients.Wrapping { return how[s] })
	if err != nil {
		return nil, err
	}
	again, err := clients.Parse(f.Name, changed)
	if err != nil {
		return nil, err
	}
	back, err := undone(again, data, how, f)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(back, data) {
		return nil, fmt.Errorf("%s: the file can't be edited so that the edit could be undone", f.Name)
	}
	return changed, nil
}

// undone takes those wrappings out that were just made.
func undone(again *clients.File, data []byte, how map[*clients.Server]*clients.Wrapping, f *clients.File) ([]byte, error) {
	made := map[*clients.Server]bool{}
	for i, s := range again.Servers {
		if i >= len(f.Servers) || how[f.Servers[i]] == nil {
			continue
		}
		if made[s] = true; s.Gateway() == nil {
			return nil, hint.Wrap(fmt.Errorf("%s: the gateway can't be told from other commands after the edit", f.Name), "the name of --program must be remit")
		}
	}
	back, _, err := again.Unwrap(func(s *clients.Server) bool { return made[s] }, data)
	return back, err
}

// byHand says what a person has to write. What stands there already, which may
// be a secret, is not repeated.
func byHand(p *printer, s *clients.Server, w *clients.Wrapping) {
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
	for _, e := range w.Env {
		p.line(2, `in "env", `+display.Line(strictjson.Quotes(e.Name))+": what stands in url or headers now")
	}
}

// replaceClient keeps the client's file under another name, and writes the new
// one. What somebody wrote meanwhile is not lost.
func replaceClient(name string, before, after []byte) (backup string, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		if backup = backupName(name, n); n > maxBackups {
			return "", hint.Wrap(fmt.Errorf("%s: there are %d backups already", name, maxBackups), "remove those that you don't need")
		}
		err := createFile(backup, before, info.Mode())
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
		if same, err := inputs.Read(backup); err == nil && bytes.Equal(same, before) {
			break
		}
	}
	if now, err := inputs.Read(name); err != nil || !bytes.Equal(now, before) {
		return "", hint.Wrap(fmt.Errorf("%s: the file has changed meanwhile", name), "end the client, and start again")
	}
	return backup, replaceKeeping(name, after, info.Mode())
}

// maxBackups is how many earlier forms of a client's file are kept.
const maxBackups = 20

func backupName(name string, n int) string {
	if n == 1 {
		return name + ".remit-backup"
	}
	return fmt.Sprintf("%s.remit-backup-%d", name, n)
}

// backups are the earlier forms of a file that are kept, the newest first, with
// their names.
func backups(name string) (earlier [][]byte, names []string, err error) {
	for n := maxBackups; n >= 1; n-- {
		backup := backupName(name, n)
		old, err := inputs.Read(backup)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		earlier, names = append(earlier, old), append(names, backup)
	}
	return earlier, names, nil
}

// restore writes what a file was, and removes the backups that say the same.
func restore(name string, before, after []byte, earlier [][]byte, names []string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if now, err := inputs.Read(name); err != nil || !bytes.Equal(now, before) {
		return hint.Wrap(fmt.Errorf("%s: the file has changed meanwhile", name), "end the client, and start again")
	}
	if err := replaceKeeping(name, after, info.Mode()); err != nil {
		return err
	}
	for i, old := range earlier {
		if bytes.Equal(old, after) {
			if err := os.Remove(names[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// remove takes the gateway out of the client's file.
func (c *initCommand) remove(s *command.Streams, f *clients.File, data []byte) error {
	p := newPrinter(s)
	earlier, names, err := backups(f.Name)
	if err != nil {
		return err
	}
	out, stay, err := f.Unwrap(func(s *clients.Server) bool { return !c.skipped(s) }, earlier...)
	if err != nil {
		return hint.Wrap(err, "put the file back from "+backupName(f.Name, 1))
	}
	for _, server := range stay {
		p.line(0, fmt.Sprintf("%s: %s: stays behind Remit, because no backup says what it was: write its url here by hand; it is in the file that --config names", server.Position, display.Line(server.Name)))
	}
	if bytes.Equal(out, data) {
		p.line(0, f.Name+": nothing to change")
		return nil
	}
	if err := restore(f.Name, data, out, earlier, names); err != nil {
		return err
	}
	p.line(0, "wrote "+f.Name+": the servers in it are not protected any more; restart the client")
	p.line(0, "contracts and configurations stay where they are")
	return nil
}

// existingConfig reads a configuration that is there already; nil when there is none.
func existingConfig(name string, lookup func(string) (string, bool)) ([]byte, *config.File, error) {
	data, err := inputs.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := config.Load(name, data, lookup)
	return data, f, err
}
