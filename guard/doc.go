// Package guard holds company policies as checks that run before each call of a
// tool: one file a tool, and one for every tool, whose policies say in CEL what
// must hold, and in the words of the policy document why. It loads, checks,
// compiles and evaluates them.
//
// A guard sees the arguments of the call, typed by the tool's own schema, the
// session so far, where the arguments came from, the time, and what tools that
// only read say about it. It can only make a decision worse: whatever fails, be
// it a look-up, a limit or an expression, counts as a rule that doesn't hold.
//
// The file format and the environment of the expressions are described in
// docs/reference/guards.md.
package guard
