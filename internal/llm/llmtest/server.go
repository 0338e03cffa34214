// Package llmtest is a server for tests of what asks models: it speaks both dialects
// of package llm over real HTTP, is as strict about requests as the providers are,
// and fails in the ways that they do.
package llmtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/remit-project/remit/internal/llm"
)

const (
	// Key is the one that the server accepts.
	Key = "sk-llmtest-0123456789abcdef"
	// NoModel is the name of a model that it doesn't have.
	NoModel = "no-such-model"
	// MostTokens is the longest bound of an answer that its models take.
	MostTokens = 64_000
)

// Asked is a request, in no dialect.
type Asked struct {
	Provider llm.Provider
	Model    string
	System   string
	Messages []llm.Message
	// Schema is what the endpoint was told to hold the answer to. It is empty where the schema is
	// in the system text only.
	Schema llm.Schema
	// MaxTokens is 0 where the request doesn't bound the answer.
	MaxTokens int
	// Body is the request as it came.
	Body json.RawMessage
}

// Reply is what to answer.
type Reply struct {
	// JSON is the answer as a value that encoding/json writes. Where the request asks
	// for a tool's input it comes as that. It goes before Text.
	JSON any
	Text string
	// Usage is what the answer is said to take; made up from the lengths if zero.
	Usage llm.Usage
	// Fault spoils the answer.
	Fault Fault
}

// Fault is a way to fail.
type Fault string

// What goes wrong at providers, and in models.
const (
	// Malformed is text that is nearly JSON.
	Malformed Fault = "malformed"
	// WrongSchema is JSON with a member that no schema has, and no other.
	WrongSchema Fault = "wrong schema"
	// Truncated is half of the answer.
	Truncated Fault = "truncated"
	// Refused is a model that doesn't want to, Filtered an answer that the provider
	// holds back (OpenAI only; a refusal for Anthropic).
	Refused  Fault = "refused"
	Filtered Fault = "filtered"
	// Slow never answers: the request ends when the client gives up.
	Slow Fault = "slow"
	// RateLimited is 429 with Retry-After, Overloaded 529 and Broken 500, both with
	// nothing but the status.
	RateLimited Fault = "rate limited"
	Overloaded  Fault = "overloaded"
	Broken      Fault = "broken"
	// Cut ends the connection in the middle of the answer.
	Cut Fault = "cut"
	// Unreadable is a page with status 200, as a proxy in between shows it.
	Unreadable Fault = "unreadable"
	// NoSchema, NoObject and NoMaxCompletionTokens are the refusals of endpoints that
	// don't know a parameter: json_schema or a forced tool, any response_format, and
	// the new name of the bound. They only fail requests that have it.
	NoSchema              Fault = "no schema"
	NoObject              Fault = "no object"
	NoMaxCompletionTokens Fault = "no max_completion_tokens"
	// NoUsage is an answer that doesn't say what it took.
	NoUsage Fault = "no usage"
)

// Server is an endpoint. Its methods are safe for concurrent use.
type Server struct {
	answer func(Asked) Reply
	http   *httptest.Server

	mu     sync.Mutex
	script []Fault
	asked  []Asked
	most   int
	now    int
}

// New starts a server that asks a function for its answers, and ends with the test.
// The function is called from many goroutines at once.
func New(t testing.TB, answer func(Asked) Reply) *Server {
	s := &Server{answer: answer}
	mux := http.NewServeMux()
	mux.Handle("POST /v1/chat/completions", s.handler(chat{}))
	mux.Handle("POST /v1/messages", s.handler(messages{}))
	s.http = httptest.NewServer(mux)
	t.Cleanup(s.http.Close)
	return s
}

// Fail spoils the next answers, one fault each. An empty one is none.
func (s *Server) Fail(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, faults...)
}

// Asked returns the valid requests so far, in the order they came.
func (s *Server) Asked() []Asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Asked(nil), s.asked...)
}

// Parallel returns how many requests there were at once at most.
func (s *Server) Parallel() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}

// URL returns where the server is, without /v1.
func (s *Server) URL() string { return s.http.URL }

// Endpoint returns the server as an endpoint of a client.
func (s *Server) Endpoint(p llm.Provider) llm.Endpoint {
	return llm.Endpoint{Provider: p, BaseURL: s.http.URL + "/v1", Key: Key, Model: "model-of-" + string(p)}
}

// dialect is the server's side of an API.
type dialect interface {
	provider() llm.Provider
	// key is the one that came, and read the request; its error goes to the client.
	key(h http.Header) string
	read(body []byte, h http.Header) (Asked, error)
	// failure is the body of an error.
	failure(kind, message string) any
	reply(a Asked, r Reply) any
}

func (s *Server) handler(d dialect) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		const longest = 16 << 20
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, longest))
		if err != nil {
			return
		}
		if d.key(r.Header) != Key {
			respond(w, http.StatusUnauthorized, d.failure("authentication_error", "Incorrect API key provided: "+d.key(r.Header)))
			return
		}
		a, err := d.read(body, r.Header)
		if err == nil && a.MaxTokens > MostTokens {
			err = fmt.Errorf("max_tokens: %d > %d, which is the maximum allowed number of output tokens for %s", a.MaxTokens, MostTokens, a.Model)
		}
		if err == nil && !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
			err = fmt.Errorf("the content type is not application/json")
		}
		if err != nil {
			respond(w, http.StatusBadRequest, d.failure("invalid_request_error", err.Error()))
			return
		}
		if a.Model == NoModel {
			respond(w, http.StatusNotFound, d.failure("not_found_error", "The model `"+a.Model+"` does not exist"))
			return
		}
		a.Provider, a.Body = d.provider(), body
		fault := s.begin(a)
		defer s.end()
		s.serve(w, r, d, a, fault)
	})
}

// begin counts a request, and takes what the script has for it.
func (s *Server) begin(a Asked) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, a)
	s.now++
	s.most = max(s.most, s.now)
	if len(s.script) == 0 {
		return ""
	}
	f := s.script[0]
	s.script = s.script[1:]
	return f
}

func (s *Server) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now--
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, d dialect, a Asked, fault Fault) {
	out := s.answer(a)
	if fault != "" {
		out.Fault = fault
	}
	if refused := lacking(out.Fault, a); refused != "" {
		respond(w, http.StatusBadRequest, d.failure("invalid_request_error", refused))
		return
	}

	switch out.Fault {
	case Slow:
		<-r.Context().Done()
	case RateLimited:
		w.Header().Set("Retry-After-Ms", "1")
		respond(w, http.StatusTooManyRequests, d.failure("rate_limit_error", "Rate limit reached"))
	case Overloaded:
		w.Header().Set("Retry-After-Ms", "1")
		w.WriteHeader(529) // Anthropic's
	case Broken:
		w.Header().Set("Retry-After-Ms", "1")
		w.WriteHeader(http.StatusInternalServerError)
	case Unreadable:
		w.Header().Set("Retry-After-Ms", "1")
		io.WriteString(w, "<html><title>Please sign in</title></html>")
	case Cut:
		data := marshal(d.reply(a, out))
		w.Header().Set("Retry-After-Ms", "1")
		w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		w.Write(data[:len(data)/2])
		if flusher, ok := w.(http.Flusher); ok {
			flusher.Flush()
		}
		panic(http.ErrAbortHandler) // the way to cut a connection
	case Malformed:
		out.JSON, out.Text = nil, `{"answer": "unfinished`
		respond(w, http.StatusOK, d.reply(a, out))
	case WrongSchema:
		out.JSON = map[string]any{"member_of_no_schema": true}
		respond(w, http.StatusOK, d.reply(a, out))
	default:
		respond(w, http.StatusOK, d.reply(a, out))
	}
}

// lacking returns the error of an endpoint that doesn't support what a request asks
// for, or nothing.
func lacking(f Fault, a Asked) string {
	has := func(name string) bool { return strings.Contains(string(a.Body), name) }
	switch {
	case f == NoSchema && has(`"json_schema"`):
		return "response_format: 'json_schema' is not supported by this model"
	case f == NoObject && has(`"response_format"`):
		return "unknown parameter: response_format"
	case (f == NoSchema || f == NoObject) && has(`"tool_choice"`):
		return "tool_choice: forcing a tool is not supported by this model"
	case f == NoMaxCompletionTokens && has(`"max_completion_tokens"`):
		return "Unrecognized request argument supplied: max_completion_tokens"
	}
	return ""
}

func respond(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(marshal(body))
}

func marshal(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // a reply of the test that is not JSON
	}
	return data
}

// text returns the answer as text, half of it if it is cut off.
func (r Reply) text() string {
	s := r.Text
	if r.JSON != nil {
		s = string(marshal(r.JSON))
	}
	if r.Fault == Truncated {
		s = s[:len(s)/2]
	}
	return s
}

// used returns what the answer is said to take: some number that only depends on the request and
// the answer.
func (r Reply) used(a Asked) llm.Usage {
	if r.Usage.Input+r.Usage.Output > 0 {
		return r.Usage
	}
	return llm.Usage{Input: len(a.Body)/4 + 1, Output: len(r.text())/4 + 1}
}
