// Package reader has a language model read the definitions of tools ahead of time, and
// tightens the contracts that rules have made of them.
//
// A definition is written by the server's operator, and may address the model. So what a model
// says is never more than a second opinion: [Tighten] takes it where it is stricter, and returns
// everything else as a [Disagreement] for a person. Whatever the model answers, no call passes
// that the rules alone would hold.
//
// Each tool is one question. It is asked once for a fingerprint, and the answers can be
// recorded and replayed as those of the policy compiler.
package reader
