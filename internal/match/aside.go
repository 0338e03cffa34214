package match

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/internal/wordlist"
	"github.com/remit-project/remit/scope"
)

// Strangers add data next to the records that a request is about: comments to a page, advertisements to search
// results. An irreversible call may take a value from such a list or object only if the scope or the tool names it.

// aside returns a function that says why an irreversible call can't take the value of a field; it returns "" for
// one in a record that the source is about.
func (m *matcher) aside(s *Source, c *Constraint, r *Result) func(*field) string {
	if !m.irreversible || m.against || r.values {
		return func(*field) string { return "" }
	}
	ofThing := false
	if c.Pick == scope.Only && len(s.Where) == 0 {
		of := meaningOf(m.head(r, s.name()))
		ofThing = !of.bare && len(of.kinds) > 0
	}
	lists := map[string]string{} // what was found of the outermost ones
	return func(f *field) string {
		home := r.home(f.record)

		name := r.asideIn(s, strings.TrimPrefix(f.record, home), isListed(home), ofThing)
		if isAside := slices.ContainsFunc(f.part, isOneOf(lexicon().Asides)); name == "" && isAside && !r.isNamedBy(s, f.part, false) {
			name = strings.Join(f.part, " ")
		}
		if at := strings.LastIndexByte(home, '/'); name == "" && at >= 0 {
			list := home[:at]
			if _, known := lists[list]; !known {
				lists[list] = m.asideOf(s, r, list)
			}
			name = lists[list]
		}
		if name == "" {
			return ""
		}
		return m.say("others may have written what is in %s of %s", short(name), s.Tool)
	}
}

// asideIn returns the first list or object of a path that the source doesn't name, or "". In a result that is not
// a list, those that strangers add to count, and where the only value of another thing is looked for, all lists: the host of an
// event is none of its guests.
func (r *Result) asideIn(s *Source, path string, listed, ofThing bool) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		if i == 0 || strictjson.IsIndex(segment) {
			continue
		}
		name := words(strictjson.UnescapeToken(segment))
		if len(name) == 0 {
			return "a member without a name" // which no source can name
		}
		isList := i+1 < len(segments) && strictjson.IsIndex(segments[i+1])
		isAside := listed || (ofThing && isList) || slices.ContainsFunc(name, isOneOf(lexicon().Asides))
		if isAside && !r.isNamedBy(s, name, isList) {
			return strictjson.UnescapeToken(segment)
		}
	}
	return ""
}

// asideOf returns the name of an outermost list if the source names another one, also where that is empty, or if
// strangers add to it; else it returns "".
func (m *matcher) asideOf(s *Source, r *Result, list string) string {
	name := strictjson.UnescapeToken(list[strings.LastIndexByte(list, '/')+1:])
	of := words(name)
	isMeant := func(of []string) bool { return r.isNamedBy(s, of, true) && r.isWholly(s, of) }
	switch {
	case name == "" || isMeant(of):
		return ""
	case slices.ContainsFunc(of, isOneOf(lexicon().Asides)) && !r.isNamedBy(s, of, true):
		return name
	}

	for _, record := range r.inOrder {
		at := strings.LastIndexByte(record, '/')
		other := at >= 0 && isListed(record) && r.outermost(record) && record[:at] != list
		if m.step() && other && isMeant(words(strictjson.UnescapeToken(record[strings.LastIndexByte(record[:at], '/')+1:at]))) {
			return name
		}
	}
	isEmpty := func(f field) bool { return m.step() && f.list && !isListed(f.record) && isMeant(f.key) }
	if slices.ContainsFunc(r.fields, isEmpty) {
		return name
	}
	return ""
}

// isWholly reports whether each word of a list's name is of what a source names, or says no more than that there are
// records: partner products are not those that were looked for.
func (r *Result) isWholly(s *Source, of []string) bool {
	isBare := isOneOf(lexicon().Containers)
	return !slices.ContainsFunc(of, func(w string) bool { return !isBare(w) && !r.isNamedWord(s, w) })
}

// isNamedBy reports whether a source names a list or an object: by its field or a condition, by its tool, or in no
// way that tells it from others. What strangers add to is named by the word for that: sponsored products are not
// the products.
func (r *Result) isNamedBy(s *Source, of []string, isList bool) bool {
	isAside, bare := isOneOf(lexicon().Asides), isOneOf(lexicon().Details)
	if isList {
		bare = isOneOf(lexicon().Containers)
	}
	if slices.ContainsFunc(of, func(w string) bool { return isAside(w) && !r.isNamedWord(s, w) }) {
		return false
	}
	isBare := !slices.ContainsFunc(of, func(w string) bool { return !bare(w) })
	return isBare || slices.ContainsFunc(of, func(w string) bool { return r.isNamedWord(s, w) })
}

// isNamedWord reports whether a source has a word in its field, in a condition, or in its tool.
func (r *Result) isNamedWord(s *Source, w string) bool {
	said := s.name()
	for i := range s.Where {
		said = append(slices.Clip(said), s.Where[i].name()...)
	}
	return r.isAbout(w) || slices.ContainsFunc(said, func(d string) bool { return thing(d) == thing(w) })
}

// isOneOf returns a predicate for the words of a list, in the singular as well.
func isOneOf(list wordlist.Set) func(string) bool {
	return func(w string) bool {
		return slices.ContainsFunc(list.Words(), func(l string) bool { return sameWord(l, w) })
	}
}
