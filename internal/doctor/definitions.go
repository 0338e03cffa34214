package doctor

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/internal/mcp/upstream"
	"github.com/remit-project/remit/internal/mcp/wire"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/schema"
)

// Catalogue parses the definitions of a server's tools, and returns the names of
// those that can't be parsed or are repeated.
func Catalogue(server string, raw []json.RawMessage) (*schema.Catalogue, []string) {
	out := &schema.Catalogue{Server: server}
	var bad []string
	for _, r := range raw {
		data, err := json.Marshal(map[string]any{"tools": []json.RawMessage{r}})
		if err != nil {
			bad = append(bad, strictjson.GetText(r, "name"))
			continue
		}
		c, err := schema.ParseMCP(server, data)
		if err != nil || len(c.Tools) != 1 {
			bad = append(bad, strictjson.GetText(r, "name"))
			continue
		}
		if _, twice := out.Tool(c.Tools[0].Name); twice {
			bad = append(bad, c.Tools[0].Name)
			continue
		}
		out.Tools = append(out.Tools, c.Tools[0])
	}

	return out, bad
}

// Definitions asks a server for the definitions of its tools, and returns them byte by byte as
// the server gives them. It calls no tool. The server is reached through a gateway in this
// process that lets everything through, so that it is reached as the real gateway reaches it. The
// version is that of the program.
func Definitions(ctx context.Context, s mcp.Server, version string) ([]json.RawMessage, error) {
	g, err := mcp.New(mcp.Options{Servers: []mcp.Server{{Name: s.Name, Connect: s.Connect, Mode: mcp.Shadow}}})
	if err != nil {
		return nil, err
	}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	var work sync.WaitGroup
	serve, cancel := context.WithCancel(ctx)
	work.Go(func() { outW.CloseWithError(errors.Join(g.ServeStdio(serve, inR, outW, "doctor"), io.EOF)) })
	seen := &tools{}
	teeR, teeW := io.Pipe()
	work.Go(func() { teeW.CloseWithError(seen.copy(teeW, outR)) })

	defer func() {
		cancel()
		inW.Close()
		teeR.Close()
		outR.Close()
		work.Wait()
	}()
	client := sdk.NewClient(&sdk.Implementation{Name: "remit-doctor", Version: version}, &sdk.ClientOptions{Logger: slog.New(slog.DiscardHandler)})
	session, err := client.Connect(ctx, &sdk.IOTransport{Reader: teeR, Writer: inW}, nil)
	if err != nil {
		return nil, err
	}

	_, err = toolNames(ctx, session)
	_ = session.Close() // the list is there
	return seen.take(), err
}

// tools collects the definitions in what a server sends.
type tools struct {
	mu   sync.Mutex
	list []json.RawMessage
}

func (t *tools) copy(to io.Writer, from io.Reader) error {
	in := bufio.NewReader(from)
	for {
		line, err := upstream.ReadLine(in, wire.DefaultLimits().Size)
		if len(line) > 0 {
			t.note(line)
			if _, err := to.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
}

func (t *tools) note(line []byte) {
	m, err := wire.Parse(line, wire.DefaultLimits())
	if err != nil || m.Result == nil {
		return
	}
	list := strictjson.Get(m.Result, "tools")
	elements, err := strictjson.Elements(list)
	if list == nil || err != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, at := range elements {
		t.list = append(t.list, bytes.Clone(at.Of(list)))
	}
}

func (t *tools) take() []json.RawMessage {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.list
}
