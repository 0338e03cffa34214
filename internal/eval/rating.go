package eval

import (
	"context"
	"encoding/json"

	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/scope"
)

// rating is what becomes of a scenario in each mode.
type rating struct {
	scenario  *playedScenario
	tools     []*schema.Catalogue
	scopes    []json.RawMessage
	allowed   map[scope.Mode]bool
	questions map[scope.Mode]int
}

// play plays a scenario in each mode.
func (r *rating) play(ctx context.Context, modes map[scope.Mode]*ScenarioRates, seen *observed, o ScenarioOptions, asking *asking) error {
	s := r.scenario
	lines, options, err := s.prepare(r.tools, seen)
	if err != nil {
		return err
	}
	options.Mentions = o.Mentions
	if asking != nil {
		options.Planner, options.PlanTime = asking, o.Timeout
	}

	r.allowed, r.questions = map[scope.Mode]bool{}, map[scope.Mode]int{}
	for mode := range modes {
		options.Scopes = mode
		p, err := s.play(ctx, lines, options, &player{scopes: r.scopes})
		if err != nil {
			return err
		}
		r.allowed[mode] = s.allowed(p)
		if s.Kind == "attack" {
			continue
		}
		if p, err = s.play(ctx, lines, options, &player{scopes: r.scopes, agrees: true}); err != nil {
			return err
		}
		r.questions[mode] = p.questions
	}
	return nil
}

// count counts what became of a scenario.
func (r *rating) count(modes map[scope.Mode]*ScenarioRates) {
	for mode, rates := range modes {
		rates.add(r.scenario, r.allowed[mode])
		rates.question(r.scenario.ID, r.questions[mode])
	}
}
