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

// asides say why an irreversible call can't take the value of a field; nil where it may be any.
type asides struct {
	*matcher
	of      *Source
	in      *Result
	ofThing bool
	// first is the first member that was looked for among the outermost ones, and known are all others: most results have one list.
	first   listedMember
	ofFirst string
	known   map[listedMember]string
}

// listedMember is a member of what is around outermost records.
type listedMember struct{ in, name string }

// aside returns what says why an irreversible call can't take the value of a field.
func (m *matcher) aside(s *Source, c *Constraint, r *Result) *asides {
	if !m.irreversible || m.against || r.values {
		return nil
	}
	out := &asides{matcher: m, of: s, in: r}
	if c.Pick == scope.Only && len(s.Where) == 0 {
		of := meaningOf(m.head(r, s.name()))
		out.ofThing = !of.bare && len(of.kinds) > 0
	}
	return out
}

// why says it; empty for a field in a record that the source is about.
func (a *asides) why(f *field) string {
	if a == nil {
		return ""
	}
	s, in, home := a.of, a.in, a.in.home(f.record)

	name := in.asideIn(s, strings.TrimPrefix(f.record, home), isListed(home), a.ofThing)
	if isAside := slices.ContainsFunc(f.part, isOneOf(lexicon().Asides)); name == "" && isAside && !in.isNamedBy(s, f.part, false) {
		name = strings.Join(f.part, " ")
	}
	if list := in.around(home); name == "" && list != "" {
		name = a.ofOutermost(listedMember{list, f.name}, home)
	}
	if isObject := name == "" && home != "" && !isListed(home) && in.outermost(home); isObject && !a.isNamedWhole(s, in, words(lastName(home)), false, false) {
		isNamed := func(f *field) bool { return a.isNamedWhole(s, in, f.key, true, false) }
		if a.hasEmptyBeside(in, in.listOf(home), isNamed) {
			name = lastName(home)
		}
	}
	if name == "" {
		return ""
	}
	return a.say("others may have written what is in %s of %s", short(name), s.Tool)
}

// ofOutermost returns what asideOf does for a member of an outermost record, which is found out once.
func (a *asides) ofOutermost(member listedMember, home string) string {
	if a.first == member {
		return a.ofFirst
	}
	name, is := a.known[member]
	if is {
		return name
	}
	name = a.asideOf(a.of, a.in, home, member.name)
	switch {
	case a.first == (listedMember{}):
		a.first, a.ofFirst = member, name
	case a.known == nil:
		a.known = map[listedMember]string{member: name}
	default:
		a.known[member] = name
	}
	return name
}

// around returns the list that an outermost record is in, or for one of several objects in the elements of a list, these objects; empty for
// another one.
func (r *Result) around(home string) string {
	in := r.listOf(home)
	if at := strings.LastIndexByte(in, '/'); isListed(home) || strings.HasSuffix(in[:max(at, 0)], "/*") {
		return in
	}
	return ""
}

// asideIn returns the first list or object of a path that the source doesn't name, or "". In a result that is not
// a list, those that strangers add to count, and where the only value of another thing is looked for, all lists: the host of an
// event is none of its guests.
func (r *Result) asideIn(s *Source, path string, listed, ofThing bool) string {
	if path == "" {
		return ""
	}

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

// asideOf returns the name of the list of an outermost record, or of one of several objects in an element of a list, if the source names
// another one, also where that is empty, or if strangers add to it. What the source names comes before what only the user does, who may have
// said what is not meant: "none that is cancelled". Of several with the member that none names, the one whose name is that of
// the others with a word less is meant, and else none: one of them may be what was once so, or is not so yet. It returns "" for one that is meant.
func (m *matcher) asideOf(s *Source, r *Result, home, member string) string {
	in := r.around(home)
	name := lastName(in)
	of, isList := words(name), isListed(home)
	switch {
	case name == "" || m.isNamedWhole(s, r, of, isList, false):
		return ""
	case slices.ContainsFunc(of, isOneOf(lexicon().Asides)) && !r.isNamedBy(s, of, isList):
		return name
	}

	isSaid, isBesideAny, isPlain := m.isNamedWhole(s, r, of, isList, true), false, false
	for _, record := range r.inOrder {
		other := ""
		if m.step() && r.outermost(record) {
			other = r.around(record)
		}
		if other == "" || other == in || isListed(record) != isList {
			continue
		}
		has := slices.ContainsFunc(r.records[record], func(i int) bool { return m.step() && r.fields[i].name == member })
		called := words(lastName(other))
		isShorter := !slices.ContainsFunc(of, func(w string) bool { return !slices.Contains(called, w) })
		switch {
		case m.isNamedWhole(s, r, called, isList, !isSaid) && (isList || has):
			return name
		case has && !isShorter:
			isBesideAny = true
		case has:
			isPlain = true // offers, beside past_offers
		}
	}
	isMeant := func(f *field) bool {
		isLonger := !slices.ContainsFunc(of, func(w string) bool { return !slices.Contains(f.key, w) })
		return m.isNamedWhole(s, r, f.key, true, !isSaid) || !(isSaid || isPlain || isLonger)
	}
	if (isBesideAny && !isSaid) || m.hasEmptyBeside(r, in, isMeant) {
		return name
	}
	return ""
}

// hasEmptyBeside reports whether an empty list that may be the meant one is beside a list or an object: who finds none that is open doesn't mean the
// closed ones, nor an example.
func (m *matcher) hasEmptyBeside(r *Result, in string, isMeant func(*field) bool) bool {
	around := in[:max(strings.LastIndexByte(strings.TrimSuffix(in, "/*"), '/'), len("/"))]
	return slices.ContainsFunc(r.fields, func(f field) bool {
		return m.step() && f.list && r.listOf(f.record) == around && isMeant(&f)
	})
}

// lastName returns the last name in the pattern of a list or an object.
func lastName(pattern string) string {
	pattern = strings.TrimSuffix(pattern, "/*")
	return strictjson.UnescapeToken(pattern[strings.LastIndexByte(pattern, '/')+1:])
}

// isNamedWhole reports whether each word of the name of a list or an object is of what a source names, or the user's where that counts, or says
// no more than that there are records: partner products are not those that were looked for.
func (m *matcher) isNamedWhole(s *Source, r *Result, name []string, isList, orSaid bool) bool {
	bare := isOneOf(lexicon().Details)
	if isList {
		bare = isOneOf(lexicon().Containers)
	}
	isSaid := func(w string) bool {
		return orSaid && m.work(len(m.folded)) && hasWord(m.folded, w) && !m.isSpokenAgainst(w)
	}
	return !slices.ContainsFunc(name, func(w string) bool {
		isOpen := isOneOf(lexicon().Asides)(w) || !(bare(w) || isSaid(w))
		return isOpen && !r.isNamedWord(s, w)
	})
}

// isSpokenAgainst reports whether a word is one by which the entry says what is not meant: closed, of "unless it is closed".
func (m *matcher) isSpokenAgainst(w string) bool {
	has := func(c Match) bool {
		for each := range c.each {
			said := slices.Concat(each.name(), words(strings.Join(each.Contains, " ")))
			for _, v := range each.Is {
				said = append(said, words(string(v))...)
			}
			if slices.ContainsFunc(said, func(of string) bool { return sameWord(of, w) }) {
				return true
			}
		}
		return false
	}
	isIn := func(sources []Source) bool {
		return slices.ContainsFunc(sources, func(s Source) bool { return slices.ContainsFunc(s.Where, has) })
	}
	return isIn(m.in.Unless) || slices.ContainsFunc(m.in.Args, func(a Arg) bool { return isIn(a.Except) })
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
