package main

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/schema"
)

// twice refuses the tools of a server that a session brings and --tools has: which of the two
// definitions hold can't be told. Sessions may have been stored so.
func twice(given, brought []*schema.Catalogue) error {
	for _, c := range brought {
		if slices.ContainsFunc(given, func(g *schema.Catalogue) bool { return g.Server == c.Server }) {
			return fmt.Errorf("remit serve has the tools of the server %q by --tools: leave them out of the session's; a session that was stored with them opens where remit serve runs without that file, and can be ended there", c.Server)
		}
	}
	return nil
}

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
		names := []string{f.Tool}
		for i := range f.Policies {
			names = append(names, f.Policies[i].Tools...)
		}
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			if _, tool, of := strings.Cut(name, "/"); !known[name] && !(of && known[tool]) {
				log.Warn("policies are of a tool that no contract has: they hold where a session brings the tool, and nowhere if its name is mistaken; remit policy lint checks it with the tools of the sessions", "tool", name, "file", f.Position.File)
			}
		}
	}
}
