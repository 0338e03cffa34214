package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// health answers a question about the gateway's state. It says nothing else, as it needs no
// credentials.
func health(w http.ResponseWriter, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	text := `{"status":"ok"}`
	if err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		text = `{"status":"unavailable"}`
	}
	_, _ = io.WriteString(w, text+"\n") // or the caller has gone
}

// ready returns why the gateway can't serve; nil when it can. The log says so, too.
func (h *Handler) ready(ctx context.Context) error {
	err := h.g.running()
	if err == nil {
		err = h.g.served()
	}

	if err == nil && h.o.Ready != nil {
		ctx, cancel := context.WithTimeout(ctx, readyTime)
		defer cancel()
		err = h.o.Ready(ctx, h.g.troubled())
		if err == nil && h.g.troubled() {
			h.g.recorded(nil)
		}
	}
	if err != nil {
		h.g.log.Warn("the gateway is not ready", "error", err)
	}
	return err
}

// served returns why none of the servers can be there; nil when one can.
func (g *Gateway) served() error {
	var errs []error
	for _, s := range g.servers {
		if s.Check == nil {
			return nil
		}
		err := s.Check()
		if err == nil {
			return nil
		}
		errs = append(errs, fmt.Errorf("server %s: %w", s.Name, err))
	}
	return errors.Join(errs...)
}

// troubled reports whether the last step could not be recorded.
func (g *Gateway) troubled() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.trouble != nil
}

// running returns an error once the gateway is being closed.
func (g *Gateway) running() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return errShutdown
	}
	return nil
}
