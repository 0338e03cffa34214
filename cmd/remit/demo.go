package main

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/trace"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/schema"
)

// scenes are sample sessions over schemas like those of real servers. The
// engine decides their calls while the demo runs.
//
//go:embed demo/*.json
var scenes embed.FS

type demoCommand struct {
	engineFlags
	Scene int `placeholder:"N" help:"Show one scene only."`
}

// scene is one sample: the same request to the same agent, without and with an
// attack in what a tool returns.
type scene struct {
	Title  string                     `json:"title"`
	Story  string                     `json:"story"`
	Tools  map[string]json.RawMessage `json:"tools"`
	Benign json.RawMessage            `json:"benign"`
	Attack json.RawMessage            `json:"attack"`
	// Confirm lists the calls to which a person agrees.
	Confirm []string `json:"confirm"`
}

// Help is shown below the flags.
func (demoCommand) Help() string {
	return `Plays recorded sessions of an office assistant through the real engine, then starts a gateway with a server and
a web page that attacks. It needs no network and no model, and takes less than a minute.

Example:
  remit demo`
}

// Run shows the scenes one after the other.
func (c *demoCommand) Run(ctx context.Context, s *command.Streams) error {
	engine, err := c.engine()
	if err != nil {
		return err
	}
	names, err := fs.Glob(scenes, "demo/*.json")
	if err != nil {
		return err
	}
	real := len(names) + 1
	if c.Scene < 0 || c.Scene > real {
		return command.UsageError(fmt.Errorf("there is no scene %d: give 1 to %d", c.Scene, real))
	}

	p := newPrinter(s)
	p.para(0, "", "An agent reads things that others wrote, and does what they say. Remit looks at every call before it runs, and asks of every argument where it came from. The contracts below were made from the tools' schemas a moment ago; nobody wrote any. A call that is not allowed (ask, deny) does not run; ask is one that a person may still let through.")
	for i, name := range names {
		if c.Scene != 0 && c.Scene != i+1 {
			continue
		}
		sc, err := readScene(name)
		if err != nil {
			return err
		}
		p.line(0, "")
		p.line(0, p.Bold(fmt.Sprintf("%d. %s", i+1, sc.Title)))
		p.para(3, "", sc.Story)
		if sc.Attack == nil {
			p.line(0, "")
		}
		if err := sc.play(ctx, p, engine); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}

	if c.Scene == 0 || c.Scene == real {
		p.line(0, "")
		p.line(0, p.Bold(fmt.Sprintf("%d. The same for real, through the gateway", real)))
		p.para(3, "", "An MCP client, remit gateway and an MCP server, each a process of its own, and a web server with the page. The agent's configuration has one changed line: its server's command begins with remit gateway. Contracts, labels and decisions are as above; what is refused never reaches the server.")
		if err := throughGateway(ctx, p); err != nil {
			return fmt.Errorf("the gateway: %w", err)
		}
	}
	p.line(0, "")
	p.line(0, p.Bold("Next"))
	p.para(3, "- ", "remit console --demo: answer such a question in the browser, and see where each value came from")
	p.para(3, "- ", "remit gateway -- YOUR-MCP-SERVER: in front of a server that you use")
	p.para(3, "- ", "remit replay SESSIONS.jsonl: the same on recordings of your own agent")
	p.para(3, "- ", "remit contract synth --out contracts TOOLS.json: contracts to read and edit")
	p.para(3, "- ", "remit session: decisions for a running agent, in any language")
	p.para(3, "- ", "remit explain TRACE --call ID --html why.html: one decision as a page")
	return nil
}

func (sc *scene) play(ctx context.Context, p *printer, e *engine) error {
	tools, err := sc.catalogues()
	if err != nil {
		return err
	}
	monitor, err := e.monitor(tools, time.Time{})
	if err != nil {
		return err
	}
	benign, err := messages(sc.Benign)
	if err != nil {
		return err
	}
	attack, err := messages(sc.Attack)
	if err != nil {
		return err
	}

	if attack == nil {
		return sc.run(ctx, p, ledger.Begin(monitor, "scene"), benign, 0)
	}
	p.heading("without an attack")
	if err := sc.run(ctx, p, ledger.Begin(monitor, "benign"), benign, 0); err != nil {
		return err
	}
	p.heading("with the attack: the same, until")
	return sc.run(ctx, p, ledger.Begin(monitor, "attack"), attack, common(benign, attack))
}

// catalogues reads the definitions of the scene's servers.
func (sc *scene) catalogues() ([]*schema.Catalogue, error) {
	var tools []*schema.Catalogue
	for _, server := range slices.Sorted(maps.Keys(sc.Tools)) {
		c, err := schema.Parse(server, sc.Tools[server])
		if err != nil {
			return nil, err
		}
		tools = append(tools, c)
	}
	return tools, nil
}

func messages(raw json.RawMessage) ([]trace.Message, error) {
	if raw == nil {
		return nil, nil
	}
	for s, err := range trace.Read(strings.NewReader(`{"messages":` + string(raw) + `}`)) {
		if err != nil {
			return nil, err
		}
		return s.Messages, nil
	}
	return nil, nil
}

// common counts the messages with which two sessions begin alike.
func common(a, b []trace.Message) int {
	n := 0
	for n < len(a) && n < len(b) && a[n].Role == b[n].Role && a[n].Text == b[n].Text && len(a[n].Calls) == len(b[n].Calls) {
		for i := range a[n].Calls {
			if string(a[n].Calls[i].Arguments) != string(b[n].Calls[i].Arguments) {
				return n
			}
		}
		n++
	}
	return n
}

// run plays one session and prints what happens from a message on.
func (sc *scene) run(ctx context.Context, p *printer, to *ledger.Session, messages []trace.Message, from int) error {
	player := trace.NewPlayer(to, trace.Options{})
	for i := range messages {
		m := &messages[i]
		decisions, err := player.Play(ctx, m)
		if err != nil {
			return err
		}
		if i < from {
			continue
		}
		p.said(m)
		for _, d := range decisions {
			if err := sc.decided(ctx, p, player, d); err != nil {
				return err
			}
		}
	}
	return nil
}

// said writes what a message says.
func (p *printer) said(m *trace.Message) {
	if m.Text == "" {
		return
	}
	who := string(m.Role)
	switch m.Role {
	case trace.Assistant:
		who = "agent"
	case trace.Tool:
		who = "result"
	}
	p.para(3, fmt.Sprintf("%-8s", who), display.Line(m.Text))
}

// decided writes a decision, and the answer of the person who is asked.
func (sc *scene) decided(ctx context.Context, p *printer, player *trace.Player, d *remit.Decision) error {
	p.shown(d)
	if d.Verdict != remit.Ask || !slices.Contains(sc.Confirm, d.Call) {
		return nil
	}
	p.para(3, "person  ", "yes, that is the right one")
	d, err := player.Confirm(ctx, d.Call)
	if err != nil {
		return err
	}
	p.shown(d)
	return nil
}

// shown writes a decision with its arguments and reasons.
func (p *printer) shown(d *remit.Decision) {
	p.headline(3, d)
	p.arguments(11, d)
	p.reasons(11, d)
}

func (p *printer) heading(text string) {
	p.line(0, "")
	p.line(3, p.Underline(text))
}
