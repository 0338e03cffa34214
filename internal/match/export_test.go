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

// Unindexed returns a copy of the result that knows nothing of its records by their places, and no member for the only one of its name.
func (r *Result) Unindexed() *Result {
	out := *r
	out.atPlace, out.flat, out.hasParts = nil, false, true
	if r.level != nil {
		out.level = r.level.Unindexed()
	}
	return &out
}

// Unindexed returns the task with every value that it states compared in full.
func (t *Task) Unindexed() *Task {
	for i := range t.scope.Calls {
		for j := range t.scope.Calls[i].Args {
			t.scope.Calls[i].Args[j].plain = false
		}
	}
	return t
}

// IsTitled reports whether a line has words between strokes, as the title of another message has.
func IsTitled(line string) bool { return isBetweenStrokes(line) || hasBetweenDashes(line) }
