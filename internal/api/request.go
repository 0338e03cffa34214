package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/protocol"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/store"
)

// request is an authenticated request that has the shape of the description.
type request struct {
	*http.Request
	who  *access.Principal // nil where no credentials are needed
	body []byte
	// settles holds the options for the write that carries the request out, and
	// form formats a decision.
	settles *store.Settlement
	form    func(*remit.Decision) any
	// made is the reply to a request whose write says nothing of it; nil for others.
	made *reply
	// unseen is true when the caller may not report everything that the model
	// sees, unless the session was created otherwise.
	unseen bool
}

// decisionForm returns a decision in the API's own form.
func decisionForm(d *remit.Decision) any { return protocol.NewAnswer(d) }

// reply is the answer to a request.
type reply struct {
	status   int
	location string
	body     any // nil for none
}

// handler runs an operation and returns one answer, or writes a stream itself. A
// stream returns an error only before its first write.
type handler struct {
	answer func(ctx context.Context, r *request) (reply, error)
	stream func(w http.ResponseWriter, r *request) error
	// waits is true when an answer may wait for a person.
	waits bool
}

// route wraps a handler with what the description demands of its operation.
func (s *Server) route(op operation, h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, err := s.authenticate(op, r)
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		if err := s.rated(who); err != nil {
			s.refuse(w, r, err)
			return
		}
		if err := op.checkParameters(r); err != nil {
			s.refuse(w, r, invalidRequest.errorf("%s", plain(err)))
			return
		}

		in := &request{Request: r, who: who, form: decisionForm}
		if h.stream != nil {
			if err := h.stream(w, in); err != nil {
				s.refuse(w, r, err)
			}
			return
		}
		leave, err := s.enter(h, who)
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		defer leave()

		if op.body != nil {
			if in.body, err = read(w, r, op.body); err != nil {
				s.refuse(w, r, err)
				return
			}
		}
		ctx, cancel := context.WithTimeout(operationContext(r), requestTime)
		defer cancel()

		out, err := s.once(ctx, op, in, h.answer)
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		send(w, r, out)
	})
}

// rated counts a request of a principal, or fails if there are too many in a minute.
func (s *Server) rated(who *access.Principal) error {
	if who == nil {
		return nil
	}
	wait := s.o.Rates.Take(who.Name, time.Now())
	if wait == 0 {
		return nil
	}
	seconds := strconv.Itoa(access.Seconds(wait))
	return tooMany.errorf("%s may send %d requests a minute", clip(who.Name), s.o.Rates.PerMinute()).setHeader("Retry-After", seconds)
}

// enter counts a request, or fails if the server is full.
func (s *Server) enter(h handler, who *access.Principal) (leave func(), err error) {
	if h.waits {
		leave, ok := s.streams.Enter(who.Name)
		if !ok {
			return nil, errStreams
		}
		return leave, nil
	}
	select {
	case s.busy <- struct{}{}:
		return func() { <-s.busy }, nil
	default:
		return nil, unavailable.errorf("too many requests are being carried out").setHeader("Retry-After", "1")
	}
}

// operationContext returns the context of a request's work. A change runs to its
// end even if the caller disconnects: the stored answer awaits a retry.
func operationContext(r *http.Request) context.Context {
	if r.Method != http.MethodPost {
		return r.Context()
	}
	return context.WithoutCancel(r.Context())
}

// authenticate returns the caller's principal, or fails if it may not call the
// operation.
func (s *Server) authenticate(op operation, r *http.Request) (*access.Principal, error) {
	if op.open {
		return nil, nil
	}

	const challenge = `Bearer realm="remit"`
	shown := r.Header.Values("Authorization")
	if len(shown) != 1 {
		return nil, unauthorized.errorf("send one as Authorization: Bearer TOKEN; remit token new makes one").setHeader("WWW-Authenticate", challenge)
	}

	scheme, token, _ := strings.Cut(shown[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return nil, unauthorized.errorf("send one as Authorization: Bearer TOKEN; remit token new makes one").setHeader("WWW-Authenticate", challenge)
	}

	who, err := s.o.Principal(strings.TrimSpace(token))
	switch {
	case errors.Is(err, access.ErrUnknownToken):
		return nil, unauthorized.errorf("%s", err).setHeader("WWW-Authenticate", challenge+`, error="invalid_token"`)
	case err != nil:
		return nil, err
	}

	for _, scope := range op.scopes {
		if !who.May(scope) {
			return nil, forbidden.errorf("the token lacks the scope %s: make one that has it with remit token new --scope %s", scope, scope).setHeader("WWW-Authenticate", challenge+`, error="insufficient_scope", scope="`+string(scope)+`"`)
		}
	}
	return who, nil
}

// read reads and validates a body.
func read(w http.ResponseWriter, r *http.Request, shape *shape) ([]byte, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, unsupportedType.errorf("send application/json")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
			return nil, requestTooLarge.errorf("at most %d bytes are accepted", maxBody)
		}
		return nil, invalidRequest.errorf("the body could not be read")
	}
	if err := checkBody(body, shape); err != nil {
		return nil, invalidRequest.errorf("%s; %s describes the request", plain(err), descriptionPath)
	}
	return body, nil
}

// checkBody validates a body. It parses strictly first: two readers may resolve a
// duplicate name differently.
func checkBody(body []byte, shape *shape) error {
	limits := strictjson.OutputLimits()
	limits.Size, limits.Depth = maxBody, limits.Depth+4
	if _, err := strictjson.Parse(body, limits); err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return err
	}
	return shape.check(value)
}

// decode decodes a validated body.
func decode(r *request, to any) error {
	if err := json.Unmarshal(r.body, to); err != nil {
		return invalidRequest.errorf("%s", plain(err))
	}
	return nil
}

// send writes a reply.
func send(w http.ResponseWriter, r *http.Request, out reply) {
	header := w.Header()
	if id := r.Header.Get("X-Request-ID"); id != "" {
		header.Set("X-Request-ID", id)
	}
	if out.location != "" {
		header.Set("Location", out.location)
	}
	if out.body == nil {
		w.WriteHeader(out.status)
		return
	}

	data, ok := out.body.(kept)
	if !ok {
		var err error
		if data, err = encode(out.body); err != nil {
			// Replies are plain data, so this is a bug.
			out.status, data = http.StatusServiceUnavailable, kept(`{"type":"urn:remit:problem:unavailable","title":"The answer can't be written","status":503}`)
		}
	}
	header.Set("Content-Type", "application/json")
	if out.status >= http.StatusBadRequest {
		header.Set("Content-Type", "application/problem+json")
	}
	header.Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(out.status)
	_, _ = w.Write(data) // the caller has gone, then
}

// encode writes JSON without HTML escapes, so that canonical arguments stay as
// they are.
func encode(v any) (kept, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// refuse writes a problem.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	p, known := problemOf(err)
	switch {
	case known:
	case r.Context().Err() != nil:
		s.o.Log.Debug("a caller has gone", "method", r.Method, "path", r.URL.Path, "error", err)
	default:
		s.o.Log.Error("a request could not be carried out", "method", r.Method, "path", r.URL.Path, "error", err)
	}
	w.Header().Set("Link", "<"+descriptionPath+`>; rel="service-desc"`) // RFC 8631
	for name, value := range p.header {
		w.Header().Set(name, value)
	}
	send(w, r, reply{status: p.kind.status, body: p})
}
