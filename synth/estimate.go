package synth

import (
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/estimate"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
)

// Estimated makes the contract of each tool of a catalogue with another estimate of roles
// than the built-in one; nil leaves it out. It is for measuring what an estimate is worth on
// servers that it was not fitted on.
func Estimated(roles *estimate.Table, c *schema.Catalogue) *contract.File {
	return builtin().with(roles).contract(c)
}

// with is the table with another estimate of roles.
func (x *table) with(roles *estimate.Table) *table {
	y := *x
	y.likely = roles
	return &y
}

const (
	// weightOfRules is how much evidence is worth one natural logarithm of odds.
	weightOfRules = 20.0
	// reasons is how many features explain an estimate.
	reasons = 3
)

// weigh asks what arguments like this one were in labelled tools, and weighs that against
// the verdict of the rules, whose best evidence has a weight. An estimate never touches
// a credential, what no rule knows anything about in a tool that reaches out, or what bears
// authority by its nature, a path or a URL.
func (t *tool) weigh(p *place, v verdict, weight int) verdict {
	if t.table.likely == nil || v.role == label.Credential {
		return v
	}
	best, why := t.likelier(p, v.role, float64(weight)/weightOfRules)
	if best == v.role {
		return v
	}
	loosens := v.role.AuthorityBearing() && !best.AuthorityBearing()
	if loosens && !slices.Contains([]concept{object, "name", "place", "old", "text", "data"}, v.concept) {
		return v
	}

	out := verdict{role: best, floor: t.usualFloor(best, p), concept: v.concept, why: why, review: v.review}
	if t.effect.Outward() || !v.role.AuthorityBearing() {
		out.floor = max(out.floor, v.floor)
	}
	if v.role.AuthorityBearing() != best.AuthorityBearing() {
		out.review = fmt.Sprintf("the rules say %s: %s", v.role, v.why)
	}
	if t.isHinted && out.floor < v.floor {
		return v // what the server says of itself makes stricter at most
	}
	return out
}

// likelier returns the role that is likeliest where the rules' has a head start, in
// natural logarithms of odds, and why.
func (t *tool) likelier(p *place, rules label.Role, start float64) (best label.Role, why string) {
	if t.features == nil {
		t.features = estimate.Arguments(t.def, string(t.told))
	}
	features := t.features[p.pattern]
	if features == nil {
		return rules, ""
	}
	odds := t.table.likely.Odds(features)
	odds[rules.String()] += start

	best = rules
	for _, r := range []label.Role{label.Command, label.Target, label.Selector, label.Control, label.Content} {
		if odds[r.String()] > odds[best.String()] {
			best = r
		}
	}
	telling := t.table.likely.Why(features, best.String(), rules.String(), reasons)
	return best, fmt.Sprintf("arguments like it are %s: %s", best, strings.Join(telling, ", "))
}

// usualFloor is the floor of a role that no rule gave.
func (t *tool) usualFloor(r label.Role, p *place) label.Trust {
	switch {
	case r == label.Selector:
		return t.table.floor.first(&facts{t: t, p: p}).floor
	case r == label.Control && t.effect != contract.Read:
		return label.User
	}
	return contract.DefaultFloor(r)
}
