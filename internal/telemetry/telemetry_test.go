package telemetry_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/telemetry"
)

// recorded is a recorder with what it recorded.
type recorded struct {
	*telemetry.Recorder
	spans  *tracetest.InMemoryExporter
	reader *sdkmetric.ManualReader
}

func record(t *testing.T) *recorded {
	t.Helper()
	r := &recorded{spans: tracetest.NewInMemoryExporter(), reader: sdkmetric.NewManualReader()}
	var err error
	r.Recorder, err = telemetry.New(sdktrace.NewTracerProvider(sdktrace.WithSyncer(r.spans)), sdkmetric.NewMeterProvider(sdkmetric.WithReader(r.reader)), "1")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// sums are the values of a counter, by its attributes.
func (r *recorded) sums(t *testing.T, name string) map[string]int64 {
	t.Helper()
	out := map[string]int64{}
	for _, m := range r.metrics(t) {
		if sum, ok := m.Data.(metricdata.Sum[int64]); ok && m.Name == name {
			for _, p := range sum.DataPoints {
				out[p.Attributes.Encoded(attribute.DefaultEncoder())] = p.Value
			}
		}
	}
	return out
}

// durations are how many values a histogram has, by its attributes.
func (r *recorded) durations(t *testing.T, name string) map[string]uint64 {
	t.Helper()
	out := map[string]uint64{}
	for _, m := range r.metrics(t) {
		if h, ok := m.Data.(metricdata.Histogram[float64]); ok && m.Name == name {
			for _, p := range h.DataPoints {
				out[p.Attributes.Encoded(attribute.DefaultEncoder())] = p.Count
			}
		}
	}
	return out
}

func (r *recorded) metrics(t *testing.T) []metricdata.Metrics {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := r.reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	var out []metricdata.Metrics
	for _, s := range all.ScopeMetrics {
		out = append(out, s.Metrics...)
	}
	return out
}

// decision is one that a person was asked about, with a confidential value.
func decision() *remit.Decision {
	return &remit.Decision{
		Session: "run-1", Call: "c1", Server: "mail", Tool: "send", Effect: contract.Egress, Verdict: remit.Ask, Arguments: []byte(`{"to":"s3cr3t@x.example"}`),
		Findings: []remit.Finding{{Path: "/to", Value: "s3cr3t@x.example"}},
		Reasons:  []remit.Reason{{Code: "below-floor", Path: "/to", Message: "s3cr3t@x.example is external"}},
	}
}

func operation() telemetry.Operation {
	return telemetry.Operation{Method: "tools/call", Tool: "send", Server: "mail", Session: "run-1", Protocol: "2026-07-28", Request: "7"}
}

// A call is one span towards the client with another towards the server below
// it, with the names of the conventions.
func TestSpans(t *testing.T) {
	r := record(t)
	ctx, served := r.Serve(t.Context(), operation())
	served.Decided(decision(), "enforce", time.Millisecond)
	_, sent := r.Request(ctx, operation())
	sent.End("timeout")
	served.End("")

	spans := r.spans.GetSpans()
	if len(spans) != 2 {
		t.Fatalf("there are %d spans", len(spans))
	}
	child, root := spans[0], spans[1]
	if root.Name != "tools/call send" || root.SpanKind != trace.SpanKindServer || child.SpanKind != trace.SpanKindClient || child.Parent.SpanID() != root.SpanContext.SpanID() {
		t.Errorf("got %+v, %+v", root, child)
	}
	if child.Status.Code != codes.Error || root.Status.Code == codes.Error {
		t.Errorf("the states are %+v and %+v", root.Status, child.Status)
	}
	got := map[string]string{}
	for _, a := range root.Attributes {
		got[string(a.Key)] = a.Value.String()
	}
	for name, want := range map[string]string{
		"mcp.method.name": "tools/call", "gen_ai.tool.name": "send", "gen_ai.operation.name": "execute_tool", "mcp.session.id": "run-1",
		"mcp.protocol.version": "2026-07-28", "jsonrpc.request.id": "7", "remit.server": "mail", "remit.verdict": "ask", "remit.call": "c1",
		"remit.mode": "enforce", "remit.confirmed": "false", "remit.reasons": `["below-floor"]`,
	} {
		if got[name] != want {
			t.Errorf("%s is %q, not %q", name, got[name], want)
		}
	}
}

// What arguments say is in no attribute.
func TestValuesStayOut(t *testing.T) {
	r := record(t)
	_, s := r.Serve(t.Context(), operation())
	s.Decided(decision(), "enforce", time.Millisecond)
	s.End("denied")
	for _, span := range r.spans.GetSpans() {
		for _, a := range span.Attributes {
			if strings.Contains(a.Value.String(), "s3cr3t") {
				t.Errorf("%s is %s", a.Key, a.Value.String())
			}
		}
	}
	for _, m := range r.metrics(t) {
		for at := range r.sums(t, m.Name) {
			if strings.Contains(at, "s3cr3t") {
				t.Errorf("%s has %s", m.Name, at)
			}
		}
	}
}

func TestMetrics(t *testing.T) {
	r := record(t)
	ended := r.Connected(t.Context())
	settled := r.Asked(t.Context())
	ctx, s := r.Serve(t.Context(), operation())
	s.Decided(decision(), "enforce", time.Millisecond)
	unknown := decision()
	unknown.Tool, unknown.Effect, unknown.Verdict = "whatever a model writes", "", remit.Deny
	s.Decided(unknown, "enforce", time.Millisecond)
	_, up := r.Request(ctx, operation())
	up.End("timeout")
	s.End("denied")
	for _, failed := range []bool{false, true, true} {
		_, planned := r.Plan(t.Context(), "m")
		planned(failed, 7, 3)
	}

	for name, want := range map[string]map[string]int64{
		"remit.decisions": {
			"gen_ai.tool.name=send,remit.confirmed=false,remit.mode=enforce,remit.server=mail,remit.verdict=ask":    1,
			"gen_ai.tool.name=_OTHER,remit.confirmed=false,remit.mode=enforce,remit.server=mail,remit.verdict=deny": 1,
		},
		"remit.upstream.errors": {"error.type=timeout,mcp.method.name=tools/call,remit.server=mail": 1},
		"remit.sessions":        {"": 1},
		"remit.questions":       {"": 1},
		"remit.plans":           {"remit.outcome=planned": 1, "remit.outcome=failed": 2},
		"remit.plan.tokens":     {"gen_ai.token.type=input": 21, "gen_ai.token.type=output": 9},
	} {
		got := r.sums(t, name)
		if len(got) != len(want) {
			t.Errorf("%s is %v", name, got)
		}
		for at, n := range want {
			if got[at] != n {
				t.Errorf("%s{%s} is %d: %v", name, at, got[at], got)
			}
		}
	}
	for name, at := range map[string]string{
		"mcp.server.operation.duration": "error.type=denied,mcp.method.name=tools/call,remit.server=mail",
		"mcp.client.operation.duration": "error.type=timeout,mcp.method.name=tools/call,remit.server=mail",
		"remit.decision.duration":       "remit.server=mail,remit.verdict=ask",
	} {
		if got := r.durations(t, name); got[at] != 1 {
			t.Errorf("%s is %v", name, got)
		}
	}
	ended()
	settled()
	if got := r.sums(t, "remit.sessions")[""] + r.sums(t, "remit.questions")[""]; got != 0 {
		t.Errorf("%d are left", got)
	}
}

// A trace that a client began goes on to the server, and nothing else does.
func TestTraceContext(t *testing.T) {
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	r := record(t)
	for name, test := range map[string]struct {
		in   map[string]string
		same bool
	}{
		"continued":        {map[string]string{"traceparent": parent, "tracestate": "a=b", "baggage": "secret=x"}, true},
		"none":             {nil, false},
		"no trace context": {map[string]string{"traceparent": strings.Repeat("x", 10_000)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := r.From(t.Context(), func(name string) string { return test.in[name] })
			ctx, s := r.Serve(ctx, operation())
			out := map[string]string{}
			r.Into(ctx, func(name, value string) { out[name] = value })
			s.End("")
			if got := strings.HasPrefix(out["traceparent"], "00-0af7651916cd43dd8448eb211c80319c-"); got != test.same || out["traceparent"] == parent || out["traceparent"] == "" {
				t.Errorf("got %v", out)
			}
			if test.same && out["tracestate"] != "a=b" || out["baggage"] != "" {
				t.Errorf("got %v", out)
			}
		})
	}
}

// What others wrote is cut, and is text.
func TestNamesAreBounded(t *testing.T) {
	r := record(t)
	o := operation()
	o.Tool, o.Request = strings.Repeat("ä", 10_000), "\xff"
	_, s := r.Serve(t.Context(), o)
	s.End("")
	span := r.spans.GetSpans()[0]
	if len(span.Name) > 200 {
		t.Errorf("the name has %d bytes", len(span.Name))
	}
	for _, a := range span.Attributes {
		if v := a.Value.String(); len(v) > 200 || strings.ToValidUTF8(v, "") != v {
			t.Errorf("%s is %q", a.Key, v)
		}
	}
}

// Without an exporter there is no recorder, and nothing is done.
func TestOff(t *testing.T) {
	var r *telemetry.Recorder
	ctx := context.Background()
	if r.From(ctx, nil) != ctx {
		t.Error("the context is another")
	}
	got, s := r.Serve(ctx, operation())
	if got != ctx || s != nil {
		t.Error("there is a span")
	}
	_, s = r.Request(ctx, operation())
	s.Decided(decision(), "enforce", time.Second)
	s.End("x")
	r.Into(ctx, nil)
	r.Asked(ctx)()
	r.Connected(ctx)()
}
