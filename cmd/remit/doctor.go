package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/doctor"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/mcp/clients"
	"github.com/remit-project/remit/internal/mcp/config"
	"github.com/remit-project/remit/internal/mcp/upstream"
	"github.com/remit-project/remit/internal/mcp/wire"
)

type doctorCommand struct {
	clientFlags
	Config  string        `placeholder:"FILE" help:"Examine the gateway of a configuration, instead of a client's servers."`
	Hooks   string        `placeholder:"AGENT" help:"Examine the hooks of a coding agent, instead of a client's servers: claude-code, codex, cursor, gemini, copilot or windsurf."`
	Proxy   string        `placeholder:"URL" help:"Examine a running proxy, as http://127.0.0.1:8742."`
	Serve   string        `placeholder:"URL" help:"Examine a running decision API, as http://127.0.0.1:7677, with the token in REMIT_TOKEN."`
	Timeout time.Duration `default:"2m" help:"How long each server may take (2m): the first start of a package fetches it."`
	JSON    bool          `name:"json" help:"Print the report as JSON."`
}

// Help is shown below the flags.
func (doctorCommand) Help() string {
	return `By itself it examines every door of the machine: the servers of MCP clients, the hooks of coding agents, a proxy and a
decision API that listen in their usual places, and remit session and the library, which this program has.

It starts each server as the client does, and calls tools in ways that only Remit has an answer to: a tool that no
server has, with a target outside, and then the real ones with arguments that are none. All of it must come back
denied. A server that isn't behind Remit is asked for the first only, which it doesn't have. Then the contracts are
compared with what the servers offer now. The hooks of a coding agent are run as the agent's own file says, with calls
that nobody may make. At the other doors a page asks for a message that the user never spoke of. No canary runs
anything. Exit code 3 when something is not protected, or nothing was found: remit session and the library are
examined, and protect nobody by themselves.

Example:
  remit doctor
  remit doctor --client cursor
  remit doctor --config remit.yaml
  remit doctor --hooks claude-code
  remit doctor --proxy http://127.0.0.1:8742`
}

// slowTime is after which a person is told what is being waited for.
const slowTime = 3 * time.Second

// Run examines servers.
func (c *doctorCommand) Run(ctx context.Context, s *command.Streams) error {
	if c.Timeout <= 0 {
		return command.UsageError(errors.New("--timeout: write a time such as 30s"))
	}
	// A package that is fetched for the first time takes its time.
	told := make(chan struct{})
	slow := time.AfterFunc(slowTime, func() {
		defer close(told)
		fmt.Fprintln(s.Err, "the servers are starting; the first start of a package can take minutes")
	})
	all, err := c.diagnoses(ctx, s)
	if !slow.Stop() {
		<-told // not in the midst of what comes next
	}

	if err != nil {
		return err
	}
	sum := sumOf(all)
	protected := sum.protected == sum.doors && sum.doors > 0 && !sum.broken

	if c.JSON {
		err = writeJSON(s.Out, struct {
			Protected bool                `json:"protected"`
			Servers   []*doctor.Diagnosis `json:"servers"`
		}{protected, all})
	} else {
		newPrinter(s).diagnoses(all, sum, c.doors() || c.Hooks != "")
	}
	if err == nil && !protected {
		return command.Status(exitStopped)
	}
	return err
}

// doors reports whether other doors than those of servers are examined.
func (c *doctorCommand) doors() bool {
	return c.Client == "" && c.File == "" && c.Config == "" && c.Hooks == ""
}

// diagnoses returns the states of what is to be examined.
func (c *doctorCommand) diagnoses(ctx context.Context, s *command.Streams) ([]*doctor.Diagnosis, error) {
	switch {
	case c.Proxy != "" || c.Serve != "":
		return c.listening(ctx)
	case c.Hooks != "":
		return c.hooks(ctx)
	case c.doors():
		return c.everything(ctx, s)
	}
	entries, err := c.entries()
	if err != nil {
		return nil, err
	}
	return doctor.Examine(ctx, entries, c.settings()), nil
}

// settings returns the settings for servers.
func (c *doctorCommand) settings() doctor.Options {
	return doctor.Options{Timeout: c.Timeout, Version: version(), Gateway: gatewayOf}
}

// doorSum counts doors, without those of this program itself, which no agent goes through.
type doorSum struct {
	doors, protected int
	broken           bool // a door of this program lets everything through
}

func sumOf(all []*doctor.Diagnosis) doorSum {
	var sum doorSum
	for _, d := range all {
		switch {
		case d.Own:
			sum.broken = sum.broken || !d.Protected
			continue
		case d.Protected:
			sum.protected++
		}
		sum.doors++
	}
	return sum
}

func (p *printer) diagnoses(all []*doctor.Diagnosis, sum doorSum, doors bool) {
	p.diagnosed(all)
	what := display.Count(sum.doors, "server is", "servers are")
	if doors {
		what = display.Count(sum.doors, "door is", "doors are")
	}
	if sum.doors > 0 {
		p.line(0, fmt.Sprintf("%d of %s protected", sum.protected, what))
		return
	}
	p.line(0, "nothing was found that Remit protects: no server of an MCP client, no coding agent, no running proxy or decision API")
	p.para(0, "  →   ", "remit init shows what it can be put before; with --file, --config, --proxy or --serve, the doctor examines what is in another place")
}

// diagnosed writes what was found at each door.
func (p *printer) diagnosed(all []*doctor.Diagnosis) {
	for _, d := range all {
		verdict := p.Bad("NOT PROTECTED")
		switch {
		case d.Protected && d.Own:
			verdict = p.Good("works")
		case d.Protected:
			verdict = p.Good("protected")
		}

		name := display.Line(d.Server)
		if d.Behind != "" {
			name += " " + d.Behind
		}
		where := d.File
		if d.Line > 0 {
			where = fmt.Sprintf("%s:%d", d.File, d.Line)
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
}

// entries returns what is to be examined.
func (c *doctorCommand) entries() ([]doctor.Entry, error) {
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

	var out []doctor.Entry
	for _, f := range files {
		for _, s := range f.Servers {
			out = append(out, doctor.Entry{Server: s, File: f.Name, Dir: s.Dir})
		}
	}

	if len(out) == 0 {
		return nil, noServers(files[0].Name)
	}
	return out, nil
}

// configured returns the gateway of a configuration: one that listens runs already, another is
// started.
func (c *doctorCommand) configured() ([]doctor.Entry, error) {
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
	return []doctor.Entry{{Server: s, File: c.Config, Configuration: c.Config}}, nil
}

// gatewayOf returns what a gateway does that is started so.
func gatewayOf(l doctor.Launch) (*doctor.Gateway, error) {
	d, err := launched(l)
	if err != nil {
		return nil, err
	}
	return &doctor.Gateway{Options: d.options, Store: d.store}, nil
}

// launched reads the flags and the configuration of a gateway as the gateway
// itself does.
func launched(l doctor.Launch) (*deployment, error) {
	var c struct {
		Gateway gatewayCommand `cmd:""`
	}
	args := append([]string{"gateway"}, l.Flags...)
	if len(l.Command) > 0 {
		args = append(append(args, "--"), l.Command...)
	}
	if err := command.Parse(&c, args); err != nil {
		return nil, err
	}

	log := slog.New(slog.DiscardHandler)
	gw := &c.Gateway
	if gw.Config != "" {
		name := l.Path(gw.Config)
		data, err := inputs.Read(name)
		if err != nil {
			return nil, err
		}
		f, err := config.Load(name, data, l.Lookup)
		if err != nil {
			return nil, err
		}
		return configured(f, log)
	}

	if gw.Contracts != "" {
		gw.Contracts = l.Path(gw.Contracts)
	}
	d, err := gw.wrap(log)
	if err != nil {
		return nil, err
	}
	start := upstream.Command{Args: gw.Command, Env: l.Env, Dir: l.Dir, MaxMessage: wire.DefaultLimits().Size, Log: log}
	d.options.Servers[0].Connect = func(to upstream.Receiver) (upstream.Link, error) { return upstream.Start(start, to) }
	return d, nil
}
