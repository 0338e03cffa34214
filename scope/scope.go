// Package scope is the form of task scopes: what the words of a user authorise,
// written down as data before anything untrusted is read.
//
// A planner, usually a language model, reads trusted text only: the user's turns,
// the deployment's own text and the definitions of tools. It writes a [Scope], one
// entry for each call that the request authorises. A monitor then enforces the scope
// without a model: an entry covers a call where it meets every constraint, by comparing every
// argument with the entry's constraints and with the results of earlier calls.
//
// A scope is data, never code, and a bad one fails closed: [Parse] refuses unknown
// tools and arguments entry by entry, every size is bounded, and a call that no entry
// covers is decided as if there were no scope, or asked about, as the [Mode] says.
package scope

import (
	"fmt"
	"maps"
	"slices"
)

// The bounds of a scope. They are far beyond what a request in a person's words
// authorises; a larger scope is a planner gone astray.
const (
	// MaxSize bounds a scope as it is written, in bytes.
	MaxSize = 256 << 10
	// MaxCalls bounds the entries of a scope.
	MaxCalls = 128
	// MaxArgs bounds the constraints of an entry.
	MaxArgs = 64
	// MaxSources bounds the sources of a constraint.
	MaxSources = 16
	// MaxValues bounds the alternatives of a constraint.
	MaxValues = 256
	// MaxNesting bounds how deep sources constrain the calls that they name.
	MaxNesting = 4
	// MaxOnlyIf bounds the conditions of an entry that only a person can decide, and MaxCondition
	// each of them, in bytes.
	MaxOnlyIf    = 16
	MaxCondition = 1 << 10
	// MaxTimes bounds how often an entry says that its call may be made.
	MaxTimes = 1000
)

// Mode says what a scope is for.
type Mode string

// The modes.
const (
	// ModeOff ignores scopes.
	ModeOff Mode = "off"
	// ModeGrant lets a scope settle doubts: what a floor, an open obligation or the
	// rule about unprovoked effects would ask about passes when an entry covers
	// the call.
	ModeGrant Mode = "grant"
	// ModeBound does what ModeGrant does, and asks about every effect outside the scope,
	// also when every value of the call is vouched for.
	ModeBound Mode = "bound"
)

// UnmarshalText implements [encoding.TextUnmarshaler].
func (m *Mode) UnmarshalText(text []byte) error {
	switch mode := Mode(text); mode {
	case ModeOff, ModeGrant, ModeBound:
		*m = mode
		return nil
	}
	return fmt.Errorf("unknown mode %q: write %s, %s or %s", text, ModeOff, ModeGrant, ModeBound)
}

// Scope is what the user's words authorise for one turn.
type Scope struct {
	// Calls are the calls that the request authorises.
	Calls []Call
	// Delegates are the sources whose instructions the user told the agent to
	// follow ("do what my TODO list says"). They grant nothing by themselves: one
	// question shows the source and the plan made of it.
	Delegates []Source
}

// Call is an entry of a scope: one call that the request authorises.
type Call struct {
	// Server names the tool's server; empty for the only server that has the tool.
	Server string
	Tool   string
	// Times says how often the call may be made.
	Times Times
	// Group names entries that are alternatives, of whose calls Times are allowed
	// together; empty for an entry on its own.
	Group string
	// If lists results that must have a record, and Unless those that must have none, that
	// meets the conditions of the source.
	If, Unless []Source
	// OnlyIf are further conditions, in the user's words, which no program can decide ("if she
	// sounds angry"). An entry with one covers no call that has an effect: a person decides.
	OnlyIf []string
	Args   []Arg
}

// Arg returns the constraint that an entry has at a pointer.
func (c *Call) Arg(pointer string) (Constraint, bool) {
	for _, a := range c.Args {
		if a.Pointer == pointer {
			return a.Constraint, true
		}
	}
	return Constraint{}, false
}

// Arg constrains an argument. An entry's are in the order of their pointers.
type Arg struct {
	// Pointer is a JSON pointer. "*" matches any index of an array, and a pointer to an object or
	// array constrains all within.
	Pointer string
	Constraint
}

// Times says how often the call of an entry may be made.
type Times struct {
	// N is a number of calls; 1 where the scope doesn't say.
	N int
	// Each allows one call for every value of the entry's sources.
	Each bool
}

// Constraint says which values an argument may have. Exactly one of Is, Date, From,
// Computed, Any, Absent, Unchanged and Template is set, or Is and From as alternatives.
type Constraint struct {
	// Is lists the values that the request states, as alternatives.
	Is []Value
	// Date lists the days of which the value is one, at any time, and spans of them (2026-02-03/2026-02-06).
	Date []Value
	// From lists the calls in whose results the value has to appear, and Except those in
	// whose results it must not.
	From, Except []Source
	// Record names the record that has the value: arguments of an entry with the same name are of
	// one record. Without a name, arguments from the same sources are.
	Record string
	// Kind is what the value is, and Pick how it is found in From.
	Kind Kind
	Pick Pick
	// By is the criterion in words, for people and for [Choice].
	By string
	// Computed marks a value that follows from the request and from the results of
	// Sources by plain computation.
	Computed bool
	Sources  []Source
	// Any marks free content.
	Any bool
	// Absent marks an argument that must be left out.
	Absent bool
	// Unchanged marks an argument that is left out, or repeats what the object of the call
	// has already.
	Unchanged bool
	// Template is a text with holes such as {name}, each constrained by Holes.
	Template string
	Holes    map[string]Constraint
}

// Source is the result of a call in which a value has to appear.
type Source struct {
	Server string
	Tool   string
	// Args constrain the call whose result it is.
	Args []Arg
	// Field names the field of the result: the member's name, or a description
	// that begins with it ("amount of the rent payment"). Or are further ones, of which the first
	// counts that a result has, where it doesn't have the field.
	Field string
	Or    []string
	// Where selects records by their fields.
	Where []Match
	// By selects one value of the field, in a source that a constraint excepts, by a criterion
	// that a program can check ("the newest"). Without it, all are excepted.
	By string
}

// Match says which values of a field select a record. All that is set must hold.
type Match struct {
	// Field names the field, as that of a source does, and Or further fields: one of them
	// has to meet the condition.
	Field string
	Or    []string
	// Is lists the values that the field may have, as alternatives. A day is any time of it,
	// and the empty value a member that is empty or missing.
	Is []Value
	// From lists the calls whose results have the value: the only one of their field.
	From []Source
	// Prefix is what the field's text begins with, and Ends what it ends with; where that is letters
	// and digits alone, signs and blanks in the text don't count ("ends in 4471"). Contains lists words
	// in it, as alternatives.
	Prefix, Ends string
	Contains     []string
	// Before and After bound a day, a moment or a time of the day, Below and Above a number.
	// The bound itself is outside.
	Before, After, Below, Above Value
}

// Value is a scalar of a scope, as text: a string's own, a number as it is written,
// true or false.
type Value string

// Kind says what a value from a source is.
type Kind string

// The kinds that a scope distinguishes. A planner may use further words, which select nothing:
// such a value has to be a whole field.
const (
	ID      Kind = "id"
	Name    Kind = "name"
	Email   Kind = "email"
	URL     Kind = "url"
	Account Kind = "account"
	Number  Kind = "number"
	Date    Kind = "date"
	Phone   Kind = "phone"
	Path    Kind = "path"
	Text    Kind = "text"
)

// Kinds returns the kinds that a scope distinguishes.
func Kinds() []string {
	return []string{string(ID), string(Name), string(Email), string(URL), string(Account), string(Number), string(Date), string(Phone), string(Path), string(Text)}
}

// UnknownKinds returns the further words that a scope has for kinds, each once.
func (s *Scope) UnknownKinds() []Kind {
	var out []Kind
	look := func(c *Constraint) {
		known := c.Kind == "" || slices.Contains(Kinds(), string(c.Kind))
		if !known && !slices.Contains(out, c.Kind) {
			out = append(out, c.Kind)
		}
	}
	for i := range s.Calls {
		for j := range s.Calls[i].Args {
			c := &s.Calls[i].Args[j].Constraint
			look(c)
			for _, name := range slices.Sorted(maps.Keys(c.Holes)) {
				of := c.Holes[name]
				look(&of)
			}
		}
	}
	return out
}

// Pick says how a value is found in its sources.
type Pick string

// The picks.
const (
	// Only needs exactly one distinct value of the kind in the sources.
	Only Pick = "only"
	// All allows every value of the named field.
	All Pick = "all"
	// Choice allows any value of the named field, by a criterion of the request.
	Choice Pick = "choice"
)
