package hook_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/hook"
)

// environment is what agents set for their hooks.
func environment(name string) string {
	return map[string]string{"CLAUDE_PROJECT_DIR": "/ws", "GEMINI_PROJECT_DIR": "/ws", "ROOT_WORKSPACE_PATH": "/ws", "PWD": "/ws"}[name]
}

// shown is an output as the transcripts have it.
func shown(o hook.Output) string {
	return fmt.Sprintf("exit %d\nstdout %s\nstderr %s\n", o.Exit, strings.TrimSuffix(o.Stdout, "\n"), strings.TrimSuffix(o.Stderr, "\n"))
}

// TestProtocols reads testdata/AGENT.txtar: NAME.in is what the agent writes,
// NAME.event the event that it is, and the others are the answers in the agent's
// form. UPDATE=1 writes what comes out.
func TestProtocols(t *testing.T) {
	for _, a := range hook.Agents() {
		name := filepath.Join("testdata", a.Name+".txtar")
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		for _, f := range archive.Files {
			want[f.Name] = string(f.Data)
		}
		got := &txtar.Archive{Comment: archive.Comment}
		for _, f := range archive.Files {
			base, ok := strings.CutSuffix(f.Name, ".in")
			if !ok {
				continue
			}
			add := func(name, text string) {
				got.Files = append(got.Files, txtar.File{Name: base + "." + name, Data: []byte(text)})
			}
			add("in", string(f.Data))
			e, err := a.Parse(f.Data, environment)
			if err != nil {
				t.Errorf("%s %s: %v", a.Name, base, err)
				continue
			}
			event, err := json.MarshalIndent(e, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			add("event", string(event)+"\n")
			if e.Kind == hook.PreTool {
				for _, v := range []remit.Verdict{remit.Allow, remit.Ask, remit.Deny} {
					add(string(v), shown(a.Answer(e, hook.Answer{Verdict: v, Reason: "Remit: <why>"})))
				}
			}
			if e.Kind == hook.PreTool || e.Kind == hook.Prompt {
				add("fail", shown(a.Fail(e, errors.New("no daemon"))))
			}
		}
		if os.Getenv("UPDATE") != "" {
			if err := os.WriteFile(name, txtar.Format(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		have := map[string]string{}
		for _, f := range got.Files {
			have[f.Name] = string(f.Data)
		}
		if d := cmp.Diff(want, have); d != "" {
			t.Errorf("%s (-want +got):\n%s", a.Name, d)
		}
	}
}

// event is an event of a name, with what any agent tells by one.
func event(name string) string {
	return `{"hook_event_name":"` + name + `","agent_action_name":"` + name + `","session_id":"s","conversation_id":"s","trajectory_id":"s","cwd":"/ws","workspace_roots":["/ws"],` +
		`"tool_name":"Bash","tool_input":{"command":"id"},"command":"id","tool_info":{"command_line":"id"}}`
}

// Whatever an agent writes that is not what it documents is refused, by the exit
// code that every agent takes for a denial, with a reason.
func TestRefused(t *testing.T) {
	for _, a := range hook.Agents() {
		for name, input := range map[string]string{
			"nothing": "", "no JSON": "ls", "half": `{"session_id":`, "a list": "[]", "two": "{} {}", "text": `"x"`, "numbers for texts": `{"session_id":1,"sessionId":1,"conversation_id":1,"trajectory_id":1}`,
			"too large": `{"x":"` + strings.Repeat("a", hook.MaxInput) + `"}`,
			"no event":  "{}",
			// What may run something must not go by as one that only tells.
			"an event that is not known":    event("PreToolUse2"),
			"another agent's event":         event("beforeWhatever"),
			"an event in other letters":     event("pretooluse"),
			"an event that asks to be sure": event("PermissionRequest"),
			"no session":                    `{"hook_event_name":"` + map[string]string{"cursor": "preToolUse", "gemini": "BeforeTool"}[a.Name] + `","tool_name":"Bash","toolName":"bash","cwd":"/ws"}`,
		} {
			if e, err := a.Parse([]byte(input), environment); err == nil {
				t.Errorf("%s, %s: read as %+v", a.Name, name, e)
			} else if o := a.Refuse(err); o.Exit != 2 || !strings.Contains(o.Stderr, "Remit denies") {
				t.Errorf("%s, %s: %+v", a.Name, name, o)
			}
		}
	}
}

// TestAMemberTwice: an event that two programs could read differently is refused, as arguments of
// calls are: Remit would decide another tool's call.
func TestAMemberTwice(t *testing.T) {
	for _, a := range hook.Agents() {
		archive, err := txtar.ParseFile(filepath.Join("testdata", a.Name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range archive.Files {
			if _, err := a.Parse(file.Data, environment); err != nil || !strings.HasSuffix(file.Name, ".in") {
				continue
			}
			for _, more := range []string{`"again":1,"again":2`, `"Tool_Name":"Read","tool_NAME":"Read"`, `"seſſion_id":"a","session_id":"b"`} {
				input := strings.Replace(string(file.Data), "{", "{"+more+",", 1)
				if e, err := a.Parse([]byte(input), environment); err == nil || !strings.Contains(err.Error(), "is there twice") {
					t.Errorf("%s, %s: read as %+v, %v", a.Name, file.Name, e, err)
				}
			}
		}
	}
}

// An event that stops something has what it takes to decide it.
func FuzzParse(f *testing.F) {
	for _, a := range hook.Agents() {
		archive, err := txtar.ParseFile(filepath.Join("testdata", a.Name+".txtar"))
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if strings.HasSuffix(file.Name, ".in") {
				f.Add(a.Name, bytes.Clone(file.Data))
			}
		}
	}
	f.Fuzz(func(t *testing.T, name string, input []byte) {
		a, err := hook.Find(name)
		if err != nil {
			return
		}
		e, err := a.Parse(input, environment)
		if err != nil {
			return
		}
		if e.Agent != name {
			t.Errorf("%q became %q", name, e.Agent)
		}
		if (e.Kind == hook.PreTool || e.Kind == hook.PostTool) && (e.Session == "" || e.Call.Tool == "" || !filepath.IsAbs(e.Dir)) {
			t.Errorf("%+v", e)
		}
		if e.Kind == hook.PostTool && e.Result == nil {
			t.Errorf("%+v has no result", e)
		}
		if o := a.Answer(e, hook.Answer{Verdict: remit.Deny, Reason: "Remit"}); e.Kind == hook.PreTool && !a.Denied(o) {
			t.Errorf("a denial that doesn't deny: %+v", o)
		}
	})
}
