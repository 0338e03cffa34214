package guard

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/parser"
	"go.yaml.in/yaml/v4"

	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/internal/strictyaml"
)

// guessed reads the guessed look-ups of a policy: their names, or what each of them returns.
func (l *loader) guessed(p *Policy) func(*strictyaml.Node) {
	return func(n *strictyaml.Node) {
		if !strictyaml.IsMapping(n) {
			l.Texts("guessed", &p.Guessed)(n)
			return
		}
		p.Forms = map[string][]json.RawMessage{}
		l.Entries(n, "guessed", func(tool string, _, v *strictyaml.Node) {
			p.Guessed = append(p.Guessed, tool)
			p.Forms[tool] = []json.RawMessage{}
			l.List(v, "a guessed look-up", func(n *strictyaml.Node) {
				var result json.RawMessage
				l.json("a result", &result)(n)
				p.Forms[tool] = append(p.Forms[tool], result)
			})
		})
	}
}

// guessedNode writes the guessed look-ups of a policy.
func guessedNode(p *Policy) (*yaml.Node, error) {
	if len(p.Forms) == 0 {
		return strictyaml.NewTexts(p.Guessed), nil
	}
	n := strictyaml.NewMapping()
	for _, tool := range p.Guessed {
		results := strictyaml.NewList()
		for _, raw := range p.Forms[tool] {
			result, err := jsonNode(raw)
			if err != nil {
				return nil, err
			}
			results.Content = append(results.Content, result)
		}
		strictyaml.Set(n, tool, results)
	}
	return n, nil
}

// writeForms writes what guessed look-ups return into the rules of a file, as its examples and the
// samples show it: so the rules decide the same where these are not at hand.
func writeForms(d *strictyaml.Document, f *File) error {
	for i := range f.Policies {
		p := &f.Policies[i]
		if len(p.Guessed) == 0 {
			continue
		}
		named, forms := p.named(), map[string][]json.RawMessage{}
		for _, tool := range p.Guessed {
			known := shown(f, tool, named)
			if known.kinds == 0 {
				known = p.guess(f, tool, named)
			}
			forms[tool] = known.form(named)
		}

		written := *p
		written.Forms = forms
		n, err := guessedNode(&written)
		if err != nil {
			return fmt.Errorf("policy %q: %w", p.Name, err)
		}
		_, old := strictyaml.Member(d.Entry("policies", "name", p.Name), "guessed")
		n.HeadComment, n.LineComment, n.FootComment = old.HeadComment, old.LineComment, old.FootComment
		*old = *n
	}
	return nil
}

// form returns results of which the same guess is made, as few and as small as there can be.
func (g *guess) form(named map[string]bool) []json.RawMessage {
	out := []json.RawMessage{}
	for _, kind := range [...]strictjson.Kind{strictjson.Object, strictjson.Array, strictjson.String, strictjson.Number, strictjson.Bool, strictjson.Null} {
		switch {
		case g.kinds&(1<<kind) == 0:
		case kind == strictjson.Object:
			out = append(out, g.objectForms(named)...)
		case kind == strictjson.Array:
			out = append(out, g.listForm(named))
		default:
			out = append(out, json.RawMessage(plainForms[kind]))
		}
	}
	return out
}

// plainForms are values of a kind.
var plainForms = map[strictjson.Kind]string{strictjson.String: `"text"`, strictjson.Number: `1`, strictjson.Bool: `true`, strictjson.Null: `null`}

func (g *guess) listForm(named map[string]bool) json.RawMessage {
	out := json.RawMessage("[]")
	if g.elements != nil {
		for i, e := range g.elements.form(named) {
			out = slices.Insert(out, len(out)-1, slices.Concat([]byte(strings.Repeat(",", min(i, 1))), e)...)
		}
	}
	return out
}

// objectForms returns an object with all members; then as many as show their other kinds, and one
// without those that not all have.
func (g *guess) objectForms(named map[string]bool) []json.RawMessage {
	members := map[string][]json.RawMessage{}
	n, some := 1, false
	for name, m := range g.members {
		members[name] = m.form(named)
		n = max(n, len(members[name]))
		some = some || m.times < g.objects
	}
	if some {
		n++
	}

	out := make([]json.RawMessage, n)
	for i := range out {
		out[i] = json.RawMessage("{}")
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if left := some && i == n-1 && g.members[name].times < g.objects; !left {
				out[i] = strictjson.Set(out[i], name, members[name][min(i, len(members[name])-1)])
			}
		}
	}
	if len(g.members) == 0 && g.others != nil {
		name := ""
		for _, value := range g.others.form(named) {
			for name += "*"; named[name]; name += "*" {
			}
			out[0] = strictjson.Set(out[0], name, value)
		}
	}
	return out
}

// Renew makes the file say what guessed look-ups return where it doesn't, or where its examples and
// the samples show something else now.
func (e *Editor) Renew() error {
	f, err := e.File()
	if err != nil {
		return err
	}
	for i := range f.Policies {
		if p := &f.Policies[i]; len(p.Forms) < len(p.Guessed) || len(p.outdated(f)) > 0 {
			e.edited = true
			return e.expand()
		}
	}
	return nil
}

// outdated lists the guessed look-ups of a policy of which the file says something else than its
// examples and the samples show.
func (p *Policy) outdated(f *File) []string {
	if len(p.Forms) == 0 {
		return nil
	}
	named := p.named()
	return slices.DeleteFunc(slices.Clone(p.Guessed), func(tool string) bool {
		_, written := p.Forms[tool]
		now := shown(f, tool, named)
		same := func(a, b json.RawMessage) bool { return string(a) == string(b) }
		return !written || now.kinds == 0 || slices.EqualFunc(now.form(named), p.guess(f, tool, named).form(named), same)
	})
}

// bareParser parses expressions without knowing what may be in them.
var bareParser = sync.OnceValues(func() (*parser.Parser, error) {
	return parser.NewParser(parser.EnablePrattParser(true), parser.EnableOptionalSyntax(true),
		parser.ExpressionSizeCodePointLimit(MaxExpression), parser.MaxRecursionDepth(maxNesting), parser.MaxExpressionNodeCount(maxNodes))
})

// named returns the members of records that the rule of a policy names. What can't be parsed names
// none: it isn't compiled either.
func (p *Policy) named() map[string]bool {
	out := map[string]bool{}
	parse, err := bareParser()
	if err != nil {
		return out
	}
	for _, e := range append([]Expression{p.Require}, valuesOfVariables(p)...) {
		tree, errs := parse.Parse(common.NewTextSource(e.Text))
		if tree != nil && len(errs.GetErrors()) == 0 {
			walk(tree.Expr(), func(e ast.Expr) { namedMember(e, out) })
		}
	}
	return out
}

func valuesOfVariables(p *Policy) []Expression {
	out := make([]Expression, len(p.Variables))
	for i, v := range p.Variables {
		out[i] = v.Value
	}
	return out
}
