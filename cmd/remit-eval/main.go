// Remit-eval measures Remit, and other defenses, on recorded and labelled data.
//
// See docs/reference/evaluation.md for the data sets and what the figures mean.
package main

import (
	"io"
	"os"

	"github.com/remit-project/remit/internal/command"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// cli is the command line. Each field is a command, in a file of its own.
type cli struct {
	Help command.HelpFlag `short:"h" help:"Show help for a command."`

	All         allCommand         `cmd:"" default:"withargs" help:"Compare Remit with other defenses on a directory of data sets (the default)."`
	AgentDojo   agentdojoCommand   `cmd:"" name:"agentdojo" help:"Measure Remit on recorded AgentDojo sessions."`
	InjecAgent  injecagentCommand  `cmd:"" name:"injecagent" help:"Measure Remit on InjecAgent's cases."`
	Roles       rolesCommand       `cmd:"" help:"Measure contract synthesis on labelled roles."`
	Fit         fitCommand         `cmd:"" help:"Fit the estimate of synthesis to labelled roles."`
	Scenarios   scenariosCommand   `cmd:"" help:"Play attacks and ordinary requests."`
	Plan        planCommand        `cmd:"" help:"Make the scopes of a set of requests by a planner."`
	Packs       packsCommand       `cmd:"" help:"Play ordinary work and attacks with real servers, with synthesized contracts and with packs."`
	Provenance  provenanceCommand  `cmd:"" help:"Measure the resolver on labelled origins."`
	Diagnostics diagnosticsCommand `cmd:"" help:"Run the scenarios that ship with Remit, or those of a directory."`
	Speed       speedCommand       `cmd:"" help:"Time whole decisions."`
	Airline     airlineCommand     `cmd:"" help:"Decide calls of an airline by the guards of the example."`
	Policy      policyCommand      `cmd:"" help:"Compare what was compiled of a policy document with a ground truth."`
	Scale       scaleCommand       `cmd:"" help:"Predict what companies of agents take, and hold the prediction against measurements."`
	Replicas    replicasCommand    `cmd:"" help:"Measure the decision API by its replicas on one store."`
	Gateway     gatewayCommand     `cmd:"" help:"Compare calls through the MCP gateway with direct calls."`
	Proxy       proxyCommand       `cmd:"" help:"Compare requests through the proxy with direct requests."`
}

// run runs the program with the arguments after its name, and returns its exit
// code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := command.Program{Name: "remit-eval", Description: "Measure Remit, and other defenses, on recorded and labelled data.", Commands: &cli{}}
	return command.Run(p, args, stdin, stdout, stderr)
}
