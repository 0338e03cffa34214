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

// airlineDir is the directory of τ-bench's airline in a data directory.
const airlineDir = "airline"

// AirlineReport says how the airline example's guards decide labelled calls.
type AirlineReport struct {
	Cases int
	// AllowRight is the share of permitted calls that were allowed, DenyRight the
	// share of forbidden calls that a guard denied. A question counts as neither.
	AllowRight, DenyRight Rate
	// Literal are the rates of cases that the document's wording decides,
	// Interpretive of those in which it is ambiguous.
	Literal, Interpretive AirlineRates
	// ByRule is the share of right decisions by the case's rule.
	ByRule map[string]Rate
	// Wrong are the cases with another decision.
	Wrong []CaseMiss
}

// AirlineRates are the rates of a subset of the cases.
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
// airline example. Guards look values up in the records in DIR.
func Airline(ctx context.Context, dir string) (*AirlineReport, error) {
	dir = dataSetDir(dir, airlineDir)
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

// newAirlineRig returns the example's guards over the records in dir.
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
