package guard

import "cel.dev/cel-go/common/cost"

// Rule is a policy with what it costs to decide it.
type Rule struct {
	Policy *Policy
	// Least and Most are the estimated cost of one decision, variables included,
	// in the units of [MaxCost], at which each expression is stopped. Most is
	// more than that where nothing bounds what the rule goes through.
	Least, Most uint64
}

// Rules lists the policies of the guard, in the order of the file. There are
// none while the file has mistakes.
func (g *Guard) Rules() []Rule {
	if g.broken != nil {
		return nil
	}
	out := make([]Rule, len(g.policies))
	for i, it := range g.policies {
		out[i].Policy = it.policy
		if it.require == nil {
			continue
		}
		e := it.require.estimate()
		for _, v := range it.variables {
			e.Max = cost.SafeAdd(e.Max, v.estimate().Max)
		}
		out[i].Least, out[i].Most = e.Min, e.Max
	}
	return out
}
