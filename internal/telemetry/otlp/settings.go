package otlp

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
)

const (
	// standard is where a collector listens when the environment names no endpoint.
	standard = "http://localhost:4318"
	// requestTime bounds a request where the environment doesn't.
	requestTime = 10 * time.Second
	// maxRequestTime bounds what the environment may ask for.
	maxRequestTime = 10 * time.Minute
)

// Getenv looks up a variable of the environment, as [os.Getenv] does. The variables are
// OpenTelemetry's: OTEL_EXPORTER_OTLP_ENDPOINT, HEADERS, TIMEOUT, COMPRESSION, CERTIFICATE,
// CLIENT_CERTIFICATE and CLIENT_KEY, each also for a signal alone, as
// OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, and for metrics TEMPORALITY_PREFERENCE and
// DEFAULT_HISTOGRAM_AGGREGATION. What can't be read is an error that names the variable.
type Getenv func(name string) string

// setting is a variable's name and its value; neither where no variable is set.
type setting struct{ name, value string }

// wrong returns the error of a value that can't be read.
func (s setting) wrong(hint string) error {
	return fmt.Errorf("%s is %q: write %s", s.name, s.value, hint)
}

// look finds a variable for a signal, or else that for all.
func (env Getenv) look(signal, suffix string) setting {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_" + signal + "_" + suffix, "OTEL_EXPORTER_OTLP_" + suffix} {
		if v := env(name); v != "" {
			return setting{name, v}
		}
	}
	return setting{}
}

// sender returns what sends a signal's requests.
func (env Getenv) sender(signal, path string) (*sender, error) {
	to, err := env.endpoint(signal, path)
	if err != nil {
		return nil, err
	}
	header, err := env.header(signal)
	if err != nil {
		return nil, err
	}
	limit, err := env.timeout(signal)
	if err != nil {
		return nil, err
	}
	secure, err := env.secure(signal)
	if err != nil {
		return nil, err
	}

	zip := env.look(signal, "COMPRESSION")
	if zip.value != "" && zip.value != "gzip" && zip.value != "none" {
		return nil, zip.wrong("gzip or none")
	}
	if to.User != nil {
		password, _ := to.User.Password()
		(&http.Request{Header: header}).SetBasicAuth(to.User.Username(), password)
		to.User = nil
	}
	return newSender(to, header, limit, secure, zip.value == "gzip"), nil
}

// endpoint returns the URL for a signal. That which the environment has for all signals is where
// the signals' paths begin; one for a signal is taken as it is. It isn't in errors: it may have a
// password.
func (env Getenv) endpoint(signal, path string) (*url.URL, error) {
	s := env.look(signal, "ENDPOINT")
	if s.value == "" {
		s.value = standard
	}
	u, err := url.Parse(s.value)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("%s can't be read: write a URL, as http://localhost:4318", s.name)
	}

	if !strings.HasSuffix(s.name, signal+"_ENDPOINT") {
		u = u.JoinPath(path)
	} else if u.Path == "" {
		u.Path = "/"
	}
	return u, nil
}

// header reads name=value,name=value, the values as they stand in URLs. Values are not in
// errors: they are credentials.
func (env Getenv) header(signal string) (http.Header, error) {
	out := http.Header{}
	s := env.look(signal, "HEADERS")
	for part := range strings.SplitSeq(s.value, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		name, value, found := strings.Cut(part, "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !found || err != nil || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, fmt.Errorf("%s can't be read: write name=value,name=value, the values as in URLs", s.name)
		}
		out.Set(name, value)
	}
	return out, nil
}

func (env Getenv) timeout(signal string) (time.Duration, error) {
	s := env.look(signal, "TIMEOUT")
	if s.value == "" {
		return requestTime, nil
	}
	n, err := strconv.Atoi(s.value)
	if err != nil || n < 1 || n > int(maxRequestTime/time.Millisecond) {
		return 0, s.wrong(fmt.Sprintf("milliseconds, from 1 to %d", maxRequestTime/time.Millisecond))
	}
	return time.Duration(n) * time.Millisecond, nil
}

// secure returns the configuration of TLS; nil where the environment says nothing of it.
func (env Getenv) secure(signal string) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	authority := env.look(signal, "CERTIFICATE")
	if authority.value != "" {
		data, err := os.ReadFile(authority.value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", authority.name, err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(data) {
			return nil, authority.wrong("a file with certificates in PEM")
		}
	}

	own, key := env.look(signal, "CLIENT_CERTIFICATE"), env.look(signal, "CLIENT_KEY")
	if own.value != "" || key.value != "" {
		pair, err := tls.LoadX509KeyPair(own.value, key.value)
		if err != nil {
			return nil, fmt.Errorf("the certificate and the key of OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and _CLIENT_KEY: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	if config.RootCAs == nil && config.Certificates == nil {
		return nil, nil
	}
	return config, nil
}

func (env Getenv) temporality() (sdkmetric.TemporalitySelector, error) {
	s := env.look("METRICS", "TEMPORALITY_PREFERENCE")
	switch strings.ToLower(s.value) {
	case "", "cumulative":
		return sdkmetric.CumulativeTemporalitySelector, nil
	case "delta":
		return sdkmetric.DeltaTemporalitySelector, nil
	case "lowmemory":
		return sdkmetric.LowMemoryTemporalitySelector, nil
	}
	return nil, s.wrong("cumulative, delta or lowmemory")
}

func (env Getenv) aggregation() (sdkmetric.AggregationSelector, error) {
	s := env.look("METRICS", "DEFAULT_HISTOGRAM_AGGREGATION")
	switch strings.ToLower(s.value) {
	case "", "explicit_bucket_histogram":
		return sdkmetric.DefaultAggregationSelector, nil
	case "base2_exponential_bucket_histogram":
		return exponential, nil
	}
	return nil, s.wrong("explicit_bucket_histogram or base2_exponential_bucket_histogram")
}

// exponential makes histograms exponential, with the sizes that the specification names.
func exponential(k sdkmetric.InstrumentKind) sdkmetric.Aggregation {
	if k == sdkmetric.InstrumentKindHistogram {
		return sdkmetric.AggregationBase2ExponentialHistogram{MaxSize: 160, MaxScale: 20}
	}
	return sdkmetric.DefaultAggregationSelector(k)
}
