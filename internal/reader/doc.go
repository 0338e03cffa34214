// Package reader has a language model read the definitions of tools ahead of time, and weighs
// what it says against the contracts that rules have made of them.
//
// A definition is written by the server's operator, and may address the model. So what a model
// says is one opinion of three: [Weigh] takes it where it is stricter, and where it is milder only
// as far as the rules alone, or the labelled tools that are like it, go as well ([synth.Opinion]). It
// returns every difference as a [Disagreement] for a person.
//
// Each tool is one question. It is asked once for a fingerprint, and the answers can be
// recorded and replayed as those of the policy compiler.
package reader
