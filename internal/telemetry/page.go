package telemetry

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// PageType is the content type of a page of metrics.
const PageType = "text/plain; version=0.0.4; charset=utf-8"

// Page returns the metrics in Prometheus's text format, under the names that OpenTelemetry
// translates them to: those that come by OTLP through a collector are called alike. It is
// empty for a recorder that was made without a page.
func (r *Recorder) Page(ctx context.Context) (string, error) {
	if r == nil || r.page == nil {
		return "", nil
	}
	var all metricdata.ResourceMetrics
	if err := r.page.Collect(ctx, &all); err != nil {
		return "", fmt.Errorf("collect the metrics: %w", err)
	}

	var b strings.Builder
	for _, s := range all.ScopeMetrics {
		slices.SortFunc(s.Metrics, func(a, b metricdata.Metrics) int { return strings.Compare(a.Name, b.Name) })
		for i := range s.Metrics {
			writeMetric(&b, &s.Metrics[i])
		}
	}
	return b.String(), nil
}

// ServePage answers a request for the page.
func (r *Recorder) ServePage(w http.ResponseWriter, req *http.Request) {
	page, err := r.Page(req.Context())
	if err != nil {
		http.Error(w, "the metrics can't be collected", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", PageType)
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write([]byte(page)) // the caller has gone, then
}

// writeMetric writes what the instruments of this package make: counters, up-down counters
// and histograms.
func writeMetric(b *strings.Builder, m *metricdata.Metrics) {
	name := pageName(m.Name)
	if m.Unit == "s" {
		name += "_seconds"
	}

	switch data := m.Data.(type) {
	case metricdata.Sum[int64]:
		kind := "gauge"
		if data.IsMonotonic {
			name, kind = name+"_total", "counter"
		}
		header(b, name, m.Description, kind)
		lines := make([]string, 0, len(data.DataPoints))
		for _, p := range data.DataPoints {
			lines = append(lines, fmt.Sprintf("%s%s %d\n", name, labels(p.Attributes), p.Value))
		}
		writeSorted(b, lines)
	case metricdata.Histogram[float64]:
		header(b, name, m.Description, "histogram")
		lines := make([]string, 0, len(data.DataPoints))
		for i := range data.DataPoints {
			lines = append(lines, histogram(name, &data.DataPoints[i]))
		}
		writeSorted(b, lines)
	}
}

// writeSorted writes lines in the same order each time.
func writeSorted(b *strings.Builder, lines []string) {
	slices.Sort(lines)
	for _, l := range lines {
		b.WriteString(l)
	}
}

func header(b *strings.Builder, name, description, kind string) {
	fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", name, description, name, kind)
}

// histogram returns the lines of a point. Its buckets are cumulative there.
func histogram(name string, p *metricdata.HistogramDataPoint[float64]) string {
	var b strings.Builder
	sum := uint64(0)
	for i, n := range p.BucketCounts {
		end := "+Inf"
		if i < len(p.Bounds) {
			end = strconv.FormatFloat(p.Bounds[i], 'g', -1, 64)
		}
		sum += n
		fmt.Fprintf(&b, "%s_bucket%s %d\n", name, labels(p.Attributes, attribute.String("le", end)), sum)
	}
	fmt.Fprintf(&b, "%s_sum%s %g\n%s_count%s %d\n", name, labels(p.Attributes), p.Sum, name, labels(p.Attributes), p.Count)
	return b.String()
}

// labels returns the attributes of a point, as they follow its name.
func labels(set attribute.Set, more ...attribute.KeyValue) string {
	var list []string
	for _, a := range append(set.ToSlice(), more...) {
		list = append(list, pageName(string(a.Key))+`="`+escape(a.Value.String())+`"`)
	}
	if len(list) == 0 {
		return ""
	}
	return "{" + strings.Join(list, ",") + "}"
}

// escape returns a value escaped for quotes.
func escape(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s)
}

// pageName returns a name without the characters that Prometheus's names don't have.
func pageName(s string) string {
	return strings.Map(func(r rune) rune {
		letter := ('a' <= r && r <= 'z') || ('A' <= r && r <= 'Z')
		if letter || ('0' <= r && r <= '9') {
			return r
		}
		return '_'
	}, s)
}
