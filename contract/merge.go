package contract

import (
	"fmt"
	"slices"
	"strings"
)

// Conflict is a value that both the person and the generator changed, to different
// values. Merge keeps the person's value.
type Conflict struct {
	// Tool and Path locate the value, as in [Change].
	Tool, Path string
	// Base is the common ancestor, Generated the generator's new value, and Edited
	// the person's value; empty if there is none.
	Base, Generated, Edited string
}

// Definition is the path of a conflict about a tool that stays whole, because its definition has
// changed and base doesn't have it.
const Definition = "definition"

// String formats the conflict as one line.
func (c Conflict) String() string {
	show := func(s string) string {
		if s == "" {
			return "nothing"
		}
		return s
	}
	return fmt.Sprintf("%s: kept %s, generated now is %s (was %s)",
		strings.TrimSpace(c.Tool+" "+c.Path), show(c.Edited), show(c.Generated), show(c.Base))
}

// Review marks that Merge sets.
const (
	reviewNew     = "new since the last review"
	reviewChanged = "the tool's definition changed since the last review"
	reviewOutput  = "new certificates since the last review"
)

// Merge brings a new generation into a file that people edited: base is the
// last generated file, generated the new one, and edited what people made of
// base. All three stay as they are.
//
//   - A change of one side is taken over. If both sides changed a field
//     differently, it keeps the person's value and is reported as a conflict.
//   - Additions of generated (a tool, an argument, a case) are marked for
//     review, as are fields that the generator sees differently now and that a
//     person had left alone or looked at.
//   - Parts that a person removed stay removed. Parts that generated no longer
//     has are removed, unless a person edited them, which is a conflict.
//   - A tool whose definition changed gets the new fingerprint and a mark.
//
// A nil base means a file that was never generated, or whose base is lost. Everything in edited then
// belongs to a person, except the file's fingerprint, which only programs write. A tool whose definition
// has changed since stays as it was reviewed, with its fingerprint, and is a conflict about its
// [Definition]: nothing tells which of its parts the old definition has made.
func Merge(base, generated, edited *File) (*File, []Conflict) {
	m := &merger{unbased: base == nil}
	if base == nil {
		base = &File{}
	}

	out := &File{Position: edited.Position, Version: Version}
	out.Server = pick(m, "server", base.Server, generated.Server, edited.Server)
	out.Fingerprint = generated.Fingerprint
	if !m.unbased || edited.Fingerprint == "" {
		out.Fingerprint = pick(m, "fingerprint", base.Fingerprint, generated.Fingerprint, edited.Fingerprint)
	}
	out.Precision = pick(m, "precision", base.Precision, generated.Precision, edited.Precision)
	out.Unprovoked = pick(m, "unprovoked", base.Unprovoked, generated.Unprovoked, edited.Unprovoked)
	out.Sinks = pick(m, "sinks", base.Sinks, generated.Sinks, edited.Sinks)
	out.Settled = pickText(m, "settled", base.Settled, generated.Settled, edited.Settled, func(s []string) string { return strings.Join(s, ", ") })

	out.Tools = mergeList(m, base.Tools, generated.Tools, edited.Tools, listOf[Tool]{
		key:   func(t *Tool) string { return t.Name },
		text:  toolText,
		scope: func(name string) { m.tool, m.prefix = name, "" },
		merge: m.mergeTool,
		added: func(t *Tool) { addReview(&t.Review, reviewNew) },
	})

	// The result has parts of all three files; clone it so that it shares none.
	return out.Clone(), m.conflicts
}

// merger collects conflicts.
type merger struct {
	conflicts []Conflict
	tool      string
	prefix    string
	// unbased is set while merging a value that base doesn't have. A zero value in
	// base then means absent.
	unbased bool
}

func (m *merger) conflict(path, base, generated, edited string) {
	m.conflicts = append(m.conflicts, Conflict{
		Tool: m.tool, Path: strings.TrimSpace(m.prefix + path), Base: base, Generated: generated, Edited: edited,
	})
}

// pick merges one value three ways.
func pick[T comparable](m *merger, path string, base, generated, edited T) T {
	switch {
	case edited == generated:
		return edited
	case edited == base && !m.unbased:
		return generated
	case generated == base && !m.unbased:
		return edited
	}
	m.conflict(path, fmt.Sprint(base), fmt.Sprint(generated), fmt.Sprint(edited))
	return edited
}

// pickText is [pick] for values that are compared by their text.
func pickText[T any](m *merger, path string, base, generated, edited T, text func(T) string) T {
	b, g, e := text(base), text(generated), text(edited)
	switch {
	case e == g:
		// They are equal except for positions: keep the edited file's.
		return edited
	case e == b && !m.unbased:
		return generated
	case g == b && !m.unbased:
		return edited
	}
	m.conflict(path, b, g, e)
	return edited
}

func listText(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return fmt.Sprintf("%q", list)
}

// pickWords merges reasons. Differing reasons are not a conflict: the person's
// wins.
func pickWords(base, generated, edited string) string {
	if edited == base {
		return generated
	}
	return edited
}

// pickReview merges review marks. A person removes marks, and only a new doubt
// restores one.
func pickReview(base, generated, edited string) string {
	if generated != base && generated != "" {
		return generated
	}
	return edited
}

// addReview prepends a review mark.
func addReview(review *string, mark string) {
	switch {
	case *review == "":
		*review = mark
	case !strings.HasPrefix(*review, mark):
		*review = mark + "; " + *review
	}
}

// listOf defines how to identify and merge the members of a list.
type listOf[T any] struct {
	key   func(*T) string
	text  func(*T) string
	scope func(key string)
	merge func(base, generated, edited *T) T
	added func(*T)
}

// mergeList merges lists by key: members of edited in their order, then new members
// in the order of generated.
func mergeList[T any](m *merger, base, generated, edited []T, l listOf[T]) []T {
	index := func(list []T) map[string]*T {
		out := make(map[string]*T, len(list))
		for i := range list {
			out[l.key(&list[i])] = &list[i]
		}
		return out
	}

	tool, prefix := m.tool, m.prefix
	defer func() { m.tool, m.prefix = tool, prefix }()
	b, g, e := index(base), index(generated), index(edited)
	var out []T

	for i := range edited {
		key := l.key(&edited[i])
		l.scope(key)
		was, now := b[key], g[key]
		switch {
		case now != nil:
			outer := m.unbased
			if m.unbased = was == nil; m.unbased {
				was = new(T)
			}
			out = append(out, l.merge(was, now, &edited[i]))
			m.unbased = outer
		case was == nil:
			out = append(out, edited[i])
		case l.text(was) != l.text(&edited[i]):
			m.conflict("", l.text(was), "", l.text(&edited[i]))
			out = append(out, edited[i])
		}
	}

	for i := range generated {
		key := l.key(&generated[i])
		l.scope(key)
		switch was := b[key]; {
		case e[key] != nil:
		case was == nil:
			fresh := generated[i]
			l.added(&fresh)
			out = append(out, fresh)
		case l.text(was) != l.text(&generated[i]):
			m.conflict("", l.text(was), l.text(&generated[i]), "")
		}
	}

	return out
}

// toolText returns a tool as text, without positions.
func toolText(t *Tool) string {
	w := &writer{}
	w.tool(t)
	return w.b.String()
}

func argLine(a *Arg) string { return (&writer{}).arg(a) }

func caseText(c *Case) string {
	w := &writer{}
	w.variant(c)
	return w.b.String()
}

func outputText(o *Output) string {
	if o == nil {
		return ""
	}
	w := &writer{}
	w.output(0, o)
	return w.b.String()
}

func unwrapText(u *Unwrap) string { return (&writer{}).unwrap(u) }

func variantsText(v *Variants) string {
	if v == nil {
		return ""
	}
	return toolText(&Tool{Variants: v})
}

func (m *merger) mergeTool(b, g, e *Tool) Tool {
	if m.unbased && e.Fingerprint != "" && e.Fingerprint != g.Fingerprint {
		m.conflict(Definition, "", g.Fingerprint, e.Fingerprint)
		return *e
	}

	t := Tool{Position: e.Position, Name: e.Name}
	t.Effect = pick(m, "effect", b.Effect, g.Effect, e.Effect)
	t.Fingerprint = pick(m, "fingerprint", b.Fingerprint, g.Fingerprint, e.Fingerprint)
	t.Precision = pick(m, "precision", b.Precision, g.Precision, e.Precision)
	t.Unprovoked = pick(m, "unprovoked", b.Unprovoked, g.Unprovoked, e.Unprovoked)
	t.Sinks = pick(m, "sinks", b.Sinks, g.Sinks, e.Sinks)
	t.Why = pickWords(b.Why, g.Why, e.Why)
	t.Review = pickReview(b.Review, g.Review, e.Review)
	t.Approved = e.Approved // nothing but a person's

	t.Args = m.mergeArgs("args ", b.Args, g.Args, e.Args)
	t.Output = m.mergeOutput(&b.Output, &g.Output, &e.Output)
	t.Unwrap = pickText(m, "unwrap", b.Unwrap, g.Unwrap, e.Unwrap, unwrapText)
	t.Variants = m.mergeVariants(b.Variants, g.Variants, e.Variants)

	switch {
	case e.Fingerprint != "" && t.Fingerprint != e.Fingerprint:
		addReview(&t.Review, reviewChanged)
	case t.Effect != e.Effect && t.Review == "":
		t.Review = fmt.Sprintf("the effect was %s before", e.Effect)
	case (t.Variants == nil) != (e.Variants == nil):
		addReview(&t.Review, "its variants are new or gone since the last review")
	}
	return t
}

func (m *merger) mergeArgs(prefix string, b, g, e []Arg) []Arg {
	outer := m.prefix
	return mergeList(m, b, g, e, listOf[Arg]{
		key:   func(a *Arg) string { return a.Pattern },
		text:  argLine,
		scope: func(pattern string) { m.prefix = outer + prefix + pattern + " " },
		merge: m.mergeArg,
		added: func(a *Arg) { addReview(&a.Review, reviewNew) },
	})
}

func (m *merger) mergeArg(b, g, e *Arg) Arg {
	a := Arg{Position: e.Position, Pattern: e.Pattern}
	a.Role = pick(m, "role", b.Role, g.Role, e.Role)
	a.Floor = pick(m, "floor", b.Floor, g.Floor, e.Floor)
	a.Form = pick(m, "form", b.Form, g.Form, e.Form)
	a.Forbidden = slices.Clone(pickText(m, "forbidden", b.Forbidden, g.Forbidden, e.Forbidden, listText))
	a.Require = slices.Clone(pickText(m, "require", b.Require, g.Require, e.Require, listText))
	a.Allow = slices.Clone(pickText(m, "allow", b.Allow, g.Allow, e.Allow, listText))
	a.Discharge = slices.Clone(pickText(m, "discharge", b.Discharge, g.Discharge, e.Discharge, listText))
	a.Group = pick(m, "group", b.Group, g.Group, e.Group)
	a.Why = pickWords(b.Why, g.Why, e.Why)
	a.Review = pickReview(b.Review, g.Review, e.Review)
	if a.Review == "" && argText(&a) != argText(e) {
		a.Review = "was " + argText(e) + " before"
	}
	return a
}

func (m *merger) mergeOutput(b, g, e *Output) Output {
	outer := m.prefix
	defer func() { m.prefix = outer }()
	m.prefix = outer + "output "

	o := Output{Position: e.Position}
	o.Trust = pick(m, "trust", b.Trust, g.Trust, e.Trust)
	o.Derived = pick(m, "derived", b.Derived, g.Derived, e.Derived)
	o.Format = pick(m, "format", b.Format, g.Format, e.Format)
	o.Returns = slices.Clone(pickText(m, "returns", b.Returns, g.Returns, e.Returns, listText))
	o.Shapes = slices.Clone(pickText(m, "shapes", b.Shapes, g.Shapes, e.Shapes, listText))
	o.Settled = pick(m, "settled", b.Settled, g.Settled, e.Settled)
	o.Review = pickReview(b.Review, g.Review, e.Review)
	if o.Trust > e.Trust {
		addReview(&o.Review, fmt.Sprintf("trust was %s before", e.Trust))
	}

	o.Fields = mergeList(m, b.Fields, g.Fields, e.Fields, listOf[Field]{
		key:   func(f *Field) string { return f.Pattern },
		text:  func(f *Field) string { return f.Trust.String() },
		scope: func(pattern string) { m.prefix = outer + "output fields " + pattern + " " },
		merge: func(b, g, e *Field) Field {
			return Field{Position: e.Position, Pattern: e.Pattern, Trust: pick(m, "trust", b.Trust, g.Trust, e.Trust)}
		},
		added: func(f *Field) {
			if f.Trust > o.Trust {
				addReview(&o.Review, "new fields since the last review")
			}
		},
	})

	// Entries have no key: a changed entry is a new entry.
	text := func(c *Certify) string { return (&writer{}).certify(c) }
	o.Certify = mergeList(m, b.Certify, g.Certify, e.Certify, listOf[Certify]{
		key:   text,
		text:  text,
		scope: func(string) { m.prefix = outer + "output certify " },
		merge: func(_, _, e *Certify) Certify { return *e },
		added: func(*Certify) { addReview(&o.Review, reviewOutput) },
	})

	return o
}

func (m *merger) mergeVariants(b, g, e *Variants) *Variants {
	if e == nil || g == nil {
		return pickText(m, "variants", b, g, e, variantsText)
	}
	outer, unbased := m.prefix, m.unbased
	defer func() { m.prefix, m.unbased = outer, unbased }()
	if b == nil {
		b, m.unbased = &Variants{}, true
	}

	v := &Variants{Position: e.Position}
	v.Argument = pick(m, "variants argument", b.Argument, g.Argument, e.Argument)
	v.Default = pick(m, "variants default", b.Default, g.Default, e.Default)
	v.Cases = mergeList(m, b.Cases, g.Cases, e.Cases, listOf[Case]{
		key:   func(c *Case) string { return c.Value },
		text:  caseText,
		scope: func(value string) { m.prefix = outer + "variants " + value + " " },
		merge: m.mergeCase,
		added: func(c *Case) { addReview(&c.Review, reviewNew) },
	})

	return v
}

func (m *merger) mergeCase(b, g, e *Case) Case {
	c := Case{Position: e.Position, Value: e.Value}
	c.Effect = pick(m, "effect", b.Effect, g.Effect, e.Effect)
	c.Unprovoked = pick(m, "unprovoked", b.Unprovoked, g.Unprovoked, e.Unprovoked)
	c.Args = m.mergeArgs("args ", b.Args, g.Args, e.Args)
	c.Output = pickText(m, "output", b.Output, g.Output, e.Output, outputText)
	c.Why = pickWords(b.Why, g.Why, e.Why)
	c.Review = pickReview(b.Review, g.Review, e.Review)
	if c.Review == "" && c.Effect != e.Effect {
		c.Review = fmt.Sprintf("the effect was %s before", e.Effect)
	}
	return c
}
