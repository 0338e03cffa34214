package setup

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/mcp/clients"
)

// Options say where a setup keeps its files.
type Options struct {
	// Out is the file of the configuration.
	Out string
	// Contracts is the directory of contract files; the one beside the configuration
	// if empty.
	Contracts string
	// Store names the store of sessions and questions.
	Store string
	// Skip has the names of the servers that stay as they are.
	Skip []string
	// Program is the path by which a client starts Remit.
	Program string
}

func (o Options) skips(s *clients.Server) bool { return slices.Contains(o.Skip, s.Name) }

// Note says something about a server of a client's file.
type Note struct {
	Server *clients.Server
	Text   string
	// Mark reports whether the note is about a place in the file.
	Mark bool
}

// Configured is the outcome of [Options.Configure].
type Configured struct {
	Notes []Note
	// Existed reports whether an equivalent configuration was already there. Then
	// nothing was written.
	Existed bool
	// Servers counts the servers in the configuration.
	Servers int
	// Variables must be set before the gateway starts.
	Variables []Variable
}

// Configure writes a configuration that serves the servers of a client's file. The
// notes in the outcome are valid even if there is an error.
func (o Options) Configure(f *clients.File) (*Configured, error) {
	out := &Configured{}
	names := serverNames(f.Servers)
	made := &configuration{contracts: o.Contracts, store: o.Store, secrets: newSecrets()}
	var mistakes contract.Errors
	for _, server := range f.Servers {
		if o.skips(server) {
			out.Notes = append(out.Notes, Note{Server: server, Text: "left out"})
			continue
		}
		notes, err := made.add(server, names[server])
		for _, n := range notes {
			out.Notes = append(out.Notes, Note{Server: server, Text: n, Mark: true})
		}
		if err != nil {
			mistakes = append(mistakes, err)
		}
	}
	if len(mistakes) > 0 {
		return out, mistakes
	}
	if len(made.servers) == 0 {
		return out, hint.Wrap(fmt.Errorf("%s: no server of the file can be in a configuration", f.Name), "put the gateway before each of them: "+display.Command("remit", "init", "--apply", "--file", f.Name))
	}

	var err error
	out.Existed, err = made.save(o.Out)
	out.Servers, out.Variables = len(made.servers), made.variables
	return out, err
}

// Applied is the outcome of [Options.Apply].
type Applied struct {
	Notes []Note
	// Backup is the file with what the client's file was; empty if the file has not
	// changed.
	Backup string
	// ByHand is set if the file can't be edited: how each server must be started.
	ByHand []Edit
}

// Edit is a change of a client's file that a person has to make.
type Edit struct {
	Server   *clients.Server
	Wrapping *clients.Wrapping
}

// Apply puts the gateway before the servers of a client's file, whose text is data.
// An edit that could not be undone exactly is not made; then the outcome says how
// to make it by hand, beside the error.
func (o Options) Apply(f *clients.File, data []byte) (*Applied, error) {
	var err error
	if o.Out, err = filepath.Abs(o.Out); err != nil {
		return nil, err
	}
	if o.Contracts == "" {
		o.Contracts = filepath.Join(filepath.Dir(o.Out), "contracts")
	}
	if o.Contracts, err = filepath.Abs(o.Contracts); err != nil {
		return nil, err
	}

	p, err := o.plan(f)
	if err != nil || len(p.wrappings) == 0 {
		return &Applied{Notes: p.notes}, err
	}
	changed, err := wrapped(f, data, p.wrappings)
	if err != nil {
		out := &Applied{}
		for _, s := range f.Servers {
			if w := p.wrappings[s]; w != nil {
				out.ByHand = append(out.ByHand, Edit{s, w})
			}
		}
		return out, err
	}

	// Whoever reads them there, such as the hooks of the same agent, finds a directory before the first start.
	if err := os.MkdirAll(o.Contracts, 0o755); err != nil {
		return nil, err
	}
	for name, made := range p.files {
		if _, err := made.save(name); err != nil {
			return nil, err
		}
	}
	backup, err := Replace(f.Name, data, changed)
	return &Applied{Notes: p.notes, Backup: backup}, err
}

// plan is what is to be done about the servers of a client's file.
type plan struct {
	notes     []Note
	wrappings map[*clients.Server]*clients.Wrapping
	// files are configurations for the servers that have an address.
	files map[string]*configuration
}

func (o Options) plan(f *clients.File) (*plan, error) {
	p := &plan{wrappings: map[*clients.Server]*clients.Wrapping{}, files: map[string]*configuration{}}
	names := serverNames(f.Servers)
	var mistakes contract.Errors
	for _, server := range f.Servers {
		note := func(format string, args ...any) {
			p.notes = append(p.notes, Note{Server: server, Text: fmt.Sprintf(format, args...)})
		}
		switch {
		case o.skips(server):
			note("left as it is, and so not protected")
		case server.Gateway() != nil:
			note("goes through Remit already")
		case server.Legacy:
			note("left as it is, and so not protected: %s", legacy)
		case server.URL != "":
			name := strings.TrimSuffix(o.Out, filepath.Ext(o.Out)) + "-" + names[server] + ".yaml"
			made := &configuration{contracts: o.Contracts, store: o.Store, secrets: newSecrets()}
			env, err := made.addURL(server, names[server])
			if err != nil {
				mistakes = append(mistakes, err)
				continue
			}
			p.files[name] = made
			p.wrappings[server] = &clients.Wrapping{Program: o.Program, Args: []string{"gateway", "--config", name, "--shared"}, Env: env}
			note("now goes through Remit, as %s says", name)
		default:
			p.wrappings[server] = &clients.Wrapping{Program: o.Program, Args: []string{"gateway", "--name", names[server], "--contracts", o.Contracts, "--store", o.Store, "--queue", "--elicit", "--shared"}}
			note("now goes through Remit; contracts in %s", filepath.Join(o.Contracts, names[server]+".yaml"))
		}
	}

	if len(mistakes) > 0 {
		return &plan{}, mistakes
	}
	return p, nil
}

// wrapped returns the text of the client's file with the gateway before servers,
// after it has made sure that the edit can be undone exactly.
func wrapped(f *clients.File, data []byte, how map[*clients.Server]*clients.Wrapping) ([]byte, error) {
	changed, err := f.Wrap(func(s *clients.Server) *clients.Wrapping { return how[s] })
	if err != nil {
		return nil, err
	}
	again, err := clients.Parse(f.Name, changed)
	if err != nil {
		return nil, err
	}

	back, err := unwrapped(again, data, how, f)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(back, data) {
		return nil, fmt.Errorf("%s: the file can't be edited so that the edit could be undone", f.Name)
	}
	return changed, nil
}

// unwrapped returns the text of an edited file without the wrappings that were just
// made.
func unwrapped(again *clients.File, data []byte, how map[*clients.Server]*clients.Wrapping, f *clients.File) ([]byte, error) {
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

// Removed is the outcome of [Options.Remove].
type Removed struct {
	// Stay are the servers that stay behind Remit, because no backup says what they
	// were.
	Stay []*clients.Server
	// Changed reports whether the file was written.
	Changed bool
}

// Remove takes the gateway out of a client's file, whose text is data. The servers
// in the outcome are valid even if there is an error.
func (o Options) Remove(f *clients.File, data []byte) (*Removed, error) {
	earlier, names, err := Backups(f.Name)
	if err != nil {
		return &Removed{}, err
	}
	text, stay, err := f.Unwrap(func(s *clients.Server) bool { return !o.skips(s) }, earlier...)
	if err != nil {
		return &Removed{}, hint.Wrap(err, "put the file back from "+BackupName(f.Name, 1))
	}

	out := &Removed{Stay: stay}
	if bytes.Equal(text, data) {
		return out, nil
	}
	if err := Restore(f.Name, data, text, earlier, names); err != nil {
		return out, err
	}
	out.Changed = true
	return out, nil
}
