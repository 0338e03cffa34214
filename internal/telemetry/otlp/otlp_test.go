package otlp_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	collectormetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/remit-project/remit/internal/telemetry/otlp"
)

var about = resource.NewWithAttributes("https://schema", attribute.String("service.name", "remit"))

// receiver keeps the last request, and answers as it is told.
type receiver struct {
	*httptest.Server
	header http.Header
	path   string
	body   []byte
}

func receive(t *testing.T, answer http.HandlerFunc) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Error(err)
		}
		r.header, r.path, r.body = req.Header, req.URL.Path, body
		if answer != nil {
			answer(w, req)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) unmarshal(t *testing.T, m proto.Message) {
	t.Helper()
	if err := proto.Unmarshal(r.body, m); err != nil {
		t.Fatal(err)
	}
	if fields := m.ProtoReflect().GetUnknown(); len(fields) > 0 {
		t.Errorf("the message has unknown fields: %x", fields)
	}
}

// environment is an environment with these variables.
func environment(variables map[string]string) otlp.Getenv {
	return func(name string) string { return variables[name] }
}

// export sends one span to an endpoint.
func export(t *testing.T, env otlp.Getenv, spans ...sdktrace.ReadOnlySpan) error {
	t.Helper()
	e, err := otlp.NewSpans(env)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Shutdown(t.Context())
	if spans == nil {
		spans = recorded(t, func(context.Context, trace.Tracer) {})
	}
	return e.ExportSpans(t.Context(), spans)
}

// kept is a processor that keeps the spans that ended.
type kept struct {
	sdktrace.SpanProcessor
	spans []sdktrace.ReadOnlySpan
}

func (k *kept) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (k *kept) OnEnd(s sdktrace.ReadOnlySpan)                   { k.spans = append(k.spans, s) }
func (k *kept) Shutdown(context.Context) error                  { return nil }

// ids names traces and spans by one number each.
type ids struct{ spans byte }

func (i *ids) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	return trace.TraceID{15: 1}, i.NewSpanID(ctx, trace.TraceID{})
}

func (i *ids) NewSpanID(context.Context, trace.TraceID) trace.SpanID {
	i.spans++
	return trace.SpanID{7: i.spans}
}

// recorded returns the spans that f makes within a span of a remote parent.
func recorded(t *testing.T, f func(context.Context, trace.Tracer)) []sdktrace.ReadOnlySpan {
	t.Helper()
	k := &kept{}
	p := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(k), sdktrace.WithResource(about), sdktrace.WithIDGenerator(&ids{}))
	tracer := p.Tracer("scope", trace.WithInstrumentationVersion("2"))
	remote := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{15: 9}, SpanID: trace.SpanID{7: 9}, TraceFlags: trace.FlagsSampled, Remote: true})
	ctx, span := tracer.Start(trace.ContextWithRemoteSpanContext(t.Context(), remote), "outer", trace.WithTimestamp(time.Unix(1, 0)), trace.WithSpanKind(trace.SpanKindServer))
	f(ctx, tracer)
	span.End(trace.WithTimestamp(time.Unix(3, 0)))
	return k.spans
}

// A receiver with the generated messages reads of a span what was recorded.
func TestSpans(t *testing.T) {
	spans := recorded(t, func(ctx context.Context, tracer trace.Tracer) {
		linked := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{15: 7}, SpanID: trace.SpanID{7: 7}})
		_, s := tracer.Start(ctx, "inner", trace.WithTimestamp(time.Unix(1, 5)), trace.WithSpanKind(trace.SpanKindClient), trace.WithLinks(trace.Link{SpanContext: linked}))
		s.SetAttributes(attribute.String("text", "ü"), attribute.String("empty", ""), attribute.Bool("no", false), attribute.Int("number", -1),
			attribute.Float64("half", 0.5), attribute.StringSlice("list", []string{"a", ""}), attribute.IntSlice("others", []int{1, 2}))
		s.AddEvent("seen", trace.WithTimestamp(time.Unix(2, 0)), trace.WithAttributes(attribute.String("what", "it")))
		s.SetStatus(codes.Error, "denied")
		s.End(trace.WithTimestamp(time.Unix(2, 1)))
	})
	r := receive(t, nil)
	if err := export(t, environment(map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": r.URL}), spans...); err != nil {
		t.Fatal(err)
	}
	var got, want collectortrace.ExportTraceServiceRequest
	r.unmarshal(t, &got)
	parse(t, &want, `resource_spans {
		resource { attributes { key: "service.name" value { string_value: "remit" } } }
		schema_url: "https://schema"
		scope_spans {
			scope { name: "scope" version: "2" }
			spans {
				trace_id: "\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\011" span_id: "\000\000\000\000\000\000\000\002"
				parent_span_id: "\000\000\000\000\000\000\000\001" flags: 257
				name: "inner" kind: SPAN_KIND_CLIENT start_time_unix_nano: 1000000005 end_time_unix_nano: 2000000001
				attributes { key: "text" value { string_value: "ü" } }
				attributes { key: "empty" value { string_value: "" } }
				attributes { key: "no" value { bool_value: false } }
				attributes { key: "number" value { int_value: -1 } }
				attributes { key: "half" value { double_value: 0.5 } }
				attributes { key: "list" value { array_value { values { string_value: "a" } values { string_value: "" } } } }
				attributes { key: "others" value { string_value: "[1,2]" } }
				events { name: "seen" time_unix_nano: 2000000000 attributes { key: "what" value { string_value: "it" } } }
				links { trace_id: "\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\007" span_id: "\000\000\000\000\000\000\000\007" flags: 256 }
				status { code: STATUS_CODE_ERROR message: "denied" }
			}
			spans {
				trace_id: "\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\011" span_id: "\000\000\000\000\000\000\000\001"
				parent_span_id: "\000\000\000\000\000\000\000\011" flags: 769
				name: "outer" kind: SPAN_KIND_SERVER start_time_unix_nano: 1000000000 end_time_unix_nano: 3000000000
				status { }
			}
		}
	}`)
	if diff := cmp.Diff(&want, &got, protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
}

// A receiver with the generated messages reads of metrics what was measured.
func TestMetrics(t *testing.T) {
	from, to := time.Unix(1, 0), time.Unix(2, 0)
	set := attribute.NewSet(attribute.Bool("a", true))
	exemplar := metricdata.Exemplar[int64]{Time: to, Value: -3, TraceID: []byte("trace"), SpanID: []byte("span"), FilteredAttributes: []attribute.KeyValue{attribute.Int("b", 2)}}
	slow := metricdata.Exemplar[float64]{Time: to, Value: 3, TraceID: []byte("trace"), SpanID: []byte("span")}
	all := &metricdata.ResourceMetrics{Resource: about, ScopeMetrics: []metricdata.ScopeMetrics{{
		Scope: instrumentation.Scope{Name: "scope", Version: "2", SchemaURL: "https://scope"},
		Metrics: []metricdata.Metrics{
			{Name: "calls", Description: "Calls.", Unit: "{call}", Data: metricdata.Sum[int64]{
				Temporality: metricdata.DeltaTemporality, IsMonotonic: true,
				DataPoints: []metricdata.DataPoint[int64]{{Attributes: set, StartTime: from, Time: to, Value: 0, Exemplars: []metricdata.Exemplar[int64]{exemplar}}},
			}},
			{Name: "waiting", Data: metricdata.Sum[int64]{
				Temporality: metricdata.CumulativeTemporality,
				DataPoints:  []metricdata.DataPoint[int64]{{StartTime: from, Time: to, Value: -1}},
			}},
			{Name: "time", Unit: "s", Data: metricdata.Histogram[float64]{
				Temporality: metricdata.CumulativeTemporality,
				DataPoints: []metricdata.HistogramDataPoint[float64]{{
					Attributes: set, StartTime: from, Time: to, Count: 2, Sum: 3, Bounds: []float64{1, 2.5}, BucketCounts: []uint64{1, 0, 1},
					Min: metricdata.NewExtrema(0.0), Max: metricdata.NewExtrema(3.0), Exemplars: []metricdata.Exemplar[float64]{slow},
				}},
			}},
			{Name: "finely", Data: metricdata.ExponentialHistogram[float64]{
				Temporality: metricdata.DeltaTemporality,
				DataPoints: []metricdata.ExponentialHistogramDataPoint[float64]{{
					Attributes: set, StartTime: from, Time: to, Count: 301, Sum: 3.5, Scale: -5, ZeroCount: 1, ZeroThreshold: 0.25,
					PositiveBucket: metricdata.ExponentialBucket{Offset: -33, Counts: []uint64{300}}, Max: metricdata.NewExtrema(3.0), Exemplars: []metricdata.Exemplar[float64]{slow},
				}},
			}},
		},
	}}}

	r := receive(t, nil)
	e, err := otlp.NewMetrics(environment(map[string]string{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": r.URL + "/mine"}))
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Export(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	var got, want collectormetrics.ExportMetricsServiceRequest
	r.unmarshal(t, &got)
	const period = "start_time_unix_nano: 1000000000 time_unix_nano: 2000000000 "
	const a = `attributes { key: "a" value { bool_value: true } } `
	const slowly = `exemplars { time_unix_nano: 2000000000 as_double: 3 trace_id: "trace" span_id: "span" } `
	parse(t, &want, `resource_metrics {
		resource { attributes { key: "service.name" value { string_value: "remit" } } }
		schema_url: "https://schema"
		scope_metrics {
			scope { name: "scope" version: "2" }
			schema_url: "https://scope"
			metrics { name: "calls" description: "Calls." unit: "{call}" sum { is_monotonic: true aggregation_temporality: AGGREGATION_TEMPORALITY_DELTA
				data_points { as_int: 0 `+period+a+` exemplars { time_unix_nano: 2000000000 as_int: -3 trace_id: "trace" span_id: "span" filtered_attributes { key: "b" value { int_value: 2 } } } } } }
			metrics { name: "waiting" sum { aggregation_temporality: AGGREGATION_TEMPORALITY_CUMULATIVE data_points { as_int: -1 `+period+` } } }
			metrics { name: "time" unit: "s" histogram { aggregation_temporality: AGGREGATION_TEMPORALITY_CUMULATIVE
				data_points { count: 2 sum: 3 min: 0 max: 3 explicit_bounds: [1, 2.5] bucket_counts: [1, 0, 1] `+period+a+slowly+` } } }
			metrics { name: "finely" exponential_histogram { aggregation_temporality: AGGREGATION_TEMPORALITY_DELTA
				data_points { count: 301 sum: 3.5 max: 3 scale: -5 zero_count: 1 zero_threshold: 0.25 positive { offset: -33 bucket_counts: 300 } negative {} `+period+a+slowly+` } } }
		}
	}`)
	if diff := cmp.Diff(&want, &got, protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
	if r.path != "/mine" {
		t.Errorf("asked for %s", r.path)
	}
}

func parse(t *testing.T, m proto.Message, text string) {
	t.Helper()
	if err := prototext.Unmarshal([]byte(text), m); err != nil {
		t.Fatal(err)
	}
}

// The environment says where requests go, and what they look like.
func TestSettings(t *testing.T) {
	for name, test := range map[string]struct {
		env  map[string]string
		path string
		want map[string]string // header fields
	}{
		"for all signals": {map[string]string{"ENDPOINT": "/base/", "HEADERS": "api-key=a%20b, x=1"}, "/base/v1/traces",
			map[string]string{"Content-Type": "application/x-protobuf", "Api-Key": "a b", "X": "1"}},
		"for one": {map[string]string{"ENDPOINT": "/other", "TRACES_ENDPOINT": "", "HEADERS": "a=1", "TRACES_HEADERS": "b=2", "TRACES_COMPRESSION": "gzip"}, "/",
			map[string]string{"Content-Encoding": "gzip", "A": "", "B": "2"}},
		"uncompressed": {map[string]string{"ENDPOINT": "", "COMPRESSION": "none", "TIMEOUT": "60000"}, "/v1/traces", map[string]string{"Content-Encoding": ""}},
	} {
		t.Run(name, func(t *testing.T) {
			r := receive(t, nil)
			env := map[string]string{}
			for suffix, v := range test.env {
				if strings.HasSuffix(suffix, "ENDPOINT") {
					v = r.URL + v
				}
				env["OTEL_EXPORTER_OTLP_"+suffix] = v
			}
			if err := export(t, environment(env)); err != nil {
				t.Fatal(err)
			}
			if r.path != test.path {
				t.Errorf("asked for %s", r.path)
			}
			for k, want := range test.want {
				if got := r.header.Get(k); got != want {
					t.Errorf("%s is %q, want %q", k, got, want)
				}
			}
			if test.want["Content-Encoding"] == "gzip" {
				z, err := gzip.NewReader(bytes.NewReader(r.body))
				if err != nil {
					t.Fatal(err)
				}
				if r.body, err = io.ReadAll(z); err != nil {
					t.Fatal(err)
				}
			}
			r.unmarshal(t, &collectortrace.ExportTraceServiceRequest{})
		})
	}
}

// What can't be read is an error that names the variable, and reveals no credential.
func TestWrongSettings(t *testing.T) {
	for variable, test := range map[string]struct{ value, want string }{
		"ENDPOINT":                              {"user:s3cr3t@collector:4318", "can't be read: write a URL"},
		"HEADERS":                               {"s3cr3t", "can't be read"},
		"METRICS_HEADERS":                       {"a b=s3cr3t", "can't be read"},
		"TIMEOUT":                               {"10s", `is "10s": write milliseconds`},
		"METRICS_TIMEOUT":                       {"0", "write milliseconds"},
		"COMPRESSION":                           {"zstd", `is "zstd": write gzip or none`},
		"CERTIFICATE":                           {"/nowhere", "no such file"},
		"CLIENT_KEY":                            {"/nowhere", "no such file"},
		"METRICS_TEMPORALITY_PREFERENCE":        {"both", "write cumulative, delta or lowmemory"},
		"METRICS_DEFAULT_HISTOGRAM_AGGREGATION": {"fine", "write explicit_bucket_histogram or"},
	} {
		t.Run(variable, func(t *testing.T) {
			_, err := otlp.NewMetrics(environment(map[string]string{"OTEL_EXPORTER_OTLP_" + variable: test.value}))
			if err == nil || !strings.Contains(err.Error(), variable) || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// Metrics come as the environment prefers them.
func TestPreferences(t *testing.T) {
	e, err := otlp.NewMetrics(environment(map[string]string{
		"OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE":        "Delta",
		"OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION": "base2_exponential_bucket_histogram",
	}))
	if err != nil {
		t.Fatal(err)
	}
	if got := e.Temporality(sdkmetric.InstrumentKindCounter); got != metricdata.DeltaTemporality {
		t.Errorf("a counter's temporality is %v", got)
	}
	if _, ok := e.Aggregation(sdkmetric.InstrumentKindHistogram).(sdkmetric.AggregationBase2ExponentialHistogram); !ok {
		t.Error("a histogram isn't exponential")
	}
	if _, ok := e.Aggregation(sdkmetric.InstrumentKindCounter).(sdkmetric.AggregationSum); !ok {
		t.Error("a counter isn't a sum")
	}
}

// A receiver that trusts one certificate alone is reached with it, and no other.
func TestCertificate(t *testing.T) {
	r := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer r.Close()
	r.Config.ErrorLog = log.New(io.Discard, "", 0)
	file := filepath.Join(t.TempDir(), "authority.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": r.URL}
	if err := export(t, environment(env)); err == nil {
		t.Error("an unknown authority was trusted")
	}
	env["OTEL_EXPORTER_OTLP_CERTIFICATE"] = file
	if err := export(t, environment(env)); err != nil {
		t.Error(err)
	}
}

// An answer says that the request was taken, in part or not at all.
func TestAnswers(t *testing.T) {
	some, err := proto.Marshal(&collectortrace.ExportTraceServiceResponse{PartialSuccess: &collectortrace.ExportTracePartialSuccess{RejectedSpans: 2, ErrorMessage: "too long"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		status int
		kind   string
		body   string
		want   string
	}{
		"taken":          {200, "application/x-protobuf", "", ""},
		"of no message":  {200, "application/x-protobuf", "\xff\xff", ""},
		"in words":       {200, "text/plain", "\n\x02\x08\x01", ""},
		"in part":        {200, "application/x-protobuf", string(some), `the receiver left out 2: "too long"`},
		"with a charset": {200, "application/x-protobuf; charset=utf-8", string(some), "the receiver left out 2"},
		"a page":         {200, "text/html; charset=utf-8", "<p>Sign in", `answered 200 OK: "<p>Sign in"`},
		"a long page":    {404, "text/html", strings.Repeat("<p>", 10_000), `<p>…"`},
		"refused":        {400, "text/plain", "what?\n", `answered 400 Bad Request: "what?"`},
		"elsewhere":      {307, "text/plain", "", "answered 307"},
	} {
		t.Run(name, func(t *testing.T) {
			r := receive(t, func(w http.ResponseWriter, req *http.Request) {
				w.Header().Set("Content-Type", test.kind)
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.body)
			})
			err := export(t, environment(map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": r.URL}))
			if (err != nil) != (test.want != "") || (err != nil && !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want %s", err, test.want)
			}
			if r.path != "/v1/traces" {
				t.Errorf("the credentials went to %s", r.path)
			}
		})
	}
}

// What can be a credential is in no error: the user, the password and the query of an endpoint, and
// the values of header fields, also where the receiver repeats them.
func TestSecretsOfErrors(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"refused": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) },
		"repeated": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, r.Header)
		},
		"cut off": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9")
			_, _ = io.WriteString(w, "short")
		},
	} {
		r := receive(t, answer)
		err := export(t, environment(map[string]string{
			"OTEL_EXPORTER_OTLP_ENDPOINT": strings.Replace(r.URL, "://", "://user:s3cr3t@", 1) + "?key=s3cr3t",
			"OTEL_EXPORTER_OTLP_HEADERS":  "api-key=s3cr3t",
		}))
		if user, password, _ := (&http.Request{Header: r.header}).BasicAuth(); user != "user" || password != "s3cr3t" {
			t.Errorf("%s: the receiver isn't told who asks", name)
		}
		if err == nil || strings.Contains(err.Error(), "s3cr3t") || strings.Contains(err.Error(), "dXNlcjpzM2NyM3Q") {
			t.Errorf("%s: got %v", name, err)
		}
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e, err := otlp.NewSpans(environment(map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://user:s3cr3t@127.0.0.1:1?key=s3cr3t"}))
	if err != nil {
		t.Fatal(err)
	}
	if err := e.ExportSpans(ctx, recorded(t, func(context.Context, trace.Tracer) {})); err == nil || strings.Contains(err.Error(), "s3cr3t") {
		t.Errorf("not sent: got %v", err)
	}
}

// A receiver refuses the whole request for a text that is no UTF-8: it is sent as far as it is.
func TestTextThatIsNone(t *testing.T) {
	r := receive(t, nil)
	spans := recorded(t, func(_ context.Context, tracer trace.Tracer) {
		_, s := tracer.Start(t.Context(), "a\xffb", trace.WithAttributes(attribute.String("k\xfe", "\xc3("), attribute.StringSlice("l", []string{"\x80"})))
		s.SetStatus(codes.Error, "\xf0")
		s.End()
	})
	if err := export(t, environment(map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": r.URL}), spans...); err != nil {
		t.Fatal(err)
	}
	r.unmarshal(t, &collectortrace.ExportTraceServiceRequest{})
}
