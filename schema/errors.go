package schema

import "strings"

// Error is a mistake in a catalogue.
type Error struct {
	// File is the name that the catalogue was parsed under.
	File string
	// Tool is the name of the tool, empty when the mistake is outside of one.
	Tool string
	// Pointer is the place as a JSON pointer, in the tool's definition when
	// Tool is set and in the document otherwise.
	Pointer string
	// Message says what is wrong, Hint what to do about it.
	Message, Hint string
}

// Error implements error, as "file: tool "name": pointer: message; hint".
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Tool != "" {
		b.WriteString(": tool \"")
		b.WriteString(e.Tool)
		b.WriteByte('"')
	}
	if e.Pointer != "" {
		b.WriteString(": ")
		b.WriteString(e.Pointer)
	}
	b.WriteString(": ")
	b.WriteString(e.Message)
	if e.Hint != "" {
		b.WriteString("; ")
		b.WriteString(e.Hint)
	}
	return b.String()
}

// Errors are the mistakes in a catalogue, at most twenty of them.
type Errors []*Error

// Error implements error, one mistake a line.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, err := range e {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives errors.As access to the single mistakes.
func (e Errors) Unwrap() []error {
	out := make([]error, len(e))
	for i, err := range e {
		out[i] = err
	}
	return out
}
