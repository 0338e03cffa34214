package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/remit-project/remit/internal/atomicfile"
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

// commonNames gives every server the name that contracts call it by: its own,
// with what can't stand in names of files and tools replaced, and a number
// where two would have the same.
func commonNames(servers []*clients.Server) map[*clients.Server]string {
	out := map[*clients.Server]string{}
	taken := map[string]bool{}
	for _, s := range servers {
		if g := s.Gateway(); g != nil && g.Flag("--name") != "" {
			out[s] = g.Flag("--name")
			taken[out[s]] = true
		}
	}
	for _, s := range servers {
		if out[s] != "" {
			continue
		}
		base := plainName(s.Name)
		name := base
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s-%d", base, n)
		}
		out[s] = name
		taken[name] = true
	}
	return out
}

func plainName(s string) string {
	const most = 48
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
			b.WriteRune(r)
		case r == '_' && !strings.HasSuffix(b.String(), "_"):
			b.WriteRune(r)
		case !strings.HasSuffix(b.String(), "-") && r != '_':
			b.WriteByte('-')
		}
	}
	name := strings.Trim(b.String(), "-_")
	if len(name) > most {
		name = name[:most]
	}
	if name == "" {
		return "server"
	}
	return name
}

// replaceKeeping writes a file whole or not at all, with the given permissions.
// A link stays one.
func replaceKeeping(name string, data []byte, mode fs.FileMode) error {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	return atomicfile.Write(name, data, mode)
}

// createFile writes a file that must not be there yet.
func createFile(name string, data []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode.Perm())
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}
