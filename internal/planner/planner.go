package planner

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/scope"
)

//go:embed instructions.md
var instructions string

// Stage is the name of the step among models, recordings and usage.
const Stage = "planner"

// DefaultParallel is for enforcement points with many sessions: a turn that waits for the
// plans of others gets none in time.
const DefaultParallel = 32

// The bounds of what is kept of answers: beyond them all are dropped, and asked for
// again.
const (
	maxKept      = 512
	maxKeptBytes = 4 << 20
)

// Options are the settings of a planner.
type Options struct {
	// Endpoint is the model.
	Endpoint llm.Endpoint
	// Timeout bounds one plan, in which the model may answer twice; [scope.DefaultPlanTime]
	// if 0.
	Timeout time.Duration
	// Parallel bounds the plans that are made at once; DefaultParallel if 0.
	Parallel int
	// Recordings are reused and made; nil for none.
	Recordings *llm.Recordings
	// Budget bounds what the planner may use in all.
	Budget llm.Budget
}

// Planner makes scopes with a model. It is safe for concurrent use.
type Planner struct {
	endpoint llm.Endpoint
	timeout  time.Duration
	client   *llm.Client
	system   string

	mu    sync.Mutex
	kept  map[string]*Draft
	named map[string]*scope.Naming
	bytes int
}

var _ scope.Planner = (*Planner)(nil)

// Draft is a plan, with what is to be told about it.
type Draft struct {
	scope.Plan
	// Reading is what the user wants, in the model's words.
	Reading string
	// Mistakes are the entries that were left out, since the model could not put them
	// right, and why.
	Mistakes []string
	// Notes say what the model was not shown.
	Notes []string
}

// New returns a planner. It asks once more after a failure, and lets the model correct an answer
// once: a user is waiting.
func New(o Options) (*Planner, error) {
	e := o.Endpoint
	replaying := o.Recordings != nil && o.Recordings.Replaying()
	if e.BaseURL == "" && e.Key == "" && !replaying {
		return nil, fmt.Errorf("the planner: there is no key for %s: set %s_API_KEY, or %[2]s_BASE_URL where the model is elsewhere", e, strings.ToUpper(string(e.Provider)))
	}
	if o.Timeout == 0 {
		o.Timeout = scope.DefaultPlanTime
	}
	if o.Parallel == 0 {
		o.Parallel = DefaultParallel
	}

	client, err := llm.New(llm.Options{Default: e, Timeout: o.Timeout, Retries: 1, Repairs: 1, Parallel: o.Parallel, Recordings: o.Recordings, Budget: o.Budget})
	if err != nil {
		return nil, fmt.Errorf("the planner: %w", err)
	}
	system, err := teach()
	if err != nil {
		return nil, fmt.Errorf("the planner: %w", err)
	}
	return &Planner{endpoint: e, timeout: o.Timeout, client: client, system: system, kept: map[string]*Draft{}, named: map[string]*scope.Naming{}}, nil
}

// String returns the model and its address.
func (p *Planner) String() string { return p.endpoint.String() }

// Plan implements [scope.Planner]. Any error means that there is no scope for the turn.
func (p *Planner) Plan(ctx context.Context, r *scope.Request) (*scope.Plan, error) {
	d, err := p.Draft(ctx, r)
	if err != nil {
		return nil, err
	}
	return &d.Plan, nil
}

// Draft does what [Planner.Plan] does, and reports on it. The same request is asked once. The
// caller must not change what it returns.
func (p *Planner) Draft(ctx context.Context, r *scope.Request) (*Draft, error) {
	key := r.Digest()
	p.mu.Lock()
	known := p.kept[key]
	p.mu.Unlock()
	if known != nil {
		return known, nil
	}

	ctx, cancel := context.WithTimeoutCause(ctx, p.timeout, fmt.Errorf("no plan within %v: allow more time, or use a faster model", p.timeout))
	defer cancel()
	d, err := p.ask(ctx, r)
	if err != nil {
		return nil, err
	}
	p.keep(key, d)
	return d, nil
}

func (p *Planner) keep(key string, d *Draft) {
	size := len(key) + len(d.Scope) + len(d.Reading)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.kept) >= maxKept || p.bytes+size > maxKeptBytes {
		clear(p.kept)
		p.bytes = 0
	}
	p.kept[key], p.bytes = d, p.bytes+size
}

func (p *Planner) ask(ctx context.Context, r *scope.Request) (*Draft, error) {
	shown, err := show(r)
	if err != nil {
		return nil, err
	}
	var best *reading
	answered := 0
	got, err := p.client.Complete(ctx, llm.Prompt{
		Stage: Stage, System: p.system,
		Shared:   shown.list,
		Messages: []llm.Message{{Role: llm.User, Text: shown.talk}},
		Schema:   llm.Schema{Name: "scope", JSON: json.RawMessage(answerSchema)},
		Check: func(raw json.RawMessage) error {
			answered++
			var err error
			if best, err = shown.read(raw); err != nil {
				return err
			}
			wrong := best.mistakes
			if len(best.unheld) > 0 {
				wrong = append(slices.Clip(wrong), tellUnheld(best.answer, best.unheld))
			}
			if len(wrong) > 0 && answered == 1 {
				return errors.New(strings.Join(wrong, "\n- "))
			}
			return nil // the second time, what is right of the answer counts
		},
	})

	var refused *llm.RefusedError
	var invalid *llm.InvalidError
	switch {
	case errors.As(err, &refused):
		return nil, errors.New("the planner's model refused to answer") // its words may be those of a tool's description
	case errors.As(err, &invalid) && best != nil:
		// One of the answers was not even in form. What is right of the other counts.
		got = &llm.Answer{Model: p.endpoint.Model}
	case err != nil:
		return nil, err
	}
	return &Draft{
		Plan:    scope.Plan{Scope: best.scope, Model: got.Model, InputTokens: got.Usage.Input, OutputTokens: got.Usage.Output},
		Reading: best.answer.Reading, Mistakes: best.mistakes, Notes: shown.notes,
	}, nil
}

// The estimate of a plan. English has some four bytes a token, JSON fewer.
const (
	bytesPerToken = 3.5
	answerTokens  = 500
)

// Estimate returns about how many tokens a plan of a request takes, without asking the model.
func Estimate(r *scope.Request) (input, output int, err error) {
	s, err := show(r)
	if err != nil {
		return 0, 0, err
	}
	system, err := teach()
	if err != nil {
		return 0, 0, err
	}
	return int(float64(len(system)+len(s.list)+len(s.talk)+len(answerSchema)) / bytesPerToken), answerTokens, nil
}
