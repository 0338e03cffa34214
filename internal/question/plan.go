package question

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/scope"
)

// Delegation words a delegated source for a person: its text, every line of it in quotes,
// and the plan that was made of it, or why there is none.
func Delegation(d *remit.Delegation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Following what %s returned. Anybody may have written it:\n", Quoted(d.Tool, maxAround))
	for line := range strings.SplitSeq(strings.TrimRight(d.Text, "\r\n"), "\n") {
		b.WriteString("| " + strconv.Quote(strings.TrimRight(line, "\r")) + "\n")
	}
	if d.Scope == nil {
		fmt.Fprintf(&b, "\nThere is no plan of it (%s): each call is asked about.\n", display.Line(d.Failed))
		return b.String()
	}

	b.WriteString("\nA model made this plan of it. Agreeing lets exactly these calls through, for this request; an argument that is not named here may hold nothing doubtful:\n")
	for i := range d.Scope.Calls {
		entry(&b, &d.Scope.Calls[i])
	}
	if d.Left > 0 {
		fmt.Fprintf(&b, "- %d more that can't be shown so, and are asked about when they come\n", d.Left)
	}
	return b.String()
}

// entry writes an entry of a plan.
func entry(b *strings.Builder, c *scope.Call) {
	b.WriteString("- " + Quoted(c.Tool, maxAround))
	if c.Server != "" {
		b.WriteString(" of the server " + Quoted(c.Server, maxAround))
	}
	b.WriteString(", " + display.Count(c.Times.N, "time", "times") + "\n")
	for _, a := range c.Args {
		fmt.Fprintf(b, "    %s: %s\n", Place(a.Pointer), allowed(&a.Constraint))
	}
}

// allowed says which values a constraint allows; see [scope.Scope.Confirmable] for those
// that a plan can have.
func allowed(c *scope.Constraint) string {
	switch {
	case c.Absent:
		return "left out"
	case c.Any:
		return "whatever the agent writes"
	case c.Unchanged:
		return "left as it is"
	case len(c.Is) > 0:
		return alternatives(c.Is)
	case len(c.Date) > 0:
		return "any time of " + alternatives(c.Date)
	case len(c.From) == 0:
		return "nothing"
	}

	s := &c.From[0]
	text := "the only " + Quoted(string(c.Kind), maxAround)
	if s.Field != "" {
		text += " in " + Quoted(s.Field, scope.MaxStatedText)
	}
	text += " of what " + Quoted(s.Tool, maxAround) + " returns"
	for _, a := range s.Args {
		text += fmt.Sprintf(", with %s %s", Place(a.Pointer), allowed(&a.Constraint))
	}
	return text
}

func alternatives(values []scope.Value) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = Quoted(string(v), scope.MaxStatedText)
	}
	return strings.Join(out, " or ")
}
