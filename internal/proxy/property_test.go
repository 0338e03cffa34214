package proxy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"github.com/remit-project/remit/internal/proxy"
	"github.com/remit-project/remit/internal/raced"
)

// fixed is a transport that answers every request with the next of its bodies,
// in pieces of the given sizes.
type fixed struct {
	kind   string
	bodies []string
	size   func() int
}

func (f *fixed) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		io.Copy(io.Discard, r.Body)
	}
	resp := &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {f.kind}}, Request: r}
	body := ""
	if len(f.bodies) > 0 {
		body, f.bodies = f.bodies[0], f.bodies[1:]
	}
	resp.Body = io.NopCloser(&pieces{strings.NewReader(body), f.size})
	return resp, nil
}

type pieces struct {
	r    io.Reader
	size func() int
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.size != nil {
		b = b[:min(len(b), max(1, p.size()))]
	}
	return p.r.Read(b)
}

func direct(t testing.TB, f http.RoundTripper, change func(*proxy.Options)) http.Handler {
	t.Helper()
	to, err := url.Parse("http://upstream.example")
	if err != nil {
		t.Fatal(err)
	}
	o := proxy.Options{Upstream: to, Transport: f}
	if change != nil {
		change(&o)
	}
	p, err := proxy.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func handle(h http.Handler, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Host = "localhost"
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// Whatever pieces a stream comes in, the same answer comes out.
func TestStreamsComeInAnyPieces(t *testing.T) {
	raced.SkipTable(t)
	files, err := filepath.Glob("testdata/exchanges/*-stream.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no exchanges: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		a := txtar.Parse(data)
		var path, request string
		var bodies []string
		for _, f := range a.Files {
			// Of the last request.
			if p, ok := strings.CutPrefix(f.Name, "client POST "); ok {
				path, request, bodies = p, string(f.Data), nil
			}
			if strings.HasPrefix(f.Name, "upstream ") {
				bodies = append(bodies, string(f.Data)+"\n")
			}
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			want := handle(direct(t, &fixed{"text/event-stream", bodies, nil}, nil), path, request).Body.String()
			rapid.Check(t, func(t *rapid.T) {
				size := rapid.IntRange(1, 200)
				in := bodies
				if rapid.Bool().Draw(t, "carriage returns") {
					in = nil
					for _, b := range bodies {
						in = append(in, strings.ReplaceAll(b, "\n", "\r\n"))
					}
				}
				f := &fixed{"text/event-stream", in, func() int { return size.Draw(t, "size") }}
				got := handle(direct2(t, f, nil), path, request).Body.String()
				if got != want {
					t.Fatalf("got\n%s\nwant\n%s", got, want)
				}
			})
		})
	}
}

func direct2(t *rapid.T, f http.RoundTripper, change func(*proxy.Options)) http.Handler {
	to, err := url.Parse("http://upstream.example")
	if err != nil {
		t.Fatal(err)
	}
	o := proxy.Options{Upstream: to, Transport: f}
	if change != nil {
		change(&o)
	}
	p, err := proxy.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// modelled answers with what a model would say next.
type modelled struct{ next string }

func (m *modelled) RoundTrip(r *http.Request) (*http.Response, error) {
	io.Copy(io.Discard, r.Body)
	body := fmt.Sprintf(`{"id":"x","object":"chat.completion","choices":[{"index":0,"message":%s,"finish_reason":"stop"}]}`, m.next)
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// A conversation that goes on live and one that is made again for every request
// get the same answers.
func TestLiveIsAsMadeAgain(t *testing.T) {
	words := []string{"ann@corp.example", "bob@corp.example", "eve@evil.example", "https://news.example/today", "the usual", "order 4711"}
	rapid.Check(t, func(t *rapid.T) {
		model := &modelled{}
		to, err := url.Parse("http://upstream.example")
		if err != nil {
			t.Fatal(err)
		}
		proxy := func(conversations int) http.Handler {
			p, err := proxy.New(proxy.Options{Upstream: to, Transport: model, Retries: -1, NoQuestions: true, Limits: proxy.Limits{Conversations: conversations}})
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		live, again := proxy(0), proxy(1)
		var messages []json.RawMessage
		add := func(format string, a ...any) { messages = append(messages, json.RawMessage(fmt.Sprintf(format, a...))) }
		word := rapid.SampledFrom(words)
		for n := range rapid.IntRange(1, 6).Draw(t, "turns") {
			add(`{"role":"user","content":"Think of %s and %s."}`, word.Draw(t, "a"), word.Draw(t, "b"))
			switch rapid.IntRange(0, 2).Draw(t, "kind") {
			case 0:
				model.next = said("It is " + word.Draw(t, "said"))
			case 1:
				model.next = mailTo(fmt.Sprint("m", n), word.Draw(t, "to"))
			case 2:
				model.next = calls(fmt.Sprint("r", n), "read_page", fmt.Sprintf(`{"url":%q}`, word.Draw(t, "url")))
			}
			body, err := json.Marshal(map[string]any{"messages": messages, "tools": json.RawMessage(mailTools)})
			if err != nil {
				t.Fatal(err)
			}
			a := handle(live, "/v1/chat/completions", string(body))
			// Something else takes the one place.
			handle(again, "/v1/chat/completions", fmt.Sprintf(`{"messages":[{"role":"user","content":"other %d"}]}`, n))
			b := handle(again, "/v1/chat/completions", string(body))
			if a.Code != 200 || !bytes.Equal(a.Body.Bytes(), b.Body.Bytes()) {
				t.Fatalf("live: %s\nagain: %s", a.Body, b.Body)
			}
			var got struct {
				Choices []struct {
					Message struct {
						Tool_calls []struct{ ID string }
					}
				}
			}
			var raw struct {
				Choices []struct{ Message json.RawMessage }
			}
			if json.Unmarshal(a.Body.Bytes(), &got) != nil || json.Unmarshal(a.Body.Bytes(), &raw) != nil {
				t.Fatalf("no answer: %s", a.Body)
			}
			messages = append(messages, raw.Choices[0].Message)
			for _, c := range got.Choices[0].Message.Tool_calls {
				add(`{"role":"tool","tool_call_id":%q,"content":"It says %s."}`, c.ID, word.Draw(t, "result"))
			}
		}
	})
}
