package match

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// A server may answer with another thing than it was asked for: a search for Ann finds Annika, and the order 17 is not there, but 117 is. What
// says of itself that it is another one is not what the request means.

// answering leaves out of a selection the records of other things than the source asked for, for a call that can't be taken back.
func (m *matcher) answering(s *Source, r *Result, selected selection) selection {
	others := m.others(s, r)
	if others == nil {
		return selected
	}
	out := selection{}
	for _, record := range r.inOrder {
		if selected.has(record) && !others[r.home(record)] {
			out[record] = true
		}
	}
	return out
}

// others returns the outermost records that have another value than the source's call asked for, under the name of the argument or one that says the
// same; nil where none has.
func (m *matcher) others(s *Source, r *Result) selection {
	if !m.irreversible || m.lent || r.level == nil || r.values {
		return nil
	}

	var out selection
	for _, a := range r.Args {
		if !s.asksBy(&a, r) {
			continue
		}
		w := Match{Is: []scope.Value{scope.Value(a.Text)}, words: argumentName(a.Pointer), days: isDay(scope.Value(a.Text)), zone: m.proposal.zone()}
		names := m.answeredBy(&w, r.level)
		for _, name := range names {
			if full := m.fullName(&w, r, name); full != "" {
				w.Is = append(w.Is, scope.Value(full))
			}
		}
		for _, record := range r.level.inOrder {
			if names == nil {
				break
			}
			if !m.hasOther(&w, r, record, names) {
				continue
			}
			if out == nil {
				out = selection{}
			}
			out[record] = true
		}
	}
	return out
}

// fullName returns what the server calls the person whom its call asked for by a part of the name, as the user did: the only one in its answer
// who is called so. It is empty where there is none, or another one.
func (m *matcher) fullName(w *Match, r *Result, name string) string {
	asked := string(w.Is[0])
	isPerson := slices.ContainsFunc(w.words, func(word string) bool { return lexicon().People.Has(thing(word)) })
	if !isPerson || !hasLetters(asked) || !m.stated(asked) || !m.work(len(r.level.fields)*perStep) {
		return ""
	}
	full := ""
	for i := range r.level.fields {
		f := &r.level.fields[i]
		if f.name != name || f.null || strings.TrimSpace(f.text) == "" || f.text == full {
			continue
		}
		rest, isLonger := strings.CutPrefix(f.text, asked+" ")
		if isOnly := full == "" && isLonger && isProper(asked+" "+rest) && !strings.ContainsFunc(rest, isNoName); !isOnly {
			return ""
		}
		full = f.text
	}
	return full
}

// isNoName reports whether a character stands in no name of a person.
func isNoName(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != ' ' }

// answeredBy returns the members that say of records that they are what was asked for: the one of the argument's name, or in the object of
// that name the one in which a record has the value, or else those that say the same; nil where there is none.
func (m *matcher) answeredBy(w *Match, level *Result) []string {
	if name := strings.Join(w.words, " "); level.members[name] {
		return []string{name}
	}
	if side := placeSides[strings.Join(w.words, " ")]; side != "" && level.members[side] && level.hasWordsFor([]string{side}) {
		return []string{side}
	}
	if !m.work(len(level.fields) * perStep) {
		return nil
	}
	is := func(f field) bool {
		return slices.Equal(f.part, w.words) && f.outer == 0 && m.work(w.work(len(f.text))) && w.accepts(f.text)
	}
	if at := slices.IndexFunc(level.fields, is); at >= 0 {
		return []string{level.fields[at].name}
	}
	return m.sayingSame(w, level)
}

// sayingSame returns the members whose names say the same as an argument's: the owners, what the owner is called, whom it is owned by, or for a day the
// only member that holds times of when something is on. A login, or an id, is not compared with what somebody is called.
func (m *matcher) sayingSame(w *Match, level *Result) []string {
	want, asked := meaningOf(w.words), string(w.Is[0])
	if isDay(scope.Value(asked)) {
		return m.onlyTimes(level)
	}
	first, _ := utf8.DecodeRuneInString(asked)
	isName := unicode.IsLetter(first) && !unicode.IsLower(first)
	if want.bare || isCode(asked) {
		return nil
	}

	var out []string
	for name := range level.members {
		member := strings.Fields(name)
		have := meaningOf(member)
		ofName := slices.Equal(have.kinds, []string{"name"})
		isSo := slices.Equal(have.of, want.of) && (slices.Equal(have.kinds, want.kinds) || (ofName && isName))
		if m.step() && !have.bare && (isSo || (isName && isDoneBy(member, w.words))) {
			out = append(out, name)
		}
	}
	return out
}

// isDoneBy reports whether a member says by whom something is done that an argument calls so: owned_by, of the owner.
func isDoneBy(member, argument []string) bool {
	if len(member) != 2 || member[1] != "by" || len(argument) != 1 {
		return false
	}
	stem, isDone := strings.CutSuffix(member[0], "ed")
	return isDone && (argument[0] == stem+"er" || argument[0] == stem+"or")
}

// onlyTimes returns the only member of records that holds times of when something is on, and not of what was done.
func (m *matcher) onlyTimes(level *Result) []string {
	var out []string
	for name := range m.times(level) {
		isPast := func(w string) bool { l := lexicon(); return l.Origins.Has(w) || l.Past.Has(w) || l.Agreed.Has(w) }
		if !slices.ContainsFunc(strings.Fields(name), isPast) {
			out = append(out, name)
		}
	}
	if len(out) != 1 {
		return nil
	}
	return out
}

// placeSides are what records call the ends of a way that an argument names.
var placeSides = map[string]string{"origin": "from", "destination": "to", "from": "origin", "to": "destination"}

// areAll reports whether all things that a result has are others than those that were asked for.
func (m *matcher) areAll(others selection, r *Result) bool {
	return others != nil && !slices.ContainsFunc(r.level.inOrder, func(record string) bool { return m.step() && r.isRecord(record) && !others[record] })
}

// hasOther reports whether a record has values under some names, and none that meets a condition.
func (m *matcher) hasOther(w *Match, r *Result, record string, names []string) bool {
	has := false
	for _, i := range r.records[record] {
		f := &r.fields[i]
		if !slices.Contains(names, f.name) || (f.part != nil && f.name == strings.Join(w.words, " ")) || strings.TrimSpace(f.text) == "" {
			continue
		}
		if !m.work(w.work(len(f.text))) || w.accepts(f.text) || isInFolder(f.text, string(w.Is[0])) {
			return false
		}
		has = true
	}
	return has
}

// isInFolder reports whether a path is in a folder.
func isInFolder(path, folder string) bool {
	folder = strings.TrimSuffix(folder, "/")
	return strings.Contains(folder, "/") && strings.HasPrefix(path, folder+"/")
}

// asksBy reports whether an argument of an earlier call says which things a source asks for: what the scope states or finds for it, and not
// words that are looked for, a side that bounds the listing, or all there is. A name, an id or a number
// alone may be that of what a listing is of.
func (s *Source) asksBy(a *Argument, r *Result) bool {
	l, key := lexicon(), argumentName(a.Pointer)
	isStated := slices.ContainsFunc(s.Args, func(c Arg) bool { return within(c.Pointer, a.Pointer) && len(c.Is)+len(c.From)+len(c.Date) > 0 })
	if a.Empty || a.Usual || !isStated || !(a.Role == label.Selector || a.authority() || a.Listed) {
		return false
	}
	of := meaningOf(key)
	isSide := (l.Upper.In(key) || l.Lower.In(key) || l.Offsets.In(key) || isEdge(key)) && !r.level.hasWordsFor(key)
	isOfList := (of.bare && !isDay(scope.Value(a.Text))) || (len(of.of) == 1 && of.of[0] == "id") || isLimit(key)
	isList := slices.ContainsFunc(r.level.inOrder, isListed)
	return !isSide && !l.Searched.In(key) && !l.Placeholders.Has(fold(a.Text)) && !(isOfList && isList)
}

// hasWordsFor reports whether records have a text under a name that is no time and no number: a trip from Lund begins nowhere else, and a
// listing from May has other days.
func (r *Result) hasWordsFor(key []string) bool {
	name := strings.Join(key, " ")
	return slices.ContainsFunc(r.fields, func(f field) bool {
		return (f.name == name || slices.Equal(f.part, key)) && f.words != nil && !f.numeric && !isTime(f.text)
	})
}

// home returns the outermost record that a record is in.
func (r *Result) home(record string) string {
	for record != "" && !r.outermost(record) {
		record = record[:strings.LastIndexByte(record, '/')]
	}
	return record
}
