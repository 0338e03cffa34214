// Package label is the algebra of Remit: trust, origins, obligations, the label that combines
// them, and the checks and certificates defined on labels. It depends on nothing but the standard
// library, holds no state, and does no I/O: every decision of Remit rests on the few functions in
// here, and their theorems are property tests beside them.
//
// The model is the one of PACT (provenance-aware capability contracts),
// sections 3 and 4: a label is ⟨origins, trust, obligations⟩, merge is
// (∪, min, ∪), and an argument accepts a value when its trust reaches the
// floor, no origin is forbidden, and every obligation has been discharged.
package label

import (
	"fmt"
	"slices"
	"strings"
)

// Trust says how far a value is believed to come from a source with authority over the agent. It
// is a total order, and its zero value is the lowest, so that a forgotten one counts as
// untrusted.
type Trust uint8

// The four levels, lowest first.
const (
	// External is text that an outsider may have written.
	External Trust = iota
	// ToolOutput is what a tool itself generated: records, ids, acknowledgements.
	ToolOutput
	// User is what the person the agent works for said.
	User
	// Trusted is configuration and system text of the deployment.
	Trusted
)

var trustNames = [...]string{"EXTERNAL", "TOOL_OUTPUT", "USER", "TRUSTED"}

// TrustWords returns the names of all levels, the lowest first.
func TrustWords() []string { return slices.Clone(trustNames[:]) }

// String returns the name as contracts spell it, for example "TOOL_OUTPUT".
func (t Trust) String() string {
	if int(t) < len(trustNames) {
		return trustNames[t]
	}
	return fmt.Sprintf("Trust(%d)", uint8(t))
}

// MarshalText implements [encoding.TextMarshaler].
func (t Trust) MarshalText() ([]byte, error) {
	if int(t) >= len(trustNames) {
		return nil, fmt.Errorf("trust %d is none of %s", uint8(t), strings.Join(trustNames[:], ", "))
	}
	return []byte(trustNames[t]), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (t *Trust) UnmarshalText(text []byte) error {
	for i, name := range trustNames {
		if name == string(text) {
			*t = Trust(i)
			return nil
		}
	}
	return fmt.Errorf("unknown trust %q: write EXTERNAL, TOOL_OUTPUT, USER or TRUSTED", text)
}
