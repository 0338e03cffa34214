package hook

import (
	"encoding/json"
	"strings"

	"github.com/remit-project/remit"
)

// codex is OpenAI's Codex CLI. It takes an unknown answer for a failed hook and
// lets the call pass, so an allowed call gets no answer, and Remit never has it
// ask.
func codex() *Agent {
	return &Agent{
		Name: "codex", Title: "Codex CLI",
		parse: func(input []byte, _ func(string) string) (*Event, error) {
			var in claudeInput
			if err := decode(input, &in); err != nil {
				return nil, err
			}
			e := in.event()
			if e.Call != nil && e.Call.Server == "" && e.Call.Tool == "apply_patch" {
				e.Call.Arguments = addPatchFiles(e.Call.Arguments)
			}

			return e, nil
		},
		answer: func(_ *Event, a Answer) Output {
			if a.Verdict == remit.Allow {
				return Output{}
			}
			return Output{Stdout: encode(claudeOutput{claudeSpecific{"PreToolUse", "deny", a.Reason}})}
		},
		files: files{
			user: ".codex/hooks.json", project: ".codex/hooks.json",
			form: groups, pre: []string{"PreToolUse"}, others: []string{"UserPromptSubmit", "PostToolUse", "SessionStart"},
			settings: []setting{{"timeout", hookTime}}, matcher: "*",
			gaps: []string{
				"Codex CLI has no setting by which a hook that fails or is too slow stops a call",
				"Codex CLI runs hooks only when its feature for them is on and the hooks are trusted: see /hooks there",
			},
		},
	}
}

// addPatchFiles lists the files of a patch beside it, so that they count as
// paths.
func addPatchFiles(raw json.RawMessage) json.RawMessage {
	var in struct {
		Command string `json:"command"`
		Input   string `json:"input"`
		Patch   string `json:"patch"`
	}
	if json.Unmarshal(raw, &in) != nil {
		return raw
	}
	text := in.Command + in.Input + in.Patch

	var paths, removed []string
	for line := range strings.Lines(text) {
		// Codex CLI ignores blanks when it applies a patch.
		line = strings.TrimSpace(line)
		for _, head := range []string{"*** Add File:", "*** Update File:", "*** Move to:"} {
			if p, ok := strings.CutPrefix(line, head); ok {
				paths = append(paths, strings.TrimSpace(p))
			}
		}
		if p, ok := strings.CutPrefix(line, "*** Delete File:"); ok {
			removed = append(removed, strings.TrimSpace(p))
		}
	}

	out := map[string]any{"patch": text}
	if len(paths) > 0 {
		out["paths"] = paths
	}
	if len(removed) > 0 {
		out["removed"] = removed
	}
	return arguments(out)
}
