package question

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/sighting"
	"github.com/remit-project/remit/scope"
)

// Joined words a question about the plans of delegated sources, and about calls.
func Joined(plans []*remit.Delegation, asked ...sighting.Asked) string {
	if len(plans) == 0 {
		return Of(asked...)
	}
	var b strings.Builder
	b.WriteString("Remit asks: an agent wants to do what others wrote, as the user told it.\n\n")
	for i, d := range plans {
		fmt.Fprintf(&b, "%d. %s\n", i+1, Delegation(d))
	}
	b.WriteString(List(len(plans)+1, asked))
	b.WriteString("\nApproving lets exactly these plans and calls through, or those that you choose.\n")
	return b.String()
}

// Delegation words a delegated source for a person: its text, every line of it in quotes,
// and the plan that was made of it. Where there is no plan, it only says so.
func Delegation(d *remit.Delegation) string {
	if d.Scope == nil {
		return folded(fmt.Sprintf("The request follows what %s returned. There is no plan of it, so each call is asked about. Why there is none: %s\n", Name(d.Tool), Quoted(d.Failed, maxShown)))
	}

	var b strings.Builder
	if d.Call == "" {
		b.WriteString("Doing what the assistant proposed. It had read what anybody may have written:\n")
	} else {
		fmt.Fprintf(&b, "Following what %s returned. Anybody may have written it:\n", Name(d.Tool))
	}
	for line := range strings.SplitSeq(strings.TrimRight(d.Text, "\r\n"), "\n") {
		b.WriteString("| " + inQuotes(strings.TrimRight(line, "\r"), strconv.Quote) + "\n")
	}
	b.WriteString("\nA model made this plan of it. Agreeing lets exactly these calls through, for this request; an argument that is not named here may hold nothing doubtful:\n")
	for i := range d.Scope.Calls {
		entry(&b, &d.Scope.Calls[i])
	}
	if d.Left > 0 {
		fmt.Fprintf(&b, "- %d more that can't be shown so, and are asked about when they come\n", d.Left)
	}
	return folded(b.String())
}

// entry writes an entry of a plan.
func entry(b *strings.Builder, c *scope.Call) {
	b.WriteString("- " + Quoted(c.Tool, scope.MaxStatedText))
	if c.Server != "" {
		b.WriteString(" of the server " + Quoted(c.Server, scope.MaxStatedText))
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
	text += " of what " + Quoted(s.Tool, scope.MaxStatedText)
	if s.Server != "" {
		text += " of the server " + Quoted(s.Server, scope.MaxStatedText)
	}
	text += " returns"
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
