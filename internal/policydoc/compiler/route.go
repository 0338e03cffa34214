package compiler

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/policydoc"
)

const stageRoute = "route"

const (
	// routeSentences is how many sentences are routed with one question, where
	// there aren't more tools than that: each question lists all tools, so that it
	// has to be about as many sentences to grow no worse than their sum.
	routeSentences = 100
	// maxRoute bounds the sentences, and the tools, of one question. Answers to
	// more come out too long.
	maxRoute = 400
)

// routing is what the sentences have to do with tools.
type routing map[string]policydoc.LockedSentence

type routeRequest struct {
	Document string
	Tools    []string
	Blocks   []block
	Marked   string
}

type routeAnswer struct {
	Sentences []routedSentence `json:"sentences" jsonschema:"one for each marked sentence"`
}

type routedSentence struct {
	Number            int      `json:"number"`
	Tools             []string `json:"tools" jsonschema:"names of tools, or * alone for every call, or none"`
	Reason            string   `json:"reason" jsonschema:"why no tool; empty where there is one"`
	AddressedToReader bool     `json:"addressed_to_reader"`
}

// routeJob is one question.
type routeJob struct {
	sentences []string
	tools     []*tool
	// known is set where the lock knows of the sentences what they have to do with other tools.
	known bool
}

// routeJobs returns the questions about sentences and tools that a lock doesn't answer: new
// sentences for all tools, and the others for changed tools.
func (c *Compiler) routeJobs(corpus *corpus, all []*tool, lock *policydoc.Lock) []routeJob {
	var known, unknown []string
	same := lock.Routing == c.made(stageRoute)
	for _, id := range corpus.ids() {
		if _, ok := lock.Sentences[id]; ok && same {
			known = append(known, id)
		} else {
			unknown = append(unknown, id)
		}
	}
	var changed []*tool
	for _, t := range all {
		if lock.Tools[t.key] != t.fingerprint {
			changed = append(changed, t)
		}
	}
	return append(routeJobs(unknown, all, false), routeJobs(known, changed, true)...)
}

// routeJobs returns the questions about all of some sentences and some tools.
func routeJobs(sentences []string, tools []*tool, known bool) []routeJob {
	if len(sentences) == 0 || len(tools) == 0 {
		return nil
	}
	var out []routeJob
	for _, some := range split(tools, maxRoute) {
		for _, part := range split(sentences, max(routeSentences, len(some))) {
			out = append(out, routeJob{part, some, known})
		}
	}
	return out
}

// route asks which tools sentences have something to say about.
func (c *Compiler) route(ctx context.Context, corpus *corpus, job routeJob) (routing, error) {
	marked := corpus.numbers(job.sentences)
	byName := map[string]*tool{}
	request := routeRequest{Document: corpus.name, Blocks: corpus.excerpt(job.sentences), Marked: ranges(marked)}
	every := false
	for _, t := range job.tools {
		if t.key == policydoc.EveryTool {
			every = true
			continue
		}
		byName[t.key] = t
		request.Tools = append(request.Tools, strings.Replace(t.summary, t.name, t.key, 1))
	}

	subject := fmt.Sprintf("sentences %d-%d", marked[0], marked[len(marked)-1])
	answer, err := ask(ctx, c, stageRoute, subject, request, func(a *routeAnswer) error {
		return checkRoute(a, marked, byName)
	})
	if err != nil {
		return nil, err
	}

	out := routing{}
	for _, s := range answer.Sentences {
		sentence, ok := corpus.sentence(s.Number)
		if !ok || !slices.Contains(marked, s.Number) {
			continue
		}

		r := policydoc.LockedSentence{Tools: s.Tools, Suspicious: s.AddressedToReader}
		if slices.Contains(r.Tools, policydoc.EveryTool) {
			r.Tools = nil
			if every {
				r.Tools = []string{policydoc.EveryTool}
			}
		}

		slices.Sort(r.Tools)
		r.Tools = slices.Compact(r.Tools)
		if len(r.Tools) == 0 {
			r.Reason = s.Reason
		}
		out[sentence.ID] = r
	}

	return out, nil
}

func checkRoute(a *routeAnswer, marked []int, tools map[string]*tool) error {
	seen := map[int]bool{}
	var wrong []string
	for _, s := range a.Sentences {
		seen[s.Number] = true
		for _, name := range s.Tools {
			if name != policydoc.EveryTool && tools[name] == nil {
				wrong = append(wrong, fmt.Sprintf("sentence %d: there is no tool %q: use the names as they are listed", s.Number, name))
			}
		}
		if len(s.Tools) > 1 && slices.Contains(s.Tools, policydoc.EveryTool) {
			wrong = append(wrong, fmt.Sprintf("sentence %d: %q stands alone, for every call whatever the tool: leave it out where the sentence is about some tools, or leave out their names", s.Number, policydoc.EveryTool))
		}
		if len(s.Tools) == 0 && s.Reason == "" && slices.Contains(marked, s.Number) {
			wrong = append(wrong, fmt.Sprintf("sentence %d: say why it is about no tool", s.Number))
		}
	}

	if missing := slices.DeleteFunc(slices.Clone(marked), func(n int) bool { return seen[n] }); len(missing) > 0 {
		wrong = append(wrong, "there is no answer for the sentences "+ranges(missing))
	}
	return mistakes(wrong)
}

// merge brings another answer about the same sentences in, of other tools.
func (r routing) merge(other routing) {
	for id, o := range other {
		had, ok := r[id]
		if !ok {
			r[id] = o
			continue
		}
		had.Tools = append(slices.Clone(had.Tools), o.Tools...)
		slices.Sort(had.Tools)
		had.Tools = slices.Compact(had.Tools)
		switch {
		case len(had.Tools) > 0:
			had.Reason = ""
		case had.Reason == "":
			had.Reason = o.Reason
		}
		had.Suspicious = had.Suspicious || o.Suspicious
		r[id] = had
	}
}

// about reports whether a sentence was routed to a tool.
func (r routing) about(id, key string) bool { return slices.Contains(r[id].Tools, key) }

// to lists the sentences that were routed to a tool.
func (r routing) to(key string) []string {
	var out []string
	for id := range r {
		if r.about(id, key) {
			out = append(out, id)
		}
	}
	return out
}

// ranges writes ascending numbers as people do: 1-4, 7.
func ranges(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		if i == j {
			parts = append(parts, fmt.Sprint(numbers[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", numbers[i], numbers[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}
