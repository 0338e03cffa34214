package eval

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/policydoc"
)

// caseKeys are the members of a case: those that are read, and those that only tell
// people something.
var caseKeys = map[string]bool{
	"id": true, "name": true, "tool": true, "rule": true, "violates": true, "reading": true, "expected": true, "args": true,
	"now": true, "history": true, "assistant_message": true, "given": true,
	"kind": true, "needs": true, "source": true, "api": true, "entails": true, "reading_note": true, "note": true, "comment": true,
}

// checkCases says what of the case files looks wrong: figures of such cases say nothing.
func checkCases(dir string, cases []guardCase, truth *policyTruth, deployment guard.Deployment) []string {
	c := &caseCheck{tools: map[string]bool{}, rules: map[string]bool{}, ruled: map[string]bool{}}
	for _, catalogue := range deployment.Tools {
		for i := range catalogue.Tools {
			c.tools[catalogue.Tools[i].Name] = true
		}
	}
	if truth != nil {
		for i := range truth.Rules {
			c.rules[truth.Rules[i].ID] = true
			for _, tool := range truth.Rules[i].names() {
				c.ruled[tool] = true
			}
		}
	}

	seen := map[string]bool{}
	for i := range cases {
		one := &cases[i]
		if seen[one.ID] {
			c.fail("there is more than one case %q", one.ID)
		}
		seen[one.ID] = true
		c.check(one)
	}
	c.keys(dir)
	return c.notes()
}

// caseCheck collects what looks wrong.
type caseCheck struct {
	// ruled are the tools that the truth has rules of, which may be some of all.
	tools, rules, ruled map[string]bool
	wrong               []string
}

func (c *caseCheck) fail(format string, args ...any) {
	c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
}

func (c *caseCheck) check(one *guardCase) {
	if one.ID == "" {
		c.fail("a case of %s has no id", one.Tool)
	}
	if !c.tools[one.Tool] {
		c.fail("case %s: there is no tool %q", one.ID, one.Tool)
	}
	for _, rule := range append([]string{one.Rule}, one.Violates...) {
		if c.ruled[one.Tool] && rule != "" && !c.rules[rule] {
			c.fail("case %s: the ground truth has no rule %q", one.ID, rule)
		}
	}
	c.history(one)
}

// history checks that every result answers a call, and that the calls are of tools that
// there are.
func (c *caseCheck) history(one *guardCase) {
	open := map[string]bool{}
	for i, raw := range one.History {
		var m struct {
			Role       string
			ToolCallID string `json:"tool_call_id"`
			ToolCalls  []struct {
				ID       string
				Function struct{ Name string }
			} `json:"tool_calls"`
		}
		if err := json.Unmarshal(raw, &m); err != nil {
			c.fail("case %s: message %d of the history: %s", one.ID, i+1, err)
			continue
		}

		for _, call := range m.ToolCalls {
			open[call.ID] = true
			if !c.tools[call.Function.Name] {
				c.fail("case %s: message %d of the history calls %q, which there isn't", one.ID, i+1, call.Function.Name)
			}
		}
		switch m.Role {
		case "tool":
			if !open[m.ToolCallID] {
				c.fail("case %s: message %d of the history is the result of no call", one.ID, i+1)
			}
			delete(open, m.ToolCallID)
		case "user", "assistant", "system":
		default:
			c.fail("case %s: message %d of the history has the role %q", one.ID, i+1, m.Role)
		}
	}
}

// keys looks for members that no check reads.
func (c *caseCheck) keys(dir string) {
	names, err := find(dir, "cases", ".json")
	if err != nil {
		return
	}
	unknown := map[string]bool{}
	for _, name := range names {
		var all []map[string]json.RawMessage
		if readJSON(name, &all) != nil {
			continue
		}
		for _, one := range all {
			for key := range one {
				if !caseKeys[key] {
					unknown[key] = true
				}
			}
		}
	}

	for _, key := range slices.Sorted(maps.Keys(unknown)) {
		c.fail("cases have %q, which means nothing here", key)
	}
}

// notes returns what looks wrong, the first ones.
func (c *caseCheck) notes() []string {
	const most = 12
	out := c.wrong
	if n := len(out) - most; n > 0 {
		out = append(out[:most:most], fmt.Sprintf("and %d more", n))
	}
	if len(out) == 0 {
		return nil
	}
	return []string{"the cases have mistakes: " + strings.Join(out, "; ")}
}

// know takes the sentences of the truth's rules and of the mapping's policies, so that a
// denial can be held to the rule that the case breaks.
func (m *guardMeasure) know(d *policydoc.Directory, truth *policyTruth, find quoted) error {
	if truth == nil || find == nil {
		return nil
	}
	m.broken, m.mapped = map[string]map[string]bool{}, map[GuardPolicy]map[string]bool{}
	for i := range truth.Rules {
		r := &truth.Rules[i]
		m.broken[r.ID] = find.item(nameOf(r), r.Kind, r.References).sentences
	}
	mappings, err := mappingsOf(d)
	for _, mapping := range mappings {
		for i := range mapping.Policies {
			p := &mapping.Policies[i]
			m.mapped[GuardPolicy{mapping.Tool, p.Name}] = find.item(p.Name, "", p.References).sentences
		}
	}
	return err
}
