package hook

import (
	"cmp"
	"encoding/json"
	"path/filepath"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/userturn"
)

type windsurfInput struct {
	Action     string `json:"agent_action_name"`
	Trajectory string `json:"trajectory_id"`
	Info       struct {
		Server    string          `json:"mcp_server_name"`
		Tool      string          `json:"mcp_tool_name"`
		Arguments json.RawMessage `json:"mcp_tool_arguments"`
		Result    json.RawMessage `json:"mcp_result"`
		Command   string          `json:"command_line"`
		Dir       string          `json:"cwd"`
		File      string          `json:"file_path"`
		Edits     json.RawMessage `json:"edits"`
		Prompt    string          `json:"user_prompt"`
	} `json:"tool_info"`
}

// windsurfNotes are the events by which Windsurf only informs.
var windsurfNotes = notes("post_cascade_response", "post_cascade_response_with_transcript", "post_setup_worktree")

// windsurf is Windsurf's Cascade, which reads only a hook's exit code.
func windsurf() *Agent {
	return &Agent{
		Name: "windsurf", Title: "Windsurf",
		parse: func(input []byte, env func(string) string) (*Event, error) {
			var in windsurfInput
			if err := decode(input, &in); err != nil {
				return nil, err
			}
			info := &in.Info
			// Hooks start in the workspace. A command's directory is the model's
			// choice and tells nothing about the workspace.
			root := cmp.Or(env("ROOT_WORKSPACE_PATH"), env("PWD"), noWorkspace)
			e := &Event{Session: in.Trajectory, Dir: cmp.Or(info.Dir, env("PWD")), Roots: []string{root}, Kind: windsurfNotes[in.Action]}

			call := &Call{}
			switch in.Action {
			case "pre_user_prompt":
				e.Kind = Prompt
				e.Prompt, e.Beside, e.Attached = userturn.Split(info.Prompt)
				return e, nil
			case "pre_mcp_tool_use", "post_mcp_tool_use":
				call.MCP, call.Server, call.Tool, call.Arguments = true, info.Server, info.Tool, object(unquote(info.Arguments))
			case "pre_run_command", "post_run_command":
				call.Tool, call.Arguments = "run_command", arguments(map[string]any{"command_line": info.Command})
			case "pre_write_code", "post_write_code":
				call.Tool, call.Arguments = "write_code", arguments(map[string]any{"file_path": info.File, "edits": info.Edits})
			case "pre_read_code", "post_read_code":
				call.Tool, call.Arguments = "read_code", arguments(map[string]any{"file_path": info.File})
			default:
				return e, nil
			}
			e.Call, e.Kind = call, PreTool

			if in.Action[:4] == "post" {
				e.Kind, e.Result = PostTool, result(unquote(info.Result))
			}
			return e, nil
		},
		answer: func(_ *Event, a Answer) Output {
			if a.Verdict == remit.Allow {
				return Output{}
			}
			return Output{Stderr: a.Reason + "\n", Exit: blocked}
		},
		files: files{
			user: filepath.Join(".codeium", "windsurf", "hooks.json"), project: ".windsurf/hooks.json",
			form: flat, pre: []string{"pre_run_command", "pre_mcp_tool_use", "pre_write_code", "pre_read_code"},
			others:   []string{"pre_user_prompt", "post_mcp_tool_use", "post_run_command"},
			settings: []setting{{"show_output", true}},
			gaps:     []string{"Windsurf has no setting by which a hook that fails stops a call, and no hook for its web search"},
		},
	}
}
