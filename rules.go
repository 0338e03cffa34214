package remit

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/discharge"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/provenance"
)

// groups holds arguments that make one authority value together to the worst of
// them: host and port, owner and repository.
func (x *deciding) groups() {
	worst, best := map[string]label.Trust{}, map[string]label.Trust{}
	for i, a := range x.arguments {
		if a.Group == "" {
			continue
		}
		t := x.checked[i].Certified.Trust
		if w, ok := worst[a.Group]; !ok || t < w {
			worst[a.Group] = t
		}
		best[a.Group] = max(best[a.Group], t)
	}
	named := map[string]bool{}
	for i, a := range x.arguments {
		if a.Group == "" || !x.d.Findings[i].Satisfied {
			named[a.Group] = true
			continue
		}
		if worst[a.Group] < a.Floor {
			named[a.Group] = true
			x.ask(GroupBelowFloor, x.leaves[i].Pointer, fmt.Sprintf("together with the other arguments of %q it names one place, and part of that is less trusted than %s", a.Group, a.Floor),
				x.remedies(a)...)
		}
	}
	if !x.variant.Effect.Outward() {
		return
	}
	// Whatever the roles say: the user's half of a name, with an outsider's half,
	// is not the user's name.
	for i, a := range x.arguments {
		if a.Group != "" && !named[a.Group] && worst[a.Group] == label.External && best[a.Group] >= label.User && x.checked[i].Certified.Trust == label.External {
			x.ask(GroupBelowFloor, x.leaves[i].Pointer, fmt.Sprintf("together with the other arguments of %q it names one place, half of which is the user's and half from outside", a.Group),
				x.remedies(a)...)
		}
	}
}

// sinks are the global sink rules: whatever role an argument was given, an
// address of external origin in an outward call needs a discharge.
func (x *deciding) sinks() {
	mode := x.bound.contract.Sinks
	if mode == contract.Off || x.ambient.Trust > label.External {
		return
	}
	if !x.variant.Effect.Outward() {
		x.contacts(mode)
		return
	}
	for i := range x.leaves {
		if !x.d.Findings[i].Satisfied {
			continue // already named
		}
		r := &x.resolved[i]
		if open := r.Label.Obligations & (label.AmbiguousBinding | label.Homoglyph); open != 0 && !x.arguments[i].Role.AuthorityBearing() {
			x.ask(OpenObligation, x.leaves[i].Pointer, x.doubt(i, open), x.remedies(x.arguments[i])...)
			continue
		}
		if r.Label.Obligations&label.LowInfo != 0 && x.arguments[i].Role == label.Control && provenance.Right(x.leaves[i].Text) {
			x.global(mode, ExternalSink, x.leaves[i].Pointer,
				fmt.Sprintf("%s is a right, and the user only happened to say the word, in a call that may give it away (%s)", quote(x.leaves[i].Text), x.variant.Effect),
				"leave it out, or ask the user which right is meant", "or have the user confirm it")
			continue
		}
		if x.checked[i].Certified.Trust > label.External {
			// The address is in order; what it carries along may hold another,
			// as a redirection or a callback does.
			for _, p := range r.Parts {
				if !p.Authority && p.Label.Trust <= label.External {
					x.sink(mode, i, p.Text)
				}
			}
			continue
		}
		x.sink(mode, i, x.leaves[i].Text)
	}
}

// contacts looks at calls that send nothing: to read a page is to contact its
// host, and a path that climbs leads out of where the call was meant to stay
// (rule 9 of the design: reads can be sinks).
func (x *deciding) contacts(mode contract.Mode) {
	for i, a := range x.arguments {
		if a.Role.AuthorityBearing() || !x.d.Findings[i].Satisfied || x.checked[i].Certified.Trust > label.External || !provenance.Contacts(x.leaves[i].Text) {
			continue
		}
		x.sink(mode, i, x.leaves[i].Text)
	}
}

func (x *deciding) sink(mode contract.Mode, i int, text string) {
	address, ok := x.s.seen.Sink(text)
	if !ok && provenance.Contacts(text) {
		address, ok = text, true
	}
	if ok {
		x.global(mode, ExternalSink, x.leaves[i].Pointer,
			fmt.Sprintf("%s is an address that neither the user nor a trusted source named, in a call that may reach it (%s)", quote(address), x.variant.Effect),
			"leave the address out, or use one that the user gave", "or have the user confirm it")
	} else if x.variant.Effect.Outward() && provenance.Right(text) {
		x.global(mode, ExternalSink, x.leaves[i].Pointer,
			fmt.Sprintf("%s is a right that neither the user nor a trusted source named, in a call that may give it away (%s)", quote(text), x.variant.Effect),
			"leave it out, or use one that the user gave", "or have the user confirm it")
	}
}

func (x *deciding) global(mode contract.Mode, code Code, path, message string, remedies ...string) {
	if mode == contract.Deny {
		x.refuse(code, path, message, remedies...)
		return
	}
	x.ask(code, path, message, remedies...)
}

// unprovoked catches the attack that needs no argument of its own: an outward
// call, made after external text was read, in which the user vouched for
// nothing.
func (x *deciding) unprovoked() {
	mode := x.variant.Unprovoked
	if mode == contract.Off || !x.variant.Effect.Outward() || x.ambient.Trust > label.External {
		return
	}
	// Looked for once, and only where an argument needs it.
	asked := sync.OnceValue(func() bool { return x.s.seen.Requested(x.act) })
	for i, a := range x.arguments {
		if x.provokes(i, a, asked) {
			return
		}
	}
	x.global(mode, Unprovoked, "",
		fmt.Sprintf("the call has an effect that can't be taken back (%s), %s, and nothing in it is known to be the user's", x.variant.Effect, x.before()),
		"say what you are about to do and have the user confirm it")
}

// before says what the model may have read when it made the call.
func (x *deciding) before() string {
	if x.s.monitor.unseen {
		return "what the agent was told is not all seen here"
	}
	return "text from outside was read before it"
}

// provokes tells whether an argument shows that the user wanted this call: a
// value that the user gave, or a record that was looked up by what the user
// said. Neither shows that the user wanted it gone: "write to Ann" is no reason
// to remove her, and "summarize invoice 7" none to pay it, so that the user must
// have asked for that as well.
func (x *deciding) provokes(i int, a *contract.Argument, asked func() bool) bool {
	r := &x.resolved[i]
	if a.Role == label.Control || r.How == "empty" {
		return false
	}
	for _, c := range x.d.Findings[i].Certificates {
		if c.Procedure == discharge.Confirmation {
			return true
		}
	}
	if (a.Role == label.Selector || x.variant.Effect == contract.Destructive) && !asked() {
		return false
	}
	if r.Witness && r.Authority().Trust >= label.User && (r.Label.Obligations&label.LowInfo == 0 || strings.Contains(x.leaves[i].Text, " ")) {
		// The user's words in a text show that the user wanted it sent only
		// where nothing else is sent with them, or nobody to send it to is
		// named: whoever steers the model can have it repeat the user.
		if a.Role != label.Content || !x.carriesExternal() || x.addressesNobody() {
			return true
		}
	}
	// A record that the user's words led to counts, whether or not the floor
	// needed the certificate.
	return identified(r, a.Role)
}

// carriesExternal tells whether a text of the call is of external origin.
func (x *deciding) carriesExternal() bool {
	for i, a := range x.arguments {
		if a.Role == label.Content && x.resolved[i].Label.Trust <= label.External && x.resolved[i].How != "empty" {
			return true
		}
	}
	return false
}

// addressesNobody tells whether the tool has arguments that say where a call
// goes, and this call leaves them all out.
func (x *deciding) addressesNobody() bool {
	for i, a := range x.arguments {
		if a.Role == label.Target && x.resolved[i].How != "empty" {
			return false
		}
	}
	return slices.ContainsFunc(x.bound.contract.Tool.Args, func(a contract.Arg) bool { return a.Role == label.Target })
}

// identified tells whether a look-up by the user's own words led to the value,
// for an argument of the role.
func identified(r *provenance.Resolution, role label.Role) bool {
	return slices.ContainsFunc(r.Certificates, func(c provenance.Certificate) bool { return c.Roles.Has(role) })
}

// choices asks about objects of an outward call that were picked out of several
// records after external text was read, when nothing that the user said tells
// which.
func (x *deciding) choices() {
	if !x.variant.Effect.Outward() || x.ambient.Trust > label.External || x.bound.contract.Sinks == contract.Off {
		return
	}
	for i, a := range x.arguments {
		if a.Role != label.Selector && !a.Role.AuthorityBearing() || !x.d.Findings[i].Satisfied || len(x.d.Findings[i].Certificates) > 0 || identified(&x.resolved[i], a.Role) {
			continue
		}
		if x.checked[i].Value.Trust < label.User && x.s.seen.Chosen(x.resolved[i]) {
			x.ask(OpenObligation, x.leaves[i].Pointer,
				fmt.Sprintf("%s was picked out of several records, and nothing that the user said tells which", quote(x.leaves[i].Text)), x.remedies(a)...)
		}
	}
}
