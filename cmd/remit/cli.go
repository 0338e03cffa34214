package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/alecthomas/kong"
)

// cli is the command line: one field a sub-command, each in a file of its own.
type cli struct {
	Help helpFlag `short:"h" help:"Show help for a command."`

	Demo       demoCommand       `cmd:"" help:"Watch the monitor work, in under a minute."`
	DemoOffice demoOfficeCommand `cmd:"" hidden:""`
	Check      checkCommand      `cmd:"" help:"Decide one proposed call."`
	Replay     replayCommand     `cmd:"" help:"Decide every call of recorded sessions."`
	Session    sessionCommand    `cmd:"" help:"Decide calls over JSON lines on standard input and output."`
	Explain    explainCommand    `cmd:"" help:"Show where every argument of a call came from."`
	Contract   contractCommand   `cmd:"" help:"Make, check, show and compare contracts."`
	Policy     policyCommand     `cmd:"" help:"Check and test the company's policies for its tools."`
	Init       initCommand       `cmd:"" help:"Put Remit in front of a client's MCP servers, or take it out."`
	Gateway    gatewayCommand    `cmd:"" help:"Stand between an MCP client and its servers."`
	Hook       hookCommand       `cmd:"" help:"Stand before the tools of a coding agent, as its hook."`
	Proxy      proxyCommand      `cmd:"" help:"Stand between an agent and the API of its model."`
	Serve      serveCommand      `cmd:"" help:"Decide calls over HTTP."`
	Token      tokenCommand      `cmd:"" help:"Make tokens for remit serve."`
	Doctor     doctorCommand     `cmd:"" help:"Prove that the servers of a client are protected."`
	Approvals  approvalsCommand  `cmd:"" help:"Show and answer the questions that wait for a person."`
	Audit      auditCommand      `cmd:"" help:"Verify, export and prune the audit log."`
	Eval       evalCommand       `cmd:"" help:"Measure Remit, and other defenses, on published data sets."`
	Version    versionCommand    `cmd:"" help:"Print the version."`
}

// streams is what commands read and write, with what is known about it.
type streams struct {
	in       io.Reader
	out, err io.Writer
	// color and errColor tell whether out and err may be coloured, errTerminal
	// whether err is a terminal at all, and width how wide out is.
	color, errColor, errTerminal bool
	width                        int
}

// helpFlag prints the help and ends the parse; kong's own would have to end
// the program.
type helpFlag bool

// errHelp ends a parse after the help was printed.
var errHelp = errors.New("help was asked for")

// BeforeReset is called by kong when the flag is given.
func (helpFlag) BeforeReset(c *kong.Context) error {
	if err := c.PrintUsage(false); err != nil {
		return err
	}
	return errHelp
}

// run is the whole program but for the process around it.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s := &streams{in: stdin, out: stdout, err: stderr}
	_, s.color, s.width = terminal(stdout)
	s.errTerminal, s.errColor, _ = terminal(stderr)

	err := dispatch(ctx, args, s)
	s.report(err)
	return exitCode(err)
}

func dispatch(ctx context.Context, args []string, s *streams) error {
	var c cli
	parser, err := kong.New(&c,
		kong.Name("remit"),
		kong.Description("A reference monitor between an LLM agent and its tools."),
		kong.NoDefaultHelp(),
		kong.Writers(s.out, s.err),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: s.width}),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(s),
	)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	switch {
	case errors.Is(err, errHelp):
		return nil
	case err != nil:
		return usage{hint(err, "run remit --help for the commands, remit COMMAND --help for its flags")}
	}
	return parsed.Run()
}

// report prints an error the way every command does: lower case, one line a
// mistake, and advice on lines of its own.
func (s *streams) report(err error) {
	if err == nil || err.Error() == "" {
		return
	}
	p := paint(s.errColor)
	for line := range strings.SplitSeq(strings.TrimSuffix(err.Error(), "\n"), "\n") {
		fmt.Fprintf(s.err, "%s %s\n", p.bad("error:"), visible(line))
	}
	if h := (*hinted)(nil); errors.As(err, &h) {
		fmt.Fprintf(s.err, "%s %s\n", p.dim("hint:"), visible(h.hint))
	}
}
