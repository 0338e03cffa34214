package guard

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/internal/strictyaml"
)

// Tests is a file with the examples of a guard file, apart from its rules. It has no Name where
// there is none.
type Tests struct {
	Name string
	Data []byte
}

// LoadApart reads a guard file as [Load] does, and adds the examples of its tests file.
func LoadApart(name string, data []byte, tests Tests, samples ...Record) (*File, error) {
	f, err := Load(name, data, samples...)
	if err != nil || tests.Name == "" {
		return f, err
	}
	err = strictyaml.Read(tests.Name, tests.Data, strictyaml.Format{
		MaxSize: MaxFile, TooLarge: "leave tests out", Empty: "write 'tool:' and 'tests:', or remove the file",
	}, func(r *strictyaml.Reader, root *strictyaml.Node) {
		l := &loader{Reader: r, samples: samples, file: f}
		l.apart(root)
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// apart reads the examples of a tests file into the file that it belongs to.
func (l *loader) apart(root *strictyaml.Node) {
	var tool, server string
	var tests, records, histories *strictyaml.Node
	had := l.Mapping(root, "a tests file", strictyaml.Keys{
		"tool":      l.Text("tool", &tool),
		"server":    l.Text("server", &server),
		"tests":     func(n *strictyaml.Node) { tests = n },
		"records":   func(n *strictyaml.Node) { records = n },
		"histories": func(n *strictyaml.Node) { histories = n },
	})
	if !strictyaml.IsMapping(root) {
		return
	}
	if tool != l.file.Tool || server != l.file.Server {
		at := root
		if had["tool"] != nil {
			at = had["tool"]
		}
		l.Fail(at, "write the tool and the server of the guard file", "the tests are of another tool than the rules")
	}

	l.shared(records, histories)
	if tests != nil {
		l.List(tests, "tests", l.testsOf)
	}
}

// shared reads what examples refer to.
func (l *loader) shared(records, histories *strictyaml.Node) {
	if records != nil {
		l.records(records)
	}
	l.histories = map[string][]Entry{}
	if histories != nil {
		l.Entries(histories, "histories", func(name string, _, v *strictyaml.Node) {
			l.histories[name] = l.history(v)
		})
	}
}

// testsOf reads the tests of one policy or duty.
func (l *loader) testsOf(n *strictyaml.Node) {
	var name string
	base := Example{}
	var examples *strictyaml.Node
	had := l.Mapping(n, "tests", strictyaml.Keys{
		"of":       l.Text("of", &name),
		"base":     func(n *strictyaml.Node) { base = l.base(n) },
		"examples": func(n *strictyaml.Node) { examples = n },
	})
	if !strictyaml.IsMapping(n) {
		return
	}

	l.needed(n, had, "entry", "of", "examples")
	into := l.examplesOf(name)
	switch {
	case into == nil:
		l.Fail(n, "remove its tests, or write the name that the guard file has", "there is no policy %q", strictyaml.Clip(name))
	case len(*into) > 0:
		l.Fail(n, "keep them in one place", "%q has tests already", strictyaml.Clip(name))
	case examples != nil:
		*into = l.examplesOn(examples, l.file.Tool == EveryTool, &base)
	}
}

// examplesOf returns where the examples of a policy or a duty are; nil for neither.
func (l *loader) examplesOf(name string) *[]Example {
	for i := range l.file.Policies {
		if p := &l.file.Policies[i]; p.Name == name {
			return &p.Examples
		}
	}
	for i := range l.file.Duties {
		if d := &l.file.Duties[i]; d.Name == name {
			return &d.Examples
		}
	}
	return nil
}

// base reads what examples have where they say nothing else.
func (l *loader) base(n *strictyaml.Node) Example {
	e := Example{}
	l.Mapping(n, "base", l.exampleKeys(&e))
	return e
}

// on adds what a base has and the example doesn't say otherwise: members of the
// arguments, look-ups, and each of the others as a whole.
func (e *Example) on(base *Example) {
	if base.Args != nil {
		e.Args = overlaid(base.Args, e.Args)
	}
	if len(e.History) == 0 {
		e.History = base.History
	}
	if e.Now.IsZero() {
		e.Now = base.Now
	}
	if p := e.Principal; p.ID == "" && len(p.Groups)+len(p.Attributes) == 0 {
		e.Principal = base.Principal
	}
	if len(e.Labels) == 0 {
		e.Labels = base.Labels
	}

	own := e.Given
	e.Given = slices.Clone(base.Given)
	for _, g := range own {
		if i := slices.IndexFunc(base.Given, g.answersAs); i >= 0 {
			e.Given[i] = g
		} else {
			e.Given = append(e.Given, g)
		}
	}
}

// answersAs reports whether two fixtures answer the same look-up.
func (f Fixture) answersAs(o Fixture) bool {
	return f.Judge == "" && o.Judge == "" && f.Server == o.Server && f.Tool == o.Tool && (f.Args == nil) == (o.Args == nil) && string(f.Args) == string(o.Args)
}

// overlaid returns the members of an object, with those of another one in their place.
func overlaid(base, own []byte) []byte {
	doc, err := strictjson.Parse(own, strictjson.OutputLimits())
	if err != nil || doc.Root().Kind() != strictjson.Object {
		return base
	}
	out := base
	for name, v := range doc.Root().Members() {
		out = strictjson.Set(out, name, v.Raw())
	}
	return out
}

// EditApart returns an editor of a guard file and its tests file. [LoadApart] must accept
// them.
func EditApart(name string, data []byte, tests Tests, samples ...Record) (*Editor, error) {
	if tests.Name == "" {
		return Edit(name, data, samples...)
	}
	f, err := LoadApart(name, data, tests, samples...)
	if err != nil {
		return nil, err
	}
	rules, err := strictyaml.Open(name, data)
	if err != nil {
		return nil, err
	}
	apart, err := strictyaml.Open(tests.Name, tests.Data)
	if err != nil {
		return nil, err
	}

	e := &Editor{yaml: rules, samples: samples, apart: true, tests: apart}
	if err := e.expand(); err != nil { // of those in the file with the rules
		return nil, err
	}
	for i := range f.Policies {
		if err := e.show("policies", f.Policies[i].Name, f.Policies[i].Examples); err != nil {
			return nil, err
		}
	}
	for i := range f.Duties {
		if err := e.show("duties", f.Duties[i].Name, f.Duties[i].Examples); err != nil {
			return nil, err
		}
	}
	e.edited = false
	return e, nil
}

// show writes the examples of a policy with its rule, if they are not there.
func (e *Editor) show(list, name string, examples []Example) error {
	entry := e.yaml.Entry(list, "name", name)
	if _, had := strictyaml.Member(entry, "examples"); had != nil || len(examples) == 0 {
		return nil
	}
	nodes := strictyaml.NewList()
	for i := range examples {
		n, err := exampleNode(&examples[i])
		if err != nil {
			return fmt.Errorf("%s, %s: %w", e.yaml.Name, name, err)
		}
		nodes.Content = append(nodes.Content, n)
	}
	strictyaml.Set(entry, "examples", nodes)
	return nil
}

// Apart makes the examples be written to a tests file, all of them once one was edited.
func (e *Editor) Apart() { e.apart = true }

// MarshalTests returns the YAML of the tests file; nil where the examples are in the file with
// the rules, or where there are none.
func (e *Editor) MarshalTests() ([]byte, error) {
	if !e.apart || (e.tests == nil && !e.edited) {
		return nil, nil
	}
	if !e.edited {
		return e.tests.Marshal()
	}
	_, tests, err := e.parted()
	if err != nil || tests == nil {
		return nil, err
	}
	if e.tests == nil {
		return strictyaml.Dump(tests)
	}
	d := e.tests.Copy()
	d.Replace(tests)
	return d.Marshal()
}

// parted divides the file into its rules and, with what they share, its tests.
func (e *Editor) parted() (rules *strictyaml.Document, tests *yaml.Node, err error) {
	rules, f, err := e.shared()
	if err != nil {
		return nil, nil, err
	}

	p := parting{list: strictyaml.NewList(), histories: strictyaml.NewMapping()}
	for i := range f.Policies {
		p.take(rules.Entry("policies", "name", f.Policies[i].Name), f.Policies[i].Examples)
	}
	for i := range f.Duties {
		p.take(rules.Entry("duties", "name", f.Duties[i].Name), f.Duties[i].Examples)
	}
	if len(p.list.Content) == 0 {
		return rules, nil, nil
	}

	p.shareHistories()
	tests = strictyaml.NewMapping()
	strictyaml.Set(tests, "tool", strictyaml.NewText(f.Tool))
	if f.Server != "" {
		strictyaml.Set(tests, "server", strictyaml.NewText(f.Server))
	}
	strictyaml.Set(tests, "tests", p.list)
	if len(p.histories.Content) > 0 {
		strictyaml.Set(tests, "histories", p.histories)
	}
	if _, records := strictyaml.Member(rules.Root, "records"); records != nil {
		strictyaml.Set(tests, "records", records)
		removeMember(rules.Root, "records")
	}
	return rules, tests, nil
}
