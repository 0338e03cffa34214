package main

import (
	"bufio"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// program is the path of a program, remit or test-server, which the test binary
// is under that name.
func program(t *testing.T, name string) string {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	path := filepath.Join(t.TempDir(), name)
	must(t, os.Symlink(self, path))
	return path
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// apiServer is a remit serve that runs.
type apiServer struct {
	url, token string
	// tokens and store are its files.
	tokens, store string
	// kill ends it as a crash does.
	kill func()
}

// serve runs remit serve, with a token that may do everything, until the test
// ends.
func serve(t *testing.T, args ...string) *apiServer {
	t.Helper()
	dir, remit := t.TempDir(), program(t, "remit")
	s := &apiServer{tokens: filepath.Join(dir, "tokens.yaml"), store: filepath.Join(dir, "remit.db")}
	s.token = s.newToken(t, remit, "me", "all")
	s.start(t, remit, args...)
	return s
}

// start runs the server on its files, until the test ends or it is killed.
func (s *apiServer) start(t *testing.T, remit string, args ...string) {
	t.Helper()
	s.url = ""
	c := exec.Command(remit, append([]string{"serve", "--listen", "127.0.0.1:0", "--tokens", s.tokens, "--store", s.store}, args...)...)
	c.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	log, err := c.StderrPipe()
	must(t, err)
	must(t, c.Start())
	lines := bufio.NewScanner(log)
	for s.url == "" && lines.Scan() {
		if m := listening.FindStringSubmatch(lines.Text()); m != nil {
			s.url = m[1]
		} else {
			t.Log(lines.Text())
		}
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines.Scan() {
			t.Log(lines.Text())
		}
	}()
	killed := false
	s.kill = func() {
		killed = true
		_ = c.Process.Kill() // it may have ended
		<-read
		_ = c.Wait() // it says that it was killed
	}
	t.Cleanup(func() {
		if killed {
			return
		}
		if err := c.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		<-read
		if err := c.Wait(); err != nil {
			t.Errorf("remit serve ended with %v", err)
		}
	})
	if s.url == "" {
		t.Fatal("remit serve doesn't listen")
	}
}

var listening = regexp.MustCompile(`msg=listening url=(\S+)`)

// TestServeTLS: with certificates the decision API speaks TLS and nothing else.
func TestServeTLS(t *testing.T) {
	origin := httptest.NewTLSServer(http.NotFoundHandler())
	defer origin.Close()
	key, err := x509.MarshalPKCS8PrivateKey(origin.TLS.Certificates[0].PrivateKey)
	must(t, err)
	dir := t.TempDir()
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
		return path
	}
	s := serve(t, "--tls-cert", write("cert.pem", "CERTIFICATE", origin.Certificate().Raw), "--tls-key", write("key.pem", "PRIVATE KEY", key))
	res, err := origin.Client().Get(s.url + "/openapi.yaml")
	must(t, err)
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("%s", res.Status)
	}
	if res, err := http.Get(strings.Replace(s.url, "https:", "http:", 1) + "/openapi.yaml"); err == nil {
		res.Body.Close()
		if res.StatusCode == http.StatusOK {
			t.Error("it answers without TLS as well")
		}
	}
}

// newToken makes a token by the command.
func (s *apiServer) newToken(t *testing.T, remit, principal string, scopes ...string) string {
	t.Helper()
	args := []string{"token", "new", "--tokens", s.tokens, "--principal", principal}
	for _, scope := range scopes {
		args = append(args, "--scope", scope)
	}
	out, err := exec.Command(remit, args...).Output()
	must(t, err)
	return strings.TrimSpace(string(out))
}

// post posts to the server and returns the status and the body.
func (s *apiServer) post(t *testing.T, path, body string) (int, map[string]any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+path, strings.NewReader(body))
	must(t, err)
	r.Header.Set("Authorization", "Bearer "+s.token)
	r.Header.Set("Content-Type", "application/json")
	res, err := (&http.Client{Transport: &http.Transport{}}).Do(r)
	must(t, err)
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	must(t, err)
	var v map[string]any
	if len(data) > 0 {
		must(t, json.Unmarshal(data, &v))
	}
	return res.StatusCode, v
}

// TestOneSession: the user's words come by the decision API, the call by the
// gateway, and what the gateway saw counts at the API. The store and the id of
// the session join them.
func TestOneSession(t *testing.T) {
	s := serve(t, "--contracts", contractsOf(t))
	const line = `{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"send_email","arguments":{"to":"bob@corp.example"}}}` + "\n"
	initialize := `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	// gateway is one run of the gateway: what it said, and whether the call came
	// to the server.
	gateway := func(session string) (said string, ran bool) {
		t.Helper()
		calls := filepath.Join(t.TempDir(), "calls")
		c := exec.CommandContext(t.Context(), program(t, "remit"), "gateway", "--log", "error", "--contracts", contractsOf(t), "--name", "test", "--store", s.store, "--session", session, "--", program(t, "test-server"))
		c.Env = append(os.Environ(), "CALLS="+calls, "GORACE=atexit_sleep_ms=0")
		said = talk(t, c, initialize+line)
		_, err := os.Stat(calls)
		return said, err == nil
	}
	for _, id := range []string{"said", "silent"} {
		if status, v := s.post(t, "/v1/sessions", `{"id":"`+id+`"}`); status != http.StatusCreated {
			t.Fatalf("%d: %v", status, v)
		}
	}
	if status, v := s.post(t, "/v1/sessions/said/events", `{"type":"user","text":"Send it to bob@corp.example"}`); status != http.StatusNoContent {
		t.Fatalf("%d: %v", status, v)
	}
	if out, ran := gateway("said"); !ran {
		t.Errorf("what the user named by the API was stopped at the gateway: %s", out)
	}
	if out, ran := gateway("silent"); ran || !strings.Contains(out, "bob@corp.example") {
		t.Errorf("what nobody named passed the gateway: %s", out)
	}
	_, v := s.post(t, "/v1/sessions/said/decisions", `{"server":"test","tool":"send_email","arguments":{"to":"bob@corp.example"}}`)
	if v["verdict"] != "allow" {
		t.Errorf("at the API: %v", v)
	}
	// Ended by the API, it is over for the gateway as well.
	if status, v := s.post(t, "/v1/sessions/said/end", ""); status != http.StatusOK {
		t.Fatalf("%d: %v", status, v)
	}
	if out, ran := gateway("said"); ran {
		t.Errorf("the session went on after its end: %s", out)
	}
}

// contractsOf is a directory with the contract of the test server.
func contractsOf(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "test.yaml"), []byte(`version: 1
server: test
tools:
  read_note: {effect: read, output: {trust: EXTERNAL}}
  send_email: {effect: egress, args: {/to: {role: target, floor: USER, discharge: [confirm]}}}
  handle: {effect: write, args: {/thing: {role: content}}}
`), 0o644))
	return dir
}

// talk sends lines to a program, waits for the answer with the id b, and ends
// it. It returns what the program said.
func talk(t *testing.T, c *exec.Cmd, lines string) string {
	t.Helper()
	in, err := c.StdinPipe()
	must(t, err)
	out, err := c.StdoutPipe()
	must(t, err)
	c.Stderr = os.Stderr
	must(t, c.Start())
	_, err = io.WriteString(in, lines)
	must(t, err)
	var said strings.Builder
	answers := bufio.NewScanner(out)
	for answers.Scan() {
		said.WriteString(answers.Text() + "\n")
		if strings.Contains(answers.Text(), `"id":"b"`) {
			break
		}
	}
	must(t, in.Close())
	_, _ = io.Copy(io.Discard, out)
	must(t, c.Wait())
	return said.String()
}
