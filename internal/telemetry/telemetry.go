// Package telemetry reports to OpenTelemetry what enforcement points do: a span for every call,
// with what was decided and how long that took, and metrics over them. Names follow the
// conventions for MCP and GenAI where there are some, and begin with "remit." where there are
// none.
//
// No value of an argument, no text of a result and no credential is ever in an
// attribute. A session is named by the id that logs and the store know it by,
// which gives no access to it.
//
// A nil [*Recorder] records nothing and costs nothing: deployments that don't
// configure an exporter have one.
package telemetry

import (
	"context"
	"errors"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/remit-project/remit"
)

// scope is the name of the instrumentation.
const scope = "github.com/remit-project/remit"

// Attributes. OpenTelemetry's own Go package has no constants for MCP.
const (
	methodKey    = attribute.Key("mcp.method.name")
	protocolKey  = attribute.Key("mcp.protocol.version")
	sessionKey   = attribute.Key("mcp.session.id")
	requestKey   = attribute.Key("jsonrpc.request.id")
	toolKey      = attribute.Key("gen_ai.tool.name")
	operationKey = attribute.Key("gen_ai.operation.name")
	errorKey     = attribute.Key("error.type")
	serverKey    = attribute.Key("remit.server")
	verdictKey   = attribute.Key("remit.verdict")
	reasonsKey   = attribute.Key("remit.reasons")
	confirmedKey = attribute.Key("remit.confirmed")
	modeKey      = attribute.Key("remit.mode")
	callKey      = attribute.Key("remit.call")
	outcomeKey   = attribute.Key("remit.outcome")
	doorKey      = attribute.Key("remit.door")
	requestedKey = attribute.Key("remit.operation")
	statusKey    = attribute.Key("http.response.status_code")
	modelKey     = attribute.Key("gen_ai.request.model")
	tokensKey    = attribute.Key("gen_ai.token.type")
)

const (
	// maxText bounds an attribute that others chose, in bytes.
	maxText = 128
	// otherTool represents tools without a contract in metrics. Their names are
	// whatever a model writes, and each would be a time series.
	otherTool = "_OTHER"
)

// Recorder records what an enforcement point does.
type Recorder struct {
	tracer trace.Tracer
	// door is where calls are decided; empty where there is none.
	door string
	page *sdkmetric.ManualReader // nil where there is no page
	// silent is set where traces go nowhere: trace context stays as it came.
	silent bool

	served, requested metric.Float64Histogram
	answered          metric.Float64Histogram
	decisions         metric.Int64Counter
	decided           metric.Float64Histogram
	failures          metric.Int64Counter
	questions         metric.Int64UpDownCounter
	sessions          metric.Int64UpDownCounter
	plans, tokens     metric.Int64Counter
	planned           metric.Float64Histogram
}

// New makes a recorder that reports to these providers.
func New(traces trace.TracerProvider, metrics metric.MeterProvider, version string) (*Recorder, error) {
	r := &Recorder{tracer: traces.Tracer(scope, trace.WithInstrumentationVersion(version))}
	m := metrics.Meter(scope, metric.WithInstrumentationVersion(version))
	var errs [11]error
	// The bounds that the conventions for MCP ask for, in seconds.
	calls := metric.WithExplicitBucketBoundaries(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)
	r.served, errs[0] = m.Float64Histogram("mcp.server.operation.duration", metric.WithUnit("s"), calls,
		metric.WithDescription("Time from a client's request to the answer."))
	r.requested, errs[1] = m.Float64Histogram("mcp.client.operation.duration", metric.WithUnit("s"), calls,
		metric.WithDescription("Time that a server took to answer a request."))
	r.decisions, errs[2] = m.Int64Counter("remit.decisions", metric.WithUnit("{decision}"),
		metric.WithDescription("Calls that were decided, by verdict."))

	r.decided, errs[3] = m.Float64Histogram("remit.decision.duration", metric.WithUnit("s"),
		metric.WithExplicitBucketBoundaries(0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5),
		metric.WithDescription("Time to decide a call and to make the decision durable, without the person."))
	r.failures, errs[4] = m.Int64Counter("remit.upstream.errors", metric.WithUnit("{error}"),
		metric.WithDescription("Requests that a server did not answer with a result."))
	r.questions, errs[5] = m.Int64UpDownCounter("remit.questions", metric.WithUnit("{question}"),
		metric.WithDescription("Questions that wait for a person."))
	r.sessions, errs[6] = m.Int64UpDownCounter("remit.sessions", metric.WithUnit("{session}"),
		metric.WithDescription("Conversations that are connected."))
	r.plans, errs[7] = m.Int64Counter("remit.plans", metric.WithUnit("{plan}"),
		metric.WithDescription("Turns of users that a planner was asked about, by outcome."))
	r.tokens, errs[8] = m.Int64Counter("remit.plan.tokens", metric.WithUnit("{token}"),
		metric.WithDescription("Tokens that planners took."))
	r.planned, errs[9] = m.Float64Histogram("remit.plan.duration", metric.WithUnit("s"), calls,
		metric.WithDescription("Time that a planner took for a turn."))
	r.answered, errs[10] = m.Float64Histogram("remit.request.duration", metric.WithUnit("s"),
		metric.WithExplicitBucketBoundaries(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
		metric.WithDescription("Time that requests of the decision API took, by operation and status."))
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	return r, nil
}

// Operation is one request of MCP, or of another protocol that calls tools.
type Operation struct {
	// Method is the protocol's, as tools/call.
	Method string
	// Tool is the tool's own name, Server the one that contracts call the
	// server by; empty where they are not known yet.
	Tool, Server string
	// Session is the id of the session.
	Session string
	// Protocol is the revision of MCP, Request the id of the request as JSON.
	Protocol, Request string
}

func (o Operation) attributes() []attribute.KeyValue {
	out := []attribute.KeyValue{methodKey.String(clip(o.Method)), operationKey.String("execute_tool")}
	for _, a := range [...]struct {
		key   attribute.Key
		value string
	}{{toolKey, o.Tool}, {serverKey, o.Server}, {sessionKey, o.Session}, {protocolKey, o.Protocol}, {requestKey, o.Request}} {
		if a.value != "" {
			out = append(out, a.key.String(clip(a.value)))
		}
	}
	return out
}

// Span is an operation that is under way. The methods of a nil one do nothing.
type Span struct {
	r     *Recorder
	span  trace.Span
	begun time.Time
	// kept are the attributes that metrics have, too.
	kept     []attribute.KeyValue
	duration metric.Float64Histogram
	failures metric.Int64Counter // nil where they are not counted
	ctx      context.Context
}

// Serve begins the span of a request that a client made. The context carries it.
func (r *Recorder) Serve(ctx context.Context, o Operation) (context.Context, *Span) {
	if r == nil {
		return ctx, nil
	}
	s := &Span{r: r, duration: r.served}
	return s.begin(ctx, o, trace.SpanKindServer), s
}

// Request begins the span of a request to a server. The context carries it.
func (r *Recorder) Request(ctx context.Context, o Operation) (context.Context, *Span) {
	if r == nil {
		return ctx, nil
	}
	s := &Span{r: r, duration: r.requested, failures: r.failures}
	return s.begin(ctx, o, trace.SpanKindClient), s
}

func (s *Span) begin(ctx context.Context, o Operation, kind trace.SpanKind) context.Context {
	s.begun = time.Now()
	s.kept = []attribute.KeyValue{methodKey.String(clip(o.Method))}
	if o.Server != "" {
		s.kept = append(s.kept, serverKey.String(o.Server))
	}
	name := o.Method
	if o.Tool != "" {
		name += " " + o.Tool
	}
	s.ctx, s.span = s.r.tracer.Start(ctx, clip(name), trace.WithSpanKind(kind), trace.WithTimestamp(s.begun), trace.WithAttributes(o.attributes()...))
	return s.ctx
}

// Decided adds what was decided about the span's call, and how long that took.
func (s *Span) Decided(d *remit.Decision, mode string, took time.Duration) {
	if s == nil {
		return
	}
	reasons := make([]string, 0, len(d.Reasons))
	for _, r := range d.Reasons {
		reasons = append(reasons, string(r.Code))
	}
	s.span.SetAttributes(toolKey.String(clip(d.Tool)), serverKey.String(d.Server), callKey.String(d.Call), verdictKey.String(string(d.Verdict)),
		confirmedKey.Bool(d.Confirmed), modeKey.String(mode), reasonsKey.StringSlice(reasons))
	s.r.count(s.ctx, d, mode, took)
}

// Decided counts a decision where calls have no spans of their own.
func (r *Recorder) Decided(ctx context.Context, d *remit.Decision, mode string, took time.Duration) {
	if r != nil {
		r.count(ctx, d, mode, took)
	}
}

// count counts a decision.
func (r *Recorder) count(ctx context.Context, d *remit.Decision, mode string, took time.Duration) {
	tool, server := clip(d.Tool), clip(d.Server)
	if d.Effect == "" { // no contract says what it does
		tool = otherTool
	}
	about := []attribute.KeyValue{verdictKey.String(string(d.Verdict)), serverKey.String(server)}
	if r.door != "" {
		about = append(about, doorKey.String(r.door))
	}
	r.decided.Record(ctx, took.Seconds(), metric.WithAttributes(about...))
	r.decisions.Add(ctx, 1, metric.WithAttributes(append(about, toolKey.String(tool), modeKey.String(mode), confirmedKey.Bool(d.Confirmed))...))
}

// Answered counts a request of the decision API, by its operation and status.
func (r *Recorder) Answered(ctx context.Context, operation string, status int, took time.Duration) {
	if r != nil {
		r.answered.Record(ctx, took.Seconds(), metric.WithAttributes(requestedKey.String(operation), statusKey.Int(status)))
	}
}

// End ends the span. Failure says in a word what went wrong, as denied or
// timeout; it is empty where nothing did.
func (s *Span) End(failure string) {
	if s == nil {
		return
	}
	if failure != "" {
		s.kept = append(s.kept, errorKey.String(failure))
		s.span.SetAttributes(errorKey.String(failure))
		s.span.SetStatus(codes.Error, failure)
		if s.failures != nil {
			s.failures.Add(s.ctx, 1, metric.WithAttributes(s.kept...))
		}
	}
	s.duration.Record(s.ctx, time.Since(s.begun).Seconds(), metric.WithAttributes(s.kept...))
	s.span.End()
}

// Plan begins the span of a planner's work on a turn. The context carries it. The returned
// function ends it, with what the plan took; failed is set where there is none.
func (r *Recorder) Plan(ctx context.Context, model string) (context.Context, func(failed bool, input, output int)) {
	if r == nil {
		return ctx, func(bool, int, int) {}
	}
	begun := time.Now()
	ctx, span := r.tracer.Start(ctx, "remit.plan", trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(modelKey.String(clip(model))))

	return ctx, func(failed bool, input, output int) {
		outcome := "planned"
		if failed {
			outcome = "failed"
			span.SetStatus(codes.Error, "")
		}
		span.SetAttributes(outcomeKey.String(outcome))
		span.End()
		about := metric.WithAttributes(outcomeKey.String(outcome))
		r.plans.Add(ctx, 1, about)
		r.planned.Record(ctx, time.Since(begun).Seconds(), about)
		r.tokens.Add(ctx, int64(input), metric.WithAttributes(tokensKey.String("input")))
		r.tokens.Add(ctx, int64(output), metric.WithAttributes(tokensKey.String("output")))
	}
}

// Asked counts a question that waits for a person, until settled is called.
func (r *Recorder) Asked(ctx context.Context) (settled func()) { return r.during(ctx, question) }

// Connected counts a conversation, until ended is called.
func (r *Recorder) Connected(ctx context.Context) (ended func()) { return r.during(ctx, session) }

func question(r *Recorder) metric.Int64UpDownCounter { return r.questions }
func session(r *Recorder) metric.Int64UpDownCounter  { return r.sessions }

func (r *Recorder) during(ctx context.Context, of func(*Recorder) metric.Int64UpDownCounter) func() {
	if r == nil {
		return func() {}
	}
	of(r).Add(ctx, 1)
	return func() { of(r).Add(context.WithoutCancel(ctx), -1) }
}

// clip shortens what others wrote, and makes it the UTF-8 that exporters ask for.
func clip(s string) string { return strings.ToValidUTF8(s[:min(len(s), maxText)], "\uFFFD") }
