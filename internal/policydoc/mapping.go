package policydoc

import (
	"fmt"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/strictyaml"
)

// EveryTool is the tool of policies that hold for every call, whatever its tool.
const EveryTool = guard.EveryTool

// Mapping are the policies of one tool.
type Mapping struct {
	Position strictyaml.Position
	// Server is needed only when two servers offer a tool of the name.
	Server string
	// Tool is the tool's name, or [EveryTool].
	Tool     string
	Policies []Policy
}

// Policy is one policy of the document about the calls of a tool.
type Policy struct {
	Position strictyaml.Position
	// Name is unique in the mapping, in lower case with hyphens. The rule in the
	// guard file has it too.
	Name        string
	Description string
	// References are verbatim spans of the document.
	References []string
	Status     Status
	// Reason says why an archived policy is not enforced.
	Reason string
	// Compliance are calls that keep to the policy, Violations calls that don't,
	// in words.
	Compliance, Violations []string
	// Conflicts are what a later run says otherwise, of fields that people had
	// edited. The fields keep what people wrote until somebody decides.
	Conflicts []Conflict
}

// Status is what people made of a policy.
type Status string

// The statuses.
const (
	// Proposed policies were found and not yet looked at. They are enforced.
	Proposed Status = "proposed"
	// Approved ones were looked at, and found right.
	Approved Status = "approved"
	// Archived ones are kept for the record and have no rule.
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

// Conflict is a field that people had edited and a later run would change.
type Conflict struct {
	// Field is the key in the mapping file, or "guard" and the key in the guard
	// file, such as "guard/require".
	Field string
	// Generated is what the later run says, as YAML writes it; empty where it
	// says nothing.
	Generated string
}

// Unmapped are the sentences that no policy refers to.
type Unmapped struct {
	// Document is the document's name.
	Document  string
	Sentences []UnmappedSentence
}

// UnmappedSentence is a sentence that no policy refers to.
type UnmappedSentence struct {
	Text string
	// Reason says why no policy does.
	Reason string
}
