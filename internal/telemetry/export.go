package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/remit-project/remit/internal/telemetry/otlp"
)

// flushTime bounds how long the end of the process waits for the last export.
const flushTime = 5 * time.Second

// Options say what is recorded.
type Options struct {
	// Door is where calls are decided: gateway, proxy, api or hooks.
	Door string
	// Page makes a page of metrics; see [Recorder.Page].
	Page    bool
	Version string
	Log     *slog.Logger
}

// Start returns a recorder that exports by OTLP over HTTP, as the standard
// variables OTEL_* of the environment say, and what ends it after a last export.
// The recorder is nil when they name no endpoint and there is no page. An error says which
// variable is wrong.
//
// What goes wrong while exporting is logged, and harms nothing else.
// OpenTelemetry has one place for that in a process, which Start sets.
func Start(ctx context.Context, o Options) (*Recorder, func() error, error) {
	traces, terr := exports("TRACES")
	metrics, merr := exports("METRICS")
	if err := errors.Join(terr, merr); err != nil {
		return nil, nil, err
	}
	if !traces && !metrics && !o.Page {
		return nil, func() error { return nil }, nil
	}

	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { o.Log.Warn("telemetry could not be exported", "error", err) }))
	about, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", "remit"), attribute.String("service.version", o.Version)), resource.WithFromEnv())
	if err != nil {
		return nil, nil, fmt.Errorf("the environment says who we are in OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}

	var tracers trace.TracerProvider = tracenoop.NewTracerProvider()
	var meters metric.MeterProvider = metricnoop.NewMeterProvider()
	readers := []sdkmetric.Option{sdkmetric.WithResource(about)}
	var page *sdkmetric.ManualReader
	if o.Page {
		page = sdkmetric.NewManualReader()
		readers = append(readers, sdkmetric.WithReader(page))
	}
	var ends []func(context.Context) error
	if traces {
		e, err := otlp.NewSpans(os.Getenv)
		if err != nil {
			return nil, nil, err
		}
		p := sdktrace.NewTracerProvider(sdktrace.WithBatcher(e), sdktrace.WithResource(about))
		tracers, ends = p, append(ends, p.Shutdown)
	}
	if metrics {
		e, err := otlp.NewMetrics(os.Getenv)
		if err != nil {
			return nil, nil, err
		}
		readers = append(readers, sdkmetric.WithReader(sdkmetric.NewPeriodicReader(e)))
	}
	if metrics || o.Page {
		p := sdkmetric.NewMeterProvider(readers...)
		meters, ends = p, append(ends, p.Shutdown)
	}

	r, err := New(tracers, meters, o.Version)
	if err != nil {
		return nil, nil, err
	}
	r.door, r.page, r.silent = o.Door, page, !traces
	return r, func() error {
		// The context of the process has ended by now.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTime)
		defer cancel()
		var errs []error
		for _, end := range ends {
			errs = append(errs, end(ctx))
		}
		return errors.Join(errs...)
	}, nil
}

// exports reports whether the environment asks for a signal, TRACES or METRICS.
func exports(signal string) (bool, error) {
	variable := func(suffix string) (string, string) {
		for _, name := range []string{"OTEL_EXPORTER_OTLP_" + signal + "_" + suffix, "OTEL_EXPORTER_OTLP_" + suffix} {
			if v := os.Getenv(name); v != "" {
				return name, v
			}
		}
		return "", ""
	}

	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return false, nil
	}

	name := "OTEL_" + signal + "_EXPORTER"
	switch exporter := os.Getenv(name); exporter {
	case "none":
		return false, nil
	case "":
		if _, endpoint := variable("ENDPOINT"); endpoint == "" {
			return false, nil
		}
	case "otlp":
	default:
		return false, fmt.Errorf("%s is %q: write otlp or none", name, exporter)
	}

	if name, protocol := variable("PROTOCOL"); protocol != "" && protocol != "http/protobuf" {
		return false, fmt.Errorf("%s is %q: write http/protobuf, and the endpoint's port for it, commonly 4318", name, protocol)
	}
	return true, nil
}
