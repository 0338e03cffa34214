package eval

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/gateway/mcp"
	"github.com/remit-project/remit/gateway/mcp/upstream"
	"github.com/remit-project/remit/gateway/mcp/wire"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/store"
)

// gatewayNote is what the measured tool returns: about a kilobyte of prose.
var gatewayNote = strings.Repeat("The figures of this quarter are late again, and nobody knows why. ", 16)

const (
	gatewayTool = "read_note"
	// gatewayEnd is how long the servers of the measurement may take to end.
	gatewayEnd = 10 * time.Second
)

// gatewayRig is a server, a gateway before it, and what clients need to reach
// both.
type gatewayRig struct {
	clock           *stageClock
	last            atomic.Int64 // argument
	direct, through string       // addresses
	http            *http.Client
	ends            []func() error // in the order in which things are closed
}

type noteInput struct {
	ID string `json:"id" jsonschema:"id of the note"`
}

func newGatewayRig(ctx context.Context, name string) (*gatewayRig, error) {
	rig := &gatewayRig{clock: newStageClock(), http: &http.Client{Transport: upstream.NewTransport()}}
	err := rig.start(ctx, name)
	if err != nil {
		return nil, errors.Join(err, rig.close())
	}
	return rig, nil
}

func (rig *gatewayRig) start(ctx context.Context, name string) error {
	server := sdk.NewServer(&sdk.Implementation{Name: "notes", Version: "1"}, nil)
	sdk.AddTool(server, &sdk.Tool{Name: gatewayTool, Description: "Reads a note."},
		func(context.Context, *sdk.CallToolRequest, noteInput) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: gatewayNote}}}, nil, nil
		})
	var err error
	if rig.direct, err = rig.serve(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)); err != nil {
		return err
	}
	var sessions mcp.Sessions = &mcp.Memory{}
	if name != "" {
		s, err := store.Open(ctx, name, store.Options{})
		if err != nil {
			return err
		}
		rig.ends = append(rig.ends, s.Close)
		sessions = durableSessions{ledger.New(timedStore{s, rig.clock}, func() *remit.Monitor { return nil }, ledger.Options{})}
	}
	endpoint := upstream.Endpoint{URL: rig.direct, Transport: upstream.NewTransport(), MaxMessage: wire.DefaultLimits().Size, Log: slog.New(slog.DiscardHandler)}
	g, err := mcp.New(mcp.Options{
		Sessions: timedSessions{sessions, rig.clock},
		Limits:   mcp.Limits{Conversations: MaxGatewaySessions},
		Servers: []mcp.Server{{Name: "notes", Contract: notesContract(), Connect: func(to upstream.Receiver) (upstream.Link, error) {
			from := &timedReceiver{Receiver: to, clock: rig.clock, sent: map[string]sentCall{}}
			return timedLink{upstream.Dial(endpoint, from), from}, nil
		}}},
	})
	if err != nil {
		return err
	}
	rig.through, err = rig.serve(rig.clock.handler(mcp.NewHandler(g, mcp.HTTP{})))
	rig.through += "/mcp"
	rig.ends = append(rig.ends, func() error {
		end, cancel := context.WithTimeout(context.Background(), gatewayEnd)
		defer cancel()
		return g.Close(end)
	})
	return err
}

func notesContract() *contract.File {
	return &contract.File{Version: contract.Version, Server: "notes", Tools: []contract.Tool{
		{Name: gatewayTool, Effect: contract.Read, Output: contract.Output{Trust: label.External},
			Args: []contract.Arg{{Pattern: "/id", Role: label.Selector, Floor: label.External}}},
	}}
}

// serve serves on a port of the loopback interface.
func (rig *gatewayRig) serve(h http.Handler) (address string, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	s := &http.Server{Handler: h, ReadHeaderTimeout: gatewayEnd}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	rig.ends = append(rig.ends, func() error {
		err := s.Close()
		if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
			err = errors.Join(err, served)
		}
		return err
	})
	return "http://" + l.Addr().String(), nil
}

// close ends what was started last first.
func (rig *gatewayRig) close() error {
	var errs []error
	for i := len(rig.ends) - 1; i >= 0; i-- {
		errs = append(errs, rig.ends[i]())
	}
	return errors.Join(errs...)
}

// durableSessions are a store's, as the gateway uses them.
type durableSessions struct{ l *ledger.Ledger }

// Open implements [mcp.Sessions].
func (s durableSessions) Open(ctx context.Context, m *remit.Monitor, id, _ string) (mcp.Session, error) {
	return s.l.OpenUnder(ctx, m, id)
}

// clientPair is a client of the server, and one of the gateway.
type clientPair struct {
	direct, through *sdk.ClientSession
}

// connect makes so many sessions, and has each list its tools and make one call
// each way, so that what happens once is done.
func (rig *gatewayRig) connect(ctx context.Context, sessions int) (pairs []*clientPair, err error) {
	defer func() {
		if err != nil {
			for _, p := range pairs {
				err = errors.Join(err, p.close())
			}
		}
	}()
	for range sessions {
		p := &clientPair{}
		pairs = append(pairs, p)
		for address, to := range map[string]**sdk.ClientSession{rig.direct: &p.direct, rig.through: &p.through} {
			c := sdk.NewClient(&sdk.Implementation{Name: "remit eval", Version: "1"}, nil)
			if *to, err = c.Connect(ctx, &sdk.StreamableClientTransport{Endpoint: address, HTTPClient: rig.http}, nil); err != nil {
				return pairs, err
			}
			if _, err = (*to).ListTools(ctx, nil); err != nil {
				return pairs, err
			}
			if _, err = p.call(ctx, *to, rig.argument()); err != nil {
				return pairs, err
			}
		}
	}
	return pairs, nil
}

// argument makes one that no call had before.
func (rig *gatewayRig) argument() string { return fmt.Sprint("note-", rig.last.Add(1)) }

// timed makes a call through the gateway whose stages are timed.
func (rig *gatewayRig) timed(ctx context.Context, p *clientPair) (time.Duration, error) {
	argument := rig.argument()
	t := rig.clock.begin(argument)
	took, err := p.call(ctx, p.through, argument)
	rig.clock.note(t, stageTotal, took)
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
	return errors.Join(errs...)
}
