package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/pack"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/synth"
)

// PacksReport compares synthesized contracts with packs on sessions with real servers.
type PacksReport struct {
	Servers []PackRates `json:"servers"`
	All     PackRates   `json:"all"`
}

// PackRates are the outcomes of one server's sessions.
type PackRates struct {
	Server    string      `json:"server"`
	Tasks     int         `json:"tasks"`
	Calls     int         `json:"calls"`
	Attacks   int         `json:"attacks"`
	Synthesis PackOutcome `json:"synthesis"`
	Pack      PackOutcome `json:"pack"`
}

// PackOutcome counts what one set of contracts made of the sessions.
type PackOutcome struct {
	// Questions and Denied are the calls of ordinary tasks that were asked about and
	// denied, Clean the tasks without either.
	Questions int `json:"questions"`
	Denied    int `json:"denied"`
	Clean     int `json:"clean"`
	// Through are the attacks whose last call was allowed.
	Through int `json:"through"`
	// Misses say which calls were not allowed, and which attacks were.
	Misses []string `json:"misses,omitempty"`
}

func (o *PackOutcome) add(p PackOutcome) {
	o.Questions += p.Questions
	o.Denied += p.Denied
	o.Clean += p.Clean
	o.Through += p.Through
}

// packSessions are the sessions with one server: sessions.yaml beside the server's
// tools.json.
type packSessions struct {
	Server      string        `yaml:"server"`
	Directories []string      `yaml:"directories"`
	System      string        `yaml:"system"`
	Structured  bool          `yaml:"structured"`
	Outputs     any           `yaml:"outputs"` // anchors
	Tasks       []packSession `yaml:"tasks"`
	Attacks     []packSession `yaml:"attacks"`
}

// packSession is a task, or an attack whose last call must not be allowed.
type packSession struct {
	Why   string  `yaml:"why"`
	User  string  `yaml:"user"`
	Steps [][]any `yaml:"steps"` // tool, arguments, result
}

// packNow is the time in the sessions.
var packNow = time.Date(2026, 1, 7, 12, 0, 0, 0, time.UTC)

// Packs plays the sessions below a directory, each server's with synthesized contracts and
// with the pack that has the directory's name.
func Packs(ctx context.Context, dir string) (*PacksReport, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}

	out := &PacksReport{All: PackRates{Server: "all"}}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		r, err := packServer(ctx, filepath.Join(dir, e.Name()), e.Name())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		out.Servers = append(out.Servers, *r)
		out.All.Tasks += r.Tasks
		out.All.Calls += r.Calls
		out.All.Attacks += r.Attacks
		out.All.Synthesis.add(r.Synthesis)
		out.All.Pack.add(r.Pack)
	}
	if len(out.Servers) == 0 {
		return nil, errors.New(dir + " has no directory with sessions.yaml and tools.json")
	}
	return out, nil
}

func packServer(ctx context.Context, dir, name string) (*PackRates, error) {
	data, err := os.ReadFile(filepath.Join(dir, "sessions.yaml"))
	if err != nil {
		return nil, err
	}
	var s packSessions
	if err := yaml.Load(data, &s, yaml.WithKnownFields()); err != nil {
		return nil, err
	}
	tools := filepath.Join(dir, "tools.json")
	if data, err = os.ReadFile(tools); err != nil {
		return nil, err
	}
	c, err := schema.Parse(tools, data)
	if err != nil {
		return nil, err
	}
	c.Server = s.Server
	p, err := pack.Select(name, nil)
	if err != nil {
		return nil, err
	}

	out := &PackRates{Server: name, Tasks: len(s.Tasks), Attacks: len(s.Attacks)}
	for _, t := range s.Tasks {
		out.Calls += len(t.Steps)
	}
	if out.Synthesis, err = s.play(ctx, c, nil); err != nil {
		return nil, err
	}
	out.Pack, err = s.play(ctx, c, p)
	return out, err
}

// play plays all sessions with a pack, or with synthesized contracts if there is none.
func (s *packSessions) play(ctx context.Context, c *schema.Catalogue, p pack.Set) (PackOutcome, error) {
	var out PackOutcome
	f := p.Contract(c)
	for i := range f.Tools {
		synth.Below(&f.Tools[i], s.Directories)
	}
	m, err := remit.New(remit.Options{Contracts: []*contract.File{f}, Tools: []*schema.Catalogue{c}, ReviewedDefinitions: p.Reviewed(c), Now: func() time.Time { return packNow }})
	if err != nil {
		return out, err
	}

	for i, t := range s.Tasks {
		held, err := s.session(ctx, m, t)
		if err != nil {
			return out, fmt.Errorf("task %d: %w", i+1, err)
		}
		out.task(t, held)
	}
	for i, t := range s.Attacks {
		held, err := s.session(ctx, m, t)
		if err != nil {
			return out, fmt.Errorf("attack %d: %w", i+1, err)
		}
		if held[len(held)-1].Verdict == remit.Allow {
			out.Through++
			out.Misses = append(out.Misses, "attack allowed: "+t.Why)
		}
	}
	return out, nil
}

// task counts what became of a task's calls.
func (o *PackOutcome) task(t packSession, decisions []*remit.Decision) {
	clean := true
	for _, d := range decisions {
		switch d.Verdict {
		case remit.Allow:
			continue
		case remit.Ask:
			o.Questions++
		default:
			o.Denied++
		}
		clean = false
		o.Misses = append(o.Misses, fmt.Sprintf("%s: %s: %s", t.User, d.Tool, reasons(d)))
	}
	if clean {
		o.Clean++
	}
}

// session plays one session and returns the decisions as they were before the person
// answered. The person says yes to every question, and every call that may run returns
// what the session says.
func (s *packSessions) session(ctx context.Context, m *remit.Monitor, t packSession) ([]*remit.Decision, error) {
	one := m.Session("packs")
	if s.System != "" {
		one.System(s.System)
	}
	one.User(t.User)

	var out []*remit.Decision
	for i, step := range t.Steps {
		call, result, err := s.step(step)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		d, err := one.Decide(ctx, call)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
		result.Call = d.Call
		if d.Verdict == remit.Ask && i+1 < len(t.Steps) {
			if _, err := one.Confirm(ctx, d.Call); err != nil {
				return nil, err
			}
		}
		if err := one.Result(ctx, result); err != nil {
			return nil, err
		}
	}
	if len(out) == 0 {
		return nil, errors.New("a session needs a step")
	}
	return out, nil
}

// step reads a call and what it returns: text as it is, and all else as the JSON that
// servers make of it.
func (s *packSessions) step(step []any) (remit.Call, remit.Result, error) {
	var call remit.Call
	var result remit.Result
	if len(step) < 2 || len(step) > 3 {
		return call, result, errors.New("a step is a tool, its arguments and its result")
	}
	tool, ok := step[0].(string)
	if !ok {
		return call, result, errors.New("a step begins with the name of the tool")
	}
	arguments, err := json.Marshal(step[1])
	if err != nil {
		return call, result, err
	}
	call = remit.Call{Server: s.Server, Tool: tool, Arguments: arguments}
	if len(step) == 2 {
		return call, result, nil
	}

	if text, ok := step[2].(string); ok {
		result.Content = text
		return call, result, nil
	}
	data, err := json.MarshalIndent(step[2], "", "  ")
	result.Content = string(data)
	if s.Structured {
		result.Structured = data
	}
	return call, result, err
}
