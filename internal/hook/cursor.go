package hook

import (
	"encoding/json"
	"strings"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/userturn"
)

type cursorInput struct {
	Conversation string          `json:"conversation_id"`
	Event        string          `json:"hook_event_name"`
	Roots        []string        `json:"workspace_roots"`
	Dir          string          `json:"cwd"`
	Prompt       string          `json:"prompt"`
	Command      string          `json:"command"`
	Output       string          `json:"output"`
	File         string          `json:"file_path"`
	Content      string          `json:"content"`
	Edits        json.RawMessage `json:"edits"`
	Tool         string          `json:"tool_name"`
	Input        json.RawMessage `json:"tool_input"`
	ID           string          `json:"tool_use_id"`
	Returned     json.RawMessage `json:"result_json"`
	ToolOutput   json.RawMessage `json:"tool_output"`
}

// cursorNotes are the events by which Cursor only informs.
var cursorNotes = notes("stop", "subagentStart", "subagentStop", "afterAgentResponse", "afterAgentThought", "preCompact", "postToolUseFailure", "afterTabFileEdit")

// cursor is the Cursor editor. It doesn't always ask the user, so Remit never has
// it ask. Where hooks must not fail it takes silence for a failure, so an allowed
// call gets an answer.
func cursor() *Agent {
	return &Agent{
		Name: "cursor", Title: "Cursor",
		parse: func(input []byte, _ func(string) string) (*Event, error) {
			var in cursorInput
			if err := decode(input, &in); err != nil {
				return nil, err
			}

			e := &Event{Session: in.Conversation, Dir: in.Dir, Roots: in.Roots, Kind: cursorNotes[in.Event]}
			if len(in.Roots) == 0 {
				e.Roots = []string{noWorkspace} // the directory of a command is the model's choice
			} else if e.Dir == "" {
				e.Dir = in.Roots[0]
			}
			in.fill(e)
			return e, nil
		},
		answer: func(e *Event, a Answer) Output {
			switch {
			case e.Kind == Prompt:
				return Output{Stdout: encode(map[string]any{"continue": true})}
			case a.Verdict == remit.Allow:
				return Output{Stdout: encode(map[string]string{"permission": "allow"})}
			}
			return Output{Stdout: encode(map[string]string{"permission": "deny", "user_message": a.Reason, "agent_message": a.Reason})}
		},
		files: files{
			user: ".cursor/hooks.json", project: ".cursor/hooks.json", version: true,
			form: flat, pre: []string{"beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "preToolUse"},
			others:   []string{"beforeSubmitPrompt", "afterShellExecution", "afterMCPExecution", "afterFileEdit"},
			settings: []setting{{"timeout", hookTime}, {"failClosed", true}},
			gaps:     []string{"what Cursor completes inline (Tab), its web search and its browser don't go by a hook that could stop them"},
		},
	}
}

// fill reads the event's subject into e.
func (in *cursorInput) fill(e *Event) {
	call := &Call{ID: in.ID}
	switch in.Event {
	case "beforeSubmitPrompt":
		e.Kind = Prompt
		e.Prompt, e.Beside, e.Attached = userturn.Split(in.Prompt)
		return
	case "sessionStart":
		e.Kind = SessionStart
		return
	case "sessionEnd":
		e.Kind = SessionEnd
		return

	case "beforeShellExecution", "afterShellExecution":
		e.Kind = PreTool
		call.Tool, call.Arguments = "Shell", arguments(map[string]any{"command": in.Command})
		if in.Event == "afterShellExecution" {
			e.Kind, e.Result = PostTool, &Result{Text: in.Output}
		}
	case "beforeMCPExecution", "afterMCPExecution":
		e.Kind, call.MCP = PreTool, true
		call.Server, call.Tool = mcpName(in.Tool)
		call.Tool, call.Arguments = strings.TrimPrefix(call.Tool, "MCP:"), object(unquote(in.Input))
		if in.Event == "afterMCPExecution" {
			e.Kind, e.Result = PostTool, result(unquote(in.Returned))
		}

	case "beforeReadFile", "beforeTabFileRead":
		e.Kind = PreTool
		call.Tool, call.Arguments = "Read", arguments(map[string]any{"file_path": in.File})
	case "afterFileEdit":
		e.Kind, e.Result = PostTool, &Result{}
		call.Tool, call.Arguments = "Write", arguments(map[string]any{"file_path": in.File, "edits": in.Edits})
	case "preToolUse", "postToolUse":
		e.Kind = PreTool
		call.Tool, call.MCP = strings.CutPrefix(in.Tool, "MCP:")
		call.Arguments = object(unquote(in.Input))
		if in.Event == "postToolUse" {
			e.Kind, e.Result = PostTool, result(unquote(in.ToolOutput))
		}
	default:
		return
	}
	e.Call = call
}
