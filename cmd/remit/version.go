package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/remit-project/remit/internal/command"
)

type versionCommand struct{}

// Help is shown below the flags.
func (versionCommand) Help() string {
	return `Prints the version of Remit, the commit that it was built from and its date, the version
of Go, and the platform.

Example:
  remit version`
}

// Run prints what the binary was built from.
func (versionCommand) Run(s *command.Streams) error {
	_, err := fmt.Fprintf(s.Out, "remit %s%s %s %s/%s\n", version(), commit(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// version returns what the binary was built from.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// commit returns the commit that the binary was built from with its date, after a
// space; "" where the toolchain recorded none, as for go install with a version.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}

	recorded := map[string]string{}
	for _, s := range info.Settings {
		recorded[s.Key] = s.Value
	}
	revision, date := recorded["vcs.revision"], recorded["vcs.time"]
	if revision == "" {
		return ""
	}

	changed := ""
	if recorded["vcs.modified"] == "true" {
		changed = ", changed since"
	}
	return fmt.Sprintf(" (commit %s of %s%s)", revision[:min(len(revision), 12)], date, changed)
}
