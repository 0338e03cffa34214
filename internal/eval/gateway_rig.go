package eval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/internal/mcp/upstream"
	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/store"
)

// gatewayNote is the result of the measured tool: about a kilobyte of prose.
var gatewayNote = strings.Repeat("The figures of this quarter are late again, and nobody knows why. ", 16)

const (
	gatewayTool = "read_note"
	// gatewayEnd bounds the shutdown of the measurement's servers.
	gatewayEnd = 10 * time.Second
)

// gatewayRig is a server, a gateway before it, and their addresses.
type gatewayRig struct {
	clock *stageClock
	last  atomic.Int64   // argument
	ends  []func() error // of what was started, in that order

	gateway *mcp.Gateway
	command []string // starts the server, over stdio

	// Over HTTP:
	direct, through string // addresses
	http            *http.Client
}

type noteInput struct {
	ID string `json:"id" jsonschema:"id of the note"`
}

// newGatewayRig returns a rig over a named store, or one in memory; over stdio
// with a command, otherwise over HTTP.
func newGatewayRig(ctx context.Context, name string, command []string) (*gatewayRig, error) {
	rig := &gatewayRig{clock: newStageClock(), command: command, http: &http.Client{Transport: upstream.NewTransport()}}
	err := rig.start(ctx, name)
	if err != nil {
		return nil, errors.Join(err, rig.close())
	}
	return rig, nil
}

// notesServer returns the measured server.
func notesServer() *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "notes", Version: "1"}, nil)
	sdk.AddTool(server, &sdk.Tool{Name: gatewayTool, Description: "Reads a note."},
		func(context.Context, *sdk.CallToolRequest, noteInput) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: gatewayNote}}}, nil, nil
		})
	return server
}

// GatewayServer serves over standard input and output what [Gateway] calls over
// stdio; see [GatewayOptions.Server].
func GatewayServer(ctx context.Context) error {
	err := notesServer().Run(ctx, &sdk.StdioTransport{})
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (rig *gatewayRig) start(ctx context.Context, name string) (err error) {
	log, most := slog.New(slog.DiscardHandler), wire.DefaultLimits().Size
	link := func(to upstream.Receiver) (upstream.Link, error) {
		return upstream.Start(upstream.Command{Args: rig.command, Env: os.Environ(), MaxMessage: most, Log: log}, to)
	}
	if len(rig.command) == 0 {
		server := notesServer()
		if rig.direct, err = rig.serve(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)); err != nil {
			return err
		}
		endpoint := upstream.Endpoint{URL: rig.direct, Transport: upstream.NewTransport(), MaxMessage: most, Log: log}
		link = func(to upstream.Receiver) (upstream.Link, error) { return upstream.Dial(endpoint, to), nil }
	}

	var logs store.Logs = timedLogs{&store.Memory{}, rig.clock}
	if name != "" {
		s, err := store.Open(ctx, name, store.Options{})
		if err != nil {
			return err
		}
		rig.ends = append(rig.ends, s.Close)
		logs = timedStore{timedLogs{s, rig.clock}, s}
	}

	rig.gateway, err = mcp.New(mcp.Options{
		Ledger: ledger.New(logs, ledger.Options{}), Log: slog.New(decisionLog{rig.clock}),
		Limits: mcp.Limits{Conversations: MaxGatewaySessions},
		Servers: []mcp.Server{{Name: "notes", Contract: notesContract(), Connect: func(to upstream.Receiver) (upstream.Link, error) {
			from := &timedReceiver{Receiver: to, clock: rig.clock, sent: map[string]sentCall{}}
			l, err := link(from)
			return timedLink{l, from}, err
		}}},
	})

	if err != nil {
		return err
	}
	if len(rig.command) == 0 {
		rig.through, err = rig.serve(rig.clock.handler(mcp.NewHandler(rig.gateway, mcp.HTTP{})))
		rig.through += "/mcp"
	}
	rig.ends = append(rig.ends, func() error {
		end, cancel := context.WithTimeout(context.Background(), gatewayEnd)
		defer cancel()
		return rig.gateway.Close(end)
	})
	return err
}

func notesContract() *contract.File {
	return &contract.File{Version: contract.Version, Server: "notes", Tools: []contract.Tool{
		{Name: gatewayTool, Effect: contract.Read, Output: contract.Output{Trust: label.External},
			Args: []contract.Arg{{Pattern: "/id", Role: label.Selector, Floor: label.External}}},
	}}
}

// serve serves on a loopback port.
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

// close closes everything in reverse order.
func (rig *gatewayRig) close() error {
	var errs []error
	for i := len(rig.ends) - 1; i >= 0; i-- {
		errs = append(errs, rig.ends[i]())
	}
	return errors.Join(errs...)
}

// argument returns an argument that no call had before.
func (rig *gatewayRig) argument() string { return fmt.Sprint("note-", rig.last.Add(1)) }
