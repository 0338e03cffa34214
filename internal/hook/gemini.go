package hook

import (
	"encoding/json"
	"regexp"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/userturn"
)

type geminiInput struct {
	Session string          `json:"session_id"`
	Dir     string          `json:"cwd"`
	Event   string          `json:"hook_event_name"`
	Prompt  string          `json:"prompt"`
	Tool    string          `json:"tool_name"`
	Input   json.RawMessage `json:"tool_input"`
	MCP     struct {
		Server string `json:"server_name"`
		Tool   string `json:"tool_name"`
	} `json:"mcp_context"`
	Response struct {
		Content json.RawMessage `json:"llmContent"`
		Error   json.RawMessage `json:"error"`
	} `json:"tool_response"`
}

// link matches an address in the prompt of web_fetch.
var link = regexp.MustCompile(`(?i)\bhttps?://[^\s"'<>]+`)

// geminiNotes are the events by which Gemini CLI only informs, or which concern
// its requests to the model.
var geminiNotes = notes("AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection", "PreCompress", "Notification")

// gemini is Google's Gemini CLI. Its hooks can't ask.
func gemini() *Agent {
	return &Agent{
		Name: "gemini", Title: "Gemini CLI", joins: "_",
		parse: func(input []byte, env func(string) string) (*Event, error) {
			var in geminiInput
			if err := decode(input, &in); err != nil {
				return nil, err
			}
			e := &Event{Session: in.Session, Dir: in.Dir, Kind: geminiNotes[in.Event]}
			if root := env("GEMINI_PROJECT_DIR"); root != "" {
				e.Roots = []string{root}
			}

			switch in.Event {
			case "BeforeAgent":
				e.Kind = Prompt
				e.Prompt, e.Beside, e.Attached = userturn.Split(in.Prompt)
				return e, nil
			case "SessionStart":
				e.Kind = SessionStart
				return e, nil
			case "SessionEnd":
				e.Kind = SessionEnd
				return e, nil
			case "BeforeTool":
				e.Kind = PreTool
			case "AfterTool":
				e.Kind, e.Result = PostTool, result(in.Response.Content)
				e.Result.Failed = len(in.Response.Error) > 0 && string(in.Response.Error) != "null"
			default:
				return e, nil
			}
			e.Call = &Call{Tool: in.Tool, Arguments: object(in.Input)}

			switch {
			case in.MCP.Server != "" && in.MCP.Tool != "":
				e.Call.MCP, e.Call.Server, e.Call.Tool = true, in.MCP.Server, in.MCP.Tool
			case in.Tool == "web_fetch":
				e.Call.Arguments = addLinks(e.Call.Arguments)
			}
			return e, nil
		},
		answer: func(e *Event, a Answer) Output {
			if e.Kind == Prompt || a.Verdict == remit.Allow {
				return Output{Stdout: "{}\n"}
			}
			return Output{Stdout: encode(map[string]string{"decision": "deny", "reason": a.Reason})}
		},
		files: files{
			user: ".gemini/settings.json", project: ".gemini/settings.json",
			form: groups, pre: []string{"BeforeTool"}, others: []string{"BeforeAgent", "AfterTool", "SessionStart"},
			settings: []setting{{"name", "remit"}, {"timeout", 1000 * hookTime}}, matcher: ".*",
			gaps: []string{"Gemini CLI has no setting by which a hook that fails or is too slow stops a call"},
		},
	}
}

// addLinks lists the addresses in the prompt of web_fetch beside it.
func addLinks(raw json.RawMessage) json.RawMessage {
	var in struct {
		Prompt string `json:"prompt"`
		URL    string `json:"url"`
	}
	if json.Unmarshal(raw, &in) != nil {
		return raw
	}
	urls := link.FindAllString(in.Prompt, -1)
	if in.URL != "" {
		urls = append(urls, in.URL)
	}
	out := map[string]any{"prompt": in.Prompt}
	if len(urls) > 0 {
		out["urls"] = urls
	}
	return arguments(out)
}
