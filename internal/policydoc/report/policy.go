package report

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/document"
	"github.com/remit-project/remit/internal/policydoc"
)

// Tool is a tool with its policies.
type Tool struct {
	// Key is the tool's [policydoc.Key], Anchor its id in the page.
	Key, Anchor string
	Policies    []*Policy
}

// Policy is a policy with its rule and its state.
type Policy struct {
	PolicyRef
	Status policydoc.Status
	// Digest names what the files say of it, as [policydoc.Directory.Digest] does; empty for
	// a policy that the mapping doesn't have.
	Digest      string
	Description string
	// Reason says why it is archived, or why there is no rule.
	Reason     string
	References []Reference
	// Tools are the tools that share it; empty for a policy of one tool, or of all.
	Tools []string
	// Compliance and Violations are examples in words.
	Compliance, Violations []InWords
	// Rule is nil if there is none.
	Rule *Rule
	// Contested are the tests that were taken out because a second reading of the
	// sentences contradicted them.
	Contested []Contested
	Conflicts []Conflict
	// Handwritten is set for a policy that is only in the guard file.
	Handwritten bool
	// Decisions are the commands to approve, archive or resolve the policy.
	Decisions []Command
}

// InWords is an example in words.
type InWords struct {
	Text string
	// Tested is set where the rule is held to it; Reason says why it isn't.
	Tested bool
	Reason string
}

// inWords are examples of a policy, as its rule is held to them.
func inWords(texts []string, rule *policydoc.LockedRule) []InWords {
	var out []InWords
	for _, t := range texts {
		e := InWords{Text: t}
		if rule != nil && rule.NotEnforced == "" {
			e.Reason = rule.Untested[t]
			e.Tested = e.Reason == ""
		}
		out = append(out, e)
	}
	return out
}

// Reference is a span of the document that a policy rests on.
type Reference struct {
	Text string
	// Sentences are the sentences in which it appears.
	Sentences []document.Sentence
}

// Contested is a test that was taken out.
type Contested struct{ Name, Reason string }

// Conflict is a field with an edit and another value of a later run.
type Conflict struct {
	Field string
	// Mine is the value in the files, Theirs the value of the later run; as YAML.
	Mine, Theirs string
	Decisions    []Command
}

// Command is what to run, for what.
type Command struct{ For, Line string }

// tool adds a tool with its policies; one that is not shown only to the sentences.
func (b *builder) tool(ctx context.Context, key string, set *guard.Set, shown bool) error {
	t := Tool{Key: key, Anchor: fmt.Sprintf("t%d", len(b.report.Tools)+1)}
	rules, err := b.rules(ctx, key, set, shown)
	if err != nil {
		return err
	}

	add := func(policy *Policy) {
		policy.Tool = key
		if shown {
			policy.Anchor = fmt.Sprintf("%s-%d", t.Anchor, len(t.Policies)+1)
		}
		t.Policies = append(t.Policies, policy)
		seen := map[string]bool{}
		for _, r := range policy.References {
			for _, s := range r.Sentences {
				if !seen[s.ID] {
					b.refs[s.ID] = append(b.refs[s.ID], policy.PolicyRef)
				}
				seen[s.ID] = true
			}
		}
	}

	if doc := b.in.Directory.Mappings[key]; doc != nil {
		m, err := doc.Mapping()
		if err != nil {
			return err
		}
		for i := range m.Policies {
			policy, err := b.policy(key, &m.Policies[i], rules[m.Policies[i].Name])
			if err != nil {
				return err
			}
			delete(rules, m.Policies[i].Name)
			add(policy)
		}
	}

	if f := b.files[key]; f != nil {
		for i := range f.Policies {
			if rule := rules[f.Policies[i].Name]; rule != nil {
				add(b.handwritten(key, &f.Policies[i], rule))
			}
		}
	}

	if shown && len(t.Policies) > 0 {
		b.report.Tools = append(b.report.Tools, t)
	}
	return nil
}

// policy returns a policy of the mapping.
func (b *builder) policy(key string, p *policydoc.Policy, rule *Rule) (*Policy, error) {
	locked := policydoc.LockedPolicy{}
	if b.lock != nil {
		locked = b.lock.Policies[key][p.Name]
	}
	policy := &Policy{PolicyRef: PolicyRef{Name: p.Name}, Status: p.Status, Description: p.Description, Reason: p.Reason, Tools: p.Tools, Rule: rule,
		Compliance: inWords(p.Compliance, locked.Rule), Violations: inWords(p.Violations, locked.Rule)}
	for _, r := range p.References {
		policy.References = append(policy.References, Reference{r, b.find(r, locked.Sentences)})
	}
	for _, c := range p.Conflicts {
		mine, err := b.in.Directory.Current(key, p, c.Field)
		if err != nil {
			return nil, err
		}
		resolve := func(side string) string {
			return commandLine("resolve", []string{b.in.Directory.Root, key, p.Name}, "--field", c.Field, side)
		}
		policy.Conflicts = append(policy.Conflicts, Conflict{c.Field, mine, c.Generated, []Command{{"keep what is in the file", resolve("--mine")}, {"take over what the later run says", resolve("--theirs")}}})
	}

	if g := locked.Rule; g != nil {
		for _, name := range slices.Sorted(maps.Keys(g.Contested)) {
			policy.Contested = append(policy.Contested, Contested{name, g.Contested[name]})
		}
		if p.Status != policydoc.Archived && (rule == nil || rule.Require == "" || rule.Partial) {
			policy.Reason = cmp.Or(policy.Reason, g.NotEnforced)
		} else if p.Status != policydoc.Archived && g.Made == "" {
			policy.Reason = cmp.Or(policy.Reason, "its rule was made of what the policy or the document said before: compile again")
		}
		if rule != nil && len(g.Unseen) > 0 {
			rule.Unseen = g.Unseen
			rule.Remarks = append(rule.Remarks, "It compares with what no result shows, no definition lists and the document doesn't quote: "+strings.Join(g.Unseen, ", ")+".")
		}
		if rule != nil && !rule.Mutated {
			rule.Killed, rule.Survived, rule.Measured = g.Killed, g.Survived, g.Killed+g.Survived > 0
		}
	}

	policy.State = stateOfPolicy(policy)
	policy.Decisions = b.decisions(key, policy)
	var err error
	policy.Digest, err = b.in.Directory.Digest(key, p.Name)
	return policy, err
}

func (b *builder) decisions(key string, policy *Policy) []Command {
	about := []string{b.in.Directory.Root, key, policy.Name}
	approve := Command{"approve it", commandLine("approve", about)}
	switch rule := policy.Rule; {
	case rule == nil || len(rule.Tests) == 0:
	case rule.Failing() > 0:
		approve = Command{"approve it although tests fail", commandLine("approve", about, "--failing")}
	default:
		approve.Line = commandLine("approve", about, b.in.Flags...)
	}

	archive := Command{"take it out of force", commandLine("archive", about, "--reason", "WHY")}
	switch policy.Status {
	case policydoc.Approved:
		return []Command{archive}
	case policydoc.Archived:
		approve.For = "bring it back, for the next compilation"
		return []Command{approve}
	}
	return []Command{approve, archive}
}

// handwritten returns a rule that the mapping doesn't know.
func (b *builder) handwritten(key string, p *guard.Policy, rule *Rule) *Policy {
	policy := &Policy{PolicyRef: PolicyRef{Name: p.Name}, Description: p.Message, Rule: rule, Handwritten: true}
	if b.lock != nil && b.lock.Policies[key][p.Name].Rule != nil {
		policy.Handwritten, policy.Reason = false, "its policy is gone: the rule goes when rules are made again"
	}
	for _, r := range p.References {
		policy.References = append(policy.References, Reference{r, b.find(r, nil)})
	}
	policy.State = stateOfPolicy(policy)
	return policy
}

func stateOfPolicy(policy *Policy) State {
	switch {
	case len(policy.Conflicts) > 0:
		return Conflicted
	case policy.Status == policydoc.Archived:
		return Archived
	case policy.Rule == nil:
		return Unguarded
	case policy.Rule.Require == "" || policy.Rule.Broken || policy.Rule.Partial:
		return NotEnforced
	case policy.Status == policydoc.Approved || policy.Handwritten:
		return Approved
	}
	return Enforced
}

// find returns the sentences of the document that have a reference, except headings. Where the
// same words appear several times, the lock knows which are meant.
func (b *builder) find(reference string, locked []string) []document.Sentence {
	q, ok := b.in.Document.Find(reference)
	if !ok {
		return nil
	}

	var out []document.Sentence
	for _, s := range q.Sentences {
		if s.Kind == document.Heading && len(q.Sentences) > 1 {
			continue
		}
		found := false
		for _, id := range locked {
			if known, ok := b.in.Document.Sentence(id); ok && known.Text == s.Text {
				out, found = append(out, known), true
			}
		}
		if !found {
			out = append(out, s)
		}
	}

	return out
}
