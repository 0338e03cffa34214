package scope

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/remit-project/remit/label"
)

// Argument is one scalar among the arguments of a call.
type Argument struct {
	Pointer string
	Text    string
	// Empty marks null, the empty text and empty arrays and objects.
	Empty bool
	// Role is what the argument is to security, by the tool's contract.
	Role label.Role
	// Doubtful reports whether the monitor would ask about the argument.
	Doubtful bool
	// Said reports whether the value is the user's own, by the monitor's resolver.
	Said bool
	// Foreign reports whether anybody may have chosen the value.
	Foreign bool
	// Listed reports whether the tool's definition lists the values that the argument may have.
	Listed bool
}

// authority reports whether the value decides where authority goes, so that it is
// compared byte by byte.
func (a *Argument) authority() bool { return a.Role.AuthorityBearing() }

// Proposal is a call that a task may cover.
type Proposal struct {
	Server, Tool string
	// Call is the id of the call, and Digest tells its tool and canonical arguments from
	// every other's.
	Call, Digest string
	Args         []Argument
	// Read marks a call that changes nothing.
	Read bool
	// Irreversible marks an effect that can't be taken back.
	Irreversible bool
	// Role returns the role that the tool's contract gives an argument, which the call
	// may leave out.
	Role func(pointer string) label.Role
	// Default returns what an argument is when the call leaves it out, by the tool's
	// definition; false where that doesn't say.
	Default func(pointer string) (string, bool)
}

// Grant is an argument that a scope lets pass, and why.
type Grant struct {
	Pointer string
	// Way is how the value meets its constraint: [WayIs] and so on.
	Way string
	// Call is the call in whose result the value appears; empty where the scope doesn't say
	// where all of it comes from.
	Call string
	// By is the criterion of a choice, in the scope's words.
	By string
}

// String says in words why the argument passes.
func (g Grant) String() string {
	why := ways[g.Way]
	switch {
	case g.Way == WayUnchanged:
		why += ", by the result of " + g.Call
	case g.Call != "":
		why = "it is in the result of " + g.Call
	}
	if g.By != "" {
		why += " (" + g.By + ")"
	}
	return why
}

// Names reports whether the scope names the value, or the place where it comes from:
// free content is neither.
func (g Grant) Names() bool { return g.Way == WayIs || g.Call != "" }

// The ways in which a value meets a constraint.
const (
	WayIs        = "is"
	WayFrom      = "from"
	WayComputed  = "computed"
	WayTemplate  = "template"
	WayAny       = "any"
	WayAbsent    = "absent"
	WaySaid      = "said"
	WayUnchanged = "unchanged"
)

// ways are the ways in words.
var ways = map[string]string{
	WayIs:        "the request states it",
	WayFrom:      "it is in the result of a call",
	WayComputed:  "it follows from the request and its sources",
	WayTemplate:  "it has the form that the request gives",
	WayAny:       "it is free content",
	WayAbsent:    "it says the same as leaving it out",
	WaySaid:      "the user said it",
	WayUnchanged: "it is so already",
}

// Cover is an entry of a scope that covers a call.
type Cover struct {
	// Entry is the entry's index among the scope's calls.
	Entry  int
	Grants []Grant
	// key is the digest of the call, and drawn that of the values that it takes from
	// sources.
	key, call, drawn string
	irreversible     bool
}

// Task is a scope in use: how often its entries were spent. It is not safe for
// concurrent use.
type Task struct {
	scope *Scope
	// request is the user's turn that the scope is for, said all that its planner was told,
	// and folded the same as words are compared with it.
	request, said, folded string
	spent                 []int
	stating               map[string][]Value // what the scope states, by the names of arguments
	ran                   map[string]run     // the calls that ran, by their digests
	drawn                 map[string]string  // the calls that can't be taken back, by their entries and what they drew
	confirmed             bool
}

// MaxSaid bounds the earlier texts of a conversation in which a task looks for the user's
// words, in bytes.
const MaxSaid = 128 << 10

// NewTask begins the use of a scope for a user's turn. Earlier are the trusted texts that
// the turn may refer to: what was said before it, as far as its planner was told.
func NewTask(s *Scope, request string, earlier ...string) *Task {
	said := request
	for _, text := range slices.Backward(earlier) {
		if len(said)+len(text) < len(request)+MaxSaid {
			said += "\n" + text
		}
	}
	return &Task{scope: s, request: request, said: said, folded: fold(said), spent: make([]int, len(s.Calls)), stating: s.stating(), ran: map[string]run{}, drawn: map[string]string{}}
}

// Confirmed returns the task for a scope to which a person has agreed, having read all of
// it: the values that it states need not be the user's words.
func (t *Task) Confirmed() *Task {
	t.confirmed = true
	return t
}

// Scope returns the scope.
func (t *Task) Scope() *Scope { return t.scope }

// run is a call that ran, and by which entry.
type run struct {
	entry int
	call  string
}

// Spend counts a call that an entry covered and that may run. The same call again is a
// retry, and is not counted, unless it can't be taken back: then only the one with its id
// is.
func (t *Task) Spend(c Cover) {
	before, again := t.ran[c.key]
	if again && c.irreversible {
		again = before.call == c.call
	}
	if again {
		return
	}

	t.ran[c.key] = run{c.Entry, c.call}
	t.spent[c.Entry]++
	if c.irreversible && c.drawn != "" {
		t.drawn[c.drawn] = c.call
	}
}

// Match returns the entry that covers a call, with what it grants. It changes nothing:
// [Task.Spend] counts the call once it may run. When no entry covers the call, the
// misses say why not, one for each entry with the call's tool.
func (t *Task) Match(p *Proposal, results []*Result) (cover Cover, misses []string, ok bool) {
	cover, misses, ok = t.match(p, results, true)
	worded := ok || slices.Contains(misses, errWork)
	if !worded {
		_, misses, _ = t.match(p, results, false)
	}
	return cover, misses, ok
}

func (t *Task) match(p *Proposal, results []*Result, quiet bool) (cover Cover, misses []string, ok bool) {
	m := &matcher{
		results: results, request: t.request, said: t.said, folded: t.folded, steps: maxSteps, quiet: quiet,
		stating: t.stating, effect: !p.Read, irreversible: p.Irreversible, confirmed: t.confirmed, grants: make([]Grant, 0, len(p.Args)),
	}

	for i := range t.scope.Calls {
		e := &t.scope.Calls[i]
		if !isTool(e.Server, e.Tool, p.Server, p.Tool) {
			continue
		}
		if quiet && e.isForOther(p) {
			continue
		}
		if miss := t.exhausted(i, p); miss != "" {
			misses = append(misses, m.say("entry %d: %s", i+1, miss))
			continue
		}
		grants, miss := m.entry(e, p)
		if m.steps < 0 {
			// Only a part of the results was looked at: the one value found there may be one of several.
			return Cover{}, append(misses, errWork), false
		}
		if miss == "" {
			c := Cover{Entry: i, Grants: grants, key: p.Digest, call: p.Call, drawn: drawn(i, grants, p), irreversible: p.Irreversible}
			if !t.drewAgain(&c) {
				return c, nil, true
			}
			miss = "such a call was made for the same values"
		}
		misses = append(misses, m.say("entry %d: %s", i+1, miss))
	}
	return Cover{}, misses, false
}

// isTool reports whether a scope names a tool. Without a server it names the tool of any.
func isTool(server, tool, ofServer, ofTool string) bool {
	return tool == ofTool && (server == "" || server == ofServer)
}

// exhausted says why an entry allows no further call; empty where it does.
func (t *Task) exhausted(entry int, p *Proposal) string {
	before, again := t.ran[p.Digest]
	if again && p.Irreversible {
		again = before.call == p.Call
	}
	if again && before.entry == entry {
		return "" // a retry
	}

	times, spent := t.scope.Calls[entry].Times, t.spentOn(entry)
	if !times.Each && spent >= times.N {
		return fmt.Sprintf("the request is for %d such calls, which were made", times.N)
	}
	if times.Each && spent >= MaxTimes {
		return fmt.Sprintf("more than %d such calls were made", MaxTimes)
	}
	return ""
}

// drewAgain reports whether an entry for each value of a source covered another call for
// the same ones: everybody on the list is paid once.
func (t *Task) drewAgain(c *Cover) bool {
	call, again := t.drawn[c.drawn]
	return again && c.irreversible && t.scope.Calls[c.Entry].Times.Each && call != c.call
}

// drawn names an entry and the values that a call takes from sources; empty where it takes
// none.
func drawn(entry int, grants []Grant, p *Proposal) string {
	var values []string
	for _, g := range grants {
		if g.Way != WayFrom {
			continue
		}
		for i := range p.Args {
			if p.Args[i].Pointer != g.Pointer {
				continue
			}
			value := fold(p.Args[i].Text)
			if n, ok := number(value); ok {
				value = n
			}
			values = append(values, strconv.Quote(g.Pointer)+strconv.Quote(value))
		}
	}

	if len(values) == 0 {
		return ""
	}
	return strconv.Itoa(entry) + strings.Join(values, "")
}

// spentOn returns how many calls an entry and the others of its group covered.
func (t *Task) spentOn(entry int) int {
	group := t.scope.Calls[entry].Group
	if group == "" {
		return t.spent[entry]
	}
	spent := 0
	for i, c := range t.scope.Calls {
		if c.Group == group {
			spent += t.spent[i]
		}
	}
	return spent
}

// maxSteps bounds the fields that one match looks at. A match that needs more covers
// nothing.
const maxSteps = 1 << 18

// errWork is why a match beyond [maxSteps] covers nothing.
const errWork = "the results are too large to look for the values in"

// matcher matches one call.
type matcher struct {
	results      []*Result
	request      string
	said         string
	folded       string
	words        map[string]bool    // of the request, once they are needed
	stating      map[string][]Value // what the scope states, by the names of arguments
	steps        int                // left
	quiet        bool               // misses need no words
	effect       bool               // the call has one, and irreversible one that can't be taken back
	irreversible bool
	confirmed    bool // a person has agreed to the values that the scope states
	against      bool // what is looked for speaks against the call
	strict       bool // a listing that was narrowed late doesn't count, also where the call can be taken back
	joining      bool // a value for a condition is looked for: nothing that is only called so counts
	grants       []Grant
	// in is the entry that is matched, and proposal the call.
	in       *Call
	proposal *Proposal
	// joins are the values that the sources of conditions give, once they are known; empty for
	// those that give none.
	joins map[join]Value
	// bound are the records in which the values of a shared source were found.
	bound map[string][]string
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

// isForOther reports whether a stated value alone tells that an entry is for another call
// of the tool, as most entries are.
func (e *Call) isForOther(p *Proposal) bool {
	for i := range e.Args {
		c := &e.Args[i]
		if c.Is == nil || c.From != nil {
			continue
		}
		for j := range p.Args {
			a := &p.Args[j]
			if a.Pointer == c.Pointer && !a.Empty && !c.states(a) {
				return true
			}
		}
	}
	return false
}

// states reports whether a value is one of those that a constraint states.
func (c *Constraint) states(a *Argument) bool {
	authority := a.authority()
	for _, v := range c.Is {
		if same(string(v), a.Text, authority) {
			return true
		}
	}
	return false
}

// tooMuch ends a match that sees only a part of a result: what it finds to be the only one
// might be one of several.
func (m *matcher) tooMuch() { m.steps = -1 }

// entry returns the grants of an entry for a call, or why it doesn't cover the call.
func (m *matcher) entry(e *Call, p *Proposal) ([]Grant, string) {
	m.grants, m.bound, m.in, m.proposal = m.grants[:0], nil, e, p
	if miss := m.conditions(e); miss != "" {
		return nil, miss
	}
	for i := range e.Args {
		if miss := m.constrained(&e.Args[i], p); miss != "" {
			return nil, miss
		}
	}

	for i := range p.Args {
		a := &p.Args[i]
		if miss := unlisted(e, a, p.Read); miss != "" {
			return nil, m.say("%s: %s", a.Pointer, miss)
		}
	}
	for _, records := range m.bound {
		if len(records) == 0 {
			return nil, "the values are of different records"
		}
	}
	return slices.Clone(m.grants), ""
}

// constrained notes the grants of the arguments that a constraint is about, or returns why
// the call doesn't meet it.
func (m *matcher) constrained(c *Arg, p *Proposal) (miss string) {
	before := len(m.grants)
	var named []string
	for i := range p.Args {
		a := &p.Args[i]
		if a.Empty || !within(c.Pointer, a.Pointer) {
			continue
		}
		if c.From != nil && m.irreversible && m.in.Times.Each {
			value := fold(a.Text)
			if slices.Contains(named, value) {
				return m.say("%s: %s is in the call twice", a.Pointer, short(a.Text))
			}
			named = append(named, value)
		}

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
	if miss := omission(c, p); miss != "" {
		return m.say("%s: %s", c.Pointer, miss)
	}
	return ""
}

// granted returns the grant of a constraint for an argument of the call.
func (m *matcher) granted(c *Constraint, p *Proposal, a Argument) (Grant, string) {
	if c.Unchanged {
		return m.unchanged(p, a)
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
		index := have != "" && strings.Trim(have, "0123456789") == ""
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
func unlisted(e *Call, a *Argument, read bool) string {
	if a.Empty {
		return ""
	}
	if slices.ContainsFunc(e.Args, func(c Arg) bool { return within(c.Pointer, a.Pointer) }) {
		return ""
	}
	harmless := a.Role == label.Content || a.Role == label.Control || read
	if harmless && !a.Doubtful {
		return ""
	}
	return "the request doesn't speak of this argument"
}

// omission says why a call may not leave out an argument that is constrained; empty
// where it may.
func omission(c *Arg, p *Proposal) string {
	free := c.Absent || c.Any || c.Computed || c.Unchanged
	if free || p.Role == nil {
		return ""
	}
	if len(c.Is) > 0 && p.Default != nil {
		if otherwise, ok := p.Default(c.Pointer); ok {
			return c.instead(otherwise, p)
		}
	}

	role := p.Role(c.Pointer)
	restricts := role == label.Selector || role.AuthorityBearing()
	switched := slices.Contains(c.Is, "true") && !slices.Contains(c.Is, "false")
	if restricts || switched {
		return "left out"
	}
	return ""
}

// instead says why an argument may not be left out whose default is known.
func (c *Arg) instead(otherwise string, p *Proposal) string {
	authority := p.Role(c.Pointer).AuthorityBearing()
	if slices.ContainsFunc(c.Is, func(v Value) bool { return v == "" || same(string(v), otherwise, authority) }) {
		return ""
	}
	return fmt.Sprintf("left out, which means %s", clip([]byte(otherwise)))
}

// value returns the grant of a constraint for a value, or why it has none.
func (m *matcher) value(c *Constraint, a Argument) (Grant, string) {
	switch {
	case c.Absent:
		if a.Text == "false" {
			return Grant{Way: WayAbsent}, ""
		}
		return Grant{}, "the request leaves this out"

	case c.Any:
		picks := a.Role == label.Selector && m.irreversible
		if a.Doubtful && (a.authority() || picks) {
			return Grant{}, errOpen
		}
		return Grant{Way: WayAny}, ""

	case c.Unchanged:
		return Grant{}, "only an argument of the call itself can be unchanged"

	case c.Is != nil && c.From != nil:
		if g, miss := m.is(c, a); miss == "" {
			return g, ""
		}
		return m.from(c, a)
	case c.Is != nil:
		return m.is(c, a)
	case c.Date != nil:
		return m.onDay(c.Date, a)

	case c.Template != "":
		return m.template(c, a)
	case c.Computed:
		return m.computed(c, a)
	}
	return m.from(c, a)
}

// is accepts a value that the request states. A scope is believed where the monitor has no
// doubt; where authority lies in a value that it doubts, the value has to be made of the
// user's words, or a person has agreed to it.
func (m *matcher) is(c *Constraint, a Argument) (Grant, string) {
	if !c.states(&a) {
		return Grant{}, m.say("%s is not what the request says", short(a.Text))
	}
	if a.Doubtful && a.authority() && !m.confirmed && !m.madeOf(a.Text) {
		return Grant{}, m.say("%s is in the scope, and not in the user's words", short(a.Text))
	}
	return Grant{Way: WayIs}, ""
}

// schemes are words of links that people leave out.
var schemes = []string{"http", "https", "www", "mailto"}

// madeOf reports whether a value is made of the user's words.
func (m *matcher) madeOf(text string) bool {
	if !m.work(len(m.folded) + len(text)) {
		return false
	}
	const long = 6 // a shorter text is in another one by accident
	squeezed := strings.ReplaceAll(fold(text), " ", "")
	if len(squeezed) >= long && strings.Contains(strings.ReplaceAll(m.folded, " ", ""), squeezed) {
		return true // an account with spaces
	}

	if n, ok := number(text); ok {
		return slices.ContainsFunc(numbers().FindAllString(m.said, -1), func(s string) bool {
			said, _ := number(plain(s))
			return said == n
		})
	}
	if m.words == nil {
		m.words = map[string]bool{}
		for _, w := range words(m.said) {
			m.words[w] = true
		}
	}
	parts := words(text)
	return len(parts) > 0 && !slices.ContainsFunc(parts, func(w string) bool { return !m.words[w] && !slices.Contains(schemes, w) })
}

// errOpen is why free content doesn't do for an argument.
const errOpen = "a scope can't leave open where a call goes"

// computed accepts a value that follows from the request and the sources. That can be
// checked of numbers; a text may be computed where no authority lies in it.
func (m *matcher) computed(c *Constraint, a Argument) (Grant, string) {
	g := Grant{Way: WayComputed, By: c.By}
	checked := len(c.Sources) > 0 || (a.Doubtful && a.Role != label.Content)
	if readsAsNumber(a.Text) && checked {
		if v, ok := number(a.Text); ok && m.follows(v, c) {
			return g, ""
		}
		return Grant{}, m.say("%s doesn't follow from what the request and its sources say", short(a.Text))
	}

	if at, ok := moment(strings.TrimSpace(a.Text)); ok && c.By != "" {
		if is, known := m.moved(at, c); known && !is {
			return Grant{}, m.say("%s is not what the sources say, %s", short(a.Text), c.By)
		}
	}

	decides := a.authority() || a.Role == label.Selector
	if a.Doubtful && decides {
		return Grant{}, errOpen
	}
	return g, ""
}
