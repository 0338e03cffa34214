package main

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"os/exec"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/question"
	"github.com/remit-project/remit/internal/sighting"
	"github.com/remit-project/remit/internal/strictjson"
)

// notifier runs a command of the deployment's when a question begins to wait.
type notifier struct {
	command []string
	log     *slog.Logger
}

// notifyTime is how long the command may take: it notifies a person, and doesn't wait for the
// answer.
const notifyTime = 30 * time.Second

// tell runs the command, with the question as JSON on its standard input.
func (n notifier) tell(ctx context.Context, held ...*remit.Decision) {
	ctx, cancel := context.WithTimeout(ctx, notifyTime)
	defer cancel()

	asked := make([]sighting.Asked, len(held))
	for i, d := range held {
		asked[i].Decision = d
	}
	d := held[0]
	data, err := strictjson.Encode(map[string]any{
		"session": d.Session, "call": d.Call, "server": d.Server, "tool": d.Tool, "question": question.Of(asked...),
	})
	if err != nil {
		n.log.Warn("nobody could be told of a question", "call", d.Call, "error", err)
		return
	}
	cmd := exec.CommandContext(ctx, n.command[0], n.command[1:]...)
	cmd.Stdin = bytes.NewReader(append(data, '\n'))
	cmd.Env = append(os.Environ(), "REMIT_SERVER="+display.Line(d.Server), "REMIT_TOOL="+display.Line(d.Tool))
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		const most = 400
		n.log.Warn("nobody could be told of a question", "call", d.Call, "command", n.command[0], "error", err, "says", display.Line(string(out[:min(len(out), most)])))
	}
}
