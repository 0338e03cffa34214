// Package strictjson reads JSON in the one way that leaves no room for two
// readers to disagree, and edits it as the text that it is.
//
// RFC 8259 lets parsers choose what a repeated member name, a lone surrogate or a broken UTF-8
// sequence means, and they choose differently: most take the last of two "to" members, some the
// first, some both. A monitor that checks one recipient while the tool sends to another checks
// nothing. So [Parse] accepts the intersection of RFC 8259 and I-JSON (RFC 7493) and refuses the
// rest, and [Document.Canonical] gives the bytes to forward instead of the original, so that
// monitor and tool read the same text.
//
// The grammar is judged by jsontext, which Go 1.27 has as encoding/json/jsontext.
// A text that it accepts is then walked once: the walk notes where each value is
// and holds the text to the [Limits]. It takes time proportional to the size of
// the text, whatever the text looks like.
//
// A [Value] is a place in a document. Its [Span] serves to replace exactly the
// bytes that an edit is about: a program that decodes a message into typed values
// and encodes it again loses what the types don't know, such as members of later
// revisions, numbers beyond 2⁵³ and the order of a schema.
package strictjson
