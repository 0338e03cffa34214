package policydoc

import (
	"github.com/remit-project/remit/internal/strictyaml"
)

// MappingDocument is a mapping file that a program edits: see
// [strictyaml.Document].
type MappingDocument struct{ yaml *strictyaml.Document }

// NewMapping makes a file with the policies of a tool and none so far.
func NewMapping(name, server, tool string) *MappingDocument {
	root := strictyaml.NewMapping()
	strictyaml.Set(root, "tool", strictyaml.NewText(tool))
	if server != "" {
		strictyaml.Set(root, "server", strictyaml.NewText(server))
	}
	strictyaml.Set(root, "policies", strictyaml.NewList())
	return &MappingDocument{&strictyaml.Document{Name: name, Root: root}}
}

// OpenMapping reads a file to be edited. It must be one that [LoadMapping] reads.
func OpenMapping(name string, data []byte) (*MappingDocument, error) {
	if _, err := LoadMapping(name, data); err != nil {
		return nil, err
	}
	d, err := strictyaml.Open(name, data)
	if err != nil {
		return nil, err
	}
	return &MappingDocument{d}, nil
}

// Mapping reads the document as it is now.
func (d *MappingDocument) Mapping() (*Mapping, error) {
	data, err := d.Marshal()
	if err != nil {
		return nil, err
	}
	return LoadMapping(d.yaml.Name, data)
}

// Marshal writes the document.
func (d *MappingDocument) Marshal() ([]byte, error) { return d.yaml.Marshal() }

// Edit runs edits of the document. Where they come to a file that can't be read, it
// stays as it was, and the error says why.
func (d *MappingDocument) Edit(edits func()) error {
	before := d.yaml.Copy()
	edits()
	if _, err := d.Mapping(); err != nil {
		d.yaml = before
		return err
	}
	return nil
}

// Put adds a policy at the end, or changes the one of its name. Of that, only
// the keys are touched whose values differ.
func (d *MappingDocument) Put(i *Item) {
	_, written := strictyaml.Member(d.yaml.Entry("policies", "name", i.Name), "status")
	d.yaml.Put("policies", "name", i.node(written != nil))
}

// Remove takes a policy out; false when there is none of the name.
func (d *MappingDocument) Remove(name string) bool { return d.yaml.Remove("policies", "name", name) }

// node writes a policy; that it is proposed, only where it is asked for.
func (i *Item) node(status bool) *strictyaml.Node {
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

// status is the item's status; what was not said is proposed.
func (i *Item) status() Status {
	if i.Status == "" {
		return Proposed
	}
	return i.Status
}

// edit makes the file say what the sentences are.
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
