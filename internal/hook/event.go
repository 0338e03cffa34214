package hook

import (
	"encoding/json"

	"github.com/remit-project/remit"
)

// Kind is the kind of an event.
type Kind string

// The kinds of events. Other marks events that Remit ignores.
const (
	Prompt       Kind = "prompt"
	PreTool      Kind = "pre-tool"
	PostTool     Kind = "post-tool"
	SessionStart Kind = "session-start"
	SessionEnd   Kind = "session-end"
	Other        Kind = "other"
)

// Event is an agent's report to its hook, in the form that all agents share.
type Event struct {
	// Agent is the agent's name, and Session its own id of the conversation.
	Agent   string `json:"agent"`
	Session string `json:"session"`
	Kind    Kind   `json:"kind"`
	// Dir is the agent's working directory, and Roots are the directories of its
	// workspace; Dir alone if there are none.
	Dir   string   `json:"dir,omitempty"`
	Roots []string `json:"roots,omitempty"`
	// Prompt is the user's text, Attached the attached text of other authors, and
	// Beside the text that the editor or the agent added: parts of the workspace,
	// and messages of their own.
	Prompt   string `json:"prompt,omitempty"`
	Attached string `json:"attached,omitempty"`
	Beside   string `json:"beside,omitempty"`
	// Call is the call of a PreTool or PostTool event.
	Call *Call `json:"call,omitempty"`
	// Result is what the agent saw of the call, in a PostTool event.
	Result *Result `json:"result,omitempty"`
}

// noWorkspace is the root of an event without a workspace: no path is inside it.
const noWorkspace = "none"

// Call is a proposed or reported call.
type Call struct {
	// ID is the agent's id of the call; empty if it has none.
	ID string `json:"id,omitempty"`
	// MCP is true for a tool of an MCP server, and Server is the server's name;
	// empty if the agent doesn't report it.
	MCP       bool            `json:"mcp,omitempty"`
	Server    string          `json:"server,omitempty"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Asks is true when the agent puts a hook's question to the user and doesn't
	// answer in the user's place.
	Asks bool `json:"asks,omitempty"`
}

// Result is the result of a call.
type Result struct {
	Text       string          `json:"text,omitempty"`
	Structured json.RawMessage `json:"structured,omitempty"`
	// Failed is true when the call ended in an error or didn't run.
	Failed bool `json:"failed,omitempty"`
}

// Answer is Remit's answer to an event.
type Answer struct {
	Verdict remit.Verdict `json:"verdict"`
	// Reason is for the model and for the person who is asked; empty for an
	// allowed call.
	Reason string `json:"reason,omitempty"`
}

// Output is a hook's output and exit code.
type Output struct {
	Stdout, Stderr string
	Exit           int
}

// blocked is the exit code that makes every agent block the action. The reason is
// on standard error.
const blocked = 2
