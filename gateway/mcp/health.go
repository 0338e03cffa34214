package mcp

import (
	"context"
	"io"
	"net/http"
)

// health answers a question about the gateway's state. It says nothing else:
// anybody may ask.
func health(w http.ResponseWriter, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	text := `{"status":"ok"}`
	if err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		text = `{"status":"unavailable"}`
	}
	_, _ = io.WriteString(w, text+"\n") // or whoever asked has gone
}

// ready tells why the gateway can't serve; nil when it can. The log says so, too.
func (h *Handler) ready(ctx context.Context) error {
	err := h.g.running()
	if err == nil && h.o.Ready != nil {
		ctx, cancel := context.WithTimeout(ctx, readyTime)
		defer cancel()
		err = h.o.Ready(ctx)
	}
	if err != nil {
		h.g.log.Warn("the gateway is not ready", "error", err)
	}
	return err
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
