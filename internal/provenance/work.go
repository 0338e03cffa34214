package provenance

// The cost of a decision, or of taking a text in, is counted in steps: one is about
// a byte looked at or an entry of a table, a few nanoseconds. Every loop whose
// length others choose charges what it is about to do, and ends where nothing is
// left. A decision that has used up its steps vouches for nothing: see
// [Session.Exhausted].
const (
	// workPerDecision are the steps of any decision, the share of the session
	// that is looked at included. Ordinary decisions take some ten thousand.
	workPerDecision = 16 << 20
	// workPerByte are the further steps for each byte of a call's arguments, or
	// of a result: enough to look at each in all of the ways that there are.
	workPerByte = 64
	// valueShare is what each value counts for beside its own bytes, its names
	// and look-ups.
	valueShare = 64

	// Steps of what is done for one occurrence of a value: the words around it,
	// and a look for what rules it out.
	aroundWork  = 512
	negatedWork = 256
	// candidateWork are the steps of comparing a value with a place that has its
	// rarest word.
	candidateWork = 16
	// decodeWork are the steps for each byte of decoding a text in every way.
	decodeWork = 8
	// linkWork are the steps for each byte of looking for links.
	linkWork = 4
	// parseWork are the steps for each byte of a command line.
	parseWork = 32
	// fieldWork are the steps of holding one field against an argument.
	fieldWork = 64
)

// meter counts down the steps of one decision.
type meter struct{ budget, left int }

// begin makes a meter ready for so many bytes and values.
func (m *meter) begin(bytes, values int) {
	m.budget = workPerDecision + workPerByte*(bytes+valueShare*values)
	m.left = m.budget
}

// spend charges steps, and reports whether there were as many.
func (m *meter) spend(steps int) bool {
	if m.left < 0 {
		return false
	}
	m.left -= steps
	return m.left >= 0
}

// used returns the steps that were taken.
func (m *meter) used() int { return m.budget - m.left }

// spent reports whether no steps are left.
func (m *meter) spent() bool { return m.left < 0 }

// Exhausted reports whether the last decision took more steps than its call may
// cost. What was found out is right, but not all of it was found out: such a call
// is not to be allowed.
func (s *Session) Exhausted() bool { return s.work.spent() }
