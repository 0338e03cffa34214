package main

import (
	"log/slog"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/schema"
)

// noteUnknown says which policies are of tools that nobody has spoken of. A session may
// bring them; a name that is mistaken is one that no call ever has.
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
