package llm

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/remit-project/remit/internal/display"
)

// ErrBudget is returned, before a call is made, when the budget is used up.
var ErrBudget = errors.New("the budget for models is used up")

// RefusedError says that a model, or its provider's filter, refused to answer twice.
type RefusedError struct {
	// Reason is what the model said about it, if anything.
	Reason string
}

// Error implements the error interface.
func (e *RefusedError) Error() string {
	if e.Reason == "" {
		return "the model refused to answer: use another model for this stage, or look at what the prompt says"
	}
	return "the model refused to answer: " + e.Reason + ": use another model for this stage, or look at what the prompt says"
}

// TruncatedError says that an answer was cut off for its length, again and again.
type TruncatedError struct {
	// MaxTokens bounded the second answer; 0 is the endpoint's own bound.
	MaxTokens int
}

// Error implements the error interface.
func (e *TruncatedError) Error() string {
	if e.MaxTokens == 0 {
		return "the answer was cut off for its length again and again: raise the bound where the model is served"
	}
	return fmt.Sprintf("the answer was cut off for its length, the last time at %d tokens: raise the endpoint's bound", e.MaxTokens)
}

// InvalidError says that no answer met the schema and the check of the prompt,
// though the model was told each time what is wrong.
type InvalidError struct {
	// Mistakes are those of the last answer.
	Mistakes []string
}

// Error implements the error interface.
func (e *InvalidError) Error() string {
	return "no answer of the model was valid: use a more capable model for this stage; the last had: " + clip(strings.Join(e.Mistakes, "; "), 4*longestMessage)
}

// StatusError says that an endpoint returned something other than an answer.
type StatusError struct {
	// Status is that of HTTP.
	Status int
	// Message is the endpoint's own, cut to a line.
	Message string

	// code is the endpoint's word for the error, if it has one.
	code string
	// page is set for a web page, which no API answers with.
	page bool
}

// Error implements the error interface.
func (e *StatusError) Error() string {
	s := fmt.Sprintf("the endpoint answered %d", e.Status)
	if e.Message != "" {
		s += ": " + e.Message
	}

	switch {
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden:
		return s + ": set a key that may use the model"
	case e.Status == http.StatusNotFound:
		return s + ": look at the base URL and the name of the model"
	case e.page && e.Status == http.StatusOK:
		return s + ": a web page is no answer of an API, look at the base URL"
	case e.Status >= 300 && e.Status < 400:
		return s + ": requests are not redirected, set the base URL to where it leads"
	case e.Status == http.StatusTooManyRequests:
		return s + ": ask for less at once, or raise the account's limit"
	case e.again():
		return s + ": try again later, what is recorded is not asked again"
	}
	return s + ": look at the endpoint's settings"
}

// again reports whether the same request may be answered a little later.
func (e *StatusError) again() bool {
	switch e.Status {
	case http.StatusRequestTimeout, http.StatusConflict:
		return true
	case http.StatusTooManyRequests:
		return e.code != "insufficient_quota" // that is OpenAI's for an empty account
	case http.StatusOK:
		return true // and a body that is not an answer, as half-broken proxies send
	}
	return e.Status >= 500
}

// about reports whether the endpoint refuses a request for something with one of these
// names, in lower case. Servers word that in their own ways.
func (e *StatusError) about(names ...string) bool {
	if e.Status != http.StatusBadRequest && e.Status != http.StatusUnprocessableEntity {
		return false
	}
	message := strings.ToLower(e.Message)
	for _, n := range names {
		if strings.Contains(message, n) {
			return true
		}
	}
	return false
}

// clip makes text of others one line of bounded length.
func clip(s string, longest int) string { return display.Clip(display.OneLine(s), longest) }
