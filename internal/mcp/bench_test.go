package mcp_test

import (
	"context"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/remit-project/remit/internal/mcp"
)

// BenchmarkCall compares a call through the gateway with a direct one, over
// stdio. Sessions are in memory and last as long as a working day's.
func BenchmarkCall(b *testing.B) {
	bench := func(b *testing.B, s *sdk.ClientSession) {
		b.Helper()
		for b.Loop() {
			if _, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: "get_time", Arguments: empty{}}); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("direct", func(b *testing.B) {
		bench(b, connect(b, &sdk.CommandTransport{Command: childProgram(b, "desk").Cmd()}, nil, legacy))
	})
	b.Run("gateway", func(b *testing.B) {
		g, _ := gateway(b, mcp.Options{Servers: []mcp.Server{child(b, "desk", "desk")}})
		bench(b, overStdio(b, g, "s", nil, legacy))
	})
}
