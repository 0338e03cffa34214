package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/display"
)

// progressEvery keeps the progress line from costing more than the work.
const progressEvery = 100 * time.Millisecond

const progressCells = 24

// progress is one line on standard error, there only if that is a terminal. It
// measures bytes of the files, since the number of sessions shows at the end
// only. A nil progress shows nothing.
type progress struct {
	w           io.Writer
	read, total int64
	last        time.Time
	shown       bool
}

func newProgress(s *command.Streams, files []string) *progress {
	if !s.ErrTerminal {
		return nil
	}
	p := &progress{w: s.Err}
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			p.total += info.Size()
		}
	}
	return p
}

// count passes a reader through and counts what is read.
func (p *progress) count(r io.Reader) io.Reader {
	if p == nil {
		return r
	}
	return &countingReader{r, &p.read}
}

type countingReader struct {
	io.Reader
	n *int64
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	*c.n += int64(n)
	return n, err
}

// show redraws the line, unless it was drawn just now.
func (p *progress) show(sessions, calls int) {
	if p == nil {
		return
	}
	bar := ""
	if p.total > 0 {
		full := int(min(p.read, p.total) * progressCells / p.total)
		bar = "[" + strings.Repeat("=", full) + strings.Repeat(" ", progressCells-full) + "] "
	}
	p.draw(fmt.Sprintf("%s%s, %s", bar, display.Count(sessions, "session", "sessions"), display.Count(calls, "call", "calls")))
}

// draw writes the line, unless it was drawn just now.
func (p *progress) draw(text string) {
	if p == nil || time.Since(p.last) < progressEvery {
		return
	}
	p.last, p.shown = time.Now(), true
	fmt.Fprintf(p.w, "\r\x1b[K%s", text)
}

// clear takes the line away, for other output to take its place.
func (p *progress) clear() {
	if p != nil && p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}
