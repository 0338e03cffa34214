package remit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/discharge"
	"github.com/remit-project/remit/internal/provenance"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
)

// unprovoked catches the attack that needs no argument of its own: a call with an
// effect that the user did not ask for, made after the model has read others' text;
// or an outward one in which the user vouched for nothing.
func (x *deciding) unprovoked() {
	mode := x.variant.Unprovoked
	if mode == contract.Off || x.variant.Effect == contract.Read || !x.steered() {
		return
	}
	if x.variant.Effect == contract.Write {
		// Where the user's words are not all seen, a plain write is judged by its
		// arguments alone.
		if !x.in.unseen && !(x.asked() && x.plain()) {
			x.global(mode, Unprovoked, "",
				fmt.Sprintf("the call changes something (%s), %s, and the user asked for nothing of this kind", x.variant.Effect, x.before()),
				"say what you are about to do and "+confirming+" it")
		}
		return
	}

	if x.deployed() {
		return
	}
	asked, provoked := x.asked(), x.provoked()
	if asked && provoked {
		return
	}
	if !x.readOthers() && (asked || provoked) {
		return // only definitions have been heard
	}
	x.global(mode, Unprovoked, "",
		fmt.Sprintf("the call has an effect that can't be taken back (%s), %s, and nothing in it is known to be the user's", x.variant.Effect, x.before()),
		"say what you are about to do and "+confirming+" it")
}

// deployed reports whether the deployment's own text says where an outward call
// goes: a standing order of the agent's operator.
func (x *deciding) deployed() bool {
	if x.variant.Effect != contract.Egress {
		return false
	}
	for i, a := range x.arguments {
		r := &x.resolved[i]
		certain := r.Witness && r.How != provenance.HowEmpty && r.Label.Obligations == 0
		if certain && a.Role == label.Target && r.Authority().Trust == label.Trusted {
			return true
		}
	}
	return false
}

// before says what the model may have read when it made the call.
func (x *deciding) before() string {
	switch {
	case x.in.unseen:
		return "what the agent was told is not all seen here"
	case !x.readOthers():
		return "no person has reviewed the definitions of the tools"
	}
	return "text from outside was read before it"
}

// asked reports whether the user asked for what the call does, in words or by
// confirming a target of it for the session.
func (x *deciding) asked() bool {
	for i := range x.arguments {
		if x.confirmedValue(i) {
			return true
		}
	}
	return x.in.seen.Requested(x.act)
}

// plain reports whether the user's request is for this plain write: its verb or its words say
// so, or a value of the call is the user's. "Make it short" asks for no new task.
func (x *deciding) plain() bool {
	if x.in.seen.RequestedPlainly(x.act) {
		return true
	}
	for i, a := range x.arguments {
		r := &x.resolved[i]
		said := r.Witness && r.How != provenance.HowEmpty && r.Authority().Trust >= label.User
		if said || x.confirmedValue(i) || identified(r, a.Role) {
			return true
		}
	}
	return false
}

// confirmedValue reports whether the user confirmed an argument for the session.
func (x *deciding) confirmedValue(i int) bool {
	return x.hasConfirmation(i) && x.in.confirmed.Covers(x.tool(), x.arguments[i], x.confirmable(i))
}

// hasConfirmation reports whether the user confirmed an argument's value, perhaps for
// another tool.
func (x *deciding) hasConfirmation(i int) bool {
	return slices.ContainsFunc(x.d.Findings[i].Certificates, func(d Discharge) bool { return d.Procedure == discharge.Confirmation })
}

// provoked reports whether an argument shows that the user wanted this call: a
// value that the user gave for it, or a record that was looked up by what the
// user said.
func (x *deciding) provoked() bool {
	for i, a := range x.arguments {
		if x.provokes(i, a) {
			return true
		}
	}
	return false
}

// provokes reports whether an argument shows that the user wanted the call.
func (x *deciding) provokes(i int, a *contract.Argument) bool {
	r := &x.resolved[i]
	if a.Role == label.Control || r.How == provenance.HowEmpty {
		return false
	}
	if x.confirmedValue(i) || (x.hasConfirmation(i) && !x.takesForeign()) {
		return true
	}

	open := r.Label.Obligations
	telling := open&label.LowInfo == 0 || strings.Contains(x.leaves[i].Text, " ")
	requested := x.in.lenient || open&label.Unrequested == 0
	if r.Witness && r.Authority().Trust >= label.User && telling && requested {
		// The user's words in a text show that the user wanted it sent only where
		// nothing else is sent with them: an attacker who steers the model can have
		// it repeat the user.
		if a.Role != label.Content || !x.carriesExternal() || x.addressesNobody() {
			return true
		}
	}
	// A record that the user's words led to counts, whether or not the floor
	// needed the certificate.
	return identified(r, a.Role)
}

// carriesExternal reports whether a text of the call is of external origin.
func (x *deciding) carriesExternal() bool {
	for i, a := range x.arguments {
		if a.Role == label.Content && x.resolved[i].Label.Trust <= label.External && x.resolved[i].How != provenance.HowEmpty {
			return true
		}
	}
	return false
}

// takesForeign reports whether others may have chosen what the call is about: who was agreed to
// for a mail is not thereby one to share a file with.
func (x *deciding) takesForeign() bool {
	for i, a := range x.arguments {
		r := &x.resolved[i]
		given := r.How != provenance.HowEmpty && r.How != provenance.HowConstant
		if a.Role != label.Content && given && x.checked[i].Certified.Trust <= label.External {
			return true
		}
	}
	return false
}

// addressesNobody reports whether the tool has arguments that say where a call
// goes, and this call leaves them all out.
func (x *deciding) addressesNobody() bool {
	for i, a := range x.arguments {
		if a.Role == label.Target && x.resolved[i].How != provenance.HowEmpty {
			return false
		}
	}
	return slices.ContainsFunc(x.bound.contract.Tool.Args, func(a contract.Arg) bool { return a.Role == label.Target })
}

// identified reports whether a look-up by the user's own words led to the value,
// for an argument of the role.
func identified(r *provenance.Resolution, role label.Role) bool {
	return slices.ContainsFunc(r.Offers, func(c provenance.Offer) bool { return c.Procedure != provenance.Settled && c.Roles.Has(role) })
}

// choices asks about objects of an outward call that a result offered, when the user's words
// don't say which one is meant.
func (x *deciding) choices() {
	if !x.variant.Effect.Outward() || !x.steered() || x.bound.contract.Sinks == contract.Off {
		return
	}

	for i, a := range x.arguments {
		chooses := a.Role == label.Selector || a.Role.AuthorityBearing()
		settled := !x.d.Findings[i].Satisfied || len(x.d.Findings[i].Certificates) > 0
		if !chooses || settled || identified(&x.resolved[i], a.Role) {
			continue
		}
		if x.checked[i].Value.Trust < label.User && x.in.seen.Chosen(x.act, x.resolved[i]) {
			x.ask(OpenObligation, x.leaves[i].Pointer,
				fmt.Sprintf("%s was picked out of what a tool returned, and nothing that the user said tells which", quote(x.leaves[i].Text)), x.remedies(a)...)
		}
	}
}

// omissions asks about a call that leaves out what would restrict it: the filter
// of a deletion, and an optional setting of which the user named a value.
func (x *deciding) omissions() {
	definition := x.bound.definition
	if definition == nil || definition.Input == nil || !x.steered() || x.variant.Effect == contract.Read || x.bound.contract.Sinks == contract.Off {
		return
	}
	mode := x.bound.contract.Sinks
	given := x.given()

	var filters []string
	narrowed := false
	for _, p := range definition.Input.Properties {
		filter := provenance.NameTells(p.Name, provenance.Filter)
		if given[p.Name] {
			narrowed = narrowed || filter || provenance.NameTells(p.Name, provenance.Identifier)
			continue
		}
		if p.Required {
			continue
		}
		if filter {
			filters = append(filters, p.Name)
		}
		named := x.variant.Effect == contract.Destructive && x.in.seen.RequestSays(x.act, p.Name)
		amount := provenance.NameTells(p.Name, provenance.Amount) && x.in.seen.RequestHasAmount(x.act)
		if named || amount {
			x.global(mode, ExternalSink, x.target.prefix+"/"+p.Name,
				fmt.Sprintf("the user's request has the %q of it, and the call leaves that out", p.Name),
				fmt.Sprintf("set %q as the user said", p.Name), "or "+confirming+" the call")
			continue
		}
		if value, said := x.saidMember(p.Node); said {
			x.global(mode, ExternalSink, x.target.prefix+"/"+p.Name,
				fmt.Sprintf("the user said %s, which is a value of %q, and the call leaves that out", quote(value), p.Name),
				fmt.Sprintf("set %q as the user said", p.Name), "or "+confirming+" the call")
		}
	}

	destroys := x.variant.Effect == contract.Destructive
	if destroys && len(filters) > 0 && !narrowed && !x.in.seen.RequestedAll(x.act) {
		x.global(mode, ExternalSink, "",
			fmt.Sprintf("the call leaves out %s, so that it may take everything, and the user did not say all", strings.Join(filters, ", ")),
			"restrict it to what the user named", "or "+confirming+" it")
	}
}

// given returns the members of the arguments that hold something.
func (x *deciding) given() map[string]bool {
	out := map[string]bool{}
	for i, leaf := range x.leaves {
		if leaf.outer || x.resolved[i].How == provenance.HowEmpty || leaf.Text == "" {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(leaf.place, "/"), "/")
		out[memberName(name)] = true
	}
	return out
}

// saidMember returns a value of an enumeration that the user's request has.
func (x *deciding) saidMember(n *schema.Node) (string, bool) {
	if n == nil {
		return "", false
	}
	for _, e := range n.Enum {
		if value := strings.Trim(e, `"`); value != n.Default && e != n.Default && x.in.seen.RequestSays(x.act, value) {
			return value, true
		}
	}
	return "", false
}
