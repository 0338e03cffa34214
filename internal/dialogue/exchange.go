package dialogue

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/remit-project/remit/internal/strictjson"
)

// input is a line of the input with its number, or why it couldn't be read.
type input struct {
	n    int
	line []byte
	err  error
}

// Bounds on the lines that are read while a decision waits for look-ups. Beyond them,
// nothing more is read before the decision is made.
const (
	maxWaiting       = 1024
	maxWaitingWeight = maxLine
)

// exchange is the two streams of a dialogue.
type exchange struct {
	in  <-chan input // nil after the last line
	out *bufio.Writer
	// waiting are lines that came while a decision waited for look-ups.
	waiting []input
	weight  int
}

// newExchange reads lines in the background, one ahead, until ctx ends.
func newExchange(ctx context.Context, in io.Reader, out io.Writer) *exchange {
	lines := make(chan input)

	go func() {
		defer close(lines)
		r := bufio.NewReaderSize(in, 1<<16)
		for n := 1; ; n++ {
			line, err := readLine(r, maxLine)
			last := err != nil && !errors.Is(err, errLongLine)
			if errors.Is(err, io.EOF) {
				err = nil
			}
			if len(bytes.TrimSpace(line)) > 0 || err != nil {
				select {
				case lines <- input{n, line, err}:
				case <-ctx.Done():
					return
				}
			}
			if last {
				return
			}
		}
	}()

	return &exchange{in: lines, out: bufio.NewWriter(out)}
}

// next returns the next line; ok is false after the last one.
func (x *exchange) next(ctx context.Context) (i input, ok bool, err error) {
	if len(x.waiting) > 0 {
		i = x.waiting[0]
		x.waiting, x.weight = x.waiting[1:], x.weight-len(i.line)
		return i, true, nil
	}
	if x.in == nil {
		return input{}, false, nil
	}
	select {
	case i, ok = <-x.in:
		return i, ok, nil
	case <-ctx.Done():
		return input{}, false, ctx.Err()
	}
}

// write writes a line. The client waits for it before it sends more.
func (x *exchange) write(v any) error {
	data, err := strictjson.Encode(v)
	if err != nil {
		return err
	}
	if _, err := x.out.Write(append(data, '\n')); err != nil {
		return err
	}
	return x.out.Flush()
}

// carryOut carries a line out while it asks the other side for look-ups and takes their
// answers. Other lines wait.
func (x *exchange) carryOut(ctx context.Context, dl *dialogue, i input) (any, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan any, 1)
	go func() { done <- dl.line(ctx, i.n, i.line) }()

	for {
		in := x.in
		if len(x.waiting) >= maxWaiting || x.weight >= maxWaitingWeight {
			in = nil
		}
		select {
		case answer := <-done:
			return answer, nil
		case q := <-dl.inquiries.questions:
			if err := x.write(q); err != nil {
				return nil, err
			}
		case i, ok := <-in:
			if err := x.take(ctx, dl, i, ok); err != nil {
				return nil, err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// take takes a line in that comes while another is carried out.
func (x *exchange) take(ctx context.Context, dl *dialogue, i input, ok bool) error {
	if !ok || (i.err != nil && !errors.Is(i.err, errLongLine)) {
		x.in = nil
		dl.inquiries.end()
	}
	if !ok {
		return nil
	}
	// A line with a mistake in it is told by its type as well.
	if r, _ := parseRequest(i.line); r == nil || r.Type != "lookup_result" {
		x.waiting, x.weight = append(x.waiting, i), x.weight+len(i.line)
		return nil
	}
	if answer := dl.line(ctx, i.n, i.line); answer != nil {
		return x.write(answer)
	}
	return nil
}

var errLongLine = errors.New("the line is too long")

// readLine reads up to a line break. It skips the rest of a line beyond the bound, so
// that the next line is found.
func readLine(in *bufio.Reader, bound int) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(line)+len(part) > bound; !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long && (err == nil || errors.Is(err, io.EOF)):
			return nil, errLongLine
		}
		return line, err
	}
}
