package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/internal/mcp/clients"
	"github.com/remit-project/remit/internal/mcp/config"
	"github.com/remit-project/remit/internal/mcp/upstream"
	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/store"
	"github.com/remit-project/remit/synth"
)

// examine finds out what is the matter with an entry.
func (e *entry) examine(ctx context.Context, timeout time.Duration) []*diagnosis {
	d := &diagnosis{File: e.file, Server: e.server.Name, Findings: []finding{}, line: e.server.Position.Line}
	x := &examination{entry: e, d: d, timeout: timeout}
	if err := x.expand(); err != nil {
		d.add(true, "unresolved", "", "put it into the environment of remit doctor, and refer to it as ${env:NAME}", "%v", err)
		return []*diagnosis{d}
	}
	g := x.gateway()
	shown, many := x.prove(ctx, g != nil)
	if shown == nil {
		return []*diagnosis{d}
	}
	defer shown.close()
	if g == nil {
		d.add(false, "unknown", "", "give remit doctor the gateway's own configuration: --config", "Remit answers, and its contracts can't be seen from here")
		d.Denied = 1
		return []*diagnosis{d}
	}
	gateway, err := x.options(g.Flags, g.Command)
	if err != nil {
		d.add(true, "configuration", "", "correct it", "%v", err)
		return []*diagnosis{d}
	}
	if gateway.store != "" {
		x.checkStore(ctx, gateway.store)
	}
	return x.behind(ctx, shown, gateway.options, many)
}

// examination is the work on one entry.
type examination struct {
	*entry
	d       *diagnosis
	timeout time.Duration
	server  clients.Server
	env     []string
}

// gateway is what is known about the gateway in the entry; nil when the entry
// isn't one, as far as can be seen.
func (x *examination) gateway() *clients.Gateway {
	if x.configuration != "" {
		return &clients.Gateway{Flags: []string{"--config", x.configuration}}
	}
	return x.server.Gateway()
}

// expand puts values in as the client does.
func (x *examination) expand() error {
	s := *x.entry.server
	var errs []error
	text := func(t string) string {
		out, err := expandText(t)
		errs = append(errs, err)
		return out
	}
	list := func(pairs []clients.Pair) []clients.Pair {
		var out []clients.Pair
		for _, p := range pairs {
			out = append(out, clients.Pair{Name: p.Name, Value: text(p.Value)})
		}
		return out
	}
	command := make([]string, 0, len(s.Command))
	for _, a := range s.Command {
		command = append(command, text(a))
	}
	s.Command, s.URL, s.Dir = command, text(s.URL), text(s.Dir)
	s.Env, s.Header = list(s.Env), list(s.Header)
	x.server, x.dir = s, s.Dir
	x.env = os.Environ()
	for _, p := range s.Env {
		x.env = append(x.env, p.Name+"="+p.Value)
	}
	if s.EnvFile != "" {
		x.d.add(false, "environment", "", "write them into env if the server needs them", "the variables in its envFile are not set here")
	}
	return errors.Join(errs...)
}

// shown is a connection to what the client sees.
type shown struct {
	session *sdk.ClientSession
	tools   []string
	close   func()
}

// prove starts the entry as the client does, and calls a tool that no server
// has, with a target outside. Only Remit denies it with reasons of its own. It
// returns nil when Remit isn't there; many tells that it serves several servers.
func (x *examination) prove(ctx context.Context, known bool) (out *shown, many bool) {
	life, end := context.WithCancel(ctx)
	ctx, cancel := context.WithTimeout(ctx, x.timeout)
	defer cancel()
	session, said, err := x.connect(ctx, life)
	close := func() {
		if session != nil {
			_ = session.Close() // what it ends with is not what is examined
		}
		end()
	}
	if err != nil {
		x.failed(ctx, "could not be reached", err, said())
		close()
		return nil, false
	}
	tools, err := toolNames(ctx, session)
	if err != nil {
		x.failed(ctx, "doesn't list its tools", err, said())
		close()
		return nil, false
	}
	x.d.Tools = len(tools)
	name := "remit_canary_" + strings.ToLower(rand.Text())
	r, err := session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: map[string]string{"to": "canary@canary.example"}})
	denied := denialOf(r)
	several := err != nil && strings.Contains(err.Error(), "no server offers the tool "+string(strictjson.Quote(name)))
	switch {
	case denied.stopped(name, remit.UnknownTool):
		return &shown{session, tools, close}, false
	case several && known:
		return &shown{session, tools, close}, true
	case several:
		x.d.add(true, "unproven", "", "examine it by its configuration: remit doctor --config remit.yaml", "it looks like Remit with several servers, and from here nobody can see whether it stops calls")
	case known && ctx.Err() == nil && x.shadow():
		x.d.add(true, "shadow", "", "take --shadow, or mode: shadow, away", "Remit decides here, and lets everything pass")
	case known && err != nil:
		x.failed(ctx, "doesn't decide", err, said())
	case known:
		x.d.add(true, "open", "", "compare remit version with the program in "+x.file, "the canary was not denied by Remit, though its name stands in the command")
	case ctx.Err() != nil:
		x.failed(ctx, "doesn't answer", ctx.Err(), said())
	default:
		x.d.add(true, "unprotected", "", x.remedy(), "its %s without a decision", display.Count(len(tools), "tool is called", "tools are called"))
	}
	close()
	return nil, false
}

func (x *examination) remedy() string {
	return "put Remit before it: remit init --apply --file " + x.file
}

// shadow tells whether the gateway was told to let everything pass.
func (x *examination) shadow() bool {
	g := x.gateway()
	if g == nil {
		return false
	}
	d, err := x.options(g.Flags, g.Command)
	return err == nil && !slices.ContainsFunc(d.options.Servers, func(s mcp.Server) bool { return s.Mode != mcp.Shadow })
}

// failed notes that an entry doesn't work, and so nothing is proven.
func (x *examination) failed(ctx context.Context, what string, err error, said string) {
	remedy := "start it by hand, and see what it says"
	message := fmt.Sprintf("the server %s: %v", what, err)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		message = fmt.Sprintf("the server %s within %s", what, x.timeout)
		remedy += "; if it is only slow, give it longer with --timeout"
	}
	if said != "" {
		message, remedy = fmt.Sprintf("the gateway doesn't start: %s", said), "correct that"
	}
	x.d.add(true, "silent", "", remedy, "%s", message)
}

// connect starts or reaches the entry, for the given life. What the gateway itself says about a
// mistake is kept; what servers write there may be anything.
func (x *examination) connect(ctx, life context.Context) (session *sdk.ClientSession, said func() string, err error) {
	said = func() string { return "" }
	client := sdk.NewClient(&sdk.Implementation{Name: "remit-doctor", Version: version()}, &sdk.ClientOptions{Logger: slog.New(slog.DiscardHandler)})
	if x.server.URL != "" {
		header := http.Header{}
		for _, h := range x.server.Header {
			header.Set(h.Name, h.Value)
		}
		session, err = client.Connect(ctx, &sdk.StreamableClientTransport{
			Endpoint: x.server.URL, MaxRetries: -1, DisableStandaloneSSE: true,
			HTTPClient: &http.Client{Transport: fields{header}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		}, nil)
		return session, said, err
	}
	command := x.server.Command
	if i := slices.Index(command, "--session"); i > 0 && x.server.Gateway() != nil && i+1 < len(command) {
		// The session of an agent is not the doctor's.
		command = slices.Clone(command)
		command[i+1] = "doctor-" + strings.ToLower(rand.Text())
	}
	cmd := exec.CommandContext(life, command[0], command[1:]...)
	cmd.Env, cmd.Dir = x.env, x.dir
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 3 * time.Second
	errs := &stderrTail{}
	if x.server.Gateway() != nil {
		cmd.Stderr = errs
		said = errs.mistakes
	}
	session, err = client.Connect(ctx, &sdk.CommandTransport{Command: cmd, TerminateDuration: 5 * time.Second}, nil)
	return session, said, err
}

// fields sets header fields.
type fields struct{ header http.Header }

func (f fields) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for k, v := range f.header {
		r.Header[k] = v
	}
	return http.DefaultTransport.RoundTrip(r)
}

// stderrTail keeps the end of what a program writes.
type stderrTail struct {
	mu   sync.Mutex
	text []byte
}

func (t *stderrTail) Write(p []byte) (int, error) {
	const most = 8 << 10
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if len(t.text) > most {
		t.text = bytes.Clone(t.text[len(t.text)-most:])
	}
	return len(p), nil
}

// mistakes are the lines in which Remit itself says what is wrong.
func (t *stderrTail) mistakes() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []string
	for line := range strings.SplitSeq(string(t.text), "\n") {
		if rest, ok := strings.CutPrefix(line, "error: "); ok {
			out = append(out, rest)
		}
	}
	return strings.Join(out, "; ")
}

// maxTools is how many tools of one entry are looked at.
const maxTools = 2000

func toolNames(ctx context.Context, s *sdk.ClientSession) ([]string, error) {
	var out []string
	if r := s.InitializeResult(); r != nil && r.Capabilities != nil && r.Capabilities.Tools == nil {
		return out, nil
	}
	for t, err := range s.Tools(ctx, nil) {
		if err != nil {
			return nil, err
		}
		if out = append(out, t.Name); len(out) > maxTools {
			return nil, fmt.Errorf("it has more than %d tools", maxTools)
		}
	}
	return out, nil
}

// denial is what Remit says about a call that it stopped.
type denial struct {
	Server  string        `json:"server"`
	Tool    string        `json:"tool"`
	Verdict remit.Verdict `json:"verdict"`
	Reasons []struct {
		Code remit.Code `json:"code"`
	} `json:"reasons"`
}

func denialOf(r *sdk.CallToolResult) *denial {
	if r == nil || !r.IsError {
		return nil
	}
	data, err := json.Marshal(r.Meta["dev.remit/decision"])
	if err != nil {
		return nil
	}
	var d denial
	if json.Unmarshal(data, &d) != nil {
		return nil
	}
	return &d
}

// stopped tells whether the call of a tool was denied; for the given reason,
// if there is one.
func (d *denial) stopped(tool string, code remit.Code) bool {
	if d == nil || d.Verdict != remit.Deny || len(d.Reasons) == 0 || tool != "" && d.Tool != tool {
		return false
	}
	for _, r := range d.Reasons {
		if code == "" || r.Code == code {
			return true
		}
	}
	return false
}

// options are the deployment that the gateway's command comes to, read as the
// gateway reads it.
func (x *examination) options(flags, command []string) (*deployment, error) {
	var c struct {
		Gateway gatewayCommand `cmd:""`
	}
	parser, err := kong.New(&c, kong.NoDefaultHelp(), kong.Writers(io.Discard, io.Discard))
	if err != nil {
		return nil, err
	}
	args := append([]string{"gateway"}, flags...)
	if len(command) > 0 {
		args = append(append(args, "--"), command...)
	}
	if _, err := parser.Parse(args); err != nil {
		return nil, err
	}
	log := slog.New(slog.DiscardHandler)
	gw := &c.Gateway
	if gw.Config != "" {
		name := x.path(gw.Config)
		data, err := inputs.Read(name)
		if err != nil {
			return nil, err
		}
		f, err := config.Load(name, data, x.lookup)
		if err != nil {
			return nil, err
		}
		return configured(f, log)
	}
	if gw.Contracts != "" {
		gw.Contracts = x.path(gw.Contracts)
	}
	d, err := gw.wrap(log)
	if err != nil {
		return nil, err
	}
	start := upstream.Command{Args: gw.Command, Env: x.env, Dir: x.dir, MaxMessage: wire.DefaultLimits().Size, Log: log}
	d.options.Servers[0].Connect = func(to upstream.Receiver) (upstream.Link, error) { return upstream.Start(start, to) }
	return d, nil
}

// path is where a relative path leads in the entry's directory.
func (x *examination) path(name string) string {
	if x.dir == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(x.dir, name)
}

func (x *examination) lookup(name string) (string, bool) {
	for i := len(x.env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(x.env[i], name+"="); ok {
			return v, true
		}
	}
	return "", false
}

func (x *examination) checkStore(ctx context.Context, name string) {
	ctx, cancel := context.WithTimeout(ctx, x.timeout)
	defer cancel()
	if !strings.Contains(name, ":") {
		name = x.path(name)
	}
	s, err := store.Open(ctx, name, store.Options{})
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		x.d.add(true, "store", "", "see that it runs and may be used", "the store can't be opened: %v", err)
	}
}

// behind examines the servers behind the gateway.
func (x *examination) behind(ctx context.Context, sh *shown, o mcp.Options, many bool) []*diagnosis {
	out := make([]*diagnosis, len(o.Servers))
	catalogues := make([]*schema.Catalogue, len(o.Servers))
	var work sync.WaitGroup
	for i, s := range o.Servers {
		d := &diagnosis{File: x.file, Server: x.d.Server, Findings: slices.Clone(x.d.Findings), line: x.d.line}
		if many {
			d.Behind = s.Name
		} else {
			d.Denied, d.Tools = 1, x.d.Tools
		}
		out[i] = d
		work.Go(func() { catalogues[i] = x.contracts(ctx, d, s, o.Synthesized != nil) })
	}
	work.Wait()
	ctx, cancel := context.WithTimeout(ctx, x.timeout)
	defer cancel()
	for _, name := range sh.tools {
		of, shadow, sure := -1, false, true
		for i, c := range catalogues {
			if c == nil {
				sure = sure && !shadows(o.Servers[i])
				continue
			}
			own := strings.TrimPrefix(name, o.Servers[i].Name+"__")
			if _, ok := c.Tool(own); !ok {
				own = name
			}
			if _, ok := c.Tool(own); ok {
				of = i
				shadow = shadow || o.Servers[i].Mode == mcp.Shadow || o.Servers[i].Modes[own] == mcp.Shadow
			}
		}
		if many && of >= 0 {
			out[of].Tools++
		}
		// A call that would not be stopped is not made: where it isn't known whose
		// tool it is, or that its calls are stopped.
		if of < 0 || !sure || shadow {
			continue
		}
		r, err := sh.session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: "canary@canary.example"})
		if err != nil || !denialOf(r).stopped("", "") {
			out[of].add(true, "open", name, "compare remit version with the program in "+x.file, "a call of the tool was not denied by Remit")
			break
		}
		out[of].Denied++
	}
	for i, d := range out {
		if many && d.Denied == 0 && catalogues[i] != nil && !shadows(o.Servers[i]) {
			if len(catalogues[i].Tools) > 0 {
				d.add(true, "unproven", "", "see the gateway's log for the reason", "none of its tools is offered, so that no canary could be called")
			} else {
				d.Denied = 1 // it has nothing that could be called
			}
		}
	}
	return out
}

// shadows tells whether a server has calls that are let pass undecided.
func shadows(s mcp.Server) bool {
	if s.Mode == mcp.Shadow {
		return true
	}
	for _, m := range s.Modes {
		if m == mcp.Shadow {
			return true
		}
	}
	return false
}

// contracts compares the contracts of a server with what it offers now, which is
// nil when it can't be found out.
func (x *examination) contracts(ctx context.Context, d *diagnosis, s mcp.Server, kept bool) *schema.Catalogue {
	if s.Mode == mcp.Shadow {
		d.add(true, "shadow", "", "write mode: enforce", "Remit decides here, and lets everything pass")
	}
	for tool, mode := range s.Modes {
		if mode == mcp.Shadow && s.Mode != mcp.Shadow {
			d.add(true, "shadow", tool, "write mode: enforce", "Remit decides here, and lets everything pass")
		}
	}
	ctx, cancel := context.WithTimeout(ctx, x.timeout)
	defer cancel()
	raw, err := definitions(ctx, s)
	if err != nil {
		message := fmt.Sprintf("the server behind Remit can't be asked for its tools: %v", err)
		if ctx.Err() != nil {
			message = fmt.Sprintf("the server behind Remit doesn't list its tools within %s", x.timeout)
		}
		d.add(true, "silent", "", "start it by hand, and see what it says", "%s", message)
		return nil
	}
	c, bad := catalogue(s.Name, raw)
	for _, name := range bad {
		d.add(false, "no-contract", name, "tell those who make the server", "the definition can't be understood, and so calls are denied")
	}
	if s.Contract == nil {
		remedy := "name a directory: --contracts DIR, or contracts in the configuration"
		if kept {
			remedy = "start it once, and look at the file that it makes"
		}
		d.add(false, "no-contract", "", remedy, "its contracts are made anew at each start, so that nobody has reviewed them and no change is noticed")
	}
	for i := range c.Tools {
		t := &c.Tools[i]
		if len(synth.Instructions(t)) > 0 {
			d.add(false, "instructions", t.Name, "read the definition, and ask those who make the server", "the definition speaks to the model instead of describing the tool")
		}
		if s.Contract == nil {
			continue
		}
		switch known, ok := s.Contract.Tool(t.Name); {
		case !ok:
			d.add(false, "no-contract", t.Name, x.updating(s.Name), "the tool has no contract, and so calls are denied")
		case known.Fingerprint != "" && known.Fingerprint != t.Fingerprint:
			d.add(false, "fenced", t.Name, x.updating(s.Name), "the definition has changed since its contract was made: the tool is fenced off")
		}
	}
	if s.Contract != nil {
		unreviewed(d, s.Contract)
	}
	return c
}

// updating is the command that repairs the contracts of a server.
func (x *examination) updating(server string) string {
	from := "--file " + x.file
	if x.configuration != "" {
		from = "--config " + x.configuration
	}
	return fmt.Sprintf("read what has changed in: remit contract update %s --only %s", from, server)
}

func unreviewed(d *diagnosis, f *contract.File) {
	if n := reviews(f); n > 0 {
		d.add(false, "unreviewed", "", "look at the contract file, and remove each review that is settled", "%s in the contracts of %s", display.Count(n, "place is marked for review", "places are marked for review"), f.Server)
	}
}

// catalogue reads definitions, and names those that can't be understood.
func catalogue(server string, raw []json.RawMessage) (*schema.Catalogue, []string) {
	out := &schema.Catalogue{Server: server}
	var bad []string
	for _, r := range raw {
		data, err := json.Marshal(map[string]any{"tools": []json.RawMessage{r}})
		if err != nil {
			bad = append(bad, strictjson.GetText(r, "name"))
			continue
		}
		c, err := schema.ParseMCP(server, data)
		if err != nil || len(c.Tools) != 1 {
			bad = append(bad, strictjson.GetText(r, "name"))
			continue
		}
		if _, twice := out.Tool(c.Tools[0].Name); twice {
			bad = append(bad, c.Tools[0].Name)
			continue
		}
		out.Tools = append(out.Tools, c.Tools[0])
	}
	return out, bad
}

// definitions asks a server itself for its tools, byte by byte as it gives
// them: by way of a gateway in this process that lets everything pass, so that
// servers are reached as the real one reaches them. No tool is called.
func definitions(ctx context.Context, s mcp.Server) ([]json.RawMessage, error) {
	g, err := mcp.New(mcp.Options{Servers: []mcp.Server{{Name: s.Name, Connect: s.Connect, Mode: mcp.Shadow}}})
	if err != nil {
		return nil, err
	}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	var work sync.WaitGroup
	serve, cancel := context.WithCancel(ctx)
	work.Go(func() { outW.CloseWithError(errors.Join(g.ServeStdio(serve, inR, outW, "doctor"), io.EOF)) })
	seen := &tools{}
	teeR, teeW := io.Pipe()
	work.Go(func() { teeW.CloseWithError(seen.copy(teeW, outR)) })
	defer func() {
		cancel()
		inW.Close()
		teeR.Close()
		outR.Close()
		work.Wait()
	}()
	client := sdk.NewClient(&sdk.Implementation{Name: "remit-doctor", Version: version()}, &sdk.ClientOptions{Logger: slog.New(slog.DiscardHandler)})
	session, err := client.Connect(ctx, &sdk.IOTransport{Reader: teeR, Writer: inW}, nil)
	if err != nil {
		return nil, err
	}
	_, err = toolNames(ctx, session)
	_ = session.Close() // the list is there
	return seen.take(), err
}

// tools collects the definitions in what a server sends.
type tools struct {
	mu   sync.Mutex
	list []json.RawMessage
}

func (t *tools) copy(to io.Writer, from io.Reader) error {
	in := bufio.NewReader(from)
	for {
		line, err := upstream.ReadLine(in, wire.DefaultLimits().Size)
		if len(line) > 0 {
			t.note(line)
			if _, err := to.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
}

func (t *tools) note(line []byte) {
	m, err := wire.Parse(line, wire.DefaultLimits())
	if err != nil || m.Result == nil {
		return
	}
	list := strictjson.Get(m.Result, "tools")
	elements, err := strictjson.Elements(list)
	if list == nil || err != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, at := range elements {
		t.list = append(t.list, bytes.Clone(at.Of(list)))
	}
}

func (t *tools) take() []json.RawMessage {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.list
}

var clientReference = regexp.MustCompile(`\$\{([^}]*)\}`)

// expandText puts values in as clients do: variables of the environment, the
// project's directory and the person's own.
func expandText(text string) (string, error) {
	var failed error
	out := clientReference.ReplaceAllStringFunc(text, func(r string) string {
		name := strings.TrimPrefix(r[2:len(r)-1], "env:")
		name, otherwise, hasDefault := strings.Cut(name, ":-")
		var v string
		var err error
		switch {
		case name == "workspaceFolder":
			v, err = os.Getwd()
		case name == "userHome":
			v, err = os.UserHomeDir()
		default:
			v = os.Getenv(name)
			if v == "" && !hasDefault {
				err = fmt.Errorf("only the client knows the value of %s", r)
			}
		}
		if err != nil && failed == nil {
			failed = err
		}
		if v == "" {
			return otherwise
		}
		return v
	})
	return out, failed
}
