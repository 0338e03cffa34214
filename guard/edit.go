package guard

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/internal/strictyaml"
	"github.com/remit-project/remit/label"
)

// Editor edits a guard file and keeps its comments and layout.
type Editor struct {
	yaml *strictyaml.Document
	// expanded is set where policies were edited. Their examples have their records written out
	// then, and share them again when the file is written.
	expanded bool
	samples  []Record
	// apart is set where the examples are written to a tests file, tests is that file as it is,
	// and edited is set where it isn't so any more.
	apart, edited bool
	tests         *strictyaml.Document
}

// NewEditor returns an editor of a new file for a tool, or for [EveryTool], without
// policies.
func NewEditor(name, server, tool string) *Editor {
	root := strictyaml.NewMapping()
	strictyaml.Set(root, "tool", strictyaml.NewText(tool))
	if server != "" {
		strictyaml.Set(root, "server", strictyaml.NewText(server))
	}
	strictyaml.Set(root, "policies", strictyaml.NewList())
	return &Editor{yaml: &strictyaml.Document{Name: name, Root: root}}
}

// Edit returns an editor of a guard file. [Load] must accept the file.
func Edit(name string, data []byte, samples ...Record) (*Editor, error) {
	if _, err := Load(name, data, samples...); err != nil {
		return nil, err
	}
	d, err := strictyaml.Open(name, data)
	if err != nil {
		return nil, err
	}
	return &Editor{yaml: d, samples: samples}, nil
}

// Use sets the samples to which examples refer when the file is written, and when it is
// read again.
func (e *Editor) Use(samples []Record) { e.samples = samples }

// File returns the file as edited so far.
func (e *Editor) File() (*File, error) {
	data, err := e.yaml.Marshal()
	if err != nil {
		return nil, err
	}
	return Load(e.yaml.Name, data, e.samples...)
}

// Marshal returns the YAML of the file. Once policies were edited, results that
// several examples have are written once, as records.
func (e *Editor) Marshal() ([]byte, error) {
	if e.apart && (e.edited || e.tests != nil) {
		rules, _, err := e.parted()
		if err != nil {
			return nil, err
		}
		return rules.Marshal()
	}
	if !e.expanded {
		return e.yaml.Marshal()
	}
	d, _, err := e.shared()
	if err != nil {
		return nil, err
	}
	return d.Marshal()
}

// shared returns a copy of the file in which the examples share their records, and that says what
// guessed look-ups return.
func (e *Editor) shared() (*strictyaml.Document, *File, error) {
	d := e.yaml.Copy()
	if err := share(d, e.samples); err != nil {
		return nil, nil, err
	}
	data, err := d.Marshal()
	if err != nil {
		return nil, nil, err
	}
	f, err := Load(d.Name, data, e.samples...)
	if err == nil && e.edited {
		err = writeForms(d, f)
	}
	return d, f, err
}

// WrittenOut returns the YAML of a file with one policy, whose examples have their
// records written out.
func WrittenOut(p *Policy) ([]byte, error) {
	e := NewEditor("", "", "a")
	if err := e.Put(p); err != nil {
		return nil, err
	}
	return e.yaml.Marshal()
}

// Put adds a policy at the end, or replaces the policy of the same name. It rewrites
// only the keys whose values differ.
func (e *Editor) Put(p *Policy) error {
	if err := e.expand(); err != nil {
		return err
	}
	otherwise := label.Deny
	if _, n := strictyaml.Member(e.yaml.Root, "otherwise"); n != nil {
		otherwise = label.Verdict(n.Value)
	}
	if _, n := strictyaml.Member(e.yaml.Entry("policies", "name", p.Name), "otherwise"); n != nil && n.Value == string(cmp.Or(p.Otherwise, label.Deny)) {
		otherwise = "" // it stays written out
	}
	fresh, err := policyNode(p, otherwise)
	if err != nil {
		return fmt.Errorf("policy %q: %w", p.Name, err)
	}
	e.yaml.Put("policies", "name", fresh)
	e.edited = true
	return nil
}

// Remove removes a policy, and reports whether there was one of that name.
func (e *Editor) Remove(name string) bool {
	e.edited = true
	return e.yaml.Remove("policies", "name", name)
}

// policyNode returns the YAML of a policy. It has otherwise only if that differs from
// the file's.
func policyNode(p *Policy, otherwise label.Verdict) (*yaml.Node, error) {
	n := strictyaml.NewMapping()
	strictyaml.Set(n, "name", strictyaml.NewText(p.Name))
	if len(p.Tools) > 0 {
		strictyaml.Set(n, "tools", strictyaml.NewTexts(p.Tools))
	}
	if len(p.References) > 0 {
		strictyaml.Set(n, "references", strictyaml.NewTexts(p.References))
	}
	if len(p.Variables) > 0 {
		variables := strictyaml.NewMapping()
		for _, v := range p.Variables {
			strictyaml.Set(variables, v.Name, strictyaml.NewText(v.Value.Text))
		}
		strictyaml.Set(n, "variables", variables)
	}

	if !p.Require.Empty() {
		strictyaml.Set(n, "require", strictyaml.NewText(p.Require.Text))
	}
	strictyaml.Set(n, "message", strictyaml.NewText(p.Message))
	if own := cmp.Or(p.Otherwise, label.Deny); own != otherwise {
		strictyaml.Set(n, "otherwise", strictyaml.NewText(string(own)))
	}
	if len(p.Guessed) > 0 {
		guessed, err := guessedNode(p)
		if err != nil {
			return nil, err
		}
		strictyaml.Set(n, "guessed", guessed)
	}
	if len(p.Examples) > 0 {
		list := strictyaml.NewList()
		for i := range p.Examples {
			e, err := exampleNode(&p.Examples[i])
			if err != nil {
				return nil, err
			}
			list.Content = append(list.Content, e)
		}
		strictyaml.Set(n, "examples", list)
	}

	return n, nil
}

func exampleNode(e *Example) (*yaml.Node, error) {
	n := strictyaml.NewMapping()
	strictyaml.Set(n, "name", strictyaml.NewText(e.Name))
	if e.Tool != "" {
		strictyaml.Set(n, "tool", strictyaml.NewText(e.Tool))
	}
	if e.Server != "" {
		strictyaml.Set(n, "server", strictyaml.NewText(e.Server))
	}
	strictyaml.Set(n, "expect", strictyaml.NewText(string(e.Expect)))
	w := writer{n: n}
	if !e.Now.IsZero() {
		strictyaml.Set(n, "now", strictyaml.NewText(e.Now.Format(time.RFC3339)))
	}
	if p := e.Principal; p.ID != "" || len(p.Groups) > 0 || len(p.Attributes) > 0 {
		w.value("principal", p)
	}
	if len(e.Labels) > 0 {
		w.value("labels", e.Labels)
	}
	if len(e.History) > 0 {
		list := strictyaml.NewList()
		for i := range e.History {
			list.Content = append(list.Content, w.event(&e.History[i]))
		}
		strictyaml.Set(n, "history", list)
	}

	w.json("args", e.Args)
	if len(e.Given) > 0 {
		list := strictyaml.NewList()
		for i := range e.Given {
			list.Content = append(list.Content, w.fixture(&e.Given[i]))
		}
		strictyaml.Set(n, "given", list)
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
	strictyaml.Set(w.n, key, v)
}

func (w *writer) event(e *Entry) *yaml.Node {
	n := strictyaml.NewMapping()
	if !e.Time.IsZero() {
		strictyaml.Set(n, "at", strictyaml.NewText(e.Time.Format(time.RFC3339)))
	}
	if e.Call == nil {
		strictyaml.Set(n, string(e.Kind), strictyaml.NewText(e.Text))
		return n
	}

	call := writer{n: &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}}
	strictyaml.Set(call.n, "tool", strictyaml.NewText(e.Call.Tool))
	if e.Call.Server != "" {
		strictyaml.Set(call.n, "server", strictyaml.NewText(e.Call.Server))
	}
	call.json("args", e.Call.Arguments)
	if r := e.Call.Result; r != nil && len(r.Structured) > 0 {
		call.json("result", r.Structured)
	} else if r != nil {
		strictyaml.Set(call.n, "result", strictyaml.NewText(r.Content))
	}
	strictyaml.Set(n, string(e.Kind), call.n)
	if call.err != nil {
		w.err = call.err
	}
	return n
}

func (w *writer) fixture(f *Fixture) *yaml.Node {
	n := strictyaml.NewMapping()
	part := writer{n: n}
	if f.Judge != "" {
		strictyaml.Set(n, "judge", strictyaml.NewText(f.Judge))
	} else {
		strictyaml.Set(n, "tool", strictyaml.NewText(f.Tool))
	}
	if f.Server != "" {
		strictyaml.Set(n, "server", strictyaml.NewText(f.Server))
	}
	part.json("args", f.Args)
	switch {
	case f.Error != "":
		strictyaml.Set(n, "error", strictyaml.NewText(f.Error))
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

// jsonNode writes JSON as YAML in one line, which is JSON except for the quotes of names and words.
func jsonNode(raw json.RawMessage) (*yaml.Node, error) {
	doc, err := strictjson.Parse(raw, strictjson.OutputLimits())
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, strictyaml.Clip(string(raw)))
	}
	n, err := strictyaml.Parse(doc.Canonical())
	if err == nil {
		unquote(n)
	}
	return n, err
}

// unquote drops the quotes of member names where YAML needs none, and of texts that every YAML
// reader takes for text.
func unquote(n *yaml.Node) {
	if isWord(n) {
		n.Style = 0
	}
	for i, part := range n.Content {
		if unquote(part); n.Kind == yaml.MappingNode && i%2 == 0 {
			part.Style = 0
		}
	}
}

var (
	// words finds texts of a few words, and ids that begin with a letter; others finds those
	// that some reader of YAML takes for something else.
	words  = pattern.OnUse(`^[A-Za-z][\w@./+-]*( [\w@/+-][\w@./+-]*){0,3}$`)
	others = pattern.OnUse(`(?i)^(y|n|yes|no|on|off|true|false|null|nan|inf|infinity)$`)
)

func isWord(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" && words().MatchString(n.Value) && !others().MatchString(n.Value)
}
