package remit

import (
	"fmt"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/discharge"
	"github.com/remit-project/remit/internal/provenance"
	"github.com/remit-project/remit/label"
)

// confirming begins what a remedy asks of the model by which a person agrees to the call.
const confirming = "have the user confirm"

// explainGap turns what is missing into reasons.
func (x *deciding) explainGap(i int, gap label.Gap) {
	if gap.None() {
		return
	}

	a, r, leaf := x.arguments[i], &x.resolved[i], &x.leaves[i]
	if !gap.Forbidden.Empty() {
		x.refuse(ForbiddenOrigin, leaf.Pointer, fmt.Sprintf("the value may come from %s, which this argument forbids",
			strings.Join(x.in.classes.Names(gap.Forbidden), ", ")))
	}
	add := x.ask
	if !a.Discharges(discharge.Confirmation) {
		add = x.refuse
	}
	if gap.Trust {
		add(BelowFloor, leaf.Pointer, fmt.Sprintf("%s decides %s, so it must come from %s; %s", quote(leaf.Text), roleText(a.Role), floorText(a.Floor), x.originText(r, leaf.Text)),
			x.remedies(a)...)
	}
	if gap.Open != 0 {
		add(OpenObligation, leaf.Pointer, x.doubt(i, gap.Open), x.remedies(a)...)
	}
}

// doubt says in words which obligations of an argument are open.
func (x *deciding) doubt(i int, open label.Obligations) string {
	return fmt.Sprintf("%s: %s", quote(x.leaves[i].Text), strings.Join(doubts(x.in.obligations.Names(open), x.resolved[i].LooksLike), "; "))
}

// remedies says what would settle an argument that falls short.
func (x *deciding) remedies(a *contract.Argument) []string {
	var out []string
	add := func(remedy string) {
		if len(out) > 0 {
			remedy = "or " + remedy
		}
		out = append(out, remedy)
	}

	// Where none of the user's words are seen, no value is known to be theirs, nor a
	// name to look it up by: the model would try in vain.
	heard := !x.in.unseen || x.in.seen.Spoken()
	switch {
	case heard && a.Floor <= label.User:
		add("use a value that the user gave in so many words, or ask the user for it")
	case a.Floor <= label.ToolOutput:
		add("use a value of a record that a tool returned")
	}
	if heard && (a.Discharges(discharge.Directory) || a.Discharges(discharge.Lookup)) {
		add("look it up by a name that the user gave, with a tool whose result vouches for it")
	}
	if a.Discharges(discharge.Confirmation) {
		add(confirming + " this value")
	}
	return out
}

// roleText says what an argument of a role decides.
func roleText(r label.Role) string {
	switch r {
	case label.Target:
		return "where the call goes"
	case label.Command:
		return "what is executed"
	case label.Credential:
		return "a secret"
	case label.Selector:
		return "which object is meant"
	case label.Content:
		return "what is sent or stored"
	case label.Control:
		return "how the call behaves"
	}
	return "an unclassified part of the call"
}

// floorText says where a value of a trust comes from.
func floorText(t label.Trust) string {
	switch t {
	case label.Trusted:
		return "the configuration or the deployment's own text"
	case label.User:
		return "the user"
	case label.ToolOutput:
		return "the user or a record that a tool returned"
	}
	return "anywhere"
}

// originText says where a value that falls short came from.
func (x *deciding) originText(r *provenance.Resolution, value string) string {
	for _, e := range r.Evidence {
		// A likeness says nothing about where the value itself is.
		if e.Trust == r.Label.Trust && e.ValueStart == 0 && e.ValueEnd == len(value) && strings.EqualFold(e.Text, value) && x.in.seen.Whole(e) {
			return fmt.Sprintf("this one stands in %s (%s)", e.Origin, r.Label.Trust)
		}
	}
	if r.Witness {
		return fmt.Sprintf("this one is %s", r.Label.Trust)
	}
	if r.How == provenance.HowHeard {
		return fmt.Sprintf("nothing vouches for this one, and the definitions of the tools, which no person has reviewed, may have named it (%s)", r.Label.Trust)
	}
	if x.in.unseen {
		return fmt.Sprintf("nothing that was seen vouches for this one, and not all of the user's words are seen here (%s)", r.Label.Trust)
	}
	return fmt.Sprintf("nothing vouches for this one, and text of lower trust (%s) was read before", r.Label.Trust)
}

// doubts words open obligations; own is the user's value that a look-alike looks
// like.
func doubts(names []string, own string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		switch n {
		case "low-info":
			out[i] = "the user's text has these words, but they are too ordinary to tell that this is what was meant"
		case "ambiguous-binding":
			out[i] = "the user named several such values, and nothing tells that this one belongs here"
		case "unrequested":
			out[i] = "the user mentioned it, and asked for nothing of this kind to be done with it"
		case "homoglyph":
			out[i] = fmt.Sprintf("it looks like, but is not, the user's %s", quote(own))
		default:
			out[i] = "the obligation " + n + " is open"
		}
	}
	return out
}

// cutText cuts a text for a decision, at a character boundary.
func cutText(s string) string {
	if len(s) <= MaxShownValue {
		return s
	}
	return strings.ToValidUTF8(s[:MaxShownValue], "") + "…"
}

// quote cuts and quotes a text for a message.
func quote(s string) string {
	const most = 80
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return fmt.Sprintf("%q", s)
}
