package main

import (
	"encoding/json"
	"errors"
	"log/slog"

	"github.com/remit-project/remit/internal/definitions"
	"github.com/remit-project/remit/internal/strictyaml"
	"github.com/remit-project/remit/schema"
)

// listing keeps the definitions that servers show beside their contract files.
type listing struct {
	// files are the contract files of servers.
	files map[string]string
	log   *slog.Logger
}

// take keeps what a server shows. A directory that can't be written costs the console a
// comparison, and no decision.
func (l *listing) take(c *schema.Catalogue, texts map[string]json.RawMessage) {
	file := l.files[c.Server]
	if file == "" {
		return
	}
	err := definitions.Keep(file, definitions.Of(c, texts))
	switch mistakes := (strictyaml.Errors)(nil); {
	case errors.As(err, &mistakes):
		l.log.Warn("the contract file has mistakes, and what it says doesn't hold: what it said before stays in force until they are corrected", "server", c.Server, "error", err)
	case err != nil:
		l.log.Warn("the definitions of tools could not be kept beside their contracts", "server", c.Server, "error", err)
	}
}
