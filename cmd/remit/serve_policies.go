package main

import (
	"log/slog"

	"github.com/remit-project/remit/guard"
)

// noteUnknown logs the policies whose tools no contract has. A session may bring them, but a
// mistyped name never matches a call.
func noteUnknown(e *engine, log *slog.Logger) {
	known := map[string]bool{guard.EveryTool: true}
	for _, f := range e.contracts {
		for i := range f.Tools {
			known[f.Tools[i].Name] = true
		}
	}

	for _, f := range e.guards {
		if !known[f.Tool] {
			log.Warn("policies are of a tool that no contract has: they hold where a session brings the tool, and nowhere if its name is mistaken; remit policy lint checks it with the tools of the sessions", "tool", f.Tool, "file", f.Position.File)
		}
	}
}
