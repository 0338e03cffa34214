// Package rawjson reads and edits JSON as the text that it is.
//
// Whoever decodes a message of somebody else's into a typed value and encodes it
// again loses what the type doesn't know: members of later revisions, numbers
// beyond 2⁵³, the order of a schema. Here an edit replaces exactly the bytes it
// is about, and everything else stays as it came.
//
// Texts must have been accepted by package strictjson first. Others give errors
// or parts of what they hold, never a panic.
package rawjson
