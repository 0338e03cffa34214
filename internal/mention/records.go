package mention

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/remit-project/remit/internal/provenance"
	"github.com/remit-project/remit/internal/strictjson"
)

// Bounds on the records that are searched. Beyond them a value is only named by itself.
const (
	// MaxSize bounds one result, in bytes.
	MaxSize     = 1 << 20
	maxDepth    = 8
	maxSiblings = 512
	maxFields   = 32
	maxText     = 64 // of a value that identifies, in bytes
)

// Records are the results of look-ups. They are safe for concurrent use once all are
// added.
type Records struct {
	results []result

	once  sync.Once
	words *named // what the results call things; made when first needed
	mu    sync.Mutex
	said  map[saying]Answer
}

// named is what results call things.
type named struct {
	names []calling
	keys  map[string][][]word
}

// saying is a text that may name a value.
type saying struct{ text, value string }

// maxSaid bounds the answers that are kept.
const maxSaid = 4096

type result struct {
	tool string
	root func() strictjson.Value // missing where there are no records
}

// Add adds the result of a tool. What is not a JSON object or list has no records.
func (r *Records) Add(tool string, content []byte) {
	if len(content) > MaxSize {
		return
	}
	r.results = append(r.results, result{tool, sync.OnceValue(func() strictjson.Value {
		doc, err := strictjson.Parse(content, strictjson.OutputLimits())
		if err != nil {
			return strictjson.Value{}
		}
		return doc.Root()
	})})
}

// Describe returns a value with what its record says of it, for a reader: "card_1 (brand:
// visa, last_four: 7447)".
func (r *Records) Describe(value string) string {
	const most = 512 // bytes
	out := strconv.Quote(value)
	for _, one := range r.of(value) {
		fields := map[string]string{}
		fieldsOf(one.object, "", fields, 0)
		var parts []string
		for _, path := range slices.Sorted(maps.Keys(fields)) {
			parts = append(parts, strings.ReplaceAll(strings.TrimPrefix(path, separator), separator, " ")+": "+strconv.Quote(fields[path]))
		}
		if more := out + " (" + strings.Join(parts, ", ") + ")"; len(more) <= most {
			return more
		}
	}
	return out
}

// Know reports whether a record describes what a value identifies.
func (r *Records) Know(value string) bool { return len(r.of(value)) > 0 }

// record is an object that an id identifies, with those beside it in the look-up.
type record struct {
	object   strictjson.Value
	siblings []strictjson.Value // with the record itself
	names    []strictjson.Value // members of what it is part of that name it
	alone    bool               // it is the whole look-up, not an element of a list
	// tool is the look-up or the member that the record is in, and key its member with the id, of what
	// is alone.
	tool, key string
}

// of returns the records that an id identifies.
func (r *Records) of(id string) []record {
	if r == nil {
		return nil
	}
	var out []record
	for _, one := range r.results {
		w := &walk{id: id, out: &out}
		w.value(one.root(), one.tool, nil, 0)
	}
	return out
}

// walk looks for the records of an id.
type walk struct {
	id  string
	out *[]record
}

// value looks through a value under a name: a member's, or the tool's.
func (w *walk) value(v strictjson.Value, name string, names []strictjson.Value, depth int) {
	if depth > maxDepth {
		return
	}
	switch v.Kind() {
	case strictjson.Array:
		elements := v.Elements()
		for _, e := range elements {
			if e.Kind() == strictjson.Object && w.key(e, name) != "" {
				w.found(e, elements, names, name)
			}
			w.value(e, name, names, depth+1)
		}
	case strictjson.Object:
		w.object(v, name, names, depth)
	}
}

func (w *walk) object(v strictjson.Value, name string, names []strictjson.Value, depth int) {
	if key := w.key(v, name); depth == 0 && key != "" {
		*w.out = append(*w.out, record{object: v, siblings: []strictjson.Value{v}, alone: true, tool: name, key: key})
	}
	var objects []strictjson.Value
	own := slices.Clone(names)
	for key, m := range v.Members() {
		if m.Kind() == strictjson.Object {
			objects = append(objects, m)
		}
		if m.Kind() == strictjson.String && isName(key) {
			own = append(own, m)
		}
	}

	for key, m := range v.Members() {
		if key == w.id && m.Kind() == strictjson.Object {
			w.found(m, objects, names, name)
		}
		w.value(m, key, own, depth+1)
	}
}

func (w *walk) found(object strictjson.Value, siblings, names []strictjson.Value, in string) {
	if len(siblings) <= maxSiblings {
		*w.out = append(*w.out, record{object: object, siblings: siblings, names: names, tool: in})
	}
}

// key returns the member of an object that has the id and distinguishes it from others: id, or
// ITEM_id in a list of items. It is empty where there is none.
func (w *walk) key(object strictjson.Value, container string) string {
	for key, m := range object.Members() {
		if !isScalar(m) || m.Text() != w.id {
			continue
		}
		rest := slices.DeleteFunc(provenance.Words(key), func(s string) bool { return slices.Contains(idWords, singular(s)) })
		if len(rest) < len(provenance.Words(key)) && within(rest, provenance.Words(container)) {
			return key
		}
	}
	return ""
}

// idWords are the words of members that tell records apart.
var idWords = []string{"id", "uuid", "guid", "number", "no", "code", "key", "ref", "reference", "identifier", "sku"}

// pointerWords are those of them by which systems point to records, and people name nothing.
var pointerWords = []string{"id", "uuid", "guid", "identifier"}

// nameWords are the members by which people call a thing.
var nameWords = []string{"name", "title", "label"}

func isName(key string) bool { return slices.Contains(nameWords, strings.ToLower(key)) }

func within(words, container []string) bool {
	for _, w := range words {
		if !slices.ContainsFunc(container, func(c string) bool { return singular(c) == singular(w) }) {
			return false
		}
	}
	return true
}

func singular(w string) string {
	w = strings.ToLower(w)
	if len(w) > 3 {
		return strings.TrimSuffix(w, "s")
	}
	return w
}

func isScalar(v strictjson.Value) bool {
	return v.Kind() == strictjson.String || v.Kind() == strictjson.Number
}

// field is a member of a record, by its path, that may identify it.
type field struct {
	path  string
	key   []word // the words of its name
	named bool   // people call the thing by it
}

// separator separates the names in a field's path.
const separator = "\x00"

// fieldsOf returns the texts of an object by their paths.
func fieldsOf(object strictjson.Value, path string, out map[string]string, depth int) {
	for key, m := range object.Members() {
		at := path + separator + key
		switch {
		case m.Kind() == strictjson.Object && depth < maxDepth:
			fieldsOf(m, at, out, depth+1)
		case m.Kind() == strictjson.String && m.Text() != "" && len(m.Text()) <= maxText && len(out) < maxFields:
			out[at] = m.Text()
		}
	}
}
