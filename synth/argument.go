package synth

import (
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
)

// verdict is what an argument is to security, and why.
type verdict struct {
	role    label.Role
	floor   label.Trust
	form    contract.Form
	concept concept
	why     string
	review  string
}

// nearly is how close a stricter second reading must be to the first to make
// an argument ambiguous.
const nearly = 9

// judge decides one place.
func (t *tool) judge(p *place) verdict {
	v, weight := t.read(p)
	features := t.featuresOf(p, v)
	return t.held(p, t.doubt(features, t.weigh(p, features, v, weight)))
}

// held holds an identifier in a tool that does more than read to a tool's word, whatever role it
// got: it picks something that exists. What something new is called elsewhere doesn't, nor
// what only keeps a call from being made twice; and a colour by its id is a look.
func (t *tool) held(p *place, v verdict) verdict {
	looks := t.effect == contract.Read || (t.effect == contract.Egress && t.manner == looking)
	free := slices.Contains([]concept{"name", limit, look}, v.concept)
	if !looks && !free && v.floor < label.ToolOutput && t.table.has("ids", last(p.words)) {
		v.floor = label.ToolOutput
		v.why += "; it picks what exists"
	}
	return v
}

// read returns what the rules alone say of a place, and how much their best evidence weighs.
func (t *tool) read(p *place) (verdict, int) {
	es := t.evidence(p)
	if len(es) == 0 {
		return t.unknown(p), 0
	}
	return t.byRules(p, es), es[0].weight
}

// byRules decides one place by its evidence.
func (t *tool) byRules(p *place, es []evidence) verdict {
	best := es[0]
	v := t.roleOf(best, p)
	v.why = reason(es)
	if v.role.AuthorityBearing() {
		return v
	}

	for _, e := range es[1:] {
		if best.weight-e.weight > nearly {
			break
		}
		second := t.roleOf(e, p)
		if second.role.AuthorityBearing() {
			second.why = e.why
			second.review = fmt.Sprintf("might also be %s (%s): %s; the stricter reading was taken", t.table.concepts[best.concept], v.role, best.why)
			return second
		}
		if second.role == v.role {
			v.floor = max(v.floor, second.floor)
		}
	}
	return v
}

// reason puts the evidence that agrees into words.
func reason(es []evidence) string {
	out := []string{es[0].why}
	for _, e := range es[1:] {
		if e.concept == es[0].concept && !slices.Contains(out, e.why) && len(out) < 3 {
			out = append(out, e.why)
		}
	}
	return strings.Join(out, ", ")
}

// roleOf finds the role of a concept at a place by the first rule that fits.
func (t *tool) roleOf(e evidence, p *place) verdict {
	f := &facts{t: t, p: p, noun: e.noun}
	x := t.table.roles[string(e.concept)].first(f)
	for x != nil && x.next != "" {
		x = t.table.roles[x.next].first(f)
	}
	if x == nil {
		return t.unknown(p)
	}
	v := verdict{role: x.role, floor: x.floor, form: x.form, concept: e.concept, review: x.explain(f)}
	if x.floats {
		v.floor = t.table.floor.first(f).floor
	}
	return v
}

// unknown returns the verdict when nothing is known: strict where the tool reaches out, payload
// where it only writes, a filter where it only reads.
func (t *tool) unknown(p *place) verdict {
	doubt := fmt.Sprintf("neither the name %q nor the description says what it is", p.name)
	switch {
	case t.effect == contract.Read:
		return verdict{role: label.Selector, floor: label.External, why: "an argument of a read", review: doubt}
	case t.effect.Outward():
		return verdict{role: label.Target, floor: label.User, why: "unknown, in a tool that " + t.manner.String(), review: doubt + "; the stricter reading was taken"}
	}
	return verdict{role: label.Content, floor: label.User, why: "an argument of a write", review: doubt}
}

// argument writes the contract of a place.
func (t *tool) argument(p *place, v verdict) contract.Arg {
	return contract.Arg{
		Pattern: p.pattern, Role: v.role, Floor: v.floor, Form: v.form, Why: v.why, Review: v.review,
		Allow: t.harmless(v, p), Discharge: procedures(v),
	}
}

// procedures returns what may recover a value of a role.
func procedures(v verdict) []string {
	contacted := slices.Contains([]concept{path, "locator", "host"}, v.concept)
	switch {
	case v.floor == label.External:
		return nil
	case v.role == label.Target && (v.concept == "person" || v.concept == "account"):
		return []string{"directory", "lookup", "confirm"}
	case v.role == label.Target && !contacted, v.role == label.Selector:
		return []string{"lookup", "confirm"}
	}
	return nil
}

// harmless lists the values of a control that are safe from any source: members of an enumeration
// that give no advantage, and what the server takes anyway when the argument is left out. That a
// switch is optional says nothing: "encrypted" may be on by default.
func (t *tool) harmless(v verdict, p *place) []string {
	if v.role != label.Control || v.floor == label.External {
		return nil
	}
	var out []string
	if v.concept == "audience" {
		for _, e := range enumeration(p.node) {
			if t.table.has("gives-least", fold(e)) && !slices.Contains(out, e) {
				out = append(out, e)
			}
		}
	}
	if isBoolean(p.node) && t.table.has("harmless-switches", strings.Join(p.words, "_")) {
		out = append(out, "true")
	}
	if d := plain(p.node.Default); t.isUsual(v, d, p) && !slices.Contains(out, d) {
		out = append(out, d)
	}
	return out
}

// isUsual reports whether a default is declared that doesn't itself give something
// away or take it away.
func (t *tool) isUsual(v verdict, value string, p *place) bool {
	switch {
	case value == "" || value == "null" || v.concept == operation:
		return false
	case v.concept == "audience" && value != "true" && value != "false":
		return t.table.has("gives-least", fold(value))
	}
	return value != "true" || !t.isDangerous(p)
}

// isDangerous reports whether a switch's name says that true is the risky side.
func (t *tool) isDangerous(p *place) bool {
	return slices.ContainsFunc(p.words, func(w string) bool {
		return slices.ContainsFunc(t.table.ordered["dangerous"], func(risk string) bool { return strings.Contains(w, risk) })
	})
}

// isFree reports whether a node takes objects of members that the schema doesn't list,
// alone or in a list.
func isFree(n *schema.Node) bool {
	if n.Items != nil {
		return isFree(n.Items)
	}
	return isOpaque(n) && slices.Contains(types(n), "object")
}

// isRecord reports whether a node holds objects, or lists of objects, only.
func isRecord(n *schema.Node) bool {
	ts := types(n)
	if len(ts) != 1 {
		return false
	}
	switch ts[0] {
	case "object":
		return true
	case "array":
		return n.Items != nil && isRecord(n.Items)
	}
	return false
}

func isBoolean(n *schema.Node) bool {
	ts := types(n)
	return len(ts) == 1 && ts[0] == "boolean"
}

func isNumber(n *schema.Node) bool {
	ts := types(n)
	return len(ts) > 0 && !slices.ContainsFunc(ts, func(t string) bool { return t != "number" && t != "integer" })
}
