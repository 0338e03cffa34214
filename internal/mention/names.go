package mention

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/remit-project/remit/internal/strictjson"
)

// Answer is whether a text names a value.
type Answer uint8

// The answers. Other is a text that names another thing of the kind in its place;
// Silent one that names none, or not clearly.
const (
	Silent Answer = iota
	Other
	Named
)

// Names reports whether a text names a value: by itself, or by the identifying fields
// of its record, so that no other record of the same look-up fits.
func (r *Records) Names(t Text, value string) Answer {
	return r.said.Of(saying{t.raw, value}, func() Answer {
		answer := r.search(t, value)
		if answer == Other && r.search(r.heard.inPlace(t), value) != Other {
			return Silent
		}
		return answer
	})
}

// NamesBeside is [Records.Names] for one of several values of a call. A day or a time in the
// text that is one of the others doesn't count as another value in place of this one. The others
// are seldom asked for.
func (r *Records) NamesBeside(t Text, value string, others func() []string) Answer {
	answer := r.Names(t, value)
	if answer != Other || !isMoment(value) {
		return answer
	}
	rest := t.raw
	for _, other := range others() {
		if other != value && isMoment(other) {
			rest = strings.ReplaceAll(rest, other, "…")
		}
	}
	if rest == t.raw {
		return answer
	}
	return r.Names(NewText(rest), value)
}

func (r *Records) search(t Text, value string) Answer {
	if r.heard.says(t, value) {
		return Named
	}
	words := NewText(value).words

	// What was looked up by itself doesn't tell how the thing differs from others. Where a list
	// has it as well, the list says.
	known := r.of(value)
	byItself := func(one *record) bool { return one.alone }
	if slices.ContainsFunc(known, func(one *record) bool { return !one.alone }) {
		known = slices.DeleteFunc(known, byItself)
	}

	best := Silent
	others := t.sameShape(words) // codes that could mean the same
	// No other record of a look-up could be meant, or the text says nothing that a record has, so
	// that it speaks of things by their codes alone.
	byCode := true
	for _, one := range known {
		others = others || r.another(t, one, value)
		answer, said := r.fit(t, one, value, others)
		byCode = byCode && (len(one.siblings) == 1 || !said)
		switch answer {
		case Named:
			return Named
		case Other:
			best = Other
		}
	}
	if best == Silent && byCode && others {
		return Other
	}
	return best
}

// candidate is one record of a look-up with the texts of its fields.
type candidate map[string]string

// described are records that are beside each other, with what tells them apart.
type described struct {
	siblings []strictjson.Value
	all      []candidate
	isKept   bool

	mu sync.Mutex
	// vocabularies are those that were made, and of the vocabulary of each record that was searched for.
	vocabularies []*vocabulary
	of           map[int]*vocabulary
}

// describe returns the texts of records.
func (r *Records) describe(g *group) *described {
	r.mu.Lock()
	defer r.mu.Unlock()
	if d := r.described[g]; d != nil {
		return d
	}

	d := &described{siblings: g.siblings, all: make([]candidate, 0, len(g.siblings)), of: map[int]*vocabulary{}}
	texts := len(r.called().names) // which a vocabulary has, too
	for _, s := range g.siblings {
		c := candidate{}
		fieldsOf(s, "", c, 0)
		for i, n := range g.names {
			c["^"+string(rune('0'+i))+separator+"name"] = n.Text()
		}
		d.all = append(d.all, c)
		texts += len(c)
	}
	if r.texts+texts <= maxDescribed {
		if r.described == nil {
			r.described = map[*group]*described{}
		}
		r.described[g], d.isKept = d, true
		r.texts += texts
	}
	return d
}

// vocabulary returns what the fields say that tell a record from those beside it, by its place.
func (d *described) vocabulary(own int, called *named) *vocabulary {
	d.mu.Lock()
	defer d.mu.Unlock()
	if v := d.of[own]; v != nil {
		return v
	}

	fields := telling(d.all[own], d.all)
	same := func(v *vocabulary) bool {
		return slices.EqualFunc(v.fields, fields, func(a, b field) bool { return a.path == b.path })
	}
	if i := slices.IndexFunc(d.vocabularies, same); i >= 0 {
		d.of[own] = d.vocabularies[i]
		return d.of[own]
	}
	v := newVocabulary(fields, d.all, called)
	if len(d.vocabularies) < maxVocabularies {
		v.isKept = d.isKept
		d.vocabularies = append(d.vocabularies, v)
		d.of[own] = v
	}
	return v
}

// maxVocabularies bounds the vocabularies that are kept of records: most differ in the same fields.
const maxVocabularies = 4

// fit reports whether a text names one record of a look-up. Of a record that was looked up by
// itself nothing tells what the others are like: where the text has other codes of the kind, a
// part of what the record says may be said of one of them. It also reports whether the text says
// something that a record of the look-up has.
func (r *Records) fit(t Text, one *record, id string, others bool) (answer Answer, said bool) {
	d := r.describe(one.group)
	at := slices.Index(d.siblings, one.object)
	v := d.vocabulary(at, r.called())
	own, all, fields := d.all[at], d.all, v.fields
	if len(fields) == 0 {
		return Silent, false
	}
	windows := r.windowsOf(t, v)
	if len(windows) == 0 {
		return Silent, false
	}

	best := Other
	inPart, lone := one.alone && others, len(all) == 1
	for i, w := range windows {
		switch got := w.fit(own, all, fields); {
		case got == Named && w.sure(all, fields, windows, i) && (!inPart || w.whole(all, fields)) && (!lone || w.tellsAlone(t, one, fields, id)):
			return Named, true
		case got != Other:
			best = Silent
		}
	}
	return best, true
}

// another reports whether a text has the code of another record that the same tool returned by
// itself.
func (r *Records) another(t Text, one *record, value string) bool {
	if !one.alone {
		return false
	}
	return slices.ContainsFunc(r.results, func(other *Result) bool {
		id := other.read().root.Get(one.key).Text()
		code := id != value && strings.ContainsFunc(id, unicode.IsDigit)
		return other.tool == one.tool && code && t.says(NewText(id).words)
	})
}

// telling returns the fields in which the records of a look-up differ, and what they
// are called by. Of a single record, all fields tell.
func telling(own candidate, all []candidate) []field {
	var out []field
	for _, path := range slices.Sorted(maps.Keys(own)) {
		key := path[strings.LastIndex(path, separator)+1:]
		differ := len(all) == 1 || slices.ContainsFunc(all, func(c candidate) bool { return c[path] != own[path] })
		inherited := strings.HasPrefix(path, "^")
		if differ || inherited {
			out = append(out, field{path, NewText(key).words, isName(key)})
		}
	}
	return out
}

// spelling is a text that a field of some record has.
type spelling struct {
	field int
	value string
	words []word
	key   []word
}

// vocabulary is what the fields of all records say.
type vocabulary struct {
	fields  []field
	byKey   map[string][]int      // the fields by the first word of their names
	values  map[string][]spelling // by the first word
	records []candidate
	keys    map[string][][]word // the names of all fields of all records, by the last word
	isKept  bool
}

// otherKey reports whether the name of a field is right before a place.
func (v *vocabulary) otherKey(t Text, i int) bool {
	if i == 0 {
		return false
	}
	return slices.ContainsFunc(v.keys[t.words[i-1].text], func(key []word) bool { return i >= len(key) && t.at(i-len(key), key) })
}

func newVocabulary(fields []field, all []candidate, called *named) *vocabulary {
	out := map[string][]spelling{}
	seen := map[string]bool{}
	add := func(i int, n calling) {
		id := string(rune(i)) + n.spelled
		if len(n.words) == 0 || seen[id] {
			return
		}
		seen[id] = true
		out[n.words[0].text] = append(out[n.words[0].text], spelling{i, n.value, n.words, fields[i].key})
	}

	for i, f := range fields {
		for _, c := range all {
			if value := c[f.path]; !seen[string(rune(i))+value] {
				add(i, newCalling(value, value))
			}
		}
		if !f.named {
			continue
		}
		for _, n := range called.names {
			add(i, n)
		}
	}
	byKey := map[string][]int{}
	for i, f := range fields {
		if len(f.key) > 0 {
			byKey[f.key[0].text] = append(byKey[f.key[0].text], i)
		}
	}
	return &vocabulary{fields: fields, byKey: byKey, values: out, records: all, keys: called.keys}
}

// key returns the length of the name of a field at a place, with a value of it after; 0 for none.
func (v *vocabulary) key(t Text, i int) int {
	most := 0
	for _, n := range v.byKey[t.words[i].text] {
		f := &v.fields[n]
		after := i + len(f.key)
		if len(f.key) <= most || after >= len(t.words) || !t.at(i, f.key) {
			continue
		}
		if slices.ContainsFunc(v.values[t.words[after].text], func(s spelling) bool { return s.field == n && t.at(after, s.words) }) {
			most = len(f.key)
		}
	}
	return most
}

// calling is words by which a thing may be called, and the value that they mean.
type calling struct {
	spelled, value string
	words          []word
}

func newCalling(spelled, value string) calling {
	return calling{spelled, value, NewText(strings.ReplaceAll(spelled, "_", " ")).words}
}

// withHeads returns names, and the last words of those that have several, by which people
// call the things for short: "the kettle" for "Tea Kettle". A word that another name has,
// too, is left out.
func withHeads(names []string) []calling {
	const least = 4 // letters
	var out []calling
	having := map[string]int{}
	for _, n := range names {
		out = append(out, newCalling(n, n))
		for _, w := range out[len(out)-1].words {
			having[singular(w.text)]++
		}
	}

	for _, n := range slices.Clone(out) {
		if len(n.words) < 2 {
			continue
		}
		head := n.words[len(n.words)-1].text
		if len(head) >= least && having[singular(head)] == 1 {
			out = append(out, newCalling(head, n.value))
		}
	}
	return out
}

// window is a stretch of a text that speaks of one record: no field twice.
type window map[int]string

// generic are values that mean something only beside the name of their field.
var generic = []string{"yes", "no", "none", "true", "false", "n/a"}

// maxWindows bounds the stretches of texts that are kept.
const maxWindows = 1 << 13

// windowsOf returns the stretches of a text, which are the same for each record of a vocabulary. Those of a vocabulary that
// nobody asks again would keep it.
func (r *Records) windowsOf(t Text, v *vocabulary) []window {
	if !v.isKept {
		return windowsOf(t, v)
	}
	at := reading{v, t.raw}
	r.mu.Lock()
	had, ok := r.windows[at]
	r.mu.Unlock()
	if ok {
		return had
	}

	out := windowsOf(t, v)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stretches += 1 + len(out); r.windows == nil || r.stretches > maxWindows {
		r.windows, r.stretches = map[reading][]window{}, 1+len(out)
	}
	r.windows[at] = out
	return out
}

// windowsOf divides what a text says of the records into stretches. One that begins with a
// thing's name ends where no record of the name has what follows: in "the watch becomes the
// gold one", gold is what another one is.
func windowsOf(t Text, v *vocabulary) []window {
	var out []window
	current := window{}
	line, clause, namesFirst, headed := -1, 0, false, false
	for i := 0; i < len(t.words); {
		i += v.key(t, i)
		m, length := v.longest(t, i, current)
		if length == 0 {
			i++
			continue
		}

		named := v.fields[m.field].named
		if t.words[i].line != line {
			line, namesFirst = t.words[i].line, named
		}
		_, twice := current[m.field]
		begins := named && namesFirst
		apart := (headed || t.words[i].clause != clause) && !v.together(current, m)
		clause = t.words[i].clause
		if (twice || begins || apart) && len(current) > 0 {
			out, current = append(out, current), window{}
		}
		if len(current) == 0 {
			headed = named && !v.fields[m.field].inherited()
		}
		current[m.field] = m.value
		i += length
	}
	if len(current) > 0 {
		out = append(out, current)
	}
	return out
}

// together reports whether some record has all that a stretch and a spelling say. Where
// the stretch is of none already, nothing parts them.
func (v *vocabulary) together(w window, m spelling) bool {
	fits, with := false, false
	for _, c := range v.records {
		if w.of(c, v.fields) {
			fits = true
			with = with || strings.EqualFold(c[v.fields[m.field].path], m.value)
		}
	}
	return with || !fits
}

// of reports whether a record has all that a stretch says.
func (w window) of(c candidate, fields []field) bool {
	for i, value := range w {
		if !strings.EqualFold(c[fields[i].path], value) {
			return false
		}
	}
	return true
}

// longest returns the longest spelling at a place. Of several, one whose field's name comes
// before it counts, then one whose field the window doesn't have yet.
func (v *vocabulary) longest(t Text, i int, current window) (spelling, int) {
	var best spelling
	length, rank := 0, -1
	for _, s := range v.values[t.words[i].text] {
		if !t.at(i, s.words) {
			continue
		}
		keyed := i >= len(s.key) && t.at(i-len(s.key), s.key)
		meansNothing := !keyed && slices.Contains(generic, strings.ToLower(s.value))
		if meansNothing || (!keyed && v.otherKey(t, i)) {
			continue
		}

		r := 0
		if _, twice := current[s.field]; !twice {
			r = 1
		}
		if keyed {
			r = 2
		}
		if better := cmp.Or(cmp.Compare(len(s.words), length), cmp.Compare(r, rank)); better > 0 {
			best, length, rank = s, len(s.words), r
		}
	}
	return best, length
}

// fit reports whether a stretch speaks of a record: Named of it alone, Silent of it or
// another one, Other not of it.
func (w window) fit(own candidate, all []candidate, fields []field) Answer {
	if !w.of(own, fields) {
		return Other
	}
	if w.onlyOfOthers(fields) {
		return Silent
	}

	n := 0
	for _, c := range all {
		if w.of(c, fields) {
			n++
		}
	}
	if n == 1 {
		return Named
	}
	return Silent
}

// onlyOfOthers reports whether a stretch says no more than what all the records are
// called, or the ids of other things: a user who gives an account number doesn't name
// the one order of that account.
func (w window) onlyOfOthers(fields []field) bool {
	for i := range w {
		if !fields[i].inherited() && !fields[i].pointsElsewhere() {
			return false
		}
	}
	return true
}

// sure reports whether a stretch that fits one record is more than a piece of a
// sentence such as "from red to blue, size M to L": it calls the thing by its name, or
// the stretches beside it are whole descriptions too.
func (w window) sure(all []candidate, fields []field, windows []window, at int) bool {
	for i := range w {
		if f := fields[i]; f.named && !f.inherited() {
			return true
		}
	}
	for _, beside := range [...]int{at - 1, at + 1} {
		if beside < 0 || beside >= len(windows) {
			continue
		}
		other := windows[beside]
		if !other.covers(w, fields) && !other.whole(all, fields) {
			return false
		}
	}
	return true
}

// covers reports whether a stretch says all the fields that another one does, except for those
// that people leave out.
func (w window) covers(other window, fields []field) bool {
	for i, value := range other {
		_, has := w[i]
		optional := fields[i].inherited() || slices.Contains(generic, strings.ToLower(value))
		if !has && !optional {
			return false
		}
	}
	return true
}

// whole reports whether a stretch has all that identifies some record, or is of something else:
// it has another name, or nothing that the records of the look-up have.
func (w window) whole(all []candidate, fields []field) bool {
	for i, f := range fields {
		name, has := w[i]
		if has && f.named && !slices.ContainsFunc(all, func(c candidate) bool { return strings.EqualFold(c[f.path], name) }) {
			return true
		}
	}

	foreign := true
	for _, c := range all {
		fits, complete := true, true
		for i, f := range fields {
			value, has := w[i]
			foreign = foreign && (!has || !strings.EqualFold(value, c[f.path]))
			optional := c[f.path] == "" || f.inherited() || f.isID() || slices.Contains(generic, strings.ToLower(c[f.path]))
			fits = fits && (!has || strings.EqualFold(value, c[f.path]))
			complete = complete && (has || optional)
		}
		if fits && complete {
			return true
		}
	}
	return foreign
}

// inherited reports whether a field is that of what the record is part of.
func (f field) inherited() bool { return strings.HasPrefix(f.path, "^") }

// isID reports whether a field is an id, which people leave out.
func (f field) isID() bool { return f.hasWord(idWords) }

// pointsElsewhere reports whether a field has a system's pointer to another record. People call
// a thing by its number or code, and not by that.
func (f field) pointsElsewhere() bool { return f.hasWord(pointerWords) }

// hasWord reports whether the name of a field has one of the words.
func (f field) hasWord(words []string) bool {
	return slices.ContainsFunc(f.key, func(w word) bool { return slices.Contains(words, singular(w.text)) })
}
