// Package pack holds reviewed contracts of servers that many people run. A pack is
// made by running the server and reading its source.
//
// A server gets a pack only if the operator's own configuration names its package: by
// the command that starts the server ([ForCommand]), or by the pack's name ([Named]).
// What a server says about itself never selects a pack. The second condition is the
// definition: a tool whose definition is not one that the pack reviewed gets a
// synthesized contract instead.
//
// The contracts of coding agents' own tools, which hooks use, are here as well.
package pack
