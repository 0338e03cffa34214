package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// standing returns the context of a command that runs until it is told to stop. The command outlives the
// reader of its log: agents depend on it, and its decisions are in the store.
func standing(ctx context.Context) (context.Context, context.CancelFunc) {
	// Programs that the command starts inherit a signal that is ignored, and not one that is caught.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return signal.NotifyContext(ctx, syscall.SIGTERM)
}
