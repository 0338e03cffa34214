package upstream

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/remit-project/remit/internal/pattern"
)

// Command describes a server that is a program.
type Command struct {
	// Args are the program and its arguments.
	Args []string
	// Env is its whole environment, as "NAME=value".
	Env []string
	Dir string
	// MaxMessage is the longest line that is taken from it.
	MaxMessage int
	// Grace is how long it has to end after its input did; two seconds when
	// zero. Then it is told to, and after as long again it is killed.
	Grace time.Duration
	Log   *slog.Logger
}

// stdio is a link to a child process.
type stdio struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	to     Receiver
	log    *slog.Logger
	most   int
	grace  time.Duration
	queue  chan []byte
	queued atomic.Int64
	ending chan struct{} // closed when the link is to end
	end    sync.Once
	done   chan struct{} // closed when the process has ended, and everybody knows
}

// Start starts a program and links to it.
func Start(c Command, to Receiver) (Link, error) {
	if len(c.Args) == 0 {
		return nil, errors.New("there is no command to start")
	}

	l := &stdio{
		cmd: exec.Command(c.Args[0], c.Args[1:]...), to: to, log: c.Log, most: c.MaxMessage, grace: c.Grace,
		queue: make(chan []byte, maxQueue), ending: make(chan struct{}), done: make(chan struct{}),
	}
	if l.grace == 0 {
		l.grace = 2 * time.Second
	}
	l.cmd.Env, l.cmd.Dir = c.Env, c.Dir
	ownGroup(l.cmd)
	var err error
	if l.in, err = l.cmd.StdinPipe(); err != nil {
		return nil, err
	}

	out, err := l.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	problems, err := l.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := l.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Args[0], err)
	}

	var readers sync.WaitGroup
	var readErr error
	readers.Go(func() { readErr = l.read(out) })
	readers.Go(func() { l.logLines(problems) })

	go l.write()

	go func() {
		readers.Wait()
		l.stop()
		err := l.cmd.Wait()
		if readErr != nil {
			err = readErr
		}
		l.to.Closed(err)
		close(l.done)
	}()

	return l, nil
}

// Send implements [Link].
func (l *stdio) Send(m Message) error {
	select {
	case <-l.ending:
		return ErrClosed
	default:
	}
	if l.queued.Add(int64(len(m.Raw))) > maxQueued {
		l.queued.Add(-int64(len(m.Raw)))
		return ErrBusy
	}
	select {
	case l.queue <- m.Raw:
		return nil
	default:
		l.queued.Add(-int64(len(m.Raw)))
		return ErrBusy
	}
}

// Abandon implements [Link]; over stdio a notification says it.
func (l *stdio) Abandon(int64) {}

// write writes what is sent until the link ends.
func (l *stdio) write() {
	for {
		select {
		case <-l.ending:
			l.writeRest()
			return
		case raw := <-l.queue:
			if !l.writeLine(raw) {
				return
			}
		}
	}
}

// writeRest writes what was sent before the end.
func (l *stdio) writeRest() {
	for {
		select {
		case raw := <-l.queue:
			if !l.writeLine(raw) {
				return
			}
		default:
			l.in.Close()
			return
		}
	}
}

func (l *stdio) writeLine(raw []byte) bool {
	l.queued.Add(-int64(len(raw)))
	_, err := l.in.Write(append(raw[:len(raw):len(raw)], '\n'))
	if err != nil {
		l.in.Close()
	}
	return err == nil
}

// read passes lines on until the output ends.
func (l *stdio) read(out io.Reader) error {
	in := bufio.NewReaderSize(out, 1<<16)

	for {
		line, err := ReadLine(in, l.most)
		if errors.Is(err, ErrLongLine) {
			if l.tooLong(in, line) {
				continue
			}
			// Nothing that follows can be relied on, and a server that sends this much may never
			// stop.
			l.kill()
			return fmt.Errorf("the server sent a message of more than %d bytes", l.most)
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			l.to.Receive(line, 0)
		}
		if err != nil {
			return nil
		}
	}
}

const (
	// maxSkipped is how much of a message that is too long is read to its end, in
	// messages of the longest kind: a picture or a dump is a few times as long, and
	// what doesn't end there may never.
	maxSkipped = 16
	// maxMember is how far from either end of a message its id is looked for.
	maxMember = 256
)

// The id of an answer is at its beginning or its end: everything between is
// the result.
var (
	idFirst = pattern.OnUse(`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*([0-9]{1,18})\s*,`)
	idLast  = pattern.OnUse(`,\s*"id"\s*:\s*([0-9]{1,18})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)
)

// tooLong reads an answer that is too long to its end, and fails the request that it
// answers. It is false where the end doesn't come, or where it can't be told which
// request that was.
func (l *stdio) tooLong(in *bufio.Reader, begun []byte) bool {
	first := bytes.Clone(begun[:min(len(begun), maxMember)])
	last := bytes.Clone(begun[max(0, len(begun)-maxMember):])
	for size := len(begun); size <= maxSkipped*l.most; {
		if !bytes.HasSuffix(last, []byte{'\n'}) {
			part, err := in.ReadSlice('\n')
			size += len(part)
			last = append(last, part...)
			last = last[max(0, len(last)-maxMember):]
			switch {
			case errors.Is(err, bufio.ErrBufferFull):
				continue
			case err != nil:
				return false
			}
		}
		found := idLast().FindSubmatch(last)
		if found == nil {
			found = idFirst().FindSubmatch(first)
		}
		if found == nil {
			return false
		}
		id, err := strconv.ParseInt(string(found[1]), 10, 64)
		if err != nil {
			return false
		}
		l.log.Warn("an answer of the server is too long", "bytes", size, "most", l.most)
		l.to.Failed(id, fmt.Errorf("%w: %d bytes of %d: ask for less, or raise the limit", ErrTooLong, size, l.most))
		return true
	}

	return false
}

func (l *stdio) logLines(problems io.Reader) {
	in := bufio.NewReaderSize(problems, maxLogLine)
	for {
		line, prefix, err := in.ReadLine()
		if len(line) > 0 {
			l.log.Info("server says", "line", string(line))
		}
		for prefix && err == nil {
			_, prefix, err = in.ReadLine()
		}
		if err != nil {
			return
		}
	}
}

func (l *stdio) stop() { l.end.Do(func() { close(l.ending) }) }

func (l *stdio) kill() {
	if err := killGroup(l.cmd); err != nil {
		l.log.Debug("the server could not be killed", "error", err)
	}
}

// Close implements [Link].
func (l *stdio) Close(ctx context.Context) error {
	l.stop()
	for _, force := range []func(*exec.Cmd) error{termGroup, killGroup} {
		select {
		case <-l.done:
			return nil
		case <-time.After(l.grace):
		case <-ctx.Done():
		}
		if err := force(l.cmd); err != nil {
			l.log.Debug("the server could not be ended", "error", err)
		}
	}
	select {
	case <-l.done:
		return nil
	case <-time.After(l.grace):
		return errors.New("the server could not be ended")
	}
}

// ErrLongLine is returned by [ReadLine].
var ErrLongLine = errors.New("the line is longer than the bound")

// ReadLine reads up to a line break, which it leaves out. With an error comes
// what there was before it, also with [ErrLongLine], after which the rest of the line
// can be read.
func ReadLine(in *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > most+1 {
			return append(line, part...), ErrLongLine
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSuffix(line, []byte{'\n'}), err
		}
	}
}
