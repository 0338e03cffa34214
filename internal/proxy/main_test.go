package proxy_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/remit-project/remit/internal/proxy"
)

// reply is what the scripted upstream answers with.
type reply struct {
	status int
	kind   string
	header http.Header
	body   string
	// cut ends the connection after the body, as a crash would.
	cut bool
}

// upstream answers requests by a script, one reply after the other, and keeps
// what it was asked.
type upstream struct {
	*httptest.Server
	t *testing.T

	mu      sync.Mutex
	replies []reply
	asked   []asked
}

type asked struct {
	method, path string
	header       http.Header
	body         []byte
}

func newUpstream(t *testing.T, replies ...reply) *upstream {
	u := &upstream{t: t, replies: replies}
	u.Server = httptest.NewServer(u)
	t.Cleanup(u.Close)
	return u
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	u.mu.Lock()
	u.asked = append(u.asked, asked{r.Method, r.URL.RequestURI(), r.Header.Clone(), body})
	if len(u.replies) == 0 {
		u.mu.Unlock()
		http.Error(w, "the script is at its end", http.StatusTeapot)
		return
	}
	next := u.replies[0]
	u.replies = u.replies[1:]
	u.mu.Unlock()
	for name, values := range next.header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", next.kind)
	w.WriteHeader(next.status)
	io.WriteString(w, next.body)
	if next.cut {
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

// add continues the script.
func (u *upstream) add(replies ...reply) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.replies = append(u.replies, replies...)
}

// request returns the nth request that came.
func (u *upstream) request(n int) asked {
	u.t.Helper()
	u.mu.Lock()
	defer u.mu.Unlock()
	if n >= len(u.asked) {
		u.t.Fatalf("the upstream was asked %d times, want more than %d", len(u.asked), n)
	}
	return u.asked[n]
}

func (u *upstream) count() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.asked)
}

// newProxy puts a proxy before an upstream.
func newProxy(t *testing.T, u *upstream, change func(*proxy.Options)) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(newProxyHandler(t, u, change))
	t.Cleanup(s.Close)
	return s
}

func newProxyHandler(t *testing.T, u *upstream, change func(*proxy.Options)) http.Handler {
	t.Helper()
	to, err := url.Parse(u.URL)
	if err != nil {
		t.Fatal(err)
	}
	o := proxy.Options{Upstream: to}
	if change != nil {
		change(&o)
	}
	p, err := proxy.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// post sends a body, and returns the answer with its text.
func post(t *testing.T, base, path, body string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var text bytes.Buffer
	if _, err := io.Copy(&text, resp.Body); err != nil {
		text.WriteString("\n(broken off: " + err.Error() + ")\n")
	}
	return resp, text.String()
}
