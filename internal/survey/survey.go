package survey

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/remit-project/remit/internal/hook"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/mcp/clients"
)

// Machine is what was found.
type Machine struct {
	Clients  []*Client
	Agents   []*Agent
	Projects []*Project
}

// Client is a file of an MCP client.
type Client struct {
	Client clients.Client
	// Name is the file's name.
	Name string
	// File is the file; nil where it can't be read, and then Trouble says why.
	File    *clients.File
	Trouble error
	// Behind counts the servers behind Remit, and Open those that Remit can be put
	// before.
	Behind, Open int
}

// Agent is a coding agent of the user's.
type Agent struct {
	*hook.Agent
	// File is the name of its file of hooks, which need not be there.
	File string
	// Installed reports whether Remit's hooks are in the file. Trouble says why the file
	// can't be read.
	Installed bool
	Trouble   error
}

// Look looks at the user's home, and at the project in a directory.
func Look(dir, home string) (*Machine, error) {
	m := &Machine{}
	for _, c := range clients.Clients() {
		names, err := clients.Places(c, dir)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if f := readClient(c, name); f != nil {
				m.Clients = append(m.Clients, f)
			}
		}
	}

	for _, a := range hook.Agents() {
		if found := readAgent(a, home); found != nil {
			m.Agents = append(m.Agents, found)
		}
	}
	m.Projects = projects(dir)
	return m, nil
}

// readClient reads a client's file; nil where there is none, or none with servers.
func readClient(c clients.Client, name string) *Client {
	out := &Client{Client: c, Name: name}
	data, err := inputs.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		out.File, err = clients.Parse(name, data)
	}
	if err != nil {
		out.Trouble = err
		return out
	}

	for _, s := range out.File.Servers {
		switch {
		case s.Gateway() != nil:
			out.Behind++
		case !s.Legacy:
			out.Open++
		}
	}
	if len(out.File.Servers) == 0 {
		return nil
	}
	return out
}

// readAgent looks for an agent by the directory that it keeps its settings in; nil where
// there is none.
func readAgent(a *hook.Agent, home string) *Agent {
	if info, err := os.Stat(filepath.Join(home, a.Settings())); err != nil || !info.IsDir() {
		return nil
	}
	out := &Agent{Agent: a, File: a.Place(false, "", home)}
	data, err := inputs.Read(out.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return out
	case err != nil:
		out.Trouble = err
		return out
	}

	hooks, err := a.Hooks(out.File, data)
	out.Installed, out.Trouble = len(hooks) > 0, err
	return out
}
