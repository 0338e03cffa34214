package command

import (
	"encoding/json"
	"io"
	"os"

	"golang.org/x/term"
)

// The widths of text, in characters. A narrower or wider terminal is treated as
// one of MinWidth or MaxWidth.
const (
	MinWidth     = 40
	MaxWidth     = 110
	DefaultWidth = 80
)

// Streams are the standard streams of a command, with what is known about the
// terminal behind them.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	// Color and ErrColor report whether Out and Err may be coloured.
	Color, ErrColor bool
	// InTerminal reports whether In is a terminal, where a person can answer.
	InTerminal bool
	// ErrTerminal reports whether Err is a terminal. Progress is shown only there.
	ErrTerminal bool
	// Width is the width of Out in characters.
	Width int
}

// newStreams returns the streams of a command after it has looked at the terminal.
func newStreams(in io.Reader, out, err io.Writer) *Streams {
	s := &Streams{In: in, Out: out, Err: err}
	if f, ok := in.(*os.File); ok {
		s.InTerminal = term.IsTerminal(int(f.Fd()))
	}
	_, s.Color, s.Width = terminal(out)
	s.ErrTerminal, s.ErrColor, _ = terminal(err)
	return s
}

// terminal reports whether w is a terminal, whether text on it may be coloured,
// and how wide it is.
func terminal(w io.Writer) (is, color bool, width int) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return false, false, DefaultWidth
	}

	width = DefaultWidth
	if cols, _, err := term.GetSize(int(f.Fd())); err == nil && cols > 0 {
		width = min(max(cols, MinWidth), MaxWidth)
	}
	return true, os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb", width
}

// WriteJSON writes a value as indented JSON.
func WriteJSON(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(v)
}
