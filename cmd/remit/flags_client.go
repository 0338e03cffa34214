package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/mcp/clients"
)

// clientFlags say whose configuration is meant.
type clientFlags struct {
	Client string `placeholder:"CLIENT" enum:",claude-desktop,claude-code,cursor,vscode" default:"" help:"The MCP client: claude-desktop, claude-code, cursor or vscode; all that are found, by default."`
	File   string `placeholder:"FILE" help:"The client's file, where it isn't in its usual place."`
}

// files reads the files that are meant and that name servers.
func (c clientFlags) files() ([]*clients.File, error) {
	if c.File != "" {
		f, err := readClient(c.File)
		return []*clients.File{f}, err
	}
	which := clients.Clients()
	if c.Client != "" {
		which = []clients.Client{clients.Client(c.Client)}
	}

	var out []*clients.File
	var places []string
	for _, client := range which {
		dir, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		names, err := clients.Places(client, dir)
		if err != nil {
			return nil, hint.Wrap(err, "name the file with --file")
		}
		places = append(places, names...)
		for _, name := range names {
			f, err := readClient(name)
			switch {
			case errors.Is(err, fs.ErrNotExist):
			case err != nil:
				return nil, err
			case len(f.Servers) > 0:
				out = append(out, f)
			}
		}
	}

	if len(out) == 0 {
		return nil, hint.Wrap(errors.New("no client has a file with MCP servers in "+strings.Join(places, ", ")), "name the file with --file")
	}
	return out, nil
}

// one reads the one file that is meant.
func (c clientFlags) one() (*clients.File, error) {
	list, err := c.files()
	if err != nil {
		return nil, err
	}
	if len(list) > 1 {
		names := make([]string, 0, len(list))
		for _, f := range list {
			names = append(names, f.Name)
		}
		return nil, command.UsageError(hint.Wrap(fmt.Errorf("servers stand in more than one file: %s", strings.Join(names, ", ")), "say which with --file, one after the other"))
	}
	return list[0], nil
}

func readClient(name string) (*clients.File, error) {
	data, err := inputs.Read(name)
	if err != nil {
		return nil, err
	}
	return clients.Parse(name, data)
}
