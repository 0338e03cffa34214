package guard

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"

	"github.com/remit-project/remit/internal/strictjson"
)

// guess is what a rule expects a look-up with unknown results to return: the results that the file has
// for it, or the sample and those of the examples, put together, as far as the rule depends on them.
type guess struct {
	// kinds are the kinds of values that there were, a bit each.
	kinds uint
	// elements are those of lists; nil where all were empty.
	elements *guess
	// members are those of objects that the rule names, and objects says how many there were.
	members map[string]*guessedMember
	objects int
	// others are the members that it doesn't name. Objects without any named one are maps, with
	// other names in every result.
	others *guess
}

type guessedMember struct {
	guess
	times int // how many of the objects have it
}

// guess returns what the policy expects of a tool: what the file says of it, or else what is shown.
func (p *Policy) guess(f *File, tool string, named map[string]bool) *guess {
	forms, ok := p.Forms[tool]
	if !ok {
		return shown(f, tool, named)
	}
	g := &guess{}
	for _, result := range forms {
		g.take(result, named)
	}
	return g
}

// shown returns what the samples and the examples of a file show of a tool.
func shown(f *File, tool string, named map[string]bool) *guess {
	g := &guess{}
	for _, s := range f.samples {
		if s.Tool == tool {
			g.take(s.Result, named)
		}
	}
	for i := range f.Policies {
		for j := range f.Policies[i].Examples {
			for _, given := range f.Policies[i].Examples[j].Given {
				if given.Tool == tool {
					g.take(given.Result, named)
				}
			}
		}
	}
	return g
}

// take takes one more result into the guess.
func (g *guess) take(result json.RawMessage, named map[string]bool) {
	if result == nil {
		return
	}
	if v, ok := returned(ResultOf(result)); ok {
		g.add(v, named)
	}
}

// returned returns a result as rules read it. A text is one value, of the kind string. It reports
// false for a result that can't be read.
func returned(r *Result) (strictjson.Value, bool) {
	doc, err := readResult(r)
	if err == nil && doc == nil {
		doc, err = strictjson.Parse(strictjson.Quote(r.Content), strictjson.OutputLimits())
	}
	if err != nil {
		return strictjson.Value{}, false
	}
	return doc.Root(), true
}

// add takes one more value into the guess.
func (g *guess) add(v strictjson.Value, named map[string]bool) {
	g.kinds |= 1 << v.Kind()
	switch v.Kind() {
	case strictjson.Array:
		for e := range v.All() {
			if g.elements == nil {
				g.elements = &guess{}
			}
			g.elements.add(e, named)
		}
	case strictjson.Object:
		g.objects++
		for name, m := range v.Members() {
			g.member(name, named).add(m, named)
		}
	}
}

// member returns the guess of a member, and counts it.
func (g *guess) member(name string, named map[string]bool) *guess {
	if !named[name] {
		if g.others == nil {
			g.others = &guess{}
		}
		return g.others
	}
	if g.members == nil {
		g.members = map[string]*guessedMember{}
	}
	m := g.members[name]
	if m == nil {
		m = &guessedMember{}
		g.members[name] = m
	}
	m.times++
	return &m.guess
}

// misfit says what in a result is not as it was guessed; "" for nothing. It repeats nothing of the
// result, which the model may not see.
func (g *guess) misfit(r *Result) string {
	if g.kinds == 0 {
		return "no sample and no example shows what it returns"
	}
	v, ok := returned(r)
	if !ok {
		return "it returned what can't be read"
	}
	return g.differs(v, "")
}

// differs is [guess.misfit] of the value at a place.
func (g *guess) differs(v strictjson.Value, at string) string {
	kind := v.Kind()
	onlyNull := g.kinds == 1<<strictjson.Null
	if kind == strictjson.Null || onlyNull {
		return "" // null says nothing of what else there may be
	}
	if g.kinds&(1<<kind) == 0 {
		return fmt.Sprintf("%s is %s, where the rule expects %s", place(at), ofKind(kind), g.expected())
	}
	switch kind {
	case strictjson.Array:
		return g.differsInList(v, at)
	case strictjson.Object:
		return g.differsInObject(v, at)
	}
	return ""
}

func (g *guess) differsInList(v strictjson.Value, at string) string {
	for e := range v.All() {
		if g.elements == nil {
			return place(at) + " has elements, and no sample or example shows one"
		}
		if why := g.elements.differs(e, at+"/*"); why != "" {
			return why
		}
	}
	return ""
}

func (g *guess) differsInObject(v strictjson.Value, at string) string {
	present := map[string]bool{}
	for name, m := range v.Members() {
		present[name] = true
		known := g.members[name]
		switch {
		case known != nil:
			if why := known.differs(m, at+"/"+strictjson.EscapeToken(name)); why != "" {
				return why
			}
		case len(g.members) > 0:
		case g.others == nil:
			return place(at) + " has members, and no sample or example shows one"
		default:
			if why := g.others.differs(m, at+"/*"); why != "" {
				return why
			}
		}
	}

	for _, name := range slices.Sorted(maps.Keys(g.members)) {
		if g.members[name].times == g.objects && !present[name] {
			return fmt.Sprintf("%s has no %q, which the rule reads", place(at), name)
		}
	}
	return ""
}

// place names the place of a value in a result.
func place(at string) string {
	if at == "" {
		return "what it returned"
	}
	return at + " of what it returned"
}

// kindNames are the kinds of values in words.
var kindNames = map[strictjson.Kind]string{
	strictjson.Object: "an object", strictjson.Array: "a list", strictjson.String: "a text", strictjson.Number: "a number", strictjson.Bool: "true or false", strictjson.Null: "null",
}

func ofKind(k strictjson.Kind) string { return kindNames[k] }

// expected names the kinds that the guess has.
func (g *guess) expected() string {
	var out []string
	for _, k := range [...]strictjson.Kind{strictjson.Object, strictjson.Array, strictjson.String, strictjson.Number, strictjson.Bool} {
		if g.kinds&(1<<k) != 0 {
			out = append(out, ofKind(k))
		}
	}
	return strings.Join(out, " or ")
}

// unproven is a look-up that didn't turn out as it was guessed.
type unproven struct {
	tool string
	err  error
}

func (u *unproven) Error() string { return u.tool + ": " + u.err.Error() }

// onlyUnproven reports whether all failures are of guessed look-ups.
func onlyUnproven(failures []error) bool {
	for _, err := range failures {
		var u *unproven
		if !errors.As(err, &u) {
			return false
		}
	}
	return true
}

// namedMember adds the member of a record that a part of an expression names.
func namedMember(n ast.Expr, to map[string]bool) {
	switch n.Kind() {
	case ast.SelectKind:
		to[n.AsSelect().FieldName()] = true
	case ast.CallKind:
		c := n.AsCall()
		picks := c.FunctionName() == operators.Index || c.FunctionName() == operators.OptIndex || c.FunctionName() == operators.OptSelect
		if !picks || len(c.Args()) != 2 {
			return
		}
		if name, ok := literalText(c.Args()[1]); ok {
			to[name] = true
		}
	}
}

// guess finds what the policy of a file expects of its guessed look-ups.
func (it *compiledPolicy) guess(f *File) {
	if len(it.policy.Guessed) == 0 || it.require == nil {
		return
	}
	named := it.policy.named()
	it.guesses = map[string]*guess{}
	for _, tool := range it.policy.Guessed {
		it.guesses[tool] = it.policy.guess(f, tool, named)
	}
}
