package report

import "slices"

// State is what became of a sentence or a policy.
type State string

// The states.
const (
	// Approved is checked by a rule, and somebody found it right.
	Approved State = "approved"
	// Enforced is checked by a rule that nobody looked at yet.
	Enforced State = "enforced"
	// NotEnforced has a policy, and no rule that could check it.
	NotEnforced State = "not-enforced"
	// Conflicted has a policy that people and a later run have differently.
	Conflicted State = "conflict"
	// Archived has a policy that was taken out of force.
	Archived State = "archived"
	// Unmapped has no policy.
	Unmapped State = "unmapped"
)

// States are all of them, those first that most need to be looked at. A sentence
// is in the first in which one of its policies is.
func States() []State {
	return []State{Conflicted, NotEnforced, Enforced, Approved, Archived, Unmapped}
}

// Mark is a sign for the state, so that nobody needs to see colours.
func (s State) Mark() string {
	switch s {
	case Approved:
		return "✓"
	case Enforced:
		return "●"
	case NotEnforced:
		return "○"
	case Conflicted:
		return "≠"
	case Archived:
		return "×"
	case Unmapped:
		return "–"
	}
	return ""
}

// Label is the state in words.
func (s State) Label() string {
	switch s {
	case Approved:
		return "enforced and approved"
	case Enforced:
		return "enforced, not looked at yet"
	case NotEnforced:
		return "not enforced"
	case Conflicted:
		return "in conflict"
	case Archived:
		return "archived"
	case Unmapped:
		return "no policy"
	}
	return ""
}

// SuspiciousMark is the sign beside sentences that there are suspicions about.
const SuspiciousMark = "!"

func stateOf(refs []PolicyRef) State {
	for _, s := range States() {
		if slices.ContainsFunc(refs, func(i PolicyRef) bool { return i.State == s }) {
			return s
		}
	}
	return Unmapped
}
