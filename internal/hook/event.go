package hook

import (
	"encoding/json"

	"github.com/remit-project/remit"
)

// Kind is what happened.
type Kind string

// The kinds of events. Those that mean nothing to Remit are Other.
const (
	Prompt       Kind = "prompt"
	PreTool      Kind = "pre-tool"
	PostTool     Kind = "post-tool"
	SessionStart Kind = "session-start"
	SessionEnd   Kind = "session-end"
	Other        Kind = "other"
)

// Event is what an agent tells its hook, in the form that all agents share.
type Event struct {
	// Agent is the agent's name, and Session the id of the conversation by which
	// the agent itself knows it.
	Agent   string `json:"agent"`
	Session string `json:"session"`
	Kind    Kind   `json:"kind"`
	// Dir is the directory that the agent works in, and Roots are those that
	// make up its workspace; Dir alone when there are none.
	Dir   string   `json:"dir,omitempty"`
	Roots []string `json:"roots,omitempty"`
	// Prompt is what the user said, Attached what came with it and was written by
	// others, and Beside what the editor or the agent put there: parts of the
	// workspace, and what they have to say themselves.
	Prompt   string `json:"prompt,omitempty"`
	Attached string `json:"attached,omitempty"`
	Beside   string `json:"beside,omitempty"`
	// Call is the call of a PreTool or PostTool event.
	Call *Call `json:"call,omitempty"`
	// Result is what the agent saw of the call, for a PostTool event.
	Result *Result `json:"result,omitempty"`
}

// noWorkspace is the root of an event that names none: nothing is in it.
const noWorkspace = "none"

// Call is a call as the agent proposes or reports it.
type Call struct {
	// ID is the agent's own; empty where it has none.
	ID string `json:"id,omitempty"`
	// MCP tells that the tool is an MCP server's, and Server is the server's name;
	// empty where the agent doesn't tell it.
	MCP       bool            `json:"mcp,omitempty"`
	Server    string          `json:"server,omitempty"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Asks tells that the agent puts a question of the hook to the user, and
	// doesn't answer in the user's place.
	Asks bool `json:"asks,omitempty"`
}

// Result is what a call returned.
type Result struct {
	Text       string          `json:"text,omitempty"`
	Structured json.RawMessage `json:"structured,omitempty"`
	// Failed tells that the call ended in an error, or didn't run at all.
	Failed bool `json:"failed,omitempty"`
}

// Answer is what is to be done.
type Answer struct {
	Verdict remit.Verdict `json:"verdict"`
	// Reason is for the model, and for the person who is asked; empty for an
	// allowed call.
	Reason string `json:"reason,omitempty"`
}

// Output is what a hook ends with.
type Output struct {
	Stdout, Stderr string
	Exit           int
}

// blocked is the exit code by which every agent takes it that the action must
// not happen. The reason is on standard error then.
const blocked = 2
