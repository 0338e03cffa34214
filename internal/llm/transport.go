package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/remit-project/remit/internal/strictjson"
)

const (
	// maxBody bounds what an endpoint may answer: far more than a model writes.
	maxBody = 16 << 20
	// longestMessage bounds what is passed on of an endpoint's error, in characters.
	longestMessage = 500
	// firstWait is doubled with every try that failed, up to longestWait.
	firstWait   = time.Second / 2
	longestWait = time.Minute
	// longestAsked bounds the wait that an endpoint asks for: quotas by the minute
	// are over then, and those by the day are for the person who waits.
	longestAsked = 5 * time.Minute
)

// link is a connection to one endpoint.
type link struct {
	Endpoint
	dialect dialect
	address string
}

// received is an answer as it came.
type received struct {
	status int
	body   []byte
}

// send posts a request, and sends it again where that may help. It calls retried for
// each failure that is followed by another try.
func (c *Client) send(ctx context.Context, l *link, body []byte, retried func(err error, wait time.Duration)) (received, reply, error) {
	select {
	case c.slots <- struct{}{}:
		// The slot is kept while waiting to try again, so that an overloaded endpoint
		// gets fewer requests at once.
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return received{}, reply{}, context.Cause(ctx)
	}

	for try := 0; ; try++ {
		if err := c.limiter.Wait(ctx); err != nil {
			return received{}, reply{}, err
		}
		got, header, err := c.post(ctx, l, body)
		var r reply
		if err == nil {
			got, r, err = l.understand(got)
		}
		if err == nil {
			return got, r, nil
		}
		if ctx.Err() != nil {
			return received{}, reply{}, context.Cause(ctx)
		}
		var status *StatusError
		isFinal := errors.As(err, &status) && !status.again()
		if isFinal || errors.Is(err, errTooLong) {
			return received{}, reply{}, err
		}
		if try >= c.o.Retries {
			return received{}, reply{}, fmt.Errorf("after %d tries: %w", try+1, err)
		}
		wait := c.wait(try, header)
		retried(err, wait)
		if err := c.sleep(ctx, wait); err != nil {
			return received{}, reply{}, err
		}
	}
}

var errTooLong = fmt.Errorf("the endpoint's answer is longer than %d bytes, which no answer of a model is: look at the base URL", maxBody)

// post sends a request once.
func (c *Client) post(ctx context.Context, l *link, body []byte) (received, http.Header, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.o.Timeout, fmt.Errorf("no answer within %v: allow more time, or use a faster model", c.o.Timeout))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.address, bytes.NewReader(body))
	if err != nil {
		return received{}, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "remit")
	l.dialect.authorise(req.Header, l.Key)

	resp, err := c.http.Do(req)
	if err != nil {
		return received{}, nil, because(ctx, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case err != nil:
		return received{}, resp.Header, fmt.Errorf("the answer broke off: %w", because(ctx, err))
	case len(data) > maxBody:
		return received{}, nil, errTooLong
	}
	return received{resp.StatusCode, l.redact(data)}, resp.Header, nil
}

// because returns why a request failed: the timeout rather than the transport's words
// for it, and without the address, which is known.
func because(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if u := (*url.Error)(nil); errors.As(err, &u) {
		return u.Err
	}
	return err
}

// shortestKey is the length from which keys are secret. Local servers often get words
// like "ollama", which answers may contain.
const shortestKey = 12

// redact removes the key from what an endpoint says, before it is shown or kept.
func (l *link) redact(data []byte) []byte {
	if len(l.Key) < shortestKey {
		return data
	}
	return bytes.ReplaceAll(data, []byte(l.Key), []byte("[key]"))
}

// answers bound what is in an answer, so that its recording is bounded as well:
// a structured answer has hundreds of values.
func answers() strictjson.Limits {
	return strictjson.Limits{Size: maxBody, Depth: 48, Leaves: 20_000}
}

// understand reads an answer, or the error that came instead. It returns the body in
// its strict form.
func (l *link) understand(got received) (received, reply, error) {
	doc, err := strictjson.Parse(strictjson.Repair(got.body), answers())
	if err == nil {
		got.body = l.redact(doc.Canonical()) // which has no escapes that hide the key
	}
	if got.status == http.StatusOK {
		var r reply
		if err == nil {
			r, err = l.dialect.reply(got.body)
		}
		if err == nil {
			return got, r, nil
		}
		page := bytes.HasPrefix(bytes.TrimSpace(got.body), []byte("<"))
		return got, reply{}, &StatusError{Status: got.status, page: page, Message: "but not with an answer of a model (" + clip(err.Error(), longestMessage) + "): " + clip(string(got.body), longestMessage)}
	}

	e := &StatusError{Status: got.status}
	e.Message, e.code = refusal(got.body)
	if err == nil && e.code == "content_filter" { // Azure's way to refuse
		return got, reply{refused: true, refusal: e.Message}, nil
	}
	return got, reply{}, e
}

// refusal reads the message and the code of an error. Both providers have it in
// error, FastAPI, on which servers are built, in detail.
func refusal(body []byte) (text, code string) {
	var e struct {
		Error json.RawMessage `json:"error"`
	}
	var in struct {
		Message string          `json:"message"`
		Code    json.RawMessage `json:"code"`
		Param   json.RawMessage `json:"param"`
	}

	text = string(body)
	if json.Unmarshal(body, &e) == nil && e.Error != nil {
		text = string(e.Error)
		if json.Unmarshal(e.Error, &in) == nil && in.Message != "" {
			text = in.Message
			if p := unquote(in.Param); p != "" && !strings.Contains(text, p) {
				text += " (" + p + ")"
			}
		}
	}
	return clip(text, longestMessage), unquote(in.Code)
}

func unquote(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// wait returns how long to wait before the next try: as long as the endpoint asks for,
// or twice as long as the last time, with a random part so that clients that failed
// together don't return together.
func (c *Client) wait(try int, h http.Header) time.Duration {
	if asked, ok := retryAfter(h, c.now()); ok {
		return min(max(asked, 0), longestAsked)
	}
	d := min(firstWait<<min(try, 16), longestWait)
	return d/2 + rand.N(d/2+1)
}

// retryAfter reads the three forms of the same advice.
func retryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	for _, f := range []struct {
		name string
		unit time.Duration
	}{{"Retry-After-Ms", time.Millisecond}, {"Retry-After", time.Second}} {
		if n, err := strconv.ParseFloat(h.Get(f.name), 64); err == nil && n >= 0 {
			return time.Duration(min(n, 1e6) * float64(f.unit)), true
		}
	}
	if at, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		return at.Sub(now), true
	}
	return 0, false
}

// pause waits for a duration, or until the context ends.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
