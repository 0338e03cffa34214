package mention

import (
	"slices"
	"strings"
	"sync"

	"github.com/remit-project/remit/internal/provenance"
	"github.com/remit-project/remit/internal/strictjson"
)

// Result is the result of a tool. It is read when it is first searched, and is safe for concurrent use.
type Result struct {
	tool   string
	read   func() *found
	called func() *called
}

// found are the records of a result by the ids that identify them.
type found struct {
	root    strictjson.Value // missing where there are no records
	records map[string][]*record
	tooMany bool // records has none of them
}

// maxIndexed bounds the ids by which records are kept. Where a result has more, it is searched for each.
const maxIndexed = 4096

// NewResult returns the result of a tool. What is not a JSON object or list has no records.
func NewResult(tool string, content []byte) *Result {
	one := &Result{tool: tool}
	one.read = sync.OnceValue(func() *found {
		if len(content) > MaxSize {
			return &found{}
		}
		doc, err := strictjson.Parse(content, strictjson.OutputLimits())
		if err != nil {
			return &found{}
		}
		w := &walk{root: doc.Root(), tool: tool}
		w.begin()
		return &found{w.root, w.records, w.n > maxIndexed}
	})
	one.called = sync.OnceValue(func() *called { return calledIn(one.read().root) })
	return one
}

// Read reads the result ahead of a search.
func (one *Result) Read() {
	one.read()
	one.called()
}

// record is an object that an id identifies, with those beside it in the look-up.
type record struct {
	object strictjson.Value
	*group
	alone bool // it is the whole look-up, not an element of a list
	// tool is the look-up or the member that the record is in, and key its member with the id, of what
	// is alone.
	tool, key string
}

// group are the objects that are beside each other in a look-up, with the members of what they are part of that
// name it.
type group struct{ siblings, names []strictjson.Value }

// of returns the records that an id identifies.
func (r *Records) of(id string) []*record {
	if r == nil {
		return nil
	}
	var out []*record
	for _, one := range r.results {
		out = append(out, one.of(id)...)
	}
	return out
}

func (one *Result) of(id string) []*record {
	f := one.read()
	if !f.tooMany {
		return f.records[id]
	}
	w := &walk{root: f.root, tool: one.tool, only: id}
	w.begin()
	return w.records[id]
}

// walk looks for records.
type walk struct {
	root strictjson.Value
	tool string
	// only is the id whose records are looked for; empty for all.
	only    string
	records map[string][]*record
	n       int
	// identify says of the names of members, by the names of what they are in, whether they tell its
	// elements apart.
	identify map[[2]string]bool
}

func (w *walk) begin() {
	w.records, w.identify = map[string][]*record{}, map[[2]string]bool{}
	w.value(w.root, w.tool, nil, 0)
	if w.n > maxIndexed {
		w.records = nil
	}
}

// value looks through a value under a name: a member's, or the tool's.
func (w *walk) value(v strictjson.Value, name string, names []strictjson.Value, depth int) {
	if depth > maxDepth || w.n > maxIndexed {
		return
	}
	switch v.Kind() {
	case strictjson.Array:
		elements := v.Elements()
		beside := &group{elements, names}
		for _, e := range elements {
			w.identified(e, name, func(id, _ string) {
				w.add(id, record{object: e, group: beside, tool: name})
			})
			w.value(e, name, names, depth+1)
		}
	case strictjson.Object:
		w.object(v, name, names, depth)
	}
}

func (w *walk) object(v strictjson.Value, name string, names []strictjson.Value, depth int) {
	if depth == 0 {
		w.identified(v, name, func(id, key string) {
			w.add(id, record{object: v, group: &group{siblings: []strictjson.Value{v}}, alone: true, tool: name, key: key})
		})
	}
	var objects []strictjson.Value
	own := slices.Clip(names)
	for key, m := range v.Members() {
		if m.Kind() == strictjson.Object {
			objects = append(objects, m)
		}
		if m.Kind() == strictjson.String && isName(key) {
			own = append(own, m)
		}
	}

	beside := &group{objects, names}
	for key, m := range v.Members() {
		if m.Kind() == strictjson.Object {
			w.add(key, record{object: m, group: beside, tool: name})
		}
		w.value(m, key, own, depth+1)
	}
}

func (w *walk) add(id string, one record) {
	wanted := id != "" && (w.only == "" || w.only == id)
	if !wanted || len(one.siblings) > maxSiblings {
		return
	}
	if w.only == "" {
		w.n++
	}
	if w.n <= maxIndexed {
		w.records[id] = append(w.records[id], &one)
	}
}

// identified calls a function with each id that distinguishes an object from others, and the first member
// that has it: id, or ITEM_id in a list of items.
func (w *walk) identified(object strictjson.Value, container string, each func(id, key string)) {
	if object.Kind() != strictjson.Object {
		return
	}
	var had []string
	for key, m := range object.Members() {
		if m.Kind() != strictjson.String || !w.identifies(key, container) {
			continue
		}
		if id := m.Text(); !slices.Contains(had, id) {
			had = append(had, id)
			each(id, key)
		}
	}
}

// identifies reports whether members of a name tell apart the objects that are in something.
func (w *walk) identifies(key, container string) bool {
	at := [2]string{key, container}
	is, ok := w.identify[at]
	if !ok {
		words := provenance.Words(key)
		rest := slices.DeleteFunc(slices.Clone(words), func(s string) bool { return slices.Contains(idWords, singular(s)) })
		is = len(rest) < len(words) && within(rest, provenance.Words(container))
		w.identify[at] = is
	}
	return is
}

// called are the texts by which a result calls things, and the names of its members.
type called struct {
	names   []string
	members []member
}

// member is the name of members that don't name things, and whether the first of them is a text.
type member struct {
	name   string
	isText bool
}

// maxCalled bounds what the results call things, and the names of their members.
const maxCalled = 512

// calledIn finds what a result calls things, each once, and the names of its members, but for those that
// are words of any sentence.
func calledIn(root strictjson.Value) *called {
	out := &called{}
	named, known := map[string]bool{}, map[string]bool{}
	visit := func(key string, v strictjson.Value) {
		isText := v.Kind() == strictjson.String
		if !isName(key) {
			if !known[key] && len(out.members) < maxCalled {
				known[key] = true
				out.members = append(out.members, member{key, isText})
			}
			return
		}
		if !isText || len(out.names) == maxCalled {
			return
		}
		if name := v.Text(); name != "" && len(name) <= maxText && !named[name] {
			named[name] = true
			out.names = append(out.names, name)
		}
	}

	var within func(v strictjson.Value, depth int)
	within = func(v strictjson.Value, depth int) {
		if depth > maxDepth {
			return
		}
		for m := range v.All() {
			if v.Kind() == strictjson.Object {
				visit(m.Name(), m)
			}
			within(m, depth+1)
		}
	}
	within(root, 0)
	return out
}

// called returns what the results call things.
func (r *Records) called() *named {
	r.once.Do(func() {
		var names []string
		var members []member
		for _, one := range r.results {
			own := one.called()
			names, members = append(names, own.names...), append(members, own.members...)
		}
		itself := func(name string) string { return name }
		r.words = &named{withHeads(firsts(names, itself)), byLast(firsts(members, func(m member) string { return m.name }))}
	})
	return r.words
}

// Read reads the results ahead of a search.
func (r *Records) Read() { r.called() }

// firsts returns the first value of each name, up to [maxCalled].
func firsts[V any](all []V, name func(V) string) []V {
	seen := map[string]bool{}
	out := slices.DeleteFunc(all, func(v V) bool {
		had := seen[name(v)]
		seen[name(v)] = true
		return had
	})
	return out[:min(len(out), maxCalled)]
}

// byLast returns the words of the names of texts by the last of them.
func byLast(members []member) map[string][][]word {
	out := map[string][][]word{}
	for _, m := range members {
		if words := NewText(m.name).words; len(words) > 0 && m.isText {
			last := words[len(words)-1].text
			out[last] = append(out[last], words)
		}
	}
	return out
}

// idWords are the words of members that tell records apart.
var idWords = strings.Fields("id uuid guid number no code key ref reference identifier sku")
