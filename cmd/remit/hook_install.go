package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/hook"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/setup"
)

// hookFile says which of an agent's files is meant.
type hookFile struct {
	Project bool   `help:"The file of the project in this directory, instead of the user's own."`
	File    string `placeholder:"FILE" help:"The agent's file, where it isn't in its usual place."`
	Agent   string `arg:"" help:"claude-code, codex, cursor, gemini, copilot or windsurf."`
}

// find returns the agent, the name of the file, and what is in it; nil when there
// is none.
func (c *hookFile) find() (*hook.Agent, string, []byte, error) {
	agent, err := hook.Find(c.Agent)
	if err != nil {
		return nil, "", nil, command.UsageError(err)
	}
	name := c.File
	if name == "" {
		dir, err := os.Getwd()
		if err != nil {
			return nil, "", nil, err
		}
		home, err := os.UserHomeDir()
		if err != nil && !c.Project {
			return nil, "", nil, hint.Wrap(err, "name the file with --file")
		}
		name = agent.Place(c.Project, dir, home)
	}

	data, err := inputs.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return agent, name, nil, nil
	}
	return agent, name, data, err
}

type hookInstall struct {
	hookFile
	hookSettings
	Program string `placeholder:"PATH" help:"How the agent starts Remit; where this program is, by default."`
}

// Help is shown below the flags.
func (hookInstall) Help() string {
	return `If the agent has a setting by which a hook that fails stops the call, it is set as well. The rest of the file stays
byte by byte. A copy of what it was is kept as FILE.remit-backup.

Example:
  remit hook install claude-code
  remit hook install cursor --project --contracts contracts`
}

// Run writes the hooks.
func (c *hookInstall) Run(s *command.Streams) error {
	agent, name, data, err := c.find()
	if err != nil {
		return err
	}
	program, err := setup.Program(c.Program)
	if err != nil {
		return err
	}
	settings, err := c.settings()
	if err != nil {
		return err
	}
	for flag, dir := range map[string]string{"--contracts": settings.Contracts, "--policies": settings.Policies} {
		if info, err := os.Stat(dir); dir != "" && (err != nil || !info.IsDir()) {
			return hint.Wrap(fmt.Errorf("%s: %s is not a directory", flag, dir), "make it first")
		}
	}
	if err := settings.Check(); err != nil {
		return err
	}

	return installHooks(newPrinter(s), agent, name, data, agent.Command(program, settings))
}

// installHooks writes hooks that run a command into an agent's file; data is nil where
// there is none.
func installHooks(p *printer, agent *hook.Agent, name string, data []byte, line string) error {
	out, err := agent.Install(name, data, line)
	if err != nil {
		return err
	}

	switch {
	case data == nil:
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := setup.CreateFile(name, out, 0o644); err != nil {
			return err
		}
		p.line(0, "wrote "+name)
	case bytes.Equal(out, data):
		p.line(0, name+": Remit's hooks are there already; nothing was written")
	default:
		backup, err := setup.Replace(name, data, out)
		if err != nil {
			return err
		}
		p.line(0, fmt.Sprintf("wrote %s; what it was is in %s", name, backup))
	}
	p.line(0, fmt.Sprintf("restart %s, and prove the protection with remit doctor --hooks %s", agent.Title, agent.Name))
	return nil
}

type hookUninstall struct{ hookFile }

// Help is shown below the flags.
func (hookUninstall) Help() string {
	return `If nothing else has changed since the installation, the file is again what it was, byte by byte.

Example:
  remit hook uninstall claude-code`
}

// Run removes the hooks.
func (c *hookUninstall) Run(s *command.Streams) error {
	agent, name, data, err := c.find()
	if err != nil {
		return err
	}
	p := newPrinter(s)
	if data == nil {
		p.line(0, name+": there is no such file")
	} else if err := uninstallHooks(p, agent, name, data); err != nil {
		return err
	}
	c.sayOther(p)
	return nil
}

// sayOther says that the other of an agent's two files has hooks of Remit, too: the user's own, or
// the one of the project in this directory.
func (c *hookUninstall) sayOther(p *printer) {
	if c.File != "" {
		return
	}
	other := hookFile{Project: !c.Project, Agent: c.Agent}
	agent, name, data, err := other.find()
	if err != nil || data == nil {
		return // nobody asked about this file
	}
	out, err := agent.Uninstall(name, data)
	if err != nil || bytes.Equal(out, data) {
		return
	}

	flag := ""
	if other.Project {
		flag = " --project"
	}
	p.line(0, fmt.Sprintf("%s has hooks of Remit as well: remit hook uninstall %s%s", name, agent.Name, flag))
}

// uninstallHooks takes Remit's hooks out of an agent's file.
func uninstallHooks(p *printer, agent *hook.Agent, name string, data []byte) error {
	earlier, names, err := setup.Backups(name)
	if err != nil {
		return err
	}

	out, err := agent.Uninstall(name, data, earlier...)
	switch {
	case err != nil:
		return hint.Wrap(err, "put the file back from "+setup.BackupName(name, 1))
	case out == nil:
		if err := os.Remove(name); err != nil {
			return err
		}
		p.line(0, fmt.Sprintf("removed %s, which held nothing else: the tools of %s are not protected any more", name, agent.Title))
		return nil
	case bytes.Equal(out, data):
		p.line(0, name+": Remit has no hooks there; nothing was written")
		return nil
	}

	if err := setup.Restore(name, data, out, earlier, names); err != nil {
		return err
	}
	p.line(0, fmt.Sprintf("wrote %s: the tools of %s are not protected any more; restart it", name, agent.Title))
	return nil
}
