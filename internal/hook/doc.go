// Package hook is the enforcement point for agents that run a command before and
// after each tool call: Claude Code, Codex CLI, Cursor, Gemini CLI, Copilot CLI
// and Windsurf.
//
// An [Agent] turns its program's hook input into an [Event], the form that all
// agents share, and an [Answer] into the output that the program expects. A
// [Service] feeds events to the conversation's session and decides calls. It runs
// in a daemon, which the first event starts and which ends when idle. A hook is a
// [Client] of the daemon; if it can't get an answer, it denies the call.
package hook
