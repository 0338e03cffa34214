// Package synth makes contracts from tool schemas: a role, a floor and a
// reason for every argument, an effect and an output spec for every tool.
//
// Names alone don't suffice: "to", "q", "path" and "body" mean different
// things in different tools. Package synth reads names in any convention and
// several languages, descriptions, JSON types, formats and enumerations, the
// tool's own verb and object, and the arguments beside one another, each as a
// piece of evidence with a weight; see the tables in verbs.go, nouns.go and
// cues.go and the list of sources in evidence.go. The strongest evidence says
// what an argument is about, and a table from that and the tool's effect to a
// role says what it is to security (roles.go).
//
// Everything in a catalogue comes from a party that nobody has vouched for.
// Annotations therefore make a contract stricter at most, what is ambiguous is
// read in the stricter way and marked for review, and text that speaks to the
// model instead of describing the tool is reported.
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
func Contract(c *schema.Catalogue) *contract.File {
	f := &contract.File{Version: contract.Version, Server: c.Server, Fingerprint: c.Fingerprint()}
	var objects []string
	records := false
	for i := range c.Tools {
		t := Tool(&c.Tools[i], c)
		if t.Output.Settled {
			records = true
			if n := analyse(&c.Tools[i], c).noun(); n != "" {
				objects = append(objects, n)
			}
		}
		f.Tools = append(f.Tools, t)
	}
	if records {
		f.Settled = settledBy(objects)
	}
	return f
}

// Tool makes the contract of one tool. The siblings, which may be nil, are
// the tools that the same server offers: they tell which words of the name are
// the service's.
func Tool(def *schema.Tool, siblings *schema.Catalogue) contract.Tool {
	t := analyse(def, siblings)
	out := contract.Tool{Name: def.Name, Fingerprint: def.Fingerprint}
	verb, cases := t.variants()
	out.Effect = t.effect
	out.Args = t.args()
	out.Variants = t.split(verb, cases, out.Args)
	out.Output = t.output(out.Args)
	out.Why = strings.Join(t.why, "; ")
	if found := Instructions(def); len(found) > 0 {
		t.review = append(t.review, found...)
	}
	out.Review = strings.Join(t.review, "; ")
	return out
}

// args judges every place and writes the contract's arguments.
func (t *tool) args() []contract.Arg {
	var out []contract.Arg
	byPattern := map[string]verdict{}
	inSchema := t.patterns()
	for _, p := range t.places {
		var v verdict
		if up := parentOf(p); p.element && up != nil && p.node.Description == "" && len(p.node.Properties) == 0 {
			v = byPattern[up.pattern]
		} else {
			v = t.judge(p)
		}
		byPattern[p.pattern] = v
		a := contract.Arg{
			Pattern: p.pattern, Role: v.role, Floor: v.floor, Form: v.form, Why: v.why, Review: v.review,
		}
		a.Allow = t.harmless(v, p)
		a.Discharge = procedures(v)
		out = append(out, a)
		for _, q := range described(p) {
			w := t.judge(q)
			w.why += ", in the description of " + p.pattern
			m := contract.Arg{Pattern: q.pattern, Role: w.role, Floor: w.floor, Form: w.form, Why: w.why, Review: w.review}
			m.Allow, m.Discharge = t.harmless(w, q), procedures(w)
			if !inSchema[m.Pattern] {
				out = append(out, m)
			}
			m.Pattern, m.Review, m.Allow = q.pattern+"/**", "", nil
			if !inSchema[m.Pattern] {
				out = append(out, m)
			}
		}
		if p.opaque {
			below := a
			below.Pattern += "/**"
			below.Allow = nil
			below.Review = ""
			out = append(out, below)
		}
	}
	group(t, out)
	return out
}

// patterns are those that the schema itself gives the tool. What a description
// says about one of them is no second argument.
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

func parentOf(p *place) *place {
	if len(p.parents) == 0 {
		return nil
	}
	return p.parents[len(p.parents)-1]
}

// procedures are what may recover a value of a role.
func procedures(v verdict) []string {
	switch {
	case v.floor == label.External:
		return nil
	case v.role == label.Target && (v.concept == cPerson || v.concept == cAccount):
		return []string{"directory", "lookup", "confirm"}
	case v.role == label.Target && v.concept != cPath && v.concept != cLocator && v.concept != cHost, v.role == label.Selector:
		return []string{"lookup", "confirm"}
	}
	return nil
}

// least are enumeration members that give nobody anything.
var least = set(`r read reader viewer private none readonly read_only view internal_none hidden restricted`)

// harmless lists the values of a control that anybody may choose: members of an
// enumeration that give nobody anything, and what the server takes anyway when the
// argument is left out. That a switch is optional says nothing: "encrypted" may be
// on where nobody says otherwise.
func (t *tool) harmless(v verdict, p *place) []string {
	if v.role != label.Control || v.floor == label.External {
		return nil
	}
	var out []string
	if v.concept == cAudience {
		for _, e := range enumeration(p.node) {
			if least[fold(e)] && !slices.Contains(out, e) {
				out = append(out, e)
			}
		}
	}
	name := strings.Join(p.words, " ")
	if isBoolean(p.node) && safeWhenTrue[name] {
		out = append(out, "true")
	}
	if d := plain(p.node.Default); t.usual(v, d, name) && !slices.Contains(out, d) {
		out = append(out, d)
	}
	return out
}

// usual tells whether a default is declared that doesn't itself give something
// away or take it away.
func (t *tool) usual(v verdict, value, name string) bool {
	switch {
	case value == "" || value == "null" || v.concept == cDeed:
		return false
	case v.concept == cAudience && value != "true" && value != "false":
		return least[fold(value)]
	}
	return value != "true" || !dangerous(name)
}

// safeWhenTrue are the names of switches of which true is the safe side. A name
// that only holds such a word may say the contrary: "skip_dry_run".
var safeWhenTrue = map[string]bool{
	"dry run": true, "dryrun": true, "validate only": true,
	"private": true, "is private": true, "draft": true, "is draft": true,
}

// dangerous tells whether a switch's name says that true is the risky side.
func dangerous(words string) bool {
	for _, w := range []string{"force", "overwrite", "archive", "delete", "public", "trash", "recursive", "skip", "disable", "permanent", "publish", "without", "no "} {
		if strings.Contains(words, w) {
			return true
		}
	}
	return false
}

// group joins arguments that make one authority together.
func group(t *tool, args []contract.Arg) {
	sets := []struct {
		name  string
		words map[string]bool
	}{
		{"host", set("host hostname port ip")},
		{"repository", set("owner repository repo")},
	}
	for _, s := range sets {
		var members []int
		for i := range args {
			if p := t.placeAt(args[i].Pattern); p != nil && p.depth == 1 && len(p.words) > 0 && s.words[p.words[len(p.words)-1]] && args[i].Role == label.Target {
				members = append(members, i)
			}
		}
		if len(members) > 1 {
			for _, i := range members {
				args[i].Group = s.name
			}
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

// variants finds the verb argument and its cases.
func (t *tool) variants() (*place, []candidate) {
	for _, p := range t.places {
		if p.depth != 1 || isBoolean(p.node) || p.node.Items != nil {
			continue
		}
		values := enumeration(p.node)
		if len(values) < 2 || len(values) > 40 {
			continue
		}
		if t.winner(p).concept != cDeed {
			continue
		}
		var cases []candidate
		for _, v := range values {
			c, ok := verbOfValue(v)
			if !ok {
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
		if words := split(value); len(words) > 1 {
			sub.object = append(slices.Clone(words[1:]), t.object...)
		}
		sub.adjustVariant()
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
