package match

import (
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/wordlist"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// A user corrects what the agent just made: "Wednesday instead". The listing that the scope names was read
// before, or not at all, so that the record which the session's own call made counts beside what was listed:
// the arguments of the call, and what the service says of it.

// made is a record that a call of the session made, as the only record of a result, and its id.
type made struct {
	*Result
	id string
}

// ownRecords returns the values of a source that are the ids of records which the session made since the
// source was listed, and which meet its conditions as they are written.
func (m *matcher) ownRecords(s *Source, c *Constraint, id string) []candidate {
	corrects := c.Kind == scope.ID && id != "" && c.Pick == scope.Only && !m.against && !m.joining && !m.lent
	if !corrects {
		return nil
	}
	var out []candidate
	for i, r := range slices.Backward(m.results) {
		if isTool(s.Server, s.Tool, r.Server, r.Tool) && m.answers(s, r, c) {
			return append(out, m.lost(s, c, id, i)...) // which has what was made before it
		}
		one := m.made(s, i)
		if one == nil {
			one = m.untold(s, r)
		}
		if one != nil && m.isMeant(s, one, r.Args) {
			out = append(out, candidate{text: one.id, call: r.Call, record: recordID{r.Call, ofMade}, made: one})
		}
	}
	return out
}

// lost returns what the session made before a source was listed, as its calls set it, where the listing doesn't have it any more, or has it
// otherwise. Another record that meets the conditions is not the one that the user means. What the session itself has changed since is what
// it made it.
func (m *matcher) lost(s *Source, c *Constraint, id string, listing int) []candidate {
	var out []candidate
	for i, r := range m.results[:listing] {
		if !m.mayHaveMade(s, r) || !m.work(len(r.Args)*perStep) {
			continue
		}
		one, own := m.untold(s, r), r.identity(s)
		if one == nil || own == nil || !m.isMeant(s, one, r.Args) {
			continue
		}

		isChanged := func(later *Result) bool { return !later.Read && m.step() && later.isGiven(own.text) }
		isListed := func(later *Result) bool {
			return isTool(s.Server, s.Tool, later.Server, later.Tool) && m.answers(s, later, c) &&
				slices.ContainsFunc(m.fields(s, c, later, id), func(v candidate) bool { return v.text == own.text })
		}
		if !slices.ContainsFunc(m.results[i+1:], isChanged) && !slices.ContainsFunc(m.results[i+1:], isListed) {
			out = append(out, candidate{text: one.id, call: r.Call, record: recordID{r.Call, ofMade}, made: one})
		}
	}
	return out
}

// made returns what the call of a result made for a source: a thing that the source's tool lists, with an id
// that the service gave it and that nothing else in the session has. It is nil for any other call.
func (m *matcher) made(s *Source, i int) *made {
	r := m.results[i]
	isRecord := r.structured && !r.values && !r.partial
	ofSource := s.Server == "" || s.Server == r.Server
	if !isRecord || !ofSource || !m.mayHaveMade(s, r) || !m.work(len(r.fields)*perStep) || r.wasThere() {
		return nil
	}
	of := r.identity(s)
	if of == nil || r.isGiven(of.text) {
		return nil
	}
	for j, other := range m.results {
		if j != i && (!m.work((len(other.fields)+len(other.Args))*perStep+len(other.Text)) || other.isGiven(of.text) || other.has(of.text)) {
			return nil
		}
	}
	return &made{r.wholeOf(of), of.text}
}

// untold returns what a call may have made for a source under an id that can't be told, by what the call set. Beside it,
// nothing that was listed before is the only one. Whoever knows the next id has it hidden by writing that anywhere.
func (m *matcher) untold(s *Source, r *Result) *made {
	if !m.mayHaveMade(s, r) || !m.work(len(r.Args)*perStep) {
		return nil
	}
	return &made{r.wholeOf(&field{record: r.Call}), "what " + r.Tool + " made"}
}

// mayHaveMade reports whether the call of a result made a thing that a source's tool lists, where it was called as a scope has it.
func (m *matcher) mayHaveMade(s *Source, r *Result) bool {
	return r.Covered && !r.Read && !r.failed() && r.Server == m.proposal.Server && makes(r.Tool, s.Tool)
}

// makes reports whether a tool is called as one that makes the things which another one lists, and undoes whether as one
// that removes them.
func makes(tool, listing string) bool  { return isDoneTo(tool, listing, lexicon().Creating) }
func undoes(tool, listing string) bool { return isDoneTo(tool, listing, lexicon().Undoing) }

// isDoneTo reports whether a tool is called by a verb and the things which another one lists.
func isDoneTo(tool, listing string, verbs wordlist.Set) bool {
	of := slices.DeleteFunc(words(tool), verbs.Has)
	return len(of) > 0 && len(of) < len(words(tool)) && isListingOf(listing, of)
}

// identity returns the id of the record that a result is about: the only member under a name that a source has
// for it, or as "id", which is in no list and of no other thing (organizer.id); nil where there is none.
func (r *Result) identity(s *Source) *field {
	names := [][]string{s.name()}
	for _, other := range s.Or {
		names = append(names, words(other))
	}
	names = append(names, []string{"id"})

	for _, name := range names {
		var one *field
		for i := range r.fields {
			f := &r.fields[i]
			isNamed := slices.Equal(f.key, name) || f.name == strings.Join(name, " ")
			if !isNamed || (!r.isOfWhole(f) && !isListed(f.record)) {
				continue
			}
			if one != nil || f.null || f.text == "" || isListed(f.record) {
				return nil // which of them it is, is a question
			}
			one = f
		}
		if one != nil {
			return one
		}
	}
	return nil
}

// isOfWhole reports whether a field is a member of what a result is about: the objects around it are called as the
// thing, or as a result. An id in another object is that of a parent, or of the one that it repeats.
func (r *Result) isOfWhole(f *field) bool {
	of := append(words(r.Tool), lexicon().Envelopes.Words()...)
	isOther := func(w string) bool { return !slices.ContainsFunc(of, func(o string) bool { return sameWord(o, w) }) }
	return !slices.ContainsFunc(append(words(f.record), f.part...), isOther)
}

// wasThere reports whether a result says that its call found what it was to make, by a member, or in words about the call.
func (r *Result) wasThere() bool {
	return slices.ContainsFunc(r.fields, func(f field) bool {
		off := slices.Contains(nothing, fold(f.text))
		isSaid := (lexicon().Remarks.In(f.key) || lexicon().Outcomes.In(f.key)) && lexicon().Existing.In(words(f.text))
		return isSaid || (lexicon().Existing.In(f.key) && !off) || (slices.Equal(f.key, []string{"created"}) && off)
	})
}

// isGiven reports whether a value is among the arguments of the call of a result.
func (r *Result) isGiven(text string) bool {
	return slices.ContainsFunc(r.Args, func(a Argument) bool { return a.Text == text })
}

// has reports whether a result has a value: as one of its fields, or in its text.
func (r *Result) has(text string) bool {
	if !r.structured {
		return appears(r.Text, text)
	}
	return slices.ContainsFunc(r.fields, func(f field) bool { return !f.null && f.text == text })
}

// wholeOf returns the record that a call made, by its id, as a result: what the service says of it, and else
// what the call set.
func (r *Result) wholeOf(id *field) *Result {
	out := &Result{Call: r.Call, Server: r.Server, Tool: r.Tool, Covered: true}
	for _, i := range r.records[id.record] {
		if f := r.fields[i]; slices.Equal(f.part, id.part) {
			out.add(newField("", f.member, f.text))
		}
	}
	told := len(out.fields)
	for _, a := range r.Args {
		record, key := split(a.Pointer)
		f := newField("", key, a.Text)
		said := slices.ContainsFunc(out.fields[:told], func(t field) bool { return t.name == f.name })
		if record == "" && !a.Empty && !said {
			out.add(f)
		}
	}

	out.nest()
	out.level = out.outside()
	return out
}

// isMeant reports whether a record that a call with some arguments made meets the conditions of a source, and the filters that its call has: by
// what the record says, or by what that call set in the same way.
func (m *matcher) isMeant(s *Source, r *made, set []Argument) bool {
	isSet := func(a Argument) bool {
		isOther := func(f field) bool { return slices.Equal(f.key, argumentName(a.Pointer)) && f.text != a.Text }
		_, met := m.asConstrained(s, a)
		return met && !slices.ContainsFunc(r.fields, isOther)
	}
	isHeld := func(c Arg) bool {
		return slices.ContainsFunc(set, func(a Argument) bool { return !a.Empty && within(c.Pointer, a.Pointer) && isSet(a) })
	}
	where, _ := m.where(s, r.Result)
	filtered := slices.ContainsFunc(s.Args, func(c Arg) bool { return leftOut(c, r.Result) && !m.canFilter(&c, r.Result) && !isHeld(c) })
	return !filtered && m.unknown(where) == "" && m.allMeeting(where, r.Result).has("")
}

// counted returns what a source offers with the records that the session made. What can't be taken back
// wants a listing beside them, but to undo what was made: that leaves everything as it was before. Else they have to be told by the
// source, or by words of the constraint.
func (m *matcher) counted(s *Source, c *Constraint, listed bool, own []candidate) []candidate {
	isTold := func(v candidate) bool { return len(s.Where) > 0 || v.made.isCalled(telltales(c)) }
	if listed {
		return own
	}
	if m.irreversible && !(len(s.Where) > 0 && undoes(m.proposal.Tool, s.Tool)) {
		return nil
	}
	return slices.DeleteFunc(own, func(v candidate) bool { return !isTold(v) })
}

// telltales are the words by which a constraint describes the record that is meant.
func telltales(c *Constraint) []string {
	of := words(c.By)
	if slices.ContainsFunc(of, isSuperlative) {
		return nil
	}
	return slices.DeleteFunc(of, func(w string) bool { return !telling(w) })
}

// isCalled reports whether a short text of what the session made has one of some words.
func (r *made) isCalled(of []string) bool {
	return slices.ContainsFunc(r.fields, func(f field) bool {
		return f.words != nil && slices.ContainsFunc(of, func(w string) bool { return hasWord(f.text, w) })
	})
}

// correction returns, of several values, the id of the only record that the session made and that the words of
// the constraint tell, where they tell nothing of what was listed; empty where there is none. The author of
// another record could take the words from it, so that this is for what can be taken back.
func (m *matcher) correction(c *Constraint, o offers) string {
	of, one := telltales(c), ""
	if m.irreversible || len(of) == 0 {
		return ""
	}
	for _, v := range o.values {
		switch {
		case v.made == nil && (v.record == (recordID{}) || m.speaksOfAny(v, of)):
			return ""
		case v.made == nil || !v.made.isCalled(of) || m.isCalledOtherwise(v.made, of):
		case one != "" && one != v.text:
			return ""
		default:
			one = v.text
		}
	}
	return one
}

// isCalledOtherwise reports whether what the session made lacks a word that the user said for what is meant: a word that many things have
// in their names doesn't make it "the meeting of Eve's invitation".
func (m *matcher) isCalledOtherwise(r *made, of []string) bool {
	return slices.ContainsFunc(of, func(w string) bool { return m.hasSaid(w) && !r.isCalled([]string{w}) })
}

// speaksOfAny reports whether the record of a value has one of some words in any text of it.
func (m *matcher) speaksOfAny(v candidate, of []string) bool {
	r, record := m.recordOf(v)
	if r == nil {
		return true
	}
	says := func(i int) bool {
		text := r.fields[i].text
		return !m.work(len(of)*len(text)) || slices.ContainsFunc(of, func(w string) bool { return hasWord(text, w) })
	}
	return slices.ContainsFunc(r.records[record], says) || slices.ContainsFunc(r.nested[record], says)
}

// rewords says which word a call has in a text that the scope leaves to the agent, and that neither the user
// said nor the record has which the session made; empty where there is none. A correction is what the user
// says it is.
func (m *matcher) rewords(e *Call, p *Proposal) string {
	if m.corrected == nil {
		return ""
	}
	var has []string
	for _, f := range m.corrected.fields {
		has = append(has, words(f.text)...)
	}

	for i := range p.Args {
		a := &p.Args[i]
		isOpen := slices.ContainsFunc(e.Args, func(c Arg) bool { return c.Any && within(c.Pointer, a.Pointer) })
		if !isOpen || a.Role != label.Content {
			continue
		}
		for _, w := range words(a.Text) {
			if !m.step() || !(slices.Contains(has, w) || m.madeOf(w)) {
				return w
			}
		}
	}
	return ""
}
