package hook

import (
	"cmp"
	"encoding/json"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/userturn"
)

// copilotInput has the members of both forms of Copilot CLI's input.
type copilotInput struct {
	claudeInput
	SessionID string          `json:"sessionId"`
	ToolName  string          `json:"toolName"`
	ToolArgs  json.RawMessage `json:"toolArgs"`
	Initial   *string         `json:"initialPrompt"`
	Reason    string          `json:"reason"`
	Result    *struct {
		Type string `json:"resultType"`
		Text string `json:"textResultForLlm"`
	} `json:"toolResult"`
	Source string `json:"source"`
}

// copilot is GitHub's Copilot CLI. Whether it asks the user depends on how it was
// started, which it doesn't report, so Remit never has it ask.
func copilot() *Agent {
	return &Agent{
		Name: "copilot", Title: "Copilot CLI", joins: "-",
		parse: func(input []byte, _ func(string) string) (*Event, error) {
			var in copilotInput
			if err := decode(input, &in); err != nil {
				return nil, err
			}
			if in.Event != "" {
				return in.claudeInput.event(), nil
			}

			e := &Event{Session: in.SessionID, Dir: in.Dir}
			switch {
			case in.ToolName != "":
				e.Kind = PreTool
				e.Call = &Call{Tool: in.ToolName, Arguments: object(unquote(in.ToolArgs))}
				if in.ToolName == "apply_patch" {
					e.Call.Arguments = addPatchFiles(e.Call.Arguments)
				}
				if in.Result != nil {
					e.Kind, e.Result = PostTool, &Result{Text: in.Result.Text, Failed: in.Result.Type != "success"}
				}
			case in.Source != "" || in.Initial != nil:
				// The first prompt is repeated in an event of its own.
				e.Kind = SessionStart
			case in.Prompt != "":
				e.Kind = Prompt
				e.Prompt, e.Beside, e.Attached = userturn.Split(in.Prompt)
			case in.Reason != "":
				e.Kind = SessionEnd
			}

			return e, nil
		},
		answer: func(e *Event, a Answer) Output {
			if e.Kind == Prompt || a.Verdict == remit.Allow {
				return Output{Stdout: "{}\n"}
			}
			return Output{Stdout: encode(map[string]string{"permissionDecision": "deny", "permissionDecisionReason": cmp.Or(a.Reason, "denied by Remit")})}
		},
		files: files{
			user: ".copilot/hooks/remit.json", project: ".github/hooks/remit.json", version: true, command: "bash",
			form: flat, pre: []string{"preToolUse"}, others: []string{"userPromptSubmitted", "postToolUse", "sessionStart"},
			settings: []setting{{"type", "command"}, {"timeoutSec", hookTime}},
			gaps: []string{
				"Copilot CLI lets a call pass when the hook is too slow, and versions before 1.0.57 also when it fails",
				"with -p, hooks of the repository run only where GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS is set",
			},
		},
	}
}
