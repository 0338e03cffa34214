package guard

import (
	"errors"
	"fmt"
	"slices"

	"cel.dev/cel-go/common/types"
)

// Part is one expression of a policy.
type Part struct {
	// Policy is the policy's name. Variable is the variable's name; empty for the
	// condition itself.
	Policy, Variable string
	Expression       Expression
}

// Parts lists the expressions of the guard's policies, in the order of the file.
func (g *Guard) Parts() []Part {
	var out []Part
	for i := range g.File.Policies {
		p := &g.File.Policies[i]
		for _, v := range p.Variables {
			out = append(out, Part{p.Name, v.Name, v.Value})
		}
		if !p.Require.Empty() {
			out = append(out, Part{p.Name, "", p.Require})
		}
	}
	return out
}

// errMistyped is the error for an expression that gives a variable another type: the
// expressions that use the variable were compiled for the old type.
var errMistyped = errors.New("the variable has another type")

// With returns a guard with only the policy that a part belongs to, and another
// expression in place of the part. It doesn't change g.
func (g *Guard) With(part Part, text string) (*Guard, error) {
	if g.broken != nil {
		return nil, g.broken
	}
	one, ok := g.Only(part.Policy)
	if !ok {
		return nil, fmt.Errorf("there is no policy %q", part.Policy)
	}

	changed := *one.policies[0]
	one.policies = []*compiledPolicy{&changed}
	changed.variables = slices.Clone(changed.variables)
	var at **expression
	if part.Variable == "" {
		at = &changed.require
	}
	for i, v := range changed.variables {
		if v.name == part.Variable {
			own := *v
			changed.variables[i] = &own
			at = &own.expression
		}
	}

	if at == nil || *at == nil {
		return nil, fmt.Errorf("the policy %q has no such part", part.Policy)
	}

	// The tools that the new expression calls may be others.
	one.readers = map[string]*reader{}
	for name, r := range g.readers {
		one.readers[name] = r
	}
	c := &compiler{environment: g.environment, guard: one}
	e := c.expression((*at).env, Expression{Position: part.Expression.Position, Text: text})
	if len(c.mistakes) > 0 {
		return nil, c.mistakes
	}
	if !e.ast.OutputType().IsExactType((*at).ast.OutputType()) {
		return nil, errMistyped
	}

	*at = e
	return one, nil
}

// maxSiblings bounds the result of [Guard.Siblings].
const maxSiblings = 8

// Siblings returns the fields that have the same type as a field and are in the same
// record: the fields that a rule could name by mistake.
func (g *Guard) Siblings(field string) []string {
	var out []string
	if g.environment == nil {
		return nil
	}
	for _, owner := range g.environment.types.With(field) {
		shape, _, _ := owner.Field(field)
		for _, name := range owner.Fields() {
			other, _, _ := owner.Field(name)
			if name != field && other.Type.IsExactType(shape.Type) && shape.Type.Kind() != types.DynKind && !slices.Contains(out, name) && len(out) < maxSiblings {
				out = append(out, name)
			}
		}
	}
	return out
}
