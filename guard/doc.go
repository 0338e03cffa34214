// Package guard checks the calls of a tool against the policies of a company, before
// each call runs.
//
// A [File] holds the policies for the calls of one tool, or of every tool. Each
// [Policy] quotes the sentences of the policy document that it comes from, and has a
// rule: a CEL condition that must be true for the call to run. A [Duty] says what
// must follow a call before its session ends. [LoadDir] reads the guard files of a
// directory, with their tests and samples, [Compile] type-checks them for a [Deployment]
// and returns a [Set], and [Set.Evaluate] judges one call:
//
//	files, err := guard.LoadDir(os.DirFS("policies"))
//	set, err := guard.Compile(files, guard.Deployment{Tools: tools, Contracts: contracts})
//	outcome := set.Evaluate(ctx, guard.Request{Tool: "refund", Arguments: arguments, Reader: shop})
//
// Most programs don't call Evaluate: they give the set to a monitor, as
// remit.Options.Guards.
//
// A rule sees the arguments of the call, typed by the tool's own schema; the labels
// of their values; the session so far, as a [History]; the time; and what tools that
// only read return. It asks for that through a [Reader], and asks questions about the
// conversation through a [Judge].
//
// A guard can only make a decision stricter. Whatever fails, be it a look-up, a limit
// or an expression, counts as a violation.
//
// Guard files and the functions of expressions are described in
// docs/reference/guards.md.
package guard
