package guard

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/remit-project/remit/internal/strictyaml"
	"github.com/remit-project/remit/label"
)

// Position, Error and Errors report mistakes in a file, each at its place.
type (
	Position = strictyaml.Position
	Error    = strictyaml.Error
	Errors   = strictyaml.Errors
)

// EveryTool is the tool of a guard file whose policies are about the calls of every
// tool.
const EveryTool = "*"

// File is a guard file: the policies for the calls of one tool, or of every tool.
type File struct {
	Position Position
	// Server is needed only when two servers offer a tool of that name. With
	// [EveryTool], it limits the policies to the tools of one server.
	Server string
	// Tool is the tool's name, or [EveryTool].
	Tool string
	// Otherwise is the verdict of a violation of a policy that doesn't set its own;
	// [label.Deny] by default.
	Otherwise label.Verdict
	Policies  []Policy
	Duties    []Duty
	// Records are what examples refer to by name. The examples have it written out.
	Records []Record

	samples []Record // of the look-ups that policies guess
}

// With returns a file that has the policies and duties of another one as well.
func (f *File) With(other *File) *File {
	out := *f
	out.Policies, out.Duties = slices.Concat(f.Policies, other.Policies), slices.Concat(f.Duties, other.Duties)
	out.samples = slices.Concat(f.samples, other.samples)
	return &out
}

// Policy is one demand of the policy document on the calls of the tool.
type Policy struct {
	Position Position
	Name     string
	// Tools are the tools whose calls the policy is about, in a file for [EveryTool]:
	// NAME, or SERVER/NAME where several servers have the tool. Without them it is about
	// every call.
	Tools []string
	// References are the sentences of the policy document that the policy comes
	// from, word by word.
	References []string
	// Variables are named parts of the rule. Each is evaluated when it is first
	// needed, and may use those before it.
	Variables []Variable
	// Require must be true for the call to run. A policy without it is not
	// enforced: every call violates it.
	Require Expression
	// Message says what is wrong and what would be right, for a person and for a
	// model.
	Message string
	// Otherwise is the verdict of a violation.
	Otherwise label.Verdict
	// Guessed are the look-ups of the rule whose result shape is unknown: the rule rests on a
	// guess until it is tried on the real ones. A call is asked about, and not denied, where such a
	// look-up fails or returns something else than the examples and samples have.
	Guessed []string
	// Forms are what these return, by the tool, as far as the rule reads it: results whose values only show their
	// kinds. Of a tool that isn't in it, the examples and samples show it.
	Forms    map[string][]json.RawMessage
	Examples []Example
}

// Variable is a named part of a rule: a sub-expression.
type Variable struct {
	Name  string
	Value Expression
}

// Duty is what must follow a call of the tool before the session ends.
type Duty struct {
	Position   Position
	Name       string
	References []string
	// When is true for the calls that bring the duty; without it, every call does.
	When Expression
	// Require is true once the duty is fulfilled.
	Require  Expression
	Message  string
	Examples []Example
}

// Expression is a CEL expression with its place in a file.
type Expression struct {
	// Position is the place of the first character; the zero value for an empty
	// expression.
	Position Position
	Text     string

	places places
}

// Empty reports whether there is no expression.
func (e Expression) Empty() bool { return e.Text == "" }

// Example is a call with the verdict that is expected of it: a test of a rule.
type Example struct {
	Position Position
	Name     string
	Expect   label.Verdict
	// Tool is the tool that is called, and Server its server where the rule reads
	// it. Only examples of policies for every tool have them.
	Server, Tool string
	// Args are the arguments of the call, one JSON object.
	Args json.RawMessage
	// Given are the results of look-ups and the answers of the judge.
	Given []Fixture
	// History is the session before the call.
	History   []Entry
	Now       time.Time
	Principal Principal
	// Labels are the trust of arguments, by JSON pointers. Arguments without an
	// entry have [label.User].
	Labels map[string]label.Trust
}

// Fixture is the result of a look-up, or the answer to a question, in an example.
type Fixture struct {
	Position Position
	// Server and Tool name the tool that is called. The fixture answers calls with
	// Args, or any call when Args is nil.
	Server, Tool string
	Args         json.RawMessage
	// Result is what the tool returns, as JSON; Error is why it fails.
	Result json.RawMessage
	Error  string
	// Judge is the question, and Answer the answer, for a fixture of the judge. It may be
	// [AnyQuestion].
	Judge  string
	Answer bool
}

// AnyQuestion, as the question of a fixture, matches every question that session.agreed() and the
// like leave to the judge and that no other fixture answers.
const AnyQuestion = "*"

// MaxShown bounds how much of a value a violation shows, in bytes.
const MaxShown = 256
