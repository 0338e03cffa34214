package mcp_test

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/remit-project/remit/internal/mcp"
	"github.com/remit-project/remit/internal/telemetry"
)

// A client's trace goes on through the gateway to the server, over whatever both
// are connected by: the server is called within the gateway's span, which lies
// within the client's.
func TestTracesGoThrough(t *testing.T) {
	const trace, parent = "0af7651916cd43dd8448eb211c80319c", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	generations(t, func(t *testing.T, version string) {
		for name, test := range map[string]struct {
			meta   sdk.Meta
			header http.Header
		}{
			"_meta":  {meta: sdk.Meta{"traceparent": parent}},
			"header": {header: http.Header{"Traceparent": {parent}}},
		} {
			t.Run(name, func(t *testing.T) {
				var mu sync.Mutex
				var heard sdk.Meta
				server := desk()
				server.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
					return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
						if method == "tools/call" {
							mu.Lock()
							heard = maps.Clone(sdk.Meta(r.GetParams().GetMeta()))
							mu.Unlock()
						}
						return next(ctx, method, r)
					}
				})
				behind := serveSDK(t, server, version)
				spans := tracetest.NewInMemoryExporter()
				r, err := telemetry.New(sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans)), metricnoop.NewMeterProvider(), "1")
				if err != nil {
					t.Fatal(err)
				}
				g, _ := gateway(t, mcp.Options{Servers: []mcp.Server{at("desk", behind.url, nil)}, Telemetry: r})
				s := connect(t, &sdk.StreamableClientTransport{Endpoint: serveHTTP(t, g, mcp.HTTP{}) + "/mcp/" + run,
					HTTPClient: &http.Client{Transport: adding{test.header}}}, nil, version)
				params := &sdk.CallToolParams{Name: "get_time", Arguments: empty{}, Meta: test.meta}
				if got, err := s.CallTool(t.Context(), params); err != nil || got.IsError {
					t.Fatalf("got %v, %v", got, err)
				}
				call(t, s, "send_email", mail{To: "eve@evil.example", Body: "x"})

				var got []string
				for _, span := range spans.GetSpans() {
					got = append(got, span.SpanKind.String()+" "+span.Name)
				}
				// The denied call has no span of a server.
				if want := "client tools/call get_time, server tools/call get_time, server tools/call send_email"; strings.Join(got, ", ") != want {
					t.Fatalf("the spans are %v", got)
				}
				sent := spans.GetSpans()[0]
				want := "00-" + trace + "-" + sent.SpanContext.SpanID().String() + "-01"
				mu.Lock()
				defer mu.Unlock()
				if heard["traceparent"] != want {
					t.Errorf("_meta is %v, not %s", heard, want)
				}
				behind.mu.Lock()
				defer behind.mu.Unlock()
				found := false
				for _, h := range behind.headers {
					found = found || h.Get("Traceparent") == want
				}
				if !found {
					t.Error("no header has the trace")
				}
			})
		}
	})
}

// adding adds header fields to every request.
type adding struct{ header http.Header }

func (a adding) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	maps.Copy(r.Header, a.header)
	return http.DefaultTransport.RoundTrip(r)
}
