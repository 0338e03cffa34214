package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/proxy"
	"github.com/remit-project/remit/internal/revise"
	"github.com/remit-project/remit/internal/telemetry"
	"github.com/remit-project/remit/store"
)

// maxText bounds the flag of that name, in MiB.
const maxText = 64 << 10

type proxyCommand struct {
	logFlags
	rateFlag
	plannerFlags
	judgeFlag
	lookupsFlag
	firstReaderFlags
	carriedConsole
	Upstream  string   `placeholder:"URL" required:"" help:"The API of models behind the proxy, as in https://api.openai.com."`
	Listen    string   `placeholder:"ADDRESS" default:"127.0.0.1:8742" help:"Where agents reach the proxy (127.0.0.1:8742)."`
	Name      string   `placeholder:"NAME" default:"agent" help:"What contracts call the server of the agent's tools (agent)."`
	Contracts string   `placeholder:"DIR" help:"The contract file, NAME.yaml. Contracts of tools that it doesn't have are made there from the requests, for you to review. Without it every request's tools have contracts made for them."`
	Policies  string   `placeholder:"DIR" help:"Guard files (*.yaml): the company's policies for calls."`
	Pack      []string `placeholder:"NAME" sep:"none" help:"The tools may be those of a pack's server: a definition that the pack reviewed has the pack's contract. Repeatable; remit contract pack list shows all."`
	Learn     bool     `default:"true" negatable:"" help:"Make contracts of tools that the file doesn't have; with --no-learn their calls are denied, once there is a file."`
	Accept    []string `placeholder:"TOOL" sep:"none" help:"A tool whose definition may change: its contract is brought up to date, and your edits stay. Calls of other tools that change are denied. Can be repeated."`
	Reviewed  bool     `help:"You have read the definitions of the tools in the contract file, and they say nothing that the deployment would not. Where a request has others, or marked ones, they are text of whoever wrote them."`
	Shadow    bool     `help:"Decide and record, and let everything pass."`
	Retries   int      `placeholder:"N" default:"2" help:"How often a model is asked again after a denial, within one request (2)."`
	Text      int      `name:"text-mib" placeholder:"N" help:"How much text of conversations is kept between requests, in MiB (128). It takes some twenty times as much memory."`
	Attached  []string `placeholder:"CONTAINER" sep:"none" help:"A container of material in user messages and system text that others wrote: the name of a tag, or BEGIN...END. Can be repeated."`
	TextCalls bool     `help:"Let conversations pass in which calls are text that a program runs. They are not decided."`
	Pass      []string `placeholder:"PATH" sep:"none" help:"A path that goes to the upstream undecided. Can be repeated."`
	Host      []string `placeholder:"NAME" sep:"none" help:"A name that agents call the proxy by, beside those of the loopback interface. Can be repeated."`
	Origin    []string `placeholder:"URL" sep:"none" help:"A web page that may call the proxy. Can be repeated."`
	Store     string   `placeholder:"STORE" help:"Keep sessions there, so that they outlive the process: a file, postgres://… or nats://…. Without it nothing is stored."`
	Queue     bool     `help:"Put questions into the store's queue and wait for a person's answer. Needs --store."`
	Questions bool     `default:"true" negatable:"" help:"Ask the user about calls that were held back, below the model's words: the user answers in the conversation. With --no-questions they stay denied. Without meaning with --queue."`
	Log       string   `placeholder:"LEVEL" default:"info" enum:"debug,info,warn,error" help:"What to log to standard error: debug, info, warn or error (info)."`
}

// Help is shown below the flags.
func (proxyCommand) Help() string {
	return `Stands between an agent and the API of its model, for OpenAI's Chat Completions and Responses, Anthropic's
Messages and Google's generateContent: every call that the model proposes is decided before the agent sees it. Point the agent's base URL at it.

Example:
  remit proxy --upstream https://api.openai.com
  OPENAI_BASE_URL=http://127.0.0.1:8742/v1 my-agent`
}

// Run serves until it is stopped.
func (c *proxyCommand) Run(ctx context.Context, s *command.Streams) error {
	ctx, stop := standing(ctx)
	defer stop()
	c.Store = cmp.Or(c.Store, os.Getenv("REMIT_STORE"))
	log := c.logger(s.Err, c.Log)
	observe, flush, err := observed(ctx, "proxy", true, log)
	if err != nil {
		return err
	}
	defer flush()

	o, end, err := c.options(ctx, log, observe)
	if err != nil {
		return err
	}
	p, err := proxy.New(o)
	if err != nil {
		return errors.Join(command.UsageError(err), end())
	}
	l, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return errors.Join(hint.Wrap(err, "choose another address with --listen"), end())
	}
	if !loopback(l.Addr().String()) {
		log.Warn("the address can be reached from other machines, and the proxy has neither TLS nor tokens: listen on 127.0.0.1, or let only the agent's machine reach it")
	}
	log.Info("listening", "url", "http://"+l.Addr().String(), "upstream", o.Upstream.Redacted())
	return errors.Join(p.Serve(ctx, l), end())
}

func (c *proxyCommand) options(ctx context.Context, log *slog.Logger, observe *telemetry.Recorder) (proxy.Options, func() error, error) {
	o := proxy.Options{Name: c.Name, Shadow: c.Shadow, Retries: c.Retries, Attached: c.Attached, Pass: c.Pass, TextCalls: c.TextCalls, NoQuestions: !c.Questions, Accept: c.Accept,
		Callers: access.Hosts{Names: c.Host, Origins: c.Origin}, Log: log, Telemetry: observe, Rates: access.NewRates(int(c.Rate))}
	if c.Retries <= 0 {
		o.Retries = -1
	}
	if c.Text < 0 || c.Text > maxText {
		return o, nil, command.UsageError(fmt.Errorf("--text-mib: write a number from 1 to %d", maxText))
	}
	o.Limits.Text = c.Text << 20
	err := c.check(c.Store != "", nameStore)
	if err != nil {
		return o, nil, err
	}
	if o.Upstream, err = url.Parse(c.Upstream); err != nil {
		return o, nil, command.UsageError(hint.Wrap(err, "write the upstream as in https://api.openai.com"))
	}

	if o.Weigh, err = c.maker(log); err != nil {
		return o, nil, err
	}

	// Others of the same store can give scopes in a session.
	if err := c.plan(&o.Monitor, c.Store != "", log, observe); err != nil {
		return o, nil, err
	}
	if o.Packs, err = packsNamed(c.Pack); err != nil {
		return o, nil, command.UsageError(err)
	}
	if o.Monitor.Reviewed = c.Reviewed; c.Reviewed && c.Contracts == "" {
		return o, nil, command.UsageError(hint.Wrap(errors.New("there is no contract file whose tools could be reviewed"), "name its directory with --contracts"))
	}
	if c.Contracts != "" {
		if err := c.contracts(&o, log); err != nil {
			return o, nil, err
		}
	}
	endLookups, err := c.guarded(&o, log)
	if err != nil {
		return o, nil, err
	}
	st, end, err := durableProxy(ctx, &o, c.Store, c.Queue)
	if err != nil {
		return o, nil, errors.Join(err, endLookups())
	}
	endConsole, err := c.shown(ctx, &o, st, log)
	if err != nil {
		return o, nil, errors.Join(err, endLookups(), end())
	}
	return o, func() error { return errors.Join(endConsole(), endLookups(), end()) }, nil
}

// contracts reads the contract file of the agent, and has it kept.
func (c *proxyCommand) contracts(o *proxy.Options, log *slog.Logger) error {
	dir := contractDir(c.Contracts)
	var err error
	if o.Contract, err = dir.find(c.Name); err != nil {
		return err
	}
	if c.Learn || o.Contract == nil {
		o.Learned = (&learned{dir: dir, log: log}).add
	}
	file, err := dir.file(c.Name)
	if err != nil {
		return err
	}
	o.Listed = (&listing{map[string]string{c.Name: file}, log}).take

	if o.Contract != nil {
		return nil
	}
	others, err := dir.others(c.Name)
	if len(others) > 0 {
		log.Warn("the directory has contracts, and none of this agent's name: they are not read, and others are made",
			"file", file, "not_read", others, "hint", "name the file with --name, or rename it and its server")
	}
	return err
}

// shown serves the console of the proxy, with the contracts as they are learned.
func (c *proxyCommand) shown(ctx context.Context, o *proxy.Options, st store.Store, log *slog.Logger) (end func() error, err error) {
	names := map[string]string{}
	if c.Contracts != "" {
		if names[c.Name], err = contractDir(c.Contracts).file(c.Name); err != nil {
			return nil, err
		}
	}
	files := revise.Held(names, c.Edit)
	if o.Contract != nil {
		files.Put(o.Contract)
	}

	if learn := o.Learned; learn != nil {
		o.Learned = func(made *contract.File) (*contract.File, error) {
			f, err := learn(made)
			if err == nil {
				files.Put(f)
			}
			return f, err
		}
	}
	return c.carriedConsole.serve(ctx, st, &revise.Desk{Files: files, Monitor: replayed(o.Monitor, o.Policies, false)}, log)
}

// guarded adds the company's policies with what they look up and ask by, and returns
// what ends that.
func (c *proxyCommand) guarded(o *proxy.Options, log *slog.Logger) (end func() error, err error) {
	if c.Policies != "" {
		if o.Policies, err = inputs.Guards(c.Policies); err != nil {
			return nil, err
		}
	}
	if o.Monitor.Judge, err = c.judge(c.Policies); err != nil {
		return nil, err
	}
	o.Monitor.Reader, end, err = c.reader(c.Policies, log)
	return end, err
}
