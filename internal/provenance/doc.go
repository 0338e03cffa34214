// Package provenance finds out where the value of an argument came from.
//
// A [Session] is fed with what the model sees: system text, user text, the
// results of calls. [Session.Resolve] answers, for each leaf of a proposed
// call, with a label, the way in which it was found, and the places in the
// session that it rests on, as byte ranges of the original text.
//
// Three rules carry the soundness of the whole, see docs/resolver.md for the
// argument and the attacks that each rule answers:
//
//   - The default is ambient. A value about which nothing better is known gets
//     the merge of everything that the model had seen when it made the call.
//     No absence of evidence ever improves a label.
//   - Raising is narrow. A value rises above the ambient label only by a
//     positive witness: the whole value, token-bounded, in text of the user or
//     the deployment; a typed equality with such text; a derivation that is
//     recomputed here; or a whole field of a structured result.
//   - Evidence is wide, and only explains. The index over all text finds
//     copies through case, compatibility forms and encodings. It lowers and
//     illustrates; its limits can cost explanation, never trust.
//
// The package does no I/O. A Session is not safe for concurrent use.
package provenance
