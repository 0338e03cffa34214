package proxy

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"

	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/strictjson"
)

// errAnswer is an answer of the upstream's that can't be used.
type errAnswer struct {
	err error
	// form is what the answer is, without any of its text.
	form string
	// text is what the client is told of it.
	text string
}

// Error implements [error]: what may be logged.
func (e *errAnswer) Error() string { return e.err.Error() + " (" + e.form + ")" }

// Unwrap returns why it can't be used.
func (e *errAnswer) Unwrap() error { return e.err }

// shownBytes is how much of an answer that can't be used is shown: the beginning of
// a page, or of a sentence.
const shownBytes = 120

// unusable describes an answer that can't be used.
func unusable(err error, resp *http.Response, body []byte) error {
	kind := cmp.Or(resp.Header.Get("Content-Type"), "no content type")
	e := &errAnswer{err: err, form: fmt.Sprintf("status %d, %s, %d bytes", resp.StatusCode, display.Line(kind), len(body))}
	says := cmp.Or(strictjson.GetText(body, "error", "message"), strictjson.GetText(body, "error"), strictjson.GetText(body, "message"))
	switch {
	case len(body) == 0:
		e.text = ": it is empty"
	case says != "":
		e.text = ": the upstream says: " + beginning([]byte(says))
	case body[0] != '{' && body[0] != '[': // a call is not shown as what is wrong
		e.text = ": it begins with " + beginning(body)
	}
	return e
}

// beginning is the beginning of a text on one line.
func beginning(text []byte) string {
	if len(text) > shownBytes {
		text = append(bytes.ToValidUTF8(text[:shownBytes:shownBytes], nil), " …"...)
	}
	return display.Line(string(text))
}
