package policydoc

import (
	"fmt"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/strictyaml"
)

// EveryTool is the tool of policies that apply to the calls of every tool.
const EveryTool = guard.EveryTool

// Mapping is the policies of one tool, in words.
type Mapping struct {
	Position strictyaml.Position
	// Server is needed only when two servers offer a tool of that name.
	Server string
	// Tool is the tool's name, or [EveryTool].
	Tool     string
	Policies []Policy
}

// Policy is one demand of the document on the calls of a tool.
type Policy struct {
	Position strictyaml.Position
	// Name is unique in the mapping, in lower case with hyphens. The policy has the
	// same name in the guard file.
	Name        string
	Description string
	// Tools are the keys of the tools that the policy is about, in the mapping of
	// [EveryTool]: several, but not all. Without them it is about every call.
	Tools []string
	// References are verbatim spans of the document.
	References []string
	Status     Status
	// Reason says why an archived policy is not enforced.
	Reason string
	// Compliance are calls that comply with the policy, Violations calls that violate
	// it, in words.
	Compliance, Violations []string
	// Conflicts are the fields that people edited and for which a later run has
	// another value. The fields keep what people wrote until a person decides.
	Conflicts []Conflict
}

// Status is what people decided about a policy.
type Status string

// The statuses.
const (
	// Proposed policies are enforced, and not reviewed yet.
	Proposed Status = "proposed"
	// Approved policies were reviewed and found right.
	Approved Status = "approved"
	// Archived policies are kept for the record, without a rule.
	Archived Status = "archived"
)

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *Status) UnmarshalText(text []byte) error {
	switch Status(text) {
	case Proposed, Approved, Archived:
		*s = Status(text)
		return nil
	}
	return fmt.Errorf("unknown status %q: write proposed, approved or archived", text)
}

// Conflict is a field that people edited and that a later run would change.
type Conflict struct {
	// Field is the key in the mapping file, or "guard" and the key in the guard
	// file, such as "guard/require".
	Field string
	// Generated is the value of the later run, in YAML; empty if it has none.
	Generated string
}

// Unmapped are the sentences that no policy refers to.
type Unmapped struct {
	// Document is the name of the document.
	Document  string
	Sentences []UnmappedSentence
}

// UnmappedSentence is a sentence that no policy refers to.
type UnmappedSentence struct {
	Text string
	// Reason says why no policy refers to it.
	Reason string
}
