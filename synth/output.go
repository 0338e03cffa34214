package synth

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/estimate"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
)

// settledBy returns the list for a file: the general names, and the identifiers that are called
// after the objects of its tools.
func (x *table) settledBy(objects []string) []string {
	out := slices.Clone(x.ordered["settled"])
	slices.Sort(objects)
	for _, o := range slices.Compact(objects) {
		out = append(out, o+"_id", o+"Id")
	}
	return out
}

// output returns the label of what a tool returns.
func (t *tool) output(args []contract.Arg) contract.Output {
	if t.effect != contract.Read && !(t.effect == contract.Egress && t.manner == looking) {
		return t.acknowledgement()
	}
	switch {
	case t.isArbitrary(args):
		return contract.Output{Trust: label.External}
	case t.ask("self-made", nil):
		return contract.Output{Trust: label.ToolOutput}
	case t.ask("worked-out", nil):
		return contract.Output{Trust: label.ToolOutput, Derived: true}
	}
	o := contract.Output{Trust: label.External}
	o.Fields, o.Settled = t.fields()
	o.Certify = t.certify(args)
	return o
}

// acknowledgement returns what a tool returns that changes something. It may hold the record that
// was changed, and with it what others wrote there, so that only the ids of what was made are the
// service's own. What is new, or was sent, holds what the call gave it, and is as good as that.
func (t *tool) acknowledgement() contract.Output {
	o := contract.Output{Trust: label.External}
	if t.ask("answers-with-text", nil) {
		return o
	}
	if t.ask("drawn", nil) {
		return contract.Output{Trust: label.ToolOutput, Derived: true}
	}

	o.Fields = t.ids()
	if t.ask("answers-for-itself", nil) || t.acknowledges() {
		o.Trust, o.Derived = label.ToolOutput, true
	}
	return o
}

// mostlyOwn is how likely what a change returns is the service's own word, where nothing speaks of others
// who write there. No likelihood does that for a read: what is read, somebody may have written.
const mostlyOwn = 0.7

// acknowledges reports whether a change is answered with a status by the tools like it. The record of
// what others write in would be answered with their text, unless it is gone.
func (t *tool) acknowledges() bool {
	changes := t.effect == contract.Write || t.effect == contract.Destructive
	isDeed := t.verb != "" && (!t.table.verbs[t.verb].weak || len(t.table.leadingVerbs(t.desc)) > 0) // "schedule" may be one that is read
	if !changes || !isDeed || t.base == contract.Read || t.likelyOwn() < mostlyOwn {
		return false
	}
	others := func(w string) bool { return t.table.has("others-write-in", w) }
	return t.table.has("takes-away", t.verb) || !slices.ContainsFunc(t.object, others)
}

// likelyOwn returns how likely the result is the service's own word by the tools like it.
func (t *tool) likelyOwn() float64 {
	if t.table.likely.Outputs == nil {
		return 0
	}
	features := estimate.Tool(t.def, string(t.told), t.table.english)
	return math.Exp(t.table.likely.Outputs.Odds(features)[label.ToolOutput.String()])
}

// isArbitrary reports whether an outsider may have written all that a read returns, so that no
// field of it can be settled.
func (t *tool) isArbitrary(args []contract.Arg) bool {
	opens := slices.ContainsFunc(args, func(a contract.Arg) bool {
		fetched := a.Form == contract.Path || a.Form == contract.URL
		return a.Role == label.Command || (a.Role == label.Target && fetched)
	})
	return t.effect == contract.Egress || opens || t.ask("returns-content", nil)
}

// fields returns the parts of a record that no outsider chooses: those that the server declares,
// or else the members that the file lists as settled.
func (t *tool) fields() (fields []contract.Field, settled bool) {
	if t.def.Output != nil {
		if out := t.table.declared(t.def.Output, "", 0); len(out) > 0 {
			return out, false
		}
	}
	return nil, true
}

// ids returns the identifiers of what a tool made or changed.
func (t *tool) ids() []contract.Field {
	if t.def.Output != nil {
		var out []contract.Field
		for _, f := range t.table.declared(t.def.Output, "", 0) {
			if words := t.table.split(f.Pattern[strings.LastIndexByte(f.Pattern, '/')+1:]); len(words) > 0 && words[len(words)-1] == "id" {
				out = append(out, f)
			}
		}
		return out
	}
	names := []string{"id", "id_"}
	if n := t.noun(); n != "" {
		names = append(names, n+"_id", n+"Id")
	}
	var out []contract.Field
	for _, n := range names {
		out = append(out, contract.Field{Pattern: "/**/" + n, Trust: label.ToolOutput})
	}
	return out
}

// noun returns the object of the tool in the singular.
func (t *tool) noun() string {
	for _, w := range t.object {
		if slices.Contains([]concept{object, "place", "text", path, "person"}, t.table.nouns[w].concept) {
			return w
		}
	}
	return ""
}

// declared reads the server's own description of the result: what can't hold
// text of an outsider's choice is the service's.
func (x *table) declared(n *schema.Node, at string, depth int) []contract.Field {
	if depth > maxDeclaredDepth {
		return nil
	}
	var out []contract.Field
	for _, p := range n.Properties {
		out = append(out, x.declared(p.Node, at+"/"+escape(p.Name), depth+1)...)
	}
	if n.Items != nil {
		out = append(out, x.declared(n.Items, at+"/*", depth+1)...)
	}
	if len(n.Properties) > 0 || n.Items != nil || at == "" {
		return out
	}
	if x.closedLeaf(n, at[strings.LastIndexByte(at, '/')+1:]) {
		out = append(out, contract.Field{Pattern: at, Trust: label.ToolOutput})
	}
	return out
}

// closedLeaf reports whether a member of a result can't hold text of an outsider's choice.
func (x *table) closedLeaf(n *schema.Node, name string) bool {
	return len(n.Enum) > 0 || n.Format == "date-time" || n.Format == "date" || n.Format == "uuid" ||
		isBoolean(n) || isNumber(n) || last(x.split(name)) == "id"
}

// maxDeclaredDepth bounds how deep a declared result is read: records nest two or three levels,
// and what lies deeper is a user's data.
const maxDeclaredDepth = 6

// certify declares by which look-ups a result may vouch for values.
func (t *tool) certify(args []contract.Arg) []contract.Certify {
	if !t.table.has("look-ups", t.verb) {
		return nil
	}

	var out []contract.Certify
	for i := range args {
		p := t.placeAt(args[i].Pattern)
		if p == nil || p.depth != 1 || len(p.words) == 0 || isBoolean(p.node) || isNumber(p.node) {
			continue
		}
		if t.membership(p) {
			out = append(out, contract.Certify{
				Procedure: "directory", Key: p.pattern, KeyFloor: label.User, Field: "/*", Unique: true,
				Roles: []label.Role{label.Target, label.Selector}, Max: label.User,
			})
			continue
		}
		if !t.table.has("spoken-keys", last(p.words)) {
			continue
		}
		if t.isOf("directories") {
			for _, f := range t.vouching("email", "phone", "address", "id") {
				out = append(out, contract.Certify{
					Procedure: "directory", Key: p.pattern, KeyFloor: label.User, Field: f, Unique: true,
					Roles: []label.Role{label.Target, label.Selector}, Max: label.User,
				})
			}
			continue
		}
		ids := []string{"id", "id_"}
		if n := t.noun(); n != "" {
			ids = append(ids, n+"_id")
		}
		for _, f := range t.vouching(ids...) {
			out = append(out, contract.Certify{
				Procedure: "lookup", Key: p.pattern, KeyFloor: label.User, Field: f, Unique: true,
				Roles: []label.Role{label.Selector, label.Target}, Max: label.User,
			})
		}
	}
	return out
}

// membership reports whether the tool lists who belongs to the group that an
// argument names.
func (t *tool) membership(p *place) bool {
	return len(t.object) > 0 && t.table.has("members", t.object[0]) && slices.ContainsFunc(p.words, func(w string) bool { return t.table.has("groups", w) })
}

// vouching returns the patterns of the result's fields of the given names: those that the server
// declares, or anywhere when it declares nothing.
func (t *tool) vouching(names ...string) []string {
	var out []string
	if t.def.Output == nil {
		for _, n := range names {
			out = append(out, "/**/"+n)
		}
		return out
	}
	for _, l := range t.def.Output.Leaves() {
		if slices.Contains(names, l.Name) {
			out = append(out, l.Pattern)
		}
	}
	return out
}

// isOf reports whether the verb acts on an object of a set.
func (t *tool) isOf(set string) bool {
	return slices.ContainsFunc(append(slices.Clone(t.object), t.acted...), func(w string) bool { return t.table.has(set, w) })
}

// Instructions finds text in a tool's definition that speaks to the model
// instead of describing the tool.
func Instructions(t *schema.Tool) []string {
	var out []string
	check := func(where, s string) {
		for _, f := range builtin().lint(s) {
			out = append(out, fmt.Sprintf("%s: %s", where, f))
		}
	}
	check("the name", t.Name)
	check("the title", t.Title)
	check("the description", t.Description)
	for _, p := range builtin().places(t) {
		check("the description of "+p.pattern, p.node.Description)
		check("the name "+p.pattern, p.name)
	}
	return out
}
