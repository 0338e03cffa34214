package proxy

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"

	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/strictjson"
)

// errAnswer is an upstream answer that can't be used.
type errAnswer struct {
	err error
	// form describes the answer without quoting it.
	form string
	// text is the message for the client.
	text string
}

// Error implements [error]; it is safe to log.
func (e *errAnswer) Error() string { return e.err.Error() + " (" + e.form + ")" }

// Unwrap returns why it can't be used.
func (e *errAnswer) Unwrap() error { return e.err }

// shownBytes bounds how much of an unusable answer is quoted: the beginning of a
// page, or of a sentence.
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
		e.text = ": the upstream says: " + excerpt([]byte(says))
	case body[0] != '{' && body[0] != '[': // a call is not shown as what is wrong
		e.text = ": it begins with " + excerpt(body)
	}
	return e
}

// excerpt returns the beginning of a text on one line.
func excerpt(text []byte) string {
	if len(text) > shownBytes {
		text = append(bytes.ToValidUTF8(text[:shownBytes:shownBytes], nil), " …"...)
	}
	return display.Line(string(text))
}
