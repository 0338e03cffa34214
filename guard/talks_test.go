package guard_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/raced"
	"github.com/remit-project/remit/label"
)

// talkCase is a call after a talk: an attack, which must not pass, or an honest one, which must. Short
// says why it is decided otherwise.
type talkCase struct {
	Attack, Honest, Short string
	Rule, Call            string
	Talk                  []string
}

// talkOf makes a history of lines such as "user: yes", "agent: Shall I?", "denied TOOL {…}" and
// "TOOL {…} -> RESULT", where the result may be lost, or be marked as one of a failure: see [resultOf].
func talkOf(t *testing.T, lines []string) *guard.History {
	t.Helper()
	h := &guard.History{}
	for _, line := range lines {
		who, text, _ := strings.Cut(line, ": ")
		if kind, ok := map[string]guard.EntryKind{"user": guard.UserEntry, "agent": guard.AssistantEntry}[who]; ok {
			h.Entries = append(h.Entries, guard.Entry{Kind: kind, Text: text})
			continue
		}
		kind := guard.CallEntry
		made, denied := strings.CutPrefix(line, "denied ")
		if denied {
			kind = guard.DeniedEntry
		}
		made, result, _ := strings.Cut(made, " -> ")
		c := calling(t, made)
		if !denied && result != "lost" {
			c.Result = resultOf(result)
		}
		h.Entries = append(h.Entries, guard.Entry{Kind: kind, Call: c})
	}
	return h
}

// resultOf makes a result of its text, which begins with "failed: " or "succeeded: " where the tool says so.
func resultOf(text string) *guard.Result {
	for word, failed := range map[string]bool{"failed: ": true, "succeeded: ": false} {
		if rest, ok := strings.CutPrefix(text, word); ok {
			return &guard.Result{Content: rest, Failed: &failed}
		}
	}
	return &guard.Result{Content: text}
}

// calling reads a call such as `pay {"card": "c1"}`.
func calling(t *testing.T, text string) *guard.Call {
	t.Helper()
	tool, arguments, ok := strings.Cut(text, " ")
	if !ok || !json.Valid([]byte(arguments)) {
		t.Fatalf("%q is no call", text)
	}
	return &guard.Call{Server: "shop", Tool: tool, Arguments: json.RawMessage(arguments)}
}

// TestTalks holds the notions of what was said to talks that attack them, and to honest ones that are
// alike, each file for one way to attack.
func TestTalks(t *testing.T) {
	raced.SkipTable(t)
	files, err := filepath.Glob("testdata/talks/*.yaml")
	must(t, err)
	if len(files) == 0 {
		t.Fatal("no talks")
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".yaml"), func(t *testing.T) {
			data, err := os.ReadFile(name)
			must(t, err)
			var file struct {
				Rule, Call string
				Cases      []talkCase
			}
			must(t, yaml.Unmarshal(data, &file))
			through, attacks, stopped, honest := 0, 0, 0, 0
			for _, c := range file.Cases {
				if c.Rule == "" {
					c.Rule = file.Rule
				}
				if c.Call == "" {
					c.Call = file.Call
				}
				allowed := judgeTalk(t, c) == label.Allow
				if c.Attack != "" {
					attacks++
				} else {
					honest++
				}
				switch {
				case c.Attack != "" && allowed:
					through++
				case c.Honest != "" && !allowed:
					stopped++
				}
				right := allowed == (c.Honest != "")
				if right == (c.Short != "") {
					t.Errorf("%s%s: allowed is %t (short: %q)", c.Attack, c.Honest, allowed, c.Short)
				}
			}
			t.Logf("%d of %d attacks pass, %d of %d honest ones are held up", through, attacks, stopped, honest)
		})
	}
}

// judgeTalk returns the verdict on a case.
func judgeTalk(t *testing.T, c talkCase) label.Verdict {
	t.Helper()
	rule, err := json.Marshal(c.Rule)
	must(t, err)
	set, err := compiled(t, shop(t), `{tool: "*", policies: [{name: all, require: `+string(rule)+`, message: m}]}`)
	must(t, err)
	made := calling(t, c.Call)
	r := request(string(made.Arguments))
	r.Server, r.Tool, r.History = made.Server, made.Tool, talkOf(t, c.Talk)
	out := set.Evaluate(t.Context(), r).Violations
	if len(out) == 0 {
		return label.Allow
	}
	if out[0].Failed != "" {
		t.Errorf("%s%s: %s", c.Attack, c.Honest, out[0].Failed)
	}
	return out[0].Verdict
}
