package change

import (
	"fmt"
	"strings"

	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/label"
)

// Statement is one thing that changes, in words.
type Statement struct {
	// Says are the program's words.
	Says string
	// Quote is what the document or a person says; it may be empty.
	Quote string
	// Rule are the lines of a rule, where they are what it is about.
	Rule []string
}

// Headline says what becomes of a policy.
func (p *Policy) Headline() string {
	switch {
	case p.Change == Added && p.Status == policydoc.Archived:
		return "added, archived"
	case p.Change == Changed && p.Was != "":
		return "renamed"
	case p.Change == Changed && p.Loosens() && p.Tightens():
		return "stricter and laxer"
	case p.Change == Changed && p.Loosens():
		return "laxer"
	case p.Change == Changed && p.Tightens():
		return "stricter"
	}
	return string(p.Change)
}

// Statements says in words what changes about a policy.
func (p *Policy) Statements() []Statement {
	var out []Statement
	add := func(says, quote string) { out = append(out, Statement{Says: says, Quote: quote}) }
	if p.Was != "" {
		add("it was called", p.Was)
	}
	if p.NewlyApproved && p.Change != Approved {
		add("it is approved now", "")
	}
	if p.Reason != "" {
		add("because", p.Reason)
	}
	if d := p.Description; d != nil {
		add("it said", d.Before)
		add("it says now", d.After)
	}

	for _, s := range p.Gone {
		add("the document's sentence before", s)
	}
	for _, s := range p.New {
		add("the document's sentence now", s)
	}

	if says := p.enforcement(); says != "" {
		add(says, "")
	}

	for _, e := range p.Stricter {
		add(fmt.Sprintf("stricter: %s now, %s before, in the example", comesTo(e.After), comesTo(e.Before)), e.Name)
	}
	for _, e := range p.Laxer {
		add(fmt.Sprintf("laxer: %s now, %s before, in the example", comesTo(e.After), comesTo(e.Before)), e.Name)
	}
	for _, name := range p.Undecided {
		add("only one of the two rules can judge the example", name)
	}
	if p.Unknown {
		add("the rule is another, and no example tells the difference: read both", "")
	}
	if c := p.Condition; c != nil {
		out = append(out, rules(c)...)
	}
	if m := p.Message; m != nil && m.After != "" {
		add("the agent is told now", m.After)
	}
	return out
}

// rules shows the lines of a condition that one side alone has.
func rules(c *Texts) []Statement {
	before, after := strings.Split(c.Before, "\n"), strings.Split(c.After, "\n")
	says := "the rule"
	if len(without(before, after)) < len(before) {
		says = "what differs in the rule,"
	}
	var out []Statement
	for _, side := range [...]struct {
		when  string
		lines []string
	}{{"before", without(before, after)}, {"now", without(after, before)}} {
		if strings.Join(side.lines, "") != "" {
			out = append(out, Statement{Says: says + " " + side.when, Rule: side.lines})
		}
	}
	return out
}

// enforcement says what changes about how a policy is enforced.
func (p *Policy) enforcement() string {
	if p.Before == p.After && p.Change != Added {
		return ""
	}

	_, worst := p.After.bounds()
	_, before := p.Before.bounds()
	switch {
	case p.After == None && p.Before == None:
		return "it is not enforced"
	case p.After == None:
		return "it is no longer enforced"
	case p.After.checks() && p.Before.checks():
		return "calls that break it are " + comesTo(worst) + " now, and " + comesTo(before) + " before"
	case p.After.checks() && p.Before == None:
		return "calls are checked for it now"
	case p.After.checks():
		return "calls are checked for it now, instead of every call being " + comesTo(before)
	case p.Before.checks():
		return "it is no longer checked: every call is " + comesTo(worst)
	}

	return "it can't be checked: every call is " + comesTo(worst)
}

func comesTo(v label.Verdict) string {
	switch v {
	case label.Allow:
		return "allowed"
	case label.Ask:
		return "held back for a person"
	}
	return "denied"
}
