package mcp

import (
	"bufio"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/remit-project/remit/internal/mcp/upstream"
	"github.com/remit-project/remit/internal/mcp/wire"
)

// ServeStdio serves one client, which speaks one message a line. The anchor is
// the id of its session. It returns when the input ends, nobody takes the output or the context ends,
// after requests in flight have had a short time to finish; with [ErrNoServer]
// as soon as all servers have ended and none ever sent a message.
func (g *Gateway) ServeStdio(ctx context.Context, in io.Reader, out io.Writer, anchor string) error {
	port := &linePort{out: out, deaf: make(chan struct{})}
	c, err := g.converse(anchor, "", port)
	if err != nil {
		return err
	}
	requests, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)

	lines := make(chan []byte)
	var readErr error
	go func() {
		defer close(lines)
		r := bufio.NewReaderSize(in, 1<<16)
		for {
			line, err := upstream.ReadLine(r, g.o.Limits.Message)
			if errors.Is(err, upstream.ErrLongLine) {
				readErr = err
				reply(g.log, port, wire.NewError(nil, wire.InvalidRequest, "the message is too long", nil))
				return
			}
			select {
			case lines <- line:
			case <-c.ended:
				return
			}
			if err != nil {
				return
			}
		}
	}()

	dead, parted := c.dead, (<-chan time.Time)(nil)
	for reading := true; reading; {
		select {
		case line, ok := <-lines:
			if reading = ok; ok && len(line) > 0 {
				c.receive(requests, line, port, false)
			}
		case <-dead:
			// What the client has sent by now is still answered.
			dead, parted = nil, time.After(partingTime)
		case <-parted:
			reading = false
		case <-port.deaf:
			reading = false
		case <-ctx.Done():
			reading = false
		}
	}

	end, stop := context.WithTimeout(context.WithoutCancel(ctx), lingerTime)
	defer stop()
	err = c.close(end)
	return errors.Join(readErr, c.lifeless(), err)
}

// lingerTime is how long requests in flight may take once the client has ended
// its input: hosts wait for a few seconds before they kill.
const lingerTime = 3 * time.Second

// partingTime is how long the client is listened to when no server lives.
const partingTime = 200 * time.Millisecond

// linePort writes one message a line.
type linePort struct {
	// deaf is closed when the client takes nothing any more.
	deaf chan struct{}

	mu  sync.Mutex
	out io.Writer
	err error
}

// Send implements [Port].
func (p *linePort) Send(raw []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		if _, p.err = p.out.Write(append(raw[:len(raw):len(raw)], '\n')); p.err != nil {
			close(p.deaf)
		}
	}
	return p.err
}

// Reply implements [Port].
func (p *linePort) Reply(raw []byte) error { return p.Send(raw) }
