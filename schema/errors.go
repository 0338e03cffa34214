package schema

import "strings"

// Error is a mistake in a catalogue.
type Error struct {
	// File is the name of the parsed catalogue.
	File string
	// Tool is the name of the tool; empty if the mistake is outside of a tool.
	Tool string
	// Pointer is the JSON pointer of the mistake: in the tool's definition if Tool
	// is set, and in the document otherwise.
	Pointer string
	// Message is the mistake, and Hint its correction.
	Message, Hint string
}

// Error formats the mistake as "file: tool "name": pointer: message; hint".
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

// Error formats the mistakes, one per line.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, err := range e {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the single mistakes, for errors.As.
func (e Errors) Unwrap() []error {
	out := make([]error, len(e))
	for i, err := range e {
		out[i] = err
	}
	return out
}
