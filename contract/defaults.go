package contract

import "github.com/remit-project/remit/label"

// DefaultFloor is the floor of an argument whose contract states a role and no
// floor: the lowest level at which whoever holds it gains no authority by
// choosing such a value.
func DefaultFloor(r label.Role) label.Trust {
	switch r {
	case label.Content, label.Control:
		return label.External
	case label.Selector:
		return label.ToolOutput
	case label.Target, label.Command:
		return label.User
	default:
		// A credential is the deployment's own, and what has no role is held
		// to the strictest floor that there is.
		return label.Trusted
	}
}

// DefaultOutput is what a result is worth when the contract doesn't say: what
// a tool reads, outsiders may have written; what it answers to an action is
// its own acknowledgement.
func DefaultOutput(e Effect) label.Trust {
	switch e {
	case Write, Destructive, Execute, Egress:
		return label.ToolOutput
	default:
		return label.External
	}
}
