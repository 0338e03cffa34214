package match

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/scope"
)

// Result is what an earlier call of the session returned, as far as scopes need it.
type Result struct {
	// Call is the call's id.
	Call         string
	Server, Tool string
	Args         []Argument
	// Text is the result as the agent saw it.
	Text string
	// Covered reports whether an entry of a scope covered the call, and Read whether
	// the call changed nothing.
	Covered, Read bool
	// Early reports whether the session had read nothing that others may have written when the
	// call was made: no one else could choose what it asks for.
	Early bool
	// Failed reports whether the tool, or who ran it, says that the call failed.
	Failed bool
	// Returns are the members that the tool itself names, as patterns of JSON pointers; nil where
	// they are unknown.
	Returns []string
	// Verbatim reports whether Text is a document as its author wrote it.
	Verbatim bool

	// fields and records are set where the result has structure.
	structured bool
	partial    bool // more than the fields and blocks that scopes look at
	fields     []field
	records    map[string][]int // the fields of each record, by the record's pointer
	inOrder    []string         // the pointers of the records
	atPlace    []atPlace        // what is known of these, once all are
	flat       bool             // each of them is an element of a list
	// outerFields are how many fields the records that are in no other have themselves.
	outerFields  int
	nested       map[string][]int // the fields of the objects in a record
	members      map[string]bool  // their names
	known        map[string]bool  // those that the tool itself names
	parts        map[string]int   // of those in an object of their record, how many words are the object's
	telling      map[string]bool  // records with members that don't just say something of a list in them
	outers       map[string]int   // and of these, how many are of the objects around it
	values       bool             // nothing but a list of values
	more         bool             // its server says that it is a part of a listing
	failing      bool             // and that the call failed
	age, filters []int            // the fields around a list that say of which moment it is, and what is left out of it
	doubled      bool             // two records of it begin with the same id
	outer        map[string]bool  // the records that are in no other
	level        *Result          // the same with the members of these alone; nil for a list of values

	// inList is the list that each record is in, and hasParts whether any of them has a member in an object.
	inList   map[string]string
	hasParts bool

	// names is a text that is a list of names, read so; nil for another text. It is unproven: a
	// line end in a value adds an element.
	names    *Result
	unproven bool

	// reading is a text as the fields that it looks like, as says how, and held how many records
	// it has then; nil where it looks like nothing.
	reading *Result
	as      *scope.Reading
	held    int
	// pinned reports whether the tool's contract says that it is read so.
	pinned bool
	// own are the fields that the service itself writes, where the result is such a reading.
	own map[int]bool
}

// field is one scalar of a structured result, or one labelled line of a text.
type field struct {
	record  string   // the pointer of the innermost object around it
	place   int      // that of the record among those of the result
	member  string   // its name, as it is written
	key     []string // the words of its member name, or of that of the array that it is in
	part    []string // those of the objects around it, within its record
	outer   int      // how many of them are of the objects around the innermost
	name    string   // both as one text
	text    string
	words   []string // of the text; nil for a longer one
	null    bool     // there is such a member, without a value
	numeric bool     // a number, and not a text that may be one
	list    bool     // which is an empty list
}

const (
	// maxFields bounds the fields of one result that scopes look at.
	maxFields = 20_000
	// maxTitle bounds a text whose words name its record: a title or a subject, not a
	// message.
	maxTitle = 8
)

func newField(record, key, text string) field {
	f := field{record: record, member: key, key: words(key), text: text}
	f.name = strings.Join(f.key, " ")
	if w := words(text[:min(len(text), 16*maxTitle)]); len(w) <= maxTitle && len(text) <= 16*maxTitle {
		f.words = w
	}
	return f
}

// SetContent gives a result its content: the text that the agent saw, and its fields, nil
// where it has none.
func (r *Result) SetContent(text string, doc *strictjson.Document) {
	r.Text = text
	if doc == nil {
		if names := listOfNames(text); names != nil {
			r.names = &Result{Call: r.Call, Server: r.Server, Tool: r.Tool, Args: r.Args, Covered: r.Covered, Read: r.Read, values: true, unproven: true}
			for i, name := range names {
				r.names.add(newField("/"+strconv.Itoa(i), "", name))
			}
		}
		return
	}

	r.structured = true
	leaves := doc.Leaves()
	r.values = ofValues(leaves)
	parts := partsOf(leaves)
	for _, leaf := range leaves {
		if len(r.fields) == maxFields {
			r.partial = true
			break
		}
		record, key := split(leaf.Pointer)
		var part []string
		outer := 0
		if r.values {
			record = leaf.Pointer
		} else {
			record, part, outer = parts.home(record)
		}
		f := newField(record, key, leaf.Text)
		f.within(part, outer)
		r.note(f.name, leaf.Pointer)
		f.null = leaf.Kind == strictjson.Object || leaf.Kind == strictjson.Array || leaf.Kind == strictjson.Null
		f.list, f.numeric = leaf.Kind == strictjson.Array, leaf.Kind == strictjson.Number
		if f.null {
			f.text, f.words = "", nil
		}
		r.add(f)
	}
	if !r.values {
		r.addKeys(leaves, parts)
	}
	r.nest()
	r.level = r.outside()
	r.more, r.failing, r.doubled = r.saysMore(), r.saysFailed(), r.hasDoubles()
	r.age, r.filters = r.tellsOf()
}

// atPlace is what is known of a record by its place among those of its result.
type atPlace struct {
	fields    []int
	outermost bool
}

// isPlaced reports whether the places of the fields' records are known, and are those of this result's records.
func (r *Result) isPlaced(f *field) bool {
	return f.place < len(r.atPlace) && r.inOrder[f.place] == f.record
}

// setPlaces notes what is known of the records by their places.
func (r *Result) setPlaces() {
	r.atPlace, r.flat, r.outerFields = make([]atPlace, len(r.inOrder)), true, 0
	for n, record := range r.inOrder {
		at := atPlace{r.records[record], r.outermost(record)}
		if r.atPlace[n] = at; at.outermost {
			r.outerFields += len(at.fields)
		}
		r.flat = r.flat && strictjson.IsIndex(record[strings.LastIndexByte(record, '/')+1:])
	}
}

// fieldsOf yields the fields of the selected records, in their order. One is the only of these; empty where there are several.
func (r *Result) fieldsOf(selected selection, one string) iter.Seq[*field] {
	return func(yield func(*field) bool) {
		if one != "" && r.flat {
			for _, i := range r.records[one] {
				if !yield(&r.fields[i]) {
					return
				}
			}
			return
		}
		record, counts := "", selected.has("") // the fields of a record are beside each other
		for i := range r.fields {
			f := &r.fields[i]
			if f.record != record {
				record, counts = f.record, selected.has(f.record)
			}
			if counts && !yield(f) {
				return
			}
		}
	}
}

// at returns the fields of the record at a place, and whether it is in no other.
func (r *Result) at(n int) (fields []int, outermost bool) {
	if r.atPlace != nil {
		return r.atPlace[n].fields, r.atPlace[n].outermost
	}
	return r.records[r.inOrder[n]], r.outermost(r.inOrder[n])
}

// hasDoubles reports whether two records begin with a member that things are known by and has the same value.
func (r *Result) hasDoubles() bool {
	seen := map[nameAndText]bool{}
	for _, record := range r.inOrder {
		if len(r.records[record]) == 0 {
			continue
		}
		first := &r.fields[r.records[record][0]]
		at := nameAndText{first.name, first.text}
		if seen[at] && first.tellsApart() {
			return true
		}
		seen[at] = true
	}
	return false
}

// tellsApart reports whether a member that a record begins with may tell which thing it is: it is called as an id, or holds a code.
func (f *field) tellsApart() bool {
	return isID(f.key) || (isCode(f.text) && !f.numeric)
}

// isListed reports whether a record is in a list.
func isListed(record string) bool { return elementOf(record) != "" }

// add adds a field.
func (r *Result) add(f field) {
	if r.records == nil {
		r.structured, r.records, r.members, r.parts, r.outers = true, map[string][]int{}, map[string]bool{}, map[string]int{}, map[string]int{}
		r.telling, r.inList = map[string]bool{}, map[string]string{}
	}
	if !f.null && !r.telling[f.record] && !lexicon().Wrapping.In(f.key) {
		r.telling[f.record] = true
	}
	r.members[f.name], r.hasParts = true, r.hasParts || f.part != nil
	if _, known := r.parts[f.name]; !known || f.part == nil {
		r.parts[f.name], r.outers[f.name] = len(f.part), f.outer
	}

	of := r.records[f.record]
	if of == nil {
		f.place = len(r.inOrder)
		r.inOrder = append(r.inOrder, f.record)
		r.inList[f.record] = listOf(f.record)
	} else {
		f.place = r.fields[of[0]].place
	}
	r.records[f.record] = append(of, len(r.fields))
	r.fields = append(r.fields, f)
}

// listed returns how many elements the longest list of a result has; in a text, how many
// lines.
func (r *Result) listed() int {
	if !r.structured {
		return strings.Count(strings.TrimSpace(r.Text), "\n") + 1
	}

	most, lists := 1, map[string]int{}
	count := func(list string) {
		lists[list]++
		most = max(most, lists[list])
	}
	for record := range r.records {
		count(record[:max(0, strings.LastIndexByte(record, '/'))])
	}
	for _, f := range r.fields {
		count(f.record + "/" + f.name)
	}
	return most
}

// outwards yields a pointer, and those of all that is around it.
func outwards(pointer string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := len(pointer); at >= 0; at = strings.LastIndexByte(pointer[:at], '/') {
			if !yield(pointer[:at]) {
				return
			}
		}
	}
}

// nest notes which fields are in objects of other records.
func (r *Result) nest() {
	r.nested = map[string][]int{}
	for i, f := range r.fields {
		for around := range outwards(f.record) {
			if around != f.record && r.records[around] != nil {
				r.nested[around] = append(r.nested[around], i)
			}
		}
	}
}

// outermost reports whether a record is in no other: it is an element of the outermost list, or
// the whole result.
func (r *Result) outermost(record string) bool {
	if r.outer != nil {
		return r.outer[record]
	}
	for around := range outwards(record) {
		if around != record && r.isRecord(around) {
			return false
		}
	}
	return true
}

// isRecord reports whether an object has members of its own that don't just say something of a
// list in it.
func (r *Result) isRecord(pointer string) bool {
	return r.telling[pointer]
}

// split parts the pointer of a leaf into that of its record and its member name.
// Elements of an array belong to the record that the array is a member of.
func split(pointer string) (record, key string) {
	for pointer != "" {
		i := strings.LastIndexByte(pointer, '/')
		last := pointer[i+1:]
		pointer = pointer[:i]
		if !strictjson.IsIndex(last) {
			return pointer, strictjson.UnescapeToken(last)
		}
	}
	return "", ""
}

// says reports whether a value appears as a whole in the text of a result, or in one of
// its fields.
func (r *Result) says(value string) bool {
	if !r.structured {
		return appears(r.Text, value)
	}
	return slices.ContainsFunc(r.fields, func(f field) bool { return appears(f.text, value) })
}
