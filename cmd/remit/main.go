// Remit is a reference monitor between an LLM agent and its tools. This
// command tries it on files: recordings are replayed, single calls checked and
// explained, contracts made and kept, and any program can have its agent's
// calls decided over standard input and output.
//
// See docs/reference/cli.md for all commands.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
