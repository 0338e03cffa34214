package airline

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Name is what the server is called, in contracts as well.
const Name = "airline"

// Server returns an MCP server of the airline's tools.
func (a *Airline) Server() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: Name, Version: "1"}, nil)
	for _, t := range a.tools {
		s.AddTool(t.definition, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			result, err := a.Call(r.Params.Name, r.Params.Arguments)
			if err != nil {
				return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "Error: " + err.Error()}}}, nil
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(result)}}, StructuredContent: result}, nil
		})
	}
	return s
}

// Definitions returns what tools/list of the server answers, a tool a line.
func (a *Airline) Definitions() ([]byte, error) {
	b := bytes.NewBufferString("{\"tools\": [")
	for i, t := range a.tools {
		definition, err := json.Marshal(t.definition)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		b.Write(definition)
	}
	b.WriteString("\n]}\n")
	return b.Bytes(), nil
}
