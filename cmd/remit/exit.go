package main

// The exit codes of remit beside those of package command, as
// docs/reference/exit-codes.md describes them.
const (
	// exitLaxer says that contract diff or policy diff found what --fail-on names.
	exitLaxer = 1
	// exitBlocked says that remit hook denies a call, where the agent learns that
	// from the exit code. A wrong command line has the same code, so that it denies
	// as well.
	exitBlocked = 2
	// exitStopped says that a call was denied or held back. Only check does so by
	// itself; replay does with --exit-code. For doctor, something isn't protected.
	exitStopped = 3
	// exitFindings says that contract lint or policy lint found mistakes, policy test
	// examples that fail, or contract synth conflicts.
	exitFindings = 4
)
