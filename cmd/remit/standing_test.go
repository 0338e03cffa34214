package main

import (
	"bufio"
	"net/http"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// TestLogThatNobodyReads: a server goes on where the reader of its log has gone, and ends as it is told to.
func TestLogThatNobodyReads(t *testing.T) {
	dir, remit := t.TempDir(), program(t, "remit")
	s := &apiServer{tokens: filepath.Join(dir, "tokens.yaml"), store: filepath.Join(dir, "remit.db")}
	s.token = s.newToken(t, remit, "me", "all")
	c := exec.CommandContext(t.Context(), remit, "serve", "--listen", "127.0.0.1:0", "--tokens", s.tokens, "--store", s.store)
	log, err := c.StderrPipe()
	must(t, err)
	must(t, c.Start())
	for lines := bufio.NewScanner(log); s.url == "" && lines.Scan(); {
		if m := listening.FindStringSubmatch(lines.Text()); m != nil {
			s.url = m[1]
		}
	}
	must(t, log.Close())

	s.post(t, "/v1/sessions", `{"id":"s"}`)
	for range 2 {
		if status, answer := s.post(t, "/v1/sessions/s/decisions", `{"tool":"send"}`); status != http.StatusOK {
			t.Errorf("%d: %v", status, answer)
		}
	}
	must(t, c.Process.Signal(syscall.SIGTERM))
	if err := c.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}
