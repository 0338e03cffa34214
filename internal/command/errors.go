package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/hint"
)

// The exit codes that all programs share.
const (
	// ExitOK says that the command did what it was asked.
	ExitOK = 0
	// ExitError says that something could not be read, written or understood.
	ExitError = 1
	// ExitUsage says that the command line is wrong.
	ExitUsage = 2
)

// Status is an outcome that needs its own exit code, and no message: the command
// has printed everything.
type Status int

// Error returns the empty string.
func (s Status) Error() string { return "" }

// UsageError marks an error as a mistake in the command line, which ends the
// program with [ExitUsage].
func UsageError(err error) error { return usageError{err} }

type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

// exitCode returns the code with which an outcome ends the program.
func exitCode(err error) int {
	var s Status
	var u usageError
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &s):
		return int(s)
	case errors.As(err, &u):
		return ExitUsage
	}
	return ExitError
}

// Report prints an error: a line for each mistake, then the advice.
func (s *Streams) Report(err error) {
	if err == nil || err.Error() == "" {
		return
	}

	p := display.Paint(s.ErrColor)
	for line := range strings.SplitSeq(strings.TrimSuffix(err.Error(), "\n"), "\n") {
		fmt.Fprintf(s.Err, "%s %s\n", p.Bad("error:"), display.Line(line))
	}
	if advice, ok := hint.Of(err); ok {
		fmt.Fprintf(s.Err, "%s %s\n", p.Dim("hint:"), display.Line(advice))
	}
}
