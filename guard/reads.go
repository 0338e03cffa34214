package guard

import "cel.dev/cel-go/common/ast"

// Reads is what a rule reads beside the arguments and its look-ups. What it doesn't read
// can't change its verdict.
type Reads struct {
	// Session is that it reads what was said or called before, and Messages what was said,
	// or when it was said among the calls.
	Session, Messages bool
	// Now is that it reads a time, Principal for whom the agent works, and Labels where
	// values came from.
	Now, Principal, Labels bool
}

// Reads returns what the rule of a policy reads; all of it for a policy that isn't
// enforced, or of a guard with mistakes.
func (g *Guard) Reads(policy string) Reads {
	for _, p := range g.policies {
		if g.broken != nil || p.policy.Name != policy || p.require == nil {
			continue
		}
		var r Reads
		walk(p.require.ast.NativeRep().Expr(), r.note)
		for _, v := range p.variables {
			if v.expression != nil {
				walk(v.ast.NativeRep().Expr(), r.note)
			}
		}
		return r
	}
	return Reads{true, true, true, true, true}
}

// note adds what one part of an expression reads.
func (r *Reads) note(e ast.Expr) {
	switch e.Kind() {
	case ast.IdentKind:
		switch e.AsIdent() {
		case nowVariable:
			r.Now = true
		case callVariable:
			r.Session, r.Now = true, true
		}
	case ast.SelectKind:
		name, _ := qualified(e)
		r.Now = r.Now || e.AsSelect().FieldName() == "time"
		r.Principal = r.Principal || name == sessionVariable+".principal"
		if name == sessionVariable+".messages" {
			r.Session, r.Messages = true, true
		}
	case ast.CallKind:
		c := e.AsCall()
		name := c.FunctionName()
		_, words := wordFunctions[name]
		r.Labels = r.Labels || name == labelFunction
		r.Messages = r.Messages || words || name == "together"
		if c.IsMemberFunction() {
			target, _ := qualified(c.Target())
			r.Session = r.Session || target == sessionVariable
		}
		r.Session = r.Session || r.Messages
	}
}
