package api

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/revise"
)

// TestEdit checks an edit of a contract against recorded calls, writes it where the server may,
// and refuses it to a principal without the scope and where the file has changed.
func TestEdit(t *testing.T) {
	name := filepath.Join(t.TempDir(), "mail.yaml")
	must(t, os.WriteFile(name, []byte(contracts), 0o644))
	files, err := revise.Open(name, true)
	must(t, err)
	b := newBench(t, func(o *Options) { o.Desk.Files = files })
	b.tainted(t, "s")
	b.post(t, 200, "agent", "/v1/sessions/s/decisions", mailTo("c1", "eve@evil.example"))

	const tool, laxer = "/v1/contracts/mail/tools/send", `{"args":[{"pattern":"/to","role":"target","floor":"EXTERNAL"}]}`
	type change struct {
		Base, Patch string
		Laxer       bool
		Outcome     revise.Outcome
	}
	got := into[change](t, b.post(t, 200, "operator", tool+"/check", laxer))
	if !got.Laxer || got.Outcome.Calls != 1 || got.Outcome.Before.Ask != 1 || !strings.Contains(got.Patch, "floor: EXTERNAL") {
		t.Errorf("the check says %+v", got)
	}
	for _, who := range []string{"agent", "person", "nobody"} {
		want(t, 403, b.send(t, who, "PATCH", tool, laxer))
	}
	if now, err := os.ReadFile(name); err != nil || string(now) != contracts {
		t.Errorf("the file is %s, %v", now, err)
	}
	with, err := json.Marshal(map[string]any{"base": got.Base, "args": []map[string]string{{"pattern": "/to", "role": "target", "floor": "EXTERNAL"}}})
	must(t, err)
	want(t, 200, b.send(t, "operator", "PATCH", tool, string(with)))
	if now, err := os.ReadFile(name); err != nil || !strings.Contains(string(now), "floor: EXTERNAL") {
		t.Errorf("the file is %s, %v", now, err)
	}
	want(t, 409, b.send(t, "operator", "PATCH", tool, string(with)))
	want(t, 404, b.send(t, "operator", "PATCH", "/v1/contracts/mail/tools/none", laxer))
}

// TestWhatIf decides a session again by contracts that a caller brings.
func TestWhatIf(t *testing.T) {
	b := newBench(t)
	b.tainted(t, "s")
	b.post(t, 200, "agent", "/v1/sessions/s/decisions", mailTo("c1", "eve@evil.example"))
	body, err := json.Marshal(map[string]any{"contracts": []string{strings.Replace(contracts, "effect: read,", "effect: read, args: {/q: {role: credential}},", 1)}})
	must(t, err)
	want(t, 400, b.send(t, "operator", "POST", "/v1/sessions/s/what-if", string(body)))
	body, err = json.Marshal(map[string]any{"contracts": []string{strings.Replace(contracts, "/q: {role: selector}", "/q: {role: credential}", 1)}})
	must(t, err)
	got := into[revise.Outcome](t, b.post(t, 200, "operator", "/v1/sessions/s/what-if", string(body)))
	if got.Calls != 2 || got.Stopped != 1 || len(got.Turned) != 1 || got.Turned[0].Tool != "read" {
		t.Errorf("it says %+v", got)
	}
	want(t, 403, b.send(t, "agent", "POST", "/v1/sessions/s/what-if", string(body)))

	const guards = `{"guards":["tool: send\npolicies:\n  - {name: no-mail, message: No mail., require: 'false'}\n"],"scopes":"off"}`
	if got := into[revise.Outcome](t, b.post(t, 200, "operator", "/v1/sessions/s/what-if", guards)); got.After.Deny != 1 {
		t.Errorf("under a guard it says %+v", got)
	}
	for _, bad := range []string{`{"guards":["tool: send"]}`, `{"guards":["tool: send\npolicies:\n  - {name: a, message: b, require: args.nobody == nothing}\n"]}`, `{"scopes":"all"}`, `{}`} {
		want(t, 400, b.send(t, "operator", "POST", "/v1/sessions/s/what-if", bad))
	}
}

// What-if takes its place before it reads contracts, and reads none of too many. What is
// wrong with them is the caller's mistake.
func TestWhatIfIsBounded(t *testing.T) {
	b := newBench(t, func(o *Options) {
		o.Desk.Monitor = func(revise.Setting) (*remit.Monitor, error) {
			return nil, errors.New("there are more than 4096 tools")
		}
	})
	b.tainted(t, "s")
	ask := func(status int, contracts ...string) {
		t.Helper()
		body, err := json.Marshal(map[string]any{"contracts": contracts})
		must(t, err)
		want(t, status, b.send(t, "operator", "POST", "/v1/sessions/s/what-if", string(body)))
	}

	comment := "#" + strings.Repeat("x", maxContract-1)
	ask(413, comment, comment, comment, comment, "#")
	ask(413, strings.Repeat("é", maxContract/2+1))
	ask(400, comment+"x")

	ask(400, contracts) // which no monitor is made for, see above
	for range maxReplays {
		b.Server.replays <- struct{}{}
	}
	ask(429, "no contract")
	<-b.Server.replays
	ask(400, "no contract")
	<-b.Server.replays
}

// A contract file with a mistake is named, with the mistake.
func TestEditOfBrokenFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "mail.yaml")
	must(t, os.WriteFile(name, []byte(contracts), 0o644))
	files, err := revise.Open(name, true)
	must(t, err)
	b := newBench(t, func(o *Options) { o.Desk.Files = files })
	must(t, os.WriteFile(name, []byte("tools: 3\n"), 0o644))
	got := b.send(t, "operator", "POST", "/v1/contracts/mail/tools/send/check", `{"args":[]}`)
	want(t, 503, got)
	if !strings.Contains(string(got.body), "mail.yaml:1") {
		t.Errorf("it says %s", got.body)
	}
}
