package guard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/remit-project/remit/strictyaml"
)

// Document is a guard file that a program edits. What it doesn't touch stays as
// people wrote it: comments, order, and the way in which texts are written, but
// for where folded lines break.
type Document struct {
	name string
	root *yaml.Node
}

// NewDocument makes a file with the rules of a tool and none so far.
func NewDocument(name, server, tool string) *Document {
	root := &yaml.Node{Kind: yaml.MappingNode}
	set(root, "tool", textNode(tool))
	if server != "" {
		set(root, "server", textNode(server))
	}
	set(root, "policies", &yaml.Node{Kind: yaml.SequenceNode})
	return &Document{name, root}
}

// Open reads a file to be edited. It must be one that [Load] reads.
func Open(name string, data []byte) (*Document, error) {
	if _, err := Load(name, data); err != nil {
		return nil, err
	}
	var doc yaml.Node
	if err := yaml.Load(data, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	root := &doc
	if doc.Kind == yaml.DocumentNode {
		root = doc.Content[0]
		root.HeadComment = joined(doc.HeadComment, root.HeadComment)
		root.FootComment = joined(root.FootComment, doc.FootComment)
	}
	return &Document{name, root}, nil
}

func joined(a, b string) string { return strings.TrimSpace(a + "\n\n" + b) }

// File reads the document as it is now.
func (d *Document) File() (*File, error) {
	data, err := d.Marshal()
	if err != nil {
		return nil, err
	}
	return Load(d.name, data)
}

// Marshal writes the document.
func (d *Document) Marshal() ([]byte, error) {
	// Writing takes away what plain texts were read as, so that a copy is written.
	data, err := yaml.Dump(copyOf(d.root), yaml.WithIndent(2), yaml.WithCompactSeqIndent(false), yaml.WithLineWidth(-1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.name, err)
	}
	return data, nil
}

func copyOf(n *yaml.Node) *yaml.Node {
	c := *n
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, child := range n.Content {
		c.Content[i] = copyOf(child)
	}
	return &c
}

// Put adds a policy at the end, or changes the one of its name. Of that, only
// the keys are touched whose values differ.
func (d *Document) Put(p *Policy) error {
	list := get(d.root, "policies")
	if list == nil {
		list = &yaml.Node{Kind: yaml.SequenceNode}
		set(d.root, "policies", list)
	}
	if list.Kind != yaml.SequenceNode { // nothing was written
		list.Kind, list.Tag, list.Value = yaml.SequenceNode, "", ""
	}
	fresh, err := policyNode(p)
	if err != nil {
		return fmt.Errorf("policy %q: %w", p.Name, err)
	}
	at := d.find(p.Name)
	if at < 0 {
		list.Content = append(list.Content, fresh)
		return nil
	}
	merge(list.Content[at], fresh)
	return nil
}

// Remove takes a policy out; false when there is none of the name.
func (d *Document) Remove(name string) bool {
	at := d.find(name)
	if at < 0 {
		return false
	}
	list := get(d.root, "policies")
	list.Content = slices.Delete(list.Content, at, at+1)
	return true
}

func (d *Document) find(name string) int {
	list := get(d.root, "policies")
	if list == nil {
		return -1
	}
	return slices.IndexFunc(list.Content, func(n *yaml.Node) bool {
		had := get(n, "name")
		return had != nil && had.Value == name
	})
}

func get(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}

func set(mapping *yaml.Node, key string, value *yaml.Node) {
	mapping.Content = append(mapping.Content, textNode(key), value)
}

// merge makes a mapping say what another does, and leaves alone what says so
// already.
func merge(old, fresh *yaml.Node) {
	var kept []*yaml.Node
	for i := 0; i+1 < len(old.Content); i += 2 {
		k, v := old.Content[i], old.Content[i+1]
		now := get(fresh, k.Value)
		if now == nil {
			continue
		}
		if !alike(v, now) {
			now.HeadComment, now.LineComment, now.FootComment = v.HeadComment, v.LineComment, v.FootComment
			v = now
		}
		kept = append(kept, k, v)
	}
	for i := 0; i+1 < len(fresh.Content); i += 2 {
		if get(old, fresh.Content[i].Value) == nil {
			kept = append(kept, fresh.Content[i], fresh.Content[i+1])
		}
	}
	old.Content = kept
}

// alike tells whether two nodes say the same, however they are written.
func alike(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || len(a.Content) != len(b.Content) {
		return false
	}
	switch a.Kind {
	case yaml.ScalarNode:
		return strings.TrimSpace(a.Value) == strings.TrimSpace(b.Value) && (a.ShortTag() == "!!str") == (b.ShortTag() == "!!str")
	case yaml.MappingNode:
		for i := 0; i+1 < len(a.Content); i += 2 {
			other := get(b, a.Content[i].Value)
			if other == nil || !alike(a.Content[i+1], other) {
				return false
			}
		}
		return true
	}
	return !slices.ContainsFunc(a.Content, func(n *yaml.Node) bool { return !alike(n, b.Content[slices.Index(a.Content, n)]) })
}

func textNode(text string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(text) // several lines become a block
	return n
}

func textsNode(texts []string) *yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for _, t := range texts {
		list.Content = append(list.Content, textNode(t))
	}
	return list
}

func policyNode(p *Policy) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.MappingNode}
	set(n, "name", textNode(p.Name))
	if len(p.References) > 0 {
		set(n, "references", textsNode(p.References))
	}
	if len(p.Variables) > 0 {
		variables := &yaml.Node{Kind: yaml.MappingNode}
		for _, v := range p.Variables {
			set(variables, v.Name, textNode(v.Value.Text))
		}
		set(n, "variables", variables)
	}
	if !p.Require.Empty() {
		set(n, "require", textNode(p.Require.Text))
	}
	set(n, "message", textNode(p.Message))
	if p.Otherwise == Ask {
		set(n, "otherwise", textNode(string(p.Otherwise)))
	}
	if len(p.Examples) > 0 {
		list := &yaml.Node{Kind: yaml.SequenceNode}
		for i := range p.Examples {
			e, err := exampleNode(&p.Examples[i])
			if err != nil {
				return nil, err
			}
			list.Content = append(list.Content, e)
		}
		set(n, "examples", list)
	}
	return n, nil
}

func exampleNode(e *Example) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.MappingNode}
	set(n, "name", textNode(e.Name))
	set(n, "expect", textNode(string(e.Expect)))
	w := writer{n: n}
	if !e.Now.IsZero() {
		set(n, "now", textNode(e.Now.Format(time.RFC3339)))
	}
	if p := e.Principal; p.ID != "" || len(p.Groups) > 0 || len(p.Attributes) > 0 {
		w.value("principal", p)
	}
	if len(e.Labels) > 0 {
		w.value("labels", e.Labels)
	}
	if len(e.History) > 0 {
		list := &yaml.Node{Kind: yaml.SequenceNode}
		for i := range e.History {
			list.Content = append(list.Content, w.event(&e.History[i]))
		}
		set(n, "history", list)
	}
	w.json("args", e.Args)
	if len(e.Given) > 0 {
		list := &yaml.Node{Kind: yaml.SequenceNode}
		for i := range e.Given {
			list.Content = append(list.Content, w.fixture(&e.Given[i]))
		}
		set(n, "given", list)
	}
	return n, w.err
}

// writer writes the parts of an example that are JSON.
type writer struct {
	n   *yaml.Node
	err error
}

func (w *writer) value(key string, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		w.err = err
		return
	}
	w.json(key, raw)
}

func (w *writer) json(key string, raw json.RawMessage) {
	if len(raw) == 0 {
		return
	}
	v, err := jsonNode(raw)
	if err != nil {
		w.err = fmt.Errorf("%s: %w", key, err)
		return
	}
	set(w.n, key, v)
}

func (w *writer) event(e *Event) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	if !e.Time.IsZero() {
		set(n, "at", textNode(e.Time.Format(time.RFC3339)))
	}
	if e.Call == nil {
		set(n, string(e.Kind), textNode(e.Text))
		return n
	}
	call := writer{n: &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}}
	set(call.n, "tool", textNode(e.Call.Tool))
	if e.Call.Server != "" {
		set(call.n, "server", textNode(e.Call.Server))
	}
	call.json("args", e.Call.Arguments)
	if r := e.Call.Result; r != nil && len(r.Structured) > 0 {
		call.json("result", r.Structured)
	} else if r != nil {
		set(call.n, "result", textNode(r.Content))
	}
	set(n, "call", call.n)
	if call.err != nil {
		w.err = call.err
	}
	return n
}

func (w *writer) fixture(f *Fixture) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	part := writer{n: n}
	if f.Judge != "" {
		set(n, "judge", textNode(f.Judge))
	} else {
		set(n, "tool", textNode(f.Tool))
	}
	if f.Server != "" {
		set(n, "server", textNode(f.Server))
	}
	part.json("args", f.Args)
	switch {
	case f.Error != "":
		set(n, "error", textNode(f.Error))
	case f.Judge != "":
		part.value("answer", f.Answer)
	default:
		part.json("result", f.Result)
	}
	if part.err != nil {
		w.err = part.err
	}
	return n
}

// jsonNode writes JSON as YAML in one line, which is JSON but for the quotes.
func jsonNode(raw json.RawMessage) (*yaml.Node, error) {
	var doc yaml.Node
	if !json.Valid(raw) {
		return nil, fmt.Errorf("not JSON: %s", strictyaml.Clip(string(raw)))
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return nil, err
	}
	if err := yaml.Load(compact.Bytes(), &doc); err != nil {
		return nil, err
	}
	if doc.Kind == yaml.DocumentNode {
		return doc.Content[0], nil
	}
	return &doc, nil
}
