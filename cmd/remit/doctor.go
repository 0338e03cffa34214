package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/mcp/clients"
	"github.com/remit-project/remit/internal/mcp/config"
)

type doctorCommand struct {
	clientFlags
	Config  string        `placeholder:"FILE" help:"Examine the gateway of a configuration, instead of a client's servers."`
	Hooks   string        `placeholder:"AGENT" help:"Examine the hooks of a coding agent, instead of a client's servers: claude-code, codex, cursor, gemini, copilot or windsurf."`
	Timeout time.Duration `default:"2m" help:"How long each server may take (2m): the first start of a package fetches it."`
	JSON    bool          `name:"json" help:"Print the report as JSON."`
}

// Help is shown below the flags.
func (doctorCommand) Help() string {
	return `Starts each server as the client does, and calls tools in ways that only Remit has an answer to: a tool that no
server has, with a target outside, and then the real ones with arguments that are none. All of it must come back
denied. A server that isn't behind Remit is asked for the first only, which it doesn't have.

Then the contracts are compared with what the servers offer now. The hooks of a coding agent are run as the agent's
own file says, with calls that nobody may make. Exit code 3 when something is not protected.

Example:
  remit doctor --client cursor
  remit doctor --config remit.yaml
  remit doctor --hooks claude-code`
}

// finding is something that a person should know about a server.
type finding struct {
	// Code says what it is, in one word.
	Code string `json:"code"`
	// Problem tells that the server is not protected by it, or that this could
	// not be proven.
	Problem bool   `json:"problem"`
	Tool    string `json:"tool,omitempty"`
	Message string `json:"message"`
	Remedy  string `json:"remedy"`
}

// diagnosis is the state of one server.
type diagnosis struct {
	File   string `json:"file"`
	Server string `json:"server"`
	// Behind is the name in contracts, where a gateway serves several.
	Behind    string    `json:"behind,omitempty"`
	Protected bool      `json:"protected"`
	Tools     int       `json:"tools"`
	Denied    int       `json:"denied"`
	Findings  []finding `json:"findings"`

	line int
}

func (d *diagnosis) add(problem bool, code, tool, remedy, format string, args ...any) {
	d.Findings = append(d.Findings, finding{code, problem, display.Line(tool), display.Line(fmt.Sprintf(format, args...)), display.Line(remedy)})
}

// settle says whether the server is protected: nothing speaks against it, and
// the canaries were denied.
func (d *diagnosis) settle() {
	d.Protected = d.Denied > 0 && !slices.ContainsFunc(d.Findings, func(f finding) bool { return f.Problem })
	slices.SortStableFunc(d.Findings, func(a, b finding) int { return cmp.Compare(b2i(b.Problem), b2i(a.Problem)) })
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// slowTime is after which a person is told what is being waited for.
const slowTime = 3 * time.Second

// together is how many servers are examined at once: each is a process or two.
const together = 4

// Run examines servers.
func (c *doctorCommand) Run(ctx context.Context, s *command.Streams) error {
	if c.Timeout <= 0 {
		return command.UsageError(errors.New("--timeout: write a time such as 30s"))
	}
	// A package that is fetched for the first time takes its time.
	slow := time.AfterFunc(slowTime, func() {
		fmt.Fprintln(s.Err, "the servers are starting; the first start of a package can take minutes")
	})
	all, err := c.diagnoses(ctx)
	slow.Stop()
	if err != nil {
		return err
	}
	healthy := 0
	for _, d := range all {
		d.settle()
		healthy += b2i(d.Protected)
	}
	if c.JSON {
		err = writeJSON(s.Out, struct {
			Protected bool         `json:"protected"`
			Servers   []*diagnosis `json:"servers"`
		}{healthy == len(all), all})
	} else {
		newPrinter(s).diagnoses(all, healthy)
	}
	if err == nil && healthy < len(all) {
		return command.Status(exitStopped)
	}
	return err
}

// diagnoses are the states of what is to be examined.
func (c *doctorCommand) diagnoses(ctx context.Context) ([]*diagnosis, error) {
	if c.Hooks != "" {
		return c.hooks(ctx)
	}
	entries, err := c.entries()
	if err != nil {
		return nil, err
	}
	results := make([][]*diagnosis, len(entries))
	var work sync.WaitGroup
	slots := make(chan struct{}, together)
	for i, e := range entries {
		work.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			results[i] = e.examine(ctx, c.Timeout)
		})
	}
	work.Wait()
	return slices.Concat(results...), nil
}

func (p *printer) diagnoses(all []*diagnosis, healthy int) {
	for _, d := range all {
		verdict := p.Bad("NOT PROTECTED")
		if d.Protected {
			verdict = p.Good("protected")
		}
		name := display.Line(d.Server)
		if d.Behind != "" {
			name += " " + d.Behind
		}
		where := d.File
		if d.line > 0 {
			where = fmt.Sprintf("%s:%d", d.File, d.line)
		}
		p.line(0, fmt.Sprintf("%s: %s  %s", p.Bold(name), verdict, p.Dim("("+where+")")))
		if d.Denied > 0 {
			denied := display.Count(d.Denied, "canary was", "canaries were") + " denied"
			if d.Tools > 0 {
				denied = display.Count(d.Tools, "tool is", "tools are") + " offered; " + denied
			}
			p.line(2, denied)
		}
		for _, f := range d.Findings {
			lead, text := p.Warn("note: "), f.Message
			if f.Problem {
				lead = p.Bad("why:  ")
			}
			if f.Tool != "" {
				text = f.Tool + ": " + text
			}
			p.para(2, lead, text)
			p.para(2, "  →   ", f.Remedy)
		}
	}
	p.line(0, fmt.Sprintf("%d of %s protected", healthy, display.Count(len(all), "server is", "servers are")))
}

// entry is something that a client starts or connects to.
type entry struct {
	server *clients.Server
	// file is where it stands, dir the directory that it is started in.
	file, dir string
	// configuration is what a gateway that listens was started with.
	configuration string
}

// entries are what is to be examined.
func (c *doctorCommand) entries() ([]*entry, error) {
	if c.Config != "" {
		if c.Client != "" || c.File != "" {
			return nil, command.UsageError(errors.New("--config is examined by itself: leave --client and --file out"))
		}
		return c.configured()
	}
	files, err := c.files()
	if err != nil {
		return nil, err
	}
	var out []*entry
	for _, f := range files {
		for _, s := range f.Servers {
			out = append(out, &entry{server: s, file: f.Name, dir: s.Dir})
		}
	}
	if len(out) == 0 {
		return nil, hint.Wrap(fmt.Errorf("%s: there are no servers in the file", files[0].Name), "servers stand in mcpServers, or in servers for VS Code")
	}
	return out, nil
}

// configured is the gateway of a configuration: one that listens runs already,
// another is started.
func (c *doctorCommand) configured() ([]*entry, error) {
	data, err := inputs.Read(c.Config)
	if err != nil {
		return nil, err
	}
	f, err := config.Load(c.Config, data, os.LookupEnv)
	if err != nil {
		return nil, err
	}
	s := &clients.Server{Name: c.Config, Position: contract.Position{File: c.Config}}
	if f.Listen == nil {
		exe, err := os.Executable()
		if err != nil {
			return nil, err
		}
		s.Command = []string{exe, "gateway", "--config", c.Config}
	} else {
		// A conversation of the doctor's own.
		u := url.URL{Scheme: "http", Host: f.Listen.Address, Path: "/mcp/" + strings.ToLower(rand.Text())}
		s.URL = u.String()
		if f.Listen.Token != "" {
			s.Header = []clients.Pair{{Name: "Authorization", Value: "Bearer " + f.Listen.Token}}
		}
	}
	return []*entry{{server: s, file: c.Config, configuration: c.Config}}, nil
}
