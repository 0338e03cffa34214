package eval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// clientPair is a client of the server and a client of the gateway.
type clientPair struct {
	direct, through *sdk.ClientSession
	pipe            *timedPipe // to the gateway, over stdio
	end             func() error
}

// connect creates client pairs, and has each client list the tools and make one
// call, so that one-time work is done.
func (rig *gatewayRig) connect(ctx context.Context, sessions int) (pairs []*clientPair, err error) {
	defer func() {
		if err != nil {
			for _, p := range pairs {
				err = errors.Join(err, p.close())
			}
		}
	}()

	for range sessions {
		p := &clientPair{end: func() error { return nil }}
		pairs = append(pairs, p)
		direct, through, err := rig.transports(p)
		if err != nil {
			return pairs, err
		}
		for _, way := range []struct {
			by sdk.Transport
			to **sdk.ClientSession
		}{{direct, &p.direct}, {through, &p.through}} {
			c := sdk.NewClient(&sdk.Implementation{Name: "remit-eval", Version: "1"}, nil)
			s, err := c.Connect(ctx, way.by, nil)
			if err != nil {
				return pairs, err
			}
			*way.to = s
			if _, err = s.ListTools(ctx, nil); err != nil {
				return pairs, err
			}
			if _, err = p.call(ctx, s, rig.argument()); err != nil {
				return pairs, err
			}
		}
	}

	return pairs, nil
}

// transports returns a pair's transports to the server and to the gateway.
func (rig *gatewayRig) transports(p *clientPair) (direct, through sdk.Transport, err error) {
	if len(rig.command) == 0 {
		return &sdk.StreamableClientTransport{Endpoint: rig.direct, HTTPClient: rig.http},
			&sdk.StreamableClientTransport{Endpoint: rig.through, HTTPClient: rig.http}, nil
	}

	// Pipes of the system, as a client has them to the program that it starts.
	in, toGateway, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	fromGateway, out, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(err, in.Close(), toGateway.Close())
	}

	p.pipe = &timedPipe{in: in, out: out}
	ended := make(chan error, 1)
	go func() {
		err := rig.gateway.ServeStdio(context.Background(), p.pipe, p.pipe, rig.argument())
		ended <- errors.Join(err, in.Close(), out.Close())
	}()

	// The client closes its ends.
	p.end = func() error { return <-ended }
	return &sdk.CommandTransport{Command: exec.Command(rig.command[0], rig.command[1:]...)},
		&sdk.IOTransport{Reader: fromGateway, Writer: toGateway}, nil
}

// timed makes a call through the gateway with timed stages.
func (rig *gatewayRig) timed(ctx context.Context, p *clientPair) (time.Duration, error) {
	argument := rig.argument()
	t := rig.clock.begin(argument)
	took, err := p.call(ctx, p.through, argument)
	rig.clock.note(t, stageTotal, took)
	if p.pipe != nil {
		took, at := p.pipe.last()
		rig.clock.note(t, stageGateway, took)
		rig.clock.noteReply(t, at)
	}
	return took, err
}

// call makes a call and returns how long it took.
func (p *clientPair) call(ctx context.Context, s *sdk.ClientSession, argument string) (time.Duration, error) {
	began := time.Now()
	r, err := s.CallTool(ctx, &sdk.CallToolParams{Name: gatewayTool, Arguments: noteInput{ID: argument}})
	took := time.Since(began)
	if err == nil && (r.IsError || len(r.Content) != 1) {
		err = fmt.Errorf("a call was not answered by the server: %v", r.Content)
	}
	return took, err
}

func (p *clientPair) close() error {
	var errs []error
	for _, s := range []*sdk.ClientSession{p.direct, p.through} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	if p.through != nil {
		errs = append(errs, p.end())
	}
	return errors.Join(errs...)
}

// timedPipe is the gateway's end of a stdio connection. It times each message
// from its arrival to the answer.
type timedPipe struct {
	in, out *os.File

	mu    sync.Mutex
	began time.Time
	ended time.Time
}

// Read implements [io.Reader].
func (p *timedPipe) Read(b []byte) (int, error) {
	n, err := p.in.Read(b)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.began = time.Now()
	return n, err
}

// Write implements [io.Writer].
func (p *timedPipe) Write(b []byte) (int, error) {
	p.mu.Lock()
	p.ended = time.Now()
	p.mu.Unlock()
	return p.out.Write(b)
}

// last returns the duration of the last answer, and when it was sent.
func (p *timedPipe) last() (took time.Duration, at time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended.Sub(p.began), p.ended
}
