package main

import (
	"io"

	"github.com/remit-project/remit/internal/command"
)

// cli is the command line. Each field is a command, in a file of its own.
type cli struct {
	Help command.HelpFlag `short:"h" help:"Show help for a command."`

	Demo       demoCommand        `cmd:"" help:"Watch Remit decide calls with and without an attack."`
	DemoOffice demoOfficeCommand  `cmd:"" hidden:""`
	Check      checkCommand       `cmd:"" help:"Decide one proposed call."`
	Replay     replayCommand      `cmd:"" help:"Decide every call of recorded sessions."`
	Session    sessionCommand     `cmd:"" help:"Decide calls over JSON lines on standard input and output."`
	Explain    explainCommand     `cmd:"" help:"Show where every argument of a call came from."`
	Export     exportCommand      `cmd:"" help:"Write the sessions of a store as recordings."`
	Contract   contractCommand    `cmd:"" help:"Make, check, show and compare contracts."`
	Policy     policyCommand      `cmd:"" help:"Make, check, test and review the company's policies for its tools."`
	Scope      scopeCommand       `cmd:"" help:"Show and check what the user's requests authorise."`
	Init       initCommand        `cmd:"" help:"Put Remit in front of a client's MCP servers, or take it out."`
	Gateway    gatewayCommand     `cmd:"" help:"Run the gateway between an MCP client and its servers."`
	Hook       hookCommand        `cmd:"" help:"Protect a coding agent with hooks."`
	Proxy      proxyCommand       `cmd:"" help:"Run the proxy between an agent and the API of its model."`
	Serve      serveCommand       `cmd:"" help:"Run the decision API: decide calls over HTTP."`
	Token      tokenCommand       `cmd:"" help:"Make, list, rotate and revoke tokens of remit serve."`
	Doctor     doctorCommand      `cmd:"" help:"Prove that the servers of a client, or the tools of a coding agent, are protected."`
	Approvals  approvalsCommand   `cmd:"" help:"Show and answer the questions to people."`
	Console    consoleCommand     `cmd:"" help:"Show questions and sessions in the browser, and where every argument came from."`
	Audit      auditCommand       `cmd:"" help:"Verify, export and prune the audit log."`
	Eval       movedEvalCommand   `cmd:"" hidden:""`
	Schema     schemaCommand      `cmd:"" help:"Print the JSON Schema of a kind of file, for editors."`
	Completion command.Completion `cmd:"" help:"Print the script that completes the command line in a shell."`
	Manual     command.Manual     `cmd:"" help:"Print the manual page."`
	Version    versionCommand     `cmd:"" help:"Print the version."`
}

// run runs the program with the arguments after its name, and returns its exit
// code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := command.Program{Name: "remit", Description: "Remit decides the tool calls of an LLM agent: allow, ask a person, or deny.", Overview: overview, Reference: reference, Commands: &cli{}}
	return command.Run(p, args, stdin, stdout, stderr)
}
