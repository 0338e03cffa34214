package hook

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/remit-project/remit/internal/strictjson"
)

// Uninstall returns the file without Remit's hooks; nil if the file was created
// for them and has nothing else. Earlier contents of the file, the newest first,
// restore it byte by byte if nothing else has changed.
func (a *Agent) Uninstall(name string, data []byte, earlier ...[]byte) ([]byte, error) {
	f, err := a.read(name, data)
	if err != nil {
		return nil, err
	}
	hooks := f.hooks()
	if len(hooks) == 0 {
		return data, nil
	}
	command := hooks[0].Command

	if made, err := a.Install(name, nil, command); err == nil && bytes.Equal(made, data) {
		return nil, nil
	}
	for _, e := range earlier {
		if had, err := a.Hooks(name, e); err != nil || len(had) > 0 {
			continue
		}
		if made, err := a.Install(name, e, command); err == nil && bytes.Equal(made, data) {
			return e, nil
		}
	}

	return f.remove()
}

// remove removes Remit's hooks, with the lists and objects that hold nothing
// else.
func (f *file) remove() ([]byte, error) {
	ours := f.hooks()
	mine := func(n strictjson.Value) bool {
		return slices.ContainsFunc(ours, func(h Hook) bool { return h.node == n || h.settings == n })
	}
	var edits []strictjson.Edit
	events := children{}

	hooks := f.top.Get("hooks")
	for m := range hooks.All() {
		list := children{}
		for _, e := range m.Elements() {
			inner := children{}
			if f.a.files.form == groups {
				for _, n := range e.Get("hooks").Elements() {
					inner.add(n.Start(), n.End(), mine(n))
				}
			}
			gone := mine(e) && (f.a.files.form == flat || inner.empty())
			if list.add(e.Start(), e.End(), gone); !gone && len(inner) > 0 {
				edits = append(edits, inner.removals(e.Get("hooks").Start())...)
			}
		}
		gone := len(list) > 0 && list.empty()
		if events.add(m.Key().Start, m.End(), gone); !gone {
			edits = append(edits, list.removals(m.Start())...)
		}
	}

	if !events.empty() {
		edits = append(edits, events.removals(hooks.Start())...)
	} else {
		top := children{}
		for m := range f.top.All() {
			top.add(m.Key().Start, m.End(), m == hooks)
		}
		edits = append(edits, top.removals(f.top.Start())...)
	}

	out := strictjson.Apply(f.data, edits)
	if again, err := f.a.read(f.name, out); err != nil || len(again.hooks()) > 0 {
		return nil, errors.Join(fmt.Errorf("%s: the file can't be edited safely", f.name), err)
	}
	return out, nil
}

// children are the elements of a list or an object, some to be removed.
type children []child

type child struct {
	start, end int
	gone       bool
}

func (c *children) add(start, end int, gone bool) { *c = append(*c, child{start, end, gone}) }

func (c children) empty() bool {
	return !slices.ContainsFunc(c, func(x child) bool { return !x.gone })
}

// removals returns the edits that remove elements with their commas, after the bracket at open.
func (c children) removals(open int) []strictjson.Edit {
	if len(c) > 0 && c.empty() {
		return []strictjson.Edit{strictjson.Replacement(open+1, c[len(c)-1].end, "")}
	}
	var out []strictjson.Edit
	before := true // nothing before it stays
	for i, x := range c {
		switch {
		case !x.gone:
			before = false
		case !before:
			out = append(out, strictjson.Replacement(c[i-1].end, x.end, ""))
		default:
			out = append(out, strictjson.Replacement(x.start, c[i+1].start, "")) // one stays
		}
	}
	return out
}
