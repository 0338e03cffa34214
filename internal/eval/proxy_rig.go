package eval

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/remit-project/remit/internal/proxy"
)

// proxyRig is a model that answers at once, and a proxy before it.
type proxyRig struct {
	direct, proxy string
	servers       []*http.Server
	client        *http.Client
}

func newProxyRig(log *slog.Logger) (*proxyRig, error) {
	rig := &proxyRig{client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: proxyClients}}}
	var err error
	if rig.direct, err = rig.serve(http.HandlerFunc(instantModel)); err != nil {
		return nil, err
	}
	to, err := url.Parse(rig.direct)
	if err != nil {
		return nil, err
	}
	p, err := proxy.New(proxy.Options{Upstream: to, Log: log})
	if err != nil {
		return nil, err
	}
	rig.proxy, err = rig.serve(p)
	return rig, err
}

func (rig *proxyRig) serve(h http.Handler) (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	s := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	rig.servers = append(rig.servers, s)
	go s.Serve(l) // ends with the server
	return "http://" + l.Addr().String(), nil
}

func (rig *proxyRig) close() {
	for _, s := range rig.servers {
		s.Close()
	}
	rig.client.CloseIdleConnections()
}

const (
	proxyText = "Let me look it up."
	proxyCall = `{"id":"call_%d","type":"function","function":{"name":"read_note","arguments":"{\"id\":\"note-%d\"}"}}`
)

// instantModel answers every request with a text and a call.
func instantModel(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	call := fmt.Sprintf(proxyCall, len(body), len(body))
	if !strings.Contains(string(body[max(0, len(body)-64):]), `"stream":true`) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":%q,"tool_calls":[%s]},"finish_reason":"tool_calls"}]}`, proxyText, call)
		return
	}

	w.Header().Set("Content-Type", "text/event-stream")
	chunk := func(delta, finish string) {
		fmt.Fprintf(w, "data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n", delta, finish)
		http.NewResponseController(w).Flush()
	}
	chunk(fmt.Sprintf(`{"role":"assistant","content":%q}`, proxyText), "null")
	chunk(fmt.Sprintf(`{"tool_calls":[%s]}`, strings.Replace(call, "{", `{"index":0,`, 1)), "null")
	chunk("{}", `"tool_calls"`)
	io.WriteString(w, "data: [DONE]\n\n")
}

// proxyTalk is a conversation held by a client.
type proxyTalk struct {
	rng      *rand.Rand
	messages []string
	size     int
}

func newProxyTalk(length int) *proxyTalk { return seededTalk(rand.Uint64(), length) }

// seededTalk returns a conversation of a length, in which an agent has read
// notes.
func seededTalk(seed uint64, length int) *proxyTalk {
	t := &proxyTalk{rng: rand.New(rand.NewPCG(seed, 1))}
	t.message(fmt.Sprintf(`{"role":"user","content":"Read note-%x and what it refers to."}`, seed))
	for n := 0; t.size < length; n++ {
		t.message(fmt.Sprintf(`{"role":"assistant","content":%q,"tool_calls":[`+proxyCall+`]}`, proxyText, n, n))
		t.message(fmt.Sprintf(`{"role":"tool","tool_call_id":"call_%d","content":%q}`, n, t.note(min(length-t.size, 8<<10))))
	}
	return t
}

func (t *proxyTalk) message(m string) {
	t.messages = append(t.messages, m)
	t.size += len(m)
}

// note returns a text of words and numbers.
func (t *proxyTalk) note(length int) string {
	words := []string{"the", "figures", "of", "this", "quarter", "are", "late", "again", "and", "nobody", "knows", "why"}
	var b strings.Builder
	for b.Len() < length {
		fmt.Fprintf(&b, "%s %s %s-%08x ", words[t.rng.IntN(len(words))], words[t.rng.IntN(len(words))], "note", t.rng.Uint32())
	}
	return b.String()
}

// goOn adds the model's answer and the result of its call.
func (t *proxyTalk) goOn() {
	n := len(t.body(false))
	id := fmt.Sprintf("call_%d", n)
	t.message(fmt.Sprintf(`{"role":"assistant","content":%q,"tool_calls":[`+proxyCall+`]}`, proxyText, n, n))
	t.message(fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":%q}`, id, t.note(1<<10)))
}

const proxyTools = `[{"type":"function","function":{"name":"read_note","description":"Reads a note.","parameters":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}}}]`

func (t *proxyTalk) body(stream bool) string {
	end := ""
	if stream {
		// As long as without, so that the model's call is the same.
		end = `,"stream":true`
	} else {
		end = `,"strean":true`
	}
	return `{"model":"m","tools":` + proxyTools + `,"messages":[` + strings.Join(t.messages, ",") + `]` + end + `}`
}

// ask sends the conversation. It returns the time of the whole answer and of its
// first text.
func (rig *proxyRig) ask(ctx context.Context, base string, t *proxyTalk, stream bool) (took, early time.Duration, err error) {
	body := t.body(stream)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return 0, 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	begun := time.Now()
	resp, err := rig.client.Do(r)
	if err != nil {
		return 0, 0, err
	}

	defer resp.Body.Close()
	in := bufio.NewReader(resp.Body)
	line, err := in.ReadString('\n')
	early = time.Since(begun)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, 0, err
	}
	rest, err := io.ReadAll(in)
	took = time.Since(begun)

	if err != nil {
		return 0, 0, err
	}
	if text := line + string(rest); resp.StatusCode != http.StatusOK || !strings.Contains(text, "read_note") || !strings.Contains(line, proxyText) {
		return 0, 0, fmt.Errorf("the answer is not the call: %d %s", resp.StatusCode, text)
	}
	return took, early, nil
}
