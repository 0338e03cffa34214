// Package reply reads what a user answers to a question of an agent's: whether they
// agreed, refused, or said something that settles nothing. It also finds out whether an
// agent told them something.
//
// It knows words of a dozen languages (words.txt), and no grammar to speak of. So it takes for an
// agreement only what begins as one and has nothing about it that doubts, refuses, sets a
// condition or asks back. What it doesn't know is unclear, and for a judge or a person to decide.
// testdata has replies with what a person takes them for; docs/reference/evaluation.md says how
// they were read at first.
package reply
