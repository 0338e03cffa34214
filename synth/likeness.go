package synth

import (
	"math"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/estimate"
	"github.com/remit-project/remit/schema"
)

// Opinion is what synthesis knows of a tool beside the verdict of [Contract]: what the rules say
// alone, and how likely each verdict is by the labelled tools and arguments that are like these.
// It tells whether a milder judgement of somebody else has more behind it than their word.
type Opinion struct {
	// Rules is the contract by the rules alone. It is not one to enforce.
	Rules contract.Tool
	// NoVerb is set where the rules know no word for what the tool does, so that their effect is the
	// strictest and no opinion.
	NoVerb bool
	// Effects and Outputs have the probability of each effect and of each trust of the result, and
	// Arguments those of each argument, by pattern. What the estimates know nothing about is missing.
	Effects, Outputs map[string]float64
	Arguments        map[string]Likelihood
}

// Likelihood has the probability of each role and each floor of an argument, by name.
type Likelihood struct {
	Roles, Floors map[string]float64
	// Unknown is set where the rules know no word for what it is, so that their role is a guess on the
	// strict side and no opinion.
	Unknown bool
	// Doubt is the mark that an argument has for its likeness to others alone; empty if it has none.
	Doubt string
}

// Opinions returns the opinions about the tools of a catalogue, by name.
func Opinions(c *schema.Catalogue) map[string]Opinion { return builtin().opinions(c) }

// EstimatedOpinions returns the opinions by other estimates than the built-in ones, all of which are needed.
func EstimatedOpinions(e Estimates, c *schema.Catalogue) map[string]Opinion {
	return builtin().with(e).opinions(c)
}

func (x *table) opinions(c *schema.Catalogue) map[string]Opinion {
	rules := x.with(Estimates{}).contract(c)
	out := map[string]Opinion{}
	for i := range c.Tools {
		o := Opinion{Rules: rules.Tools[i], Arguments: map[string]Likelihood{}}
		x.analyse(&c.Tools[i], c).likelihoods(&o)
		out[c.Tools[i].Name] = o
	}
	return out
}

func (t *tool) likelihoods(o *Opinion) {
	by := t.table.likely
	features := estimate.Tool(t.def, string(t.told), t.table.english)
	o.NoVerb = t.verb == ""
	o.Effects, o.Outputs = probabilities(by.Effects.Odds(features)), probabilities(by.Outputs.Odds(features))
	for _, p := range t.places {
		v, weight := t.read(p)
		features := t.featuresOf(p, v)
		if features == nil {
			continue
		}

		l := Likelihood{Roles: probabilities(by.Roles.Odds(features)), Floors: probabilities(by.Floors.Odds(features)), Unknown: weight == 0}
		weighed := t.weigh(p, features, v, weight)
		if doubted := t.doubt(features, weighed); weighed.review == "" {
			l.Doubt = doubted.review
		}
		o.Arguments[p.pattern] = l
	}
}

// probabilities takes logarithms away.
func probabilities(odds map[string]float64) map[string]float64 {
	for class, o := range odds {
		odds[class] = math.Exp(o)
	}
	return odds
}
