package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/trace"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// maxInput bounds a file that is read whole: tool catalogues and contracts are
// far smaller, and the packages that parse them have bounds of their own.
const maxInput = 64 << 20

// engineFlags are the flags of every command that decides calls.
type engineFlags struct {
	Contracts  string `placeholder:"DIR" help:"Contract files (*.yaml). Without them contracts are made from the tools' schemas."`
	Policies   string `placeholder:"DIR" help:"Guard files (*.yaml): the company's policies for calls."`
	Precision  string `placeholder:"L0|L1|L2|L3" help:"How finely calls are checked where a contract doesn't say (L3)."`
	Sinks      string `placeholder:"MODE" help:"Addresses of external origin in outward calls: off, ask or deny (ask)."`
	Unprovoked string `placeholder:"MODE" help:"Calls with an effect that the user did not ask for: off, ask or deny (ask)."`
	Now        string `placeholder:"TIME" help:"What \"today\" means, as 2026-03-31T09:00:00Z. A recording's own time comes before it."`
}

// engine is what the engine flags come to.
type engine struct {
	// contracts are the files of --contracts; nil when the flag was not given.
	contracts []*contract.File
	// guards are the files of --policies.
	guards  []*guard.File
	options remit.Options
}

func (f engineFlags) engine() (*engine, error) {
	e := &engine{}
	if f.Precision != "" {
		if err := e.options.Precision.UnmarshalText([]byte(strings.ToUpper(f.Precision))); err != nil {
			return nil, usage{fmt.Errorf("--precision: %w", err)}
		}
	}
	for _, m := range []struct {
		flag, value string
		to          *contract.Mode
	}{{"--sinks", f.Sinks, &e.options.Sinks}, {"--unprovoked", f.Unprovoked, &e.options.Unprovoked}} {
		if m.value == "" {
			continue
		}
		if err := m.to.UnmarshalText([]byte(m.value)); err != nil {
			return nil, usage{fmt.Errorf("%s: %w", m.flag, err)}
		}
	}
	if f.Now != "" {
		now, err := time.Parse(time.RFC3339, f.Now)
		if err != nil {
			return nil, usage{fmt.Errorf("--now: %q is not a time: write it as 2026-03-31T09:00:00Z", f.Now)}
		}
		e.options.Now = func() time.Time { return now }
	}
	if f.Policies != "" {
		var err error
		if e.guards, err = readGuards(f.Policies); err != nil {
			return nil, err
		}
	}
	if f.Contracts == "" {
		return e, nil
	}
	files, err := readContracts(f.Contracts)
	e.contracts = files
	return e, err
}

// monitor makes a monitor for sessions that use the given tools. Tools that a
// contract file covers are held to it; when there are contract files, a tool
// in none of them stays unknown, and when there are none at all, contracts are
// made from the schemas. The time is the session's own; zero when unknown.
func (e *engine) monitor(tools []*schema.Catalogue, at time.Time) (*remit.Monitor, error) {
	o := e.options
	if !at.IsZero() {
		o.Now = func() time.Time { return at }
	}
	if e.contracts == nil {
		for _, c := range tools {
			o.Contracts = append(o.Contracts, synth.Contract(c))
		}
		o.Tools = tools
		return e.guarded(o)
	}
	o.Contracts = e.contracts
	for _, c := range tools {
		o.Tools = append(o.Tools, assign(c, e.contracts)...)
	}
	return e.guarded(o)
}

// guarded makes the monitor with the guards, which know its tools. A guard for a
// tool that there isn't is a mistake.
func (e *engine) guarded(o remit.Options) (*remit.Monitor, error) {
	if e.guards != nil {
		var err error
		if o.Guards, err = guard.Compile(e.guards, guard.Deployment{Tools: o.Tools, Contracts: o.Contracts}); err != nil {
			return nil, err
		}
	}
	return remit.New(o)
}

// assign sorts the tools of one list by the servers whose contracts name them:
// a recording has one list for all servers, contracts have one file each.
// Tools that no file names are left out, and so remain unknown.
func assign(c *schema.Catalogue, files []*contract.File) []*schema.Catalogue {
	if slices.ContainsFunc(files, func(f *contract.File) bool { return f.Server == c.Server }) {
		return []*schema.Catalogue{c}
	}
	var out []*schema.Catalogue
	for _, f := range files {
		part := &schema.Catalogue{Server: f.Server}
		for _, t := range c.Tools {
			if _, ok := f.Tool(t.Name); ok {
				part.Tools = append(part.Tools, t)
			}
		}
		if len(part.Tools) > 0 {
			out = append(out, part)
		}
	}
	return out
}

// sessionTools reads the tools that a recorded session lists.
func sessionTools(s *trace.Session) ([]*schema.Catalogue, error) {
	if s.Tools == nil {
		return nil, nil
	}
	c, err := schema.Parse("tools", s.Tools)
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", name(s.ID), err)
	}
	return []*schema.Catalogue{c}, nil
}

// readTools reads catalogue files; the server is called like the file.
func readTools(files []string) ([]*schema.Catalogue, error) {
	var out []*schema.Catalogue
	for _, name := range files {
		data, err := readFileOf(name, "a file of tool definitions (*.json)")
		if err != nil {
			return nil, err
		}
		c, err := schema.Parse(name, data)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(o *schema.Catalogue) bool { return o.Server == c.Server }) {
			return nil, hint(fmt.Errorf("%s: a server named %q was already read", name, c.Server), "the server is called like the file: rename one of the files")
		}
		out = append(out, c)
	}
	return out, nil
}

// readContracts reads a contract file, or all files *.yaml and *.yml of a
// directory but hidden ones. All mistakes of all files are reported.
func readContracts(path string) ([]*contract.File, error) {
	names, err := contractFiles(path)
	if err != nil {
		return nil, err
	}
	var out []*contract.File
	var errs []error
	for _, name := range names {
		f, err := readContract(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, f)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return out, nil
}

func contractFiles(path string) ([]string, error) {
	return yamlFiles(path, "contract", "make some with remit contract synth --out "+path+" TOOLS.json")
}

// yamlFiles lists the files *.yaml and *.yml of a directory but hidden ones, or
// is the one file that was named.
func yamlFiles(path, what, advice string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, missing(err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		ext := filepath.Ext(e.Name())
		if (ext == ".yaml" || ext == ".yml") && !strings.HasPrefix(e.Name(), ".") && !e.IsDir() {
			names = append(names, filepath.Join(path, e.Name()))
		}
	}
	if len(names) == 0 {
		return nil, hint(fmt.Errorf("%s: there are no %s files (*.yaml) in here", path, what), advice)
	}
	return names, nil
}

func readContract(name string) (*contract.File, error) {
	data, err := readFileOf(name, "a contract file (*.yaml) in it")
	if err != nil {
		return nil, err
	}
	return contract.Load(name, data)
}

// readFile reads a file whole, up to a bound.
func readFile(name string) ([]byte, error) { return readFileOf(name, "a file") }

// readFileOf reads a file, and knows what it should hold.
func readFileOf(name, what string) ([]byte, error) {
	f, err := open(name, what)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxInput+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxInput {
		return nil, fmt.Errorf("%s: the file is larger than %d MiB", name, maxInput>>20)
	}
	return data, nil
}

// aRecording is what a recording is called in advice.
const aRecording = "a recording (*.json, *.jsonl)"

// open opens a file for reading. Where a directory was named instead, the error
// says what to name.
func open(name, what string) (*os.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, missing(err)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, hint(fmt.Errorf("%s is a directory", name), "give "+what)
	}
	return f, nil
}

// missing adds advice to the error of a file that isn't there.
func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return hint(err, "check the path; it is relative to the current directory")
	}
	return err
}

// readSession reads the one session of a recording that is meant: the named
// one, or the only one. The flag is the one that names it.
func readSession(name, id, flag string) (*trace.Session, error) {
	f, err := open(name, aRecording)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var found *trace.Session
	n := 0
	for s, err := range trace.Read(f) {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		n++
		if id == "" || s.ID == id {
			if found != nil && id != "" {
				return nil, fmt.Errorf("%s: two sessions are called %q", name, id)
			}
			found = s
		}
	}
	switch {
	case n > 1 && id == "":
		return nil, usage{hint(fmt.Errorf("%s: there are %d sessions in this file", name, n), "say which with "+flag+" ID")}
	case found == nil && id != "":
		return nil, hint(fmt.Errorf("%s: no session is called %q", name, id), "remit replay --json FILE prints the ids")
	case found == nil:
		return nil, noSession(name)
	}
	return found, nil
}

func noSession(name string) error {
	return hint(fmt.Errorf("%s: there is no session in this file", name), "a recording has one JSON document a session: docs/reference/traces.md")
}
