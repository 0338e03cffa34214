package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

const (
	// contentType is the type of requests and answers.
	contentType = "application/x-protobuf"
	// maxAnswer bounds what is read of an answer, in bytes: it has a sentence at most.
	maxAnswer = 64 << 10
	// maxShown bounds what an error repeats of it: it may be a page.
	maxShown = 300
	// A request that the receiver couldn't take is repeated: first after firstWait, then each
	// time after twice as long up to maxWait, until patience is at an end.
	firstWait = 5 * time.Second
	maxWait   = 30 * time.Second
	patience  = time.Minute
)

// sender sends requests to one endpoint.
type sender struct {
	to     string
	name   string // of the endpoint, without what may be a credential
	header http.Header
	hide   *strings.Replacer // the values of the header
	zip    bool
	client *http.Client
	// wait waits between two attempts, or until the context ends.
	wait func(context.Context, time.Duration) error
}

func newSender(to *url.URL, header http.Header, limit time.Duration, secure *tls.Config, zip bool) *sender {
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: secure, ForceAttemptHTTP2: true,
		MaxIdleConns: 2, IdleConnTimeout: 90 * time.Second,
	}
	var hidden []string
	for _, values := range header {
		for _, v := range values {
			if v != "" {
				hidden = append(hidden, v, "***")
			}
		}
	}
	return &sender{
		to: to.String(), name: to.Scheme + "://" + to.Host + to.EscapedPath(), header: header, hide: strings.NewReplacer(hidden...), zip: zip, wait: wait,
		// The header has credentials, which another place must not get.
		client: &http.Client{Transport: transport, Timeout: limit, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
}

func (s *sender) close() { s.client.CloseIdleConnections() }

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// busy is the error of a receiver that may take the request later, after a time that it may
// have named.
type busy struct {
	error
	after time.Duration
}

// send sends a request, and repeats it while the receiver is busy.
func (s *sender) send(ctx context.Context, request message) error {
	body, err := s.pack(request)
	if err != nil {
		return err
	}

	pause, waited := firstWait, time.Duration(0)
	for {
		err := s.post(ctx, body)
		var later busy
		if !errors.As(err, &later) {
			return err
		}
		// Processes that were turned away together don't come back together.
		next := max(later.after, pause/2+rand.N(pause/2))
		// The process may be ending: it waits for an answer, and not for half of its time before.
		deadline, bound := ctx.Deadline()
		late := bound && time.Until(deadline) < 2*next
		if waited += next; waited > patience || late {
			return err
		}
		if stop := s.wait(ctx, next); stop != nil {
			return errors.Join(stop, err)
		}
		pause = min(2*pause, maxWait)
	}
}

// pack compresses a request if the environment asks for it.
func (s *sender) pack(request message) ([]byte, error) {
	if !s.zip {
		return request, nil
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(request); err != nil {
		return nil, err
	}
	err := z.Close()
	return b.Bytes(), err
}

func (s *sender) post(ctx context.Context, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.to, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header = s.header.Clone()
	r.Header.Set("Content-Type", contentType)
	if s.zip {
		r.Header.Set("Content-Encoding", "gzip")
	}

	resp, err := s.client.Do(r)
	if err != nil {
		var addressed *url.Error
		if errors.As(err, &addressed) {
			err = addressed.Err // without the address
		}
		err = fmt.Errorf("send to %s: %w", s.name, err)
		var untrusted *tls.CertificateVerificationError
		if ctx.Err() != nil || errors.As(err, &untrusted) {
			return err
		}
		return busy{error: err} // nobody is there, as while a receiver starts again
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("read the answer of %s: %w", s.name, err)
	}

	switch resp.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		switch kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind {
		case contentType:
			return partial(answer)
		case "text/html":
			return s.refused(resp, answer) // a page, of something else than a receiver
		}
		return nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return busy{s.refused(resp, answer), retryAfter(resp.Header)}
	}
	return s.refused(resp, answer)
}

// refused returns the error of an answer that is none of success.
func (s *sender) refused(resp *http.Response, answer []byte) error {
	said := s.hide.Replace(strings.TrimSpace(string(answer)))
	return fmt.Errorf("%s answered %s: %q", s.name, resp.Status, shown(said))
}

// shown returns what an error repeats of a text.
func shown(text string) string {
	if len(text) > maxShown {
		text = text[:maxShown] + "…"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// retryAfter returns the time that an answer asks to be left alone for, in seconds or until a
// date there.
func retryAfter(h http.Header) time.Duration {
	if until, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		return max(time.Until(until), 0)
	}
	n, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || n < 0 {
		return 0
	}
	return time.Duration(min(n, int(patience/time.Second)+1)) * time.Second
}

// partial reads an answer of success, which may say that some of the request was not taken:
// in its first field, a message with a count and a sentence.
func partial(answer []byte) error {
	var count uint64
	var sentence []byte
	each(answer, func(field protowire.Number, _ uint64, inner []byte) {
		if field == 1 {
			each(inner, func(field protowire.Number, n uint64, text []byte) {
				switch field {
				case 1:
					count = n
				case 2:
					sentence = text
				}
			})
		}
	})
	if count == 0 && len(sentence) == 0 {
		return nil
	}
	return fmt.Errorf("the receiver left out %d: %q", count, shown(string(sentence)))
}

// each visits the fields of a message until its end, or where it is none.
func each(m []byte, visit func(field protowire.Number, number uint64, value []byte)) {
	for len(m) > 0 {
		field, kind, size := protowire.ConsumeTag(m)
		if size < 0 {
			return
		}
		m = m[size:]
		if size = protowire.ConsumeFieldValue(field, kind, m); size < 0 {
			return
		}

		number, _ := protowire.ConsumeVarint(m)
		var value []byte
		if kind == protowire.BytesType {
			value, _ = protowire.ConsumeBytes(m)
		}
		visit(field, number, value)
		m = m[size:]
	}
}
