package proxy

import (
	"cmp"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
)

// route is a kind of request that the proxy knows.
type route struct {
	methods string
	// end is the end of the path, in lower case; an upstream's API may have any prefix. A star is
	// any one segment without a colon, and *:verb one with this verb after its last colon, where
	// a star is any verb.
	end string
	// dialect decides the answers.
	dialect dialect
	// refused says why requests are refused, and what to do. A route with neither
	// refused nor dialect relays requests unchanged.
	refused string
}

// routes lists all requests that the proxy knows; the first match applies, and a
// request without a match is refused. A route that relays too much would let
// calls pass undecided, so each names one form of request that no model answers.
var routes = []route{
	{methods: "POST", end: "threads/*/messages", refused: "the runs of a thread can't be decided: use chat/completions or responses"},

	{methods: "POST", end: "chat/completions", dialect: chat{}},
	{methods: "POST", end: "responses", dialect: responses{}},
	{methods: "POST", end: "messages", dialect: messages{}},
	{methods: "POST", end: "publishers/anthropic/models/count-tokens:rawpredict"},
	{methods: "POST", end: "publishers/anthropic/models/*:rawpredict", dialect: messages{}},
	{methods: "POST", end: "publishers/anthropic/models/*:streamrawpredict", dialect: messages{}},

	{methods: "POST", end: "models/*:generatecontent", dialect: gemini{}},
	{methods: "POST", end: "models/*:streamgeneratecontent", dialect: gemini{}},
	{methods: "POST", end: "tunedmodels/*:generatecontent", dialect: gemini{}},
	{methods: "POST", end: "tunedmodels/*:streamgeneratecontent", dialect: gemini{}},
	{methods: "POST", end: "endpoints/*:generatecontent", dialect: gemini{}},
	{methods: "POST", end: "endpoints/*:streamgeneratecontent", dialect: gemini{}},

	{methods: "POST", end: "messages/count_tokens"},
	{methods: "POST", end: "responses/input_tokens"},
	{methods: "POST", end: "tokenize"},
	{methods: "POST", end: "detokenize"},
	{methods: "GET HEAD", end: "health"},
	{methods: "GET HEAD", end: "models"},
	{methods: "GET HEAD", end: "models/*"},
	{methods: "GET HEAD", end: "models/*/*"},
	{methods: "POST", end: "embeddings"},
	{methods: "POST", end: "moderations"},
	{methods: "POST", end: "rerank"},

	{methods: "GET HEAD POST", end: "files"},
	{methods: "GET HEAD DELETE", end: "files/*"},
	{methods: "GET HEAD", end: "files/*/content"},
	{methods: "POST", end: "uploads"},
	{methods: "POST", end: "uploads/*/parts"},
	{methods: "POST", end: "uploads/*/complete"},
	{methods: "POST", end: "uploads/*/cancel"},

	{methods: "POST", end: "images/generations"},
	{methods: "POST", end: "images/edits"},
	{methods: "POST", end: "images/variations"},
	{methods: "POST", end: "audio/speech"},
	{methods: "POST", end: "audio/transcriptions"},
	{methods: "POST", end: "audio/translations"},
	{methods: "GET HEAD", end: "audio/voices"},

	{methods: "GET HEAD POST", end: "vector_stores"},
	{methods: "GET HEAD POST DELETE", end: "vector_stores/*"},
	{methods: "POST", end: "vector_stores/*/search"},
	{methods: "GET HEAD POST", end: "vector_stores/*/files"},
	{methods: "GET HEAD POST DELETE", end: "vector_stores/*/files/*"},
	{methods: "GET HEAD", end: "vector_stores/*/files/*/content"},
	{methods: "POST", end: "vector_stores/*/file_batches"},
	{methods: "GET HEAD", end: "vector_stores/*/file_batches/*"},
	{methods: "GET HEAD", end: "vector_stores/*/file_batches/*/files"},
	{methods: "POST", end: "vector_stores/*/file_batches/*/cancel"},

	{methods: "GET HEAD POST", end: "containers"},
	{methods: "GET HEAD DELETE", end: "containers/*"},
	{methods: "GET HEAD POST", end: "containers/*/files"},
	{methods: "GET HEAD DELETE", end: "containers/*/files/*"},
	{methods: "GET HEAD", end: "containers/*/files/*/content"},
	{methods: "GET HEAD POST", end: "skills"},
	{methods: "GET HEAD POST DELETE", end: "skills/*"},
	{methods: "GET HEAD POST", end: "skills/*/versions"},
	{methods: "GET HEAD DELETE", end: "skills/*/versions/*"},
	{methods: "GET HEAD", end: "skills/*/versions/*/content"},

	{methods: "POST", end: "models/*:counttokens"},
	{methods: "POST", end: "models/*:computetokens"},
	{methods: "POST", end: "models/*:embedcontent"},
	{methods: "POST", end: "models/*:batchembedcontents"},
	{methods: "POST", end: "cachedcontents", refused: "the text of cached content is in no request, and calls that follow from it can't be decided: send it with each request"},
	{methods: "POST", end: "interactions", refused: "calls in interactions can't be decided: use generateContent"},
	{methods: "POST", end: "*:*", refused: "calls in answers of this method can't be decided: use generateContent or streamGenerateContent, and for models of others on Vertex the API of OpenAI (endpoints/openapi/chat/completions) or Anthropic's"},
	{methods: "POST", end: "models/*/*/predictions", refused: "calls in predictions can't be decided: use chat/completions, responses or messages"},
	{methods: "GET HEAD POST DELETE", end: "batches", refused: "the answers of a batch are fetched later and can't be decided: ask with one request each"},
	{methods: "GET HEAD", end: "responses/*", refused: "the calls of a response that is fetched again can't be decided: keep the answer to the request that made it"},
	{methods: "GET HEAD POST", end: "realtime", refused: "calls in a realtime session can't be decided: use chat/completions, responses or messages"},
	{methods: "POST", end: "completions", refused: "calls in bare completions can't be decided: use chat/completions, responses or messages"},
}

// answering are path segments under which models answer. If one appears in a path
// that a route relays without naming it, a server may read the path as another
// one.
var answering = []string{"chat", "generate", "predict", "infer", "invoke", "converse", "completions", "complete", "responses", "messages", "threads", "assistants", "conversations", "realtime", "batches", "predictions"}

// overriding are the headers by which some servers replace a request's method or
// path.
var overriding = []string{"X-Http-Method-Override", "X-Http-Method", "X-Method-Override", "X-Original-Url", "X-Rewrite-Url"}

// find returns the route for a method and a path, nil if there is none. Letter
// case and a trailing slash, which some servers ignore, make no difference.
func find(method, name string) *route {
	segments := strings.Split(strings.Trim(strings.ToLower(name), "/"), "/")
	for i := range routes {
		if r := &routes[i]; r.fits(method, segments) {
			return r
		}
	}
	return nil
}

// fits reports whether a request is of this kind.
func (r *route) fits(method string, segments []string) bool {
	end := strings.Split(r.end, "/")
	before := len(segments) - len(end)
	if before < 0 || !slices.Contains(strings.Fields(r.methods), method) {
		return false
	}

	for i, pattern := range end {
		if !segmentFits(pattern, segments[before+i]) {
			return false
		}
	}

	if r.dialect != nil || r.refused != "" {
		return true
	}

	for i, s := range segments {
		named := i >= before && s == end[i-before]
		verb := i < before && strings.Contains(s, ":")
		if !named && (verb || slices.Contains(answering, s)) {
			return false
		}
	}
	return true
}

// segmentFits reports whether a path segment matches a pattern.
func segmentFits(pattern, segment string) bool {
	fits := func(pattern, name string) bool { return name == pattern || (pattern == "*" && name != "") }
	of, verb, ok := strings.Cut(pattern, ":")
	at := strings.LastIndexByte(segment, ':')
	if !ok || at < 0 {
		return !ok && at < 0 && fits(pattern, segment)
	}
	return fits(of, segment[:at]) && fits(verb, segment[at+1:])
}

// plain returns an error unless a request is unambiguous: a path without dots,
// double slashes, escapes and other characters that servers read differently, and
// no other method in a header.
func plain(r *http.Request) error {
	name := r.URL.Path
	cleaned := path.Clean(name) == strings.TrimSuffix(name, "/") || name == "/"
	odd := strings.ContainsFunc(name, func(c rune) bool { return !strings.ContainsRune(plainInPaths, c) })
	// A path that is only read may have an escaped slash in a model's name.
	escaped := r.URL.RawPath != "" && r.Method != http.MethodGet && r.Method != http.MethodHead
	if escaped || !cleaned || odd {
		return fmt.Errorf("the path is not plain: write it without dots, double slashes, escapes and signs other than %s", plainInPaths[len(plainInPaths)-9:])
	}
	for _, h := range overriding {
		if r.Header.Get(h) != "" {
			return fmt.Errorf("the header %s can make another request of this one: leave it out", h)
		}
	}
	return nil
}

// plainInPaths are the path characters that every server reads alike.
const plainInPaths = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-._~:@+="

// route decides, relays or refuses a request.
func (p *Proxy) route(w http.ResponseWriter, r *http.Request) {
	found := find(r.Method, r.URL.Path)
	if found != nil && found.dialect != nil {
		p.serve(w, r, found.dialect)
		return
	}

	if strings.EqualFold(r.Header.Get("Upgrade"), "h2c") {
		for _, name := range []string{"Upgrade", "Connection", "Http2-Settings"} {
			r.Header.Del(name) // the client only asks whether it could; the answer is no
		}
	}

	known := found != nil && found.refused == "" && r.Header.Get("Upgrade") == ""
	if !known && !p.o.Shadow && !p.passes(r.URL.Path) {
		why := "calls could pass undecided there: use chat/completions, responses or messages"
		if found != nil {
			why = cmp.Or(found.refused, "calls could pass undecided in another protocol: leave the header Upgrade out")
		}
		p.o.Log.Warn("refused", "method", r.Method, "path", r.URL.Path)
		answerError(w, chat{}, http.StatusForbidden, fmt.Sprintf("%s %s: %s; --pass %s lets it pass undecided", r.Method, r.URL.Path, why, r.URL.Path))
		return
	}
	p.o.Log.Info("relayed undecided", "method", r.Method, "path", r.URL.Path)
	p.pass(w, r)
}

// passes reports whether a path was declared to go to the upstream undecided.
func (p *Proxy) passes(name string) bool {
	return slices.ContainsFunc(p.o.Pass, func(prefix string) bool {
		return name == prefix || strings.HasPrefix(name, strings.TrimSuffix(prefix, "/")+"/")
	})
}
