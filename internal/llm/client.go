package llm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Options are the settings of a client.
type Options struct {
	// Default is the endpoint of stages that aren't in Stages.
	Default Endpoint
	Stages  map[string]Endpoint
	Budget  Budget
	// Parallel is how many requests may be out at once; DefaultParallel if 0.
	Parallel int
	// RequestsPerMinute bounds the requests to all endpoints together; 0 means no
	// bound.
	RequestsPerMinute int
	// Timeout is for one request; DefaultTimeout if 0.
	Timeout time.Duration
	// Retries is how often a failed request is sent again, and Repairs how often a
	// model may correct an answer; DefaultRetries and DefaultRepairs if 0, and never
	// if negative.
	Retries, Repairs int
	// Recordings are reused and made; nil for none.
	Recordings *Recordings
	// Progress receives events, one at a time.
	Progress func(Event)
	// HTTP sends the requests; one with net/http's defaults if nil. Redirects are never
	// followed.
	HTTP *http.Client
}

// Defaults of [Options].
const (
	DefaultParallel = 4
	// DefaultTimeout leaves models time that reason before they answer.
	DefaultTimeout = 10 * time.Minute
	DefaultRetries = 6
	DefaultRepairs = 3
)

// Step is what an [Event] is about.
type Step string

// The steps of a prompt. Each prompt is started once, and answered or failed once.
const (
	Started  Step = "started"
	Answered Step = "answered"
	// Retried: a request failed and is sent again.
	Retried Step = "retried"
	// Repaired: an answer was not usable, and the model is asked for another.
	Repaired Step = "repaired"
	Failed   Step = "failed"
)

// Event says what happens to a prompt.
type Event struct {
	Step           Step
	Stage, Subject string
	// Err says why something is asked again, or failed.
	Err error
	// Wait is how long it takes until a request is sent again.
	Wait time.Duration
	// Usage is that of all prompts so far.
	Usage Usage
}

// Client asks models. It is safe for concurrent use.
type Client struct {
	o       Options
	http    *http.Client
	links   map[string]*link
	slots   chan struct{}
	limiter *rate.Limiter
	meter   *meter

	// The clock, which tests replace.
	now   func() time.Time
	sleep func(context.Context, time.Duration) error

	progress sync.Mutex

	mu sync.Mutex
	// learned is what an endpoint turned out not to support. It is kept for each
	// schema, since endpoints may support only parts of JSON Schema.
	learned map[learning]lacks
}

type learning struct{ address, model, schema string }

// lacks is what an endpoint doesn't support.
type lacks struct {
	// forms is how many forms of the dialect it refused.
	forms  int
	oldMax bool
}

// New returns a client. It returns an error for an endpoint that can't be used and
// for a budget that can't be enforced.
func New(o Options) (*Client, error) {
	c := &Client{
		o:       o,
		links:   map[string]*link{},
		limiter: rate.NewLimiter(rate.Inf, 1),
		meter:   &meter{budget: o.Budget, stages: map[string]Usage{}},
		now:     time.Now,
		sleep:   pause,
		learned: map[learning]lacks{},
	}
	if b := o.Budget; b.Calls < 0 || b.Tokens < 0 || b.USD < 0 || math.IsNaN(b.USD) || o.Parallel < 0 || o.RequestsPerMinute < 0 || o.Timeout < 0 {
		return nil, errors.New("budgets and limits of models can't be negative: leave out those that shall not hold")
	}

	endpoints := map[string]Endpoint{"": o.Default}
	maps.Copy(endpoints, o.Stages)
	for _, stage := range slices.Sorted(maps.Keys(endpoints)) {
		e := endpoints[stage]
		address, err := e.check()
		if err == nil && o.Budget.USD > 0 && !e.Price.Known() {
			err = fmt.Errorf("model %s has no price: name it, a budget in USD can't be held without", e.Model)
		}
		if err != nil {
			if stage != "" {
				err = fmt.Errorf("stage %s: %w", stage, err)
			}
			return nil, err
		}
		d := dialectOf(e.Provider)
		if e.MaxTokens == 0 && e.Provider == Anthropic {
			e.MaxTokens = DefaultMaxTokens
		}
		c.links[stage] = &link{e, d, address}
	}

	c.o.Parallel = orDefault(o.Parallel, DefaultParallel)
	c.o.Timeout = orDefault(o.Timeout, DefaultTimeout)
	c.o.Retries = max(orDefault(o.Retries, DefaultRetries), 0)
	c.o.Repairs = max(orDefault(o.Repairs, DefaultRepairs), 0)
	c.slots = make(chan struct{}, c.o.Parallel)
	if o.RequestsPerMinute > 0 {
		c.limiter = rate.NewLimiter(rate.Every(time.Minute/time.Duration(o.RequestsPerMinute)), 1)
	}

	h := http.Client{}
	if o.HTTP != nil {
		h = *o.HTTP
	}
	// A redirect would take the key and the prompt to wherever an endpoint says.
	h.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.http = &h
	return c, nil
}

func orDefault[N int | time.Duration](n, d N) N {
	if n == 0 {
		return d
	}
	return n
}

// Usage returns the usage so far, by stage.
func (c *Client) Usage() map[string]Usage { return c.meter.byStage() }

// Complete asks for an answer and returns it once it meets the prompt's schema and
// check. It returns ErrBudget, *RefusedError, *TruncatedError, *InvalidError,
// *StatusError, the context's error, or an error of recordings.
func (c *Client) Complete(ctx context.Context, p Prompt) (*Answer, error) {
	c.tell(p, Event{Step: Started})
	a, err := c.complete(ctx, p)
	if err != nil {
		if p.Subject != "" {
			err = fmt.Errorf("%s of %s: %w", p.Stage, p.Subject, err)
		} else {
			err = fmt.Errorf("%s: %w", p.Stage, err)
		}
		c.tell(p, Event{Step: Failed, Err: err})
		return nil, err
	}
	c.tell(p, Event{Step: Answered})
	return a, nil
}

func (c *Client) tell(p Prompt, e Event) {
	if c.o.Progress == nil {
		return
	}
	c.progress.Lock()
	defer c.progress.Unlock()
	e.Stage, e.Subject, e.Usage = p.Stage, p.Subject, c.meter.so()
	c.o.Progress(e)
}

func (c *Client) complete(ctx context.Context, p Prompt) (*Answer, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	schema, err := p.Schema.compile()
	if err != nil {
		return nil, err
	}

	l := c.links[p.Stage]
	if l == nil {
		l = c.links[""]
	}
	x := &exchange{c: c, link: l, prompt: p, schema: schema, messages: p.Messages, max: l.MaxTokens}
	if c.o.Recordings != nil {
		// The request for an endpoint that supports everything: what it turns out to
		// lack in one run must not change the name of a recording.
		request, err := l.dialect.body(x.question(lacks{}))
		if err != nil {
			return nil, err
		}
		if x.tape, err = c.o.Recordings.open(ctx, p, l.Endpoint, request); err != nil {
			return nil, err
		}
	}

	a, err := x.run(ctx)
	if x.tape != nil {
		if failed := x.tape.close(x.outcome(err)); failed != nil {
			return nil, errors.Join(err, failed)
		}
	}
	return a, err
}
