package otlp

import (
	"math"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"google.golang.org/protobuf/encoding/protowire"
)

// temporalities are OTLP's numbers of temporalities.
var temporalities = map[metricdata.Temporality]uint64{metricdata.DeltaTemporality: 1, metricdata.CumulativeTemporality: 2}

// metricsRequest returns an ExportMetricsServiceRequest.
func metricsRequest(all *metricdata.ResourceMetrics) message {
	var m message
	m.message(1, resourceOf(all.Resource))
	for _, s := range all.ScopeMetrics {
		var group message
		group.message(1, scopeOf(s.Scope))
		for i := range s.Metrics {
			group.message(2, metricOf(&s.Metrics[i]))
		}
		group.text(3, s.Scope.SchemaURL)
		m.message(2, group)
	}
	m.text(3, all.Resource.SchemaURL())

	var request message
	request.message(1, m)
	return request
}

// metricOf writes what the recorder's instruments make: counters, up-down counters, and
// histograms of either form.
func metricOf(metric *metricdata.Metrics) message {
	var m message
	m.text(1, metric.Name)
	m.text(2, metric.Description)
	m.text(3, metric.Unit)
	switch data := metric.Data.(type) {
	case metricdata.Sum[int64]:
		m.message(7, sumOf(data))
	case metricdata.Histogram[float64]:
		m.message(9, histogramOf(data))
	case metricdata.ExponentialHistogram[float64]:
		m.message(10, exponentialOf(data))
	}
	return m
}

func sumOf(s metricdata.Sum[int64]) message {
	var m message
	for _, p := range s.DataPoints {
		var point message
		point.period(p.StartTime, p.Time)
		for _, e := range p.Exemplars {
			x := exemplarOf(e.Time, e.FilteredAttributes, e.TraceID, e.SpanID)
			x.fixed(6, uint64(e.Value))
			point.message(5, x)
		}
		point.fixed(6, uint64(p.Value))
		point.attributes(7, p.Attributes.ToSlice())
		m.message(1, point)
	}
	m.number(2, temporalities[s.Temporality])
	m.number(3, protowire.EncodeBool(s.IsMonotonic))
	return m
}

func histogramOf(h metricdata.Histogram[float64]) message {
	var m message
	for _, p := range h.DataPoints {
		var point message
		point.period(p.StartTime, p.Time)
		point.fixed(4, p.Count)
		point.double(5, p.Sum)

		var counts, bounds message
		for _, n := range p.BucketCounts {
			counts = protowire.AppendFixed64(counts, n)
		}
		for _, b := range p.Bounds {
			bounds = protowire.AppendFixed64(bounds, math.Float64bits(b))
		}
		point.bytes(6, counts)
		point.bytes(7, bounds)

		point.exemplars(8, p.Exemplars)
		point.attributes(9, p.Attributes.ToSlice())
		point.extremes(11, 12, p.Min, p.Max)
		m.message(1, point)
	}
	m.number(2, temporalities[h.Temporality])
	return m
}

func exponentialOf(h metricdata.ExponentialHistogram[float64]) message {
	var m message
	for _, p := range h.DataPoints {
		var point message
		point.attributes(1, p.Attributes.ToSlice())
		point.period(p.StartTime, p.Time)
		point.fixed(4, p.Count)
		point.double(5, p.Sum)
		point.signed(6, p.Scale)
		point.fixed(7, p.ZeroCount)
		point.message(8, bucketsOf(p.PositiveBucket))
		point.message(9, bucketsOf(p.NegativeBucket))
		point.exemplars(11, p.Exemplars)
		point.extremes(12, 13, p.Min, p.Max)
		point.double(14, p.ZeroThreshold)
		m.message(1, point)
	}
	m.number(2, temporalities[h.Temporality])
	return m
}

func bucketsOf(b metricdata.ExponentialBucket) message {
	var m, counts message
	for _, n := range b.Counts {
		counts = protowire.AppendVarint(counts, n)
	}
	m.signed(1, b.Offset)
	m.bytes(2, counts)
	return m
}

// period adds the two times of a point, which have the same fields in all kinds.
func (m *message) period(from, to time.Time) {
	m.fixed(2, uint64(from.UnixNano()))
	m.fixed(3, uint64(to.UnixNano()))
}

// extremes adds the least and the greatest value, where they are known.
func (m *message) extremes(least, greatest protowire.Number, lo, hi metricdata.Extrema[float64]) {
	if v, ok := lo.Value(); ok {
		m.double(least, v)
	}
	if v, ok := hi.Value(); ok {
		m.double(greatest, v)
	}
}

func (m *message) exemplars(field protowire.Number, list []metricdata.Exemplar[float64]) {
	for _, e := range list {
		x := exemplarOf(e.Time, e.FilteredAttributes, e.TraceID, e.SpanID)
		x.double(3, e.Value)
		m.message(field, x)
	}
}

// exemplarOf returns an exemplar without its value.
func exemplarOf(at time.Time, about []attribute.KeyValue, traceID, spanID []byte) message {
	var m message
	m.fixed(2, uint64(at.UnixNano()))
	m.bytes(4, spanID)
	m.bytes(5, traceID)
	m.attributes(7, about)
	return m
}
