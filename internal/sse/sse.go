// Package sse reads and writes server-sent events, with bounds: an endpoint that sends
// them may never end a line.
package sse

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// ErrTooLong is returned by [Reader.Next] for an event beyond the bound.
var ErrTooLong = errors.New("the event is longer than the bound")

// Event is one server-sent event.
type Event struct {
	// Name is the event's type; empty means "message".
	Name string
	// ID is the last id that the stream gave, with this event or before it.
	ID   string
	Data []byte
	// Retry is the time to wait before reconnecting, where the event says one.
	Retry time.Duration
}

// Reader reads events off a stream.
type Reader struct {
	in   *bufio.Reader
	most int
	id   string
	// afterCR is set when the last line ended in a carriage return: a line feed
	// that follows belongs to it.
	afterCR bool
	started bool
}

// NewReader reads events of at most most bytes each.
func NewReader(r io.Reader, most int) *Reader {
	return &Reader{in: bufio.NewReaderSize(r, 1<<14), most: most}
}

// Next returns the next event that has data. An event that the stream's end
// cuts off is none, as the standard has it; the error is io.EOF then.
func (r *Reader) Next() (Event, error) {
	var e Event
	var data []byte
	has, size := false, 0

	for {
		line, err := r.line(r.most - size)
		if err != nil {
			return Event{}, err
		}
		size += len(line)
		if !r.started {
			r.started = true
			line = bytes.TrimPrefix(line, []byte("\uFEFF"))
		}
		if len(line) == 0 {
			if has {
				e.Data, e.ID = data, r.id
				return e, nil
			}
			e, size = Event{}, 0
			continue
		}
		field, value, _ := bytes.Cut(line, []byte{':'})
		value = bytes.TrimPrefix(value, []byte{' '})
		switch string(field) {
		case "data":
			if has {
				data = append(data, '\n')
			}
			data, has = append(data, value...), true
		case "event":
			e.Name = string(value)
		case "id":
			if !bytes.ContainsRune(value, 0) {
				r.id = string(value)
			}
		case "retry":
			if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
				e.Retry = time.Duration(ms) * time.Millisecond
			}
		}
	}
}

// line reads up to a line end, which may be CR, LF or both.
func (r *Reader) line(most int) ([]byte, error) {
	var line []byte

	for {
		c, err := r.in.ReadByte()
		if err != nil {
			return nil, err
		}
		if r.afterCR {
			r.afterCR = false
			if c == '\n' {
				continue
			}
		}
		switch c {
		case '\r':
			r.afterCR = true
			return line, nil
		case '\n':
			return line, nil
		}
		if len(line) >= most {
			return nil, ErrTooLong
		}
		// Most of a line comes at once.
		line = append(line, c)
		if n := r.in.Buffered(); n > 0 {
			rest, _ := r.in.Peek(min(n, most-len(line)))
			if i := bytes.IndexAny(rest, "\r\n"); i >= 0 {
				rest = rest[:i]
			}
			line = append(line, rest...)
			if _, err := r.in.Discard(len(rest)); err != nil {
				return nil, err
			}
		}
	}
}

// Write writes one event. Names and ids must not hold line breaks; data may.
func Write(w io.Writer, e Event) error {
	var b bytes.Buffer
	if strings.ContainsAny(e.Name+e.ID, "\r\n\x00") {
		return errors.New("the name or the id of an event holds a line break")
	}
	if e.Name != "" {
		fmt.Fprintf(&b, "event: %s\n", e.Name)
	}
	if e.ID != "" {
		fmt.Fprintf(&b, "id: %s\n", e.ID)
	}
	for line := range bytes.SplitSeq(e.Data, []byte{'\n'}) {
		b.WriteString("data: ")
		b.Write(line)
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	_, err := w.Write(b.Bytes())
	return err
}
