// Package airline is a worked example of guards: the airline of τ-bench, with its
// tools over its real records, and a guard for every sentence of its policy
// document that a call can be held to.
//
// The policy document, the records and the cases stay where they are; the example
// reads them from a directory that it is given.
package airline
