package remit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/discharge"
	"github.com/remit-project/remit/internal/provenance"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
)

// resolve finds the label of every argument.
func (x *deciding) resolve() bool {
	values := make([]provenance.Value, len(x.leaves))
	for i := range x.leaves {
		a, leaf := x.arguments[i], &x.leaves[i]
		anything := a.Floor == label.External && a.Requirement.Forbidden.Empty() && a.Requirement.Required == 0
		values[i] = provenance.Value{Pointer: leaf.place, Kind: leaf.Kind, Text: leaf.Text, Form: provenance.Form(a.Form), Listed: x.listed(leaf.place), Brief: anything}
	}

	// The names of members that the schema leaves open are values as well:
	// {"permissions": {"eve@x.io": "write"}} has its target in one.
	owner := []int(nil)
	for i := range x.leaves {
		for _, name := range openNames(x.arguments[i], &x.leaves[i]) {
			values = append(values, provenance.Value{Pointer: values[i].Pointer, Kind: strictjson.String, Text: name})
			owner = append(owner, i)
		}
	}

	all := x.in.seen.Resolve(x.act, values)
	x.values, x.resolved = values[:len(x.leaves)], all[:len(x.leaves)]
	for j, i := range owner {
		n := len(x.leaves) + j
		addName(&x.resolved[i], values[n].Text, &all[n])
	}
	return true
}

// addName adds a member name above a value to the value's resolution.
func addName(r *provenance.Resolution, text string, name *provenance.Resolution) {
	r.Label = label.Merge(r.Label, name.Label)
	if len(r.Parts) > 0 {
		r.Parts = append(r.Parts, provenance.Part{Name: "member name", Text: text, Authority: true, Label: name.Label})
	}
	r.Witness = r.Witness && name.Witness
	r.Evidence = append(r.Evidence, name.Evidence...)
	if name.Label.Trust < label.User {
		r.Offers = nil // they are for the value alone
	}
}

// openNames returns the member names above a value that the contract's pattern
// leaves open, where they matter: above arguments that carry authority.
func openNames(a *contract.Argument, l *leaf) []string {
	if a.Role == label.Content || a.Role == label.Selector || !strings.Contains(a.Pattern, "*") || l.place == "" {
		return nil
	}

	var out []string
	pattern := strings.Split(a.Pattern, "/")
	above := strings.Count(l.Pointer, "/") - strings.Count(l.place, "/") // segments of the call that lead to the arguments
	for i, segment := range strings.Split(l.place, "/") {
		// The last segment of a pattern matches every further one.
		wildcard := pattern[min(i, len(pattern)-1)]
		open := wildcard == "**" || (wildcard == "*" && i < len(pattern))
		if segment == "" || !open {
			continue
		}
		if !l.IsIndex(above + i - 1) {
			out = append(out, memberName(segment))
		}
	}
	return out
}

// effective returns the label that an argument is checked with. In arguments that
// bear authority, and in selectors, the parts that decide where a call goes count;
// a query or a display name beside them is content. Doubts about the choice of a
// value matter only where the value carries authority.
func effective(r *provenance.Resolution, role label.Role) label.Label {
	l := r.Label
	if role == label.Target || role == label.Selector {
		l = r.Authority()
	}
	if !role.AuthorityBearing() {
		l.Obligations &^= label.LowInfo | label.AmbiguousBinding
		if role != label.Selector {
			l.Obligations &^= label.Unrequested
		}
	}
	return l
}

// check holds every argument to its contract.
func (x *deciding) check() {
	x.checked = make([]label.Argument, len(x.leaves))
	x.d.Findings = make([]Finding, len(x.leaves))
	for i := range x.leaves {
		x.checkArgument(i)
	}

	switch x.d.Precision {
	case label.L2, label.L3:
	default:
		x.checkWhole()
	}
}

// checkWhole holds the call to its contract as one value. What an argument lacks by itself is
// found at every precision, so that a coarser one is never milder.
func (x *deciding) checkWhole() {
	gap := label.CheckWhole(x.d.Precision, x.checked)
	if !gap.Forbidden.Empty() {
		x.refuse(ForbiddenOrigin, "", fmt.Sprintf("at precision %s the call is one value, and a part of it may come from %s, which an argument forbids",
			x.d.Precision, strings.Join(x.in.classes.Names(gap.Forbidden), ", ")),
			"use precision L2 or L3, at which each argument is judged by itself")
	}
	if gap.Trust || gap.Open != 0 {
		x.ask(BelowFloor, "", fmt.Sprintf("at precision %s the call is one value, and some part of it is less trusted than the strictest argument accepts", x.d.Precision),
			"use precision L2 or L3, at which each argument is judged by itself")
	}
}

// checkArgument holds one argument to its contract.
func (x *deciding) checkArgument(i int) {
	a := x.arguments[i]
	value := effective(&x.resolved[i], a.Role)
	if x.in.lenient {
		value.Obligations &^= label.Unrequested
	}
	x.checked[i] = label.Argument{Require: a.Requirement, Value: value, Certified: value}
	gap := label.Check(value, a.Requirement, 0)
	var certificates []Discharge
	if !gap.None() && x.d.Precision == label.L3 {
		certificates, gap = x.discharge(i, gap)
	}

	x.d.Findings[i] = x.finding(i, certificates, gap.None())
	x.explainGap(i, gap)
}

// discharge applies the certificates that an argument can get until nothing is
// missing, and returns them with the gap that is left.
func (x *deciding) discharge(i int, gap label.Gap) ([]Discharge, label.Gap) {
	a, c := x.arguments[i], &x.checked[i]
	request := discharge.Request{Tool: x.tool(), Pointer: x.leaves[i].Pointer, Value: x.confirmable(i), Argument: a,
		Resolved: &x.resolved[i], Confirmed: x.in.confirmed}
	var out []Discharge
	for _, p := range x.in.procedures {
		certificate, ok := p.Certify(request)
		if !ok {
			continue
		}

		c.Certified = label.Apply(c.Certified, certificate, a.Role)
		c.Discharged |= certificate.Removes
		out = append(out, Discharge{
			Procedure: certificate.Procedure, Max: certificate.Max, Roles: certificate.Roles.List(),
			Removes: x.in.obligations.Names(certificate.Removes), Basis: certificate.Basis,
		})
		if gap = label.Check(c.Certified, a.Requirement, c.Discharged); gap.None() {
			break
		}
	}
	return out, gap
}

// finding returns what is known about an argument.
func (x *deciding) finding(i int, certificates []Discharge, satisfied bool) Finding {
	a, r, leaf := x.arguments[i], &x.resolved[i], &x.leaves[i]
	f := Finding{
		Path: leaf.Pointer, Value: cutText(leaf.Text), Role: a.Role, Floor: a.Floor,
		Trust: r.Label.Trust, Origins: x.originNames(i),
		Obligations: x.in.obligations.Names(r.Label.Obligations),
		How:         r.How, Certificates: certificates, Satisfied: satisfied,
		Pattern: a.Pattern, Why: a.Why, Contract: a.Place,
	}

	f.Evidence = shownEvidence(r.Evidence)
	return f
}

// originNames lists the origins of an argument. Arguments in a row often have the same,
// and share the list, which nothing can be appended to.
func (x *deciding) originNames(i int) []string {
	origins := x.resolved[i].Label.Origins
	if i > 0 && origins == x.resolved[i-1].Label.Origins {
		return x.d.Findings[i-1].Origins
	}
	return slices.Clip(x.in.classes.Names(origins))
}

// shownEvidence returns evidence with its texts cut.
func shownEvidence(all []Evidence) []Evidence {
	long := func(e Evidence) bool { return len(e.Text) > MaxShownValue }
	if !slices.ContainsFunc(all, long) {
		return slices.Clip(all)
	}
	out := slices.Clone(all)
	for i := range out {
		out[i].Text = cutText(out[i].Text)
	}
	return out
}
