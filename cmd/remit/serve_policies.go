package main

import (
	"log/slog"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/schema"
)

// noteUnknown logs the policies whose tools are unknown so far. A session may bring them, but a
// mistyped name never matches a call.
func noteUnknown(e *engine, tools []*schema.Catalogue, log *slog.Logger) {
	known := map[string]bool{guard.EveryTool: true}
	for _, c := range tools {
		for i := range c.Tools {
			known[c.Tools[i].Name] = true
		}
	}
	for _, f := range e.contracts {
		for i := range f.Tools {
			known[f.Tools[i].Name] = true
		}
	}

	for _, f := range e.guards {
		if !known[f.Tool] {
			log.Warn("policies are of a tool that neither --tools nor --contracts has: they hold where a session brings the tool, and nowhere if its name is mistaken", "tool", f.Tool, "file", f.Position.File)
		}
	}
}
