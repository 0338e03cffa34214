package command

import (
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/remit-project/remit/internal/display"
)

// Tables prints titled tables and lists. It keeps the first error.
type Tables struct {
	// Err is the first error.
	Err error

	out   io.Writer
	paint display.Paint
}

// NewTables returns a printer of tables to the standard output.
func NewTables(s *Streams) *Tables {
	return &Tables{out: s.Out, paint: display.Paint(s.Color)}
}

// Title prints a line above what belongs to it.
func (t *Tables) Title(text string) {
	if t.Err == nil {
		_, t.Err = fmt.Fprintf(t.out, "%s\n", t.paint.Bold(text))
	}
}

// Rows prints rows of cells as aligned columns.
func (t *Tables) Rows(rows ...[]string) {
	if t.Err != nil {
		return
	}

	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		for i, cell := range r {
			if i == 0 {
				cell = "  " + cell
			}
			if i > 0 {
				fmt.Fprint(w, "\t")
			}
			fmt.Fprint(w, display.Line(cell))
		}
		fmt.Fprintln(w)
	}
	t.Err = w.Flush()
}

// List prints lines under a title. It prints nothing if there are no lines.
func (t *Tables) List(title string, lines []string) {
	if t.Err != nil || len(lines) == 0 {
		return
	}

	fmt.Fprintf(t.out, "  %s\n", title)
	for _, l := range lines {
		fmt.Fprintf(t.out, "    %s\n", display.Line(l))
	}
}

// End prints the empty line after a group of tables.
func (t *Tables) End() {
	if t.Err == nil {
		_, t.Err = fmt.Fprintln(t.out)
	}
}

// WriteFile creates or truncates a file, and writes it with write.
func WriteFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := write(f); err != nil {
		f.Close()
		return fmt.Errorf("write %s: %w", name, err)
	}
	return f.Close()
}
