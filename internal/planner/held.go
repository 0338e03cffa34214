package planner

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/remit-project/remit/internal/pattern"
)

// unheld returns, for each entry with an effect, the conditions of the user's that it is under and
// that it doesn't hold.
func (s *shown) unheld(a *answer) map[*entry][]clause {
	var effects []*entry
	for i := range a.Calls {
		if s.hasEffect(a.Calls[i]) {
			effects = append(effects, &a.Calls[i])
		}
	}

	dictated := s.dictatedIn(effects)
	isNone := func(c *clause) bool { return c.isDismissed(a.Reading) || c.isIn(dictated) }
	out := map[*entry][]clause{}
	free := map[int]bool{} // the clauses of the last message that no effect is under
	for i, c := range s.spoken.clauses {
		if c.sentence >= s.spoken.last && !isNone(&c) {
			free[i] = true
		}
	}
	spare := 0
	said, under := map[*entry]held{}, map[*entry][]int{}
	for _, e := range effects {
		said[e], under[e] = s.holding(a, e), s.clausesOver(a, e)
	}
	for _, e := range effects {
		h := said[e]
		for i, c := range s.spoken.clauses {
			switch {
			case s.holds(h, c):
				delete(free, i)
			case slices.Contains(under[e], i) && !isNone(&c):
				delete(free, i)
				if !s.isLookUp(a, e, func(other *entry) bool { return s.covers(said[other], c, under[other]) }) {
					out[e] = append(out[e], c)
				}
			}
		}
		out[e] = append(out[e], s.unplaced(e, said, under, isNone)...)
		if h.makeUpFor(out[e]) {
			spare += h.spare - len(out[e])
			delete(out, e)
		}
	}

	if len(free) > spare {
		for _, i := range slices.Sorted(maps.Keys(free)) {
			for _, e := range effects {
				out[e] = append(out[e], s.spoken.clauses[i])
			}
		}
	}
	return out
}

// unplaced returns the clauses of the last message that an entry doesn't hold and that no effect is
// under, where another one holds them: "Pay Al. Pay Cy. Both only if he agrees."
func (s *shown) unplaced(e *entry, said map[*entry]held, under map[*entry][]int, isNone func(*clause) bool) []clause {
	var out []clause
	for i, c := range s.spoken.clauses {
		if c.sentence < s.spoken.last || isNone(&c) || s.holds(said[e], c) {
			continue
		}
		held, placed := false, false
		for other := range said {
			held = held || s.holds(said[other], c)
			placed = placed || slices.Contains(under[other], i)
		}
		if held && !placed {
			out = append(out, c)
		}
	}
	return out
}

// dictatedIn returns the texts of several words that entries state as the user wrote them, without
// spaces: titles, and what somebody is to be told. Conditions in them are for those who read them.
func (s *shown) dictatedIn(entries []*entry) []string {
	var out []string
	for _, e := range entries {
		for i := range e.Args {
			for _, v := range e.Args[i].Is {
				text := textOf(v)
				if p := plain(text); strings.ContainsAny(text, " ") && strings.Contains(s.words, p) {
					out = append(out, p)
				}
			}
		}
	}
	return out
}

// isIn reports whether a clause is in one of several dictated texts: it is a title within a
// sentence, or follows other words of the text.
func (c *clause) isIn(dictated []string) bool {
	text := strings.TrimFunc(plain(c.text), unicode.IsPunct)
	first, _ := utf8.DecodeRuneInString(c.text)
	title := !c.begins && unicode.IsUpper(first)
	return slices.ContainsFunc(dictated, func(d string) bool {
		at := strings.Index(d, text)
		return at > 0 || (at == 0 && title)
	})
}

// isLookUp reports whether an entry is what another one with an effect, which holds a condition, takes
// from: its condition is on the entry's result, or the entry is a call without arguments of which it
// takes a value. Contracts may take such a call for one that acts, but not for one that sends or
// destroys.
func (s *shown) isLookUp(a *answer, e *entry, holds func(*entry) bool) bool {
	t := s.tools[e.Tool]
	lasting := t != nil && (t.Effect == "destructive" || t.Effect == "egress")
	isSource := func(s source) bool { return s.Call == e.Call }
	for i := range a.Calls {
		other := &a.Calls[i]
		tells := slices.ContainsFunc(slices.Concat(other.If, other.Unless), isSource)
		gives := !lasting && len(e.Args) == 0 && slices.ContainsFunc(sourcesIn(other.Args), isSource)
		if other != e && (tells || gives) && holds(other) {
			return true
		}
	}
	return false
}

func (s *shown) hasEffect(e entry) bool {
	t := s.tools[e.Tool]
	return t != nil && t.Effect != "read"
}

// clausesOver returns the clauses that an entry is under: those of the sentences that have most of
// the values that it states. An entry without any is asked for by an earlier message, or by any
// sentence of the last one.
func (s *shown) clausesOver(a *answer, e *entry) []int {
	values := statedIn(a.chain(e))
	score := func(sentence int) int {
		n := 0
		for _, v := range values {
			if mentions(s.spoken.sentences[sentence], v) {
				n++
			}
		}
		return n
	}
	now, best := bestOf(s.spoken.last, len(s.spoken.sentences), score)
	if best == 0 {
		if before, n := bestOf(0, s.spoken.last, score); n > 0 {
			now = append(now, before...)
		}
	}

	var out []int
	for i, c := range s.spoken.clauses {
		if slices.Contains(now, c.sentence) {
			out = append(out, i)
		}
	}
	return out
}

// bestOf returns the numbers from one to below another one that have the highest score, and the score.
func bestOf(from, to int, score func(int) int) (best []int, most int) {
	for i := from; i < to; i++ {
		n := score(i)
		if n > most {
			best, most = nil, n
		}
		if n == most {
			best = append(best, i)
		}
	}
	return best, most
}

// held is what an entry says of conditions.
type held struct {
	onlyIf []string
	values []string
	bounds bounds
	// spare counts conditions on records, and those in other words than the user's; told those of
	// them that may be on what a person tells.
	spare, told int
}

// makeUpFor reports whether an entry has as many other conditions as it leaves out, and for each on
// what a person tells one that may be.
func (h *held) makeUpFor(missing []clause) bool {
	told := 0
	for i := range missing {
		if missing[i].isPersonal() {
			told++
		}
	}
	return h.spare >= len(missing) && h.told >= told
}

// covers reports whether an entry that is under clauses holds one, in whatever words.
func (s *shown) covers(h held, c clause, under []int) bool {
	var missing []clause
	for _, i := range under {
		if other := s.spoken.clauses[i]; !s.holds(h, other) {
			missing = append(missing, other)
		}
	}
	return s.holds(h, c) || (h.spare > 0 && h.makeUpFor(missing))
}

// isPersonal reports whether a clause is on what a person tells.
func (c *clause) isPersonal() bool { return slices.ContainsFunc(c.words, builtin().isPersonal) }

// holding returns what an entry with an effect says of conditions.
func (s *shown) holding(a *answer, e *entry) held {
	h := held{values: conditionValues(a.chain(e)), bounds: boundsOf(a.chain(e))}
	for _, text := range e.OnlyIf {
		if slices.ContainsFunc(s.spoken.clauses, func(c clause) bool { return shares(text, c.text) }) {
			h.onlyIf = append(h.onlyIf, text)
		} else {
			h.spare, h.told = h.spare+1, h.told+1
		}
	}
	for _, source := range slices.Concat(e.If, e.Unless) {
		h.spare += max(1, len(source.conditions()))
		if slices.ContainsFunc(source.conditionValues(), isTold) {
			h.told++
		}
	}
	return h
}

// holds reports whether an entry speaks of a clause: in the user's words, or by a condition on a
// record with a word or a number of the clause. What a person tells is in no record, and what its
// sentence says outside of the clause as well may only select the record.
func (s *shown) holds(h held, c clause) bool {
	if slices.ContainsFunc(h.onlyIf, func(text string) bool { return shares(text, c.text) }) {
		return true
	}
	personal := c.isPersonal()
	if !personal && h.bounds.tell(c.words, s.spoken.sentences[c.sentence]) {
		return true
	}
	return slices.ContainsFunc(h.values, func(v string) bool {
		return tells(c.words, v) && !s.spoken.alsoSays(c, v) && (!personal || isTold(v))
	})
}

// alsoSays reports whether the sentence of a clause has a word of a value outside of the clause.
func (s *spoken) alsoSays(c clause, value string) bool {
	count := func(words []string, w string) (n int) {
		for _, have := range words {
			if have == w {
				n++
			}
		}
		return n
	}
	return slices.ContainsFunc(wordsOf(norm.NFKC.String(value)), func(w string) bool {
		return count(s.sentences[c.sentence], w) > count(c.words, w)
	})
}

// isTold reports whether a value says that a person tells something.
func isTold(value string) bool { return slices.ContainsFunc(wordsOf(value), builtin().isPersonal) }

// isPersonal reports whether a word says that a person tells something.
func (m *marks) isPersonal(word string) bool {
	return slices.ContainsFunc(m.person, func(begin string) bool { return strings.HasPrefix(word, begin) })
}

// isDismissed reports whether the model says that a clause, which need not have one, has no condition.
func (c *clause) isDismissed(reading string) bool {
	_, said, found := strings.Cut(reading, dismissal)
	return c.perhaps && found && shares(c.text, said)
}

// dismissal is how a model says that a clause has no condition.
const dismissal = "no condition:"

// shares reports whether two texts share most of the pieces of the shorter one: words, and in scripts
// that don't part words two letters in a row.
func shares(a, b string) bool {
	x, y := pieces(a), pieces(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	n := 0
	for p := range x {
		if y[p] {
			n++
		}
	}
	return len(x) > 0 && 2*n > len(x)
}

func pieces(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range wordsOf(norm.NFKC.String(text)) {
		letters := []rune(w)
		if !spaceless(w) || len(letters) == 1 {
			out[w] = true
			continue
		}
		for i := range letters[1:] {
			out[string(letters[i:i+2])] = true
		}
	}
	return out
}

// grouped is a number whose thousands stand apart.
var grouped = pattern.OnUse(`\b\d{1,3}(?:[.,' ]\d{3})+\b`)

// ungrouped writes the numbers of a clause as an answer has them.
func ungrouped(clause string) string {
	return grouped().ReplaceAllStringFunc(clause, func(n string) string { return strings.NewReplacer(".", "", ",", "", "'", "", " ", "").Replace(n) })
}

// plainWords returns the words of a user's text, with numbers as an answer has them.
func plainWords(text string) []string { return wordsOf(ungrouped(norm.NFKC.String(text))) }

// tells reports whether the words of a clause have those of a value of a condition.
func tells(clause []string, value string) bool {
	words := wordsOf(norm.NFKC.String(value))
	return len(words) > 0 && !slices.ContainsFunc(words, func(want string) bool {
		within := func(h string) bool { return h == want || (spaceless(want) && strings.Contains(h, want)) }
		return !slices.ContainsFunc(clause, within)
	})
}

// mentions reports whether the words of a sentence have half of those of a value, in any form.
func mentions(sentence []string, value string) bool {
	n, words := 0, wordsOf(norm.NFKC.String(value))
	for _, want := range words {
		within := func(h string) bool { return isForm(h, want) || (spaceless(want) && strings.Contains(h, want)) }
		if slices.ContainsFunc(sentence, within) {
			n++
		}
	}
	return n > 0 && 2*n >= len(words)
}

// isForm reports whether two words may be forms of one: they begin alike, and end differently.
func isForm(a, b string) bool {
	const stem, ending = 4, 3
	x, y := []rune(a), []rune(b)
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return a == b || (n >= stem && max(len(x), len(y)) <= n+ending)
}

// spaceless reports whether a word is of a script without spaces.
func spaceless(w string) bool {
	return strings.ContainsFunc(w, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
	})
}

// naming are members that say which thing a record is, and nothing about how it is.
var naming = strings.Fields("id name title subject sender author from to owner email mail customer file filename")

// chain returns an entry and those from whose results its arguments come.
func (a *answer) chain(e *entry) []*entry {
	out := []*entry{e}
	for i := 0; i < len(out); i++ {
		for _, from := range sourcesIn(out[i].Args) {
			for j := range a.Calls {
				if e := &a.Calls[j]; e.Call == from.Call && !slices.Contains(out, e) {
					out = append(out, e)
				}
			}
		}
	}
	return out
}

// statedIn returns the values that entries state, of arguments and of records.
func statedIn(entries []*entry) []string {
	var out []string
	add := func(values []json.RawMessage) {
		for _, v := range values {
			out = append(out, textOf(v))
		}
	}

	for _, e := range entries {
		for _, a := range e.Args {
			add(a.Is)
		}
		for _, s := range sourcesIn(e.Args) {
			for _, m := range s.Where {
				add(m.Is)
				out = append(append(out, m.Contains...), m.Prefix, m.Ends)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// conditionValues returns the values of all conditions on records of entries, except for those
// that name one.
func conditionValues(entries []*entry) []string {
	var out []string
	for _, e := range entries {
		for _, s := range sourcesIn(e.Args) {
			out = append(out, s.conditionValues()...)
		}
	}
	return out
}

// sourcesIn returns the sources of arguments and of the holes in them.
func sourcesIn(all []argument) []source {
	var out []source
	for i := range all {
		out = append(slices.Concat(out, all[i].From, all[i].Except, all[i].Computed), sourcesIn(all[i].Holes)...)
	}
	return out
}

// conditions returns the conditions of a source that don't name a record.
func (s *source) conditions() []match {
	return slices.DeleteFunc(slices.Clone(s.Where), func(m match) bool { return slices.ContainsFunc(m.Field, isNaming) })
}

func (s *source) conditionValues() []string {
	var out []string
	for _, m := range s.Where {
		for i := range m.From {
			out = append(out, m.From[i].conditionValues()...)
		}
	}
	for _, m := range s.conditions() {
		for _, v := range m.Is {
			out = append(out, textOf(v))
		}
		out = append(append(out, m.Contains...), m.Prefix, m.Ends, m.Before, m.After, m.Below.String(), m.Above.String())
	}
	return out
}

func isNaming(field string) bool {
	return slices.ContainsFunc(wordsOf(field), func(w string) bool { return slices.Contains(naming, w) })
}

// tellUnheld says what to do about the conditions that entries don't hold.
func tellUnheld(a *answer, unheld map[*entry][]clause) string {
	var out []string
	perhaps := ""
	for i := range a.Calls {
		e := &a.Calls[i]
		for _, c := range unheld[e] {
			out = append(out, fmt.Sprintf("%s is under %s", clip(e.Call), clip(c.text)))
			if c.perhaps && perhaps == "" {
				perhaps = c.text
			}
		}
	}
	text := "/calls: conditions of the user's message are missing: " + strings.Join(out, ", ") + ". Write each in every call that is under it: in \"if\" or \"unless\", in the \"where\" of its source, " +
		"or where no program can tell it, in \"only_if\" in the user's words; one that is the opposite of another, in \"unless\""
	if perhaps != "" {
		text += fmt.Sprintf(". One that is no condition, but a reason, a time or a description, goes to the end of \"reading\": %s %s", dismissal, clip(perhaps))
	}
	return text
}
