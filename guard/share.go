package guard

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/remit-project/remit/internal/strictyaml"
)

// minShared is the size of a result, in bytes, from which on it is written once and
// referred to.
const minShared = 120

// holder is a place of a file that has the result of a look-up.
type holder struct {
	node   *yaml.Node // of the fixture or the call
	record Record
	// call is set for a call of the history, not for a fixture.
	call bool
}

// holders returns the places of a file's YAML that have results, in order.
func holders(root *yaml.Node, f *File) []holder {
	var out []holder
	examples := func(list string, i int, all []Example) {
		_, entries := strictyaml.Member(root, list)
		_, nodes := strictyaml.Member(entries.Content[i], "examples")
		for j := range all {
			out = append(out, holdersOf(nodes.Content[j], &all[j])...)
		}
	}

	for i := range f.Policies {
		if len(f.Policies[i].Examples) > 0 {
			examples("policies", i, f.Policies[i].Examples)
		}
	}
	for i := range f.Duties {
		if len(f.Duties[i].Examples) > 0 {
			examples("duties", i, f.Duties[i].Examples)
		}
	}
	return out
}

func holdersOf(n *yaml.Node, e *Example) []holder {
	var out []holder
	_, history := strictyaml.Member(n, "history")
	for i := range e.History {
		c := e.History[i].Call
		if c == nil || c.Result == nil || len(c.Result.Structured) == 0 {
			continue
		}
		if _, call := strictyaml.Member(history.Content[i], "call"); call != nil {
			out = append(out, holder{call, Record{Server: c.Server, Tool: c.Tool, Args: c.Arguments, Result: c.Result.Structured}, true})
		}
	}
	_, given := strictyaml.Member(n, "given")
	for i, g := range e.Given {
		if g.Result != nil {
			out = append(out, holder{given.Content[i], Record{Server: g.Server, Tool: g.Tool, Args: g.Args, Result: g.Result}, false})
		}
	}
	return out
}

// expand writes every record out where it is referred to, so that policies can be
// compared and replaced one by one.
func (e *Editor) expand() error {
	if e.expanded {
		return nil
	}
	f, err := e.File()
	if err != nil {
		return err
	}

	for _, h := range holders(e.yaml.Root, f) {
		if _, ref := strictyaml.Member(h.node, "record"); ref != nil {
			if err := h.write(nil, nil); err != nil {
				return err
			}
		}
	}
	e.expanded = true
	return nil
}

// write writes a result as a reference to a record, or in full without one.
func (h holder) write(to *Record, changes []change) error {
	style := h.node.Style
	n := strictyaml.NewMapping()
	w := writer{n: n}
	sameArgs := to != nil && string(to.Args) == string(h.record.Args)
	if to != nil {
		strictyaml.Set(n, "record", strictyaml.NewText(to.Name))
	} else {
		strictyaml.Set(n, "tool", strictyaml.NewText(h.record.Tool))
		if h.record.Server != "" {
			strictyaml.Set(n, "server", strictyaml.NewText(h.record.Server))
		}
	}
	if !sameArgs {
		w.json("args", h.record.Args)
	}

	if to == nil {
		w.json("result", h.record.Result)
	}
	changed, without := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}, []string{}
	part := writer{n: changed}
	for _, c := range changes {
		if c.value == nil {
			without = append(without, c.pointer)
			continue
		}
		part.json(c.pointer, c.value)
	}
	if len(changed.Content) > 0 {
		strictyaml.Set(n, "changes", changed)
	}
	if len(without) > 0 {
		strictyaml.Set(n, "without", strictyaml.NewTexts(without))
	}

	h.node.Content, h.node.Style = n.Content, style
	if part.err != nil {
		return part.err
	}
	return w.err
}

// share writes each result once, under records, and refers to it, or to a sample, with
// changes where others differ a little from it. Records that are there keep their names.
func share(d *strictyaml.Document, samples []Record) error {
	data, err := d.Marshal()
	if err != nil {
		return err
	}
	f, err := Load(d.Name, data, samples...)
	if err != nil {
		return err
	}

	known := slices.Concat(f.Records, samples)
	records := slices.Clone(known)
	uses := map[string]int{}
	type use struct {
		record  int
		changes []change
	}
	all := holders(d.Root, f)
	used := make([]*use, len(all))
	for i, h := range all {
		best := -1
		var least []change
		for j, r := range records {
			// Without arguments of its own a fixture answers every call.
			if r.Server != h.record.Server || r.Tool != h.record.Tool || (r.Args != nil) != (h.record.Args != nil) {
				continue
			}
			if c, ok := changesTo(r.Result, h.record.Result); ok && (best < 0 || len(c) < len(least)) {
				best, least = j, c
			}
		}
		small := len(h.record.Result) < minShared
		if best < 0 && small {
			continue
		}
		if best < 0 {
			r := h.record
			r.Name = freshName(records, r.Tool)
			best, records = len(records), append(records, r)
		}
		used[i] = &use{best, least}
		uses[records[best].Name]++
	}

	isKnown := func(r Record) bool {
		return slices.ContainsFunc(known, func(k Record) bool { return k.Name == r.Name })
	}
	for i, u := range used {
		if u == nil {
			continue
		}
		r := &records[u.record]
		if uses[r.Name] < 2 && !isKnown(*r) {
			continue // it stays where it is
		}
		if err := all[i].write(r, u.changes); err != nil {
			return err
		}
	}
	isSample := func(r Record) bool {
		return !slices.ContainsFunc(f.Records, func(own Record) bool { return own.Name == r.Name }) &&
			slices.ContainsFunc(samples, func(s Record) bool { return s.Name == r.Name })
	}
	return writeRecords(d.Root, slices.DeleteFunc(records, func(r Record) bool {
		if isSample(r) {
			return true
		}
		least := 2
		if isKnown(r) {
			least = 1
		}
		return uses[r.Name] < least
	}))
}

// freshName returns a name for a record that no other one has.
func freshName(records []Record, tool string) string {
	name := tool
	for n := 2; slices.ContainsFunc(records, func(r Record) bool { return r.Name == name }); n++ {
		name = fmt.Sprintf("%s-%d", tool, n)
	}
	return name
}

// writeRecords writes the records of a file, at its end where it has none yet. Those
// that it has stay as they are written.
func writeRecords(root *yaml.Node, records []Record) error {
	_, had := strictyaml.Member(root, "records")
	list := strictyaml.NewMapping()
	for _, r := range records {
		if key, value := strictyaml.Member(had, r.Name); key != nil {
			list.Content = append(list.Content, key, value)
			continue
		}
		h := holder{node: strictyaml.NewMapping(), record: r}
		if err := h.write(nil, nil); err != nil {
			return err
		}
		strictyaml.Set(list, r.Name, h.node)
	}

	switch {
	case len(records) == 0:
		removeMember(root, "records")
	case had != nil:
		had.Content = list.Content
	default:
		strictyaml.Set(root, "records", list)
	}
	return nil
}

// removeMember takes a member out of a mapping.
func removeMember(n *yaml.Node, name string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			n.Content = slices.Delete(n.Content, i, i+2)
			return
		}
	}
}
