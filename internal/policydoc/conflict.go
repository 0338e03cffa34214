package policydoc

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/strictyaml"
	"github.com/remit-project/remit/label"
)

const (
	// fieldRule is the prefix of the fields of a rule, which are in the guard file.
	fieldRule = "guard/"
	// fieldStatus is the status together with its reason.
	fieldStatus = "status"
)

// OfRule reports whether the conflict is about the rule in the guard file.
func (c Conflict) OfRule() bool { return strings.HasPrefix(c.Field, fieldRule) }

// render returns the YAML of a field; empty if it has no value.
func (i *Policy) render(field string) string {
	n := i.node(true)
	_, value := strictyaml.Member(n, field)
	if _, reason := strictyaml.Member(n, "reason"); field == fieldStatus && reason != nil {
		unit := strictyaml.NewMapping()
		strictyaml.Set(unit, fieldStatus, value)
		strictyaml.Set(unit, "reason", reason)
		value = unit
	}
	return render(value)
}

// renderRule returns the YAML of a field of a rule.
func renderRule(p *guard.Policy, field string) string {
	if name, ok := strings.CutPrefix(field, fieldExample); ok {
		nodes, err := exampleNodes(p)
		at := slices.Index(exampleNames(p), name)
		if err != nil || at < 0 {
			return ""
		}
		return render(nodes[at])
	}

	n, err := policyNode(&guard.Policy{Name: "a", Message: p.Message, Variables: p.Variables, Require: p.Require})
	switch {
	case err != nil:
		return ""
	case field == fieldOtherwise:
		return render(strictyaml.NewText(string(cmp.Or(p.Otherwise, label.Deny))))
	}

	_, value := strictyaml.Member(n, field)
	if _, variables := strictyaml.Member(n, "variables"); field == fieldRequire && variables != nil {
		unit := strictyaml.NewMapping()
		strictyaml.Set(unit, "variables", variables)
		if value != nil {
			strictyaml.Set(unit, fieldRequire, value)
		}
		value = unit
	}

	return render(value)
}

func render(n *strictyaml.Node) string {
	if n == nil {
		return ""
	}
	data, err := strictyaml.Dump(n)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// accept sets a field of the policy to the value of the later run.
func (i *Policy) accept(c Conflict) error {
	from := Policy{Status: Proposed}
	if c.Generated != "" {
		entry := strictyaml.NewMapping()
		strictyaml.Set(entry, "name", strictyaml.NewText("a"))
		if c.Field != fieldDescription {
			strictyaml.Set(entry, fieldDescription, strictyaml.NewText("a"))
		}
		data, err := generated(c, entry, fieldStatus)
		if err != nil {
			return err
		}
		m, err := LoadMapping("generated", data)
		if err != nil {
			return c.mistake(err)
		}
		from = m.Policies[0]
	}

	i.take(c.Field, &from)
	return nil
}

// acceptRule sets a field of a rule to the value of the later run.
func acceptRule(p *guard.Policy, c Conflict) error {
	field := strings.TrimPrefix(c.Field, fieldRule)
	name, isExample := strings.CutPrefix(field, fieldExample)
	at := slices.Index(exampleNames(p), name)
	if c.Generated == "" {
		switch {
		case field == fieldRequire:
			p.Variables, p.Require = nil, guard.Expression{}
		case isExample && at >= 0:
			p.Examples = slices.Delete(slices.Clone(p.Examples), at, at+1)
		}
		return nil
	}

	entry := strictyaml.NewMapping()
	strictyaml.Set(entry, "name", strictyaml.NewText("a"))
	if field != fieldMessage {
		strictyaml.Set(entry, fieldMessage, strictyaml.NewText("a"))
	}
	data, err := generated(c, entry, fieldRequire)
	if err != nil {
		return err
	}
	f, err := guard.Load("generated", data)
	if err != nil {
		return c.mistake(err)
	}

	switch from := f.Policies[0]; {
	case field == fieldRequire:
		p.Variables, p.Require = from.Variables, from.Require
	case field == fieldMessage:
		p.Message = from.Message
	case field == fieldOtherwise:
		p.Otherwise = from.Otherwise
	case !isExample:
		return c.mistake(errors.New("rules have no such field"))
	case at >= 0:
		p.Examples = slices.Clone(p.Examples)
		p.Examples[at] = from.Examples[0]
	default:
		p.Examples = append(slices.Clone(p.Examples), from.Examples[0])
	}

	return nil
}

// generated returns a file with one entry, which has the value of the later run. A
// conflict has the members of a unit on a line each.
func generated(c Conflict, entry *strictyaml.Node, unit string) ([]byte, error) {
	value, err := strictyaml.Parse([]byte(c.Generated))
	if err != nil {
		return nil, c.mistake(err)
	}

	field, tool := strings.TrimPrefix(c.Field, fieldRule), "a"
	switch {
	case strings.HasPrefix(field, fieldExample):
		strictyaml.Set(entry, "examples", strictyaml.NewList(value))
		if _, called := strictyaml.Member(value, "tool"); called != nil {
			tool = EveryTool // only examples of such rules name the tool
		}
	case field == unit && len(value.Content) > 0 && strictyaml.IsMapping(value):
		entry.Content = append(entry.Content, value.Content...)
	default:
		strictyaml.Set(entry, field, value)
	}

	root := strictyaml.NewMapping()
	strictyaml.Set(root, "tool", strictyaml.NewText(tool))
	strictyaml.Set(root, "policies", strictyaml.NewList(entry))
	return strictyaml.Dump(root)
}

func (c Conflict) mistake(err error) error {
	return fmt.Errorf("the generated value of the conflict about %s is not valid: %w", strictyaml.Clip(c.Field), err)
}

// settle removes the conflicts whose field already has the value of the later run. The
// rule is nil if there is none.
func (i *Policy) settle(rule *guard.Policy) {
	i.Conflicts = slices.DeleteFunc(i.Conflicts, func(c Conflict) bool {
		if !c.OfRule() {
			would := i.clone()
			if would.accept(c) != nil {
				return false
			}
			if c.Field == fieldStatus {
				return would.Status == i.status()
			}
			return would.Fields()[c.Field] == i.Fields()[c.Field]
		}
		if rule == nil {
			return true
		}
		would := *rule
		field := strings.TrimPrefix(c.Field, fieldRule)
		return acceptRule(&would, c) == nil && RuleFields(&would)[field] == RuleFields(rule)[field]
	})
}
