package match

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/scope"
)

// A planner names members before it has seen any. Where the records of a result have no member of a name, also none that
// may be called so, the planner may say later which of their members it means: it is shown their names, and never a
// value. What it says changes a name of the scope and nothing else, so that calls are held to it as if the planner had
// known the tool's results. It counts only while every result of the tool lacks the name and has the member in all
// records, and for a call that can't be taken back only where the member's own name doesn't speak against it.

// saidLater is what a planner said later of the names that a scope has for the results of a tool.
type saidLater struct {
	server, tool string
	names        []scope.Meant
}

// renamed is a scope with the names that were said later, for the entries of one call.
type renamed struct {
	key   renaming
	scope *Scope
	names map[int][]scope.Meant // by the entry
}

// namesOf returns the names of an entry that were said later.
func (r *renamed) namesOf(entry int) []scope.Meant {
	if r == nil {
		return nil
	}
	return r.names[entry]
}

// renaming is what it depends on which names count.
type renaming struct {
	server, tool string
	irreversible bool
	known        int // results, up to the last one
	last         *Result
}

// Open is a result whose members are to be named.
type Open struct {
	Call, Server, Tool string
	Guesses            []scope.Guess
	Members            []string
}

// Name takes what a planner said of the names that the scope has for a tool.
func (t *Task) Name(server, tool string, names []scope.Meant) {
	t.named = append(t.named, saidLater{server, tool, names})
	t.late = nil
}

// Unnamed returns the latest result of a tool of the scope's with names that its records don't have; false where there is none. It leaves out
// tools that a function knows, and with a tool, all entries but those for that one. Effects tells what a call of an entry's tool does.
func (t *Task) Unnamed(results []*Result, of string, isKnown func(server, tool string) bool, effects func(server, tool string) (reads, irreversible bool)) (Open, bool) {
	seen := map[string]bool{}
	for _, r := range slices.Backward(results) {
		key := r.Server + "\n" + r.Tool
		if seen[key] || !r.hasRecords() || isKnown(r.Server, r.Tool) {
			continue
		}
		seen[key] = true

		out := Open{Call: r.Call, Server: r.Server, Tool: r.Tool}
		for i := range t.scope.Calls {
			e := &t.scope.Calls[i]
			if of != "" && e.Tool != of {
				continue
			}
			p := &Proposal{Server: e.Server, Tool: e.Tool}
			p.Read, p.Irreversible = effects(e.Server, e.Tool)
			out.gather(t.matcherOf(t.scope, p, results, true), e, r)
		}
		if len(out.Guesses) == 0 {
			continue
		}
		if out.Members = t.newMatcher(results, true).memberNames(r); len(out.Members) > 0 {
			return out, true
		}
	}
	return Open{}, false
}

// hasRecords reports whether a result counts for a scope and has records whose members have names.
func (r *Result) hasRecords() bool {
	return r.Covered && !r.Failed && r.structured && !r.partial && !r.values && r.level != nil && !r.empty()
}

// gather adds the names of an entry that the records of a result don't have.
func (o *Open) gather(m *matcher, e *Call, r *Result) {
	m.in = e
	e.eachUse(func(u *use) {
		if isTool(u.source.Server, u.source.Tool, r.Server, r.Tool) && u.isOpen(m, r) {
			o.add(u)
		}
	})
	if m.steps < 0 {
		o.Guesses = nil // what wasn't looked at may have the names
	}
}

// add adds what the scope has a name for.
func (o *Open) add(u *use) {
	at := slices.IndexFunc(o.Guesses, func(g scope.Guess) bool { return g.Name == u.guess() })
	switch {
	case at < 0 && len(o.Guesses) == scope.MaxGuesses:
		return
	case at < 0:
		at = len(o.Guesses)
		o.Guesses = append(o.Guesses, scope.Guess{Name: u.guess()})
	}

	g := &o.Guesses[at]
	if says := u.String(); len(g.Uses) < scope.MaxUses && !slices.Contains(g.Uses, says) {
		g.Uses = append(g.Uses, says)
	}
}

// scopeFor returns the scope to which a call is held: with the names that were said later, where they count.
func (t *Task) scopeFor(p *Proposal, results []*Result) *Scope {
	if len(t.named) == 0 || len(results) == 0 {
		return t.scope
	}
	key := renaming{p.Server, p.Tool, p.Irreversible, len(results), results[len(results)-1]}
	isAsWritten := len(p.Assumed)+len(p.Readings) == 0 // else a text may have the name for this call
	if isAsWritten && t.late != nil && t.late.key == key {
		return t.late.scope
	}
	if !isAsWritten {
		key = renaming{}
	}

	m := t.matcherOf(t.scope, p, results, true)
	out := &renamed{key: key, scope: compileFor(t.written, t.folded), names: map[int][]scope.Meant{}}
	for i := range out.scope.Calls {
		e := &out.scope.Calls[i]
		if !isTool(e.Server, e.Tool, p.Server, p.Tool) {
			continue
		}
		m.in = e
		e.eachUse(func(u *use) {
			if meant := t.meant(m, u); meant.Member != "" {
				u.rename(meant.Member)
				out.names[i] = append(out.names[i], meant)
			}
		})
	}
	if m.steps < 0 {
		out.scope, out.names = t.scope, nil
	}
	t.late = out
	return out.scope
}

// meant returns what was said of a name, where that counts: in all results of the tool that have records.
func (t *Task) meant(m *matcher, u *use) scope.Meant {
	for _, n := range t.named {
		at := slices.IndexFunc(n.names, func(s scope.Meant) bool { return s.Guess == u.guess() || s.Guess == u.orderedBy() })
		if at < 0 || !isTool(u.source.Server, u.source.Tool, n.server, n.tool) {
			continue
		}

		isAny := false
		for _, r := range m.results {
			if !isTool(u.source.Server, u.source.Tool, r.Server, r.Tool) || !r.hasRecords() {
				continue
			}
			if isAny = true; !u.mayMean(m, r, n.names[at].Member) {
				return scope.Meant{}
			}
		}
		if isAny {
			return n.names[at]
		}
	}
	return scope.Meant{}
}

// use is a name of an entry: of the member that an argument takes, or that a condition or a choice is on.
type use struct {
	entry  *Call
	source *Source
	of     *Constraint // for which the source has a value; nil for a condition of the entry
	at     string      // the argument's place
	where  *Match      // nil for the member of the source itself
	order  bool        // it is the criterion of a choice
	// written are the names of the source as the scope has them: its member, and those of its conditions.
	written []string
}

// eachUse does something with each name of an entry, which it may change. Those under which a record speaks against the call (unless) are left out: under another name none
// might. What a listing leaves out has to be in it, so that its names count.
func (e *Call) eachUse(do func(*use)) {
	e.usesIn(e.If, nil, "", do)
	e.usesOf(e.Args, do)
}

func (e *Call) usesOf(args []Arg, do func(*use)) {
	for i := range args {
		e.usesFor(&args[i].Constraint, args[i].Pointer, do)
	}
}

func (e *Call) usesFor(c *Constraint, at string, do func(*use)) {
	e.usesIn(c.From, c, at, do)
	e.usesIn(c.Sources, c, at, do)
	e.usesIn(c.Except, c, at, do)
	isOfOneTool := !slices.ContainsFunc(c.From, func(s Source) bool { return !isTool(s.Server, s.Tool, c.From[0].Server, c.From[0].Tool) })
	if by, ok := c.criterion(); ok && by.order != nil && isOfOneTool && len(c.From) > 0 {
		do(&use{entry: e, source: &c.From[0], of: c, at: at, order: true})
	}
	for _, name := range slices.Sorted(maps.Keys(c.Holes)) {
		hole := c.Holes[name]
		e.usesFor(&hole, at, do)
		c.Holes[name] = hole
	}
	if c.From != nil {
		c.sources = sourcesKey(c.From) // of the names as they are now
	}
}

func (e *Call) usesIn(sources []Source, of *Constraint, at string, do func(*use)) {
	for i := range sources {
		s := &sources[i]
		written := []string{s.Field}
		for _, w := range s.Where {
			written = append(written, w.Field)
		}
		if of != nil {
			do(&use{entry: e, source: s, of: of, at: at, written: written})
		}
		for j := range s.Where {
			do(&use{entry: e, source: s, of: of, at: at, where: &s.Where[j], written: written})
			e.usesIn(s.Where[j].From, &Constraint{Pick: scope.Only}, "", do)
		}
		e.usesOf(s.Args, do)
	}
}

// guess returns the name as the scope has it.
func (u *use) guess() string {
	switch {
	case u.order:
		return u.of.By
	case u.where != nil:
		return u.where.Field
	}
	return u.source.Field
}

// orderedBy returns the member that a criterion has behind "by", which may be named for another use: "arrive", of "latest by arrive".
func (u *use) orderedBy() string {
	if !u.order {
		return ""
	}
	_, by, _ := strings.Cut(u.of.By, " by ")
	return by
}

// String says what the scope has the name for.
func (u *use) String() string {
	var text string
	switch {
	case u.order:
		text = "the member by which " + u.at + " of " + u.entry.Tool + " is chosen"
	case u.where != nil:
		text = "a condition on the records: " + u.where.inWords()
	case u.at == "":
		text = "a value that a condition compares with"
	case u.of.Computed:
		text = "a value from which " + u.at + " of " + u.entry.Tool + " is computed: " + u.of.By
	default:
		text = "the value (" + string(u.of.Kind) + ") for " + u.at + " of " + u.entry.Tool
	}
	return display.Clip(display.OneLine(text), maxUse)
}

// maxUse bounds what is said of a name, in characters.
const maxUse = 160

// inWords returns a condition in words.
func (w *Match) inWords() string {
	var parts []string
	add := func(what string, values ...string) {
		if all := strings.Join(values, " or "); all != "" {
			parts = append(parts, what+" "+all)
		}
	}

	var is []string
	for _, v := range w.Is {
		is = append(is, string(v))
	}
	add("is", is...)
	add("contains", w.Contains...)
	add("begins with", w.Prefix)
	add("ends in", w.Ends)
	add("before", string(w.Before))
	add("after", string(w.After))
	add("below", string(w.Below))
	add("above", string(w.Above))
	if w.From != nil {
		add("is what is found in", from(w.From).String())
	}
	return strings.Join(parts, ", ")
}

// isOpen reports whether the records of a result have no member that the name means for the call, whatever values they have.
func (u *use) isOpen(m *matcher, r *Result) bool {
	switch {
	case u.order:
		return m.isUnordered(u.of, r)
	case u.where != nil:
		for w := range u.where.each {
			is, _ := m.condition(w, r)
			if len(w.name()) == 0 || r.hasField(is) {
				return false
			}
		}
		return len(m.unmet([]Match{*u.where}, r)) > 0
	}

	for _, field := range append([]string{u.source.Field}, u.source.Or...) {
		name := words(field)
		is, _ := m.memberAt(r, nil, name, u.of.idOf(Argument{Pointer: u.at}), "")
		if len(name) == 0 || r.hasField(is) {
			return false
		}
	}
	return true
}

func (r *Result) hasField(is func(*field) bool) bool {
	return slices.ContainsFunc(r.fields, func(f field) bool { return is(&f) })
}

// isUnnamed reports whether the name that a criterion has behind "by" is one of the scope's own: no member of a result has a word of it, and no word of
// it is what the criterion is about by itself, as a date is, which any time may be.
func (m *matcher) isUnnamed(c *Constraint, r *Result, name string) bool {
	by, _ := c.criterion()
	key := words(name)
	isKnown := func(w string) bool { return qualifiers[w] != "" || by.order.isAbout(w) }
	if len(key) == 0 || by.order == nil || slices.ContainsFunc(key, isKnown) {
		return false
	}
	for member := range r.members {
		isIn := func(w string) bool {
			return slices.ContainsFunc(strings.Fields(member), func(of string) bool { return thing(of) == thing(w) || (telling(w) && speaks(of, w)) })
		}
		if !m.step() || slices.ContainsFunc(key, isIn) {
			return false
		}
	}
	return true
}

// isUnordered reports whether the records of a result have no member that a criterion may be about, by any word of either.
func (m *matcher) isUnordered(c *Constraint, r *Result) bool {
	by, _ := c.criterion()
	all := append(words(c.By), by.order.Members...)
	for name := range r.members {
		for _, w := range strings.Fields(name) {
			isTime := by.order.ofTime() && qualifiers[w] == "time"
			isAbout := func(of string) bool { return thing(of) == thing(w) || (telling(of) && speaks(w, of)) }
			if !m.step() || isTime || slices.ContainsFunc(all, isAbout) {
				return false
			}
		}
	}
	return len(r.level.inOrder) > 1
}

// rename puts a member into the place of the name.
func (u *use) rename(member string) {
	switch {
	case u.order:
		before, _, _ := strings.Cut(u.of.By, " by ")
		u.of.By = before + " by " + strings.ReplaceAll(member, " ", "_")
	case u.where != nil:
		u.where.Field, u.where.words = member, words(member)
	default:
		u.source.Field, u.source.words = member, words(member)
	}
}

// mayMean reports whether a name that the records of a result don't have may mean one of their members.
func (u *use) mayMean(m *matcher, r *Result, member string) bool {
	isOpen := u.isOpen(m, r) || (u.order && m.isUnnamed(u.of, r, u.orderedBy()))
	if !isOpen || !slices.Contains(m.memberNames(r), member) {
		return false
	}
	if !m.irreversible {
		return true
	}

	name := strings.Join(words(member), " ")
	if u.isPaidTo(m, r, name) {
		return false
	}
	isOnlyCode := u.isOnlyCode(m, r, name)
	isRemark := lexicon().Notes.In(words(member)) || lexicon().Bodies.In(words(member))
	if isRemark || u.isTaken(name) || (m.strangers(name) && !isOnlyCode) || !m.guessable(r, name) || m.isOfOther(r, words(u.guess()), name) {
		return false
	}
	isValue := !u.order && u.where == nil
	switch {
	case isValue && sharp(u.of.Kind):
		isHolder := lexicon().holders(u.of.Kind).In(words(member))
		return m.holdsOnly(r, name, u.of.Kind) && (isHolder || m.holdsAlone(r, name, u.of.Kind))
	case isValue && u.of.Kind == scope.ID:
		return isOnlyCode || isID(words(member)) || m.tellsApart(r, name) || m.isOwnWord(r, name)
	}
	return true
}

// isPaidTo reports whether a member is called as an address, an account or an amount that the call takes, with a word before it that nothing explains:
// who answers for the planner must not choose whom money and mail go to, where the name alone already leads to it. No estimated total is what is due,
// whatever the name is.
func (u *use) isPaidTo(m *matcher, r *Result, name string) bool {
	if u.order || u.where != nil {
		return false
	}
	guess, member := words(u.guess()), strings.Fields(name)
	isPaid := sharp(u.of.Kind) || slices.ContainsFunc(unitless(member), ofMoney)
	isNamed := len(guess) > 0 && (nearly(m.head(r, guess), member) || lexicon().WholeAmounts.Ends(member))
	return isPaid && isNamed && m.addsToName(r, guess, name)
}

// isTaken reports whether the source has another name for a member already: what is 6 is not what is below 20 as well. A name
// that the source has twice, as of what is after one day and before another one, means the same both times.
func (u *use) isTaken(name string) bool {
	is := func(of string) bool { return strings.Join(words(of), " ") == name }
	isOther := func(written string) bool { return written != u.guess() }
	if u.order {
		return false
	}
	for i, w := range u.source.Where {
		if isOther(u.written[1+i]) && (is(w.Field) || slices.ContainsFunc(w.Or, is)) {
			return true
		}
	}
	return u.where != nil && isOther(u.written[0]) && is(u.source.Field)
}

// isOnlyCode reports whether a member is what tells the things apart that a name is the id of, and nothing else does: the ref of the
// cleans that upcoming_cleans lists is the clean id, though elsewhere a ref is what anybody wrote. What is listed is called as in the name,
// or in the tool that takes it: a template id of list_blueprints, for send_from_blueprint.
func (u *use) isOnlyCode(m *matcher, r *Result, name string) bool {
	of := words(u.guess())
	last := len(of) - 1

	isHandle := last > 0 && (of[last] == "id" || of[last] == "uuid")
	isListed := isHandle && slices.ContainsFunc(words(r.Tool), func(w string) bool {
		isOfTool := func(of string) bool { return !lexicon().LookUps.Has(w) && sameWord(w, of) }
		return sameWord(w, of[last-1]) || slices.ContainsFunc(words(u.entry.Tool), isOfTool)
	})
	isValue := !u.order && u.where == nil && (u.of.Kind == "" || u.of.Kind == scope.ID)
	if !isValue || !isListed || m.isCodeOfOther(r, of, name) || !(m.hasCodes(r, name) || m.isOwnWord(r, name)) {
		return false
	}

	for other := range r.members {
		key := strings.Fields(other)
		mayTell := lexicon().Filled.In(key) || (len(key) == 1 && sameWord(key[0], of[last-1]))
		isRival := isID(key) || m.hasLetteredCodes(r, other) || (mayTell && m.hasCodes(r, other))
		if other != name && r.parts[other] == 0 && isRival {
			return false
		}
	}
	return true
}

// isCodeOfOther reports whether a member that people may fill is of something else than a name, by its other words: the reference of the customer.
func (m *matcher) isCodeOfOther(r *Result, of []string, name string) bool {
	isOther := func(w string) bool { return !lexicon().Filled.Has(w) }
	filled := slices.DeleteFunc(strings.Fields(name), isOther)
	return m.addsToName(r, slices.Concat(of, filled), name)
}

// hasLetteredCodes reports whether a member has in each of the outermost records a code of its own that is no number, day or time.
func (m *matcher) hasLetteredCodes(r *Result, name string) bool {
	isOther := func(f field) bool {
		return f.name == name && (isMoment(f.text) || !strings.ContainsFunc(f.text, unicode.IsLetter))
	}
	return m.hasCodes(r, name) && !slices.ContainsFunc(r.fields, isOther)
}

// holdsAlone reports whether no other member of a result has a value of a kind.
func (m *matcher) holdsAlone(r *Result, name string, kind scope.Kind) bool {
	return m.work(len(r.fields)*perStep) && !slices.ContainsFunc(r.fields, func(f field) bool { return f.name != name && isOf(f.text, kind) })
}

// isOwnWord reports whether a member has in each of several outermost records one word that no other record has.
func (m *matcher) isOwnWord(r *Result, name string) bool {
	seen := map[string]bool{}
	for i := range r.fields {
		f := &r.fields[i]
		if f.name != name {
			continue
		}
		isWord := f.text != "" && len(f.text) <= maxNumber && !strings.ContainsFunc(f.text, unicode.IsSpace)
		if !m.step() || !isWord || seen[f.text] || !r.outermost(f.record) {
			return false
		}
		seen[f.text] = true
	}
	return len(seen) > 1
}

// memberName is one word, or two.
var memberName = pattern.OnUse(`^\pL[\pL\pM\d_\-]*(?: [\pL\pM\d_\-]+)?$`)

// memberNames returns the names of members that all records of a list have, in the order of the result: those of the records themselves,
// and of several those of objects in them. A key that one record has is nobody's member, and of a single thing an object may be
// anybody's list of names.
func (m *matcher) memberNames(r *Result) []string {
	spelt, isTwice := map[string]string{}, map[string]bool{}
	lists := map[string]int{}
	for _, record := range r.inOrder {
		lists[r.listOf(record)]++
	}

	var out []string
	for i := range r.fields {
		f := &r.fields[i]
		if !m.step() {
			return nil
		}
		of := f.member
		if f.part != nil {
			of = strings.ReplaceAll(f.name, " ", "_")
		}
		if before, known := spelt[f.name]; known {
			isTwice[before] = isTwice[before] || before != of
			continue
		}
		spelt[f.name] = of
		isOwn := f.part == nil || lists[r.listOf(f.record)] > 1
		if isOwn && isMemberName(of) && strings.Join(words(of), " ") == f.name && len(out) < scope.MaxMembers && m.everywhere(r, f.name) {
			out = append(out, of)
		}
	}
	return slices.DeleteFunc(out, func(name string) bool { return isTwice[name] })
}

// isMemberName reports whether a text is a name as programs give them to members: no sentence, no value and no id.
func isMemberName(text string) bool {
	const data = 3 // digits
	digits := 0
	for _, r := range text {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	return digits < data && utf8.RuneCountInString(text) <= scope.MaxMemberName && memberName().MatchString(text)
}
