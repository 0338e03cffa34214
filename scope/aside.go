package scope

import (
	"slices"
	"strings"
)

// Strangers add data next to the records that a request is about: comments to a page, advertisements to search
// results. An irreversible call may take a value from such a list or object only if the scope or the tool names it.

// containers are the names of lists that say no more than that there are records in them.
var containers = strings.Fields("results items entries rows records elements data values list hits matches contents nodes edges")

// asides are the names of lists of what strangers add, and of what nobody asked for.
var asides = strings.Fields("comments replies reviews reactions likes mentions sponsored ads advertisements promoted promotions suggested suggestions related recommended recommendations similar featured")

// aside returns a function that says why an irreversible call can't take values from a record; it returns "" for
// a record that the source is about.
func (m *matcher) aside(s *Source, r *Result) func(record string) string {
	if !m.irreversible || m.against || r.values {
		return func(string) string { return "" }
	}
	lists := map[string]string{} // what was found of the outermost ones
	return func(record string) string {
		home := record
		for home != "" && !r.outermost(home) && m.step() {
			home = home[:strings.LastIndexByte(home, '/')]
		}

		name := r.asideIn(s, strings.TrimPrefix(record, home), isListed(home))
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
// a list, only those that strangers add to count.
func (r *Result) asideIn(s *Source, path string, listed bool) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		if strings.Trim(segment, "0123456789") == "" {
			continue
		}
		isAside := listed || slices.ContainsFunc(words(unescape(segment)), isOneOf(asides))
		isList := i+1 < len(segments) && strings.Trim(segments[i+1], "0123456789") == ""
		if isAside && !r.isNamedBy(s, unescape(segment), isList) {
			return unescape(segment)
		}
	}
	return ""
}

// asideOf returns the name of an outermost list if the source names another one, or if strangers add to it; else
// it returns "".
func (m *matcher) asideOf(s *Source, r *Result, list string) string {
	name := unescape(list[strings.LastIndexByte(list, '/')+1:])
	if name == "" || r.isNamedBy(s, name, true) {
		return ""
	}
	if slices.ContainsFunc(words(name), isOneOf(asides)) {
		return name
	}
	for _, record := range r.inOrder {
		at := strings.LastIndexByte(record, '/')
		other := at >= 0 && isListed(record) && r.outermost(record) && record[:at] != list
		if m.step() && other && r.isNamedBy(s, unescape(record[strings.LastIndexByte(record[:at], '/')+1:at]), true) {
			return name
		}
	}
	return ""
}

// isNamedBy reports whether a source names a list or an object: by its field or a condition, by its tool, or in no
// way that tells it from others.
func (r *Result) isNamedBy(s *Source, name string, isList bool) bool {
	of, bare := words(name), isOneOf(details)
	if isList {
		bare = isOneOf(containers)
	}
	said := s.name()
	for i := range s.Where {
		said = append(slices.Clip(said), s.Where[i].name()...)
	}
	isNamed := func(w string) bool {
		return r.isAbout(w) || slices.ContainsFunc(said, func(d string) bool { return thing(d) == thing(w) })
	}
	isBare := !slices.ContainsFunc(of, func(w string) bool { return !bare(w) })
	return isBare || slices.ContainsFunc(of, isNamed)
}

// isOneOf returns a predicate for the words of a list, in the singular as well.
func isOneOf(list []string) func(string) bool {
	return func(w string) bool { return slices.ContainsFunc(list, func(l string) bool { return sameWord(l, w) }) }
}
