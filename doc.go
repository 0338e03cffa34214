// Package remit is a reference monitor for tool-using LLM agents: it sits between the agent and
// its tools and decides every call, argument by argument, before it runs.
//
// A [Monitor] holds the contracts of the tools; a [Session] is one
// conversation. Tell the session what happens (system text, user messages,
// results of calls), ask it to [Session.Decide] every proposed call, and
// forward [Decision.Arguments] when the verdict is [Allow].
//
// A decision is a pure function of what the session knows. The package does no I/O
// and reads no clock of its own: a clock, a reader for the look-ups of guards, a
// judge and a confirmer come in by [Options]. Every doubt falls on the low-trust
// side: an unknown tool, an unknown argument, a changed tool
// definition or a limit reached never allows a call.
package remit
