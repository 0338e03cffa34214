package main

import (
	"io"

	"github.com/remit-project/remit/internal/command"
)

// cli is the command line. Each field is a command, in a file of its own.
type cli struct {
	Help command.HelpFlag `short:"h" help:"Show help for a command."`

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
	Eval       movedEvalCommand  `cmd:"" hidden:""`
	Version    versionCommand    `cmd:"" help:"Print the version."`
}

// run runs the program with the arguments after its name, and returns its exit
// code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := command.Program{Name: "remit", Description: "A reference monitor between an LLM agent and its tools.", Commands: &cli{}}
	return command.Run(p, args, stdin, stdout, stderr)
}
