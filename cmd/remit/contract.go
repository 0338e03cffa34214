package main

type contractCommand struct {
	Synth  synthCommand  `cmd:"" help:"Make contracts from tool definitions, and keep what people edited."`
	Update updateCommand `cmd:"" help:"Update the contracts of running servers, and keep what people edited."`
	Lint   lintCommand   `cmd:"" help:"Check contract files, also against the tools they are about."`
	Show   showCommand   `cmd:"" help:"Show one tool's contract as a table."`
	Diff   diffCommand   `cmd:"" help:"Compare two contract files, and find what became laxer."`
	Refine refineCommand `cmd:"" help:"Propose changes to contracts from recorded sessions and the audit log."`
	Pack   packCommand   `cmd:"" help:"Reviewed contracts of servers that many people run."`
}
