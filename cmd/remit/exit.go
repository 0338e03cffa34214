package main

import "errors"

// The exit codes, as docs/reference/exit-codes.md describes them.
const (
	// exitOK: done; where calls were decided, see exitStopped.
	exitOK = 0
	// exitError: something could not be read, written or understood.
	exitError = 1
	// exitLaxer: contract diff or policy diff found what --fail-on names.
	exitLaxer = 1
	// exitUsage: the command line itself is wrong.
	exitUsage = 2
	// exitBlocked: remit hook denies, where the agent hears that by the exit code.
	// It is the code of a wrong command line too, so that this denies as well.
	exitBlocked = 2
	// exitStopped: a call was denied or held back. Only check says so of
	// itself; replay does with --exit-code. For doctor: something is not
	// protected.
	exitStopped = 3
	// exitFindings: contract lint or policy lint found mistakes, policy test
	// examples that fail, or contract synth conflicts.
	exitFindings = 4
)

// status is an outcome that is no error of the program: everything worth
// saying was said, and only the exit code remains.
type status int

func (s status) Error() string { return "" }

// hinted is an error with advice on what to do about it.
type hinted struct {
	err  error
	hint string
}

func (h *hinted) Error() string { return h.err.Error() }
func (h *hinted) Unwrap() error { return h.err }

// hint adds advice to an error.
func hint(err error, advice string) error { return &hinted{err, advice} }

// usage is a mistake in the command line that only the command itself finds.
type usage struct{ error }

func (u usage) Unwrap() error { return u.error }

// exitCode is the code that an outcome ends the program with.
func exitCode(err error) int {
	var s status
	var u usage
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &s):
		return int(s)
	case errors.As(err, &u):
		return exitUsage
	}
	return exitError
}
