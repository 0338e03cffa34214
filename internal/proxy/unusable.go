package proxy

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

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
	case isPage(kind, body):
		e.err = errPage
		e.text = ": it begins with " + excerpt(body)
	case len(body) == 0:
		e.text = ": it is empty"
	case says != "":
		e.text = ": the upstream says: " + excerpt([]byte(says))
	case body[0] != '{' && body[0] != '[': // a call is not shown as what is wrong
		e.text = ": it begins with " + excerpt(body)
	}
	return e
}

// errPage is why a web page is not an answer. Sign-in pages, gateways and other programs on the
// same port answer so.
var errPage = errors.New("the upstream answered with a web page and not with JSON: look whether --upstream is the address of the API, and not of a site, a sign-in page or another program")

// isPage reports whether an answer is a web page.
func isPage(kind string, body []byte) bool {
	begin := strings.ToLower(string(body[:min(len(body), len("<!doctype html"))]))
	if !strings.HasPrefix(begin, "<") {
		return false
	}
	declared := strings.HasPrefix(strings.ToLower(kind), "text/html")
	return declared || strings.HasPrefix(begin, "<!doctype html") || strings.HasPrefix(begin, "<html")
}

// errDoubled is why an upstream doesn't know a path with the version of its API twice.
var errDoubled = errors.New("the upstream doesn't know the path, in which the version of its API stands twice: --upstream ends in it, and so does the base URL of the agent. Leave it out of one of the two")

// doubled reports whether the version of an API is in a path twice: at the end of the upstream's,
// and at the beginning of the request's.
func doubled(upstream, path string) bool {
	version := strings.TrimSuffix(versioned().FindString(upstream), "/")
	return version != "" && strings.HasPrefix(path, version+"/")
}

// Redirecting begins what the proxy says in place of an upstream's redirect.
const Redirecting = "the upstream redirects"

// errRedirect is why a redirect is not passed on: a client that follows it would ask a model
// that nobody stands before, with its key.
type errRedirect struct {
	status int
	// to is where it leads, without what may be secret; empty where that is not said.
	to *url.URL
	// upstream is the address that leads there; empty if none does.
	upstream string
}

// Error implements [error].
func (e *errRedirect) Error() string {
	text := fmt.Sprintf("%s with status %d", Redirecting, e.status)
	if e.to != nil {
		text += " to " + excerpt([]byte(e.to.String()))
	}
	if e.upstream != "" {
		return text + ", past Remit: if that is the API, start remit proxy with --upstream " + excerpt([]byte(e.upstream))
	}
	return text + ", past Remit: start remit proxy with an --upstream that doesn't"
}

// redirect returns why an answer is not passed on, if it leads the client elsewhere.
func (p *Proxy) redirect(resp *http.Response) error {
	if resp.StatusCode < 300 || resp.StatusCode > 399 || resp.StatusCode == http.StatusNotModified {
		return nil
	}
	e := &errRedirect{status: resp.StatusCode}
	to, err := resp.Location()
	if err != nil || resp.Request == nil {
		return e
	}

	to.User, to.RawQuery, to.Fragment = nil, "", ""
	e.to = to
	asked := strings.TrimPrefix(resp.Request.URL.Path, strings.TrimSuffix(p.o.Upstream.Path, "/"))
	if before, ok := strings.CutSuffix(to.Path, asked); ok && webAddress(to) {
		e.upstream = (&url.URL{Scheme: to.Scheme, Host: to.Host, Path: before}).String()
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
