// Package setup puts Remit in front of the MCP servers of a client, and takes it
// out again: it edits the client's file so that the edit can be undone, or makes a
// configuration of the gateway that serves the same servers. Values that look like
// secrets stay where they are; a configuration refers to them.
package setup
