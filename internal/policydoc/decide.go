package policydoc

import (
	"fmt"
	"maps"
	"slices"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/strictyaml"
)

// Approve records that a person reviewed a policy and found it right. A policy that was
// archived gets its rule with the next compilation.
func (d *Directory) Approve(key, name string) error {
	return d.decide(key, name, func(i *Policy) error {
		i.judge(Approved, "")
		return nil
	})
}

// Archive removes a policy's rule. The policy stays in the mapping, with the reason.
func (d *Directory) Archive(key, name, reason string) error {
	return d.decide(key, name, func(i *Policy) error {
		i.judge(Archived, reason)
		if g := d.Guards[key]; g != nil {
			g.Remove(name)
		}
		return nil
	})
}

// judge sets the status, and resolves a conflict about it.
func (i *Policy) judge(status Status, reason string) {
	i.Status, i.Reason = status, reason
	i.Conflicts = slices.DeleteFunc(i.Conflicts, func(c Conflict) bool { return c.Field == fieldStatus })
}

// Resolve resolves a conflict about a field: with theirs, the field gets the value of the
// later run; otherwise it keeps the edit.
func (d *Directory) Resolve(key, name, field string, theirs bool) error {
	return d.decide(key, name, func(i *Policy) error {
		at := slices.IndexFunc(i.Conflicts, func(c Conflict) bool { return c.Field == field })
		if at < 0 {
			var fields []string
			for _, c := range i.Conflicts {
				fields = append(fields, c.Field)
			}
			if len(fields) == 0 {
				return fmt.Errorf("the policy %s of %s has no conflicts", name, strictyaml.Clip(key))
			}
			return fmt.Errorf("the policy %s of %s has no conflict about %q: %s", name, strictyaml.Clip(key), strictyaml.Clip(field), strictyaml.DidYouMean(field, fields))
		}
		c := i.Conflicts[at]
		i.Conflicts = slices.Delete(i.Conflicts, at, at+1)
		switch {
		case !theirs:
			return nil
		case !c.OfRule():
			return i.accept(c)
		}
		rule, err := d.rule(key, name)
		if err != nil {
			return err
		}
		if rule == nil {
			return fmt.Errorf("the policy %s of %s no longer has a rule: keep your version", name, strictyaml.Clip(key))
		}
		if err := acceptRule(rule, c); err != nil {
			return err
		}
		return d.Guards[key].Put(rule)
	})
}

// MappingOf returns the mapping of a tool as edited so far.
func (d *Directory) MappingOf(key string) (*Mapping, error) {
	doc := d.Mappings[key]
	if doc == nil {
		if len(d.Mappings) == 0 {
			return nil, fmt.Errorf("%s has no mapping: name a directory that a policy document was compiled into", d.Root)
		}
		return nil, fmt.Errorf("there is no mapping of %q: %s", strictyaml.Clip(key), strictyaml.DidYouMean(key, slices.Sorted(maps.Keys(d.Mappings))))
	}
	return doc.Mapping()
}

// Policy returns the policy with a name.
func (m *Mapping) Policy(name string) (*Policy, error) {
	var names []string
	for i := range m.Policies {
		if m.Policies[i].Name == name {
			return &m.Policies[i], nil
		}
		names = append(names, m.Policies[i].Name)
	}
	return nil, fmt.Errorf("%s has no policy %q: %s", strictyaml.Clip(Key(m.Server, m.Tool)), strictyaml.Clip(name), strictyaml.DidYouMean(name, names))
}

// decide edits a policy of a tool.
func (d *Directory) decide(key, name string, edit func(*Policy) error) error {
	m, err := d.MappingOf(key)
	if err != nil {
		return err
	}
	policy, err := m.Policy(name)
	if err != nil {
		return err
	}
	if err := edit(policy); err != nil {
		return err
	}
	d.Mappings[key].Put(policy)
	return nil
}

// rule returns the rule of a policy; nil where it has none.
func (d *Directory) rule(key, name string) (*guard.Policy, error) {
	doc := d.Guards[key]
	if doc == nil {
		return nil, nil
	}
	f, err := doc.File()
	if err != nil {
		return nil, err
	}
	for i := range f.Policies {
		if f.Policies[i].Name == name {
			return &f.Policies[i], nil
		}
	}
	return nil, nil
}

// Digest names a policy of a tool by all that its files say of it, its rule and tests
// included: a person who decides about it says with the digest what was looked at.
func (d *Directory) Digest(key, name string) (string, error) {
	m, err := d.MappingOf(key)
	if err != nil {
		return "", err
	}
	policy, err := m.Policy(name)
	if err != nil {
		return "", err
	}
	entry, err := strictyaml.Dump(policy.node(true))
	if err != nil {
		return "", err
	}

	rule, err := d.rule(key, name)
	if err != nil {
		return "", err
	}
	written := []byte{}
	if rule != nil {
		if written, err = guard.WrittenOut(rule); err != nil {
			return "", err
		}
	}
	return hashTexts(string(entry), string(written)), nil
}

// settle takes out the conflicts that people settled by editing the files.
func (d *Directory) settle() error {
	for key, doc := range d.Mappings {
		m, err := doc.Mapping()
		if err != nil {
			return err
		}

		for i := range m.Policies {
			policy := &m.Policies[i]
			before := len(policy.Conflicts)
			if before == 0 {
				continue
			}
			rule, err := d.rule(key, policy.Name)
			if err != nil {
				return err
			}
			if policy.settle(rule); len(policy.Conflicts) < before {
				doc.Put(policy)
			}
		}
	}

	return nil
}
