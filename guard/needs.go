package guard

import (
	"maps"
	"slices"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
)

// Needs is what a rule has to know besides the call itself. An enforcement point that doesn't know it
// can't decide the rule.
type Needs struct {
	// Words are the parts of the language by which the rule depends on what was said, such as
	// session.agreed(): all but those that only look at calls.
	Words []string `json:"words,omitempty"`
	// Lookups are the tools that it looks things up with.
	Lookups []string `json:"lookups,omitempty"`
	// Undeclared are those of them whose definitions don't say what they return.
	Undeclared []string `json:"undeclared,omitempty"`
	// Guessed are those whose result shape is unknown: see [Policy.Guessed].
	Guessed []string `json:"guessed,omitempty"`
	// Outdated are those of them of which the file says something else than its tests and the samples.
	Outdated []string `json:"guess_outdated,omitempty"`
}

// undeclared reports whether nothing says what a tool returns.
func (r *reader) undeclared() bool { return r.output.Type == types.DynType }

// Remarks says in sentences what a person should know of a rule with these needs.
func (n Needs) Remarks() []string {
	var out []string
	if len(n.Words) > 0 {
		out = append(out, "It hangs on what is said, by "+strings.Join(n.Words, ", ")+": where words don't settle it, the judge decides, or the call is asked about.")
	}
	switch {
	case len(n.Guessed) > 0:
		out = append(out, "Nobody knows what "+strings.Join(n.Guessed, ", ")+" returns: the rule rests on a guess that isn't proven, and a person is asked about each call for which it turns out wrong. Try it on the real look-ups before it is enforced (remit policy test --live), or correct the sample.")
	case len(n.Undeclared) > 0:
		out = append(out, "No definition says what "+strings.Join(n.Undeclared, ", ")+" returns: the rule rests on what was seen of it.")
	}
	if len(n.Outdated) > 0 {
		out = append(out, "What the guard file says that "+strings.Join(n.Outdated, ", ")+" returns isn't what its tests and the sample show: the file counts. remit policy compile writes it anew.")
	}
	return out
}

// wordFunctions are the functions by which a rule depends on what was said, as people write them.
var wordFunctions = map[string]string{
	agreedFunction: "session.agreed()", listedFunction: "session.listed()", statedFunction: "session.stated()",
	toldFunction: "session.told()", completeFunction: "session.complete()", answeredFunction: "session.answered()",
	judgedFunction: "session.judged()", "user_said": "session.user_said()", "beside": "session.beside()", "judge": "judge()",
}

// Needs returns what the rule of a policy has to know; nothing for a policy that isn't
// enforced, or of a guard with mistakes.
func (g *Guard) Needs(policy string) Needs {
	var n Needs
	for _, p := range g.policies {
		if g.broken != nil || p.policy.Name != policy || p.require == nil {
			continue
		}
		n.Guessed, n.Outdated = p.policy.Guessed, p.policy.outdated(g.File)
		words, tools := map[string]bool{}, map[*reader]bool{}
		note := func(e ast.Expr) { g.note(e, words, tools) }
		walk(p.require.ast.NativeRep().Expr(), note)
		for _, v := range p.variables {
			if v.expression != nil {
				walk(v.ast.NativeRep().Expr(), note)
			}
		}

		n.Words = slices.Sorted(maps.Keys(words))
		for r := range tools {
			n.Lookups = append(n.Lookups, r.tool)
			if r.undeclared() {
				n.Undeclared = append(n.Undeclared, r.tool)
			}
		}
		slices.Sort(n.Lookups)
		slices.Sort(n.Undeclared)
	}
	return n
}

// note adds what one part of an expression needs.
func (g *Guard) note(e ast.Expr, words map[string]bool, tools map[*reader]bool) {
	switch e.Kind() {
	case ast.SelectKind:
		if name, ok := qualified(e); ok && name == sessionVariable+".messages" {
			words[name] = true
		}
	case ast.CallKind:
		call := e.AsCall()
		if w, ok := wordFunctions[call.FunctionName()]; ok {
			words[w] = true
		}
		// A checked call of tools.NAME has the whole name, another one its target.
		name := call.FunctionName()
		if call.IsMemberFunction() {
			if target, ok := qualified(call.Target()); ok {
				name = target + "." + name
			}
		}
		if r := g.readers[name]; r != nil {
			tools[r] = true
		}
	}
}
