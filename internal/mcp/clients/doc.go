// Package clients reads the configuration files in which MCP clients (Claude
// Desktop, Claude Code, Cursor, VS Code) name their servers, and puts the
// gateway in front of servers there, and takes it out.
//
// The files belong to people and to other programs. An edit replaces exactly
// the bytes that it is about: comments, the order of members, unknown members
// and the formatting stay. What can't be understood is refused with its place,
// never guessed.
package clients
