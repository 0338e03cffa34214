package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/gateway/mcp"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/store"
	"github.com/remit-project/remit/strictjson"
	"github.com/remit-project/remit/wholefile"
)

// contractDir is a directory with one contract file a server.
type contractDir string

func (d contractDir) file(server string) (string, error) {
	if server == "" || strings.ContainsAny(server, `/\`) || strings.HasPrefix(server, ".") {
		return "", hint(fmt.Errorf("the server name %q can't be a file name", server), "give it another with --name")
	}
	return filepath.Join(string(d), server+".yaml"), nil
}

// find reads the contract file of a server, nil when there is none.
func (d contractDir) find(server string) (*contract.File, error) {
	name, err := d.file(server)
	if err != nil {
		return nil, err
	}
	f, err := existing(name)
	if err == nil && f != nil && f.Server != server {
		return nil, hint(fmt.Errorf("%s: the file is for the server %q", name, f.Server), "name the file after the server, or start the gateway with --name "+f.Server)
	}
	return f, err
}

// add writes the contracts of a server that had none. A file that has come
// there meanwhile is somebody else's, and stays.
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
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is there by now: restart the gateway", name)
	}
	// The base of a later three-way merge, as contract synth keeps it.
	if err := wholefile.Replace(filepath.Join(string(d), "."+f.Server+".generated.yaml"), text, 0o644); err != nil {
		return err
	}
	return wholefile.Replace(name, text, 0o644)
}

// allowlist writes down what people allow for always: in the contract file of the
// server, where people read it, and in the gateway that runs.
type allowlist struct {
	gateway *mcp.Gateway
	// files are the contract files of servers.
	files map[string]string
	audit store.Audit
	log   *slog.Logger

	mu sync.Mutex // one edit of a file at a time
}

// add takes an approval. Where it can't be written down it is one for the
// session, which the person agreed to as well; log and audit log say so.
func (l *allowlist) add(ctx context.Context, a store.Approval) error {
	d := a.Decision
	note := store.Note{About: "allowlist", Members: map[string]string{"server": d.Server, "tool": d.Tool, "approval": a.ID, "by": a.By}}
	values, err := allowances(&a)
	if err == nil {
		err = l.write(d.Server, values, &note)
	}
	if err != nil {
		l.log.Warn("what was allowed for always could not be written down: it is allowed for the session", "tool", d.Tool, "approval", a.ID, "error", err)
		note.Members["failed"] = err.Error()
	}
	return l.audit.Note(ctx, note)
}

// write adds values to the contract file of a server and puts them in force.
func (l *allowlist) write(server string, values []contract.Allowance, note *store.Note) error {
	name := l.files[server]
	if name == "" {
		return errors.New("the server has no contract file: name a directory for them")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	data, err := readFile(name)
	if err != nil {
		return err
	}
	for _, v := range values {
		if data, err = contract.AllowIn(name, data, v); err != nil {
			return err
		}
		note.Members["value "+v.Pointer] = v.Value
	}
	if err := wholefile.Replace(name, data, 0o644); err != nil {
		return err
	}
	note.Members["file"], note.Members["sha256"] = name, fmt.Sprintf("%x", sha256.Sum256(data))
	return l.gateway.Allow(server, values...)
}

// allowances are the values that a person was asked about, each in its argument.
func allowances(a *store.Approval) ([]contract.Allowance, error) {
	d := a.Decision
	if d.Through != "" {
		return nil, fmt.Errorf("%w: the call goes through another tool", contract.ErrNotAllowable)
	}
	doc, err := strictjson.Parse(d.Arguments, strictjson.DefaultLimits())
	if err != nil {
		return nil, err
	}
	var out []contract.Allowance
	for _, f := range d.Findings {
		if f.Role == label.Credential && slices.ContainsFunc(d.Reasons, func(r remit.Reason) bool { return r.Path == f.Path }) {
			return nil, fmt.Errorf("%w: %s is a credential, and the file would tell it", contract.ErrNotAllowable, f.Path)
		}
	}
	for _, r := range d.Reasons {
		leaf, ok := doc.Get(r.Path)
		v := contract.Allowance{Tool: d.Tool, Variant: d.Variant, Pointer: r.Path, Value: leaf.Text}
		if ok && r.Path != "" && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: the question was about the call as a whole", contract.ErrNotAllowable)
	}
	return out, nil
}
