package change

import (
	"maps"
	"slices"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/policydoc"
	"github.com/remit-project/remit/label"
)

// contents are the policies of a side.
type contents struct{ tools map[string]*tool }

// tool has the policies of a tool, by name.
type tool struct {
	server, name string
	policies     map[string]*policy
}

// policy is a policy with its rule; either may be missing.
type policy struct {
	mapped *policydoc.Policy
	rule   *guard.Policy
	// duty is a duty of the name; those are not compiled, but they bind as well.
	duty *guard.Duty
	// guard judges by the rule alone; nil where it can't.
	guard *guard.Guard
}

func read(s Side) (*contents, error) {
	c := &contents{tools: map[string]*tool{}}
	for _, doc := range s.Directory.Mappings {
		m, err := doc.Mapping()
		if err != nil {
			return nil, err
		}
		for i := range m.Policies {
			c.policy(m.Server, m.Tool, m.Policies[i].Name).mapped = &m.Policies[i]
		}
	}

	files, err := s.Directory.GuardFiles()
	if err != nil {
		return nil, err
	}

	for _, f := range files {
		for i := range f.Policies {
			c.policy(f.Server, f.Tool, f.Policies[i].Name).rule = &f.Policies[i]
		}
		for i := range f.Duties {
			c.policy(f.Server, f.Tool, f.Duties[i].Name).duty = &f.Duties[i]
		}
	}

	for _, g := range s.Guards.Guards() {
		if g.Err() != nil {
			continue
		}
		for i := range g.File.Policies {
			name := g.File.Policies[i].Name
			if one, ok := g.Only(name); ok {
				c.policy(g.File.Server, g.File.Tool, name).guard = one
			}
		}
	}

	return c, nil
}

// policy returns the policy of a tool with a name, a new one where there is none.
func (c *contents) policy(server, name, policyName string) *policy {
	key := policydoc.Key(server, name)
	t := c.tools[key]
	if t == nil {
		t = &tool{server, name, map[string]*policy{}}
		c.tools[key] = t
	}
	if t.policies[policyName] == nil {
		t.policies[policyName] = &policy{}
	}
	return t.policies[policyName]
}

// tool returns what there is of a tool.
func (c *contents) tool(key string) *tool {
	if t := c.tools[key]; t != nil {
		return t
	}
	return &tool{}
}

// refers reports whether a policy refers to a sentence.
func (c *contents) refers(sentence string) bool {
	for t := range maps.Values(c.tools) {
		for p := range maps.Values(t.policies) {
			if slices.ContainsFunc(p.references(), func(r string) bool { return strings.Contains(plain(r), plain(sentence)) }) {
				return true
			}
		}
	}
	return false
}

// plain returns a text in one line.
func plain(text string) string { return strings.Join(strings.Fields(text), " ") }

func (p *policy) text() string {
	switch {
	case p.mapped != nil:
		return plain(p.mapped.Description)
	case p.rule != nil:
		return plain(p.rule.Message)
	case p.duty != nil:
		return plain(p.duty.Message)
	}
	return ""
}

func (p *policy) references() []string {
	switch {
	case p.mapped != nil:
		return p.mapped.References
	case p.rule != nil:
		return p.rule.References
	case p.duty != nil:
		return p.duty.References
	}
	return nil
}

func (p *policy) message() string {
	switch {
	case p.rule != nil:
		return plain(p.rule.Message)
	case p.duty != nil:
		return plain(p.duty.Message)
	}
	return ""
}

// condition returns what a rule or a duty requires, as people read it.
func (p *policy) condition() string {
	var lines []string
	if p.rule != nil {
		for _, v := range p.rule.Variables {
			lines = append(lines, v.Name+": "+v.Value.Canonical())
		}
		if !p.rule.Require.Empty() {
			lines = append(lines, p.rule.Require.Canonical())
		}
	}
	if p.duty != nil {
		if !p.duty.When.Empty() {
			lines = append(lines, "when: "+p.duty.When.Canonical())
		}
		lines = append(lines, p.duty.Require.Canonical())
	}
	return strings.Join(lines, "\n")
}

func (p *policy) enforcement() Enforcement {
	asks := p.rule != nil && p.rule.Otherwise == label.Ask
	switch {
	case p.rule == nil && p.duty == nil:
		return None
	case p.rule == nil, !asks && !p.rule.Require.Empty():
		return Checked
	case asks && !p.rule.Require.Empty():
		return CheckedAsking
	case asks:
		return Asked
	}
	return Denied
}

func (p *policy) status() policydoc.Status {
	if p.mapped == nil {
		return ""
	}
	return p.mapped.Status
}

func (p *policy) archived() bool { return p.status() == policydoc.Archived }
