package label

import "fmt"

// Precision says how finely a contract looks at a call (PACT, section 4).
// What a coarser precision allows, a finer one allows as well.
type Precision uint8

// The four precisions, coarsest first. [PrecisionUnset] means: as the next
// wider scope says, and [L3] where none says anything.
const (
	PrecisionUnset Precision = iota
	// L0 is opaque: the whole call is one value, held to the strictest floor
	// that any argument could ask for.
	L0
	// L1 is a capability threshold: the whole call is one value, held to the
	// strictest floor that this tool's arguments do ask for.
	L1
	// L2 checks every argument by its own role and floor.
	L2
	// L3 is L2 with certificates.
	L3
)

var precisionNames = [...]string{"", "L0", "L1", "L2", "L3"}

// String returns "L0" to "L3", or "" when unset.
func (p Precision) String() string {
	if int(p) < len(precisionNames) {
		return precisionNames[p]
	}
	return fmt.Sprintf("Precision(%d)", uint8(p))
}

// MarshalText implements [encoding.TextMarshaler].
func (p Precision) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (p *Precision) UnmarshalText(text []byte) error {
	for i, name := range precisionNames {
		if i > 0 && name == string(text) {
			*p = Precision(i)
			return nil
		}
	}
	return fmt.Errorf("unknown precision %q: write L0 (opaque), L1 (threshold), L2 (roles) or L3 (certified)", text)
}

// Valid reports whether the precision is one of the four, or unset.
func (p Precision) Valid() bool { return int(p) < len(precisionNames) }

// Argument is one resolved argument of a call: what it asks for and what the
// value that fills it is worth.
type Argument struct {
	Require Requirement
	Value   Label
	// Discharged are obligations that certificates removed for this value.
	Discharged Obligations
	// Certified is the value's label after certificates; used at [L3] only.
	Certified Label
}

// CheckWhole checks a call as one value, which has merged all arguments, and is held to the
// strictest of their requirements: at [L1] to what this tool's arguments ask for, and at any other
// precision as at [L0]. Where nothing is missing, every argument is satisfied by itself.
func CheckWhole(p Precision, args []Argument) Gap {
	whole, req := Identity(), Requirement{}
	if p != L1 {
		req.Floor = User
	}

	for i := range args {
		v, r := &args[i].Value, &args[i].Require
		whole.Origins.add(&v.Origins)
		whole.Trust = min(whole.Trust, v.Trust)
		whole.Obligations |= v.Obligations
		req.Floor = max(req.Floor, r.Floor)
		req.Forbidden.add(&r.Forbidden)
		req.Required |= r.Required
	}
	return Check(whole, req, 0)
}
