package label

import (
	"fmt"
	"strings"
)

// Role says what an argument is to security (PACT, section 3.2).
type Role uint8

// The six roles. The zero value is not a role: it is for an unclassified argument, which checks
// treat like the strictest of them.
const (
	NoRole Role = iota
	// Target decides where authority lands: recipients, URLs, accounts, paths.
	Target
	// Command is executed: shell, code, SQL, manifests.
	Command
	// Credential is a secret value.
	Credential
	// Content is payload text.
	Content
	// Selector picks among existing objects: ids, filters, ranges.
	Selector
	// Control is how the call behaves: limits, ordering, flags, modes.
	Control
)

var roleNames = [...]string{"", "target", "command", "credential", "content", "selector", "control"}

// Roles lists the six roles in the order in which Remit prints them.
func Roles() []Role { return []Role{Target, Command, Credential, Content, Selector, Control} }

// String returns the role's name, or "none" for [NoRole].
func (r Role) String() string {
	if r == NoRole || int(r) >= len(roleNames) {
		return "none"
	}
	return roleNames[r]
}

// AuthorityBearing reports whether the choice of the value decides where authority goes, so that
// lexical doubts about it (a common word, a choice among several candidates) must be settled
// before it is used. It is true for [NoRole]: an unclassified argument is treated strictly.
func (r Role) AuthorityBearing() bool {
	return r == Target || r == Command || r == Credential || r == NoRole
}

// MarshalText implements [encoding.TextMarshaler].
func (r Role) MarshalText() ([]byte, error) {
	if int(r) >= len(roleNames) {
		return nil, fmt.Errorf("role %d does not exist", uint8(r))
	}
	return []byte(roleNames[r]), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (r *Role) UnmarshalText(text []byte) error {
	for i, name := range roleNames {
		if i > 0 && name == string(text) {
			*r = Role(i)
			return nil
		}
	}
	return fmt.Errorf("unknown role %q: write %s", text, strings.Join(roleNames[1:], ", "))
}

// RoleSet is a set of roles, one bit each.
type RoleSet uint8

// RolesOf returns the set of the given roles.
func RolesOf(roles ...Role) RoleSet {
	var s RoleSet
	for _, r := range roles {
		s |= 1 << r
	}
	return s
}

// Has reports whether r is in the set.
func (s RoleSet) Has(r Role) bool { return s&(1<<r) != 0 }

// List returns the roles in the set, in the order of [Roles].
func (s RoleSet) List() []Role {
	var out []Role
	for _, r := range Roles() {
		if s.Has(r) {
			out = append(out, r)
		}
	}
	return out
}
