package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/remit-project/remit/internal/command"
)

// demoOfficeCommand is the server that the demo puts the gateway in front of: a
// real one, whose tools have real effects in one directory.
type demoOfficeCommand struct {
	Dir string `arg:"" type:"existingdir"`
}

// maxDemoPage bounds a page that the demo's server reads, in bytes.
const maxDemoPage = 64 << 10

type fetchInput struct {
	URL string `json:"url" jsonschema:"address of the page"`
}

type messageInput struct {
	To   string `json:"to" jsonschema:"e-mail address of the recipient"`
	Text string `json:"text" jsonschema:"text of the message"`
}

// Run serves over standard input and output until the input ends.
func (c *demoOfficeCommand) Run(ctx context.Context, _ *command.Streams) error {
	s := sdk.NewServer(&sdk.Implementation{Name: "office", Version: "1"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "fetch_page", Description: "Fetches a web page and returns its text."},
		func(ctx context.Context, _ *sdk.CallToolRequest, in fetchInput) (*sdk.CallToolResult, any, error) {
			text, err := fetchDemo(ctx, in.URL)
			return said(text), nil, err
		})
	sdk.AddTool(s, &sdk.Tool{Name: "send_message", Description: "Sends an e-mail message."},
		func(_ context.Context, _ *sdk.CallToolRequest, in messageInput) (*sdk.CallToolResult, any, error) {
			return said("sent"), nil, c.send(in)
		})
	err := s.Run(ctx, &sdk.StdioTransport{})
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil
	}
	return err
}

func said(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

// fetchDemo reads a page of the demo's own web server, and of no other.
func fetchDemo(ctx context.Context, address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || u.Hostname() != "127.0.0.1" {
		return "", fmt.Errorf("%q is not a page of this demo", address)
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxDemoPage))
	return string(data), err
}

// outbox is where messages of the demo's server go.
const outbox = "outbox.jsonl"

func (c *demoOfficeCommand) send(m messageInput) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(c.Dir, outbox), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}
