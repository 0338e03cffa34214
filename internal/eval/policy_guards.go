package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/mutation"
	"github.com/remit-project/remit/internal/policydoc"
)

// GuardReport says how the rules generated from a policy document decide the
// tests of the ground truth.
type GuardReport struct {
	// Policies counts policies, and Enforced those with an expression. Unenforced
	// lists the others.
	Policies, Enforced int
	Unenforced         []GuardPolicy
	// Truth are the rates of cases about tools in the truth, All of all cases,
	// and ByTool of each tool's cases.
	Truth, All GuardRates
	ByTool     map[string]*GuardRates
	// Literal are the rates of the Truth cases that the document's wording
	// decides, Interpretive of those in which it is ambiguous.
	Literal, Interpretive GuardRates
	// Wrong lists all cases with another decision.
	Wrong []CaseMiss
	// Killed and Survived count the mutants of the rules. Skipped are policies
	// whose own examples fail, or that have none.
	Killed, Survived int
	Skipped          []GuardPolicy
	// Mistakes are errors in guard files. Their rules are undecided.
	Mistakes []string
	// Conversations are the rates of conversations; nil without any.
	Conversations *ConversationReport
	// Times are those of decisions on the cases' calls; nil where none can be timed.
	Times *DecisionTimes
}

// GuardRates are rates of cases.
type GuardRates struct {
	// TPR is the share of forbidden calls that a rule with an expression decided
	// and denied.
	TPR Rate
	// AllowRight is the share of allowed calls that no rule stopped for any
	// reason, and no schema either. Words counts those that were denied by rules
	// alone which hang on what was said, and AskedAllowed those that a rule asks about.
	// UnprovenAllowed are those that are asked about for a look-up that isn't as it was guessed.
	AllowRight                           Rate
	Words, AskedAllowed, UnprovenAllowed int
	// RightRule is the share of the denied forbidden calls that a rule denies which
	// rests on a sentence of a rule of the truth that the case breaks.
	RightRule Rate
	// Unenforced and Undecided count forbidden calls stopped only by a rule
	// without an expression, or by one that could not be decided. Asked counts
	// those about which a rule only asks, and Unproven those that it asks about for a guess.
	Unenforced, Undecided, Asked, Unproven int
}

// GuardPolicy names a policy of a tool.
type GuardPolicy struct {
	Tool   string `json:"tool"`
	Policy string `json:"policy"`
}

// finding is the rules' verdict on a call, the strongest first.
type finding int

const (
	denied finding = iota
	asked
	unproven
	undecided
	unenforced
	nothing
)

// guardMeasure decides cases by generated guards.
type guardMeasure struct {
	rig    *guardRig
	report *GuardReport
	// expressed are the positions of the policies with an expression.
	expressed map[string]bool
	// words are the positions of those that hang on what was said.
	words map[string]bool
	// sentences finds the sentences of a document; nil without one. broken are those of
	// the truth's rules by their ids, and mapped those of policies by tool and name.
	broken map[string]map[string]bool
	mapped map[GuardPolicy]map[string]bool
	// known are the tools in the truth; nil without a truth, in which case every
	// tool counts.
	known []string
	times decisionTimes
}

// newGuardMeasure compiles guards.
func newGuardMeasure(rig *guardRig, files []*guard.File, known []string) (*guardMeasure, error) {
	m := &guardMeasure{rig: &guardRig{scope: rig.scope, airline: rig.airline, judge: rig.judge, records: rig.records}, known: known, expressed: map[string]bool{}, words: map[string]bool{},
		report: &GuardReport{ByTool: map[string]*GuardRates{}}}
	set, err := guard.Compile(files, rig.scope)
	var mistakes guard.Errors
	if err != nil && !errors.As(err, &mistakes) {
		return nil, err
	}
	for _, mistake := range mistakes {
		m.report.Mistakes = append(m.report.Mistakes, mistake.Error())
	}
	m.rig.guards = set
	for _, g := range set.Guards() {
		for i := range g.File.Policies {
			p := &g.File.Policies[i]
			m.words[p.Position.String()] = len(g.Needs(p.Name).Words) > 0
		}
	}

	for _, f := range files {
		for i := range f.Policies {
			p := &f.Policies[i]
			m.report.Policies++
			if p.Require.Empty() {
				m.report.Unenforced = append(m.report.Unenforced, GuardPolicy{f.Tool, p.Name})
				continue
			}
			m.report.Enforced++
			m.expressed[p.Position.String()] = true
		}
	}

	return m, nil
}

// decide decides the cases.
func (m *guardMeasure) decide(ctx context.Context, cases []guardCase) error {
	for i := range cases {
		d, err := m.rig.decide(ctx, &cases[i])
		if err != nil {
			return fmt.Errorf("case %s: %w", cases[i].ID, err)
		}
		m.add(&cases[i], dropContractReasons(d))
		if err := m.time(&cases[i], d); err != nil {
			return fmt.Errorf("case %s: %w", cases[i].ID, err)
		}
	}
	m.report.Times = m.times.report()
	return nil
}

// dropContractReasons removes from a decision what only contracts ask about:
// unvouched values are not the policy document's concern.
func dropContractReasons(d *remit.Decision) *remit.Decision {
	out := *d
	out.Verdict, out.Reasons = remit.Allow, nil
	for _, r := range d.Reasons {
		if r.Verdict != remit.Deny && !ofGuards(r.Code) {
			continue
		}
		if out.Verdict != remit.Deny {
			out.Verdict = r.Verdict
		}
		out.Reasons = append(out.Reasons, r)
	}
	return &out
}

func (m *guardMeasure) add(c *guardCase, d *remit.Decision) {
	tool := m.report.ByTool[c.Tool]
	if tool == nil {
		tool = &GuardRates{}
		m.report.ByTool[c.Tool] = tool
	}
	parts := []*GuardRates{&m.report.All, tool}
	if m.known == nil || slices.Contains(m.known, c.Tool) {
		reading := &m.report.Interpretive
		if c.Reading == literal {
			reading = &m.report.Literal
		}
		parts = append(parts, &m.report.Truth, reading)
	}

	found := m.finding(d)
	right := found == nothing && d.Verdict != remit.Deny // a schema may deny it
	if c.Expected == remit.Deny {
		right = found == denied
	}
	byRule, known := m.byRightRule(c, d)
	for _, p := range parts {
		p.add(c.Expected, found, right)
		if found == denied && known {
			p.RightRule.add(byRule)
		}
		if c.Expected == remit.Allow && m.onWords(d) {
			p.Words++
		}
	}

	if !right {
		m.report.Wrong = append(m.report.Wrong, c.miss(d))
	}
}

// byRightRule reports whether a rule that denies a call rests on a sentence of a rule
// that the case breaks; known is false where the truth or the mapping doesn't tell.
func (m *guardMeasure) byRightRule(c *guardCase, d *remit.Decision) (right, known bool) {
	if c.Expected != remit.Deny {
		return false, false
	}
	broken := map[string]bool{}
	for _, id := range append([]string{c.Rule}, c.Violates...) {
		for s := range m.broken[id] {
			broken[s] = true
		}
	}

	for _, r := range d.Reasons {
		if r.Policy == "" || r.Verdict != remit.Deny {
			continue
		}
		for _, tool := range []string{c.Tool, policydoc.EveryTool} {
			for s := range m.mapped[GuardPolicy{tool, r.Policy}] {
				right = right || broken[s]
			}
		}
	}
	return right, len(broken) > 0 && len(m.mapped) > 0
}

func (r *GuardRates) add(expected remit.Verdict, found finding, right bool) {
	if expected == remit.Allow {
		r.AllowRight.add(right)
		switch found {
		case asked:
			r.AskedAllowed++
		case unproven:
			r.UnprovenAllowed++
		}
		return
	}

	r.TPR.add(found == denied)
	switch found {
	case asked:
		r.Asked++
	case unproven:
		r.Unproven++
	case undecided:
		r.Undecided++
	case unenforced:
		r.Unenforced++
	}
}

// finding returns the strongest reason from rules; reasons from contracts don't
// count.
func (m *guardMeasure) finding(d *remit.Decision) finding {
	best := nothing
	for _, r := range d.Reasons {
		switch {
		case !ofGuards(r.Code):
		case r.Policy != "" && !m.expressed[r.Guard]:
			best = min(best, unenforced)
		case r.Code == remit.GuardUnproven:
			best = min(best, unproven)
		case r.Code == remit.GuardFailed:
			best = min(best, undecided)
		case r.Verdict == remit.Deny:
			best = min(best, denied)
		default:
			best = min(best, asked)
		}
	}
	return best
}

// ofGuards reports whether a reason is one of rules.
func ofGuards(c remit.Code) bool {
	return c == remit.PolicyViolation || c == remit.GuardFailed || c == remit.GuardUnproven
}

// mutate counts the mutants of all rules.
func (m *guardMeasure) mutate(ctx context.Context) error {
	for _, g := range m.rig.guards.Guards() {
		if g.Err() != nil {
			continue
		}
		result, err := mutation.Run(ctx, g)
		if err != nil {
			return err
		}

		for _, mutant := range result.Mutants {
			switch mutant.Fate {
			case mutation.Killed:
				m.report.Killed++
			case mutation.Survived:
				m.report.Survived++
			}
		}

		for _, name := range result.Skipped {
			m.report.Skipped = append(m.report.Skipped, GuardPolicy{g.Tool, name})
		}
	}
	return nil
}
