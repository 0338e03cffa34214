package match

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/character"
	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/scope"
)

// Of several records that a source selects, an "only" may still mean one: the one that is called as
// its criterion says ("dentist", of Tuesday's appointments), or whose name is what the others merely
// have in theirs (Milk, of Milk and Milk rice). A name that fits none of them says nothing, since
// people call things otherwise than their titles do.

// meant leaves of the records that a source selects the one that the constraint means by a name;
// all of them where there is none, or where it isn't sure.
func (m *matcher) meant(s *Source, c *Constraint, r *Result, selected selection) selection {
	named := c.Pick == scope.Only && !m.against && !m.joining && !m.lent
	if !named || len(selected) < 2 || r.values || !r.areOfOneList(selected) {
		return selected
	}

	if one := m.calledSo(s, c, r, selected); one != "" {
		return selection{one: true}
	}
	one := ""
	if !m.irreversible || m.removes() {
		one = m.nearest(s, r, selected)
	}
	if one == "" && !m.irreversible {
		one = m.spokenOf(c, r, selected)
	}
	if one != "" {
		return selection{one: true}
	}
	return selected
}

// areOfOneList reports whether records are elements of one list.
func (r *Result) areOfOneList(selected selection) bool {
	lists := map[string]bool{}
	for _, record := range r.inOrder {
		if selected[record] {
			lists[r.listOf(record)] = true
		}
	}
	return len(lists) == 1
}

// calledSo returns the only record whose name has all words of a criterion, or of one of the ways in which it says the
// same; empty where there is none, or several. What can't be taken back and says nothing of its own relies on that as well, where
// no other record speaks of it.
func (m *matcher) calledSo(s *Source, c *Constraint, r *Result, selected selection) string {
	isName := map[string]bool{}
	for name := range r.members {
		isName[name] = m.isName(r, name)
	}
	var all []string
	for _, of := range waysToSay(c.By) {
		if len(of) > maxTitle || slices.ContainsFunc(of, isSuperlative) {
			return ""
		}
		all = append(all, of...)
	}

	said := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return !m.hasSaid(w) }) // of "rent, March" the user said both
	one := ""
	for _, of := range waysToSay(c.By) {
		of = append(of, said...)
		named := r.onlyWith(selected, func(i int) bool {
			f := &r.fields[i]
			return isName[f.name] && f.part == nil && m.work(len(of)*len(f.text)) && !slices.ContainsFunc(of, func(w string) bool { return !hasWord(f.text, w) })
		})
		if one != "" && named != "" && named != one {
			return ""
		}
		one = cond(one, named)
	}
	if one == "" || !m.irreversible {
		return one
	}
	if m.isOpen() || m.speakOf(all, r, selected, one) || !m.areOfOneParty(s, r, selected) {
		return ""
	}
	return one
}

// hasSaid reports whether a folded word is one of the user's. Where words have no space between them, two letters are a word.
func (m *matcher) hasSaid(word string) bool {
	const least = 2
	isUnspaced := utf8.RuneCountInString(word) >= least && !strings.ContainsFunc(word, func(r rune) bool { return !character.IsUnspaced(r) })
	return m.work(2*len(m.folded)) && (appears(m.folded, word) || (isUnspaced && strings.Contains(m.folded, word)))
}

// glosses are how planners write a criterion in the user's words and in others: "Schilddrüse (thyroid)", "dentista, dentist".
var glosses = pattern.OnUse(`[(),;/]`)

// waysToSay returns the words of each of the ways in which a criterion says what is meant.
func waysToSay(by string) [][]string {
	var out [][]string
	for _, way := range glosses().Split(by, -1) {
		of := slices.DeleteFunc(words(way), func(w string) bool { return lexicon().Common.Has(w) })
		if len(of) > 0 {
			out = append(out, of)
		}
	}
	return out
}

// spokenOf returns the only record that speaks of what the user called it in a short text of its own, also in a compound or inflected; empty
// where another one does in any text. The author of a record chooses its words, so that this is for what can be taken back.
func (m *matcher) spokenOf(c *Constraint, r *Result, selected selection) string {
	var of []string
	for _, w := range words(c.By) {
		if telling(w) && m.hasSaid(w) && !isSuperlative(w) && !m.isMember(r, w) {
			of = append(of, w)
		}
	}
	if len(of) == 0 || m.irreversible {
		return ""
	}
	one := r.onlyWith(selected, func(i int) bool {
		f := &r.fields[i]
		speaksOf := func(w string) bool { return speaks(f.text, w) }
		return f.part == nil && f.words != nil && !f.isNote() && m.work(len(of)*len(f.text)) && slices.ContainsFunc(of, speaksOf)
	})
	if one == "" || m.speakOf(of, r, selected, one) {
		return ""
	}
	return one
}

// onlyWith returns the only one of some records that has a field; empty where none has, or several.
func (r *Result) onlyWith(selected selection, has func(i int) bool) string {
	one := ""
	for _, record := range r.inOrder {
		if !selected[record] || !slices.ContainsFunc(r.records[record], has) {
			continue
		}
		if one != "" {
			return ""
		}
		one = record
	}
	return one
}

// isName reports whether a member holds what the things that a result lists are called: a name or a
// title without more, or that of the things (roomName of list_rooms).
func (m *matcher) isName(r *Result, name string) bool {
	member := strings.Fields(name)
	if r.parts[name] > 0 || len(member) == 0 || len(member) > 2 || !m.everywhere(r, name) {
		return false
	}
	last := member[len(member)-1]
	isOwn := func(w string) bool { return telling(w) && thing(w) == thing(member[0]) }
	return (last == "name" || lexicon().Titles.Has(last)) && (len(member) == 1 || slices.ContainsFunc(words(r.Tool), isOwn))
}

// hasWord reports whether a text has a word, also in the plural or in the singular.
func hasWord(text, word string) bool {
	text = spaced(text)
	return hasWords(text, word) || slices.ContainsFunc(strings.Fields(text), func(w string) bool { return sameWord(w, word) })
}

// speaks reports whether a text has a word, or may have it in another form: in a compound ("Wohnungsmiete"), or inflected.
func speaks(text, word string) bool {
	const stem, ending = 5, 2 // runes: less is in other words by accident, and more is another word
	return slices.ContainsFunc(strings.Fields(spaced(text)), func(w string) bool {
		shorter, longer := w, word
		if len(shorter) > len(longer) {
			shorter, longer = longer, shorter
		}
		short := utf8.RuneCountInString(shorter)
		if sameWord(w, word) || (short >= stem && (strings.HasPrefix(longer, shorter) || strings.HasSuffix(longer, shorter))) {
			return true
		}
		same := 0
		for a, b := []rune(shorter), []rune(longer); same < len(a) && a[same] == b[same]; {
			same++
		}
		return same >= stem && utf8.RuneCountInString(longer)-same <= ending
	})
}

// isOpen reports whether the call has a text that the scope leaves to the agent, which would go to
// whoever wrote the record.
func (m *matcher) isOpen() bool {
	return slices.ContainsFunc(m.in.Args, func(c Arg) bool {
		return c.Any && slices.ContainsFunc(m.proposal.Args, func(a Argument) bool { return !a.Empty && within(c.Pointer, a.Pointer) })
	})
}

// speakOf reports whether another record than one has a word of a name in any text of it: that may be
// the one that is meant, and who wrote the title may have known the name. What all of a list is called
// tells nothing: a room, of the rooms.
func (m *matcher) speakOf(of []string, r *Result, selected selection, one string) bool {
	if telling := slices.DeleteFunc(slices.Clone(of), r.isAbout); len(telling) > 0 {
		of = telling
	}
	says := func(i int) bool {
		text := r.fields[i].text
		return !m.work(len(of)*len(text)) || slices.ContainsFunc(of, func(w string) bool { return speaks(text, w) })
	}
	return slices.ContainsFunc(r.inOrder, func(record string) bool {
		return selected[record] && record != one && (slices.ContainsFunc(r.records[record], says) || slices.ContainsFunc(r.nested[record], says))
	})
}

// areOfOneParty reports whether the records that a source selects by a person's name are of the same
// person, by all that they say of that and by accounts and addresses: a stranger may be called Ann as well.
func (m *matcher) areOfOneParty(s *Source, r *Result, selected selection) bool {
	about := map[string]bool{}
	where, _ := m.where(s, r)
	for i := range where {
		for w := range where[i].each {
			if of := meaningOf(m.head(r, w.name())).of; len(of) == 1 && lexicon().People.Has(of[0]) {
				about[of[0]] = true
			}
		}
	}

	first := map[string]string{}
	for _, record := range r.inOrder {
		if !selected[record] {
			continue
		}
		for _, i := range r.records[record] {
			f := &r.fields[i]
			of := meaningOf(f.key).of
			tells := (len(of) == 1 && about[of[0]]) || (len(about) > 0 && (isOf(f.text, scope.Account) || isOf(f.text, scope.Email)))
			if !tells || !m.step() {
				continue
			}
			if before, ok := first[f.name]; ok && before != f.text {
				return false
			}
			first[f.name] = f.text
		}
	}
	return true
}

// removes reports whether the call removes something and says nothing of its own. Whoever gives a thing the very name that the user says
// has that removed, and nothing else.
func (m *matcher) removes() bool {
	return slices.ContainsFunc(words(m.proposal.Tool), func(w string) bool { return lexicon().Undoing.Has(w) }) && !m.isOpen() &&
		!slices.ContainsFunc(m.proposal.Args, func(a Argument) bool {
			c, ok := m.in.Arg(a.Pointer)
			return ok && c.From != nil && a.authority()
		})
}

// nearest returns the only record in which each condition on words is met by a text that is nothing
// else; empty where there is no such condition, no such record, or several. The author of a record
// chooses its name, so that this is for what can be taken back, and to remove the record.
func (m *matcher) nearest(s *Source, r *Result, selected selection) string {
	where, _ := m.where(s, r)
	onWords := slices.DeleteFunc(slices.Clone(where), func(w Match) bool { return len(w.Contains) == 0 })
	if len(onWords) == 0 {
		return ""
	}
	all := m.holdAll(onWords, r)

	one := ""
	for _, record := range r.inOrder {
		otherwise := func(alternatives []held) bool {
			return !slices.ContainsFunc(alternatives, func(h held) bool { return m.isWhole(&h, all, r, record) })
		}
		if !selected[record] || slices.ContainsFunc(all, otherwise) {
			continue
		}
		if one != "" {
			return ""
		}
		one = record
	}
	return one
}

// isWhole reports whether a member of a record is one of the words that a condition looks for, and
// nothing else, or has no word beside those that several conditions on it look for.
func (m *matcher) isWhole(h *held, all [][]held, r *Result, record string) bool {
	return slices.ContainsFunc(r.records[record], func(i int) bool {
		f := &r.fields[i]
		whole := func(looked string) bool { return same(looked, f.text, false) }
		return h.isNamed(f) && m.work(h.work(len(f.text))) && (slices.ContainsFunc(h.Contains, whole) || m.isMadeOf(f, all))
	})
}

// isMadeOf reports whether a text has no word but those that conditions on its member look for.
func (m *matcher) isMadeOf(f *field, all [][]held) bool {
	rest, signs := spaced(f.text), ""
	for _, alternatives := range all {
		for _, h := range alternatives {
			if !h.isNamed(f) || !m.work(h.work(len(f.text))) {
				continue
			}
			longest := ""
			for _, looked := range h.Contains {
				if of := spaced(looked); len(of) > len(spaced(longest)) && hasWords(rest, of) {
					longest = looked
				}
			}
			signs += fold(longest) + " "
			rest = without(rest, spaced(longest))
		}
	}
	return spaced(f.text) != "" && strings.TrimSpace(rest) == "" && hasSigns(signs, fold(f.text))
}

// without returns the words of a text without others in a row.
func without(text, of string) string {
	if at := strings.Index(" "+text+" ", " "+of+" "); of != "" && at >= 0 {
		return text[:at] + text[min(len(text), at+len(of)):]
	}
	return text
}
