// Package trace reads recorded agent sessions in the form in which people
// already have them, and replays them through a monitor.
//
// A recording is one JSON document a session, several of them one after the
// other (JSON Lines, but a document may also be spread over lines), plain or
// compressed with gzip:
//
//	{"id": "…", "time": "…", "tools": […], "messages": […]}
//
// Messages are in the OpenAI chat form, tools in the OpenAI or the MCP form. A
// tool message may carry the structured result beside its text, in a member
// "structured". docs/reference/traces.md describes the form in full.
//
// Sessions in other forms, requests to models, transcripts and spans, are read as well:
// each is written in this form first.
//
// Roles, types of parts and forms that the reader does not understand it refuses,
// with the line and what to write instead: a message that is silently dropped
// could be the one that an attack came in with. Members that the form does not
// have are ignored.
package trace
