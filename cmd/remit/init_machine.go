package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/hook"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/mcp/clients"
	"github.com/remit-project/remit/internal/setup"
	"github.com/remit-project/remit/internal/survey"
)

// step is one thing that can be protected, or taken back.
type step struct {
	// question asks for it, and by is the command that does it alone.
	question, by string
	do           func(s *command.Streams) error
}

// machine looks at the machine, and protects what was found, or takes Remit out of it.
func (c *initCommand) machine(s *command.Streams) error {
	if c.Client != "" || c.File != "" || c.Out != "" {
		return command.UsageError(errors.New("--all and --undo are about everything that is found: leave --client, --file and --out out"))
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return hint.Wrap(err, "name a client's file with --file")
	}
	m, err := survey.Look(dir, home)
	if err != nil {
		return err
	}

	p := newPrinter(s)
	p.machine(m, home)
	steps, err := c.steps(m)
	if err != nil {
		return err
	}
	if c.Undo {
		steps = c.undoing(m)
	}
	next := "remit doctor proves what is protected, and remit init --undo takes Remit out of everything again"
	if c.Undo {
		next = "remit init puts it back"
	}
	switch {
	case len(steps) == 0:
		return noSteps(p, m, c.Undo)
	case c.All, c.Undo:
		return take(s, m, steps, next, func(step) (bool, error) { return true, nil })
	case s.InTerminal:
		return take(s, m, steps, next, asker(s))
	}

	p.line(0, p.Bold("Next"))
	for _, one := range steps {
		p.line(2, one.by)
	}
	p.line(2, "remit init --all      takes all of these steps, and remit init --undo takes them back")
	return nil
}

// machine shows what was found.
func (p *printer) machine(m *survey.Machine, home string) {
	short := func(name string) string {
		if rest, ok := strings.CutPrefix(name, home+string(filepath.Separator)); ok {
			return "~/" + filepath.ToSlash(rest)
		}
		return name
	}

	p.line(0, p.Bold("MCP clients"))
	for _, c := range m.Clients {
		var what string
		if c.Trouble != nil {
			what = p.Bad("can't be read, and stays as it is: " + trouble(c.Trouble))
		} else {
			what = fmt.Sprintf("%s, %d behind Remit", display.Count(len(c.File.Servers), "server", "servers"), c.Behind)
		}
		p.line(2, fmt.Sprintf("%s  %s: %s", c.Client, short(c.Name), what))
	}
	p.none(len(m.Clients))

	p.line(0, p.Bold("Coding agents"))
	for _, a := range m.Agents {
		what := "without Remit's hooks"
		switch {
		case a.Trouble != nil:
			what = p.Bad("can't be read, and stays as it is: " + trouble(a.Trouble))
		case a.Installed:
			what = p.Good("Remit's hooks are there")
		}
		p.line(2, fmt.Sprintf("%s  %s: %s", a.Name, short(a.File), what))
	}
	p.none(len(m.Agents))

	p.line(0, p.Bold("The project in this directory"))
	for _, project := range m.Projects {
		p.project(project)
	}
	p.none(len(m.Projects))
}

func (p *printer) none(found int) {
	if found == 0 {
		p.line(2, p.Dim("none found"))
	}
}

// trouble returns what is wrong with a file, on one line.
func trouble(err error) string { return display.Line(strings.ReplaceAll(err.Error(), "\n", "; ")) }

// ways say how the calls of a project reach Remit. It is for people to do, in their code or their
// environment.
var ways = map[survey.Way]string{
	survey.ByProxy:      "another base URL: remit proxy --upstream URL",
	survey.ByPython:     "an adapter of the Python package remit-client, with remit serve",
	survey.ByTypeScript: "an adapter of the npm package remit-client, with remit serve",
	survey.ByLibrary:    "the Go library github.com/remit-project/remit",
}

// project shows a project's libraries, and how each can be protected.
func (p *printer) project(project *survey.Project) {
	by := map[survey.Way][]string{}
	var order []survey.Way
	for _, l := range project.Libraries {
		for _, w := range l.Ways {
			if by[w] == nil {
				order = append(order, w)
			}
			by[w] = append(by[w], l.Name)
		}
	}

	p.line(2, filepath.Base(project.File)+":")
	slices.Sort(order)
	for _, w := range order {
		p.line(4, fmt.Sprintf("%s: %s", strings.Join(by[w], ", "), ways[w]))
	}
}

// steps returns what would protect the machine.
func (c *initCommand) steps(m *survey.Machine) ([]step, error) {
	var out []step
	for _, f := range m.Clients {
		if f.Trouble != nil || f.Open == 0 {
			continue
		}
		out = append(out, step{
			question: fmt.Sprintf("Put Remit before the %s of %s (%s)?", display.Count(f.Open, "server", "servers"), f.Client, f.Name),
			by:       display.Command("remit", "init", "--apply", "--file", f.Name),
			do:       func(s *command.Streams) error { return c.edit(s, f.Name, c.apply) },
		})
	}

	for _, a := range m.Agents {
		if a.Trouble != nil || a.Installed {
			continue
		}
		contracts, err := c.contracts(m, a)
		if err != nil {
			return nil, err
		}
		by := []string{"remit", "hook", "install", a.Name}
		if contracts != "" {
			by = append(by, "--contracts", contracts)
		}
		out = append(out, step{
			question: fmt.Sprintf("Install Remit's hooks in %s (%s)?", a.Title, a.File),
			by:       display.Command(by...),
			do:       func(s *command.Streams) error { return c.install(s, a, contracts) },
		})
	}
	return out, nil
}

// contracts returns the directory in which the gateways before an agent's own MCP servers keep their contracts, now
// or after the other steps; empty where it has no such servers. The agent's hooks see the same calls, and deny those of
// tools without a contract.
func (c *initCommand) contracts(m *survey.Machine, a *survey.Agent) (string, error) {
	for _, f := range m.Clients {
		if string(f.Client) != a.Name || f.Trouble != nil || !personal(f.Name) {
			continue
		}

		for _, s := range f.File.Servers {
			g := s.Gateway()
			if g == nil {
				continue
			}
			if i := slices.Index(g.Flags, "--contracts"); i >= 0 && i+1 < len(g.Flags) {
				return g.Flags[i+1], nil
			}
		}

		one := *c
		if err := one.defaults(f.File); err != nil {
			return "", err
		}
		return filepath.Abs(cmp.Or(one.Contracts, filepath.Join(filepath.Dir(one.Out), "contracts")))
	}
	return "", nil
}

// undoing returns what takes Remit out of the machine.
func (c *initCommand) undoing(m *survey.Machine) []step {
	var out []step
	for _, f := range m.Clients {
		if f.Trouble == nil && f.Behind > 0 {
			out = append(out, step{do: func(s *command.Streams) error { return c.edit(s, f.Name, c.remove) }})
		}
	}

	for _, a := range m.Agents {
		if a.Trouble != nil || !a.Installed {
			continue
		}
		out = append(out, step{do: func(s *command.Streams) error {
			data, err := inputs.Read(a.File)
			if err != nil {
				return err
			}
			return uninstallHooks(newPrinter(s), a.Agent, a.File, data)
		}})
	}
	return out
}

// edit edits a client's file, with the places that belong to it.
func (c *initCommand) edit(s *command.Streams, name string, how func(*command.Streams, setup.Options, *clients.File, []byte) error) error {
	data, err := inputs.Read(name)
	if err != nil {
		return err
	}
	f, err := clients.Parse(name, data)
	if err != nil {
		return err
	}
	one := *c
	if err := one.defaults(f); err != nil {
		return err
	}
	c.usual = one.usual
	return how(s, one.setup(), f, data)
}

// install installs the hooks of an agent, with the settings that they have by themselves and a directory of
// contracts, which need not be there yet.
func (c *initCommand) install(s *command.Streams, a *survey.Agent, contracts string) error {
	if contracts != "" {
		if err := os.MkdirAll(contracts, 0o755); err != nil {
			return err
		}
	}
	program, err := setup.Program(c.Program)
	if err != nil {
		return err
	}
	data, err := inputs.Read(a.File)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return installHooks(newPrinter(s), a.Agent, a.File, data, a.Command(program, hook.Settings{Contracts: contracts}))
}

// noSteps says why there is nothing to do.
func noSteps(p *printer, m *survey.Machine, undo bool) error {
	switch {
	case undo:
		p.line(0, "nothing here goes through Remit")
	case len(m.Clients)+len(m.Agents) == 0:
		p.line(0, "nothing was found that Remit could be put before; name a client's file with --file, or put remit proxy before a model's API")
	default:
		p.line(0, "there is nothing left to do here; prove the protection with remit doctor")
	}
	return failedFiles(m)
}

// failedFiles returns an exit code where a file could not be read: it is not protected.
func failedFiles(m *survey.Machine) error {
	for _, c := range m.Clients {
		if c.Trouble != nil {
			return command.Status(command.ExitError)
		}
	}
	for _, a := range m.Agents {
		if a.Trouble != nil {
			return command.Status(command.ExitError)
		}
	}
	return nil
}

// take takes the steps that wanted agrees to, and then says what comes next. One that fails doesn't keep the others from
// being taken.
func take(s *command.Streams, m *survey.Machine, steps []step, last string, wanted func(step) (bool, error)) error {
	failed := failedFiles(m)
	for _, one := range steps {
		yes, err := wanted(one)
		if err != nil {
			return err
		}
		if !yes {
			continue
		}
		if err := one.do(s); err != nil {
			s.Report(err)
			failed = command.Status(command.ExitError)
		}
	}

	newPrinter(s).line(0, last)
	return failed
}

// asker asks a person about each step.
func asker(s *command.Streams) func(step) (bool, error) {
	in := bufio.NewReader(s.In)
	return func(one step) (bool, error) {
		fmt.Fprintf(s.Out, "%s [y/N] ", one.question)
		line, err := in.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		answer := strings.ToLower(strings.TrimSpace(line))
		return answer == "y" || answer == "yes", nil
	}
}
