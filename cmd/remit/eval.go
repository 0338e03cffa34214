package main

import (
	"errors"

	"github.com/remit-project/remit/internal/command"
)

// movedEvalCommand says where the measurements are now.
type movedEvalCommand struct {
	Args []string `arg:"" optional:"" passthrough:"all"`
}

// Run fails, and names the program that measures.
func (movedEvalCommand) Run(*command.Streams) error {
	return command.UsageError(errors.New("remit eval is a program of its own: go run ./cmd/remit-eval …"))
}
