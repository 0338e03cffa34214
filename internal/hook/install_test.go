package hook_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/remit-project/remit/internal/hook"
)

// earlier are files as people have them.
var earlier = map[string]string{
	"empty":         "{}",
	"with a line":   "{\n}\n",
	"other things":  "{\n  \"model\": \"x\", // mine\n  \"n\": 12345678901234567890\n}\n",
	"a comma":       "{\"a\": [1, 2,],}",
	"no hooks":      `{"hooks": {}}`,
	"others' hooks": `{"version":1,"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"mine"}]}],"beforeShellExecution":[{"command":"./mine.sh"}],"preToolUse":[{"type":"command","bash":"mine"}],"BeforeTool":[ ],"Stop":[]}, "z": null}`,
	"windows":       "\ufeff{\r\n\t\"hooks\": {\r\n\t\t\"PreToolUse\": [\r\n\t\t]\r\n\t}\r\n}\r\n",
}

// What goes in comes out again, byte by byte; a second time changes nothing; and
// what is there afterwards has no flaw that a hook's file can have.
func TestInstall(t *testing.T) {
	for _, a := range hook.Agents() {
		command := a.Command("/opt/my tools/remit", hook.Settings{Contracts: "/home/u/it's mine"})
		for name, text := range earlier {
			t.Run(a.Name+" "+name, func(t *testing.T) {
				out, err := a.Install("f.json", []byte(text), command)
				if err != nil {
					t.Fatal(err)
				}
				if again, err := a.Install("f.json", out, command); err != nil || !bytes.Equal(again, out) {
					t.Errorf("a second time made %s, %v", again, err)
				}
				flaws, err := a.Check("f.json", out)
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range flaws {
					if f.Open {
						t.Errorf("%+v in %s", f, out)
					}
				}
				if back, err := a.Uninstall("f.json", out, []byte("{]"), []byte(text)); err != nil || string(back) != text && back != nil {
					t.Errorf("got back %s, %v", back, err)
				}
				back, err := a.Uninstall("f.json", out)
				if err != nil {
					t.Fatal(err)
				}
				if left, err := a.Hooks("f.json", back); back != nil && (err != nil || len(left) > 0) {
					t.Errorf("left without a backup: %v, %v", left, err)
				}
				if strings.Contains(text, "mine") && !bytes.Contains(back, []byte("mine")) {
					t.Errorf("others' hooks are gone: %s", back)
				}
			})
		}
	}
}

// A file that was made for the hooks goes with them.
func TestMadeForHooks(t *testing.T) {
	for _, a := range hook.Agents() {
		out, err := a.Install("f.json", nil, a.Command("remit", hook.Settings{}))
		if err != nil {
			t.Fatal(err)
		}
		if back, err := a.Uninstall("f.json", out); err != nil || back != nil {
			t.Errorf("%s: %s, %v", a.Name, back, err)
		}
	}
}

// An older command line is replaced, not doubled; what others added to the file
// meanwhile stays.
func TestInstallAgain(t *testing.T) {
	a, err := hook.Find("claude-code")
	if err != nil {
		t.Fatal(err)
	}
	out, err := a.Install("f.json", []byte(earlier["others' hooks"]), a.Command("/old/remit", hook.Settings{}))
	if err != nil {
		t.Fatal(err)
	}
	out = bytes.Replace(out, []byte(`"Stop":[]`), []byte(`"Stop":[{"hooks":[{"type":"command","command":"new"}]}]`), 1)
	if out, err = a.Install("f.json", out, a.Command("/new/remit", hook.Settings{Contracts: "/c"})); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(out, []byte("/old/remit")) || !bytes.Contains(out, []byte(`"command":"new"`)) || bytes.Count(out, []byte("/new/remit hook claude-code --contracts /c")) != 5 {
		t.Errorf("%s", out)
	}
}

func TestInstallRefused(t *testing.T) {
	a, err := hook.Find("claude-code")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ text, command, want string }{
		"no object":      {"[]", "remit hook claude-code", "holds no object"},
		"hooks as text":  {`{"hooks":"x"}`, "remit hook claude-code", "hooks must be an object"},
		"events as text": {`{"hooks":{"PreToolUse":"x"}}`, "remit hook claude-code", "PreToolUse must be a list"},
		"no JSON":        {"{", "remit hook claude-code", "f.json:1:2"},
		"another name":   {"{}", "guard hook claude-code", "must be remit"},
		"another agent":  {"{}", "remit hook cursor", "must be remit"},
	} {
		t.Run(name, func(t *testing.T) {
			if out, err := a.Install("f.json", []byte(test.text), test.command); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s, %v", out, err)
			}
		})
	}
}

// What would let calls pass is found.
func TestCheck(t *testing.T) {
	for name, test := range map[string]struct{ agent, old, new, want string }{
		"hooks turned off":   {"claude-code", "{\n", "{\n\"disableAllHooks\": true,", "turns all hooks off"},
		"fails open":         {"claude-code", `, "onFailure": "block"`, "", "onFailure of the hook for PreToolUse"},
		"some tools":         {"claude-code", `"matcher": "*"`, `"matcher": "Bash"`, `runs for the tools "Bash" only`},
		"too little time":    {"claude-code", `"timeout": 10`, `"timeout": 1`, "less time"},
		"milliseconds":       {"gemini", `"timeout": 10000`, `"timeout": 10`, "less time"},
		"no such event":      {"cursor", `"beforeMCPExecution"`, `"beforeMcpExecution"`, "no hook of Remit's for beforeMCPExecution"},
		"not closed":         {"cursor", `"failClosed": true`, `"failClosed": false`, "failClosed of the hook for beforeShellExecution"},
		"another's program":  {"windsurf", "remit hook windsurf", "true # remit hook windsurf", "no hook of Remit's for pre_run_command"},
		"more than a hook":   {"codex", "remit hook codex", "remit hook codex || true", "no hook of Remit's for PreToolUse"},
		"hidden by a switch": {"copilot", `"preToolUse"`, `"preToolUsed"`, "no hook of Remit's for preToolUse"},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := hook.Find(test.agent)
			if err != nil {
				t.Fatal(err)
			}
			out, err := a.Install("f.json", nil, a.Command("remit", hook.Settings{}))
			if err != nil {
				t.Fatal(err)
			}
			flaws, err := a.Check("f.json", bytes.Replace(out, []byte(test.old), []byte(test.new), 1))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range flaws {
				if f.Open && strings.Contains(f.Message, test.want) {
					return
				}
			}
			t.Errorf("%+v", flaws)
		})
	}
}
