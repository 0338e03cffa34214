package guard

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/decimal"
	"github.com/remit-project/remit/internal/record"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/internal/strictyaml"
	"github.com/remit-project/remit/schema"
)

// checkCalls checks the names of the tools that an expression calls. It runs before
// the types are checked, since CEL would only report an unknown function.
func (c *compiler) checkCalls(e Expression, a *cel.Ast) {
	walk(a.NativeRep().Expr(), func(n ast.Expr) {
		if n.Kind() != ast.CallKind || !n.AsCall().IsMemberFunction() {
			return
		}

		call := n.AsCall()
		name, ok := qualified(call.Target())
		onTools := name == "tools" || strings.HasPrefix(name, lookupPrefix)
		if !ok || !onTools {
			return
		}
		name += "." + call.FunctionName()
		if _, ok := c.readers[name]; ok {
			return
		}

		tool := strings.TrimPrefix(name, lookupPrefix)
		at := e.at(a, call.Target().ID())
		for _, f := range c.scope.Contracts {
			for i := range f.Tools {
				if t := &f.Tools[i]; (word(t.Name) == tool || word(f.Server)+"."+word(t.Name) == tool) && !reads(t) {
					if t.Effect == contract.Read {
						c.fail(at, "use one whose arguments are selectors, content or control", "an argument of the tool %q says where the call goes, so that a rule can't call it", t.Name)
					} else {
						c.fail(at, "use one whose contract says 'effect: read'", "the tool %q may do more than read (%s), so that a rule can't call it", t.Name, t.Effect)
					}
					return
				}
			}
		}

		names := slices.Sorted(maps.Keys(c.readers))
		hint := "name the tool definitions and contracts, so that their tools are known"
		if len(names) > 0 {
			hint = strictyaml.DidYouMean(name, names)
		}
		c.fail(at, hint, "there is no tool to look things up with that is called %s", name)
	})
}

// qualified returns the name that a chain of selections spells, such as tools.crm.
func qualified(e ast.Expr) (string, bool) {
	switch e.Kind() {
	case ast.IdentKind:
		return e.AsIdent(), true
	case ast.SelectKind:
		if s := e.AsSelect(); !s.IsTestOnly() {
			operand, ok := qualified(s.Operand())
			return operand + "." + s.FieldName(), ok
		}
	}
	return "", false
}

// checkMeaning checks what types don't express, after the types are checked. It
// reports whether the expression asks for something that depends on the call: a
// look-up, a judgment or a label.
func (c *compiler) checkMeaning(e Expression, a *cel.Ast) (asks bool) {
	walk(a.NativeRep().Expr(), func(n ast.Expr) {
		if n.Kind() != ast.CallKind {
			return
		}

		call := n.AsCall()
		name := call.FunctionName()
		if call.IsMemberFunction() {
			if target, ok := qualified(call.Target()); ok {
				name = target + "." + name
			}
		}
		asks = asks || name == labelFunction || name == judgeFunction || c.readers[name] != nil || slices.Contains(saidFunctions, call.FunctionName())
		switch {
		case c.readers[name] != nil && len(call.Args()) == 1:
			c.guard.readers[name] = c.readers[name]
			c.checkArguments(e, a, c.readers[name], call.Args()[0])
		case (name == judgeFunction || call.FunctionName() == judgedFunction) && len(call.Args()) == 2:
			if who, ok := literalText(call.Args()[1]); ok && !isSpeaker(EntryKind(who)) {
				c.fail(e.at(a, call.Args()[1].ID()), `write "user" or "assistant"`, "%s", errNoSpeaker)
			}
		case name == sessionVariable+".calls" && len(call.Args()) == 1:
			c.checkPast(e, a, call.Args()[0])
		case name == operators.Equals || name == operators.NotEquals:
			l, r := call.Args()[0], call.Args()[1]
			if x, y := a.NativeRep().GetType(l.ID()), a.NativeRep().GetType(r.ID()); !decimal.Comparable(x, y) {
				c.fail(e.at(a, n.ID()), "", "a %s is never equal to a %s", cel.FormatCELType(x), cel.FormatCELType(y))
			}
			c.checkMember(e, a, l, r)
			c.checkMember(e, a, r, l)
		case name == operators.In && call.Args()[1].Kind() == ast.ListKind:
			for _, option := range call.Args()[1].AsList().Elements() {
				c.checkMember(e, a, call.Args()[0], option)
			}
		}
	})

	return asks
}

// checkArguments checks the arguments of a look-up against the schema of its tool.
func (c *compiler) checkArguments(e Expression, a *cel.Ast, r *reader, arg ast.Expr) {
	if arg.Kind() != ast.MapKind {
		c.fail(e.at(a, arg.ID()), `write them in place, as {"id": args.id}`, "the arguments of %s must be written out", r.tool)
		return
	}
	if r.input == nil {
		return
	}

	given := map[string]bool{}
	for _, entry := range arg.AsMap().Entries() {
		m := entry.AsMapEntry()
		key, ok := literalText(m.Key())
		if !ok {
			c.fail(e.at(a, m.Key().ID()), "write the name in quotes", "the name of an argument of %s must be written out", r.tool)
			continue
		}

		given[key] = true
		node, ok := r.input.Lookup("/" + strictjson.EscapeToken(key))
		if !ok {
			c.fail(e.at(a, m.Key().ID()), strictyaml.DidYouMean(key, propertyNames(r.input)), "%s has no argument %q", r.tool, key)
			continue
		}

		want := record.NewTypes().Add("", node).Type
		have := a.NativeRep().GetType(m.Value().ID())
		if m.IsOptional() && have.Kind() == types.OpaqueKind && len(have.Parameters()) == 1 {
			have = have.Parameters()[0]
		}
		if !fits(have, want) {
			c.fail(e.at(a, m.Value().ID()), "", "the argument %q of %s is a %s, not a %s", key, r.tool, cel.FormatCELType(want), cel.FormatCELType(have))
		}
	}

	for _, p := range r.input.Properties {
		if p.Required && !given[p.Name] {
			c.fail(e.at(a, arg.ID()), fmt.Sprintf(`add %q`, p.Name), "%s needs the argument %q", r.tool, p.Name)
		}
	}
}

func propertyNames(n *schema.Node) []string {
	var names []string
	for _, p := range n.Properties {
		names = append(names, p.Name)
	}
	return names
}

// fits reports whether a value of one type is acceptable where a schema wants
// another: times are written as texts, and whole numbers are numbers.
func fits(have, want *types.Type) bool {
	switch {
	case have.Kind() == types.DynKind || want.Kind() == types.DynKind:
		return true
	case want.Kind() == types.StringKind && have.Kind() == types.TimestampKind:
		return true
	case want.TypeName() == "decimal" && have.Kind() == types.IntKind:
		return true
	case want.Kind() == types.ListKind && have.Kind() == types.ListKind:
		return fits(have.Parameters()[0], want.Parameters()[0])
	case want.Kind() == types.StructKind || want.Kind() == types.MapKind:
		return have.Kind() == types.MapKind || have.Kind() == types.StructKind
	}
	return want.IsAssignableType(have)
}

// checkPast reports the name of a tool in session.calls that doesn't exist.
func (c *compiler) checkPast(e Expression, a *cel.Ast, arg ast.Expr) {
	tool, ok := literalText(arg)
	if !ok || len(c.scope.Tools) == 0 || c.defined[tool] {
		return
	}
	c.fail(e.at(a, arg.ID()), strictyaml.DidYouMean(tool, c.scope.toolNames("")), "there is no tool %q", strictyaml.Clip(tool))
}

// checkMember reports a text that is compared with a field whose schema lists its
// values, and is not one of them.
func (c *compiler) checkMember(e Expression, a *cel.Ast, of, literal ast.Expr) {
	text, ok := literalText(literal)
	if !ok || of.Kind() != ast.SelectKind || of.AsSelect().IsTestOnly() {
		return
	}
	s := of.AsSelect()
	owner, ok := c.types.Lookup(a.NativeRep().GetType(s.Operand().ID()).TypeName())
	if !ok {
		return
	}
	field, _, ok := owner.Field(s.FieldName())
	if ok && len(field.Enum) > 0 && !slices.Contains(field.Enum, text) {
		c.fail(e.at(a, literal.ID()), strictyaml.DidYouMean(text, field.Enum), "%q is none of the values that %s can have", strictyaml.Clip(text), s.FieldName())
	}
}

func literalText(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	s, ok := e.AsLiteral().(types.String)
	return string(s), ok
}
