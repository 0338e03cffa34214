package hook

import (
	"encoding/json"
	"strings"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/userturn"
)

// claudeInput is Claude Code's input; Codex CLI's is a subset.
type claudeInput struct {
	Session  string          `json:"session_id"`
	Dir      string          `json:"cwd"`
	Mode     string          `json:"permission_mode"`
	Event    string          `json:"hook_event_name"`
	Prompt   string          `json:"prompt"`
	Tool     string          `json:"tool_name"`
	Input    json.RawMessage `json:"tool_input"`
	ID       string          `json:"tool_use_id"`
	Response json.RawMessage `json:"tool_response"`
	Error    json.RawMessage `json:"error"`
}

// claudeNotes are the events by which Claude Code, and agents that adopted its
// form, only inform.
var claudeNotes = notes("Stop", "StopFailure", "SubagentStart", "SubagentStop", "Notification", "PreCompact", "PostCompact", "PermissionDenied", "InstructionsLoaded",
	"ElicitationResult", "TaskCreated", "TaskCompleted", "TeammateIdle", "CwdChanged", "FileChanged", "Setup", "ErrorOccurred", "AgentStop")

func (in *claudeInput) event() *Event {
	e := &Event{Session: in.Session, Dir: in.Dir, Kind: claudeNotes[in.Event]}
	switch in.Event {
	case "UserPromptSubmit":
		e.Kind = Prompt
		e.Prompt, e.Beside, e.Attached = userturn.Split(in.Prompt)
		return e
	case "SessionStart":
		e.Kind = SessionStart
		return e
	case "SessionEnd":
		e.Kind = SessionEnd
		return e
	case "PreToolUse":
		e.Kind = PreTool
	case "PostToolUse":
		e.Kind, e.Result = PostTool, result(in.Response)
	case "PostToolUseFailure":
		e.Kind, e.Result = PostTool, result(in.Error)
		e.Result.Failed = true
	default:
		return e
	}

	server, tool := mcpName(in.Tool)
	e.Call = &Call{ID: in.ID, MCP: server != "", Server: server, Tool: tool, Arguments: object(in.Input)}
	return e
}

// mcpName splits the name of an MCP tool: mcp__server__tool.
func mcpName(name string) (server, tool string) {
	if rest, ok := strings.CutPrefix(name, "mcp__"); ok {
		if server, tool, ok := strings.Cut(rest, "__"); ok && server != "" && tool != "" {
			return server, tool
		}
	}
	return "", name
}

// claudeOutput is the answer to a PreToolUse event.
type claudeOutput struct {
	Specific claudeSpecific `json:"hookSpecificOutput"`
}

type claudeSpecific struct {
	Event    string `json:"hookEventName"`
	Decision string `json:"permissionDecision"`
	Reason   string `json:"permissionDecisionReason"`
}

// claudeCode is Anthropic's Claude Code. An allowed call gets no answer: "allow"
// would override the user's own permission rules.
func claudeCode() *Agent {
	return &Agent{
		Name: "claude-code", Title: "Claude Code",
		parse: func(input []byte, env func(string) string) (*Event, error) {
			var in claudeInput
			if err := decode(input, &in); err != nil {
				return nil, err
			}
			e := in.event()
			if root := env("CLAUDE_PROJECT_DIR"); root != "" {
				e.Roots = []string{root}
			}
			if e.Call != nil {
				// Other modes may answer in the user's place.
				e.Call.Asks = in.Mode == "default" || in.Mode == "acceptEdits" || in.Mode == "plan"
			}

			return e, nil
		},
		answer: func(_ *Event, a Answer) Output {
			if a.Verdict == remit.Allow {
				return Output{}
			}
			return Output{Stdout: encode(claudeOutput{claudeSpecific{"PreToolUse", string(a.Verdict), a.Reason}})}
		},
		files: files{
			user: ".claude/settings.json", project: ".claude/settings.json",
			form: groups, pre: []string{"PreToolUse"}, others: []string{"UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "SessionStart"},
			settings: []setting{{"timeout", hookTime}, {"onFailure", "block"}}, matcher: "*", off: "disableAllHooks",
			gaps: []string{"versions before 2.1.295 don't know onFailure, and let a call pass when the hook itself fails"},
		},
	}
}
