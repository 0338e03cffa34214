package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/store"
)

// problem is why a request was not carried out (RFC 9457).
type problem struct {
	kind   kind
	detail string
	// header are fields of the answer beside those of every problem.
	header map[string]string
}

const problemType = "urn:remit:problem:"

// kind is a type of problem: its name is the end of the type's URN.
type kind struct {
	name   string
	status int
	title  string
}

// The types of problems, as the description lists them.
var (
	invalidRequest   = kind{"invalid-request", http.StatusBadRequest, "The request is not understood"}
	unauthorized     = kind{"unauthorized", http.StatusUnauthorized, "A bearer token is needed"}
	forbidden        = kind{"forbidden", http.StatusForbidden, "The caller may not do that"}
	notFound         = kind{"not-found", http.StatusNotFound, "There is no such thing"}
	methodNotAllowed = kind{"method-not-allowed", http.StatusMethodNotAllowed, "The method is not supported here"}
	conflict         = kind{"conflict", http.StatusConflict, "It is not open to that any more"}
	gone             = kind{"gone", http.StatusGone, "The session was removed by retention"}
	requestTooLarge  = kind{"request-too-large", http.StatusRequestEntityTooLarge, "The request is too large"}
	unsupportedType  = kind{"unsupported-media-type", http.StatusUnsupportedMediaType, "The request has another type"}
	keyReused        = kind{"key-reused", http.StatusConflict, "The idempotency key was used for another request"}
	sessionExists    = kind{"session-exists", http.StatusConflict, "The session's id is taken"}
	sessionEnded     = kind{"session-ended", http.StatusConflict, "The session has ended"}
	tooMany          = kind{"too-many", http.StatusTooManyRequests, "There are too many already"}
	unavailable      = kind{"unavailable", http.StatusServiceUnavailable, "The request can't be carried out now"}
)

func (k kind) of(format string, args ...any) *problem {
	return &problem{kind: k, detail: fmt.Sprintf(format, args...)}
}

// with adds a field to the answer.
func (p *problem) with(name, value string) *problem {
	if p.header == nil {
		p.header = map[string]string{}
	}
	p.header[name] = value
	return p
}

// Error implements error.
func (p *problem) Error() string { return p.kind.title + ": " + p.detail }

// MarshalJSON implements [json.Marshaler].
func (p *problem) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Type   string `json:"type"`
		Title  string `json:"title"`
		Status int    `json:"status"`
		Detail string `json:"detail,omitempty"`
	}{problemType + p.kind.name, p.kind.title, p.kind.status, p.detail})
}

// keptProblem is the problem that a request was answered with before.
func keptProblem(text kept) error {
	var p struct {
		Type, Title, Detail string
		Status              int
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return fmt.Errorf("a kept reply: %w", err)
	}
	return &problem{kind: kind{strings.TrimPrefix(p.Type, problemType), p.Status, p.Title}, detail: p.Detail}
}

// problemOf says what an error is to the caller. One that the caller can do
// nothing about tells it nothing, and is for the log.
func problemOf(err error) (p *problem, known bool) {
	switch {
	case errors.As(err, &p):
		return p, true
	case errors.Is(err, store.ErrInvalid):
		return invalidRequest.of("%s", clip(err.Error())), true
	case errors.Is(err, store.ErrNotFound), errors.Is(err, remit.ErrUnknownCall):
		return notFound.of("check the id"), true
	case errors.Is(err, remit.ErrNotAwaited):
		return conflict.of("%s: what the model sees of it is attached, with the type attach", clip(err.Error())), true
	case errors.Is(err, store.ErrPruned):
		return gone.of("begin a session under another id"), true
	case errors.Is(err, store.ErrExists):
		return sessionExists.of("leave the id out to get a new one"), true
	case errors.Is(err, store.ErrEnded):
		return sessionEnded.of("begin another one"), true
	case errors.Is(err, store.ErrSettled):
		return conflict.of("%s", clip(err.Error())), true
	case errors.Is(err, store.ErrTooMany):
		return tooMany.of("wait until questions of this session are answered").with("Retry-After", "30"), true
	case errors.Is(err, ledger.ErrContended):
		return unavailable.of("others keep writing to the session: try again").with("Retry-After", "1"), true
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return unavailable.of("it took too long: it may or may not have been carried out"), false
	}

	return unavailable.of("it may or may not have been carried out; the server's log says why"), false
}

// untouched reports whether a problem means that certainly nothing was done, so
// that the same request may be sent again under its key.
func untouched(err error) bool {
	return errors.Is(err, store.ErrTooMany) || errors.Is(err, ledger.ErrContended)
}
