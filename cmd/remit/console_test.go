package main

import (
	"bufio"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

var (
	link     = regexp.MustCompile(`(http://127\.0\.0\.1:\d+/[a-z0-9]+/)login#(remit_\S+)`)
	csrfMark = regexp.MustCompile(`name="csrf" value="([^"]+)"`)
)

// visitor is a person with a browser's cookies, as far as these pages need one.
type visitor struct {
	t      *testing.T
	base   string
	cookie string
}

func (v *visitor) do(method, path string, form url.Values) (int, string) {
	v.t.Helper()
	req, err := http.NewRequestWithContext(v.t.Context(), method, v.base+path, strings.NewReader(form.Encode()))
	must(v.t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Cookie", v.cookie)
	c := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := c.Do(req)
	must(v.t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	must(v.t, err)
	for _, k := range res.Cookies() {
		v.cookie = k.Name + "=" + k.Value
	}
	return res.StatusCode, string(body)
}

// From nothing to an answer: the console with the demo's sessions shows a question, takes
// the answer, and the agent that waited for it goes on.
func TestConsoleDemo(t *testing.T) {
	c := exec.CommandContext(t.Context(), program(t, "remit"), "console", "--demo", "--listen", "127.0.0.1:0", "--no-open")
	out, err := c.StdoutPipe()
	must(t, err)
	must(t, c.Start())
	v := &visitor{t: t}
	token := ""
	for lines := bufio.NewScanner(out); token == "" && lines.Scan(); {
		if m := link.FindStringSubmatch(lines.Text()); m != nil {
			v.base, token = m[1], m[2]
		}
	}
	if status, _ := v.do("POST", "login", url.Values{"token": {token}}); status != http.StatusSeeOther {
		t.Fatalf("signing in: %d", status)
	}
	_, inbox := v.do("GET", "inbox", nil)
	at := regexp.MustCompile(`id="q-([a-z0-9]+)"[^>]*><code class="tool">create_event`).FindStringSubmatch(inbox)
	if at == nil {
		t.Fatalf("the demo asks nothing about create_event: %s", inbox)
	}
	_, question := v.do("GET", "question/"+at[1], nil)
	if !strings.Contains(question, "imani.okafor@lakeside.example</mark>") {
		t.Errorf("the question doesn't highlight the address: %s", question)
	}
	csrf := csrfMark.FindStringSubmatch(question)[1]
	if status, page := v.do("POST", "question/"+at[1], url.Values{"answer": {"once"}, "csrf": {csrf}}); status != http.StatusSeeOther {
		t.Fatalf("the answer: %d, %s", status, page)
	}
	for {
		_, session := v.do("GET", "session?id=5-confirm", nil)
		if strings.Contains(session, "a person agreed") {
			break
		}
		shown := topicMark.FindStringSubmatch(session)
		v.change(shown[1], shown[2])
	}
	must(t, c.Process.Signal(syscall.SIGTERM))
	must(t, c.Wait())
}

var topicMark = regexp.MustCompile(`data-topic="(session:[^"]+)" data-version="([^"]+)"`)

// change reads the stream of a topic until its version is another one.
func (v *visitor) change(topic, version string) {
	v.t.Helper()
	req, err := http.NewRequestWithContext(v.t.Context(), "GET", v.base+"live?topic="+url.QueryEscape(topic), nil)
	must(v.t, err)
	req.Header.Set("Cookie", v.cookie)
	res, err := http.DefaultClient.Do(req)
	must(v.t, err)
	defer res.Body.Close()
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		now, isData := strings.CutPrefix(lines.Text(), "data: ")
		if isData && !strings.HasPrefix(now, version+" ") {
			return
		}
	}
	v.t.Fatal("the stream ended")
}

// On a server, the console shares the address of the decision API and accepts its tokens.
func TestServeConsole(t *testing.T) {
	s := serve(t, "--console")
	v := &visitor{t: t, base: s.url + "/console/"}
	if status, _ := v.do("POST", "login", url.Values{"token": {"guess"}}); status != http.StatusForbidden {
		t.Errorf("a guess: %d", status)
	}
	if status, _ := v.do("POST", "login", url.Values{"token": {s.token}}); status != http.StatusSeeOther {
		t.Fatalf("a token: %d", status)
	}
	if status, page := v.do("GET", "inbox", nil); status != http.StatusOK || !strings.Contains(page, "Nothing waits") {
		t.Errorf("%d: %s", status, page)
	}
	for _, path := range []string{"../v1/sessions", "../v1/approvals"} {
		if status, _ := v.do("GET", path, nil); status != http.StatusUnauthorized && status != http.StatusMovedPermanently && status != http.StatusTemporaryRedirect {
			t.Errorf("the API takes the console's cookie: %d", status)
		}
	}
}

// A console for one person listens on the loopback interface only.
func TestConsoleStaysOnThisMachine(t *testing.T) {
	for address, want := range map[string]bool{"127.0.0.1:0": true, "[::1]:7": true, "localhost:0": true, "0.0.0.0:0": false, ":7678": false, "192.168.0.3:1": false, "console.example:1": false, "nonsense": false} {
		if got := loopback(address); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}
