package main

import (
	"fmt"

	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/explanation"
	"github.com/remit-project/remit/internal/planner"
	"github.com/remit-project/remit/scope"
)

// draft writes what a planner says, as a page.
func (p *printer) draft(d *planner.Draft, s *scope.Scope, tools []scope.Tool) {
	if d.Reading != "" {
		p.para(0, "", "The planner reads: "+display.OneLine(d.Reading))
		p.line(0, "")
	}
	p.scope(s, tools)
	for _, m := range d.Mistakes {
		p.para(0, "", p.Warn("left out, wrong twice: ")+display.OneLine(m))
	}
	for _, n := range d.Notes {
		p.para(0, "", p.Warn("not shown to the planner: ")+display.OneLine(n))
	}
	p.line(0, p.Dim(tokensOf(d)))
}

// scope writes each authorised call in words, with what reaches far.
func (p *printer) scope(s *scope.Scope, tools []scope.Tool) {
	if len(s.Calls) == 0 {
		p.line(0, "Nothing is authorised.")
	}
	for i := range s.Calls {
		c := &s.Calls[i]
		tool := planner.Find(tools, c.Server, c.Tool)
		p.line(0, fmt.Sprintf("%s %s, %s", may(tool), p.Bold(display.Name(c.Tool)), explanation.Often(c.Times)))
		width := 0
		for _, a := range c.Args {
			width = max(width, len([]rune(display.Name(a.Pointer))))
		}

		for j := range c.Args {
			a := &c.Args[j]
			p.para(2, fmt.Sprintf("%-*s  ", width, display.Name(a.Pointer)), planner.Says(&a.Constraint))
		}
		for _, condition := range planner.Conditions(c) {
			p.para(2, "", condition)
		}
		for _, w := range planner.Wide(c, tool) {
			p.para(2, p.Warn("wide: "), w)
		}
	}
	for i := range s.Delegates {
		p.para(0, p.Warn("wide: "), "follows instructions in "+planner.Source(&s.Delegates[i])+"; a person is asked")
	}
	p.line(0, "")
}

// may says what a call does.
func may(t *scope.Tool) string {
	words := map[string]string{
		"read": "may read with", "write": "may change something with", "destructive": "may DESTROY with",
		"execute": "may run code with", "egress": "may send out with",
	}
	if t == nil || words[t.Effect] == "" {
		return "may call"
	}
	return words[t.Effect]
}
