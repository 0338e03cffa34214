package eval

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/planner"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/scope"
)

// PlanOptions say how scopes are made for a set of requests.
type PlanOptions struct {
	// Planner makes them.
	Planner *planner.Planner
	// Reviewed has the planner see the words of the definitions.
	Reviewed bool
	// Refined is that of [ScenarioOptions].
	Refined bool
	// Now is when tasks are asked for; scenarios have a time of their own.
	Now time.Time
	// Timeout is how long one turn waits, and Parallel how many are out at once.
	Timeout  time.Duration
	Parallel int
}

// PlanReport says what became of the turns of a set.
type PlanReport struct {
	// Turns are the user's turns, and Failed those without a scope, with the reason.
	Turns  int      `json:"turns"`
	Failed []string `json:"failed,omitempty"`
	// Repaired are entries that were left out, wrong twice.
	LeftOut []string `json:"left_out,omitempty"`
	// Input and Output are the tokens of all turns.
	Input  int `json:"input_tokens"`
	Output int `json:"output_tokens"`
}

// Planned are the scopes of a scenario's turns; null for a turn without one.
type Planned struct {
	ID    string            `json:"id"`
	Turns []json.RawMessage `json:"turns"`
}

// PlanScenarios makes the scopes of a file of scenarios, in their order.
func PlanScenarios(ctx context.Context, requests, tools string, o PlanOptions) ([]Planned, *PlanReport, error) {
	var sets map[string]json.RawMessage
	if err := readJSON(tools, &sets); err != nil {
		return nil, nil, err
	}
	var scenarios []playedScenario
	if err := readLines(requests, func(s playedScenario) error { scenarios = append(scenarios, s); return nil }); err != nil {
		return nil, nil, err
	}
	seen, err := observe(scenarios, o.Refined, false)
	if err != nil {
		return nil, nil, err
	}

	var all []planning
	for _, s := range scenarios {
		catalogues, known, err := s.catalogues(sets)
		if err != nil {
			return nil, nil, err
		}
		if !known {
			continue
		}
		lines, err := s.lines()
		if err != nil {
			return nil, nil, err
		}
		all = append(all, planning{id: s.ID, tools: catalogues, seen: seen, lines: lines, now: s.now()})
	}
	return plan(ctx, all, o)
}

// PlanTasks makes the scopes of a file of tasks, a list of objects with id and prompt, that
// share their tools.
func PlanTasks(ctx context.Context, requests, tools string, o PlanOptions) (map[string]json.RawMessage, *PlanReport, error) {
	var tasks []dojoTask
	if err := readJSON(requests, &tasks); err != nil {
		return nil, nil, err
	}
	var definitions json.RawMessage
	if err := readJSON(tools, &definitions); err != nil {
		return nil, nil, err
	}
	c, err := schema.Parse(tools, definitions)
	if err != nil {
		return nil, nil, err
	}
	var all []planning
	for _, t := range tasks {
		all = append(all, planning{id: t.ID, tools: []*schema.Catalogue{c}, lines: []scenarioLine{{Type: "user", Text: t.Prompt}}, now: o.Now})
	}

	planned, report, err := plan(ctx, all, o)
	if err != nil {
		return nil, nil, err
	}
	out := map[string]json.RawMessage{}
	for _, p := range planned {
		if len(p.Turns) > 0 && string(p.Turns[0]) != "null" {
			out[p.ID] = p.Turns[0]
		}
	}
	return out, report, nil
}

// planning is a session that is planned for.
type planning struct {
	id    string
	tools []*schema.Catalogue
	seen  *observed
	lines []scenarioLine
	now   time.Time

	// What came of it.
	turns   []json.RawMessage
	drafts  []*planner.Draft
	failed  []string
	leftOut []string
}

// plan plans for all sessions, some at once.
func plan(ctx context.Context, all []planning, o PlanOptions) ([]Planned, *PlanReport, error) {
	errs := each(all, o.Parallel, func(s *planning) error { return s.run(ctx, o) })
	report := &PlanReport{}
	var out []Planned
	for i := range all {
		if errs[i] != nil {
			return nil, nil, fmt.Errorf("%s: %w", all[i].id, errs[i])
		}
		report.add(&all[i])
		out = append(out, Planned{all[i].id, all[i].turns})
	}
	return out, report, nil
}

// each does something with each element, with some at once, and returns the error of each.
func each[T any](all []T, parallel int, do func(*T) error) []error {
	slots := make(chan struct{}, max(parallel, 1))
	errs := make([]error, len(all))
	var group sync.WaitGroup
	for i := range all {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			errs[i] = do(&all[i])
		})
	}
	group.Wait()
	return errs
}

func (r *PlanReport) add(s *planning) {
	r.Turns += len(s.turns)
	r.Failed = append(r.Failed, s.failed...)
	r.LeftOut = append(r.LeftOut, s.leftOut...)
	for _, d := range s.drafts {
		r.Input += d.InputTokens
		r.Output += d.OutputTokens
	}
}

// run plays a session up to its last turn, and plans for each turn as it comes.
func (s *planning) run(ctx context.Context, o PlanOptions) error {
	contracts, err := s.seen.contracts(s.tools, firstSaid(s.lines))
	if err != nil {
		return err
	}
	m, err := remit.New(remit.Options{
		Contracts: contracts, Tools: s.tools, Reviewed: o.Reviewed, PlanTime: o.Timeout,
		Planner: &drafting{s, o.Planner}, Now: func() time.Time { return s.now },
	})
	if err != nil {
		return err
	}

	p := &player{sessions: map[string]*remit.Session{}, verdicts: map[string]remit.Verdict{}}
	for _, l := range s.lines {
		session := p.sessions[l.Session]
		if session == nil {
			session = m.Session(s.id + l.Session)
			p.sessions[l.Session] = session
		}
		if l.Type != "user" {
			if err := p.line(ctx, session, l); err != nil {
				return err
			}
			continue
		}
		session.User(l.Text)
		turns := len(s.turns)
		if err := session.Plan(ctx); err != nil {
			return err
		}
		if len(s.turns) == turns { // too long for a scope
			s.turns = append(s.turns, json.RawMessage("null"))
		}
	}
	return nil
}

// drafting notes what a planner writes for a session.
type drafting struct {
	to      *planning
	planner *planner.Planner
}

// Plan implements [scope.Planner].
func (d *drafting) Plan(ctx context.Context, r *scope.Request) (*scope.Plan, error) {
	draft, err := d.planner.Draft(ctx, r)
	at := fmt.Sprintf("%s, turn %d", d.to.id, r.Turn)
	if err != nil {
		d.to.turns = append(d.to.turns, json.RawMessage("null"))
		d.to.failed = append(d.to.failed, at+": "+err.Error())
		return nil, err
	}
	d.to.turns = append(d.to.turns, draft.Scope)
	d.to.drafts = append(d.to.drafts, draft)
	if len(draft.Mistakes) > 0 {
		d.to.leftOut = append(d.to.leftOut, at+": "+strings.Join(draft.Mistakes, "; "))
	}
	return &draft.Plan, nil
}
