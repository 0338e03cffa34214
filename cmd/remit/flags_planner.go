package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/command"
	"github.com/remit-project/remit/internal/hint"
	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/planner"
	"github.com/remit-project/remit/internal/telemetry"
	"github.com/remit-project/remit/scope"
)

// plannerFlags are the flags of commands whose sessions may have scopes.
type plannerFlags struct {
	plannerModel
	Plans  plannerRecordings `embed:"" prefix:"planner-"`
	Scopes scope.Mode        `placeholder:"MODE" help:"What scopes of the user's turns are for: off, grant or bound. It is bound where there is a planner, or others can give scopes."`
}

// scopesFlag says what the scopes of recorded sessions are for.
type scopesFlag struct {
	Scopes scope.Mode `placeholder:"MODE" default:"bound" help:"What the scopes of recorded turns are for: off, grant or bound (bound)."`
}

// reviewedFlag says that a person has read what tools say of themselves.
type reviewedFlag struct {
	Reviewed bool `help:"You have read the definitions of the tools, and they say nothing that the deployment would not: a planner is shown their words, and they may vouch for values."`
}

// plan gives a monitor's options the planner, where there is one. Scopes are on where
// others can give them as well: by a line, an operation, or a session that is shared.
// observe is told the tokens that plans take.
func (f *plannerFlags) plan(o *remit.Options, given bool, log *slog.Logger, observe *telemetry.Recorder) error {
	p, err := f.planner(&f.Plans)
	if err != nil {
		return err
	}
	if o.Scopes = f.Scopes; o.Scopes == "" && (given || p != nil) {
		o.Scopes = scope.ModeBound
	}
	if p != nil && o.Scopes != scope.ModeOff {
		o.Planner, o.PlanTime = &loggedPlanner{p, log, observe}, f.PlannerTimeout
	}
	return nil
}

// loggedPlanner logs what a planner does.
type loggedPlanner struct {
	*planner.Planner
	log     *slog.Logger
	observe *telemetry.Recorder // nil where nothing is observed
}

// Plan implements [scope.Planner].
func (p *loggedPlanner) Plan(ctx context.Context, r *scope.Request) (*scope.Plan, error) {
	began := time.Now()
	ctx, planned := p.observe.Plan(ctx, p.String())
	d, err := p.Draft(ctx, r)
	took := time.Since(began)

	if err != nil {
		planned(true, 0, 0)
		p.log.Warn("a turn has no scope: the planner failed", "turn", r.Turn, "shown", r.Digest(), "error", err, "took", took)
		return nil, err
	}
	if len(d.Mistakes)+len(d.Notes) > 0 {
		p.log.Warn("a plan is not whole", "turn", r.Turn, "entries_left_out", d.Mistakes, "not_shown", d.Notes)
	}
	planned(false, d.InputTokens, d.OutputTokens)
	p.log.Info("planned", "turn", r.Turn, "shown", r.Digest(), "model", d.Model, "input_tokens", d.InputTokens, "output_tokens", d.OutputTokens, "took", took)
	return &d.Plan, nil
}

// Name implements [scope.Namer].
func (p *loggedPlanner) Name(ctx context.Context, r *scope.NameRequest) (*scope.Naming, error) {
	began := time.Now()
	ctx, planned := p.observe.Plan(ctx, p.String())
	n, err := p.Planner.Name(ctx, r)
	took := time.Since(began)

	if err != nil {
		planned(true, 0, 0)
		p.log.Warn("names of a scope stay unknown: the planner failed", "turn", r.Turn, "tool", r.Tool, "shown", r.Digest(), "error", err, "took", took)
		return nil, err
	}
	planned(false, n.InputTokens, n.OutputTokens)
	p.log.Info("named", "turn", r.Turn, "tool", r.Tool, "names", len(r.Guesses), "meant", len(n.Names), "shown", r.Digest(), "model", n.Model, "input_tokens", n.InputTokens, "output_tokens", n.OutputTokens, "took", took)
	return n, nil
}

// plannerModel says which model plans.
type plannerModel struct {
	Planner        string        `placeholder:"MODEL" env:"REMIT_PLANNER" help:"The model that writes down what each of the user's turns authorises, as anthropic:NAME or openai:NAME; the key is in ANTHROPIC_API_KEY or OPENAI_API_KEY. It reads trusted text alone: docs/reference/planner.md."`
	PlannerURL     string        `name:"planner-url" placeholder:"URL" help:"Where the planner's API begins, such as http://127.0.0.1:8000/v1. Without it OPENAI_BASE_URL or ANTHROPIC_BASE_URL counts, and then the provider's own."`
	PlannerTimeout time.Duration `name:"planner-timeout" placeholder:"TIME" default:"20s" help:"How long the first call of a turn waits for the planner (20s). A turn without a plan has no scope."`
}

// plannerRecordings are where a planner's answers are kept.
type plannerRecordings struct {
	Record string `placeholder:"DIR" help:"Record what the planner says, and use again what was recorded."`
	Replay string `placeholder:"DIR" help:"Plan from recordings alone, and ask no model."`
}

// planner makes the planner; nil without a model. Keys are read from the environment, where
// no list of processes shows them.
func (f *plannerModel) planner(r *plannerRecordings) (*planner.Planner, error) {
	recordings, err := r.recordings()
	if err != nil {
		return nil, err
	}
	if f.Planner == "" {
		if f.PlannerURL != "" || recordings != nil {
			return nil, command.UsageError(hint.Wrap(errors.New("no planner is named"), "name its model with --planner MODEL"))
		}
		return nil, nil
	}

	e, err := llm.Named(f.Planner)
	if err != nil {
		return nil, command.UsageError(fmt.Errorf("--planner: %w", err))
	}
	e.BaseURL = f.PlannerURL
	p, err := planner.New(planner.Options{Endpoint: e.FromEnvironment(os.LookupEnv), Timeout: f.PlannerTimeout, Recordings: recordings})
	if err != nil {
		return nil, command.UsageError(err)
	}
	return p, nil
}

// recordings returns where answers are kept; nil for nowhere.
func (r *plannerRecordings) recordings() (*llm.Recordings, error) {
	switch {
	case r.Record != "" && r.Replay != "":
		return nil, command.UsageError(errors.New("recording and replaying exclude each other"))
	case r.Replay != "":
		return llm.Replay(r.Replay), nil
	case r.Record != "":
		return llm.Record(r.Record), nil
	}
	return nil, nil
}
