package main

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/remit-project/remit/internal/inputs"
	"github.com/remit-project/remit/internal/mcp"
)

// reloading reads the contract files again on SIGHUP, until the context ends.
func reloading(ctx context.Context, g *running, log *slog.Logger) {
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	go func() {
		defer signal.Stop(hup)
		for {
			select {
			case <-hup:
				reload(g.Gateway, g.files, log)
			case <-ctx.Done():
				return
			}
		}
	}()
}

// reload puts the contract files in force as they are now. One with mistakes leaves
// what its server had.
func reload(g *mcp.Gateway, files map[string]string, log *slog.Logger) {
	for name, file := range files {
		f, err := inputs.Contract(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the server has not listed its tools yet
		}
		if err == nil {
			err = g.Reload(name, f)
		}
		if err != nil {
			log.Error("the contract file could not be read again, and what it said before stays in force", "server", name, "file", file, "error", err)
			continue
		}
		log.Info("the contract file was read again", "server", name, "file", file, "tools", len(f.Tools))
	}
}
