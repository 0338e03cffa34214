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
	"github.com/remit-project/remit/scope"
	"github.com/remit-project/remit/store"
)

// problem says why a request failed (RFC 9457).
type problem struct {
	kind   kind
	detail string
	// header holds response headers that only this problem has.
	header map[string]string
}

const problemType = "urn:remit:problem:"

// kind is a problem type; its name is the end of the type's URN.
type kind struct {
	name   string
	status int
	title  string
}

// The problem types, as the description lists them.
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

func (k kind) errorf(format string, args ...any) *problem {
	return &problem{kind: k, detail: fmt.Sprintf(format, args...)}
}

// setHeader adds a header to the response.
func (p *problem) setHeader(name, value string) *problem {
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

// decodeProblem returns the problem of a stored reply.
func decodeProblem(text kept) error {
	var p struct {
		Type, Title, Detail string
		Status              int
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return fmt.Errorf("a kept reply: %w", err)
	}
	return &problem{kind: kind{strings.TrimPrefix(p.Type, problemType), p.Status, p.Title}, detail: p.Detail}
}

// problemOf returns the problem for an error. An unknown error, which the caller
// can't mend, gives away nothing: its text goes to the log.
func problemOf(err error) (p *problem, known bool) {
	switch {
	case errors.As(err, &p):
		return p, true
	case errors.Is(err, store.ErrInvalid), errors.Is(err, scope.ErrInvalid):
		return invalidRequest.errorf("%s", clip(err.Error())), true
	case errors.Is(err, remit.ErrUnknownCall):
		return notFound.errorf("the session has no call with this id: check the id of the call"), true
	case errors.Is(err, store.ErrNotFound):
		return notFound.errorf("check the id"), true
	case errors.Is(err, remit.ErrNotAwaited):
		return conflict.errorf("%s: what the model sees of it is attached, with the type attach", clip(err.Error())), true
	case errors.Is(err, remit.ErrNoTurn), errors.Is(err, remit.ErrLongTurn), errors.Is(err, remit.ErrTurnPassed),
		errors.Is(err, remit.ErrNotDelegated), errors.Is(err, remit.ErrSourceChanged), errors.Is(err, remit.ErrPlanChanged):
		return conflict.errorf("%s", err), true
	case errors.Is(err, store.ErrPruned):
		return gone.errorf("begin a session under another id"), true
	case errors.Is(err, store.ErrExists):
		return sessionExists.errorf("leave the id out to get a new one"), true
	case errors.Is(err, store.ErrEnded):
		return sessionEnded.errorf("begin another one"), true
	case errors.Is(err, store.ErrSettled):
		return conflict.errorf("%s", clip(err.Error())), true
	case errors.Is(err, store.ErrTooMany):
		return tooMany.errorf("wait until questions of this session are answered").setHeader("Retry-After", "30"), true
	case errors.Is(err, ledger.ErrContended):
		return unavailable.errorf("others keep writing to the session: try again").setHeader("Retry-After", "1"), true
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return unavailable.errorf("it took too long: it may or may not have been carried out"), false
	}

	return unavailable.errorf("it may or may not have been carried out; the server's log says why"), false
}

// changedNothing reports whether a problem means that nothing was done, so that
// the same request may be sent again under its key.
func changedNothing(err error) bool {
	return errors.Is(err, store.ErrTooMany) || errors.Is(err, ledger.ErrContended)
}
