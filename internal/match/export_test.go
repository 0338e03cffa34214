package match

import "math"

// MaxSteps is the bound of a match.
const MaxSteps = maxSteps

// Steps returns how many steps a match takes where nothing bounds them, and whether an entry covers the call.
func (t *Task) Steps(p *Proposal, results []*Result) (steps int, covered bool) {
	m := t.matcher(p, results, true)
	m.steps = math.MaxInt
	_, _, covered = t.match(m, p)
	return math.MaxInt - m.steps, covered
}
