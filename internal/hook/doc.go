// Package hook is the enforcement point for agents that run a command before and
// after each of their tools: Claude Code, Codex CLI, Cursor, Gemini CLI, Copilot
// CLI and Windsurf.
//
// An [Agent] turns what its program writes to a hook into an [Event], the one
// form that all of them share, and an [Answer] into what the program expects. A
// [Service] feeds events to the session of the conversation and decides calls.
// It runs in a daemon, which the first event starts and which ends when nothing
// comes; [Client] is what a hook itself is: it asks the daemon, and where it
// can't, the call is denied.
package hook
