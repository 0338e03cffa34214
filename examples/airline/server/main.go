// Server is the airline as an MCP server over stdio. What calls change is
// forgotten when it ends.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/remit-project/remit/examples/airline"
)

func main() {
	data := flag.String("data", filepath.Join(os.Getenv("REMIT_DATA"), "airline"), "directory of τ-bench's airline: flights.json, reservations.json, users.json")
	define := flag.Bool("definitions", false, "print the tools' definitions and end")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *data, *define); err != nil {
		fmt.Fprintln(os.Stderr, "airline:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, data string, define bool) error {
	records := &airline.Records{}
	var err error
	if !define {
		if records, err = airline.LoadRecords(data); err != nil {
			return err
		}
	}
	a, err := airline.New(records)
	if err != nil {
		return err
	}
	if define {
		list, err := a.Definitions()
		if err == nil {
			_, err = os.Stdout.Write(list)
		}
		return err
	}

	return a.Server().Run(ctx, &mcp.StdioTransport{})
}
