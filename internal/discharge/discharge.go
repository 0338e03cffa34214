// Package discharge holds the procedures that recover a value which a floor or
// an open obligation blocks: allowlist, directory look-up, look-up of the one
// record that the user named, designated source, validation of a bounded format
// from a bounded source, and confirmation by the user.
//
// Every procedure is narrow. It answers for one value, never for a source of
// unbounded text; its certificate serves the roles it names, raises at most to
// its own greatest trust, keeps the origins, and ends with its session or
// earlier (PACT, section 4.3: non-expansive discharge).
package discharge

import (
	"fmt"
	"time"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/provenance"
	"github.com/remit-project/remit/label"
)

// The names of the procedures, as contracts and decisions spell them.
const (
	Allowlist    = "allowlist"
	Directory    = "directory"
	Lookup       = "lookup"
	Source       = "source"
	Validation   = "validation"
	Confirmation = "confirm"
	// Settled serves every argument: no one chooses its values.
	Settled = provenance.Settled
)

// Request is one value that falls short of what its argument asks for.
type Request struct {
	Tool      string
	Pointer   string
	Value     string
	Argument  *contract.Argument
	Resolved  *provenance.Resolution
	Confirmed Confirmed
}

// Procedure issues certificates.
type Procedure interface {
	// Certify answers with a certificate for exactly the requested value, or
	// false when the procedure does not cover it.
	Certify(r Request) (label.Certificate, bool)
}

// Procedures returns the procedures of this package, in the order in which they are tried.
// Confirmation comes first: it says more than the others, that the user wanted the value, and
// must not be hidden by them.
func Procedures() []Procedure {
	return []Procedure{confirmation{}, allowlist{}, fields{}, validation{}, typed{}}
}

// doubts are the obligations that say that the value may not be the one meant. A
// procedure that pins the value down removes them. [label.Homoglyph] is not among
// them.
const doubts = label.LowInfo | label.AmbiguousBinding

// allowlist certifies constants that the contract lists.
type allowlist struct{}

func (allowlist) Certify(r Request) (label.Certificate, bool) {
	if !r.Argument.Allows(r.Value) {
		return label.Certificate{}, false
	}
	return label.Certificate{
		Removes: doubts | label.Unrequested, Roles: label.RolesOf(r.Argument.Role), Max: label.Trusted,
		Procedure: Allowlist, Basis: "the contract lists the value",
	}, true
}

// fields certifies what a certified field of a look-up offers: directory,
// look-up and source. The producing call's key was checked when it returned.
type fields struct{}

func (fields) Certify(r Request) (label.Certificate, bool) {
	best, ok := label.Certificate{}, false
	for _, c := range r.Resolved.Offers {
		accepted := c.Procedure == provenance.Settled || r.Argument.Discharges(c.Procedure)
		better := !ok || c.Max > best.Max
		if !accepted || !better || !c.Roles.Has(r.Argument.Role) {
			continue
		}
		best, ok = label.Certificate{
			Removes: doubts, Roles: c.Roles, Max: c.Max,
			Procedure: c.Procedure, Basis: c.Basis,
		}, true
	}
	return best, ok
}

// validation certifies a number or a date that the monitor took or computed
// from the user's words and from fields that the service itself generated: such
// a value can carry no address and no instruction.
type validation struct{}

// validated are the roles that validation serves: amounts, dates, counts. A
// number that picks an object is not among them: its author chose the object.
const validated = label.RoleSet(1<<label.Control | 1<<label.Content)

func (validation) Certify(r Request) (label.Certificate, bool) {
	if !validated.Has(r.Argument.Role) || !r.Resolved.Bounded || r.Resolved.Label.Trust < label.ToolOutput || !r.Argument.Discharges(Validation) {
		return label.Certificate{}, false
	}
	return label.Certificate{
		Removes: label.LowInfo, Roles: validated, Max: label.User,
		Procedure: Validation, Basis: fmt.Sprintf("a plain number or date from a bounded source (%s)", r.Resolved.How),
	}, true
}

// typed certifies a secret that the user typed for the very call: a person who may use it says
// what for. In doubt, and from any other source, a secret is the deployment's.
type typed struct{}

func (typed) Certify(r Request) (label.Certificate, bool) {
	l := r.Resolved.Label
	said := r.Resolved.Witness && l.Trust >= label.User && l.Obligations == 0
	if r.Argument.Role != label.Credential || !said || !r.Argument.Discharges(Confirmation) {
		return label.Certificate{}, false
	}
	return label.Certificate{
		Roles: label.RolesOf(label.Credential), Max: label.Trusted,
		Procedure: Settled, Basis: "the user typed it for this call",
	}, true
}

// confirmation certifies what the user confirmed.
type confirmation struct{}

func (confirmation) Certify(r Request) (label.Certificate, bool) {
	if !r.Argument.Discharges(Confirmation) {
		return label.Certificate{}, false
	}
	if r.Confirmed.Covers(r.Tool, r.Argument, r.Value) {
		return label.Certificate{
			Removes: doubts | label.Unrequested | label.Homoglyph, Roles: label.RolesOf(r.Argument.Role), Max: max(label.User, r.Argument.Floor),
			Procedure: Confirmation, Basis: "the user confirmed this value for this argument",
		}, true
	}
	if !r.Confirmed.hasTarget(r.Argument, r.Value) {
		return label.Certificate{}, false
	}
	return label.Certificate{
		Removes: doubts, Roles: label.RolesOf(label.Target), Max: label.User,
		Procedure: Confirmation, Basis: "the user confirmed this value as a target of another tool",
	}, true
}

// Bounds of confirmations.
const (
	// ConfirmationLife is how long a confirmation holds. It spans one task of a
	// person who is there, not a working day.
	ConfirmationLife = 15 * time.Minute
	// maxConfirmations bounds what one session keeps.
	maxConfirmations = 4096
)

// Confirmations are the values that the user of one session confirmed, each for
// one argument of one tool. The zero value is ready. It is not safe for
// concurrent use.
type Confirmations struct {
	until map[confirmed]time.Time
}

// confirmed is what was confirmed. Without a tool, it is a target of whichever tool, and its
// pattern is the form: who may be written to may be invited, where the user asks for that.
type confirmed struct{ tool, pattern, value string }

// ofTarget returns a value as a target of any tool; it is not ok where it is none with a form
// that identifies one thing.
func ofTarget(a *contract.Argument, value string) (confirmed, bool) {
	return confirmed{"", string(a.Form), value}, a.Role == label.Target && a.Form == contract.Address
}

// Add records that the user confirmed a value.
func (c *Confirmations) Add(tool string, a *contract.Argument, value string, now time.Time) error {
	if len(c.until) >= maxConfirmations {
		return fmt.Errorf("the session has %d confirmations already: start a new one", len(c.until))
	}
	if c.until == nil {
		c.until = map[confirmed]time.Time{}
	}
	c.until[confirmed{tool, a.Pattern, value}] = now.Add(ConfirmationLife)
	if target, ok := ofTarget(a, value); ok {
		c.until[target] = now.Add(ConfirmationLife)
	}
	return nil
}

// At returns the confirmations that hold at a time, until the next is added.
func (c *Confirmations) At(now time.Time) Confirmed { return Confirmed{c.until, now} }

// Confirmed are confirmations as one decision reads them. The zero value has none.
type Confirmed struct {
	until map[confirmed]time.Time
	now   time.Time
}

// Covers reports whether the user confirmed a value for an argument of a tool.
func (c Confirmed) Covers(tool string, a *contract.Argument, value string) bool {
	return c.holds(confirmed{tool, a.Pattern, value})
}

// hasTarget reports whether the user confirmed a value as a target of any tool.
func (c Confirmed) hasTarget(a *contract.Argument, value string) bool {
	target, ok := ofTarget(a, value)
	return ok && c.holds(target)
}

func (c Confirmed) holds(what confirmed) bool {
	until, ok := c.until[what]
	return ok && c.now.Before(until)
}
