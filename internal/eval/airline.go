package eval

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/examples/airline"
	"github.com/remit-project/remit/guard"
)

// airlineDir is the directory of τ-bench's airline in one of all data sets.
const airlineDir = "airline"

// AirlineReport is how the guards of the airline example decide the calls of
// labelled cases.
type AirlineReport struct {
	Cases int
	// AllowRight is the share of allowed calls among those that the policy
	// document allows, DenyRight that of calls that a guard denied among those it
	// forbids. A question is neither.
	AllowRight, DenyRight Rate
	// Literal are the same of the cases that the document decides by its words,
	// Interpretive those in which it can be read in two ways.
	Literal, Interpretive AirlineRates
	// ByRule is the share of right decisions by the rule that a case is about.
	ByRule map[string]Rate
	// Wrong are the cases that were decided otherwise.
	Wrong []CaseMiss
}

// AirlineRates are rates of a part of the cases.
type AirlineRates struct{ AllowRight, DenyRight Rate }

// MarshalJSON implements [json.Marshaler]; see [Rate] for the members.
func (r AirlineReport) MarshalJSON() ([]byte, error) {
	o := object{"cases": r.Cases, "wrong": r.Wrong}
	if r.Wrong == nil {
		o["wrong"] = []CaseMiss{}
	}
	rates := func(o object, a AirlineRates) object {
		o.rate("allow_right", a.AllowRight)
		o.rate("deny_right", a.DenyRight)
		return o
	}
	rates(o, AirlineRates{r.AllowRight, r.DenyRight})
	o["literal"], o["interpretive"] = rates(object{}, r.Literal), rates(object{}, r.Interpretive)
	rules := object{}
	for name, rate := range r.ByRule {
		rules.rate(name, rate)
	}
	o["by_rule"] = rules
	return json.Marshal(o)
}

// Airline decides the calls of DIR/cases*.json by the contracts and guards of the
// airline example. What guards look up comes from the records in DIR.
func Airline(ctx context.Context, dir string) (*AirlineReport, error) {
	dir = within(dir, airlineDir)
	cases, err := readCases(dir)
	if err != nil {
		return nil, err
	}
	rig, err := newAirlineRig(dir)
	if err != nil {
		return nil, err
	}
	r := &AirlineReport{Cases: len(cases), ByRule: map[string]Rate{}}
	for i := range cases {
		d, err := rig.decide(ctx, &cases[i])
		if err != nil {
			return nil, fmt.Errorf("case %s: %w", cases[i].ID, err)
		}
		r.add(&cases[i], d)
	}
	return r, nil
}

// newAirlineRig returns the guards of the example over the records in DIR.
func newAirlineRig(dir string) (*guardRig, error) {
	g := &guardRig{}
	var err error
	if g.airline, err = newAirline(dir); err != nil {
		return nil, err
	}
	if g.scope, err = airline.Deployment(); err != nil {
		return nil, err
	}
	policies, err := airline.Policies()
	if err != nil {
		return nil, err
	}
	g.guards, err = guard.Compile(policies, g.scope)
	return g, err
}

func (r *AirlineReport) add(c *guardCase, d *remit.Decision) {
	right := d.Verdict == c.Expected && (d.Verdict == remit.Allow || slices.ContainsFunc(d.Reasons, func(r remit.Reason) bool { return r.Policy != "" }))
	part := &r.Literal
	if c.Reading != literal {
		part = &r.Interpretive
	}
	if c.Expected == remit.Allow {
		r.AllowRight.add(right)
		part.AllowRight.add(right)
	} else {
		r.DenyRight.add(right)
		part.DenyRight.add(right)
	}
	rule := r.ByRule[c.Rule]
	rule.add(right)
	r.ByRule[c.Rule] = rule
	if !right {
		r.Wrong = append(r.Wrong, c.miss(d))
	}
}
