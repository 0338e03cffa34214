// Package otlp sends spans and metrics by OTLP over HTTP, as protobuf.
//
// OpenTelemetry's own exporters for Go do the same and bring gRPC, since OTLP's messages are
// generated with their services. So the few messages that there are get written here, field by
// field; the tests read them with the generated ones.
package otlp

import (
	"context"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// Spans exports spans.
type Spans struct{ sender *sender }

// NewSpans returns an exporter that sends where the environment says; see [Getenv].
func NewSpans(env Getenv) (*Spans, error) {
	s, err := env.sender("TRACES", "v1/traces")
	return &Spans{s}, err
}

// ExportSpans sends spans.
func (e *Spans) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	return e.sender.send(ctx, traceRequest(spans))
}

// Shutdown drops the connections.
func (e *Spans) Shutdown(context.Context) error {
	e.sender.close()
	return nil
}

// Metrics exports metrics.
type Metrics struct {
	sender      *sender
	temporality sdkmetric.TemporalitySelector
	aggregation sdkmetric.AggregationSelector
}

// NewMetrics returns an exporter that sends where the environment says; see [Getenv].
func NewMetrics(env Getenv) (*Metrics, error) {
	s, err := env.sender("METRICS", "v1/metrics")
	if err != nil {
		return nil, err
	}
	temporality, err := env.temporality()
	if err != nil {
		return nil, err
	}
	aggregation, err := env.aggregation()
	return &Metrics{s, temporality, aggregation}, err
}

// Temporality says whether an instrument's numbers count from the start or from the last export.
func (e *Metrics) Temporality(k sdkmetric.InstrumentKind) metricdata.Temporality {
	return e.temporality(k)
}

// Aggregation says how an instrument's measurements are put together.
func (e *Metrics) Aggregation(k sdkmetric.InstrumentKind) sdkmetric.Aggregation {
	return e.aggregation(k)
}

// Export sends metrics.
func (e *Metrics) Export(ctx context.Context, m *metricdata.ResourceMetrics) error {
	return e.sender.send(ctx, metricsRequest(m))
}

// ForceFlush has nothing to do: nothing is kept.
func (e *Metrics) ForceFlush(context.Context) error { return nil }

// Shutdown drops the connections.
func (e *Metrics) Shutdown(context.Context) error {
	e.sender.close()
	return nil
}
