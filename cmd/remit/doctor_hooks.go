package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/doctor"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/hook"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/mcp/clients"
)

// hooks examines the hooks of an agent: in the file that is named, or in its
// usual places, the project's first.
func (c *doctorCommand) hooks(ctx context.Context) ([]*doctor.Diagnosis, error) {
	if c.Client != "" || c.Config != "" {
		return nil, command.UsageError(errors.New("--hooks are examined by themselves: leave --client and --config out"))
	}
	agent, err := hook.Find(c.Hooks)
	if err != nil {
		return nil, command.UsageError(err)
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}

	names := []string{c.File}
	if c.File == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, hint.Wrap(err, "name the file with --file")
		}
		names = []string{agent.Place(true, dir, home), agent.Place(false, dir, home)}
	}

	out, err := c.hooksOf(ctx, agent, names)
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		out = append(out, doctor.Unhooked(agent, strings.Join(names, ", ")))
	}
	return out, nil
}

// hooksOf examines the hooks of an agent in its files: of two, one without Remit's hooks
// says nothing about the other.
func (c *doctorCommand) hooksOf(ctx context.Context, agent *hook.Agent, names []string) ([]*doctor.Diagnosis, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	var out []*doctor.Diagnosis
	for _, name := range slices.Compact(names) {
		data, err := inputs.Read(name)
		if errors.Is(err, fs.ErrNotExist) && c.File == "" {
			continue
		}
		if err != nil {
			return nil, err
		}
		installed, err := agent.Hooks(name, data)
		if err != nil {
			return nil, err
		}
		if len(installed) == 0 && c.File == "" {
			continue
		}

		d, err := doctor.ExamineHooks(ctx, agent, name, data, dir, ownServers(agent, dir), c.Timeout)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

// ownServers counts the MCP servers in an agent's own files, as far as they are known and can be read.
func ownServers(agent *hook.Agent, dir string) int {
	n := 0
	client := clients.Client(agent.Name)
	if !slices.Contains(clients.Clients(), client) {
		return 0
	}
	places, _ := clients.Places(client, dir)
	for _, name := range places {
		data, err := inputs.Read(name)
		if err != nil {
			continue
		}
		if f, err := clients.Parse(name, data); err == nil {
			n += len(f.Servers)
		}
	}
	return n
}
