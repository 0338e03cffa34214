package otlp

import (
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/protobuf/encoding/protowire"
)

// The bits beside those of trace context in a span's flags: it is known whether its parent is
// of another process, and the parent is.
const (
	flagKnown  = 1 << 8
	flagRemote = 1 << 9
)

// statusCodes are OTLP's numbers of codes.
var statusCodes = map[codes.Code]uint64{codes.Unset: 0, codes.Ok: 1, codes.Error: 2}

// traceRequest returns an ExportTraceServiceRequest. All spans of a provider have one resource,
// and follow each other by scope.
func traceRequest(spans []sdktrace.ReadOnlySpan) message {
	about := spans[0].Resource()
	var all message
	all.message(1, resourceOf(about))
	for len(spans) > 0 {
		scope, n := spans[0].InstrumentationScope(), 1
		for n < len(spans) && spans[n].InstrumentationScope() == scope {
			n++
		}
		var group message
		group.message(1, scopeOf(scope))
		for _, s := range spans[:n] {
			group.message(2, spanOf(s))
		}
		group.text(3, scope.SchemaURL)
		all.message(2, group)
		spans = spans[n:]
	}
	all.text(3, about.SchemaURL())

	var request message
	request.message(1, all)
	return request
}

func spanOf(s sdktrace.ReadOnlySpan) message {
	var m message
	m.identity(1, 2, s.SpanContext())
	m.text(3, s.SpanContext().TraceState().String())
	if parent := s.Parent().SpanID(); parent.IsValid() {
		m.bytes(4, parent[:])
	}

	m.text(5, s.Name())
	m.number(6, uint64(s.SpanKind())) // OTLP's numbers are the same
	m.fixed(7, uint64(s.StartTime().UnixNano()))
	m.fixed(8, uint64(s.EndTime().UnixNano()))
	m.attributes(9, s.Attributes())
	m.number(10, uint64(s.DroppedAttributes()))
	for _, e := range s.Events() {
		m.message(11, eventOf(e))
	}
	m.number(12, uint64(s.DroppedEvents()))
	for _, l := range s.Links() {
		m.message(13, linkOf(l))
	}
	m.number(14, uint64(s.DroppedLinks()))
	m.message(15, statusOf(s.Status()))
	m.flags(16, s.SpanContext().TraceFlags(), s.Parent())
	return m
}

// identity adds the ids of a trace and of a span in it.
func (m *message) identity(traceField, spanField protowire.Number, c trace.SpanContext) {
	traceID, spanID := c.TraceID(), c.SpanID()
	m.bytes(traceField, traceID[:])
	m.bytes(spanField, spanID[:])
}

func (m *message) flags(field protowire.Number, own trace.TraceFlags, other trace.SpanContext) {
	flags := uint32(own) | flagKnown
	if other.IsRemote() {
		flags |= flagRemote
	}
	*m = protowire.AppendFixed32(protowire.AppendTag(*m, field, protowire.Fixed32Type), flags)
}

func eventOf(e sdktrace.Event) message {
	var m message
	m.fixed(1, uint64(e.Time.UnixNano()))
	m.text(2, e.Name)
	m.attributes(3, e.Attributes)
	m.number(4, uint64(e.DroppedAttributeCount))
	return m
}

func linkOf(l sdktrace.Link) message {
	var m message
	m.identity(1, 2, l.SpanContext)
	m.text(3, l.SpanContext.TraceState().String())
	m.attributes(4, l.Attributes)
	m.number(5, uint64(l.DroppedAttributeCount))
	m.flags(6, l.SpanContext.TraceFlags(), l.SpanContext)
	return m
}

func statusOf(s sdktrace.Status) message {
	var m message
	m.text(2, s.Description)
	m.number(3, statusCodes[s.Code])
	return m
}
