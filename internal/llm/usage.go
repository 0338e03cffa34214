package llm

import (
	"fmt"
	"maps"
	"sync"
)

// Usage counts requests to models and their cost.
type Usage struct {
	// Calls counts answers asked of an endpoint, with those for repairs. One that
	// was sent several times because it failed counts once.
	Calls int
	// Reused counts answers that came from recordings. Nothing else here counts them.
	Reused int
	// Input, CachedInput and Output are tokens. Input holds CachedInput, which the
	// provider had in its cache.
	Input, CachedInput, Output int
	// Cost is in USD, of the models that have a price.
	Cost float64
}

func (u Usage) plus(v Usage) Usage {
	u.Calls += v.Calls
	u.Reused += v.Reused
	u.Input += v.Input
	u.CachedInput += v.CachedInput
	u.Output += v.Output
	u.Cost += v.Cost
	return u
}

// Budget bounds what a client may ask for in all. Zeros don't bound. Calls that are
// out when a bound in tokens or USD is reached are not called back, so that at most
// Options.Parallel answers go beyond it.
type Budget struct {
	// Calls, Tokens (input and output) and USD are counted as in [Usage].
	Calls, Tokens int
	USD           float64
}

// meter counts what a client uses and holds it to the budget.
type meter struct {
	budget Budget

	mu     sync.Mutex
	total  Usage
	stages map[string]Usage
}

// begin counts a call before it is made, unless the budget is used up.
func (m *meter) begin(stage string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch b, t := m.budget, m.total; {
	case b.Calls > 0 && t.Calls >= b.Calls:
		return fmt.Errorf("%w: %d of %d calls are made: allow more, what is recorded is not asked again", ErrBudget, t.Calls, b.Calls)
	case b.Tokens > 0 && t.Input+t.Output >= b.Tokens:
		return fmt.Errorf("%w: %d of %d tokens are used: allow more, what is recorded is not asked again", ErrBudget, t.Input+t.Output, b.Tokens)
	case b.USD > 0 && t.Cost >= b.USD:
		return fmt.Errorf("%w: %.2f of %.2f USD are spent: allow more, what is recorded is not asked again", ErrBudget, t.Cost, b.USD)
	}
	m.count(stage, Usage{Calls: 1})
	return nil
}

// add counts the usage of a call.
func (m *meter) add(stage string, u Usage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count(stage, u)
}

func (m *meter) count(stage string, u Usage) {
	m.total = m.total.plus(u)
	m.stages[stage] = m.stages[stage].plus(u)
}

func (m *meter) so() Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.total
}

func (m *meter) byStage() map[string]Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.stages)
}

// tokens is what an endpoint says that one answer took.
type tokens struct {
	input, cached, written, output int
}

// writing is what Anthropic charges for input that goes into its cache, by the price
// of input.
const writing = 1.25

// densest is the fewest bytes that a token has in most texts. Where an endpoint
// doesn't say what it used, as some servers for open models don't, it is estimated
// so, on the high side: a budget must hold there too.
const densest = 3

// usage counts an answer by its endpoint's price.
func (t tokens) usage(p Price, asked, answered int) Usage {
	if t.input <= 0 && t.output <= 0 {
		t = tokens{input: asked/densest + 1, output: answered/densest + 1}
	}
	const most = 1e9 // beyond any model, and sums of it don't overflow
	t.input, t.output = min(max(t.input, 0), most), min(max(t.output, 0), most)
	t.cached = min(max(t.cached, 0), t.input)
	t.written = min(max(t.written, 0), t.input-t.cached)
	if p.CachedInput == 0 {
		p.CachedInput = p.Input
	}
	cost := float64(t.input-t.cached-t.written)*p.Input + float64(t.cached)*p.CachedInput +
		float64(t.written)*p.Input*writing + float64(t.output)*p.Output
	const million = 1e6
	return Usage{Input: t.input, CachedInput: t.cached, Output: t.output, Cost: cost / million}
}
