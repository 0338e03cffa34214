package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/propagation"
)

// The names under which W3C Trace Context travels: in header fields of HTTP, and
// in _meta of MCP's messages. Baggage is left out: it is data of others, and would
// carry it past the gateway.
var names = []string{"traceparent", "tracestate"}

// carrier is a place where trace context travels.
type carrier struct {
	get func(name string) string
	set func(name, value string)
}

func (c carrier) Get(name string) string { return c.get(name) }
func (c carrier) Set(name, value string) { c.set(name, value) }
func (carrier) Keys() []string           { return names }

// From continues the trace that a message belongs to, if get finds one. What is
// no trace context is ignored.
func (r *Recorder) From(ctx context.Context, get func(name string) string) context.Context {
	if r == nil || r.silent {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, carrier{get: get})
}

// Into writes the trace context of the current span into a message by set.
func (r *Recorder) Into(ctx context.Context, set func(name, value string)) {
	if r == nil || r.silent {
		return
	}
	propagation.TraceContext{}.Inject(ctx, carrier{set: set})
}
