package mention

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/remit-project/remit/internal/memo"
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
	results []*Result
	heard   *Heard

	once  sync.Once
	words *named // what the results call things; made when first needed
	said  memo.Map[saying, Answer]
	// having are the members that have a text, and summaries what is told of values.
	having    memo.Map[string, []string]
	summaries memo.Map[string, string]
	mu        sync.Mutex
	// described are the records that were searched for, and texts how many texts these have.
	described map[*group]*described
	texts     int
	// windows are stretches of texts, and stretches how many these are.
	windows   map[reading][]window
	stretches int
}

// reading is a text as a vocabulary has it.
type reading struct {
	by   *vocabulary
	text string
}

// named is what results call things.
type named struct {
	names []calling
	keys  map[string][][]word
}

// saying is a text that may name a value.
type saying struct{ text, value string }

// maxDescribed bounds the texts of the records that are kept described.
const maxDescribed = 1 << 14

// NewRecords returns no records yet, of a session of which it is kept what was heard.
func NewRecords(h *Heard) *Records { return &Records{heard: h} }

// Add adds a result.
func (r *Records) Add(one *Result) { r.results = append(r.results, one) }

// Describe returns a value with what its record says of it, for a reader: "card_1 (brand:
// visa, last_four: 7447)".
func (r *Records) Describe(value string) string {
	return r.summaries.Of(value, func() string { return r.summarize(value) })
}

func (r *Records) summarize(value string) string {
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
