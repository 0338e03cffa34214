package remit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/discharge"
	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/internal/provenance"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// input is everything that a decision depends on. Deciding changes nothing of it.
type input struct {
	*deployment
	session string
	call    Call // with its id
	number  int  // of the calls that the session has numbered, this one included
	now     time.Time

	seen      provenance.Reader
	calls     int      // that the session has decided, and decided again
	before    *decided // what was decided under the call's id; nil for a new one
	resumes   bool     // the call was allowed under its id, and has not run
	confirmed discharge.Confirmed
	agreed    agreements
	ahead     ahead
	codeFor   *codeRequest // a call that waits for a one-time code; nil for none
	counted   string       // the id under which a call that resumes is counted
	passages  passages
	history   *guard.History  // as guards see it; nil where there are none
	task      *match.Task     // nil where there is no scope
	results   []*match.Result // in which its sources are looked for
	delegated []*delegated    // plans to which a person agreed
	readings  []scope.Reading // to which a person agreed
	turn      int             // the user's, counted
	early     bool            // the session has read nothing that others may have written

	consent consent
	// facts are what guards learned from others. In a replay they are from the log,
	// and best is what was decided then.
	facts  *guard.Facts
	replay bool
	best   Verdict
}

// consent is a person's agreement to what would be asked about a call.
type consent uint8

const (
	none       consent = iota
	once               // to this call alone
	forSession         // to its values, each in its argument, from now on
)

// decided is what a session remembers of a decision.
type decided struct {
	call    Call
	allowed bool
	reasons []Reason // what a person was last asked about
	turn    int      // the user's turn in which that was
	agreed  consent  // by which the call is allowed
}

// outcome is a decision with what its session learns of it: see [Session.commit].
type outcome struct {
	in       *input
	decision *Decision
	own      Verdict         // without regard to what is in the log
	wants    []guard.Request // those whose facts are missing
	version  uint64          // of the session that it was decided for

	record *callRecord // nil when the session is not to remember the call
	// Of a call that may run:
	values    []provenance.Value
	resolved  []provenance.Resolution
	act       provenance.Act
	tool      string // with its server and variant, as confirmations name it
	agreement string // the call to which a person agreed for the session; empty otherwise
	spends    string // the call to which the user agreed ahead, whose agreement it spends; empty otherwise
	spent     int    // the place of that agreement
	confirmed []confirmedValue
	// Of a call that is decided by a scope:
	scopeArgs []match.Argument
	counted   string       // the id under which it is counted
	digest    string       // of a call that other points may decide, too; empty for another one
	passage   *passage     // that it is of; nil for a new one
	cover     *match.Cover // nil where no entry covers the call
	coverTask *match.Task  // that the entry is of
	// readings are those to which a person agreed with the call.
	readings []scope.Reading
}

// confirmedValue is a value that a person confirmed for an argument.
type confirmedValue struct {
	argument *contract.Argument
	value    string
}

// decide takes a call through the one straight way: parse, bind, resolve,
// discharge, check, global rules, guards. It gathers everything that is wrong; the
// strictest reason is the verdict. It depends on its input alone and changes
// nothing: [Session.commit] does.
func decide(in *input) *outcome {
	x := newDeciding(in)
	x.run()
	x.settle()
	return x.out
}

// deciding is one decision in the making.
type deciding struct {
	in  *input
	out *outcome
	d   *Decision

	through *target // the tool that the call names, where this calls another one
	bound   *binding
	target  target
	variant *contract.Variant

	leaves    []leaf
	arguments []*contract.Argument
	values    []provenance.Value // as they were resolved
	resolved  []provenance.Resolution
	checked   []label.Argument
	ambient   label.Label
	act       provenance.Act
	history   *guard.History // as guards see it for this call
}

func newDeciding(in *input) *deciding {
	d := &Decision{Session: in.session, Call: in.call.ID, Server: in.call.Server, Tool: in.call.Tool}
	return &deciding{
		in: in, d: d, out: &outcome{in: in, decision: d, counted: in.call.ID},
		ambient: in.seen.Ambient(), history: in.history,
	}
}

// run finds the reasons against the call.
func (x *deciding) run() {
	if !x.admissible() {
		return
	}

	x.out.record = &callRecord{decided: decided{call: x.in.call}}
	if x.bind() && x.parse() && x.fit() && x.resolve() {
		x.handOn()
		x.heard()
		x.check()
		x.groups()
		x.sinks()
		x.unprovoked()
		x.choices()
		x.omissions()
		x.settleByCode()
		x.scoped()
		x.workload()
		x.guards()
	}
	x.out.record.bound, x.out.record.variant, x.out.record.counted = x.bound, x.variant, x.out.counted
}

// admissible reports whether the session can take the call under its id. A call that was
// held back may be proposed again, and so may one that is allowed and has not run: see
// [callRecord.resumable].
func (x *deciding) admissible() bool {
	before, c := x.in.before, &x.in.call
	ran := before != nil && before.allowed && !x.in.resumes
	if before != nil && (ran || !before.call.same(c)) {
		x.refuse(RepeatedID, "", fmt.Sprintf("the call id %q was used before in this session", c.ID), "give every call an id of its own")
		return false
	}
	if x.in.calls >= MaxCalls {
		x.refuse(LimitReached, "", fmt.Sprintf("the session has reached its %d calls", MaxCalls), "start a new session")
		return false
	}
	return true
}

// same reports whether two calls are alike except for their ids.
func (c *Call) same(other *Call) bool {
	return c.Server == other.Server && c.Tool == other.Tool && string(c.Arguments) == string(other.Arguments)
}

// settle turns the reasons into a verdict.
func (x *deciding) settle() {
	d := x.d
	d.Verdict = x.worst()
	if turn, ok := x.answered(); ok {
		d.Verdict, d.Confirmed = Allow, true
		x.agreedReadings(turn)
	}
	x.out.own = d.Verdict
	if x.in.replay && x.onlyFailed() {
		d.Verdict = Allow // as far as best has it
	}
	if d.Verdict == Allow {
		d.Verdict = x.in.best
	}

	switch d.Verdict {
	case Allow:
		x.allow()
		x.keepConsent()
	case Ask:
		x.out.record.reasons, x.out.record.turn = d.Reasons, x.in.turn
	}
}

// answered reports whether a person agreed to a call that would be held back, and in which turn
// the person was asked.
func (x *deciding) answered() (turn int, ok bool) {
	switch {
	case x.d.Verdict != Ask:
		return 0, false
	case x.seenByPerson():
		return x.in.before.turn, true
	case x.repeats():
		return x.in.agreed[x.digest()].turn, true
	}
	return x.agreedAhead()
}

// seenByPerson reports whether a person agreed to the call and was asked about all
// reasons. What was read since then may have added others.
func (x *deciding) seenByPerson() bool {
	agreed := x.in.consent != none || (x.in.resumes && x.in.before.agreed != none)
	return agreed && x.in.before != nil && covered(x.in.before.reasons, x.d.Reasons)
}

// keepConsent keeps what a person agreed to, for a call that is proposed again before it
// has run: it asks about nothing that the person has seen.
func (x *deciding) keepConsent() {
	r := x.out.record
	switch {
	case x.in.consent != none:
		r.agreed, r.reasons, r.turn = x.in.consent, x.in.before.reasons, x.in.before.turn
	case x.in.resumes:
		r.agreed, r.reasons, r.turn = x.in.before.agreed, x.in.before.reasons, x.in.before.turn
		r.resumed = true
	}
}

// worst returns the strictest verdict among the reasons so far.
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

// onlyFailed reports whether nothing is known against a call but that rules could
// not be decided. For a call in a log that says nothing new: the look-up that a
// rule wants now was not made then.
func (x *deciding) onlyFailed() bool {
	return !slices.ContainsFunc(x.d.Reasons, func(r Reason) bool { return r.Code != GuardFailed && r.Code != GuardUnproven })
}

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

// allow adds what later events need to know about a call that may run.
func (x *deciding) allow() {
	o, r := x.out, x.out.record
	r.allowed = true
	r.scopeArgs, r.covered, r.early = o.scopeArgs, o.cover != nil, x.in.early

	r.args = make([]provenance.Argument, 0, len(x.leaves))
	o.values, o.resolved, o.act = x.values, x.resolved, x.act
	for i := range x.leaves {
		l := &x.leaves[i]
		o.values[i].Pointer = l.Pointer // in the call, where another tool is called through it
		v := x.carried(i)
		x.resolved[i].Label = v
		place := l.place
		if l.outer {
			place = ""
		}
		r.args = append(r.args, provenance.Argument{Pointer: place, Text: l.Text, Label: v})
	}
	x.agree()
}

// agree adds what a person agreed to for the session.
func (x *deciding) agree() {
	if !x.d.Confirmed || x.in.consent != forSession {
		return
	}

	o := x.out
	o.tool, o.agreement = x.tool(), x.digest()
	for i, a := range x.arguments {
		named := slices.ContainsFunc(x.d.Reasons, func(r Reason) bool { return r.Path == x.leaves[i].Pointer })
		// What is sent, run, paid or set is agreed to with the call that has it.
		if named && a.Role == label.Target {
			o.confirmed = append(o.confirmed, confirmedValue{a, x.confirmable(i)})
		}
	}
}

// repeats reports whether a person agreed to this very call for the session, with
// all that it carries. What is sent or paid is agreed to once.
func (x *deciding) repeats() bool {
	if x.variant == nil || x.variant.Effect == contract.Egress {
		return false
	}
	return x.in.agreed[x.digest()].covers(x.d.Reasons, x.in.now)
}

// digest returns the callDigest of the call.
func (x *deciding) digest() string {
	return callDigest(x.d.Server, x.d.Tool, x.d.Variant, x.d.Arguments)
}

// callDigest identifies a call by its tool and canonical arguments.
func callDigest(server, tool, variant string, arguments json.RawMessage) string {
	return strings.Join([]string{server, tool, variant, string(arguments)}, "\x00")
}

// tool names the tool of the call for confirmations, with its server.
// An answer about one variant of it says nothing about another.
func (x *deciding) tool() string { return x.d.Server + "\x00" + x.d.Tool + "\x00" + x.d.Variant }

// confirmable returns what a confirmation of an argument is about: its value, and the member
// names above it that the schema leaves open.
func (x *deciding) confirmable(i int) string {
	l := &x.leaves[i]
	return strings.Join(append([]string{l.Text}, openNames(x.arguments[i], l)...), "\x00")
}

// carried returns the label that a value takes into the results of its call. What a certificate
// said about it holds there too; the parts of it that only the whole call looked past do not gain
// by that.
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

// refuse adds a reason that a person can't confirm away.
func (x *deciding) refuse(code Code, path, message string, remedies ...string) {
	x.d.Reasons = append(x.d.Reasons, Reason{Code: code, Path: path, Verdict: Deny, Message: message, Remedies: remedies})
}

// ask adds a reason that a person may settle.
func (x *deciding) ask(code Code, path, message string, remedies ...string) {
	x.d.Reasons = append(x.d.Reasons, Reason{Code: code, Path: path, Verdict: Ask, Message: message, Remedies: remedies})
}

// global adds a reason of a global rule, with the verdict of its mode.
func (x *deciding) global(mode contract.Mode, code Code, path, message string, remedies ...string) {
	if mode == contract.Deny {
		x.refuse(code, path, message, remedies...)
		return
	}
	x.ask(code, path, message, remedies...)
}

// workload refuses a call that took more steps than one may: not everything that
// speaks against it was found.
func (x *deciding) workload() {
	if x.in.seen.Exhausted() {
		x.refuse(LimitReached, "", "the call takes more work to check than one call may", "send fewer or shorter values in one call")
	}
}
