package label

import (
	"fmt"
	"math/bits"
	"sync"
)

// Obligations is a set of conditions that must be discharged before a sink.
type Obligations uint32

// The obligations that Remit itself raises about a value. Those that a
// contract names follow, in the order in which an [ObligationNames] meets them.
const (
	// LowInfo marks a value that appears in the user's text but is so short or so common that
	// this says little.
	LowInfo Obligations = 1 << iota
	// AmbiguousBinding marks a value that the user named beside others of its
	// kind, so that text from outside may have chosen among them.
	AmbiguousBinding
	// Homoglyph marks a value that looks like one of the user's and is not. No
	// procedure but a person's own confirmation discharges it.
	Homoglyph
	// Unrequested marks a value that the user mentioned, in no request for what
	// the call does: named to be read, it may not be written to.
	Unrequested
)

const firstNamedObligation = 4

var builtinObligations = [...]string{"low-info", "ambiguous-binding", "homoglyph", "unrequested"}

// ObligationNames gives every obligation that contracts name a bit. It is safe
// for concurrent use. The zero value is ready.
type ObligationNames struct {
	mu    sync.Mutex
	bits  map[string]Obligations
	names []string
}

// Obligation returns the bit of a name, making it when it is new. Only
// twenty-eight names fit; one more is an error, never a silent collision.
func (n *ObligationNames) Obligation(name string) (Obligations, error) {
	for i, b := range builtinObligations {
		if b == name {
			return 1 << i, nil
		}
	}

	n.mu.Lock()
	defer n.mu.Unlock()
	if o, ok := n.bits[name]; ok {
		return o, nil
	}
	if len(n.names) >= 32-firstNamedObligation {
		return 0, fmt.Errorf("obligation %q is one too many: a deployment has at most %d names", name, 32-firstNamedObligation)
	}

	if n.bits == nil {
		n.bits = map[string]Obligations{}
	}
	o := Obligations(1) << (firstNamedObligation + len(n.names))
	n.bits[name] = o
	n.names = append(n.names, name)
	return o, nil
}

// Names lists the obligations in a set.
func (n *ObligationNames) Names(o Obligations) []string {
	var out []string
	n.mu.Lock()
	defer n.mu.Unlock()
	for o != 0 {
		i := bits.TrailingZeros32(uint32(o))
		o &= o - 1
		switch {
		case i < firstNamedObligation:
			out = append(out, builtinObligations[i])
		case i-firstNamedObligation < len(n.names):
			out = append(out, n.names[i-firstNamedObligation])
		default:
			out = append(out, fmt.Sprintf("obligation-%d", i))
		}
	}
	return out
}
