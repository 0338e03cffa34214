package strictyaml

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Position is a place in a file; the zero value is unknown.
type Position struct {
	File string
	// Line and Column count from 1; a Line of 0 is the file as a whole.
	Line, Column int
}

// String returns file:line:column, as editors understand it.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Error is a mistake in a file.
type Error struct {
	Position Position
	// Message says what is wrong, Hint what to write instead.
	Message, Hint string
	// Cause tells the mistake from others; nil for most.
	Cause error
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Error implements error, as "file:line:col: message; hint".
func (e *Error) Error() string {
	if e.Hint == "" {
		return fmt.Sprintf("%s: %s", e.Position, e.Message)
	}
	return fmt.Sprintf("%s: %s; %s", e.Position, e.Message, e.Hint)
}

// Errors are all mistakes in a file, in the order of their positions.
type Errors []*Error

// Sort puts the mistakes into the order of the file.
func (e Errors) Sort() {
	slices.SortStableFunc(e, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Position.Line, b.Position.Line), cmp.Compare(a.Position.Column, b.Position.Column))
	})
}

// Error implements error, one mistake a line.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, err := range e {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}
