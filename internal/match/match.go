package match

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/remit-project/remit/internal/pattern"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/scope"
)

// maxSteps bounds the fields that one match looks at. A match that needs more covers
// nothing.
const maxSteps = 1 << 18

// errWork is why a match beyond [maxSteps] covers nothing.
const errWork = "the results are too large to look for the values in"

// matcher matches one call. Its mode is its own: what is looked for in another one, a copy looks
// for.
type matcher struct {
	*state
	mode
}

// mode is how results are read for what is looked for.
type mode struct {
	against bool // it speaks against the call
	strict  bool // a listing that was narrowed late doesn't count, also where the call can be taken back
	joining bool // a value for a condition is looked for: nothing that is only called so counts
	lent    bool // the result in question is read as fields since a person agreed to that
	// ordered reports whether the result in question is a part of a listing that counts for its order
	// alone.
	ordered bool
	*bindings
}

// bindings are what the values of one call's arguments have in common.
type bindings struct {
	// bound are the records in which the values of a shared source were found.
	bound boundRecords
	// elements are the values that the elements of a list have of a source, and element is that of the argument
	// in question; empty for an argument that is in no list.
	elements map[binding]string
	element  string
	pointer  string // of the argument in question; empty for one of an earlier call
	units    *unitsTaken
}

// newMatcher returns a matcher with a task's part of its state.
func (t *Task) newMatcher(results []*Result, quiet bool) *matcher {
	var whole struct { // in one piece, since one is made for each call
		matcher  matcher
		state    state
		bindings bindings
	}
	s := &whole.state
	s.scope, s.request, s.said, s.folded, s.spoken, s.stating, s.confirmed, s.kept = t.scope, t.request, t.said, t.folded, &t.spoken, t.stating, t.confirmed, &t.kept
	s.results, s.quiet, s.steps = results, quiet, maxSteps
	whole.matcher.state, whole.matcher.bindings = s, &whole.bindings
	return &whole.matcher
}

// as returns the matcher in another mode.
func (m *matcher) as(other mode) *matcher { return &matcher{m.state, other} }

// state is what all modes of a match have in common.
type state struct {
	results      []*Result
	agreed       []scope.Reading // readings to which a person agreed
	request      string
	said         string
	folded       string
	spoken       *spoken                  // what is known of said
	stating      map[string][]scope.Value // what the scope states, by the names of arguments
	steps        int                      // left
	quiet        bool                     // misses need no words
	effect       bool                     // the call has one, and irreversible one that can't be taken back
	irreversible bool
	confirmed    bool // a person has agreed to the values that the scope states
	withheld     bool // an entry was missed for a condition alone
	grants       []Grant
	// in is the entry of the scope that is matched, and proposal the call.
	scope    *Scope
	in       *Call
	proposal *Proposal
	// joins are the values that the sources of conditions give, once they are known; empty for
	// those that give none.
	joins map[join]scope.Value
	// members are those of the results, once they are needed, with which records have them.
	members map[*Result]map[nameAndText]int
	// asked are the places of the last results of calls that changed nothing, by the texts of their arguments.
	asked map[string][]int
	// measuring are the members of results that are called as units.
	measuring map[*Result]*resultUnits
	// spots are where the results have the members that records are known by, by their names and texts.
	spots map[string]map[string][]spot
	// offered are the values that the sources of constraints offer, as far as they are the same for every argument.
	offered map[offering]offers
	// placed says where the results are, once that is needed, and kept is that of the match before.
	placed, kept *sequence
	// corrected is the record that the session itself made and that the call is on; nil for others.
	corrected *made
}

// say words why a call is not covered, where that is wanted: most calls are covered by one
// of several entries.
func (m *matcher) say(format string, args ...any) string {
	if m.quiet {
		return "not covered"
	}
	return fmt.Sprintf(format, args...)
}

// step counts a look at a field, and reports whether there may be more.
func (m *matcher) step() bool {
	m.steps--
	return m.steps >= 0
}

// perStep is the length of text that is looked through in the time of a look at a field.
const perStep = 16

// work counts a look through a text, and reports whether there may be more.
func (m *matcher) work(length int) bool {
	m.steps -= 1 + length/perStep
	return m.steps >= 0
}

// isForOther reports whether a stated value alone shows that an entry is for another call of the
// tool, as most entries are.
func (e *Call) isForOther(p *Proposal) bool {
	for i := range e.Args {
		c := &e.Args[i]
		if c.Is == nil || c.From != nil {
			continue
		}
		for j := range p.Args {
			a := &p.Args[j]
			if a.Pointer == c.Pointer && !a.Empty && !c.states(a, p.Irreversible, p.zone()) {
				return true
			}
		}
	}
	return false
}

// states reports whether a value is one of those that a constraint states. What a call that can't be taken back is about is as it is written,
// and so is what bears authority and the name of a file, whatever takes it; a moment names nobody. Of two hours of which one has no zone, that is the user's.
func (c *Constraint) states(a *Argument, irreversible bool, zone *time.Location) bool {
	if c.plain && isASCII(a.Text) && !slices.ContainsFunc(c.Is, func(v scope.Value) bool { return strings.EqualFold(strings.TrimSpace(a.Text), string(v)) }) {
		return false
	}
	isExact := a.authority() || (irreversible && (a.Role == label.Selector || isFile(a.Text)))
	return slices.ContainsFunc(c.Is, func(v scope.Value) bool {
		if string(v) == a.Text {
			return true
		}
		if _, isNumber := number(string(v)); isNumber && a.String && a.Role == label.Selector {
			return false // 1932.40 is another object than 1932.4
		}
		if is, known := isHourIn(zone, string(v), a.Text); known {
			return is
		}
		return a.is(string(v), isExact && !isMoment(string(v)))
	})
}

// isFile reports whether a text is the name of a file.
func isFile(text string) bool { return fileName().MatchString(text) }

// fileName matches a name or a path in one word, with the ending of a file.
var fileName = pattern.OnUse(`^\S*\pL\S*\.[a-zA-Z]\w{1,4}$`)

// tooMuch ends a match that sees only a part of a result: what it finds to be the only one
// might be one of several.
func (m *matcher) tooMuch() { m.steps = -1 }

// entry returns the grants of an entry for a call, until the next entry is matched, or why it doesn't cover the call. Where that is
// for a condition alone, the request has the call under it.
func (m *matcher) entry(e *Call, p *Proposal) ([]Grant, string) {
	m.grants, m.corrected, m.in, m.proposal = m.grants[:0], nil, e, p
	*m.bindings = bindings{}
	unmet := m.conditions(e)
	miss := m.arguments(e, p)
	if unmet == "" && miss != "" {
		return nil, miss
	}
	if unmet == "" && m.effect && len(e.OnlyIf) > 0 {
		unmet = m.say("the request has it under a condition that no program can tell: %s", toTell(e.OnlyIf))
	}
	if unmet != "" {
		m.withheld = m.withheld || miss == ""
		return nil, unmet
	}
	return m.grants, ""
}

// arguments notes the grants of an entry for the arguments of a call, or returns why they are
// others.
func (m *matcher) arguments(e *Call, p *Proposal) (miss string) {
	for _, computed := range []bool{false, true} { // what follows from a record, once others say which it is
		for i := range e.Args {
			c := &e.Args[i]
			if c.Computed != computed {
				continue
			}
			if miss := m.constrained(c, p); miss != "" {
				return miss
			}
		}
	}

	for i := range e.Args {
		if at := lacking(&e.Args[i], p); at != "" {
			return m.say("%s: left out", at)
		}
		if value := m.withoutSome(&e.Args[i], p); value != "" {
			return m.say("%s: %s is left out, and the request is for one call with all", e.Args[i].Pointer, short(value))
		}
		if otherwise := m.isOtherList(&e.Args[i], p); otherwise != "" {
			return m.say("%s: %s", e.Args[i].Pointer, otherwise)
		}
	}
	for i := range p.Args {
		a := &p.Args[i]
		if miss := m.unlisted(e, a, p); miss != "" {
			return m.say("%s: %s", a.Pointer, miss)
		}
	}
	for _, records := range m.bound.all {
		if len(records) == 0 {
			return "the values are of different records"
		}
	}
	if m.isRepeated() {
		return "the values of a record are in the call twice"
	}
	if w := m.rewords(e, p); w != "" {
		return m.say("%s is neither in the user's words nor in what was made", short(w))
	}
	return ""
}

// constrained notes the grants of the arguments that a constraint is about, or returns why
// the call doesn't meet it.
func (m *matcher) constrained(c *Arg, p *Proposal) (miss string) {
	before := len(m.grants)
	var named []string
	for i := range p.Args {
		a := &p.Args[i]
		if !within(c.Pointer, a.Pointer) {
			continue
		}
		if otherwise := p.emptied(a); otherwise != "" {
			return m.say("%s: left empty, and not left out, which means %s", a.Pointer, clip([]byte(otherwise)))
		}
		isStated := slices.Contains(c.Is, "")
		switch {
		case a.Empty && isStated:
			m.grants = append(m.grants, Grant{Pointer: a.Pointer, Way: WayIs})
			continue
		case (p.clears(a) || (c.Unchanged && p.mayClear(a))) && !(c.Unchanged && m.isEmptyNow(p, a)):
			return m.say("%s: %s", a.Pointer, errClears)
		case a.Empty:
			continue
		}
		if c.From != nil && m.irreversible && m.in.Times.Each {
			value := canonical(a.Text)
			if slices.Contains(named, value) {
				return m.say("%s: %s is in the call twice", a.Pointer, short(a.Text))
			}
			named = append(named, value)
		}

		m.element, m.pointer = elementOf(a.Pointer), a.Pointer
		g, miss := m.granted(&c.Constraint, p, *a)
		if miss != "" {
			return m.say("%s: %s", a.Pointer, miss)
		}
		g.Pointer = a.Pointer
		m.grants = append(m.grants, g)
	}

	if len(m.grants) > before {
		return ""
	}
	if miss := m.omission(c, p); miss != "" && !m.readsMore(c, p) {
		return m.say("%s: %s", c.Pointer, miss)
	}
	return ""
}

// granted returns the grant of a constraint for an argument of the call.
func (m *matcher) granted(c *Constraint, p *Proposal, a Argument) (Grant, string) {
	switch {
	case c.Unchanged:
		return m.unchanged(p, a)
	case c.Absent:
		otherwise := p.otherwise(a.Pointer)
		if a.Usual || (a.Text == otherwise && (otherwise != "" || !a.authority())) {
			return Grant{Way: WayAbsent}, ""
		}
		if !slices.Contains(nothing, fold(otherwise)) {
			return Grant{}, m.say("the request leaves this out, which means %s", clip([]byte(otherwise)))
		}
	}
	return m.value(c, a)
}

// within reports whether a pointer is at a place or inside of it, with "*" for any
// index.
func within(place, pointer string) bool {
	if rest, ok := strings.CutPrefix(pointer, place); ok {
		return rest == "" || rest[0] == '/'
	}
	if !strings.Contains(place, "*") {
		return false
	}
	for place != "" {
		var want, have string
		want, place = next(place)
		have, pointer = next(pointer)
		index := strictjson.IsIndex(have)
		if want != have && (want != "*" || !index) {
			return false
		}
	}
	return true
}

// next parts the first segment from a pointer.
func next(pointer string) (segment, rest string) {
	pointer = strings.TrimPrefix(pointer, "/")
	if i := strings.IndexByte(pointer, '/'); i >= 0 {
		return pointer[:i], pointer[i:]
	}
	return pointer, ""
}

// unlisted says why a call is not covered when the entry doesn't speak of an argument;
// empty where the argument does no harm: content and settings that the monitor has no
// doubt about.
func (m *matcher) unlisted(e *Call, a *Argument, p *Proposal) string {
	restricts := a.Role == label.Selector || a.authority()
	if p.Irreversible && e.isEmptyElement(a) {
		return "an element of the list is empty"
	}
	if a.Empty && !p.clears(a) && !(restricts && p.emptied(a) != "") {
		return ""
	}
	if slices.ContainsFunc(e.Args, func(c Arg) bool { return within(c.Pointer, a.Pointer) }) {
		return ""
	}
	if p.clears(a) {
		return errClears
	}
	harmless := ((a.Role == label.Content || a.Role == label.Control) && !a.Undeclared) || p.Read
	if harmless && !a.Doubtful && !m.isUnasked(a, p) {
		return ""
	}
	return "the request doesn't speak of this argument"
}

// isUnasked reports whether an argument changes how a call works that can't be taken back, as nobody said: it is a setting that isn't what the
// definition has without it, and no word of the user's.
func (m *matcher) isUnasked(a *Argument, p *Proposal) bool {
	if !p.Irreversible || a.Role != label.Control || a.Usual || a.isFormal(words(p.Tool)) {
		return false
	}
	otherwise := p.otherwise(a.Pointer)
	isOff := otherwise == "" && slices.Contains(nothing, fold(a.Text))
	return !isOff && !(otherwise != "" && same(otherwise, a.Text, false)) && !m.madeOf(a.Text) && !m.isSpelled(a.Text)
}

// isFormal reports whether a setting of a call to a tool changes nothing of what is done: how much of the answer is returned, how long the caller waits
// for it, that the call is meant (as "confirm" and "confirm_deletion" of delete_card are), or that nothing is done.
func (a *Argument) isFormal(tool []string) bool {
	l := lexicon()
	key := argumentName(a.Pointer)
	are := func(is func(w string) bool) bool {
		return len(key) > 0 && !slices.ContainsFunc(key, func(w string) bool { return !is(w) })
	}
	isOfTool := func(w string) bool { return speaks(strings.Join(tool, " "), w) }
	isOfWork := slices.ContainsFunc(key, isOfTool) // the timeout of set_timeout

	isPiece := func(w string) bool { return w != "count" && (isOneOf(l.Pieces)(w) || isOneOf(l.Counts)(w)) }
	isLimited := isOnly(key, "limit") || isOnly(key, "page") || (len(key) > 1 && slices.ContainsFunc(key, isPiece))
	isOfAnswer := isLimited && !isOfWork && are(func(w string) bool { return l.Limits.Has(w) || isPiece(w) })

	n, err := whole(a.Text)
	isWait := err == nil && n > 0 && n <= longestWait && isOnly(key, "timeout") && !isOfWork

	isOn := switches()[fold(a.Text)] == "on"
	isMeant := isOn && l.Confirming.In(key) && are(func(w string) bool { return l.Confirming.Has(w) || isOfTool(w) })
	isTrial := isOn && l.Trials.In(key) && are(func(w string) bool { return l.Trials.Has(w) || w == "run" || w == "only" })
	return isOfAnswer || isWait || isMeant || isTrial
}

// longestWait is how long a caller may wait for an answer without a word of the user's, in seconds.
const longestWait = 600

// isEmptyElement reports whether an argument is an empty element of a list that an entry doesn't leave open: what is left out is a member,
// and an element is one more of what is paid or booked.
func (e *Call) isEmptyElement(a *Argument) bool {
	if _, is := listAround(a.Pointer); !is || !a.Empty {
		return false
	}
	isOpen := func(c Arg) bool {
		return within(c.Pointer, a.Pointer) && (c.Any || c.Unchanged || slices.Contains(c.Is, ""))
	}
	return !slices.ContainsFunc(e.Args, isOpen)
}

// omission says why a call may not leave out an argument that is constrained; empty
// where it may.
func (m *matcher) omission(c *Arg, p *Proposal) string {
	if c.Absent || c.Any || c.Unchanged || p.Role == nil {
		return ""
	}
	if len(c.Is) > 0 && p.Default != nil {
		if otherwise, ok := p.Default(c.Pointer); ok {
			return c.instead(otherwise, p)
		}
	}

	role := p.Role(c.Pointer)
	restricts := !c.Computed && (role == label.Selector || role.AuthorityBearing())
	switched := slices.Contains(c.Is, "true") && !slices.Contains(c.Is, "false")
	decides := !p.Read && (m.isSaid(c, role) || m.isFound(c, p))
	if restricts || switched || decides {
		return "left out"
	}
	return ""
}

// readsMore reports whether a call that only reads leaves out a filter that each source with its tool states: it reads more, and what a
// source takes of that has to have the stated value.
func (m *matcher) readsMore(c *Arg, p *Proposal) bool {
	if !p.Read || p.otherwise(c.Pointer) != "" || p.Role(c.Pointer) != label.Selector {
		return false
	}
	isOpen := false
	m.scope.eachSource(func(s *Source) {
		isOf := isTool(s.Server, s.Tool, p.Server, p.Tool)
		isOpen = isOpen || (isOf && !slices.ContainsFunc(s.Args, func(a Arg) bool { return a.Pointer == c.Pointer && len(a.Is)+len(a.Date) > 0 && a.From == nil }))
	})
	return !isOpen
}

// eachSource calls a function with each source of a scope.
func (s *Scope) eachSource(do func(*Source)) {
	var all func(sources []Source)
	var of func(args []Arg)
	all = func(sources []Source) {
		for i := range sources {
			do(&sources[i])
			of(sources[i].Args)
			for j := range sources[i].Where {
				all(sources[i].Where[j].From)
			}
		}
	}
	var inside func(c *Constraint)
	inside = func(c *Constraint) {
		all(c.From)
		all(c.Except)
		all(c.Sources)
		for _, hole := range c.Holes {
			inside(&hole)
		}
	}
	of = func(args []Arg) {
		for i := range args {
			inside(&args[i].Constraint)
		}
	}

	for i := range s.Calls {
		e := &s.Calls[i]
		of(e.Args)
		all(e.If)
		all(e.Unless)
	}
	all(s.Delegates)
}

// lacking returns where an element of a list leaves out what other elements of it take from a source; empty where none does. What is
// ordered without a number is ordered in some number.
func lacking(c *Arg, p *Proposal) string {
	list, member, inList := strings.Cut(c.Pointer, "/*/")
	if !inList || c.From == nil {
		return ""
	}
	having := map[string]bool{} // by the element
	for i := range p.Args {
		a := &p.Args[i]
		in, place := elementIn("", a.Pointer)
		if a.Empty || place == "" || in != list {
			continue
		}
		having[place] = having[place] || within(c.Pointer, a.Pointer)
	}

	missing, any := "", false
	for place, has := range having {
		any = any || has
		if !has && (missing == "" || place < missing) {
			missing = place
		}
	}
	if missing == "" || !any {
		return ""
	}
	return missing + "/" + member
}

// instead says why an argument may not be left out whose default is known.
func (c *Arg) instead(otherwise string, p *Proposal) string {
	authority := p.Role(c.Pointer).AuthorityBearing()
	if slices.ContainsFunc(c.Is, func(v scope.Value) bool { return v == "" || same(string(v), otherwise, authority) }) {
		return ""
	}
	return fmt.Sprintf("left out, which means %s", clip([]byte(otherwise)))
}
