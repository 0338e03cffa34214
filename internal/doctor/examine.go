package doctor

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/internal/mcp/clients"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/store"
)

// Entry is a server of a client: a program that the client starts, or an address
// that it connects to.
type Entry struct {
	Server *clients.Server
	// File is the file that names the server.
	File string
	// Dir is the directory in which the client starts the server; the current one if
	// empty.
	Dir string
	// Configuration is the file of a running gateway's configuration; empty if the
	// entry is not such a gateway.
	Configuration string
}

// Gateway is what a command line or a configuration makes a gateway do.
type Gateway struct {
	Options mcp.Options
	// Store names the store; empty for none.
	Store string
}

// Launch is how a client starts a gateway.
type Launch struct {
	// Flags are the arguments of remit gateway, and Command the command of the
	// server behind it.
	Flags, Command []string
	// Env is the environment, as NAME=VALUE.
	Env []string
	// Dir is the working directory; the current one if empty.
	Dir string
}

// Path returns where a name of a file leads from the directory of the gateway.
func (l Launch) Path(name string) string {
	if l.Dir == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(l.Dir, name)
}

// Lookup returns a variable of the gateway's environment.
func (l Launch) Lookup(name string) (string, bool) {
	for _, v := range slices.Backward(l.Env) {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value, true
		}
	}
	return "", false
}

// Options are the settings of an examination.
type Options struct {
	// Timeout bounds each server. The first start of a package can take minutes.
	Timeout time.Duration
	// Version is the version of the program.
	Version string
	// Gateway returns what a gateway does that is started so, without starting it.
	Gateway func(Launch) (*Gateway, error)
}

// maxParallel is how many servers are examined at once. Each is a process or two.
const maxParallel = 4

// Examine examines the servers of entries, and returns a diagnosis for each server,
// also for each of several behind one gateway.
func Examine(ctx context.Context, entries []Entry, o Options) []*Diagnosis {
	results := make([][]*Diagnosis, len(entries))
	var work sync.WaitGroup
	slots := make(chan struct{}, maxParallel)
	for i, e := range entries {
		work.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			results[i] = e.examine(ctx, o)
		})
	}
	work.Wait()

	all := slices.Concat(results...)
	for _, d := range all {
		d.settle()
	}
	return all
}

// examine examines the server of an entry, or the servers behind it.
func (e Entry) examine(ctx context.Context, o Options) []*Diagnosis {
	d := &Diagnosis{File: e.File, Server: e.Server.Name, Findings: []Finding{}, Line: e.Server.Position.Line}
	x := &examination{Entry: e, d: d, o: o, dir: e.Dir}
	if err := x.expand(); err != nil {
		d.add(true, "unresolved", "", "put it into the environment of remit doctor, and refer to it as ${env:NAME}", "%v", err)
		return []*Diagnosis{d}
	}
	g := x.gateway()
	shown, many := x.prove(ctx, g != nil)
	if shown == nil {
		return []*Diagnosis{d}
	}

	defer shown.close()
	if g == nil {
		d.add(false, "unknown", "", "give remit doctor the gateway's own configuration: --config", "Remit answers, and its contracts can't be seen from here")
		d.Denied = 1
		return []*Diagnosis{d}
	}
	gateway, err := o.Gateway(x.launch(g))
	if err != nil {
		d.add(true, "configuration", "", "correct it", "%v", err)
		return []*Diagnosis{d}
	}

	if gateway.Store != "" {
		x.checkStore(ctx, gateway.Store)
	}
	return x.behind(ctx, shown, gateway.Options, many)
}

// examination is the work on one entry.
type examination struct {
	Entry
	d *Diagnosis
	o Options
	// server is the server with its references replaced, dir its directory and env
	// its environment.
	server clients.Server
	dir    string
	env    []string
}

// Launch returns how the client starts the gateway of an entry that has one. It
// fails if only the client knows a value.
func (e Entry) Launch() (Launch, error) {
	x := &examination{Entry: e, d: &Diagnosis{}, dir: e.Dir}
	if err := x.expand(); err != nil {
		return Launch{}, err
	}
	return x.launch(x.gateway()), nil
}

// launch returns how the entry starts a gateway.
func (x *examination) launch(g *clients.Gateway) Launch {
	return Launch{Flags: g.Flags, Command: g.Command, Env: x.env, Dir: x.dir}
}

// gateway returns what is known about the gateway in the entry; nil when the entry isn't one, as
// far as can be seen.
func (x *examination) gateway() *clients.Gateway {
	if x.Configuration != "" {
		return &clients.Gateway{Flags: []string{"--config", x.Configuration}}
	}
	return x.server.Gateway()
}

// expand puts values in as the client does.
func (x *examination) expand() error {
	s := *x.Entry.Server
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
	said    *stderrTail
	close   func()
}

// prove starts the entry as the client does, and calls a tool that no server has, with a target
// outside. Only Remit denies it with reasons of its own. It returns nil when Remit isn't there;
// many is true when it serves several servers.
func (x *examination) prove(ctx context.Context, known bool) (out *shown, many bool) {
	life, end := context.WithCancel(ctx)
	ctx, cancel := context.WithTimeout(ctx, x.o.Timeout)
	defer cancel()
	session, said, err := x.connect(ctx, life)
	close := func() {
		if session != nil {
			_ = session.Close() // what it ends with is not what is examined
		}
		end()
	}

	if err != nil {
		x.failed(ctx, "could not be reached", err, said.mistakes())
		close()
		return nil, false
	}
	tools, err := toolNames(ctx, session)
	if err != nil {
		x.failed(ctx, "doesn't list its tools", err, said.mistakes())
		close()
		return nil, false
	}

	x.d.Tools = len(tools)
	name := "remit_canary_" + strings.ToLower(rand.Text())
	r, err := session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: map[string]string{"to": canaryAddress}})
	denied := denialOf(r)

	several := err != nil && strings.Contains(err.Error(), "no server offers the tool "+string(strictjson.Quote(name)))
	switch {
	case denied.stopped(name, remit.UnknownTool):
		return &shown{session, tools, said, close}, false
	case several && known:
		return &shown{session, tools, said, close}, true
	case several:
		x.d.add(true, "unproven", "", "examine it by its configuration: remit doctor --config remit.yaml", "it looks like Remit with several servers, and from here nobody can see whether it stops calls")
	case known && ctx.Err() == nil && x.shadow():
		x.d.add(true, "shadow", "", "take --shadow, or mode: shadow, away", "Remit decides here, and lets everything pass")
	case known && err != nil:
		x.failed(ctx, "doesn't decide", err, said.mistakes())
	case known:
		x.d.add(true, "open", "", "compare remit version with the program in "+x.File, "the canary was not denied by Remit, though its name stands in the command")
	case ctx.Err() != nil:
		x.failed(ctx, "doesn't answer", ctx.Err(), said.mistakes())
	default:
		x.d.add(true, "unprotected", "", x.remedy(), "its %s without a decision", display.Count(len(tools), "tool is called", "tools are called"))
	}
	close()
	return nil, false
}

func (x *examination) remedy() string {
	return "put Remit before it: " + display.Command("remit", "init", "--apply", "--file", x.File)
}

// shadow reports whether the gateway was told to let everything through.
func (x *examination) shadow() bool {
	g := x.gateway()
	if g == nil {
		return false
	}
	d, err := x.o.Gateway(x.launch(g))
	return err == nil && !slices.ContainsFunc(d.Options.Servers, func(s mcp.Server) bool { return s.Mode != mcp.Shadow })
}

// failed notes that an entry doesn't work, and so nothing is proven.
func (x *examination) failed(ctx context.Context, what string, err error, said string) {
	remedy := "start it by hand, and see what it says"
	switch {
	case x.Server != nil && x.Server.Legacy:
		remedy = "it speaks HTTP with SSE, which Remit doesn't: write its streamable HTTP address, if it has one, and put Remit before it"
	case x.Configuration != "" && x.server.URL != "":
		remedy = "start it: " + display.Command("remit", "gateway", "--config", x.Configuration) + "; one that runs already must have been started with the file as it is now"
	case x.Server != nil && x.Server.URL != "":
		remedy = "see whether its address is right, and answers"
	}

	if dialled := (*net.OpError)(nil); errors.As(err, &dialled) && dialled.Op == "dial" {
		err = fmt.Errorf("nothing answers at %s", dialled.Addr)
	}
	message := fmt.Sprintf("the server %s: %v", what, err)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		message = fmt.Sprintf("the server %s within %s", what, x.o.Timeout)
		remedy += "; if it is only slow, give it longer with --timeout"
	}
	if said != "" {
		message, remedy = fmt.Sprintf("the gateway doesn't start: %s", said), "correct that"
	}
	x.d.add(true, "silent", "", remedy, "%s", message)
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

// stopped reports whether the call of a tool was denied, for a reason. An empty
// tool or code matches any.
func (d *denial) stopped(tool string, code remit.Code) bool {
	if d == nil || d.Verdict != remit.Deny || len(d.Reasons) == 0 {
		return false
	}
	if tool != "" && d.Tool != tool {
		return false
	}

	for _, r := range d.Reasons {
		if code == "" || r.Code == code {
			return true
		}
	}
	return false
}

// checkStore notes a store that can't be opened.
func (x *examination) checkStore(ctx context.Context, name string) {
	ctx, cancel := context.WithTimeout(ctx, x.o.Timeout)
	defer cancel()
	if !strings.Contains(name, ":") {
		name = Launch{Dir: x.dir}.Path(name)
	}
	s, err := store.Open(ctx, name, store.Options{})
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		x.d.add(true, "store", "", "see that it runs and may be used", "the store can't be opened: %v", err)
	}
}
