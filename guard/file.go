package guard

import (
	"encoding/json"
	"time"

	"github.com/remit-project/remit/internal/strictyaml"
	"github.com/remit-project/remit/label"
)

// Position, Error and Errors are how mistakes in a file are reported.
type (
	Position = strictyaml.Position
	Error    = strictyaml.Error
	Errors   = strictyaml.Errors
)

// EveryTool is the tool of a guard file whose rules are about the calls of every
// tool.
const EveryTool = "*"

// File is a guard file: the rules for the calls of one tool, or of every tool.
type File struct {
	Position Position
	// Server is needed only when two servers offer a tool of the name. Policies for
	// every tool, with a server, are for every tool of that server.
	Server string
	// Tool is the tool's name, or [EveryTool].
	Tool string
	// Otherwise is what a rule comes to that doesn't hold, where it doesn't say;
	// [label.Deny] when the file doesn't either.
	Otherwise label.Verdict
	Policies  []Policy
	Duties    []Duty
}

// Policy is one demand of the policy document on the calls of the tool.
type Policy struct {
	Position Position
	Name     string
	// References are the sentences of the policy document that the rule comes
	// from, word by word.
	References []string
	// Variables are worked out when they are first needed, and may use those
	// before them.
	Variables []Variable
	// Require must be true for the call to run. A rule without it is known to be
	// unenforced, and every call comes to Otherwise.
	Require Expression
	// Message says what is wrong and what would be right, for a person and for a
	// model.
	Message   string
	Otherwise label.Verdict
	Examples  []Example
}

// Variable is a named part of a rule.
type Variable struct {
	Name  string
	Value Expression
}

// Duty is a rule about what must follow a call of the tool before the session
// ends.
type Duty struct {
	Position   Position
	Name       string
	References []string
	// When tells whether a call brings the duty; every call does when it is left
	// out.
	When Expression
	// Require is true once the duty is fulfilled.
	Require  Expression
	Message  string
	Examples []Example
}

// Expression is a CEL expression with its place in the file.
type Expression struct {
	// Position is that of the first character; the zero value where nothing was
	// written.
	Position Position
	Text     string

	places places
}

// Empty tells whether nothing was written.
func (e Expression) Empty() bool { return e.Text == "" }

// Example is a call with what a rule should say about it: a test of the rule.
type Example struct {
	Position Position
	Name     string
	Expect   label.Verdict
	// Tool is the tool that is called, and Server its server where rules ask for
	// it. Only policies for every tool say so in their examples.
	Server, Tool string
	// Args are the arguments of the call, one JSON object.
	Args json.RawMessage
	// Given are what look-ups and questions find.
	Given []Fixture
	// History is the session before the call.
	History   []Entry
	Now       time.Time
	Principal Principal
	// Labels are the trust of arguments by JSON pointers; what is not named is
	// the user's.
	Labels map[string]label.Trust
}

// Fixture is what one look-up, or one question to the judge, finds in an
// example.
type Fixture struct {
	Position Position
	// Server and Tool are what is looked up with. Args are those that it answers
	// to; without them it answers to all.
	Server, Tool string
	Args         json.RawMessage
	// Result is what is found, as JSON; Error is why nothing is.
	Result json.RawMessage
	Error  string
	// Judge is the question that the judge answers, where it is one.
	Judge  string
	Answer bool
}

// MaxShown bounds how much of a value a violation repeats, in bytes.
const MaxShown = 256
