// Package contract describes tools: the role and trust floor of every argument, and
// the effect and output trust of every tool. It loads, validates, prints, compares
// and merges contract files, and compiles them for decisions.
//
// The file format is specified in docs/reference/contracts.md. Every error names
// the file, line and column, the mistake, and its correction.
package contract

import (
	"fmt"

	"github.com/remit-project/remit/internal/strictyaml"
	"github.com/remit-project/remit/label"
)

// Version is the file format version that this package reads and writes.
const Version = 1

// Effect is the most severe effect that a call of a tool can have.
type Effect string

// The effects. Global rules apply to Destructive, Execute and Egress; see
// [Effect.Outward].
const (
	Read        Effect = "read"
	Write       Effect = "write"
	Destructive Effect = "destructive"
	Execute     Effect = "execute"
	Egress      Effect = "egress"
)

// Effects lists all effects, least severe first.
func Effects() []Effect { return []Effect{Read, Write, Destructive, Execute, Egress} }

// Outward reports whether an attacker gains from the effect without controlling an
// argument: it sends, destroys or executes.
func (e Effect) Outward() bool { return e == Destructive || e == Execute || e == Egress }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (e *Effect) UnmarshalText(text []byte) error {
	for _, known := range Effects() {
		if string(known) == string(text) {
			*e = known
			return nil
		}
	}
	return fmt.Errorf("unknown effect %q: write read, write, destructive, execute or egress", text)
}

// Mode selects what a global rule does when it applies.
type Mode string

// The modes. The empty mode inherits the next wider scope's mode.
const (
	Off  Mode = "off"
	Ask  Mode = "ask"
	Deny Mode = "deny"
)

// UnmarshalText implements [encoding.TextUnmarshaler].
func (m *Mode) UnmarshalText(text []byte) error {
	switch Mode(text) {
	case Off, Ask, Deny:
		*m = Mode(text)
		return nil
	}
	return fmt.Errorf("unknown mode %q: write off, ask or deny", text)
}

// Form is the structure of a string argument, whose parts are resolved one by one.
// The empty form is plain text.
type Form string

// The forms.
const (
	Text    Form = ""
	URL     Form = "url"
	Address Form = "address" // an e-mail address, perhaps with a display name
	Path    Form = "path"
	Shell   Form = "shell"
	SQL     Form = "sql"
)

// UnmarshalText implements [encoding.TextUnmarshaler].
func (f *Form) UnmarshalText(text []byte) error {
	switch Form(text) {
	case URL, Address, Path, Shell, SQL:
		*f = Form(text)
		return nil
	}
	return fmt.Errorf("unknown form %q: write url, address, path, shell or sql, or leave it out", text)
}

// Position, Error and Errors report mistakes in a file.
type (
	Position = strictyaml.Position
	Error    = strictyaml.Error
	Errors   = strictyaml.Errors
)

// File is a contract file: the contracts of one server's tools.
type File struct {
	Position Position `json:"-"`
	Version  int      `json:"version"`
	Server   string   `json:"server"`
	// Fingerprint is the fingerprint of the catalogue that the file was generated
	// from.
	Fingerprint string `json:"fingerprint,omitempty"`
	// Precision, Unprovoked and Sinks are the server's settings; a tool can
	// override them.
	Precision  label.Precision `json:"precision,omitempty"`
	Unprovoked Mode            `json:"unprovoked,omitempty"`
	Sinks      Mode            `json:"sinks,omitempty"`
	// Settled names record members whose values only the service chooses:
	// identifiers, creation dates, sizes. In outputs that set Settled, these
	// members have trust TOOL_OUTPUT as direct members of a record, but not in
	// objects nested in it.
	Settled []string `json:"settled,omitempty"`
	Tools   []Tool   `json:"tools"`
}

// Tool returns the contract of the named tool.
func (f *File) Tool(name string) (*Tool, bool) {
	for i := range f.Tools {
		if f.Tools[i].Name == name {
			return &f.Tools[i], true
		}
	}
	return nil, false
}

// Tool is the contract of one tool.
type Tool struct {
	Position Position `json:"-"`
	Name     string   `json:"name"`
	Effect   Effect   `json:"effect"`
	// Fingerprint is the fingerprint of the tool's definition when the contract was
	// made. A tool with another definition is blocked until a review.
	Fingerprint string          `json:"fingerprint,omitempty"`
	Precision   label.Precision `json:"precision,omitempty"`
	Unprovoked  Mode            `json:"unprovoked,omitempty"`
	Sinks       Mode            `json:"sinks,omitempty"`
	// Why is the reason for the effect, for reviewers.
	Why string `json:"why,omitempty"`
	// Review is why the tool needs a review; empty after the review.
	Review string `json:"review,omitempty"`
	// Approved are calls that a person allowed permanently. An enforcement point
	// allows them instead of asking again.
	Approved []Approved `json:"approved,omitempty"`
	Args     []Arg      `json:"args,omitempty"`
	Output   Output     `json:"output"`
	Variants *Variants  `json:"variants,omitempty"`
	// Unwrap is set if the tool only calls another tool.
	Unwrap *Unwrap `json:"unwrap,omitempty"`
}

// Arg is the contract of the arguments that match a pattern.
type Arg struct {
	Position Position `json:"-"`
	// Pattern is a JSON pointer (RFC 6901). A segment "*" matches any list index or
	// member name; a final segment "**" matches everything below.
	Pattern string      `json:"pattern"`
	Role    label.Role  `json:"role"`
	Floor   label.Trust `json:"floor"`
	Form    Form        `json:"form,omitempty"`
	// Forbidden lists origin classes that must not have influenced the value.
	Forbidden []string `json:"forbidden,omitempty"`
	// Require lists obligations that every value must discharge.
	Require []string `json:"require,omitempty"`
	// Allow lists values that are safe from any origin, such as the harmless
	// members of an enumeration or the company's own accounts. The procedure
	// "allowlist" certifies by it.
	Allow []string `json:"allow,omitempty"`
	// Discharge lists the procedures that may recover a blocked value. If it is
	// empty, all may except "source" and "allowlist".
	Discharge []string `json:"discharge,omitempty"`
	// Group names a set of arguments that form one authority value, such as host
	// and port. A group has the lowest trust of its members.
	Group string `json:"group,omitempty"`
	// Why is the reason for role and floor, for reviewers.
	Why string `json:"why,omitempty"`
	// Review is why the argument needs a review; empty after the review.
	Review string `json:"review,omitempty"`
}

// Output is the trust of a tool's result (PACT's OutputSpec).
type Output struct {
	Position Position `json:"-"`
	// Trust is the trust of the result, and of every field that Fields does not list.
	Trust label.Trust `json:"trust"`
	// Derived caps the trust of the result at the lowest trust of the call's
	// arguments.
	Derived bool `json:"derived,omitempty"`
	// Format is the format of the result's text. When empty, a text is read as fields
	// only if it proves its own format.
	Format OutputFormat `json:"format,omitempty"`
	// Returns lists the members of the result that the tool itself names, as patterns of
	// JSON pointers, where its definition doesn't describe the result: planners of task
	// scopes are shown them, and no other member is guessed at.
	Returns []string `json:"returns,omitempty"`
	// Shapes are how a template writes the result's text, each as a result with one record in
	// which every value is "service" or "others": who writes it. A text that looks exactly so
	// counts for task scopes as one that a person agreed to read so, and for nothing else.
	Shapes []string `json:"shapes,omitempty"`
	// Settled gives the file's settled members trust TOOL_OUTPUT in this result,
	// unless an entry in Fields matches.
	Settled bool `json:"settled,omitempty"`
	// Fields set the trust of parts of a structured result. The most specific
	// pattern wins.
	Fields []Field `json:"fields,omitempty"`
	// Certify lists the procedures by which fields may vouch for values.
	Certify []Certify `json:"certify,omitempty"`
	// Review is why the output needs a review; empty after the review.
	Review string `json:"review,omitempty"`
}

const (
	// MaxReturns bounds the members in [Output.Returns].
	MaxReturns = 64
	// MaxShapes bounds [Output.Shapes].
	MaxShapes = 8
)

// OutputFormat is how a tool writes results as text. A contract names it where the text
// doesn't show by itself that no author of one field could write another.
type OutputFormat string

// The formats; see package serialized for what is read of each.
const (
	FormatText    OutputFormat = "text" // never read as fields
	FormatJSON    OutputFormat = "json"
	FormatYAML    OutputFormat = "yaml"
	FormatPython  OutputFormat = "python"
	FormatTable   OutputFormat = "table"
	FormatList    OutputFormat = "list"
	FormatLines   OutputFormat = "lines"
	FormatOutline OutputFormat = "outline"
)

// UnmarshalText implements [encoding.TextUnmarshaler].
func (f *OutputFormat) UnmarshalText(text []byte) error {
	switch v := OutputFormat(text); v {
	case FormatText, FormatJSON, FormatYAML, FormatPython, FormatTable, FormatList, FormatLines, FormatOutline:
		*f = v
		return nil
	}
	return fmt.Errorf("unknown format %q: write text, json, yaml, python, table, list, lines or outline", text)
}

// Field sets the trust of a part of a structured result. Pattern is a JSON pointer
// as in [Arg]; a segment "**" matches any number of segments. If the field raises
// trust, "**" doesn't reach into the records of the result.
type Field struct {
	Position Position    `json:"-"`
	Pattern  string      `json:"pattern"`
	Trust    label.Trust `json:"trust"`
}

// Certify lets a field of a result vouch for values if the call that produced the
// result was itself vouched for.
type Certify struct {
	Position Position `json:"-"`
	// Procedure is "directory" (a look-up in records that outsiders can't write),
	// "lookup" (the only hit of a search for a name that the user gave) or "source"
	// (a document that the user named, field by field).
	Procedure string `json:"procedure"`
	// Key is the argument of the producing call that must have been vouched for,
	// with at least trust KeyFloor.
	Key      string      `json:"key,omitempty"`
	KeyFloor label.Trust `json:"key_floor"`
	// By is a field by which the user must have named the record: its value in the
	// same record appears in the user's words, and no other record has that value.
	// With By, Key is optional.
	By string `json:"by,omitempty"`
	// Made says that the call made the record, so that no more has to name it: who let the
	// call pass decided about its record.
	Made bool `json:"made,omitempty"`
	// Of are the words by which arguments call the record, where neither the field nor the
	// tool does: "page" for the identifiers of a search for content.
	Of []string `json:"of,omitempty"`
	// Field is the part of the result that may vouch.
	Field string `json:"field"`
	// Unique requires that the result holds exactly one record.
	Unique bool `json:"unique,omitempty"`
	// Exact says that the server compares the key with the records by itself, so that a
	// result of one record holds the one that was asked for, whatever else is in it.
	Exact bool         `json:"exact,omitempty"`
	Roles []label.Role `json:"roles"`
	Max   label.Trust  `json:"max"`
}

// Variants split a tool by the value of a verb argument. Each variant has its own
// effect, arguments and output. A value without a variant is denied.
type Variants struct {
	Position Position `json:"-"`
	// Argument is the JSON pointer of the verb argument.
	Argument string `json:"argument"`
	// Default is the verb that the server assumes if the argument is absent. If it
	// is empty, a call without a verb must satisfy the strictest variant.
	Default string `json:"default,omitempty"`
	Cases   []Case `json:"cases"`
}

// Unwrap describes a tool that calls another tool by its name (a meta-tool, such as
// call_tool). The inner tool's contract decides the inner call; the outer tool's
// contract decides its other arguments.
type Unwrap struct {
	Position Position `json:"-"`
	// Tool is the JSON pointer of the argument that names the inner tool.
	Tool string `json:"tool"`
	// Arguments is the JSON pointer of the inner call's arguments: an object, or a
	// string that contains JSON.
	Arguments string `json:"arguments"`
	// Server is the JSON pointer of the argument that names the inner tool's
	// server. If it is empty, the inner tool is on the same server.
	Server string `json:"server,omitempty"`
}

// Case is the contract of a tool for one value of its verb argument. It inherits
// what it doesn't set from the tool.
type Case struct {
	Position   Position `json:"-"`
	Value      string   `json:"value"`
	Effect     Effect   `json:"effect"`
	Unprovoked Mode     `json:"unprovoked,omitempty"`
	Args       []Arg    `json:"args,omitempty"`
	Output     *Output  `json:"output,omitempty"`
	Why        string   `json:"why,omitempty"`
	Review     string   `json:"review,omitempty"`
}
