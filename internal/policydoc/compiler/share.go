package compiler

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/internal/policydoc/prompt"
)

// stageShare finds the policies of several tools that are one.
const stageShare = "share"

// sharing are the policies that several tools share, as they were compiled before.
type sharing struct{ policies []sharedPolicy }

type sharedPolicy struct {
	name, description string
	tools, sentences  []string
	// again is set where it has to be made again.
	again bool
}

// of returns the policies that a tool shares.
func (s *sharing) of(key string) []sharedPolicy {
	var out []sharedPolicy
	for _, p := range s.policies {
		if slices.Contains(p.tools, key) {
			out = append(out, p)
		}
	}
	return out
}

// again returns the names of the policies that are made again, of which all tools are there.
func (s *sharing) again(ready func(key string) bool) []string {
	var out []string
	for _, p := range s.policies {
		if p.again && !slices.ContainsFunc(p.tools, func(key string) bool { return !ready(key) }) {
			out = append(out, p.name)
		}
	}
	return out
}

// waits returns a tool with which another one shares a policy that is made again, and
// that isn't ready; empty for none.
func (s *sharing) waits(key string, ready func(key string) bool) string {
	for _, p := range s.of(key) {
		for _, other := range p.tools {
			if p.again && other != key && !ready(other) {
				return other
			}
		}
	}
	return ""
}

// with adds the tools that share policies with some which are made again.
func (s *sharing) with(some, all []*tool) []*tool {
	in := map[string]bool{}
	for _, t := range some {
		in[t.key] = true
	}
	for grown := true; grown; {
		grown = false
		for _, p := range s.policies {
			concerned := p.again && slices.ContainsFunc(p.tools, func(key string) bool { return in[key] })
			for _, key := range p.tools {
				if concerned && !in[key] {
					in[key], grown = true, true
				}
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(t *tool) bool { return !in[t.key] })
}

// sharing reads what tools share from the lock and the mapping of every tool. A policy is
// made again when a sentence of it is gone, or one of its tools, a model or a prompt is
// another one.
func (c *Compiler) sharing(corpus *corpus, all []*tool, lock *policydoc.Lock, every *policydoc.Mapping) *sharing {
	out := &sharing{}
	for _, name := range slices.Sorted(maps.Keys(lock.Policies[policydoc.EveryTool])) {
		locked := lock.Policies[policydoc.EveryTool][name]
		made, there := c.sharedMade(all, locked.Tools)
		if len(locked.Tools) == 0 || locked.Mapping == "" || !there {
			continue
		}
		p := sharedPolicy{name: name, tools: locked.Tools, sentences: locked.Sentences, again: locked.Mapping != made}
		p.again = p.again || slices.ContainsFunc(locked.Sentences, func(id string) bool { return corpus.number[id] == 0 })
		if i, ok := policyNamed(every, name); ok {
			p.description = i.Description
		}
		out.policies = append(out.policies, p)
	}
	return out
}

// sharedMade returns a hash of what a policy of several tools is made with; false where
// one of the tools isn't there.
func (c *Compiler) sharedMade(all []*tool, keys []string) (string, bool) {
	parts := []string{c.made(append(slices.Clone(mappingStages), stageShare)...)}
	for _, key := range keys {
		i := slices.IndexFunc(all, func(t *tool) bool { return t.key == key })
		if i < 0 {
			return "", false
		}
		parts = append(parts, all[i].fingerprint)
	}
	return digest(parts...), true
}

type shareRequest struct {
	Document string
	Groups   []shareGroup
}

// shareGroup are policies of several tools that rest on the same sentences.
type shareGroup struct {
	Quotes   []string
	Policies []shareCandidate
}

type shareCandidate struct {
	Label, Tool, Name, Description string

	tool  string
	draft *draft
}

type shareAnswer struct {
	Shared []sharedAnswer `json:"shared" jsonschema:"policies that are one; none where all are different"`
}

type sharedAnswer struct {
	Policies    []string `json:"policies" jsonschema:"the labels of those that are one, such as P1"`
	Name        string   `json:"name" jsonschema:"two to five words in lower case with hyphens"`
	Description string   `json:"description" jsonschema:"complete and on its own"`
}

// share takes the policies out of what was found for tools that several of them have, and
// returns each once. The policies of tools that only one of them has stay.
func (c *Compiler) share(ctx context.Context, corpus *corpus, found map[string]*mapped) ([]*draft, error) {
	var out []*draft
	taken := names{}
	for _, part := range split(candidates(corpus, found), maxPolicies) {
		groups, byLabel := grouped(corpus, part)
		answer, err := ask(ctx, c, stageShare, "several tools", shareRequest{corpus.name, groups}, func(a *shareAnswer) error {
			return checkShared(a, byLabel)
		})
		if err != nil {
			return nil, err
		}

		for _, s := range answer.Shared {
			var of []shareCandidate
			for _, label := range s.Policies {
				of = append(of, byLabel[label])
			}
			out = append(out, together(s, of, taken))
			for _, o := range of {
				m := found[o.tool]
				m.drafts = slices.DeleteFunc(slices.Clone(m.drafts), func(d *draft) bool { return d == o.draft })
			}
		}
	}
	return out, nil
}

// together returns one policy of those of several tools.
func together(s sharedAnswer, of []shareCandidate, taken names) *draft {
	d := &draft{name: taken.take(s.Name), description: strings.TrimSpace(s.Description), sentences: of[0].draft.sentences}
	// A few examples of each tool show that it holds for all of them.
	most := max(1, maxSharedExamples/len(of))
	for _, o := range of {
		d.tools = append(d.tools, o.tool)
		d.compliance = append(d.compliance, ofTool(o, o.draft.compliance, most)...)
		d.violations = append(d.violations, ofTool(o, o.draft.violations, most)...)
	}
	slices.Sort(d.tools)
	return d
}

// maxSharedExamples is how many examples of each kind a policy of several tools has.
const maxSharedExamples = 6

// ofTool returns the first examples of a tool, with its name before them.
func ofTool(o shareCandidate, examples []string, most int) []string {
	var out []string
	for _, e := range examples[:min(len(examples), most)] {
		out = append(out, o.tool+": "+e)
	}
	return out
}

// candidates returns the policies that could be one: of several tools, resting on the same
// sentences.
func candidates(corpus *corpus, found map[string]*mapped) []shareCandidate {
	tools := map[string]map[string]bool{}
	each := func(visit func(key, id string, d *draft)) {
		for _, key := range slices.Sorted(maps.Keys(found)) {
			for _, d := range live(found[key].drafts) {
				visit(key, strings.Join(d.sentences, " "), d)
			}
		}
	}

	each(func(key, id string, _ *draft) {
		if tools[id] == nil {
			tools[id] = map[string]bool{}
		}
		tools[id][key] = true
	})
	var out []shareCandidate
	each(func(key, id string, d *draft) {
		if len(tools[id]) > 1 && key != policydoc.EveryTool {
			out = append(out, shareCandidate{tool: key, draft: d, Tool: key, Name: d.name, Description: d.description})
		}
	})
	slices.SortStableFunc(out, func(a, b shareCandidate) int {
		return slices.Compare(corpus.numbers(a.draft.sentences), corpus.numbers(b.draft.sentences))
	})
	return out
}

// grouped are candidates under the sentences that they rest on, with labels.
func grouped(corpus *corpus, list []shareCandidate) ([]shareGroup, map[string]shareCandidate) {
	byLabel := map[string]shareCandidate{}
	var out []shareGroup
	for i, one := range list {
		if i == 0 || !slices.Equal(one.draft.sentences, list[i-1].draft.sentences) {
			var quotes []string
			for _, q := range corpus.quotes(one.draft.sentences) {
				quotes = append(quotes, prompt.Quoted(q))
			}
			out = append(out, shareGroup{Quotes: quotes})
		}
		one.Label = fmt.Sprintf("P%d", i+1)
		byLabel[one.Label] = one
		last := &out[len(out)-1]
		last.Policies = append(last.Policies, one)
	}
	return out, byLabel
}

// checkShared says what is wrong with an answer.
func checkShared(a *shareAnswer, byLabel map[string]shareCandidate) error {
	var wrong []string
	used := map[string]bool{}
	for _, s := range a.Shared {
		if slug(s.Name) == "" || strings.TrimSpace(s.Description) == "" {
			wrong = append(wrong, "a policy has no name, or no description")
		}

		tools := map[string]bool{}
		for _, label := range s.Policies {
			one, ok := byLabel[label]
			switch {
			case !ok:
				wrong = append(wrong, fmt.Sprintf("there is no policy %q", label))
				continue
			case used[label]:
				wrong = append(wrong, fmt.Sprintf("%s is named twice", label))
			case tools[one.tool]:
				wrong = append(wrong, fmt.Sprintf("%s: a tool has one policy of each that is shared", label))
			}
			used[label], tools[one.tool] = true, true
			if first, ok := byLabel[s.Policies[0]]; ok && !slices.Equal(first.draft.sentences, one.draft.sentences) {
				wrong = append(wrong, fmt.Sprintf("%s rests on other sentences than %s", label, s.Policies[0]))
			}
		}
		if len(s.Policies) < 2 {
			wrong = append(wrong, fmt.Sprintf("the policy %q: name at least two that are one", s.Name))
		}
	}
	return mistakes(wrong)
}

// shareFound brings what tools share together, and fails the tools for which that can't be done:
// of those whose policies wait for another tool, and of all when the model doesn't answer.
func (c *Compiler) shareFound(ctx context.Context, corpus *corpus, all *sharing, found map[string]*mapped, errs map[string]error) []*draft {
	ready := func(key string) bool { return errs[key] == nil }
	for waiting := true; waiting; {
		waiting = false
		for _, key := range slices.Sorted(maps.Keys(found)) {
			if other := all.waits(key, ready); errs[key] == nil && other != "" {
				errs[key] = fmt.Errorf("it shares policies with %s, which could not be compiled", other)
				waiting = true
			}
		}
	}

	done := map[string]*mapped{}
	for key, m := range found {
		if errs[key] == nil && m != nil {
			done[key] = m
		}
	}
	drafts, err := c.share(ctx, corpus, done)
	if err != nil {
		for key := range done {
			errs[key] = errors.Join(errs[key], err)
		}
	}
	return drafts
}
