// Package pattern compiles regular expressions when they are first used. A program
// that starts for every event of a coding agent has no time for those that this event
// doesn't need.
package pattern

import (
	"regexp"
	"sync/atomic"
)

// OnUse returns a function that compiles the expression at its first call, and returns
// the same one from then on. It is safe for concurrent use. The expression is a constant
// of the program: one that can't be compiled panics there, and a test of package house
// compiles all of them.
func OnUse(expression string) func() *regexp.Regexp {
	return (&onUse{expression: expression}).compiled
}

// onUse is small: a program has some hundred of them before it does anything.
type onUse struct {
	expression string
	once       atomic.Pointer[regexp.Regexp]
}

func (p *onUse) compiled() *regexp.Regexp {
	if r := p.once.Load(); r != nil {
		return r
	}
	p.once.CompareAndSwap(nil, regexp.MustCompile(p.expression)) // several may compile it at the same time
	return p.once.Load()
}
