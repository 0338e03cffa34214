package scope

import (
	"fmt"
	"slices"
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
}

// authority reports whether the value decides where authority goes, so that it is
// compared byte by byte.
func (a Argument) authority() bool { return a.Role.AuthorityBearing() }

// Proposal is a call that a task may cover.
type Proposal struct {
	Server, Tool string
	// Digest tells the call from every other: its tool and canonical arguments.
	Digest string
	Args   []Argument
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
	// Call is the call in whose result the value appears; empty for the others.
	Call string
	// By is the criterion of a choice, in the scope's words.
	By string
}

// String says in words why the argument passes.
func (g Grant) String() string {
	switch {
	case g.Call != "" && g.By != "":
		return fmt.Sprintf("it is in the result of %s (%s)", g.Call, g.By)
	case g.Call != "":
		return "it is in the result of " + g.Call
	case g.By != "":
		return fmt.Sprintf("%s (%s)", g.Way, g.By)
	}
	return g.Way
}

// Names reports whether the scope names the value, or the place where it comes from:
// free content is neither.
func (g Grant) Names() bool { return g.Way == WayIs || g.Call != "" }

// The ways in which a value meets a constraint.
const (
	WayIs       = "is"       // the request states it
	WayFrom     = "from"     // it is in the result of a call
	WayComputed = "computed" // it follows from both
	WayTemplate = "template" // it has the form that the request gives
	WayAny      = "any"      // it is free content
	WayAbsent   = "absent"   // it says the same as leaving it out
	WaySaid     = "said"     // the user said it
)

// Cover is an entry of a scope that covers a call.
type Cover struct {
	// Entry is the entry's index among the scope's calls.
	Entry  int
	Grants []Grant
	key    string
}

// Task is a scope in use: how often its entries were spent. It is not safe for
// concurrent use.
type Task struct {
	scope *Scope
	// request is the user's turn that the scope is for, and folded the same as search
	// words are compared with it.
	request, folded string
	spent           []int
	ran             map[string]run // the calls that ran, by their digests
}

// NewTask begins the use of a scope for a user's turn.
func NewTask(s *Scope, request string) *Task {
	return &Task{scope: s, request: request, folded: fold(request), spent: make([]int, len(s.Calls)), ran: map[string]run{}}
}

// Scope returns the scope.
func (t *Task) Scope() *Scope { return t.scope }

// run is a call that ran, by an entry, and whether it has returned.
type run struct {
	entry int
	done  bool
}

// Key tells the call that an entry covered from others, for [Task.Returned].
func (c *Cover) Key() string { return c.key }

// Returned notes that a call that was spent has returned. Until then the same call is a
// retry; afterwards one that can't be taken back is made a second time.
func (t *Task) Returned(key string) {
	if before, ok := t.ran[key]; ok {
		before.done = true
		t.ran[key] = before
	}
}

// Spend counts a call that an entry covered and that may run. The same call again is
// a retry, and is not counted.
func (t *Task) Spend(c Cover) {
	if before, again := t.ran[c.key]; !again || before.done {
		t.ran[c.key] = run{entry: c.Entry}
		t.spent[c.Entry]++
	}
}

// Match returns the entry that covers a call, with what it grants. It changes nothing:
// [Task.Spend] counts the call once it may run. When no entry covers the call, the
// misses say why not, one for each entry with the call's tool.
func (t *Task) Match(p *Proposal, results []*Result) (cover Cover, misses []string, ok bool) {
	m := &matcher{results: results, request: t.request, folded: t.folded, steps: maxSteps, effect: !p.Read, irreversible: p.Irreversible}

	for i := range t.scope.Calls {
		e := &t.scope.Calls[i]
		if !isTool(e.Server, e.Tool, p.Server, p.Tool) {
			continue
		}
		if miss := t.exhausted(i, p); miss != "" {
			misses = append(misses, miss)
			continue
		}
		grants, miss := m.entry(e, p)
		if m.steps < 0 {
			// Only a part of the results was looked at: the one value found there may be one of several.
			return Cover{}, append(misses, errWork), false
		}
		if miss == "" {
			return Cover{Entry: i, Grants: grants, key: p.Digest}, nil, true
		}
		misses = append(misses, miss)
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
	retry := again && before.entry == entry && !(before.done && p.Irreversible)
	if retry {
		return ""
	}
	times := t.scope.Calls[entry].Times
	if !times.Each && t.spent[entry] >= times.N {
		return fmt.Sprintf("the request is for %d such calls, which were made", times.N)
	}
	if times.Each && t.spent[entry] >= MaxTimes {
		return fmt.Sprintf("more than %d such calls were made", MaxTimes)
	}
	return ""
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
	folded       string
	words        map[string]bool // of the request, once they are needed
	steps        int             // left
	effect       bool            // the call has one, and irreversible one that can't be taken back
	irreversible bool
	// bound are the records in which the values of a shared source were found.
	bound map[string][]string
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

// entry returns the grants of an entry for a call, or why it doesn't cover the call.
func (m *matcher) entry(e *Call, p *Proposal) ([]Grant, string) {
	m.bound = map[string][]string{}
	var grants []Grant
	for i := range e.Args {
		granted, miss := m.constrained(&e.Args[i], p)
		if miss != "" {
			return nil, miss
		}
		grants = append(grants, granted...)
	}

	for _, a := range p.Args {
		if miss := unlisted(e, a, p.Read); miss != "" {
			return nil, a.Pointer + ": " + miss
		}
	}
	for _, records := range m.bound {
		if len(records) == 0 {
			return nil, "the values are of different records"
		}
	}
	return grants, ""
}

// constrained returns the grants of the arguments that a constraint is about, or why the
// call doesn't meet it.
func (m *matcher) constrained(c *Arg, p *Proposal) (grants []Grant, miss string) {
	for _, a := range p.Args {
		if a.Empty || !within(c.Pointer, a.Pointer) {
			continue
		}
		g, miss := m.value(&c.Constraint, a)
		if miss != "" {
			return nil, a.Pointer + ": " + miss
		}
		g.Pointer = a.Pointer
		grants = append(grants, g)
	}
	if miss := omission(c, p); len(grants) == 0 && miss != "" {
		return nil, c.Pointer + ": " + miss
	}
	return grants, ""
}

// within reports whether a pointer is at a place or inside of it, with "*" for any
// index.
func within(place, pointer string) bool {
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
func unlisted(e *Call, a Argument, read bool) string {
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
	if c.Absent || c.Any || c.Computed || p.Role == nil {
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

	case c.Is != nil:
		return m.is(c, a)

	case c.Template != "":
		return m.template(c, a)
	case c.Computed:
		return m.computed(c, a)
	}
	return m.from(c, a)
}

// is accepts a value that the request states. A scope is believed where the monitor has no
// doubt; where authority lies in a value that it doubts, the value has to be made of the
// user's words.
func (m *matcher) is(c *Constraint, a Argument) (Grant, string) {
	if !slices.ContainsFunc(c.Is, func(v Value) bool { return same(string(v), a.Text, a.authority()) }) {
		return Grant{}, fmt.Sprintf("%s is not what the request says", clip([]byte(a.Text)))
	}
	if a.Doubtful && a.authority() && !m.madeOf(a.Text) {
		return Grant{}, fmt.Sprintf("%s is in the scope, and not in the user's words", clip([]byte(a.Text)))
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
		return slices.ContainsFunc(numbers.FindAllString(m.request, maxOperands), func(s string) bool {
			said, _ := number(strings.ReplaceAll(s, ",", ""))
			return said == n
		})
	}
	if m.words == nil {
		m.words = map[string]bool{}
		for _, w := range words(m.request) {
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
		return Grant{}, fmt.Sprintf("%s doesn't follow from what the request and its sources say", clip([]byte(a.Text)))
	}

	decides := a.authority() || a.Role == label.Selector
	if a.Doubtful && decides {
		return Grant{}, errOpen
	}
	return g, ""
}
