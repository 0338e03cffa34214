package proxy

import (
	"context"
	"io"
	"net/http"
	"time"
)

// readyTime bounds the readiness check: probes run often and give up soon.
const readyTime = 2 * time.Second

// health answers whether the process runs and, at /readyz, whether it can serve. It says nothing
// else, as it needs no credentials.
func (p *Proxy) health(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Path == "/readyz" && p.o.Ready != nil {
		ctx, cancel := context.WithTimeout(r.Context(), readyTime)
		defer cancel()
		if err := p.o.Ready(ctx); err != nil {
			p.o.Log.Warn("the proxy is not ready", "error", err)
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, `{"status":"unavailable"}`+"\n") // or the caller has gone
			return
		}
	}
	_, _ = io.WriteString(w, `{"status":"ok"}`+"\n")
}
