// Package planner writes task scopes with a language model. The model reads trusted
// text alone: what was said before anything untrusted was read, the date, and the
// definitions of the tools. It answers in a form that strict endpoints can hold models
// to, in which a source is the name of another call; a program turns the answer into a
// [scope.Scope]'s JSON, checks it, and sends mistakes back once.
//
// A tool's definition and text that a user pasted can speak to the model. They can't make a scope
// reach far: a value with the shape of an address, an account or a long number has to be in what
// was said, a scope has bounds on what it may cover, and the monitor verifies every value when
// the call comes.
package planner
