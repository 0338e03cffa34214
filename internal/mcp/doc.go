// Package mcp is Remit's enforcement point for the Model Context Protocol: a
// server to the agent, a client to any number of servers, and between them a
// relay that decides every tools/call before it is passed on.
//
// Messages stay bytes (package wire). What isn't decided passes as it came,
// methods that this package has never heard of included; what is decided goes
// on in the canonical form of what was checked.
//
// A [Gateway] holds what is common to all clients: the servers, their contracts
// and the definitions that were first seen. A conversation is one client's
// connection, with connections of its own to the servers, so that nothing can
// reach another client. Labels live in a [Session], which a conversation finds
// by its anchor; see docs/reference/gateway.md for the anchors.
package mcp
