package report

import "slices"

// State is what became of a sentence or a policy.
type State string

// The states.
const (
	// Approved is enforced by a rule, and approved by a person.
	Approved State = "approved"
	// Enforced is enforced by a rule that is not reviewed yet.
	Enforced State = "enforced"
	// NotEnforced has a policy whose rule can't decide: every call is stopped.
	NotEnforced State = "not-enforced"
	// Unguarded has a policy for which no rule was made: calls pass unchecked.
	Unguarded State = "unguarded"
	// Conflicted has a policy with a conflict between an edit and a later run.
	Conflicted State = "conflict"
	// Archived has a policy that is archived.
	Archived State = "archived"
	// Unmapped has no policy.
	Unmapped State = "unmapped"
)

// States returns all states, those first that most need review. A sentence has the first
// state that one of its policies has.
func States() []State {
	return []State{Conflicted, Unguarded, NotEnforced, Enforced, Approved, Archived, Unmapped}
}

// Mark returns a sign for the state, for readers who don't see colours.
func (s State) Mark() string {
	switch s {
	case Approved:
		return "✓"
	case Enforced:
		return "●"
	case NotEnforced:
		return "○"
	case Unguarded:
		return "◌"
	case Conflicted:
		return "≠"
	case Archived:
		return "×"
	case Unmapped:
		return "–"
	}
	return ""
}

// Label returns the state in words.
func (s State) Label() string {
	switch s {
	case Approved:
		return "enforced and approved"
	case Enforced:
		return "enforced, not looked at yet"
	case NotEnforced:
		return "not enforced: stops calls"
	case Unguarded:
		return "no rule yet: calls pass"
	case Conflicted:
		return "in conflict"
	case Archived:
		return "archived"
	case Unmapped:
		return "no policy"
	}
	return ""
}

// SuspiciousMark is the sign for suspicious sentences.
const SuspiciousMark = "!"

func stateOf(refs []PolicyRef) State {
	for _, s := range States() {
		if slices.ContainsFunc(refs, func(i PolicyRef) bool { return i.State == s }) {
			return s
		}
	}
	return Unmapped
}
