package policydoc

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/guard"
	"github.com/remit-project/remit/internal/strictyaml"
	"github.com/remit-project/remit/label"
)

// The generated fields of a policy in the mapping, by their keys. The status is not one
// of them: people set it.
const (
	fieldDescription = "description"
	fieldTools       = "tools"
	fieldReferences  = "references"
	fieldCompliance  = "compliance_examples"
	fieldViolations  = "violation_examples"
)

// The generated fields of a rule, by their keys in the guard file; each example is one.
// The variables belong to the condition: neither means anything without the other.
const (
	fieldRequire   = "require"
	fieldMessage   = "message"
	fieldOtherwise = "otherwise"
	fieldExample   = "examples/"
)

// Fields returns hashes of the policy's generated fields, by their keys in the mapping
// file. Line breaks of a text don't matter. The status and its reason are not included:
// people set them.
func (i *Policy) Fields() map[string]string {
	out := map[string]string{
		fieldDescription: hashWords(i.Description),
		fieldReferences:  hashWords(i.References...),
		fieldCompliance:  hashWords(i.Compliance...),
		fieldViolations:  hashWords(i.Violations...),
	}
	if len(i.Tools) > 0 {
		out[fieldTools] = hashWords(i.Tools...)
	}
	return out
}

// RuleFields returns hashes of a rule's fields, by their keys in the guard file; the
// key of an example is "examples/" and its name. Comments and spaces in expressions
// don't matter. The name and the references are not included: they are the mapping's.
func RuleFields(p *guard.Policy) map[string]string {
	out := map[string]string{
		fieldRequire:   hashTexts(conditionOf(p)...),
		fieldMessage:   hashWords(p.Message),
		fieldOtherwise: hashTexts(string(cmp.Or(p.Otherwise, label.Deny))),
	}
	nodes, err := exampleNodes(p)
	for i, name := range exampleNames(p) {
		if err != nil { // no file can hold them, so that there is nothing to compare
			out[fieldExample+name] = hashTexts(err.Error())
			continue
		}
		out[fieldExample+name] = hashTexts(strictyaml.Meaning(nodes[i]))
	}
	return out
}

// conditionOf returns what a rule requires, and its variables. It sorts the variables,
// since their order doesn't change their meaning.
func conditionOf(p *guard.Policy) []string {
	out := make([]string, 0, len(p.Variables)+1)
	for _, v := range p.Variables {
		out = append(out, v.Name+" = "+v.Value.Canonical())
	}
	slices.Sort(out)
	return append(out, p.Require.Canonical())
}

// exampleNames returns the names of a rule's examples, with a number after a name that
// occurs before.
func exampleNames(p *guard.Policy) []string {
	seen := map[string]bool{}
	out := make([]string, len(p.Examples))
	for i := range p.Examples {
		name := p.Examples[i].Name
		for n := 2; seen[name]; n++ {
			name = fmt.Sprintf("%s#%d", p.Examples[i].Name, n)
		}
		seen[name], out[i] = true, name
	}
	return out
}

// exampleNodes returns the YAML of a rule's examples.
func exampleNodes(p *guard.Policy) ([]*strictyaml.Node, error) {
	n, err := policyNode(&guard.Policy{Name: "a", Message: "a", Examples: p.Examples})
	if err != nil {
		return nil, err
	}
	_, list := strictyaml.Member(n, "examples")
	if list == nil {
		return nil, nil
	}
	return list.Content, nil
}

// policyNode returns the YAML of a rule in a guard file.
func policyNode(p *guard.Policy) (*strictyaml.Node, error) {
	data, err := guard.WrittenOut(p)
	if err != nil {
		return nil, err
	}
	root, err := strictyaml.Parse(data)
	if err != nil {
		return nil, err
	}
	_, list := strictyaml.Member(root, "policies")
	return list.Content[0], nil
}

// hashWords hashes texts, with any white space as one space.
func hashWords(texts ...string) string {
	words := make([]string, len(texts))
	for i, t := range texts {
		words[i] = strings.Join(strings.Fields(t), " ")
	}
	return hashTexts(words...)
}

// hashTexts hashes texts exactly. Half of a SHA-256 is enough to tell edits apart.
func hashTexts(texts ...string) string {
	h := sha256.New()
	for _, t := range texts {
		fmt.Fprintf(h, "%q\n", t)
	}
	return hex.EncodeToString(h.Sum(nil)[:sha256.Size/2])
}
