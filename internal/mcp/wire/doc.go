// Package wire reads and edits JSON-RPC 2.0 messages as bytes.
//
// A message stays the text that it came as. Only its envelope is understood, and
// an edit replaces exactly the bytes it is about (package strictjson).
//
// Every message is held to package strictjson first: a member that appears twice
// is refused, so that the relay, the monitor and the receiver can't each read
// another one.
package wire
