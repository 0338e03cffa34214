package remit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// Verdict is the outcome of a decision.
type Verdict = label.Verdict

// The verdicts. Only Allow lets a call run. Ask holds a call that a person may still let through;
// without a person to ask, it stops the call like Deny.
const (
	Allow = label.Allow
	Ask   = label.Ask
	Deny  = label.Deny
)

// Decision is the answer to one proposed call, with everything that led to it.
// It is plain data: it can be written to a log, sent over a wire, and shown.
type Decision struct {
	// Session and Call identify the decision: the session's id and the call's.
	Session string `json:"session"`
	Call    string `json:"call"`
	Server  string `json:"server,omitempty"`
	Tool    string `json:"tool"`
	// Through is the tool that was called, where that only calls Tool: see
	// [contract.Unwrap].
	Through string `json:"through,omitempty"`
	// Variant is the verb by which the tool was split, where it was.
	Variant   string          `json:"variant,omitempty"`
	Verdict   Verdict         `json:"verdict"`
	Effect    contract.Effect `json:"effect,omitempty"`
	Precision label.Precision `json:"precision,omitempty"`
	// Arguments is the canonical form of what was checked. It is what must be
	// forwarded to the tool: never the text that the model wrote, so that
	// monitor and tool can't read it differently. Empty when it didn't parse.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Findings has one entry for each leaf of the arguments, in order, except those that only say
	// which tool is called.
	Findings []Finding `json:"findings,omitempty"`
	// Reasons say why the call was not simply allowed; all of them, not the
	// first. Empty when the verdict is Allow without a person's help.
	Reasons []Reason `json:"reasons,omitempty"`
	// Confirmed is set when a person let the call through.
	Confirmed bool `json:"confirmed,omitempty"`
	// Refused is set when a person was asked about the call and said no. The event of the
	// decision is from before; the question's answer is written down by itself.
	Refused bool `json:"-"`
	// Facts are what guards looked up and asked. They belong in the event of the decision, so
	// that the session can be restored, and nowhere else: they may be large, and may be
	// confidential.
	Facts *guard.Facts `json:"-"`
}

// Finding is what is known about one leaf of a call's arguments.
type Finding struct {
	// Path is the JSON pointer of the leaf.
	Path string `json:"path"`
	// Value is the leaf's text, cut to [MaxShownValue] bytes.
	Value string      `json:"value"`
	Role  label.Role  `json:"role,omitempty"`
	Floor label.Trust `json:"floor"`
	// Trust, Origins and Obligations are the value's label.
	Trust       label.Trust `json:"trust"`
	Origins     []string    `json:"origins,omitempty"`
	Obligations []string    `json:"obligations,omitempty"`
	// How names the way in which the label was found, as "exact", "number", "date",
	// "field" or "ambient".
	How string `json:"how"`
	// Evidence are the places in the session where the value, or what it was made
	// from, appears.
	Evidence []Evidence `json:"evidence,omitempty"`
	// Certificates are those that were applied.
	Certificates []Discharge `json:"certificates,omitempty"`
	// Satisfied is set when the contract accepts the value.
	Satisfied bool `json:"satisfied"`
	// Pattern and Why are the contract entry that was applied, and its reason.
	Pattern string `json:"pattern,omitempty"`
	Why     string `json:"why,omitempty"`
	// Contract is the place of that entry in its file, as file:line:column.
	Contract string `json:"contract,omitempty"`
}

// Evidence is a place in the session, its text cut to [MaxShownValue] bytes.
type Evidence = label.Evidence

// Discharge records a certificate that a decision applied: see
// [label.Certificate].
type Discharge struct {
	// Procedure is what issued it: "allowlist", "directory", "lookup",
	// "source", "validation" or "confirm".
	Procedure string       `json:"procedure"`
	Max       label.Trust  `json:"max"`
	Roles     []label.Role `json:"roles"`
	Removes   []string     `json:"removes,omitempty"`
	// Basis says, in words, what the procedure found.
	Basis string `json:"basis"`
}

// Code classifies a reason, stable for programs.
type Code string

// The codes of reasons.
const (
	BelowFloor       Code = "below-floor"       // the value's trust is below the argument's floor
	ForbiddenOrigin  Code = "forbidden-origin"  // an origin touched it that the contract forbids
	OpenObligation   Code = "open-obligation"   // an obligation has not been discharged
	GroupBelowFloor  Code = "group-below-floor" // arguments that make one value together: the worst decides
	ExternalSink     Code = "external-sink"     // a global rule: an address of external origin in an outward call
	OutsideScope     Code = "outside-scope"     // an effect that the scope of the turn doesn't cover
	Unprovoked       Code = "unprovoked"        // a call with an effect that the user did not ask for
	UnknownTool      Code = "unknown-tool"      // no contract
	UnknownArgument  Code = "unknown-argument"  // the schema or the contract does not list it
	ChangedTool      Code = "changed-tool"      // the definition differs from the one the contract was made for
	UnknownVariant   Code = "unknown-variant"   // the verb has no contract
	InvalidArguments Code = "invalid-arguments" // not strict JSON, too large, or not as the tool's schema has them
	LimitReached     Code = "limit-reached"     // a bound of the monitor
	RepeatedID       Code = "repeated-id"       // another call of the session has the id, or the call has run
	PolicyViolation  Code = "policy-violation"  // the call violates a policy of the company
	GuardFailed      Code = "guard-failed"      // a policy of the company could not be decided
	GuardUnproven    Code = "guard-unproven"    // it could not: its look-up was guessed
)

// Reason is one reason why a call was not simply allowed.
type Reason struct {
	Code Code `json:"code"`
	// Path is the argument concerned; empty when it is the whole call.
	Path string `json:"path,omitempty"`
	// Verdict is what this reason alone would lead to: Ask or Deny.
	Verdict Verdict `json:"verdict"`
	// Message says what is wrong, for a person and for a model.
	Message string `json:"message"`
	// Remedies say what would settle it.
	Remedies []string `json:"remedies,omitempty"`
	// Policy is the name of the rule that a guard stopped the call by, and
	// References are the sentences of the policy document that it comes from.
	Policy     string   `json:"policy,omitempty"`
	References []string `json:"references,omitempty"`
	// Values are what the rule was decided by, and Guard is its place in the
	// guard's file, as file:line:column. Values may come from look-ups: they are
	// for people who may see those, and not for the model.
	Values []guard.Value `json:"values,omitempty"`
	Guard  string        `json:"guard,omitempty"`
	// Reads are the readings of results that the message asks about as well as the call. A person who
	// agrees to the call agrees that the session reads those tools' results so.
	Reads []scope.Reading `json:"reads,omitempty"`
}

// Same reports whether two reasons are about the same thing, so that a person who
// has seen the first knows of the other, and of all readings that it asks about.
func (r Reason) Same(other Reason) bool {
	return r.Code == other.Code && r.Path == other.Path && r.Policy == other.Policy &&
		!slices.ContainsFunc(other.Reads, func(read scope.Reading) bool { return !slices.Contains(r.Reads, read) })
}

// MaxShownValue bounds how much of a value or of evidence a decision repeats,
// in bytes: enough to recognise it, not enough to carry a payload onwards.
const MaxShownValue = 256

// Repeats reports whether the call was refused because its id is that of another call, or of
// this one after it ran. It decides nothing about the call that has the id.
func (d *Decision) Repeats() bool {
	return slices.ContainsFunc(d.Reasons, func(r Reason) bool { return r.Code == RepeatedID })
}

// Explain says in a few lines why the call was not allowed, for the model that
// proposed it: which argument, why, and what would be accepted. It repeats
// nothing of what others wrote beyond the offending value, and, where it asks how
// to read a result, the record that the value is in. It is empty for an
// allowed call.
func (d *Decision) Explain() string {
	if d.Verdict == Allow {
		return ""
	}

	var b strings.Builder
	verb := "denied"
	switch {
	case d.Refused:
		verb = "refused by a person"
	case d.Verdict == Ask:
		verb = "held back until a person confirms it"
	}
	tool := d.Tool
	if d.Through != "" {
		tool += " through " + d.Through
	}

	fmt.Fprintf(&b, "The call of %s was %s.\n", tool, verb)
	for _, r := range d.Reasons {
		if r.Path != "" {
			fmt.Fprintf(&b, "- %s: %s\n", r.Path, r.Message)
		} else {
			fmt.Fprintf(&b, "- %s\n", r.Message)
		}

		for _, sentence := range r.References {
			fmt.Fprintf(&b, "  The policy says: %q\n", sentence)
		}
		for _, remedy := range d.Advice(r) {
			fmt.Fprintf(&b, "  %s\n", remedy)
		}
	}

	return b.String()
}

// Advice returns those of a reason's remedies that can help the call: none after a person has
// refused it, and no confirmation where another reason denies it whatever a person says.
func (d *Decision) Advice(r Reason) []string {
	switch {
	case d.Refused:
		return nil
	case d.Verdict != Deny:
		return r.Remedies
	}
	return slices.DeleteFunc(slices.Clone(r.Remedies), func(remedy string) bool { return strings.Contains(remedy, confirming) })
}
