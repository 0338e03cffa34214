package contract

import "github.com/remit-project/remit/label"

// DefaultFloor returns the floor of an argument whose contract sets a role and no
// floor: the lowest trust at which choosing the value gives no additional
// authority.
func DefaultFloor(r label.Role) label.Trust {
	switch r {
	case label.Content, label.Control:
		return label.External
	case label.Selector:
		return label.ToolOutput
	case label.Target, label.Command:
		return label.User
	default:
		// Only the deployment may choose credentials, and an argument without a
		// role gets the strictest floor.
		return label.Trusted
	}
}

// DefaultOutput is the trust of a result whose contract sets none: a tool that
// reads may return text that outsiders wrote, and the answer of a tool that acts
// may contain the record that it acted on.
const DefaultOutput = label.External
