package main

type scopeCommand struct {
	Plan  scopePlanCommand  `cmd:"" help:"Show what a planner says that a request authorises."`
	Check scopeCheckCommand `cmd:"" help:"Decide the calls of recorded sessions with scopes, and show which entry lets each pass."`
}
