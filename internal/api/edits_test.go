package api

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/revise"
)

// TestEdit checks an edit of a contract against recorded calls, writes it where the server
// may, and refuses it to whoever lacks the scope and where the file has changed.
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
}
