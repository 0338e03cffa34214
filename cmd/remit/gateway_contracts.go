package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/atomicfile"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/store"
)

// contractDir is a directory with one contract file a server.
type contractDir string

func (d contractDir) file(server string) (string, error) {
	if server == "" || strings.ContainsAny(server, `/\`) || strings.HasPrefix(server, ".") {
		return "", hint.Wrap(fmt.Errorf("the server name %q can't be a file name", server), "give it another with --name")
	}
	return filepath.Join(string(d), server+".yaml"), nil
}

// find reads the contract file of a server, nil when there is none.
func (d contractDir) find(server string) (*contract.File, error) {
	name, err := d.file(server)
	if err != nil {
		return nil, err
	}
	f, err := inputs.ExistingContract(name)
	if err == nil && f != nil && f.Server != server {
		return nil, hint.Wrap(fmt.Errorf("%s: the file is for the server %q", name, f.Server), "name the file after the server, or start the gateway with --name "+f.Server)
	}
	return f, err
}

// others returns the contract files of the directory that are of other names.
func (d contractDir) others(server string) ([]string, error) {
	entries, err := os.ReadDir(string(d))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []string
	for _, e := range entries {
		name := e.Name()
		if strings.HasSuffix(name, ".yaml") && !strings.HasPrefix(name, ".") && name != server+".yaml" {
			out = append(out, name)
		}
	}
	return out, err
}

// add writes the contracts of a server that had none. A file that has appeared there since is
// kept: it is what another gateway that started at the same time wrote, or else an error.
func (d contractDir) add(f *contract.File) error {
	name, err := d.file(f.Server)
	if err != nil {
		return err
	}
	text, err := contractText(name, f)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(string(d), 0o755); err != nil {
		return err
	}

	unlock, err := atomicfile.Lock(string(d))
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		there, err := inputs.Read(name)
		if err == nil && !bytes.Equal(there, text) {
			err = hint.Wrap(fmt.Errorf("%s is there by now, with other contracts", name), "start again, so that they are read")
		}
		return err
	}
	// The base of a later three-way merge, as contract synth keeps it.
	if err := atomicfile.Write(filepath.Join(string(d), "."+f.Server+".generated.yaml"), text, 0o644); err != nil {
		return err
	}
	return atomicfile.Write(name, text, 0o644)
}

// adding returns a function that adds contracts, and logs where they are.
func (d contractDir) adding(log *slog.Logger) func(*contract.File) error {
	return func(f *contract.File) error {
		if err := d.add(f); err != nil {
			return err
		}
		name, err := d.file(f.Server)
		log.Info("contracts were written: read them, and correct what is wrong", "server", f.Server, "file", name)
		return err
	}
}

// approved writes down the calls that people allow for always: in the contract
// file of the server, where people read them, and in the gateway that runs.
type approved struct {
	gateway *mcp.Gateway
	// files are the contract files of servers.
	files map[string]string
	// audit takes a note of each; nil without a store.
	audit store.Audit
}

// add takes a call that a person allowed for always. The audit log says who it
// was, also where the call could not be written down.
func (l *approved) add(ctx context.Context, d *remit.Decision, by string) error {
	note := store.Note{About: "approved", Members: map[string]string{"server": d.Server, "tool": d.Tool, "call": d.Call, "by": by}}
	a, err := mcp.Approval(d)
	if err == nil {
		err = l.write(d.Server, a, &note)
	}
	if err != nil {
		note.Members["failed"] = err.Error()
	}
	if l.audit == nil {
		return err
	}
	return errors.Join(err, l.audit.Note(ctx, note))
}

// write adds the call to the contract file of a server and puts it in force.
func (l *approved) write(server string, a contract.Approval, note *store.Note) error {
	name := l.files[server]
	if name == "" {
		return errors.New("the server has no contract file: name a directory for them")
	}
	data, err := atomicfile.Edit(name, func(was []byte) ([]byte, error) { return contract.ApproveIn(name, was, a) })
	if err != nil {
		return inputs.Missing(err)
	}
	for pointer, value := range a.Call {
		note.Members["value "+pointer] = value
	}
	note.Members["file"], note.Members["sha256"] = name, fmt.Sprintf("%x", sha256.Sum256(data))
	return l.gateway.Approve(server, a)
}
