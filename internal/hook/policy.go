package hook

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/pack"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// Contracts returns the shipped contracts of the agent's own tools, as a file to
// read and to start from.
func (a *Agent) Contracts() ([]byte, error) { return pack.AgentText(a.Name) }

// maxContracts bounds the files in a directory of contracts or policies: more servers
// than any agent has.
const maxContracts = 256

// policy is the contracts in force with their monitor. It is immutable.
type policy struct {
	monitor *remit.Monitor
	// planned is the monitor of each agent whose turns are planned for: a planner is
	// shown the tools of one agent, and those of the user's servers. It is nil without a
	// planner.
	planned map[string]*remit.Monitor
	bound   bool // scopes bound
	servers map[string]map[string]*contract.Compiled
	// mistakes are those in the company's policies.
	mistakes guard.Errors
}

// of returns the monitor of an agent.
func (p *policy) of(agent string) *remit.Monitor {
	if m := p.planned[agent]; m != nil {
		return m
	}
	return p.monitor
}

// version identifies the state of a directory of contracts.
type version map[string]stamp

type stamp struct {
	size int64
	time time.Time
}

func (v version) same(o version) bool {
	if len(v) != len(o) {
		return false
	}
	for name, s := range v {
		if t, ok := o[name]; !ok || t.size != s.size || !t.time.Equal(s.time) {
			return false
		}
	}
	return true
}

// list returns the files of a directory of contracts, or of what it is called; none for an
// empty name.
func list(what, dir string) (version, error) {
	out := version{}
	if dir == "" {
		return out, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("the directory of %s: %w", what, err)
	}

	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".yaml" || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return nil, fmt.Errorf("the directory of %s: %w", what, err)
		}
		if out[e.Name()] = (stamp{info.Size(), info.ModTime()}); len(out) > maxContracts {
			return nil, fmt.Errorf("%s has more than %d files", dir, maxContracts)
		}
	}

	return out, nil
}

// Check reads what the settings name, as the first call would: an error is what every call would
// be denied for.
func (s Settings) Check() error {
	files, err := list("contracts", s.Contracts)
	if err != nil {
		return err
	}
	p, err := load(s, files, remit.Options{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	// A policy for a tool that no agent has decides nothing, and stops no call.
	mistakes := slices.DeleteFunc(p.mistakes, func(m *guard.Error) bool { return errors.Is(m, guard.ErrNoTool) })
	if len(mistakes) > 0 {
		return mistakes
	}
	return nil
}

// load reads the contracts of a directory, and the shipped ones for agents without any
// there, and the company's policies. The options say who plans, looks things up and
// judges.
func load(settings Settings, files version, o remit.Options, log *slog.Logger) (*policy, error) {
	dir := settings.Contracts
	var all []*contract.File
	have := map[string]bool{}
	var errs []error
	for name := range files {
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		if err == nil {
			var f *contract.File
			if f, err = contract.Load(path, data); err == nil {
				all, have[f.Server] = append(all, f), true
			}
		}
		errs = append(errs, err)
	}

	for _, a := range Agents() {
		if have[a.Name] {
			continue
		}
		data, err := a.Contracts()
		if err == nil {
			var f *contract.File
			if f, err = contract.Load(a.Name+".yaml", data); err == nil {
				all = append(all, f)
			}
		}
		errs = append(errs, err)
	}

	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	// The hooks don't report everything that the model reads: instructions in
	// files, text from before the installation.
	planner := o.Planner
	o.Planner, o.Contracts, o.UnseenUser, o.Scopes = nil, all, true, settings.Scopes
	if planner != nil {
		o.Scopes = cmp.Or(o.Scopes, scope.ModeGrant)
	}
	mistakes, err := guards(settings.Policies, &o)
	if err != nil {
		return nil, err
	}
	warn(mistakes, log)
	m, err := remit.New(o)
	if err != nil {
		return nil, err
	}
	p := &policy{monitor: m, mistakes: mistakes, bound: o.Scopes == scope.ModeBound, servers: map[string]map[string]*contract.Compiled{}}
	if o.Planner = planner; planner != nil {
		if err := p.plan(o); err != nil {
			return nil, err
		}
	}

	defaults := contract.Defaults{Precision: label.L3, Sinks: contract.Ask, Unprovoked: contract.Ask, Classes: &label.Classes{}, Obligations: &label.ObligationNames{}}
	for _, f := range all {
		if p.servers[f.Server], err = contract.Compile(f, defaults); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// guards compiles the company's policies of a directory, and returns the mistakes in them: rules with
// mistakes deny every call of their tools.
func guards(dir string, o *remit.Options) (mistakes guard.Errors, err error) {
	if dir == "" {
		return nil, nil
	}
	files, err := inputs.Guards(dir)
	if err != nil {
		return nil, err
	}
	o.Guards, err = guard.Compile(eachServer(files, o.Contracts), guard.Deployment{Contracts: o.Contracts, Complete: true})
	if errors.As(err, &mistakes) {
		return mistakes, nil
	}
	return nil, err
}

// warn writes each mistake once: agents call their own tools alike, and each has the rule.
func warn(mistakes guard.Errors, log *slog.Logger) {
	said := map[string]bool{}
	for _, m := range mistakes {
		if text := m.Error(); !said[text] {
			said[text] = true
			log.Warn(guard.Consequence(m), "place", m.Position.String(), "mistake", m.Message, "hint", m.Hint)
		}
	}
}

// eachServer gives a guard that names no server to every server that has its tool: agents call
// their own tools alike, and a company's policy for "Write" is for each of them, beside what a
// file says of that server's alone.
func eachServer(files []*guard.File, contracts []*contract.File) []*guard.File {
	general := func(f *guard.File) bool { return f.Server == "" }
	out := slices.DeleteFunc(slices.Clone(files), general)
	own := len(out)
	for _, f := range files {
		if !general(f) {
			continue
		}

		spread := false
		for _, c := range contracts {
			if _, has := c.Tool(f.Tool); !has {
				continue
			}
			spread = true
			i := slices.IndexFunc(out[:own], func(o *guard.File) bool { return o.Server == c.Server && o.Tool == f.Tool })
			if i >= 0 {
				out[i] = out[i].With(f)
				continue
			}
			of := *f
			of.Server = c.Server
			out = append(out, &of)
		}
		if !spread {
			out = append(out, f)
		}
	}
	return out
}

// plan makes the monitors with a planner.
func (p *policy) plan(o remit.Options) error {
	all := o.Contracts
	p.planned = map[string]*remit.Monitor{}
	for _, a := range Agents() {
		o.Contracts = slices.DeleteFunc(slices.Clone(all), func(f *contract.File) bool { return f.Server != a.Name && agents(f.Server) })
		m, err := remit.New(o)
		if err != nil {
			return err
		}
		p.planned[a.Name] = m
	}
	return nil
}

// noServer is the server of a call whose tool has no contract. Without a server,
// the monitor would choose the only tool of that name of any agent.
const noServer = "remit:none"

// find returns the server and name of a call's tool in the contracts, and its
// contract, nil if there is none. A name that two servers could have belongs to
// neither, and an agent can't call another agent's tools.
func (p *policy) find(a *Agent, c *Call) (server, tool string, found *contract.Compiled) {
	if agents(c.Server) || c.Server == noServer {
		return noServer, c.Tool, nil // a server that takes an agent's name has none of its tools
	}
	if c.Server != "" {
		return c.Server, c.Tool, p.servers[c.Server][c.Tool]
	}
	if own := p.servers[a.Name][c.Tool]; own != nil && !c.MCP {
		return a.Name, c.Tool, own
	}

	server, tool = noServer, c.Tool
	for name, tools := range p.servers {
		if agents(name) {
			continue
		}
		candidate := c.Tool
		if !c.MCP {
			var ok bool
			if candidate, ok = strings.CutPrefix(strings.TrimPrefix(c.Tool, "mcp"+a.joins), name+a.joins); !ok || a.joins == "" {
				continue
			}
		}
		if t := tools[candidate]; t != nil {
			if found != nil {
				return noServer, c.Tool, nil
			}
			server, tool, found = name, candidate, t
		}
	}

	return server, tool, found
}

func agents(name string) bool {
	_, err := Find(name)
	return err == nil
}
