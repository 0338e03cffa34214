package change

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/guardtest"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/label"
)

// compareTool compares the policies of a tool, in the order of their names.
func compareTool(ctx context.Context, before, after *tool) []Policy {
	server, name := after.server, after.name
	if name == "" {
		server, name = before.server, before.name
	}
	was, renamed := renames(before, after)
	names := slices.Collect(maps.Keys(after.policies))
	for old := range before.policies {
		if !renamed[old] && after.policies[old] == nil {
			names = append(names, old)
		}
	}

	slices.Sort(names)
	var out []Policy
	for _, policyName := range names {
		c := Policy{Server: server, Tool: name, Policy: policyName, Was: was[policyName]}
		if c.compare(ctx, before.policies[cmp.Or(c.Was, policyName)], after.policies[policyName]) {
			out = append(out, c)
		}
	}

	return out
}

// renames finds policies that have another name and refer to the same sentences:
// a model may call a thing otherwise the next time. It returns what they were
// called, and which names are gone for that.
func renames(before, after *tool) (was map[string]string, renamed map[string]bool) {
	was, renamed = map[string]string{}, map[string]bool{}
	for _, old := range slices.Sorted(maps.Keys(before.policies)) {
		references := sentences(before.policies[old])
		if after.policies[old] != nil || len(references) == 0 {
			continue
		}
		for _, now := range slices.Sorted(maps.Keys(after.policies)) {
			if before.policies[now] == nil && was[now] == "" && slices.Equal(sentences(after.policies[now]), references) {
				was[now], renamed[old] = old, true
				break
			}
		}
	}
	return was, renamed
}

// sentences returns the sentences that a policy refers to, in order.
func sentences(p *policy) []string {
	if p == nil {
		return nil
	}
	var out []string
	for _, r := range p.references() {
		out = append(out, plain(r))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// compare compares a policy with what it was; false when nothing changed.
func (c *Policy) compare(ctx context.Context, before, after *policy) bool {
	switch {
	case before == nil:
		c.Change, before = Added, &policy{}
	case after == nil:
		c.Change, after = Retired, &policy{}
	case before.archived() != after.archived() && after.archived():
		c.Change = Archived
	case before.archived() != after.archived():
		c.Change = Restored
	}

	c.Text = after.text()
	if c.Change == Retired {
		c.Text = before.text()
	}
	c.Status = after.status()
	c.NewlyApproved = before.status() != policydoc.Approved && c.Status == policydoc.Approved
	if after.archived() {
		c.Reason = after.mapped.Reason
	}
	c.Before, c.After = before.enforcement(), after.enforcement()
	old, now := sentences(before), sentences(after)
	c.Gone, c.New = without(old, now), without(now, old)
	if c.Change == Added || c.Change == Retired {
		return true
	}

	c.Description = texts(before.text(), after.text())
	c.Message = texts(before.message(), after.message())
	c.Condition = texts(before.condition(), after.condition())
	if c.Before.checks() && c.After.checks() && c.Condition != nil {
		c.judge(ctx, before, after)
	}
	if c.Change != "" {
		return true
	}

	changed := c.Was != "" || c.Description != nil || c.Message != nil || c.Condition != nil || c.Before != c.After || len(c.Gone)+len(c.New) > 0
	switch {
	case changed:
		c.Change = Changed
	case c.NewlyApproved:
		c.Change = Approved
	}

	return changed || c.NewlyApproved
}

func texts(before, after string) *Texts {
	if before == after {
		return nil
	}
	return &Texts{before, after}
}

// without returns what of a list another doesn't have.
func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
}

// judge has the examples of both sides judged by the rules of both.
func (c *Policy) judge(ctx context.Context, before, after *policy) {
	if before.guard == nil || after.guard == nil { // a duty, or a rule with mistakes
		c.Unknown = true
		return
	}
	for _, e := range examples(before.rule, after.rule) {
		was, is := verdict(ctx, before.guard, e), verdict(ctx, after.guard, e)
		switch {
		case was == "" || is == "":
			c.Undecided = append(c.Undecided, e.Name)
		case severity(is) > severity(was):
			c.Stricter = append(c.Stricter, Example{e.Name, was, is})
		case severity(is) < severity(was):
			c.Laxer = append(c.Laxer, Example{e.Name, was, is})
		}
	}
	c.Unknown = len(c.Stricter)+len(c.Laxer) == 0
}

// examples returns the calls of two rules' examples, each once.
func examples(before, after *guard.Policy) []*guard.Example {
	seen := map[string]bool{}
	var out []*guard.Example
	for _, p := range [...]*guard.Policy{after, before} {
		for i := range p.Examples {
			e := p.Examples[i]
			e.Name, e.Expect = "call", label.Allow // what is expected is not compared
			key := policydoc.RuleFields(&guard.Policy{Examples: []guard.Example{e}})["examples/call"]
			if !seen[key] {
				seen[key] = true
				out = append(out, &p.Examples[i])
			}
		}
	}
	return out
}

// verdict returns what a rule says of an example; empty when it can't be decided.
func verdict(ctx context.Context, g *guard.Guard, e *guard.Example) label.Verdict {
	var r guardtest.Result
	if guardtest.Judge(ctx, g, e, &r); r.Failed != "" {
		return ""
	}
	return r.Got
}
