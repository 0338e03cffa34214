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
	return `Prints the version of Remit, of Go, and the platform.

Example:
  remit version`
}

// Run prints what the binary was built from.
func (versionCommand) Run(s *command.Streams) error {
	_, err := fmt.Fprintf(s.Out, "remit %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// version is what the binary was built from.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
