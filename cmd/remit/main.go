// Remit is a reference monitor between an LLM agent and its tools. This
// command tries it on files: recordings are replayed, single calls checked and
// explained, contracts made and kept, and any program can have its agent's
// calls decided over standard input and output.
//
// See docs/reference/cli.md for all commands.
package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

func main() {
	startQuickly()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// startPercent lets the heap grow to some 32 MB before it is collected for the first time.
const startPercent = 800

// startQuickly puts the first garbage collection off: a hook ends before it, and a server has
// started. From then on garbage is collected as ever. A GOGC of the user's counts.
func startQuickly() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(startPercent)
	first := new([16]byte) // gone after the first collection
	runtime.AddCleanup(first, func(percent int) { debug.SetGCPercent(percent) }, usual)
}
