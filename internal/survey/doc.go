// Package survey looks at a machine for what Remit can protect: the files of MCP clients,
// coding agents, and projects whose code calls models. It reads, and changes nothing. What
// can't be read is reported with its place, and hides nothing else.
package survey
