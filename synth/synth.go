package synth

import (
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
)

// Contract makes the contract of each tool of a catalogue.
func Contract(c *schema.Catalogue) *contract.File { return builtin().contract(c) }

func (x *table) contract(c *schema.Catalogue) *contract.File {
	f := &contract.File{Version: contract.Version, Server: c.Server, Fingerprint: c.Fingerprint()}
	var objects []string
	records := false
	for i := range c.Tools {
		t := x.analyse(&c.Tools[i], c)
		made := t.contract()
		if made.Output.Settled {
			records = true
			if n := t.noun(); n != "" {
				objects = append(objects, n)
			}
		}
		f.Tools = append(f.Tools, made)
	}
	if records {
		f.Settled = x.settledBy(objects)
	}
	return f
}

// Tool makes the contract of one tool. The siblings, which may be nil, are the tools that the
// same server offers: they show which words of the name are the service's.
func Tool(def *schema.Tool, siblings *schema.Catalogue) contract.Tool {
	return builtin().analyse(def, siblings).contract()
}

// contract writes the contract of a tool.
func (t *tool) contract() contract.Tool {
	out := contract.Tool{Name: t.def.Name, Fingerprint: t.def.Fingerprint}
	verb, cases := t.variants()
	out.Args = t.args()
	out.Variants = t.split(verb, cases, out.Args)
	out.Effect = t.effect
	out.Output = t.output(out.Args)
	if t.ask("drawn", nil) {
		out.Effect = contract.Read
		t.why = append(t.why, "draws what it is given")
	}
	out.Why = strings.Join(t.why, "; ")
	out.Review = strings.Join(append(t.review, Instructions(t.def)...), "; ")
	return out
}

// args judges every place and writes the contract's arguments.
func (t *tool) args() []contract.Arg {
	var out []contract.Arg
	verdicts := map[string]verdict{}
	inSchema := t.patterns()
	for _, p := range t.places {
		v, likeList := verdicts[p.pattern[:max(0, strings.LastIndexByte(p.pattern, '/'))]]
		if plainElement := p.element && p.desc == "" && len(p.node.Properties) == 0; !likeList || !plainElement {
			v = t.judge(p)
		}
		verdicts[p.pattern] = v

		a := t.argument(p, v)
		out = append(out, a)
		for _, q := range t.table.described(p) {
			w := t.judge(q)
			w.why += ", in the description of " + p.pattern
			for _, m := range withMembers(t.argument(q, w)) {
				if !inSchema[m.Pattern] {
					out = append(out, m)
				}
			}
		}
		if p.opaque {
			out = append(out, withMembers(a)[1])
		}
	}
	t.group(out)
	return out
}

// withMembers returns an argument, and what the schema doesn't list below it.
func withMembers(a contract.Arg) []contract.Arg {
	below := a
	below.Pattern += "/**"
	below.Review, below.Allow = "", nil
	return []contract.Arg{a, below}
}

// patterns returns the patterns that the schema itself gives the tool. What a description says
// about one of them is not a second argument.
func (t *tool) patterns() map[string]bool {
	out := map[string]bool{}
	for _, p := range t.places {
		out[p.pattern] = true
		if p.opaque {
			out[p.pattern+"/**"] = true
		}
	}
	return out
}

// group joins arguments that make one authority together.
func (t *tool) group(args []contract.Arg) {
	for _, g := range t.table.groups {
		var members []int
		for i := range args {
			p := t.placeAt(args[i].Pattern)
			if p != nil && p.depth == 1 && g.words[last(p.words)] && args[i].Role == label.Target {
				members = append(members, i)
			}
		}
		if len(members) < 2 {
			continue
		}
		for _, i := range members {
			args[i].Group = g.name
		}
	}
}

func (t *tool) placeAt(pattern string) *place {
	for _, p := range t.places {
		if p.pattern == pattern {
			return p
		}
	}
	return nil
}

// variants finds the verb argument and its cases. How much somebody may do with what they get ("level": view, copy) is no operation, nor is
// another choice of verbs than what is called an operation where the tool itself is told by no verb.
func (t *tool) variants() (*place, []candidate) {
	for _, p := range t.places {
		if p.depth != 1 || isBoolean(p.node) || p.node.Items != nil {
			continue
		}
		values := enumeration(p.node)
		if len(values) < 2 || len(values) > 40 {
			continue
		}
		isCalled := t.byNameAlone(p) == operation
		if t.reading(p).concept != operation || t.table.has("degrees", last(p.words)) || (t.isUntold && !isCalled) {
			continue
		}

		var cases []candidate
		for _, v := range values {
			c, ok := t.table.verbOfValue(v)
			if filters := t.effect == contract.Read && c.isState; !ok || filters {
				cases = nil
				break
			}
			cases = append(cases, c)
		}
		if len(cases) > 0 {
			return p, cases
		}
	}
	return nil, nil
}

// split writes one case for each value of the verb argument.
func (t *tool) split(verb *place, cases []candidate, whole []contract.Arg) *contract.Variants {
	if verb == nil {
		return nil
	}
	out := &contract.Variants{Argument: verb.pattern}
	if d := verb.node.Default; d != "" && d != "null" {
		out.Default = plain(d)
	}

	for i, value := range enumeration(verb.node) {
		c := cases[i]
		sub := *t
		sub.why, sub.review = nil, nil
		sub.verb, sub.manner, sub.effect = c.word, c.verb.manner, c.verb.effect
		if n := t.named; n.word != "" && severity(n.verb.effect) > severity(sub.effect) {
			sub.verb, sub.manner, sub.effect = n.word, n.verb.manner, n.verb.effect // who may only view is granted access all the same
		}
		if words := t.table.split(value); len(words) > 1 {
			sub.object = append(slices.Clone(words[1:]), t.object...)
		}
		sub.base, sub.isVariant = sub.effect, true
		sub.touch()
		for _, b := range t.table.effect {
			sub.apply(b)
		}
		t.raise(sub.effect, t.manner, fmt.Sprintf("%s may be %q", verb.name, value))
		one := contract.Case{Value: value, Effect: sub.effect, Why: fmt.Sprintf("the value %q", value)}
		if len(sub.why) > 0 {
			one.Why += "; " + strings.Join(sub.why, "; ")
		}

		args := sub.args()
		for j := range args {
			if args[j].Pattern == verb.pattern {
				args[j].Role, args[j].Floor = label.Control, label.User
				args[j].Allow, args[j].Discharge = nil, nil
				if sub.effect == contract.Read {
					args[j].Floor = label.External
				}
			}
			if !same(args[j], whole) {
				one.Args = append(one.Args, args[j])
			}
		}
		o := sub.output(args)
		one.Output = &o
		out.Cases = append(out.Cases, one)
	}
	return out
}

func same(a contract.Arg, whole []contract.Arg) bool {
	for i := range whole {
		if w := &whole[i]; w.Pattern == a.Pattern {
			return w.Role == a.Role && w.Floor == a.Floor && w.Form == a.Form && slices.Equal(w.Allow, a.Allow)
		}
	}
	return false
}
