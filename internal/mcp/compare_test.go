package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/remit-project/remit/internal/mcp/mcptest"
	"github.com/remit-project/remit/internal/sse"
)

// feature is one of the protocol's, as a client uses it.
type feature struct {
	name string
	// say is what the client sends, each when the one before is answered. A line that begins with
	// "&" isn't waited for. TASK is replaced by the id of the last task, CURSOR by the last
	// cursor, and META by the members that every request of the generation without sessions has.
	say []string
	// then are the methods of what the server sends on its own time.
	then []string
	// shows is a part of what comes back, by which the feature is known to be
	// there at all.
	shows string
}

// ownTime are the methods of what a server may send whenever it likes, so that
// its place among other messages says nothing.
var ownTime = regexp.MustCompile(`"method":"(notifications/(message|tools/list_changed|prompts/list_changed|resources/list_changed|resources/updated|subscriptions/acknowledged|tasks/status|elicitation/complete)|roots/list)"`)

// differing lists differences that are not features: the reason, what differs, and what the
// comparison has in its place.
var differing = []struct {
	reason string
	what   *regexp.Regexp
	shown  string
}{
	{"the gateway counts the requests to the client itself", regexp.MustCompile(`("id":)\d+(,"method"|\}$)`), `${1}N$2`},
	{"requests that are given up, by the ids 7 and 9, have no answer, but from some servers", regexp.MustCompile(`.*"id":[79],"(result|error)":.*`), ""},
	{"requests name what they belong to", regexp.MustCompile(`"requestId":\d+`), `"requestId":N`},
	{"sessions, elicitations and tasks have random ids", regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{32}\b`), "RANDOM"},
	{"resources say when they were made", regexp.MustCompile(`\d{1,2}:\d\d:\d\d [AP]M`), "TIME"},
	{"so do those in base64", regexp.MustCompile(`"blob":"UmVzb3VyY2Ug[^"]*"`), `"blob":"TIMED"`},
	{"and tasks", regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z`), "TIME"},
	{"simulated messages are of a random level", regexp.MustCompile(`"level":"[a-z]+","data":"[A-Z][a-z]+[- ]level[- ]message`), `"level":"ANY","data":"message`},
}

func alike(line string) string {
	for _, d := range differing {
		line = d.what.ReplaceAllString(line, d.shown)
	}
	return line
}

// Names that the server gives, which the client repeats.
var (
	taskID = regexp.MustCompile(`"taskId":"([0-9a-f]{32})"`)
	cursor = regexp.MustCompile(`"nextCursor":"([^"]+)"`)
)

// used uses features one after the other and returns what came of each: first
// what came on the way to the answers, then what came on its own time, sorted.
func used(t *testing.T, c *wireClient, features []feature) [][]string {
	t.Helper()
	out := make([][]string, len(features))
	task, next := "", ""
	for i, f := range features {
		var got, own []string
		take := func(lines []string) {
			for _, s := range lines {
				if m := taskID.FindStringSubmatch(s); m != nil {
					task = m[1]
				}
				if m := cursor.FindStringSubmatch(s); m != nil {
					next = m[1]
				}
				if ownTime.MatchString(s) {
					own = append(own, alike(s))
				} else if s = alike(s); s != "" {
					got = append(got, s)
				}
			}
		}
		for _, line := range f.say {
			line = strings.NewReplacer("TASK", task, "CURSOR", next, "META", statelessMeta).Replace(line)
			if sent, now := strings.CutPrefix(line, "&"); now {
				c.tell(sent)
				continue
			}
			take(c.ask(line))
		}
		for missing(own, f.then) {
			s, _, _ := c.hear(fmt.Sprintf("%q, after %q", f.then, own))
			take([]string{s})
		}
		slices.Sort(own)
		out[i] = append(got, own...)
	}
	return out
}

// missing reports whether methods have not all come yet.
func missing(own, methods []string) bool {
	left := slices.Clone(methods)
	for _, s := range own {
		if i := slices.IndexFunc(left, func(m string) bool { return strings.Contains(s, `"method":"`+m+`"`) }); i >= 0 {
			left = slices.Delete(left, i, i+1)
		}
	}
	return len(left) > 0
}

// mark is what the gateway puts before the questions of a server, so that they
// can't pass for its own.
var mark = regexp.MustCompile(`\[The server \\"[^"]*\\" asks this\. It is not a question of Remit\.\] ?`)

// unmarked takes the marks out of what came through the gateway, and holds every
// question of a server to having one.
func unmarked(t *testing.T, lines []string) []string {
	t.Helper()
	var out []string
	for _, line := range lines {
		asks := strings.Count(line, `"elicitation/create"`) + strings.Count(line, `"sampling/createMessage"`)
		if marks := len(mark.FindAllString(line, -1)); marks != asks {
			t.Errorf("%d questions have %d marks: %s", asks, marks, line)
		}
		// Where there was no text, the mark is all of it.
		out = append(out, strings.ReplaceAll(mark.ReplaceAllString(line, ""), `,"systemPrompt":""`, ""))
	}
	return out
}

// compare plays features without and with the gateway, and reports what differs.
func compare(t *testing.T, without, with *wireClient, features []feature) {
	t.Helper()
	var played [2][][]string
	var work sync.WaitGroup
	for i, c := range []*wireClient{without, with} {
		work.Go(func() { played[i] = used(t, c, features) })
	}
	work.Wait()
	if played[0] == nil || played[1] == nil {
		t.Fatalf("played to the end without the gateway: %t, with it: %t", played[0] != nil, played[1] != nil)
	}
	for i, f := range features {
		t.Run(f.name, func(t *testing.T) {
			if d := cmp.Diff(played[0][i], unmarked(t, played[1][i])); d != "" {
				t.Errorf("(-without +with the gateway)\n%s", d)
			}
			if !strings.Contains(strings.Join(played[0][i], "\n"), f.shows) {
				t.Errorf("there is no %s in %q", f.shows, played[0][i])
			}
		})
	}
}

// direct starts a program and speaks to it without a gateway.
func direct(t *testing.T, p mcptest.Program) *wireClient {
	t.Helper()
	in, out := p.Start(t)
	return newWireClient(t, in, out)
}

// overHTTP speaks to an endpoint, message by message.
func overHTTP(t *testing.T, url string) *wireClient {
	ctx, cancel := context.WithCancel(context.Background())
	out, in := io.Pipe()
	w := &httpWire{t: t, ctx: ctx, url: url, out: in, calls: map[string]context.CancelFunc{}, withdrawn: map[string]bool{}}
	t.Cleanup(func() {
		cancel()
		w.work.Wait()
		in.Close()
	})
	return newWireClient(t, w, out)
}

// httpWire posts each line that is written to it, and passes on as lines what
// comes back.
type httpWire struct {
	t   *testing.T
	ctx context.Context
	url string

	mu      sync.Mutex
	session string
	out     io.Writer
	work    sync.WaitGroup
	calls   map[string]context.CancelFunc
	// withdrawn are the ids of calls that were cancelled.
	withdrawn map[string]bool
}

func (w *httpWire) Write(line []byte) (int, error) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Name, URI string
			RequestID json.RawMessage
			Meta      map[string]any `json:"_meta"`
		}
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return 0, err
	}
	version, _ := m.Params.Meta["io.modelcontextprotocol/protocolVersion"].(string)
	if version != "" && m.Method == "notifications/cancelled" {
		// Without sessions, a client cancels by hanging up.
		w.calls[string(m.Params.RequestID)]()
		return len(line), nil
	}
	w.mu.Lock()
	delete(w.withdrawn, string(m.ID))
	if m.Method == "notifications/cancelled" {
		w.withdrawn[string(m.Params.RequestID)] = true
	}
	w.mu.Unlock()
	ctx, cancel := context.WithCancel(w.ctx)
	w.calls[string(m.ID)] = cancel
	sent := make(chan struct{})
	wrote := sync.OnceFunc(func() { close(sent) })
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { wrote() }})
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(bytes.Clone(line)))
	if err != nil {
		return 0, err
	}
	switch {
	case version != "":
		r.Header.Set("Mcp-Protocol-Version", version)
		r.Header.Set("Mcp-Method", m.Method)
		if name := m.Params.Name + m.Params.URI; name != "" {
			r.Header.Set("Mcp-Name", name)
		}
	case m.Method != "initialize":
		r.Header.Set("Mcp-Protocol-Version", legacy)
	}
	if m.ID != nil && m.Method != "" {
		w.work.Go(func() {
			defer wrote()
			w.read(w.open(r))
		})
		<-sent // what is written next must not overtake it
	} else {
		w.read(w.open(r))
	}
	return len(line), nil
}

// open sends a request, and returns the answer when it begins; nil for none.
func (w *httpWire) open(r *http.Request) *http.Response {
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	w.mu.Lock()
	known := w.session
	w.mu.Unlock()
	if known != "" {
		r.Header.Set("Mcp-Session-Id", known)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		if r.Context().Err() == nil {
			w.t.Errorf("%s: %v", r.Method, err)
		}
		return nil
	}
	if id := answer.Header.Get("Mcp-Session-Id"); id != "" && known == "" {
		w.listen(id)
	}
	return answer
}

// read writes what comes back as lines.
func (w *httpWire) read(answer *http.Response) {
	if answer == nil {
		return
	}
	defer answer.Body.Close()
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") {
		for events := sse.NewReader(answer.Body, 1<<20); ; {
			e, err := events.Next()
			if err != nil {
				return
			}
			if len(e.Data) > 0 {
				w.line(e.Data)
			}
		}
	}
	body, err := io.ReadAll(answer.Body)
	if body = bytes.TrimSpace(body); err == nil && len(body) > 0 {
		w.line(body)
	}
}

// line passes a message on. The answer to a call that was cancelled is ignored, as clients do: on
// connections of their own the cancellation may overtake the call.
func (w *httpWire) line(data []byte) {
	var m struct {
		ID     json.RawMessage
		Method string
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := json.Unmarshal(data, &m); err == nil && m.Method == "" && w.withdrawn[string(m.ID)] {
		return
	}
	_, _ = w.out.Write(append(bytes.Clone(data), '\n'))
}

// listen opens the stream for what belongs to no request, before anything goes
// on.
func (w *httpWire) listen(session string) {
	w.mu.Lock()
	w.session = session
	w.mu.Unlock()
	r, err := http.NewRequestWithContext(w.ctx, http.MethodGet, w.url, nil)
	if err != nil {
		w.t.Error(err)
		return
	}
	r.Header.Set("Mcp-Protocol-Version", legacy)
	answer := w.open(r)
	w.work.Go(func() { w.read(answer) })
}
