package policydoc

import (
	"github.com/remit-project/remit/internal/strictyaml"
)

// MappingEditor edits a mapping file and keeps its comments and layout.
type MappingEditor struct{ yaml *strictyaml.Document }

// NewMapping returns an editor of a new file for a tool, without policies.
func NewMappingEditor(name, server, tool string) *MappingEditor {
	root := strictyaml.NewMapping()
	strictyaml.Set(root, "tool", strictyaml.NewText(tool))
	if server != "" {
		strictyaml.Set(root, "server", strictyaml.NewText(server))
	}
	strictyaml.Set(root, "policies", strictyaml.NewList())
	return &MappingEditor{&strictyaml.Document{Name: name, Root: root}}
}

// EditMapping returns an editor of a mapping file. [LoadMapping] must accept the file.
func EditMapping(name string, data []byte) (*MappingEditor, error) {
	if _, err := LoadMapping(name, data); err != nil {
		return nil, err
	}
	d, err := strictyaml.Open(name, data)
	if err != nil {
		return nil, err
	}
	return &MappingEditor{d}, nil
}

// Mapping returns the mapping as edited so far.
func (d *MappingEditor) Mapping() (*Mapping, error) {
	data, err := d.Marshal()
	if err != nil {
		return nil, err
	}
	return LoadMapping(d.yaml.Name, data)
}

// Marshal returns the YAML of the file.
func (d *MappingEditor) Marshal() ([]byte, error) { return d.yaml.Marshal() }

// Edit runs edits. If they result in a file that [LoadMapping] refuses, it undoes them
// and returns the error.
func (d *MappingEditor) Edit(edits func()) error {
	before := d.yaml.Copy()
	edits()
	if _, err := d.Mapping(); err != nil {
		d.yaml = before
		return err
	}
	return nil
}

// Put adds a policy at the end, or replaces the policy of the same name. It rewrites
// only the keys whose values differ.
func (d *MappingEditor) Put(i *Policy) {
	_, written := strictyaml.Member(d.yaml.Entry("policies", "name", i.Name), "status")
	d.yaml.Put("policies", "name", i.node(written != nil))
}

// Remove removes a policy, and reports whether there was one of that name.
func (d *MappingEditor) Remove(name string) bool { return d.yaml.Remove("policies", "name", name) }

// node returns the YAML of a policy. It has a status if that isn't [Proposed], or if
// status is set.
func (i *Policy) node(status bool) *strictyaml.Node {
	n := strictyaml.NewMapping()
	text := func(key, text string) {
		if text != "" {
			strictyaml.Set(n, key, strictyaml.NewText(text))
		}
	}

	texts := func(key string, texts []string) {
		if len(texts) > 0 {
			strictyaml.Set(n, key, strictyaml.NewTexts(texts))
		}
	}

	strictyaml.Set(n, "name", strictyaml.NewText(i.Name))
	strictyaml.Set(n, "description", strictyaml.NewText(i.Description))
	texts("tools", i.Tools)
	texts("references", i.References)
	if status || i.status() != Proposed {
		text("status", string(i.status()))
	}
	text("reason", i.Reason)
	texts("compliance_examples", i.Compliance)
	texts("violation_examples", i.Violations)
	if len(i.Conflicts) > 0 {
		list := strictyaml.NewList()
		for _, c := range i.Conflicts {
			entry := strictyaml.NewMapping()
			strictyaml.Set(entry, "field", strictyaml.NewText(c.Field))
			strictyaml.Set(entry, "generated", strictyaml.NewText(c.Generated))
			list.Content = append(list.Content, entry)
		}
		strictyaml.Set(n, "conflicts", list)
	}

	return n
}

// status returns the policy's status: proposed where the file doesn't say.
func (i *Policy) status() Status {
	if i.Status == "" {
		return Proposed
	}
	return i.Status
}

// edit writes the sentences into the file.
func (u *Unmapped) edit(d *strictyaml.Document) {
	root := strictyaml.NewMapping()
	strictyaml.Set(root, "document", strictyaml.NewText(u.Document))
	list := strictyaml.NewList()
	for _, s := range u.Sentences {
		entry := strictyaml.NewMapping()
		strictyaml.Set(entry, "text", strictyaml.NewText(s.Text))
		strictyaml.Set(entry, "reason", strictyaml.NewText(s.Reason))
		list.Content = append(list.Content, entry)
	}
	strictyaml.Set(root, "sentences", list)
	d.Replace(root)
}
