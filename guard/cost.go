package guard

import "cel.dev/cel-go/common/cost"

// PolicyCost is what deciding a policy costs.
type PolicyCost struct {
	Policy *Policy
	// Least and Most are the estimated cost of one decision, variables included, in
	// the units of [MaxCost]. Most may exceed MaxCost, at which each expression is
	// stopped, if nothing bounds what the rule iterates over.
	Least, Most uint64
}

// Costs estimates the cost of each policy of the guard, in the order of the file. It
// returns nothing for a file with mistakes.
func (g *Guard) Costs() []PolicyCost {
	if g.broken != nil {
		return nil
	}

	out := make([]PolicyCost, len(g.policies))
	for i, p := range g.policies {
		out[i].Policy = p.policy
		if p.require == nil {
			continue
		}
		e := p.require.estimate()
		for _, v := range p.variables {
			e.Max = cost.SafeAdd(e.Max, v.estimate().Max)
		}
		out[i].Least, out[i].Most = e.Min, e.Max
	}
	return out
}
