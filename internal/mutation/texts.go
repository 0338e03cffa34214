package mutation

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// comparisons are what a rule compares, by the names of members: a text that a caller
// could send there is one that the rule or the documents have at such a place.
type comparisons struct {
	// with are the texts that a member is compared with, same the members that are
	// compared with each other.
	with map[string][]string
	same map[string][]string
	// alias is the member that a variable of the rule holds.
	alias map[string]string
}

// add notes what an expression compares; the name is that of the variable that it is, or
// empty.
func (c *comparisons) add(name, text string) {
	env, err := parser()
	if err != nil {
		return
	}
	a, issues := env.Parse(text)
	if issues.Err() != nil {
		return
	}

	if c.with == nil {
		c.with, c.same, c.alias = map[string][]string{}, map[string][]string{}, map[string]string{}
	}
	if member := c.member(a.NativeRep().Expr()); name != "" && member != "" {
		c.alias[name] = member
	}
	ast.PreOrderVisit(a.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind {
			return
		}
		call := e.AsCall()
		switch call.FunctionName() {
		case operators.Equals, operators.NotEquals, operators.In:
			c.pair(call.Args()[0], call.Args()[1])
			c.pair(call.Args()[1], call.Args()[0])
		}
	}))
}

// pair notes that a member is compared with another one, or with texts.
func (c *comparisons) pair(of, other ast.Expr) {
	name := c.member(of)
	if name == "" {
		return
	}
	for _, e := range append([]ast.Expr{other}, elements(other)...) {
		if e.Kind() == ast.LiteralKind {
			if text, ok := e.AsLiteral().(types.String); ok {
				c.with[name] = append(c.with[name], string(text))
			}
		} else if member := c.member(e); member != "" && member != name {
			c.same[name] = append(c.same[name], member)
		}
	}
}

func elements(e ast.Expr) []ast.Expr {
	if e.Kind() != ast.ListKind {
		return nil
	}
	return e.AsList().Elements()
}

// member returns the name of the member that an expression reads last; empty for none.
func (c *comparisons) member(e ast.Expr) string {
	switch e.Kind() {
	case ast.SelectKind:
		return e.AsSelect().FieldName()
	case ast.IdentKind:
		return c.alias[e.AsIdent()]

	case ast.CallKind:
		call := e.AsCall()
		switch call.FunctionName() {
		case operators.OptSelect, operators.Index, operators.OptIndex:
			if arg := call.Args()[1]; arg.Kind() == ast.LiteralKind {
				if text, ok := arg.AsLiteral().(types.String); ok {
					return string(text)
				}
			}
			return c.member(call.Args()[0])
		}
		if call.IsMemberFunction() { // orValue, lowerAscii
			return c.member(call.Target())
		}
	}
	return ""
}

// textsFor returns the texts that a member could have instead of one: those that the rule
// compares it with, those of the documents at the same member or at one that it is compared with,
// and ids and times of the same form.
func (b bounds) textsFor(name, instead string) []string {
	out := slices.Clone(b.compared.with[name])
	out = append(out, b.texts[name]...)
	for _, other := range b.compared.same[name] {
		out = append(out, b.texts[other]...)
	}
	if form := formOf(instead); strings.Contains(form, "9") {
		for _, t := range b.allTexts() {
			if formOf(t) == form {
				out = append(out, t)
			}
		}
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(t string) bool { return t == instead || strings.TrimSpace(t) == "" })
}

// allTexts returns all texts of the documents, in order.
func (b bounds) allTexts() []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(b.texts)) {
		out = append(out, b.texts[name]...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// formOf returns a text with its words and numbers each as one sign: ids of one kind, and times,
// have the same.
func formOf(text string) string {
	var b strings.Builder
	last := ' '
	for _, r := range text {
		switch {
		case unicode.IsDigit(r):
			r = '9'
		case unicode.IsLetter(r):
			r = 'a'
		}
		repeated := r == last && (r == '9' || r == 'a')
		if !repeated {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}

// memberOf returns the last name of a path that isn't an index.
func memberOf(path string) string {
	names := strings.Split(path, "/")
	for _, name := range slices.Backward(names) {
		if _, err := strconv.Atoi(name); err != nil {
			return name
		}
	}
	return ""
}

// scalars yields the scalars of a JSON value with the names of their members.
func scalars(v any, name string, yield func(name string, v any)) {
	switch v := v.(type) {
	case map[string]any:
		for _, inner := range slices.Sorted(maps.Keys(v)) {
			scalars(v[inner], inner, yield)
		}
	case []any:
		for _, inner := range v {
			scalars(inner, name, yield)
		}
	default:
		yield(name, v)
	}
}
