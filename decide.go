package remit

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/discharge"
	"github.com/remit-project/remit/internal/provenance"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
)

// deciding is one decision in the making.
type deciding struct {
	s       *Session
	d       *Decision
	call    *Call
	number  int // of the calls that the session numbered, this one among them
	bound   *binding
	variant *contract.Variant
	outer   *binding // the tool through which bound's is called; nil when the call names it
	prefix  string   // where the arguments stand within the outer call's
	consent consent

	leaves    []strictjson.Leaf
	arguments []*contract.Argument
	resolved  []provenance.Resolution
	checked   []label.Argument
	ambient   label.Label
	act       provenance.Act

	// What came of it: see [Session.decide].
	own    Verdict
	record *callRecord
	known  bool               // the session gets the record
	values []provenance.Value // of a call that may run
}

// consent is a person's agreement to what would be asked about a call.
type consent uint8

const (
	none       consent = iota
	once               // to this call alone
	forSession         // to its values, each in its argument, from now on
)

// decide takes a call through the one straight way: parse, bind, resolve,
// discharge, check, global rules. Everything that is wrong is gathered; the
// worst of it is the verdict. The decision's is no better than best, what a
// restored session's log says was decided; own is this monitor's. The session
// learns of it by note, before which nothing else may happen in it.
// The recorded facts are what guards learned when the log was written; nil where
// they are to look things up.
func (s *Session) decide(ctx context.Context, c *Call, agreed consent, best Verdict, recorded *guard.Facts) *deciding {
	number := s.counts.calls
	if c.ID == "" {
		for taken := true; taken; _, taken = s.calls[c.ID] {
			number++
			c.ID = fmt.Sprintf("c%d", number)
		}
	}
	x := &deciding{s: s, call: c, number: number, consent: agreed, ambient: s.seen.Ambient(), record: &callRecord{call: *c},
		d: &Decision{Session: s.id, Call: c.ID, Server: c.Server, Tool: c.Tool}}
	old, again := s.calls[c.ID]
	if again && (old.allowed || old.call.Server != c.Server || old.call.Tool != c.Tool || string(old.call.Arguments) != string(c.Arguments)) {
		x.refuse(LimitReached, "", fmt.Sprintf("the call id %q was used before in this session", c.ID), "give every call an id of its own")
	} else if len(s.calls) >= MaxCalls {
		x.refuse(LimitReached, "", fmt.Sprintf("the session has reached its %d calls", MaxCalls), "start a new session")
	} else {
		if x.bind() && x.parse() && x.fit() && x.resolve() {
			x.heard()
			x.check()
			x.groups()
			x.sinks()
			x.unprovoked()
			x.choices()
			x.workload()
			x.omissions()
			x.guards(ctx, recorded)
		}
		x.record.bound, x.record.variant, x.known = x.bound, x.variant, true
	}
	x.d.Verdict = x.worst()
	if agreed != none && x.d.Verdict == Ask && again && old.asked(x.d.Reasons) {
		// A person looked at these very reasons. What was read since then may
		// have added others, which the person has yet to see.
		x.d.Verdict, x.d.Confirmed = Allow, true
	}
	if x.d.Verdict == Ask && x.repeats() {
		x.d.Verdict, x.d.Confirmed = Allow, true
	}
	x.own = x.d.Verdict
	if recorded != nil && x.onlyFailed() {
		x.d.Verdict = Allow // as far as best has it
	}
	if x.d.Verdict == Allow {
		x.d.Verdict = best
	}
	switch x.d.Verdict {
	case Allow:
		x.allow()
	case Ask:
		x.record.reasons = x.d.Reasons
	}
	return x
}

// worst is the worst that the reasons so far come to.
func (x *deciding) worst() Verdict {
	worst := Allow
	for _, r := range x.d.Reasons {
		if r.Verdict == Deny {
			return Deny
		}
		worst = Ask
	}
	return worst
}

// onlyFailed tells whether nothing is known against a call but that rules could
// not be decided. Of a call in a log that is no news: the look-up that a rule
// wants now was not made then.
func (x *deciding) onlyFailed() bool {
	return !slices.ContainsFunc(x.d.Reasons, func(r Reason) bool { return r.Code != GuardFailed })
}

// note takes what was decided into the session.
func (x *deciding) note() {
	x.s.version++
	x.s.counts.calls = max(x.s.counts.calls, x.number)
	if x.known {
		x.s.calls[x.record.call.ID] = x.record
	}
	if x.record.allowed {
		x.s.seen.Called("call:"+x.call.ID+"#", x.values, x.resolved)
		x.s.seen.Acted(x.act)
		x.confirm()
		if x.record.made != nil {
			x.s.ran(x.record.made)
		}
	}
}

// asked tells whether a person was asked about all of the reasons.
func (r *callRecord) asked(reasons []Reason) bool { return covered(r.reasons, reasons) }

// covered reports whether all reasons are among those that a person was asked
// about.
func covered(asked, reasons []Reason) bool {
	for _, want := range reasons {
		if !slices.ContainsFunc(asked, func(have Reason) bool { return have.Same(want) }) {
			return false
		}
	}
	return true
}

// allow makes what later events need to know about a call that may run.
func (x *deciding) allow() {
	r := x.record
	r.allowed = true
	x.values = make([]provenance.Value, len(x.leaves))
	r.args = make([]provenance.Resolved, 0, len(x.leaves))
	r.keys = make([]string, 0, len(x.leaves))
	for i, l := range x.leaves {
		x.values[i] = provenance.Value{Pointer: l.Pointer, Kind: l.Kind, Text: l.Text}
		v := x.carried(i)
		x.resolved[i].Label = v
		r.args = append(r.args, provenance.Resolved{Text: l.Text, Label: v})
		key, own := x.path(i)
		if !own {
			key = ""
		}
		r.keys = append(r.keys, key)
	}
}

// confirm notes what a person agreed to for the session.
func (x *deciding) confirm() {
	if !x.d.Confirmed || x.consent != forSession {
		return
	}
	if x.s.agreed == nil {
		x.s.agreed = map[string]agreement{}
	}
	if len(x.s.agreed) < maxAgreed {
		x.s.agreed[x.digest()] = agreement{x.d.Reasons, x.s.now().Add(discharge.ConfirmationLife)}
	}
	for i, a := range x.arguments {
		named := slices.ContainsFunc(x.d.Reasons, func(r Reason) bool { return r.Path == x.leaves[i].Pointer })
		// What is sent, run, paid or set is agreed to with the call that has it.
		if named && a.Role == label.Target {
			// The session is bounded by its calls; a full list only means that
			// the person is asked again.
			_ = x.s.confirmed.Add(x.tool(), a, x.confirmable(i), x.s.now())
		}
	}
}

// maxAgreed bounds the calls of a session that a person agreed to for all of it.
const maxAgreed = 4096

// agreement is a call to which a person agreed for the session.
type agreement struct {
	reasons []Reason // what the person was asked about
	until   time.Time
}

// repeats reports whether a person agreed to this very call for the session, with
// all that it carries. What is sent or paid is agreed to once.
func (x *deciding) repeats() bool {
	if x.variant == nil || x.variant.Effect == contract.Egress {
		return false
	}
	a, ok := x.s.agreed[x.digest()]
	return ok && x.s.now().Before(a.until) && covered(a.reasons, x.d.Reasons)
}

// digest tells the call from every other.
func (x *deciding) digest() string { return x.tool() + "\x00" + string(x.d.Arguments) }

// tool names the tool of the call for confirmations, with its server.
// An answer about one variant of it says nothing about another.
func (x *deciding) tool() string { return x.d.Server + "\x00" + x.d.Tool + "\x00" + x.d.Variant }

// confirmable is what a confirmation of an argument is about: its value, and
// the member names above it that the schema leaves open.
func (x *deciding) confirmable(i int) string {
	pointer, _ := x.path(i)
	return strings.Join(append([]string{x.leaves[i].Text}, openNames(x.arguments[i], pointer)...), "\x00")
}

// carried is the label that a value takes into the results of its call. What a
// certificate said about it holds there too; the parts of it that only the
// whole call looked past do not gain by that.
func (x *deciding) carried(i int) label.Label {
	if len(x.d.Findings[i].Certificates) == 0 {
		return x.resolved[i].Label
	}
	l := x.checked[i].Certified
	for _, p := range x.resolved[i].Parts {
		if !p.Authority {
			l = label.Merge(l, p.Label)
		}
	}
	return l
}

// refuse adds a reason that nobody can confirm away.
func (x *deciding) refuse(code Code, path, message string, remedies ...string) {
	x.d.Reasons = append(x.d.Reasons, Reason{Code: code, Path: path, Verdict: Deny, Message: message, Remedies: remedies})
}

// ask adds a reason that a person may settle.
func (x *deciding) ask(code Code, path, message string, remedies ...string) {
	x.d.Reasons = append(x.d.Reasons, Reason{Code: code, Path: path, Verdict: Ask, Message: message, Remedies: remedies})
}

// workload refuses a call that took more steps than one may: not everything that
// speaks against it was found.
func (x *deciding) workload() {
	if x.s.seen.Exhausted() {
		x.refuse(LimitReached, "", "the call takes more work to check than one call may", "send fewer or shorter values in one call")
	}
}

func (x *deciding) bind() bool {
	b, ok := x.s.monitor.find(x.call.Server, x.call.Tool)
	if !ok {
		x.refuse(UnknownTool, "", fmt.Sprintf("the tool %q has no contract", shown(x.call.Tool)),
			"make one with: remit contract synth")
		return false
	}
	x.bound = b
	x.d.Server, x.d.Precision = b.server, b.contract.Precision
	if b.changed != "" {
		x.refuse(ChangedTool, "", b.changed, "review the tool and make its contract again with: remit contract synth")
		return false
	}
	return true
}

func (x *deciding) parse() bool {
	raw := x.call.Arguments
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	doc, err := strictjson.Parse(raw, strictjson.DefaultLimits())
	if err != nil {
		x.refuse(InvalidArguments, "", "the arguments are not acceptable JSON: "+err.Error(), "send one JSON object, every member once")
		return false
	}
	if doc.Root() != strictjson.Object {
		x.refuse(InvalidArguments, "", "the arguments are not a JSON object", "send one JSON object")
		return false
	}
	x.d.Arguments = doc.Canonical()
	x.leaves = doc.Leaves()
	if len(x.leaves) == 1 && x.leaves[0].Pointer == "" {
		x.leaves = nil // the empty object
	}
	return x.bound.contract.Tool.Unwrap == nil || x.unwrap(doc)
}

// path is the pointer of a leaf as its contract has it, and tells whether that
// is the contract of the tool that is decided, not of one through which it is
// called.
func (x *deciding) path(i int) (pointer string, own bool) {
	pointer = x.leaves[i].Pointer
	if x.outer == nil {
		return pointer, true
	}
	if inner, ok := strings.CutPrefix(pointer, x.prefix); ok && strings.HasPrefix(inner, "/") {
		return inner, true
	}
	return pointer, false
}

// verb finds the value of the argument that splits the tool.
func (x *deciding) verb() (value string, present bool) {
	if x.bound.contract.Verb == "" {
		return "", false
	}
	for i, leaf := range x.leaves {
		if p, own := x.path(i); own && p == x.bound.contract.Verb && leaf.Kind != strictjson.Null {
			return leaf.Text, true
		}
	}
	return "", false
}

// fit finds the contract's variant, and its entry for every leaf.
func (x *deciding) fit() bool {
	verb, present := x.verb()
	x.variant, present = x.bound.contract.Variant(verb, present)
	if !present {
		x.refuse(UnknownVariant, x.prefix+x.bound.contract.Verb, fmt.Sprintf("%q is no variant of the tool that has a contract", shown(verb)),
			"one of: "+strings.Join(x.bound.contract.Variants(), ", "))
		return false
	}
	x.d.Variant, x.d.Effect = x.variant.Value, x.variant.Effect
	x.typed()
	x.act = x.bound.actOf(x.variant)
	for i, leaf := range x.leaves {
		variant, definition := x.variant, x.bound.definition
		pointer, own := x.path(i)
		if !own {
			variant, _ = x.outer.contract.Variant("", false)
			definition = nil // unwrap has held the whole call to it
		}
		if definition != nil && !definition.Accepts(pointer) {
			if !x.within(leaf.Pointer) {
				x.refuse(UnknownArgument, leaf.Pointer, "the tool's schema has no such argument", "leave it out")
			}
			continue
		}
		a, ok := variant.Match(pointer)
		if !ok {
			x.refuse(UnknownArgument, leaf.Pointer, "the tool's contract has no such argument", "leave it out, or add it to the contract")
			continue
		}
		x.arguments = append(x.arguments, a)
	}
	return len(x.d.Reasons) == 0
}

// within reports whether a place of the call is inside of one that was refused as
// a whole.
func (x *deciding) within(pointer string) bool {
	return slices.ContainsFunc(x.d.Reasons, func(r Reason) bool { return r.Path != "" && strings.HasPrefix(pointer, r.Path+"/") })
}

// typed holds the arguments to the types, values and members that the tool's
// definition declares. Without a definition nothing is known of them.
func (x *deciding) typed() {
	arguments := json.RawMessage(x.d.Arguments)
	if x.outer != nil {
		x.misfits(x.outer.definition, arguments, "")
		arguments = inner(arguments, x.prefix)
	}
	x.misfits(x.bound.definition, arguments, x.prefix)
}

// misfits refuses arguments that the definition doesn't accept at a place of the
// call.
func (x *deciding) misfits(definition *schema.Tool, arguments json.RawMessage, at string) {
	if definition == nil {
		return
	}
	for _, m := range definition.Misfits(arguments) {
		// Definitions require more than their tools do. A look-up that lacks
		// something fails, or answers; either changes nothing.
		spared := m.Missing && x.variant.Effect == contract.Read
		if spared || m.Unlisted { // see [deciding.fit]
			continue
		}
		var remedies []string
		if m.Instead != "" {
			remedies = []string{m.Instead}
		}
		x.refuse(InvalidArguments, at+m.Pointer, "by the tool's schema, "+m.Message, remedies...)
	}
}

func (x *deciding) resolve() bool {
	values := make([]provenance.Value, len(x.leaves))
	for i, leaf := range x.leaves {
		a := x.arguments[i]
		pointer, _ := x.path(i)
		values[i] = provenance.Value{Pointer: pointer, Kind: leaf.Kind, Text: leaf.Text, Form: provenance.Form(a.Form),
			Brief: a.Floor == label.External && a.Requirement.Forbidden.Empty() && a.Requirement.Required == 0}
	}
	// The names of members that the schema leaves open are values as well:
	// {"permissions": {"eve@x.io": "write"}} has its target in one.
	owner := []int(nil)
	for i := range x.leaves {
		for _, name := range openNames(x.arguments[i], values[i].Pointer) {
			values = append(values, provenance.Value{Pointer: values[i].Pointer, Kind: strictjson.String, Text: name})
			owner = append(owner, i)
		}
	}
	all := x.s.seen.Resolve(x.act, values)
	x.resolved = all[:len(x.leaves)]
	for j, i := range owner {
		name, r := &all[len(x.leaves)+j], &x.resolved[i]
		r.Label = label.Merge(r.Label, name.Label)
		if len(r.Parts) > 0 {
			r.Parts = append(r.Parts, provenance.Part{Name: "member name", Text: values[len(x.leaves)+j].Text, Authority: true, Label: name.Label})
		}
		r.Witness = r.Witness && name.Witness
		r.Evidence = append(r.Evidence, name.Evidence...)
		if name.Label.Trust < label.User {
			r.Offers = nil // they are for the value alone
		}
	}
	return true
}

// openNames returns the member names of a pointer that the contract's pattern
// leaves open, where they matter: above arguments that carry authority.
func openNames(a *contract.Argument, pointer string) []string {
	if a.Role == label.Content || a.Role == label.Selector || !strings.Contains(a.Pattern, "*") || pointer == "" {
		return nil
	}
	var out []string
	pattern := strings.Split(a.Pattern, "/")
	for i, segment := range strings.Split(pointer, "/") {
		if segment == "" || i < len(pattern) && pattern[i] != "*" && pattern[i] != "**" ||
			i >= len(pattern) && pattern[len(pattern)-1] != "**" {
			continue
		}
		// A small number is the index of a list.
		if _, err := strconv.Atoi(segment); err != nil || len(segment) > 4 {
			out = append(out, strings.NewReplacer("~1", "/", "~0", "~").Replace(segment))
		}
	}
	return out
}

// effective is the label that an argument is checked with. In arguments that
// bear authority, and in selectors, the parts that decide where a call goes
// count; what a query or a display name carries along is content. Doubts about
// who picked a value matter only where the value carries authority.
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

func (x *deciding) check() {
	x.checked = make([]label.Argument, len(x.leaves))
	x.d.Findings = make([]Finding, len(x.leaves))
	for i := range x.leaves {
		x.checkArgument(i)
	}
	if p := x.d.Precision; p == label.L0 || p == label.L1 {
		if !label.CheckCall(p, x.checked) {
			x.ask(BelowFloor, "", fmt.Sprintf("at precision %s the call is one value, and some part of it is less trusted than the strictest argument accepts", p),
				"use precision L2 or L3, at which each argument is judged by itself")
		}
	}
}

func (x *deciding) checkArgument(i int) {
	a, r, leaf := x.arguments[i], &x.resolved[i], &x.leaves[i]
	value := effective(r, a.Role)
	c := label.Argument{Require: a.Requirement, Value: value, Certified: value}
	gap := label.Check(value, a.Requirement, 0)
	var certs []Discharge
	if !gap.None() && x.d.Precision == label.L3 {
		request := discharge.Request{Tool: x.tool(), Pointer: leaf.Pointer, Value: x.confirmable(i), Argument: a, Resolved: r,
			Confirmed: &x.s.confirmed, Now: x.s.now()}
		for _, p := range x.s.monitor.procedures {
			cert, ok := p.Certify(request)
			if !ok {
				continue
			}
			c.Certified = label.Apply(c.Certified, cert, a.Role)
			c.Discharged |= cert.Removes
			certs = append(certs, Discharge{
				Procedure: cert.Procedure, Max: cert.Max, Roles: cert.Roles.List(),
				Removes: x.s.monitor.obligations.Names(cert.Removes), Basis: cert.Basis,
			})
			if gap = label.Check(c.Certified, a.Requirement, c.Discharged); gap.None() {
				break
			}
		}
	}
	x.checked[i] = c
	x.d.Findings[i] = x.finding(i, certs, gap.None())
	if x.d.Precision == label.L2 || x.d.Precision == label.L3 {
		x.explainGap(i, gap)
	}
}

func (x *deciding) finding(i int, certs []Discharge, satisfied bool) Finding {
	a, r, leaf := x.arguments[i], &x.resolved[i], &x.leaves[i]
	f := Finding{
		Path: leaf.Pointer, Value: shown(leaf.Text), Role: a.Role, Floor: a.Floor,
		Trust: r.Label.Trust, Origins: x.s.monitor.classes.Names(r.Label.Origins),
		Obligations: x.s.monitor.obligations.Names(r.Label.Obligations),
		How:         r.How, Certificates: certs, Satisfied: satisfied,
		Pattern: a.Pattern, Why: a.Why, Contract: a.Place,
	}
	if len(r.Evidence) > 0 {
		f.Evidence = make([]Evidence, len(r.Evidence))
		for j, e := range r.Evidence {
			f.Evidence[j] = e
			f.Evidence[j].Text = shown(e.Text)
		}
	}
	return f
}
