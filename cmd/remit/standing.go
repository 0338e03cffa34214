package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// standing returns the context of a command that runs until it is told to end. One whose log nobody reads
// any more goes on: what it decides is in the store, and the agents behind it would be left without it.
func standing(ctx context.Context) (context.Context, context.CancelFunc) {
	// Caught, unlike ignored, it is as usual in the programs that the command starts.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return signal.NotifyContext(ctx, syscall.SIGTERM)
}
