package main

import (
	"bufio"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/remit-project/remit/internal/access"
	"github.com/remit-project/remit/internal/fleet"
)

var consoleAt = regexp.MustCompile(`msg=console url=(\S+)`)

// carried starts a command that serves the console, and signs in with a token.
func carried(t *testing.T, dir string, args ...string) (*exec.Cmd, *visitor) {
	t.Helper()
	tokens := filepath.Join(dir, "tokens.yaml")
	token, hash := access.NewToken()
	must(t, os.WriteFile(tokens, fmt.Appendf(nil, "version: 1\ntokens:\n  - {principal: ann, sha256: %s, scopes: [sessions:read, sessions:any, approvals:read, contracts:read, contracts:write]}\n", hash), 0o600))
	args = append(args[:1:1], append([]string{"--console", "127.0.0.1:0", "--edit", "--tokens", tokens}, args[1:]...)...)
	c := exec.CommandContext(t.Context(), program(t, "remit"), args...)
	// A gateway serves until its input ends.
	_, err := c.StdinPipe()
	must(t, err)
	out, err := c.StderrPipe()
	must(t, err)
	must(t, c.Start())
	v := &visitor{t: t}
	var said []string
	for lines := bufio.NewScanner(out); v.base == "" && lines.Scan(); {
		said = append(said, lines.Text())
		if m := consoleAt.FindStringSubmatch(lines.Text()); m != nil {
			v.base = m[1]
		}
	}
	if v.base == "" {
		t.Fatalf("there is no console: %s", said)
	}
	if status, _ := v.do("POST", "login", url.Values{"token": {"guess"}}); status != http.StatusForbidden {
		t.Errorf("a guess: %d", status)
	}
	if status, _ := v.do("POST", "login", url.Values{"token": {token}}); status != http.StatusSeeOther {
		t.Fatalf("a token: %d", status)
	}
	return c, v
}

// A gateway and a proxy serve the console to those whom the token file names, and an edit is written to the contract file.
func TestCarriedConsole(t *testing.T) {
	d := newDesk(t)
	for name, args := range map[string][]string{
		"gateway": {"gateway", "--config"},
		"proxy":   {"proxy", "--upstream", "http://127.0.0.1:9", "--listen", "127.0.0.1:0", "--name", "desk"},
	} {
		dir := t.TempDir()
		contracts := filepath.Join(dir, "contracts")
		must(t, os.Mkdir(contracts, 0o755))
		must(t, os.WriteFile(filepath.Join(contracts, "desk.yaml"), []byte(fleet.Contracts), 0o644))
		if name == "gateway" {
			config := filepath.Join(dir, "remit.yaml")
			must(t, os.WriteFile(config, fmt.Appendf(nil, "version: 1\nstore: remit.db\ncontracts: contracts\nservers:\n  desk: {url: %q}\n", d.url), 0o644))
			args = append(args, config)
		} else {
			args = append(args, "--contracts", contracts, "--store", filepath.Join(dir, "remit.db"))
		}
		c, v := carried(t, dir, args...)
		if status, page := v.do("GET", "tools", nil); status != http.StatusOK || !strings.Contains(page, "desk") {
			t.Errorf("%s: the tools: %d, %s", name, status, page)
		}
		_, page := v.do("GET", "tool?server=desk&tool=send", nil)
		mark, base := csrfMark.FindStringSubmatch(page), regexp.MustCompile(`name="base" value="([^"]+)"`).FindStringSubmatch(page)
		if mark == nil || base == nil {
			t.Fatalf("%s: the tool: %s", name, page)
		}
		status, page := v.do("POST", "tool/write", url.Values{"csrf": {mark[1]}, "base": {base[1]}, "server": {"desk"}, "tool": {"send"},
			"variant": {""}, "pattern": {"/to"}, "role": {"target"}, "floor": {"TRUSTED"}})
		if status != http.StatusSeeOther {
			t.Errorf("%s: an edit: %d, %s", name, status, page)
		}
		if text, err := os.ReadFile(filepath.Join(contracts, "desk.yaml")); err != nil || !strings.Contains(string(text), "floor: TRUSTED") {
			t.Errorf("%s: the file is %s, %v", name, text, err)
		}
		must(t, c.Process.Signal(syscall.SIGTERM))
		_ = c.Wait() // a gateway that is ended says so
	}
}

// Mistakes about the console are found before anything starts.
func TestCarriedConsoleNeedsAStore(t *testing.T) {
	for _, test := range []struct {
		flags  carriedConsole
		stored bool
		ok     bool
	}{
		{carriedConsole{}, false, true}, {carriedConsole{Console: "127.0.0.1:0"}, true, true}, {carriedConsole{Console: "127.0.0.1:0"}, false, false},
		{carriedConsole{Console: "0.0.0.0:0"}, true, false}, {carriedConsole{Edit: true}, true, false},
	} {
		if err := test.flags.check(test.stored, nameStore); (err == nil) != test.ok {
			t.Errorf("%+v, a store: %t: %v", test.flags, test.stored, err)
		}
	}
}
