package telemetry_test

import (
	"compress/gzip"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	metricspb "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/remit-project/remit/internal/telemetry"
)

// collector is a receiver of OTLP over HTTP.
type collector struct {
	*httptest.Server
	mu      sync.Mutex
	spans   []string
	metrics []string
	service []string
}

func collect(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := r.Body
		if r.Header.Get("Content-Encoding") == "gzip" {
			var err error
			if body, err = gzip.NewReader(body); err != nil {
				t.Error(err)
				return
			}
		}
		data, err := io.ReadAll(body)
		if err != nil {
			t.Error(err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		switch r.URL.Path {
		case "/v1/traces":
			var m tracepb.ExportTraceServiceRequest
			if err := proto.Unmarshal(data, &m); err != nil {
				t.Error(err)
			}
			for _, rs := range m.ResourceSpans {
				for _, a := range rs.Resource.Attributes {
					c.service = append(c.service, a.Key+"="+a.Value.GetStringValue())
				}
				for _, ss := range rs.ScopeSpans {
					for _, s := range ss.Spans {
						c.spans = append(c.spans, s.Name)
					}
				}
			}
		case "/v1/metrics":
			var m metricspb.ExportMetricsServiceRequest
			if err := proto.Unmarshal(data, &m); err != nil {
				t.Error(err)
			}
			for _, rm := range m.ResourceMetrics {
				for _, sm := range rm.ScopeMetrics {
					for _, m := range sm.Metrics {
						c.metrics = append(c.metrics, m.Name)
					}
				}
			}
		default:
			t.Errorf("%s was called", r.URL.Path)
		}
	}))
	t.Cleanup(c.Close)
	return c
}

// unset clears what the environment of the tests may say.
func unset(t *testing.T) {
	t.Helper()
	for _, name := range []string{"OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER", "OTEL_EXPORTER_OTLP_ENDPOINT",
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_SERVICE_NAME"} {
		t.Setenv(name, "")
	}
}

// Spans and metrics arrive at the endpoint that the environment names, also the
// last ones before the end.
func TestExport(t *testing.T) {
	unset(t)
	c := collect(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	t.Setenv("OTEL_SERVICE_NAME", "mine")
	r, end, err := telemetry.Start(t.Context(), telemetry.Options{Version: "1.2.3", Log: slog.New(slog.DiscardHandler)})
	if err != nil || r == nil {
		t.Fatalf("got %v, %v", r, err)
	}
	_, s := r.Serve(t.Context(), operation())
	s.Decided(decision(), "enforce", 1)
	s.End("")
	if err := end(); err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	all := strings.Join(c.service, " ")
	if len(c.spans) != 1 || c.spans[0] != "tools/call send" || !strings.Contains(all, "service.name=mine") || !strings.Contains(all, "service.version=1.2.3") {
		t.Errorf("got the spans %v of %s", c.spans, all)
	}
	if got := strings.Join(c.metrics, " "); !strings.Contains(got, "remit.decisions") || !strings.Contains(got, "mcp.server.operation.duration") {
		t.Errorf("got the metrics %s", got)
	}
}

// The environment says what is exported; what it can't mean is an error that
// names the variable.
func TestEnvironment(t *testing.T) {
	const somewhere = "http://127.0.0.1:1"
	for name, test := range map[string]struct {
		env  map[string]string
		on   bool
		want string
	}{
		"nothing":      {nil, false, ""},
		"an endpoint":  {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": somewhere}, true, ""},
		"only traces":  {map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": somewhere + "/v1/traces"}, true, ""},
		"the exporter": {map[string]string{"OTEL_METRICS_EXPORTER": "otlp"}, true, ""},
		"disabled":     {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": somewhere, "OTEL_SDK_DISABLED": "TRUE"}, false, ""},
		"none":         {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": somewhere, "OTEL_TRACES_EXPORTER": "none", "OTEL_METRICS_EXPORTER": "none"}, false, ""},
		"another":      {map[string]string{"OTEL_TRACES_EXPORTER": "zipkin"}, false, `OTEL_TRACES_EXPORTER is "zipkin": write otlp or none`},
		"grpc":         {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": somewhere, "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, false, `OTEL_EXPORTER_OTLP_PROTOCOL is "grpc": write http/protobuf`},
	} {
		t.Run(name, func(t *testing.T) {
			unset(t)
			for k, v := range test.env {
				t.Setenv(k, v)
			}
			r, end, err := telemetry.Start(t.Context(), telemetry.Options{Version: "1", Log: slog.New(slog.DiscardHandler)})
			if test.want != "" {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil || (r != nil) != test.on {
				t.Fatalf("got %v, %v", r, err)
			}
			if err := end(); err != nil && !test.on {
				t.Error(err)
			}
		})
	}
}

// A page has what was recorded, in Prometheus's form, without any exporter.
func TestPage(t *testing.T) {
	unset(t)
	r, end, err := telemetry.Start(t.Context(), telemetry.Options{Door: "api", Page: true, Version: "1", Log: slog.New(slog.DiscardHandler)})
	if err != nil || r == nil {
		t.Fatalf("got %v, %v", r, err)
	}
	r.Decided(t.Context(), decision(), "enforce", 3*time.Millisecond)
	odd := decision()
	odd.Server = "a\"b\\\n"
	r.Decided(t.Context(), odd, "enforce", time.Minute)
	r.Answered(t.Context(), "decide", 200, time.Second)
	defer r.Asked(t.Context())()

	page, err := r.Page(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# TYPE remit_decisions_total counter\n",
		`remit_decisions_total{gen_ai_tool_name="send",remit_confirmed="false",remit_door="api",remit_mode="enforce",remit_server="mail",remit_verdict="ask"} 1` + "\n",
		`remit_server="a\"b\\\n"`,
		"# TYPE remit_decision_duration_seconds histogram\n",
		`remit_decision_duration_seconds_bucket{remit_door="api",remit_server="mail",remit_verdict="ask",le="0.002"} 0` + "\n",
		`remit_decision_duration_seconds_bucket{remit_door="api",remit_server="mail",remit_verdict="ask",le="0.005"} 1` + "\n",
		`remit_decision_duration_seconds_bucket{remit_door="api",remit_server="mail",remit_verdict="ask",le="+Inf"} 1` + "\n",
		`remit_request_duration_seconds_count{http_response_status_code="200",remit_operation="decide"} 1` + "\n",
		"# TYPE remit_questions gauge\n", "remit_questions 1\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(page, "s3cr3t") || t.Failed() {
		t.Errorf("the page is\n%s", page)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// Without a recorder there is an empty page.
func TestNoPage(t *testing.T) {
	var r *telemetry.Recorder
	r.Decided(t.Context(), decision(), "enforce", time.Second)
	r.Answered(t.Context(), "decide", 200, time.Second)
	if page, err := r.Page(t.Context()); err != nil || page != "" {
		t.Errorf("got %q, %v", page, err)
	}
}
