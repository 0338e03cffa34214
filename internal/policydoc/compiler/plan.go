package compiler

import (
	"math"
	"slices"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/llm"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/generation"
	"github.com/remit-project/remit/internal/policydoc/prompt"
)

// What a document holds before it was read, for [Compiler.Plan]: the means of two that
// were compiled whole (docs/reference/policy-compiler.md). The sums grow with sentences and
// tools, and with nothing else.
const (
	// toolsPerSentence is how many tools a sentence is about, the ones that are
	// about none among them, and policiesPerSentence how many policies come of
	// what it says about one. Tools that only read have hardly any.
	toolsPerSentence    = 1.6
	policiesPerSentence = 0.50
	// testsAgain, rulesAgain and slips are how often, a policy, tests or a rule are asked for again,
	// and calls are read of slips that no test notices.
	testsAgain = 0.05
	rulesAgain = 0.15
	slips      = 0.15
	// room is the share of the places after the first in a shared question that is filled: policies
	// of other tools, and of rules that hang on no words, are asked about separately.
	room = 0.7
	// enforceable is the part of the policies that are not archived.
	enforceable = 0.95

	bytesPerToken = 3
)

// The stages of package generation that take more than others.
const (
	stageTests   = "tests"
	stageRule    = "rule"
	stageReading = "reading"
)

// Tokens of answers, per sentence, policy or rule, and of the form that each question has.
const (
	routeTokens   = 40
	policyTokens  = 215
	keptTokens    = 15
	judgedTokens  = 57
	groundTokens  = 24
	exampleTokens = 270
	reflectTokens = 50
	sharedTokens  = 90
	testsTokens   = 4700
	readingTokens = 680
	ruleTokens    = 210
	formTokens    = 400
)

// stageOfRules is what a stage of generation takes: tokens that a question says of a tool and of each
// policy, and of the answer about one, and how often a policy is asked about again, alone.
type stageOfRules struct {
	tool, policy, answer float64
	again                float64
}

var stagesOfRules = map[string]stageOfRules{
	stageTests:   {4250, 370, testsTokens, testsAgain},
	stageReading: {1000, 2200, readingTokens, testsAgain + slips},
	stageRule:    {500, 2900, ruleTokens, rulesAgain},
}

// Planned is what a stage would take.
type Planned struct {
	Stage string
	// Calls are questions; Input and Output are tokens.
	Calls, Input, Output int
	// Cost is in USD, of a model whose price is known.
	Cost float64
}

// Plan is what a run would take. What the lock knows is counted; the rest is
// estimated from what documents hold as a rule.
type Plan struct {
	// Sentences and Tools are how many there are, and New how many sentences
	// nothing is known of.
	Sentences, Tools, New int
	// Policies is how many policies would be made, again or for the first time.
	Policies int
	Stages   []Planned
}

// Plan says what a run would take, without asking anything.
func (c *Compiler) Plan(in Input, d *policydoc.Directory, price func(stage string) llm.Price) *Plan {
	corpus, all := newCorpus(in.Document), c.tools(in.Deployment)
	lock := d.Lock
	if lock == nil {
		lock = policydoc.NewLock()
	}
	p := &Plan{Sentences: len(corpus.sentences), Tools: len(all) - 1}
	e := &estimate{Compiler: c, corpus: corpus, stages: map[string]*spent{}}
	known := c.known(corpus, all, lock)
	for _, job := range c.routeJobs(corpus, all, lock) {
		e.route(job)
	}
	for _, s := range corpus.sentences {
		if _, ok := known[s.ID]; !ok {
			p.New++
		}
	}

	shared := c.sharing(corpus, all, lock, everyMapping(d))
	// What is not known of a sentence is spread over all tools.
	acting := actingOf(all, in.Deployment)
	expected := float64(p.New) * toolsPerSentence / float64(len(acting))
	for _, t := range all {
		if in.Only != nil && !slices.Contains(in.Only, t.key) {
			continue
		}
		var mapping *policydoc.Mapping
		if file := d.Mappings[t.key]; file != nil {
			mapping, _ = file.Mapping() // it was read before
		}
		w := c.work(corpus, t, known, lock, mapping, shared)
		if acting[t.key] {
			e.tool(t, w, expected)
		} else {
			e.tool(t, w, 0)
		}
		if mapping != nil && w.none() {
			again := 0
			for i := range mapping.Policies {
				if c.rule(d, all, t, &mapping.Policies[i]) != nil {
					again++
				}
			}
			e.rules(float64(again))
		}
	}

	e.together(d, in.Deployment)
	p.Policies = int(math.Ceil(e.policies))
	for _, stage := range slices.Concat([]string{stageRoute}, mappingStages, []string{stageShare, stageSamples}, c.generationStages()) {
		used := e.stages[stage]
		if used == nil || used.calls == 0 {
			continue
		}
		rate := price(stage)
		one := Planned{Stage: stage, Calls: int(math.Ceil(used.calls)), Input: int(used.input), Output: int(used.output)}
		one.Cost = (float64(one.Input)*rate.Input + float64(one.Output)*rate.Output) / 1e6
		p.Stages = append(p.Stages, one)
	}

	return p
}

// actingOf returns the tools that documents have policies for: those that do more than read, and
// every tool; all where there are no others.
func actingOf(all []*tool, d guard.Deployment) map[string]bool {
	reads := map[string]bool{}
	for _, r := range d.Readable() {
		reads[policydoc.Key(r.Server, r.Name)], reads[r.Name] = true, true
	}
	acting, every := map[string]bool{}, map[string]bool{}
	for _, t := range all {
		every[t.key] = true
		if !reads[t.key] {
			acting[t.key] = true
		}
	}
	if len(acting) < 2 {
		return every
	}
	return acting
}

// spent is what a stage takes, as far as it is known.
type spent struct{ calls, input, output float64 }

// estimate adds up what stages take.
type estimate struct {
	*Compiler
	corpus   *corpus
	stages   map[string]*spent
	policies float64
	tools    int // with policies
}

func (e *estimate) add(stage string, calls, input, output float64) {
	s := e.stages[stage]
	if s == nil {
		s = &spent{}
		e.stages[stage] = s
	}
	s.calls += calls
	s.input += calls * input
	s.output += output
}

// system returns the length of what a stage is always told, in tokens.
func (e *estimate) system(stage string) float64 {
	return float64(e.o.Prompts.Size(stage)) / bytesPerToken
}

func (e *estimate) route(job routeJob) {
	size := 0
	for _, t := range job.tools {
		size += len(t.summary)
	}
	for _, b := range e.corpus.excerpt(job.sentences) {
		size += len(b.Path)
		for _, s := range b.Sentences {
			size += len(s.Text) + len("100*. ")
		}
	}
	e.add(stageRoute, 1, e.system(stageRoute)+float64(size)/bytesPerToken, float64(len(job.sentences)*routeTokens))
}

// tool adds the stages of a tool, of which so many sentences more are expected
// than are known to be in focus.
func (e *estimate) tool(t *tool, w *work, expected float64) {
	focus := float64(len(w.focus)) + expected
	touched := min(1, focus)
	if touched == 0 {
		return
	}

	sentence := float64(e.corpus.size) / float64(max(1, len(e.corpus.sentences)))
	excerpt := min(float64(e.corpus.size), wholeDocument, focus*sentence*(2*neighbours+1))
	if e.corpus.size <= wholeDocument {
		excerpt = float64(e.corpus.size)
	}
	about := float64(len(t.definition) + len(strings.Join(t.lookups, "\n")))
	policies := max(focus*policiesPerSentence, float64(len(w.anew)))
	e.policies += policies
	for _, stage := range mappingStages {
		calls, input, output := touched*math.Ceil(policies/maxPolicies), about+policies*policyTokens*bytesPerToken, policies*policyTokens
		switch stage {
		case stageFind:
			calls, input = touched*math.Ceil(focus/maxMarked), about+excerpt
		case stageRefine:
			output = policies * keptTokens
		case stageReview:
			output = policies * judgedTokens
		case stageGround:
			input, output = input+excerpt, policies*groundTokens
		case stageExamples:
			calls, output = touched*math.Ceil(policies/maxExemplified), policies*exampleTokens
		case stageReflect:
			input, output = input+excerpt+policies*exampleTokens*bytesPerToken, touched*reflectTokens
		}
		e.add(stage, calls, e.system(stage)+formTokens+input/bytesPerToken, output)
	}

	e.tools++
	e.rules(policies * enforceable)
}

// together adds the stages that are about all tools: what they share, and what look-ups return of
// which nothing is known.
func (e *estimate) together(d *policydoc.Directory, deployment guard.Deployment) {
	if e.tools > 1 {
		e.add(stageShare, 1, e.system(stageShare)+e.policies*sharedTokens, e.policies*judgedTokens)
	}
	if e.stages[stageRule] == nil {
		return
	}

	open, size := 0, min(e.corpus.size, maxContext)
	for _, r := range deployment.Readable() {
		key := policydoc.Key(r.Server, r.Name)
		known, ok := e.o.Samples[key]
		if had, written := d.Samples[key]; written {
			known, ok = had, true
		}
		switch {
		case ok:
			size += min(len(known.Result), shownSample)
		case r.Definition != nil:
			size += len(prompt.Definition(r.Definition))
			open++
		}
	}
	calls := math.Ceil(float64(open) / maxLookups)
	e.add(stageSamples, calls, e.system(stageSamples)+float64(size)/bytesPerToken, float64(open)*judgedTokens)
}

// rules adds what some policies of a tool take to become rules.
func (e *estimate) rules(policies float64) {
	for _, stage := range e.generationStages() {
		takes := stagesOfRules[stage]
		shared, again := sharedBy(policies, generation.PerQuestion(stage)), policies*takes.again
		calls := shared + again
		if calls == 0 {
			continue
		}
		input := calls*(e.system(stage)+takes.tool) + (policies+again)*takes.policy
		e.add(stage, calls, input/calls, (policies+again)*takes.answer)
	}
}

// sharedBy returns how many questions so many policies of a tool share, of which so many have place
// in one.
func sharedBy(policies float64, most int) float64 {
	in := 1 + float64(most-1)*room
	last := (in - 1) / (2 * in) // the last is half full, as a rule
	return min(policies, policies/in+last)
}

// everyMapping returns the mapping of every tool; empty where there is none.
func everyMapping(d *policydoc.Directory) *policydoc.Mapping {
	if file := d.Mappings[policydoc.EveryTool]; file != nil {
		if m, err := file.Mapping(); err == nil { // it was read before
			return m
		}
	}
	return &policydoc.Mapping{}
}
