package match

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Whom the user leaves out is left out under any form of the name: inflected, with other names between, in two members, or in
// another one where the guessed one has no name at all.

// maySay reports whether a short text may have the words of another one: in whatever order, inflected or in compounds.
func maySay(text, looked string) bool {
	if looked == "" || len(text) > 16*maxTitle {
		return false
	}
	text = unspread(text)
	return !slices.ContainsFunc(strings.Fields(looked), func(word string) bool { return !speaks(text, word) })
}

// mayBeCalled reports whether a text may be a name in another form; with other names beside it, where it is of several words.
func mayBeCalled(name, text string) bool {
	name, text = spaced(plainly(name)), spaced(plainly(text))
	if !strings.Contains(name, " ") {
		return name != "" && len(text) <= 16*maxTitle && unspread(text) == name
	}
	return maySay(text, name)
}

// unspread returns a text with single letters in a row as one word.
func unspread(text string) string {
	var out []string
	before := false
	for _, w := range strings.Fields(text) {
		single := utf8.RuneCountInString(w) == 1
		if single && before {
			out[len(out)-1] += w
		} else {
			out = append(out, w)
		}
		before = single
	}
	return strings.Join(out, " ")
}

// isOnName reports whether a condition that speaks against a call is on what somebody is called.
func (w *Match) isOnName() bool {
	if !w.against || w.From != nil || w.bounded() {
		return false
	}
	values := w.looked()
	if len(values) == 0 || slices.Contains(values, "") {
		return false
	}
	name := head(w.name())
	about := slices.ContainsFunc(name, func(word string) bool { return lexicon().People.Has(thing(word)) || isOneOf(lexicon().Anybody)(word) })
	return about || w.isParty() || !slices.ContainsFunc(values, func(v string) bool { return !isProper(v) })
}

// isProper reports whether a text is a name of several words with capitals.
func isProper(text string) bool {
	all := strings.Fields(text)
	small := func(w string) bool { first, _ := utf8.DecodeRuneInString(w); return !unicode.IsUpper(first) }
	return len(all) > 1 && !slices.ContainsFunc(all, small)
}

// mayBeNamed reports whether a record may be that of somebody with a name, by its members for names together, or where a condition says
// nothing of which, or the one that it is on holds a code, by any short text of its own. What is called nothing may be anybody's.
func (m *matcher) mayBeNamed(want *held, r *Result, record string) bool {
	ofName := meaningOf(head(want.name()))
	generic := slices.ContainsFunc(want.name(), isOneOf(lexicon().Anybody))
	var called, parts, others []string
	has := false
	for _, i := range r.records[record] {
		f := &r.fields[i]
		if !m.work(want.work(len(f.text))) {
			return true
		}
		isOwn := want.isNamed(f)
		has = has || isOwn
		switch text := strings.TrimSpace(f.text); {
		case text == "":
		case isOwn:
			called = append(called, text)
		case ofName.bare && isNamePart(f):
			parts = append(parts, text)
		case f.words != nil && !f.isNote() && !f.numeric:
			others = append(others, text)
		}
	}

	if called == nil && parts == nil {
		return has
	}
	is := func(text string) bool { return want.accepts(text) }
	isCoded := called != nil && !slices.ContainsFunc(called, func(text string) bool { return !isCode(text) })
	return is(strings.Join(slices.Concat(called, parts), " ")) || slices.ContainsFunc(parts, is) || ((generic || isCoded) && slices.ContainsFunc(others, is))
}

// hasName reports whether a record has a member for a name, where a condition is on a name.
func (m *matcher) hasName(want *held, r *Result, record string) bool {
	ofName := want.isOnName() && meaningOf(head(want.name())).bare
	return ofName && slices.ContainsFunc(r.records[record], func(i int) bool { return m.step() && isNamePart(&r.fields[i]) && r.fields[i].text != "" })
}

// isNamePart reports whether a member holds a name or a part of one, and not that of something else.
func isNamePart(f *field) bool {
	other := func(w string) bool { return !lexicon().NameParts.Has(w) }
	return f.name != "" && !slices.ContainsFunc(strings.Fields(f.name), other)
}

// isCode reports whether a text is one word with a digit.
func isCode(text string) bool {
	return strings.ContainsFunc(text, unicode.IsDigit) && !strings.ContainsFunc(text, unicode.IsSpace)
}
