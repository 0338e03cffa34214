package match

import (
	"slices"

	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// comesFrom reports whether a result is that of the call which a source names.
func (m *matcher) comesFrom(s *Source, r *Result, of *Constraint) bool {
	return m.calledAs(s, r, of) && !s.isLeftOut(r)
}

// isLeftOut reports whether an earlier call leaves out what a source says.
func (s *Source) isLeftOut(r *Result) bool {
	return slices.ContainsFunc(s.Args, func(c Arg) bool { return leftOut(c, r) })
}

// calledAs reports whether a result is of the tool that a source names, with no argument that the
// source has otherwise.
func (m *matcher) calledAs(s *Source, r *Result, of *Constraint) bool {
	if !r.Covered || r.Failed || !isTool(s.Server, s.Tool, r.Server, r.Tool) {
		return false // a call that failed may return a part of what there is, or nothing
	}
	isPart := r.more || (r.failing && !m.against) || m.isNotAsAsked(s, r) // what speaks against a call may be in what failed
	if isPart && (m.irreversible || m.against || m.strict) {
		if !of.isFromBegin() && !m.hasFirst(r, of) && !m.isSearched(r, of) && !m.takesSome(s, of) {
			return false // the only one of a part may be one of several
		}
	}
	for _, a := range r.Args {
		if !a.Empty && !m.asScoped(s, r, a, of) {
			return false
		}
	}
	return true
}

// unanswered says why no result counts as that of the sources of a constraint: what the latest call of
// one of them asked for, or that there was none.
func (m *matcher) unanswered(sources []Source, of *Constraint) string {
	for _, r := range slices.Backward(m.results) {
		for i := range sources {
			if s := &sources[i]; !m.quiet && r.Covered && isTool(s.Server, s.Tool, r.Server, r.Tool) {
				return m.unlike(s, r, of)
			}
		}
	}
	return m.say("%s was not called as the request has it", from(sources))
}

// unlike says in which argument the call of a result is not that of a source.
func (m *matcher) unlike(s *Source, r *Result, of *Constraint) string {
	for _, a := range r.Args {
		if !a.Empty && !m.asScoped(s, r, a, of) {
			return m.say("%s was called with %s %s, which may leave out what is meant", s.Tool, a.Pointer, short(a.Text))
		}
	}
	if r.Failed {
		return m.say("%s failed", s.Tool)
	}
	for _, c := range s.Args {
		if leftOut(c, r) {
			return m.say("%s was called without %s", s.Tool, c.Pointer)
		}
	}
	return m.say("what %s returned is a part of a listing", s.Tool)
}

// leftOut reports whether an earlier call leaves out what a source says of it: all mails are
// another listing than Ann's, and the members of all groups another one than those of the group
// that a call gives.
func leftOut(c Arg, r *Result) bool {
	free := c.Any || c.Absent || c.Unchanged || slices.Contains(c.Is, "") || slices.Contains(c.Is, "false")
	narrows := len(c.Is)+len(c.Date)+len(c.From) > 0 || c.Computed || c.Template != ""
	return narrows && !free && !slices.ContainsFunc(r.Args, func(a Argument) bool { return !a.Empty && within(c.Pointer, a.Pointer) })
}

// asScoped reports whether an argument of an earlier call is as a source has it. What the
// scope leaves open in a search has to be the user's own words: an attacker who picks the
// query picks the result.
func (m *matcher) asScoped(s *Source, r *Result, a Argument, of *Constraint) bool {
	constrained, met := m.asConstrained(s, a)
	if !met {
		return false
	}
	searches := m.effect && r.Read
	if constrained || !searches {
		return true
	}
	if m.narrowsAsMeant(s, r, a, of) || m.isPartOfBoth(of, a) || m.narrowsToObject(r, a) || (m.takesSome(s, of) && m.isPage(r, a)) {
		return true
	}

	strict := m.irreversible || m.against || m.strict
	switch {
	case strict && of.isPlace() && !r.Early && !a.Said && isOrder(r, argumentName(a.Pointer), a.Text):
		return false // its place in the list is the order's
	case strict && m.pickedLate(r, a):
		return m.isCap(r, a) && m.hasFirst(r, of)
	case m.pages(r, a):
		return m.isPageMeant(r, a, of)
	case a.Role == label.Control:
		return true
	}
	return m.mayNarrow(s, r, a, of)
}

// asConstrained reports whether a source constrains an argument of an earlier call, and whether the
// argument meets all of its constraints.
func (m *matcher) asConstrained(s *Source, a Argument) (constrained, met bool) {
	for i := range s.Args {
		c := &s.Args[i]
		if !within(c.Pointer, a.Pointer) {
			continue
		}
		constrained = true
		if m.ofAnother(&c.Constraint, a) {
			return true, false
		}

		earlier := m.mode // the records of an earlier call's arguments are not those of this call's
		earlier.bindings = &bindings{element: m.element}
		if _, miss := m.as(earlier).value(&c.Constraint, a); miss != "" {
			return true, false
		}
	}
	return constrained, true
}

// isPageMeant reports whether the page of a listing that an argument asks for is the one that is
// meant: the user says so, or all that is meant is on it. The second in a list is that of the list
// which the user saw, however long. A number of the user's may be that of anything ("for 2 nights"), and of one page no
// order of all records follows, whatever its limit is called. For an order that can't be taken back the least length is the user's only where the
// user speaks of a length, or the scope states it so.
func (m *matcher) isPageMeant(r *Result, a Argument, of *Constraint) bool {
	by, _ := of.criterion()
	key := argumentName(a.Pointer)
	isPage := r.isSize(key) || r.isReached(a)
	isOther := isPage || (isMuch(key) && !m.saysWordOf(key) && !m.statedFor(key, a.Text))
	isSaid := appears(m.folded, fold(a.Text)) && !(m.irreversible && by.order != nil && isOther)
	untouched := a.Said && (!m.irreversible || of.isFromBegin())
	return untouched || m.isSearched(r, of) || isSaid || (m.isCap(r, a) && m.hasFirst(r, of))
}

// isMuch reports whether an argument is called as how much or how many there is of something, and not as a thing: min_length, depth_limit.
func isMuch(key []string) bool {
	l := lexicon()
	return l.Lengths.In(key) || slices.ContainsFunc(key, func(w string) bool { return l.Limits.Has(w) && !l.Upper.Has(w) && w != "per" })
}

// saysWordOf reports whether the user says what a number is of, by the name of an argument: the length, of the least length.
func (m *matcher) saysWordOf(key []string) bool {
	l := lexicon()
	return slices.ContainsFunc(key, func(w string) bool {
		isSide := l.Upper.Has(w) || l.Lower.Has(w) || l.Limits.Has(w)
		return !isSide && m.work(len(m.folded)) && hasWord(m.folded, w)
	})
}

// mayNarrow reports whether an argument may narrow a listing of which the scope doesn't say how. All of
// a listing is that of one that nothing narrows, or nothing but the user's own words where the
// scope says which records count.
func (m *matcher) mayNarrow(s *Source, r *Result, a Argument, of *Constraint) bool {
	if of.Pick == scope.All && len(s.Where) == 0 {
		return !m.irreversible || m.hasToSearch(r, a)
	}
	return m.isOwn(r, a, of) || m.statedFor(argumentName(a.Pointer), a.Text)
}

// hasToSearch reports whether an argument is the words without which a tool finds nothing. There is no
// whole listing then: all is all that is found, by words that nobody else has chosen.
func (m *matcher) hasToSearch(r *Result, a Argument) bool {
	return a.Required && r.Early && !m.against && !m.strict && m.searchesAll(r, a)
}

// isSearched reports whether all that is meant is what a tool finds by words that it has to be given. No
// search returns all there is, and nobody else chose how much.
func (m *matcher) isSearched(r *Result, of *Constraint) bool {
	return of.Pick == scope.All && slices.ContainsFunc(r.Args, func(a Argument) bool { return m.hasToSearch(r, a) })
}

// isOwn reports whether a value by which a listing was narrowed is the user's own words, or the
// model's. Of all that is meant, the model chose some before anything of others was read.
func (m *matcher) isOwn(r *Result, a Argument, of *Constraint) bool {
	chosen := !a.Foreign
	if of.Pick == scope.All {
		chosen = r.Early && !m.against && !m.strict
	}
	return chosen || appears(m.folded, fold(a.Text))
}

// ofAnother reports whether an argument of an earlier call is another one than that of the
// call in question, where both are found in the same way: those who are not in it yet, are
// those not in the group that they are added to.
func (m *matcher) ofAnother(c *Constraint, a Argument) bool {
	if c.From == nil || m.proposal == nil {
		return false
	}
	for i := range m.in.Args {
		own := &m.in.Args[i]
		if own.From == nil || own.Pick == scope.All || !c.foundAs(&own.Constraint) {
			continue
		}
		for j := range m.proposal.Args {
			if b := &m.proposal.Args[j]; !b.Empty && within(own.Pointer, b.Pointer) && !same(b.Text, a.Text, true) {
				return true
			}
		}
	}
	return false
}

// foundAs reports whether a constraint takes its value from where another one does.
func (c *Constraint) foundAs(other *Constraint) bool {
	alike := c.Pick == other.Pick && c.Kind == other.Kind && c.By == other.By && len(c.From) == len(other.From)
	if !alike {
		return false
	}
	for i := range c.From {
		if !c.From[i].sameField(&other.From[i]) {
			return false
		}
	}
	return c.key() == other.key()
}

// isLimit reports whether a number of a name bounds how much of a listing is returned. The number
// or the size of something else (customer_number) tells one thing from others.
func isLimit(key []string) bool {
	last := len(key) - 1
	ofOther := last > 0 && (key[last] == "number" || key[last] == "size") && !lexicon().Pieces.Has(key[last-1]) && !lexicon().Limits.Has(key[last-1])
	return lexicon().Limits.In(key) && !ofOther
}

// isSize reports whether an argument is called as how much of a listing is returned, and as nothing else: the least length and the depth
// limit of what is listed leave some of it out.
func (r *Result) isSize(key []string) bool {
	l := lexicon()
	isOther := func(w string) bool {
		isSize := l.Lengths.Has(w) || l.Limits.Has(w) || isOneOf(l.Pieces)(w) || isOneOf(l.Counts)(w)
		isOfCall := l.LookUps.Has(w) || l.Returned.Has(w)
		isOf := isSize || isOfCall || r.isAbout(w) || r.listsSuch(w)
		return !isOf || l.Lower.Has(w)
	}
	return (isLimit(key) || l.Lengths.In(key)) && !slices.ContainsFunc(key, isOther)
}

// listsSuch reports whether what a result lists is called by a word: messages, of {"messages": [...]}, and of mails anyhow.
func (r *Result) listsSuch(w string) bool {
	isMail := func(w string) bool { return lexicon().Mails.Has(singular(w)) }
	isCalled := func(list string) bool { return sameWord(list, w) || (isMail(list) && isMail(w)) }
	if slices.ContainsFunc(words(r.Tool), isCalled) {
		return true
	}
	return slices.ContainsFunc(r.inOrder, func(record string) bool {
		return r.outermost(record) && slices.ContainsFunc(words(lastName(r.listOf(record))), isCalled)
	})
}

// isReached reports whether a listing has as many records as an argument of its call may allow, or more.
func (r *Result) isReached(a Argument) bool {
	n, err := whole(a.Text)
	return isLimit(argumentName(a.Pointer)) && (err != nil || n <= r.listed())
}

// pages reports whether an argument of an earlier call may have left records out of its
// result: a limit that the result reaches, another place to begin at than the first, or
// another number, where what follows can't be taken back.
func (m *matcher) pages(r *Result, a Argument) bool {
	key := argumentName(a.Pointer)
	l := lexicon()
	n, err := whole(a.Text)
	filters := err == nil && m.irreversible && !l.Settings.In(key)
	leavesOut := filters && !r.isSize(key)

	switch {
	case !m.work(len(r.fields) * perStep):
		return true
	case l.Lengths.In(key) && err == nil:
		return leavesOut || n <= max(len(r.Text), r.listed())
	case isLimit(key) && err == nil: // per_page and page_size as well
		return leavesOut || n <= r.listed()
	case l.Offsets.In(key) && err == nil:
		return n > 1 || (n == 1 && !slices.Contains(key, "page"))
	case l.Offsets.In(key):
		return a.Role == label.Control
	}
	return filters // a season, a year
}
