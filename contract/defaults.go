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

// DefaultOutput is what a result is worth when the contract doesn't say: a tool
// that reads returns what outsiders may have written, and the answer of one that
// acts may hold the record that it acted on.
const DefaultOutput = label.External
