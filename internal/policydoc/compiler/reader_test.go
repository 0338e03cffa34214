package compiler_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/remit-project/remit/internal/llm"
)

// reader is a model that reads by simple rules, so that what it answers follows
// from the document: a sentence is about the tools whose names it says, and each
// is a policy.
type reader struct {
	mu sync.Mutex
	// asked counts questions by stage, and subjects lists them.
	asked    map[string]int
	subjects []string
	// about has the words by which a sentence is about a tool, beside its name.
	about map[string][]string
	// fail is an error for some questions; nil for none.
	fail func(llm.Prompt) error
	// alter changes the answers of stages; nil for none.
	alter map[string]func(answer any) any
}

func (r *reader) Complete(_ context.Context, p llm.Prompt) (*llm.Answer, error) {
	r.mu.Lock()
	if r.asked == nil {
		r.asked = map[string]int{}
	}
	r.asked[p.Stage]++
	r.subjects = append(r.subjects, p.Stage+": "+p.Subject)
	r.mu.Unlock()
	if r.fail != nil {
		if err := r.fail(p); err != nil {
			return nil, err
		}
	}
	answer := r.answers(p)
	if alter := r.alter[p.Stage]; alter != nil {
		answer = alter(answer)
	}
	value, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	if err := p.Check(value); err != nil {
		return nil, fmt.Errorf("the reader's answer %s: %w", value, err)
	}
	return &llm.Answer{Value: value}, nil
}

// sharedPart begins what a question says of one of several policies.
var sharedPart = regexp.MustCompile(`(?m)^# (P\d+)$`)

// answers answers a question about one policy or several.
func (r *reader) answers(p llm.Prompt) any {
	question := p.Messages[0].Text
	places := sharedPart.FindAllStringSubmatchIndex(question, -1)
	if p.Stage == "share" || len(places) == 0 {
		return r.answer(p, question)
	}
	out := []any{}
	for i, at := range places {
		end := len(question)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		out = append(out, object{"policy": question[at[2]:at[3]], "answer": r.answer(p, question[:places[0][0]]+question[at[0]:end])})
	}
	return object{"policies": out}
}

// forget forgets what was asked so far.
func (r *reader) forget() { r.asked, r.subjects = map[string]int{}, nil }

var (
	listedTool     = regexp.MustCompile(`(?m)^- (\w+)\(`)
	askedTool      = regexp.MustCompile(`(?m)^# The tool\n\n([^:\n]+): `)
	shownSentence  = regexp.MustCompile(`(?m)^(\d+)(\*?)\. (.*)$`)
	shownPolicy    = regexp.MustCompile(`(?m)^([a-z0-9-]+)(?: \((?:so far: )?sentences ([\d, -]+)\))?: (.*)$`)
	policiesBehind = "# The policies"
)

type object = map[string]any

// answer answers a stage's question.
func (r *reader) answer(p llm.Prompt, question string) any {
	stage := p.Stage
	switch stage {
	case "tests":
		return tests(question)
	case "reading":
		return readings(question)
	case "rule":
		return rule(question, strings.Contains(string(p.Schema.JSON), `"calls"`))
	case "share":
		return share(question)
	case "samples":
		return object{"samples": []any{}}
	case "route":
		return r.route(question)
	case "find":
		return r.find(question)
	}
	out, keep := []any{}, []string{}
	_, list, _ := strings.Cut(question, policiesBehind)
	for _, p := range shownPolicy.FindAllStringSubmatch(list, -1) {
		name, numbers, description := p[1], sentenceNumbers(p[2]), p[3]
		switch stage {
		case "refine":
			keep = append(keep, name)
		case "review":
			out = append(out, object{"name": name, "enforceable": !strings.Contains(description, "friendly"), "reason": "as the sentence says"})
		case "ground":
			out = append(out, object{"name": name, "sentences": numbers})
		case "examples":
			out = append(out, object{"name": name, "compliance": []string{"one that keeps to: " + description}, "violations": []string{"one that breaks: " + description}})
		}
	}
	switch stage {
	case "refine":
		return object{"keep": keep, "policies": out}
	case "reflect":
		return object{"missing": []any{}, "changes": []any{}, "drop": []any{}, "restore": []any{}, "wrong_examples": []any{}, "unused": []any{}}
	}
	return object{"policies": out}
}

func (r *reader) route(question string) any {
	var out []any
	tools := listedTool.FindAllStringSubmatch(question, -1)
	for _, s := range shownSentence.FindAllStringSubmatch(question, -1) {
		if s[2] == "" {
			continue
		}
		names, reason := []string{}, ""
		for _, t := range tools {
			if r.concerns(s[3], t[1]) {
				names = append(names, t[1])
			}
		}
		if strings.Contains(s[3], "any call") {
			names = []string{"*"}
		}
		if len(names) == 0 {
			reason = "it names no tool"
		}
		out = append(out, object{"number": number(s[1]), "tools": names, "reason": reason, "addressed_to_reader": strings.Contains(s[3], "compiler")})
	}
	return object{"sentences": out}
}

func (r *reader) find(question string) any {
	tool := askedTool.FindStringSubmatch(question)[1]
	policies, unused := []any{}, []any{}
	for _, s := range shownSentence.FindAllStringSubmatch(question, -1) {
		switch {
		case s[2] == "":
		case r.concerns(s[3], tool) || tool == "*":
			words := strings.Fields(s[3])
			policies = append(policies, object{"name": strings.Join(words[:min(4, len(words))], " "), "description": s[3], "sentences": []int{number(s[1])}})
		default:
			unused = append(unused, object{"number": number(s[1]), "reason": "it doesn't name the tool"})
		}
	}
	return object{"policies": policies, "unused": unused}
}

var (
	ruledPolicy = regexp.MustCompile(`(?m)^# The policy\n\n[a-z0-9-]+: (.*)$`)
	callLabel   = regexp.MustCompile(`(?m)^C\d+$`)
)

// ruled is the word that a policy is about: its last one. The reader's rules want
// the user to have said it.
func ruled(question string) string {
	words := strings.Fields(strings.TrimRight(ruledPolicy.FindStringSubmatch(question)[1], "."))
	return words[len(words)-1]
}

func tests(question string) any {
	args, tool := `{"count": 1}`, "hire_item"
	if strings.Contains(question, "# The tool\n\nreturn_item: ") {
		args = `{"weight": 1}`
	}
	words := map[string]string{}
	for _, label := range regexp.MustCompile(`(?m)^- ([KB]\d+): `).FindAllStringSubmatch(question, -1) {
		words[label[1]] = "deny"
		if label[1][0] == 'K' {
			words[label[1]] = "allow"
		}
	}
	one := func(name, expect, said string) any {
		t := object{"name": name, "example": "", "why": "so it says", "expect": expect, "args": args, "given": []any{},
			"history": []any{object{"user": said, "at": ""}}, "now": "", "principal": object{"id": "", "groups": []any{}, "attributes": []any{}}, "labels": []any{}}
		if about := regexp.MustCompile(`calls of several tools, and of no others\.\n\n(\w+): `).FindStringSubmatch(question); about != nil {
			t["tool"] = about[1]
		} else if strings.Contains(question, "calls of every tool") {
			t["tool"] = tool
		}
		return t
	}
	all := []any{one("said", "allow", "Here: "+ruled(question)), one("not said", "deny", "Well.")}
	for _, label := range slices.Sorted(maps.Keys(words)) {
		said := "Well."
		if words[label] == "allow" {
			said = "Here: " + ruled(question)
		}
		t := one("example "+label, words[label], said).(object)
		t["example"] = label
		all = append(all, t)
	}
	return object{"records": []any{}, "tests": all, "untested": []any{}}
}

var (
	sharedGroup  = regexp.MustCompile(`(?m)^# These policies rest on$`)
	sharedPolicy = regexp.MustCompile(`(?m)^(P\d+), of ([^:]+): ([a-z0-9-]+): (.*)$`)
)

// share brings the policies together that say the same.
func share(question string) any {
	out := []any{}
	for _, group := range sharedGroup.Split(question, -1)[1:] {
		labels := map[string][]string{}
		for _, p := range sharedPolicy.FindAllStringSubmatch(group, -1) {
			labels[p[4]] = append(labels[p[4]], p[1])
		}
		for _, description := range slices.Sorted(maps.Keys(labels)) {
			if of := labels[description]; len(of) > 1 && strings.Contains(description, "alike") {
				out = append(out, object{"policies": of, "name": "shared " + strings.Join(of, " "), "description": description})
			}
		}
	}
	return object{"shared": out}
}

func readings(question string) any {
	out := []any{}
	for _, label := range callLabel.FindAllString(question, -1) {
		out = append(out, object{"call": label, "words": "", "reason": "", "verdict": "undecided"})
	}
	return object{"readings": out}
}

func rule(question string, calls bool) any {
	out := object{"variables": []any{}, "require": fmt.Sprintf("session.messages.exists(m, [m.text].exists(t, t.contains(%q)))", ruled(question)), "message": "Say it first."}
	if calls {
		out["calls"] = []any{}
	}
	return out
}

// concerns reports whether a sentence is about a tool.
func (r *reader) concerns(sentence, tool string) bool {
	return slices.ContainsFunc(append([]string{tool}, r.about[tool]...), func(words string) bool { return strings.Contains(sentence, words) })
}

func sentenceNumbers(list string) []int {
	var out []int
	for part := range strings.SplitSeq(list, ", ") {
		first, last, ok := strings.Cut(part, "-")
		if !ok {
			last = first
		}
		for n := number(first); n <= number(last); n++ {
			out = append(out, n)
		}
	}
	return out
}

func number(text string) int {
	var n int
	fmt.Sscan(text, &n)
	return n
}
