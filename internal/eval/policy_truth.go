package eval

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/remit-project/remit/internal/policydoc"
)

// policyTruth is what a policy document demands of tool calls, as people read it.
type policyTruth struct {
	// Kinds says what the kinds of rules mean.
	Kinds map[string]string
	// WithoutRules are the tools without rules.
	WithoutRules []string `json:"tools_without_rules"`
	Rules        []truthRule
}

type truthRule struct {
	ID, Name, Kind, Description string
	Tool                        truthTools
	References                  []string
	Compliance                  *truthExample `json:"compliance_example"`
	Violation                   *truthExample `json:"violation_example"`
}

type truthExample struct {
	Text      string
	Arguments json.RawMessage
}

// truthTools are the tools of a rule, one or a list. A rule about every tool says
// none, or [policydoc.EveryTool] or a word for it.
type truthTools []string

// UnmarshalJSON implements [json.Unmarshaler].
func (t *truthTools) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*t = truthTools{one}
	} else if err := json.Unmarshal(data, (*[]string)(t)); err != nil {
		return errors.New("the tool of a rule must be a name or a list of names")
	}
	for i, name := range *t {
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "", "*", "any", "all", "every tool", "all tools", "any tool":
			(*t)[i] = policydoc.EveryTool
		}
	}
	return nil
}

// names returns the tools of a rule.
func (r *truthRule) names() []string {
	if len(r.Tool) == 0 {
		return []string{policydoc.EveryTool}
	}
	return r.Tool
}

// readTruth merges the files of a ground truth.
func readTruth(names []string) (*policyTruth, error) {
	all := &policyTruth{Kinds: map[string]string{}}
	for _, name := range names {
		var t policyTruth
		if err := readJSON(name, &t); err != nil {
			return nil, err
		}
		if len(t.Rules)+len(t.WithoutRules) == 0 {
			return nil, fmt.Errorf("%s: the ground truth has no rules: write {\"rules\": [{\"tool\": …, \"references\": […]}, …], \"tools_without_rules\": […]}", name)
		}
		for kind, meaning := range t.Kinds {
			all.Kinds[kind] = meaning
		}
		all.Rules = append(all.Rules, t.Rules...)
		all.WithoutRules = append(all.WithoutRules, t.WithoutRules...)
	}
	return all, nil
}

// tools returns the tools that the truth knows the rules of, in order; rules about every tool
// apart.
func (t *policyTruth) tools() []string {
	out := slices.Clone(t.WithoutRules)
	for i := range t.Rules {
		for _, tool := range t.Rules[i].names() {
			if tool != policydoc.EveryTool {
				out = append(out, tool)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// hasNoCheck reports whether a kind of rule has no check: the tool's schema
// enforces it, it takes judgement, or it only permits.
func hasNoCheck(kind string) bool {
	return kind == "schema" || kind == "semantic" || kind == "permission"
}

// mappings returns the rules as mapping files, by tool. Rules without a check are
// archived.
func (t *policyTruth) mappings() []*policydoc.Mapping {
	byTool := map[string]*policydoc.Mapping{}
	var out []*policydoc.Mapping
	for i := range t.Rules {
		r := &t.Rules[i]
		for _, tool := range r.names() {
			m := byTool[tool]
			if m == nil {
				m = &policydoc.Mapping{Tool: tool}
				byTool[tool], out = m, append(out, m)
			}
			item := t.item(r)
			item.Name = freeName(item.Name, m)
			m.Policies = append(m.Policies, item)
		}
	}
	slices.SortFunc(out, func(a, b *policydoc.Mapping) int { return cmp.Compare(a.Tool, b.Tool) })
	return out
}

func (t *policyTruth) item(r *truthRule) policydoc.Policy {
	item := policydoc.Policy{Name: hyphenate(cmp.Or(r.Name, r.ID, "policy")), Description: cmp.Or(r.Description, r.Name),
		References: r.References, Status: policydoc.Approved, Compliance: r.Compliance.words(), Violations: r.Violation.words()}
	if hasNoCheck(r.Kind) {
		item.Status, item.Reason = policydoc.Archived, cmp.Or(t.Kinds[r.Kind], r.Kind)
	}
	return item
}

func (e *truthExample) words() []string {
	if e == nil || e.Text == "" {
		return nil
	}
	var arguments bytes.Buffer
	if json.Compact(&arguments, e.Arguments) != nil {
		return []string{e.Text} // it has none
	}
	return []string{e.Text + " (" + arguments.String() + ")"}
}

// maxHyphened leaves room for a number after the name of a policy, which has 100 bytes at most.
const maxHyphened = 90

// hyphenate returns a text as a policy's name: lower-case words with hyphens
// between.
func hyphenate(text string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(text) {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(r)
	}
	name := b.String()
	return cmp.Or(strings.TrimRight(name[:min(len(name), maxHyphened)], "-"), "policy")
}

// freeName returns the name, with a number if a policy has it already.
func freeName(name string, m *policydoc.Mapping) string {
	free := name
	for n := 2; slices.ContainsFunc(m.Policies, func(i policydoc.Policy) bool { return i.Name == free }); n++ {
		free = name + "-" + strconv.Itoa(n)
	}
	return free
}
