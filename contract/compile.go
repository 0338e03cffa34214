package contract

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/serialized"
	"github.com/remit-project/remit/label"
)

// Defaults are the deployment's settings for contracts that don't set their own,
// and the names of its origins and obligations.
type Defaults struct {
	Precision   label.Precision
	Unprovoked  Mode
	Sinks       Mode
	Classes     *label.Classes
	Obligations *label.ObligationNames
}

// Compiled is the contract of one tool, prepared for decisions. It is immutable.
type Compiled struct {
	File *File
	Tool *Tool
	// Precision and Sinks are the effective settings.
	Precision label.Precision
	Sinks     Mode
	// Verb is the JSON pointer of the argument that selects the variant; empty if
	// the tool has no variants.
	Verb     string
	whole    *Variant
	variants map[string]*Variant
	unspoken *Variant // for a call without the verb
}

// Variant is the contract of one variant, or of a whole tool without variants.
type Variant struct {
	Value      string
	Effect     Effect
	Unprovoked Mode
	Output     *CompiledOutput
	arguments  []Argument
	// cases are set where a call doesn't say which of them it is: the strictest of
	// them holds for each argument.
	cases []*Variant
}

// Argument is the contract entry for the arguments that match a pattern.
type Argument struct {
	*Arg
	Requirement label.Requirement
	pattern     Pattern
	allow       map[string]bool
	below       []string // directories, with a slash at the end
	// Place is the position of the entry as file:line:column; empty if it was not
	// read from a file.
	Place     string
	discharge map[string]bool
}

// Allows reports whether the argument's allowlist contains the value. A path is
// also allowed if it is below a listed directory, written as "/srv/notes/**".
func (a *Argument) Allows(value string) bool {
	if a.allow[value] {
		return true
	}
	return len(a.below) > 0 && plainPath(value) &&
		slices.ContainsFunc(a.below, func(dir string) bool { return below(dir, value) })
}

// below reports whether value is a path below dir, which has a trailing slash, or is
// the directory itself.
func below(dir, value string) bool {
	return strings.HasPrefix(value, dir) || value == dir[:len(dir)-1]
}

// plainPath reports whether every program reads the path in the same way: it is in
// its shortest form, so it can't climb, and has no escaped characters, hidden
// characters or separators of other systems.
func plainPath(p string) bool {
	if len(p) > 1 {
		p = strings.TrimSuffix(p, "/")
	}
	if !utf8.ValidString(p) || path.Clean(p) != p || strings.ContainsAny(p, "\\%$~*?[]{}|;&<>`'\"") {
		return false
	}
	return !strings.ContainsFunc(p, func(r rune) bool {
		wideSpace := unicode.IsSpace(r) && r != ' '
		return wideSpace || !unicode.IsPrint(r)
	})
}

// Discharges reports whether the procedure may recover a value of this argument. If
// the contract names no procedures, only those with a narrow scope may: look-ups by
// a name that the user gave, validation, and confirmation by the user.
func (a *Argument) Discharges(procedure string) bool {
	if a.discharge != nil {
		return a.discharge[procedure]
	}
	return slices.Contains(defaultDischarge, procedure)
}

// defaultDischarge are the procedures that may recover a value where the contract names none.
var defaultDischarge = []string{"directory", "lookup", "validation", "confirm"}

// CompiledOutput is an [Output] with parsed patterns.
type CompiledOutput struct {
	*Output
	fields  []compiledField
	certify []CompiledCertify
	settled map[string]bool
	pinned  []*serialized.Pinned
}

type compiledField struct {
	pattern Pattern
	trust   label.Trust
}

// CompiledCertify is a [Certify] with parsed patterns.
type CompiledCertify struct {
	*Certify
	field, by Pattern
}

// Matches reports whether a field of a result may vouch. A "**" doesn't reach into
// records: objects nested in a record may come from a third party.
func (c *CompiledCertify) Matches(pointer string, records *Records) bool {
	return c.field.within(pointer, records.own(pointer))
}

// Names reports whether a field is one by which the user must have named the
// record. It is only meaningful if the entry has such a field.
func (c *CompiledCertify) Names(pointer string) bool { return c.by.Match(pointer) }

// Certify returns the certify entries of the output.
func (o *CompiledOutput) Certify() []CompiledCertify { return o.certify }

// Pinned returns how a template writes the output.
func (o *CompiledOutput) Pinned() []*serialized.Pinned { return o.pinned }

// Field returns the trust of a field that the contract lists, and whether it lists
// the field. The most specific pattern wins; among equally specific patterns the
// lowest trust wins. A pattern with "**" or a settled name raises trust only for
// direct members of a record, not for objects nested in it.
func (o *CompiledOutput) Field(pointer string, records *Records) (label.Trust, bool) {
	own := records.own(pointer)
	for i := range o.fields {
		f := &o.fields[i]
		reach := len(pointer)
		if f.trust > o.Trust {
			reach = own
		}
		if f.pattern.within(pointer, reach) {
			return f.trust, true
		}
	}

	name := strings.LastIndexByte(pointer, '/')
	if o.settled != nil && name <= own && o.settled[pointer[name+1:]] {
		return max(o.Trust, label.ToolOutput), true
	}
	return 0, false
}

// Lowest returns the trust of a result whose fields can't be told apart: the lowest of
// the whole and of its fields.
func (o *CompiledOutput) Lowest() label.Trust {
	lowest := o.Trust
	for i := range o.fields {
		lowest = min(lowest, o.fields[i].trust)
	}
	return lowest
}

// HasOwn reports whether the contract says of any field that the service writes it.
func (o *CompiledOutput) HasOwn() bool {
	raised := func(f compiledField) bool { return f.trust > label.External }
	return o.Trust > label.External || o.settled != nil || slices.ContainsFunc(o.fields, raised)
}

// Closed reports that no stranger writes any part of the result.
func (o *CompiledOutput) Closed() bool { return o.Lowest() > label.External && !o.Derived }

// Compile prepares a file's contracts for decisions and returns them by tool name.
func Compile(f *File, s Defaults) (map[string]*Compiled, error) {
	out := make(map[string]*Compiled, len(f.Tools))
	for i := range f.Tools {
		t := &f.Tools[i]
		c, err := compileTool(f, t, s)
		if err != nil {
			return nil, fmt.Errorf("tool %q: %w", t.Name, err)
		}
		out[t.Name] = c
	}
	return out, nil
}

func compileTool(f *File, t *Tool, s Defaults) (*Compiled, error) {
	c := &Compiled{
		File: f, Tool: t,
		Precision: cmp.Or(t.Precision, f.Precision, s.Precision, label.L3),
		Sinks:     cmp.Or(t.Sinks, f.Sinks, s.Sinks, Ask),
	}
	if !c.Precision.Valid() {
		return nil, fmt.Errorf("unknown precision %s: use L0, L1, L2 or L3", c.Precision)
	}
	unprovoked := cmp.Or(t.Unprovoked, f.Unprovoked, s.Unprovoked, Ask)

	output, err := compileOutput(f, &t.Output)
	if err != nil {
		return nil, err
	}
	arguments, err := compileArgs(t.Args, s)
	if err != nil {
		return nil, err
	}
	c.whole = &Variant{Effect: t.Effect, Unprovoked: unprovoked, Output: output, arguments: arguments}

	if t.Variants == nil {
		return c, nil
	}

	c.Verb = t.Variants.Argument
	c.variants = map[string]*Variant{}
	var all []*Variant
	for i := range t.Variants.Cases {
		k := &t.Variants.Cases[i]
		v := &Variant{Value: k.Value, Effect: cmp.Or(k.Effect, t.Effect), Unprovoked: cmp.Or(k.Unprovoked, unprovoked), Output: output}
		if k.Output != nil {
			if v.Output, err = compileOutput(f, k.Output); err != nil {
				return nil, fmt.Errorf("variant %q: %w", k.Value, err)
			}
		}

		own, err := compileArgs(k.Args, s)
		if err != nil {
			return nil, fmt.Errorf("variant %q: %w", k.Value, err)
		}

		// The variant's own entries come first, so that they win over equally
		// specific entries of the tool.
		v.arguments = append(own, arguments...)
		slices.SortStableFunc(v.arguments, func(a, b Argument) int { return b.pattern.Compare(a.pattern) })
		c.variants[k.Value] = v
		all = append(all, v)
	}

	if d := t.Variants.Default; d != "" {
		v, ok := c.variants[d]
		if !ok {
			return nil, fmt.Errorf("default variant %q has no case", d)
		}
		c.unspoken = v
	}

	if len(all) == 0 {
		return nil, fmt.Errorf("variants of %s have no case", c.Verb)
	}
	if c.unspoken == nil {
		c.unspoken = strictest(all)
	}
	return c, nil
}

// strictest returns the variant of a call that could be any of several cases: it is
// called by the one with the worst effect, asks where one of them does, and takes the
// least trusted result.
func strictest(cases []*Variant) *Variant {
	out := *cases[0]
	for _, v := range cases[1:] {
		if severity(v.Effect) > severity(out.Effect) {
			out.Value, out.Effect = v.Value, v.Effect
		}
		if slices.Index(modes, v.Unprovoked) > slices.Index(modes, out.Unprovoked) {
			out.Unprovoked = v.Unprovoked
		}
		if v.Output != out.Output {
			out.Output = lowest(v.Output, out.Output)
		}
	}
	out.arguments, out.cases = nil, cases
	return &out
}

// lowest returns the output of a call that could have either: a result without fields, with
// the lower trust of both.
func lowest(a, b *CompiledOutput) *CompiledOutput {
	out := &Output{Trust: min(a.Lowest(), b.Lowest()), Derived: a.Derived || b.Derived}
	if a.Format == b.Format {
		out.Format = a.Format
	}
	if slices.Equal(a.Returns, b.Returns) {
		out.Returns = a.Returns
	}
	c := &CompiledOutput{Output: out}
	if slices.Equal(a.Shapes, b.Shapes) {
		out.Shapes, c.pinned = a.Shapes, a.pinned
	}
	return c
}

// modes are the answers to an open question, the strictest last.
var modes = []Mode{Off, Ask, Deny}

func severity(e Effect) int { return slices.Index(Effects(), e) }

// Variant returns the contract for a value of the verb argument. Without the
// argument it returns the default variant, or the variant with the most severe
// effect if there is no default, whose arguments are held to the strictest of all cases.
// A value without a contract has no variant.
func (c *Compiled) Variant(verb string, present bool) (*Variant, bool) {
	if c.Verb == "" {
		return c.whole, true
	}
	if !present {
		return c.unspoken, true
	}
	v, ok := c.variants[verb]
	return v, ok
}

// Variants returns the values of the verb argument that have a contract.
func (c *Compiled) Variants() []string {
	var out []string
	if c.Tool.Variants != nil {
		for _, k := range c.Tool.Variants.Cases {
			out = append(out, k.Value)
		}
	}
	return out
}

func compileArgs(args []Arg, s Defaults) ([]Argument, error) {
	out := make([]Argument, 0, len(args))
	for i := range args {
		a := &args[i]
		p, err := ParsePattern(a.Pattern)
		if err != nil {
			return nil, err
		}
		arg := Argument{Arg: a, pattern: p, Requirement: label.Requirement{Role: a.Role, Floor: a.Floor}}

		for _, name := range a.Forbidden {
			arg.Requirement.Forbidden = arg.Requirement.Forbidden.Union(s.Classes.Origin(name))
		}
		for _, name := range a.Require {
			o, err := s.Obligations.Obligation(name)
			if err != nil {
				return nil, err
			}
			arg.Requirement.Required |= o
		}

		if a.Position.Line > 0 {
			arg.Place = a.Position.String()
		}

		arg.allow = setOf(a.Allow)
		for _, v := range a.Allow {
			if dir, ok := directoryOf(v); ok && a.Form == Path {
				arg.below = append(arg.below, dir)
			}
		}
		arg.discharge = setOf(a.Discharge)
		out = append(out, arg)
	}

	slices.SortStableFunc(out, func(a, b Argument) int {
		if n := b.pattern.Compare(a.pattern); n != 0 {
			return n
		}
		return cmp.Compare(b.Requirement.Floor, a.Requirement.Floor)
	})
	return out, nil
}

func setOf(values []string) map[string]bool {
	if len(values) == 0 {
		return nil
	}
	set := make(map[string]bool, len(values))
	for _, v := range values {
		set[v] = true
	}
	return set
}

func compileOutput(f *File, o *Output) (*CompiledOutput, error) {
	out := &CompiledOutput{Output: o}
	if o.Settled {
		out.settled = setOf(f.Settled)
	}

	for _, f := range o.Fields {
		p, err := ParsePattern(f.Pattern)
		if err != nil {
			return nil, err
		}
		out.fields = append(out.fields, compiledField{p, f.Trust})
	}
	slices.SortStableFunc(out.fields, func(a, b compiledField) int {
		if n := b.pattern.Compare(a.pattern); n != 0 {
			return n
		}
		return cmp.Compare(a.trust, b.trust)
	})

	for i := range o.Certify {
		p, err := ParsePattern(o.Certify[i].Field)
		if err != nil {
			return nil, err
		}
		by, err := ParsePattern(o.Certify[i].By)
		if err != nil {
			return nil, err
		}
		out.certify = append(out.certify, CompiledCertify{&o.Certify[i], p, by})
	}

	for _, shape := range o.Shapes {
		p, err := serialized.Pin(shape)
		if err != nil {
			return nil, err
		}
		out.pinned = append(out.pinned, p)
	}
	return out, nil
}

// Match returns the contract entry for the argument at a JSON pointer.
func (v *Variant) Match(pointer string) (*Argument, bool) {
	if v.cases != nil {
		return v.matchAll(pointer)
	}
	for i := range v.arguments {
		if v.arguments[i].pattern.Match(pointer) {
			return &v.arguments[i], true
		}
	}
	return nil, false
}

// matchAll returns what holds for an argument in whichever case the call is. Cases that
// don't have it have no use for it.
func (v *Variant) matchAll(pointer string) (*Argument, bool) {
	var out *Argument
	for _, c := range v.cases {
		a, ok := c.Match(pointer)
		switch {
		case !ok || (out != nil && a.Arg == out.Arg):
		case out == nil:
			out = a
		default:
			out = out.and(a)
		}
	}
	return out, out != nil
}

// and returns an entry that is as strict as both: the higher floor and the graver role, of
// whichever they are, and what either forbids and requires. A way to recover a value holds only if
// both have it, and neither's list of allowed values does. Nothing is read in a form that one of
// them doesn't know.
func (a *Argument) and(b *Argument) *Argument {
	out, other := *a, b
	if graver(b.Role, a.Role) {
		out, other = *b, a
	}
	entry := *out.Arg
	entry.Floor = max(a.Floor, b.Floor)
	entry.Group = cmp.Or(out.Group, other.Group)
	if a.Form != b.Form {
		entry.Form = Text
	}
	if !strings.Contains(entry.Pattern, "*") {
		entry.Pattern = other.Pattern // names of members that either leaves open are checked
	}
	out.Arg = &entry

	out.Requirement = label.Requirement{
		Role: entry.Role, Floor: entry.Floor,
		Forbidden: a.Requirement.Forbidden.Union(b.Requirement.Forbidden),
		Required:  a.Requirement.Required | b.Requirement.Required,
	}
	out.allow, out.below = nil, nil
	out.discharge = map[string]bool{}
	for _, procedure := range dischargeWords {
		if a.Discharges(procedure) && b.Discharges(procedure) {
			out.discharge[procedure] = true
		}
	}
	return &out
}

// graver reports whether a wrong value does more in one role than in another.
func graver(a, b label.Role) bool { return slices.Index(gravest, a) < slices.Index(gravest, b) }

// gravest are the roles by what a wrong value does.
var gravest = []label.Role{label.Command, label.Credential, label.Target, label.Selector, label.Control, label.Content}
