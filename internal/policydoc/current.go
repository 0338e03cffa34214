package policydoc

import "strings"

// Current returns a field of a policy, or of its rule, as the files have it, named and
// formatted as in a [Conflict].
func (d *Directory) Current(key string, i *Policy, field string) (string, error) {
	of, ok := strings.CutPrefix(field, fieldRule)
	if !ok {
		return i.render(field), nil
	}
	rule, err := d.rule(key, i.Name)
	if err != nil || rule == nil {
		return "", err
	}
	return renderRule(rule, of), nil
}
