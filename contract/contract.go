// Package contract holds what people write and read about tools: for every
// argument its role and trust floor, for every tool its effect and what its
// output is worth. It loads, validates, prints, compares and merges contract
// files, and compiles them into the form that decisions are made with.
//
// The file format is described in docs/reference/contracts.md; every error
// names file, line and column, what is wrong, and what to write instead.
package contract

import (
	"fmt"

	"github.com/remit-project/remit/internal/strictyaml"
	"github.com/remit-project/remit/label"
)

// Version is the version of the file format that this package reads and writes.
const Version = 1

// Effect is the worst that a call of a tool does.
type Effect string

// The effects. Destructive, Execute and Egress are the ones that the global rules
// look at; see [Effect.Outward].
const (
	Read        Effect = "read"
	Write       Effect = "write"
	Destructive Effect = "destructive"
	Execute     Effect = "execute"
	Egress      Effect = "egress"
)

// Effects lists all effects, mildest first.
func Effects() []Effect { return []Effect{Read, Write, Destructive, Execute, Egress} }

// Outward tells whether the effect is one that an attacker gains from without
// choosing any argument: it sends, destroys or executes.
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

// Mode says what a global rule does when it fires.
type Mode string

// The modes. The empty mode means: as the next wider scope says.
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

// Form is the inner structure of a string argument, by which it is resolved
// part by part. The empty form is plain text.
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

// Position, Error and Errors are how mistakes in a file are reported.
type (
	Position = strictyaml.Position
	Error    = strictyaml.Error
	Errors   = strictyaml.Errors
)

// File is one contract file: the contracts of one server's tools.
type File struct {
	Position Position `json:"-"`
	Version  int      `json:"version"`
	Server   string   `json:"server"`
	// Fingerprint is the one of the whole catalogue that the file was made from.
	Fingerprint string `json:"fingerprint,omitempty"`
	// Precision, Unprovoked and Sinks are this server's settings; a tool's own win.
	Precision  label.Precision `json:"precision,omitempty"`
	Unprovoked Mode            `json:"unprovoked,omitempty"`
	Sinks      Mode            `json:"sinks,omitempty"`
	// Settled names members of records whose values the service itself settles
	// and nobody outside chooses: identifiers, dates of creation, sizes. In the
	// outputs that say so they are TOOL_OUTPUT as members of the records
	// themselves, and not in what is nested there.
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
	// Fingerprint is the one of the tool's definition when the contract was
	// made. A definition with another one is fenced off until reviewed.
	Fingerprint string          `json:"fingerprint,omitempty"`
	Precision   label.Precision `json:"precision,omitempty"`
	Unprovoked  Mode            `json:"unprovoked,omitempty"`
	Sinks       Mode            `json:"sinks,omitempty"`
	// Why says, in words, how the effect was found.
	Why string `json:"why,omitempty"`
	// Review is set while a person has yet to look at the tool, and says why.
	Review string `json:"review,omitempty"`
	// Approved are calls that a person allowed for always: an enforcement point
	// that would ask about one of them takes the answer from here.
	Approved []Approved `json:"approved,omitempty"`
	Args     []Arg      `json:"args,omitempty"`
	Output   Output     `json:"output"`
	Variants *Variants  `json:"variants,omitempty"`
	// Unwrap is set where the tool only calls another one.
	Unwrap *Unwrap `json:"unwrap,omitempty"`
}

// Arg is the contract of the arguments that a pattern matches.
type Arg struct {
	Position Position `json:"-"`
	// Pattern is a JSON pointer (RFC 6901) in which a segment "*" stands for
	// any list index or member name, and a last segment "**" for everything
	// below.
	Pattern string      `json:"pattern"`
	Role    label.Role  `json:"role"`
	Floor   label.Trust `json:"floor"`
	Form    Form        `json:"form,omitempty"`
	// Forbidden names origin classes that must not have touched the value.
	Forbidden []string `json:"forbidden,omitempty"`
	// Require names obligations that must be discharged for any value.
	Require []string `json:"require,omitempty"`
	// Allow lists exact values that anybody may choose: an enumeration's
	// harmless members, the company's own accounts. It is the allowlist that
	// the procedure of that name certifies by.
	Allow []string `json:"allow,omitempty"`
	// Discharge names the procedures that may recover a blocked value. When
	// empty, confirmation by the user is the only one.
	Discharge []string `json:"discharge,omitempty"`
	// Group joins arguments that make one authority value together, such as
	// host and port: the whole group is as good as its worst member.
	Group string `json:"group,omitempty"`
	// Why is the reason for role and floor, in words that a reviewer can agree
	// or disagree with.
	Why string `json:"why,omitempty"`
	// Review is set while a person has yet to look at the argument, and says
	// what is doubtful.
	Review string `json:"review,omitempty"`
}

// Output is what a tool's result is worth (PACT's OutputSpec).
type Output struct {
	Position Position `json:"-"`
	// Trust is the label of the whole result and of every field without its own.
	Trust label.Trust `json:"trust"`
	// Derived means that the result is never better than the call's arguments.
	Derived bool `json:"derived,omitempty"`
	// Settled means that the members which the file lists as settled are
	// TOOL_OUTPUT in this result, where no field says otherwise.
	Settled bool `json:"settled,omitempty"`
	// Fields are parts of structured results with a trust of their own. The
	// most specific pattern wins.
	Fields []Field `json:"fields,omitempty"`
	// Certify declares procedures by which fields may vouch for values.
	Certify []Certify `json:"certify,omitempty"`
	// Review is set while a person has yet to look at the output, and says why.
	Review string `json:"review,omitempty"`
}

// Field is a part of a structured result. Pattern is a JSON pointer as in
// [Arg]; a segment "**" matches any number of segments. Where the field raises
// trust, "**" reaches to the records of the result and not into them.
type Field struct {
	Position Position    `json:"-"`
	Pattern  string      `json:"pattern"`
	Trust    label.Trust `json:"trust"`
}

// Certify lets a field of a result vouch for values when the call that
// produced it was itself vouched for.
type Certify struct {
	Position Position `json:"-"`
	// Procedure is "directory" (a look-up in records that outsiders can't
	// write), "lookup" (the one hit of a search for what the user named) or
	// "source" (a document that the user named, field by field).
	Procedure string `json:"procedure"`
	// Key is the argument of the producing call that must have been vouched
	// for, at least up to KeyFloor.
	Key      string      `json:"key,omitempty"`
	KeyFloor label.Trust `json:"key_floor"`
	// By is a field by which the user must have named the record: a field of
	// the same record whose value stands in the user's words, and in no other
	// record. With it, Key may be left out.
	By string `json:"by,omitempty"`
	// Field is the part of the result that may vouch.
	Field string `json:"field"`
	// Unique demands that the result held one record only.
	Unique bool         `json:"unique,omitempty"`
	Roles  []label.Role `json:"roles"`
	Max    label.Trust  `json:"max"`
}

// Variants split a tool by the value of a verb argument, each variant with its
// own effect, arguments and output. A value without a variant is denied.
type Variants struct {
	Position Position `json:"-"`
	// Argument is the JSON pointer of the verb argument.
	Argument string `json:"argument"`
	// Default is the verb value that the server takes when the argument is
	// absent; empty when there is none, and a call without the verb is then
	// held to the strictest variant.
	Default string `json:"default,omitempty"`
	Cases   []Case `json:"cases"`
}

// Unwrap says that a tool calls another one by its name (a meta-tool, such as
// call_tool). The inner call is decided by the inner tool's contract; what the
// outer one has beyond these arguments, by its own.
type Unwrap struct {
	Position Position `json:"-"`
	// Tool is the JSON pointer of the argument that names the inner tool.
	Tool string `json:"tool"`
	// Arguments is that of the inner call's arguments: an object, or a string
	// of JSON.
	Arguments string `json:"arguments"`
	// Server is that of the argument that names the inner tool's server; when
	// empty, it is the outer one's.
	Server string `json:"server,omitempty"`
}

// Case is the contract of a tool for one value of its verb argument. What it
// leaves out is as in the tool.
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
