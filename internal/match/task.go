// Package match decides whether an entry of a scope covers a call, without a model: [Task.Match]
// compares every argument of the call with the entry's constraints and with the results of
// earlier calls. The work of one match is bounded, and one that runs out covers nothing.
package match

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/remit-project/remit/scope"
)

// Cover is an entry of a scope that covers a call.
type Cover struct {
	// Entry is the entry's index among the scope's calls.
	Entry  int
	Grants []Grant
	// Withheld reports, where no entry covers the call, that one would but for a condition which
	// isn't met, or which only a person can tell: the user wants the call under that alone.
	Withheld bool
	// Names are those names of the entry that the planner said later.
	Names []scope.Meant
	// key is that of the call, and drawn the digest of the values of which the entry has several.
	key         callKey
	call, drawn string
}

// Task is a scope in use: how often its entries were spent. It is not safe for
// concurrent use.
type Task struct {
	written *scope.Scope
	scope   *Scope
	// request is the user's turn that the scope is for, said all that its planner was told,
	// and folded the same as words are compared with it.
	request, said, folded string
	spent                 []int
	stating               map[string][]scope.Value // what the scope states, by the names of arguments
	ran                   map[callKey]int          // the entries of the calls that ran, by their keys
	drawn                 map[string][]string      // the calls that can't be taken back, by their entries and what they drew
	confirmed             bool
	spoken                spoken
	kept                  sequence    // of the results of the last match
	named                 []saidLater // what the planner said later of the scope's names
	late                  *renamed    // the scope with these names for the last call; nil where that isn't known
}

// MaxSaid bounds the earlier texts of a conversation in which a task looks for the user's
// words, in bytes.
const MaxSaid = 128 << 10

// NewTask begins the use of a scope for a user's turn. Earlier are the trusted texts that
// the turn may refer to: what was said before it, as far as its planner was told.
func NewTask(s *scope.Scope, request string, earlier ...string) *Task {
	said := request
	for _, text := range slices.Backward(earlier) {
		if len(said)+len(text) < len(request)+MaxSaid {
			said += "\n" + text
		}
	}
	folded := fold(said)
	compiled := compileFor(s, folded)
	return &Task{
		written: s, scope: compiled, request: request, said: said, folded: folded, spent: make([]int, len(s.Calls)),
		stating: compiled.stating(), ran: map[callKey]int{}, drawn: map[string][]string{},
	}
}

// compileFor reads a scope as calls are held to it after what the user said.
func compileFor(s *scope.Scope, said string) *Scope {
	out := compile(s)
	out.leaveTranslations(said)
	for i := range out.Calls {
		out.Calls[i].often = out.Calls[i].oftenest()
	}
	return out
}

// Confirmed returns the task for a scope to which a person has agreed, having read all of
// it: the values that it states need not be the user's words.
func (t *Task) Confirmed() *Task {
	t.confirmed = true
	return t
}

// Scope returns the scope.
func (t *Task) Scope() *scope.Scope { return t.written }

// Delegates returns the results of the sources whose instructions the user told the agent to
// follow, the last one of each.
func (t *Task) Delegates(results []*Result) []*Result {
	var out []*Result
	for i := range t.scope.Delegates {
		s := &t.scope.Delegates[i]
		m := t.newMatcher(results, true)
		m.effect, m.irreversible, m.in, m.proposal = true, true, &Call{}, &Proposal{}
		for _, r := range slices.Backward(results) {
			if m.comesFrom(s, r, &Constraint{Pick: scope.Only}) && m.steps >= 0 {
				if !slices.Contains(out, r) {
					out = append(out, r)
				}
				break
			}
		}
	}
	return out
}

// Spend counts a call that an entry covered and that may run. The same call again is a retry, and
// is not counted. For a call that can't be taken back, only one with the same id is a retry.
func (t *Task) Spend(c Cover) {
	if _, again := t.ran[c.key]; again {
		return
	}
	t.ran[c.key] = c.Entry
	t.spent[c.Entry]++
	if c.drawn != "" {
		t.drawn[c.drawn] = append(t.drawn[c.drawn], c.call)
	}
}

// Match returns the entry that covers a call, with what it grants. It changes nothing:
// [Task.Spend] counts the call once it may run. When no entry covers the call, the
// misses say why not, one for each entry with the call's tool.
func (t *Task) Match(p *Proposal, results []*Result) (cover Cover, misses []string, ok bool) {
	cover, misses, ok = t.match(t.matcher(p, results, true), p)
	worded := ok || slices.Contains(misses, errWork)
	if !worded {
		_, misses, _ = t.match(t.matcher(p, results, false), p)
	}
	return cover, misses, ok
}

// matcher returns what matches a call with the results of earlier ones.
func (t *Task) matcher(p *Proposal, results []*Result, quiet bool) *matcher {
	return t.matcherOf(t.scopeFor(p, results), p, results, quiet)
}

func (t *Task) matcherOf(s *Scope, p *Proposal, results []*Result, quiet bool) *matcher {
	m := t.newMatcher(readable(results, p), quiet)
	m.scope, m.proposal = s, p
	m.agreed, m.effect, m.irreversible, m.grants = p.Readings, !p.Read, p.Irreversible, make([]Grant, 0, len(p.Args))
	return m
}

func (t *Task) match(m *matcher, p *Proposal) (cover Cover, misses []string, ok bool) {
	for i := range m.scope.Calls {
		e := &m.scope.Calls[i]
		if !isTool(e.Server, e.Tool, p.Server, p.Tool) {
			continue
		}
		if m.quiet && e.isForOther(p) {
			continue
		}
		if miss := t.exhausted(i, p); miss != "" {
			misses = append(misses, m.say("entry %d: %s", i+1, miss))
			continue
		}

		grants, miss := m.entry(e, p)
		if m.steps < 0 {
			// Only a part of the results was looked at: the one value found there may be one of several.
			return Cover{Withheld: m.withheld}, append(misses, errWork), false
		}
		if miss == "" {
			c := Cover{Entry: i, Grants: grants, Names: t.late.namesOf(i), key: p.key(), call: p.Call}
			if p.Irreversible && e.often > 0 {
				c.drawn = drawn(i, &t.scope.Calls[i], grants, p) // under whatever names
			}
			if !t.drewAgain(&c) {
				return c, nil, true
			}
			miss = "such a call was made for the same values"
		}
		misses = append(misses, m.say("entry %d: %s", i+1, miss))
	}
	return Cover{Withheld: m.withheld}, misses, false
}

// isTool reports whether a scope names a tool. Without a server it names the tool of any.
func isTool(server, tool, ofServer, ofTool string) bool {
	return tool == ofTool && (server == "" || server == ofServer)
}

// exhausted says why an entry allows no further call; empty where it does.
func (t *Task) exhausted(entry int, p *Proposal) string {
	times, most := t.scope.Calls[entry].Times, scope.MaxTimes
	if !times.Each {
		most = times.N
	}
	if t.spentOn(entry) < most {
		return ""
	}

	by, again := t.ran[p.key()]
	isRetry := again && by == entry
	switch {
	case isRetry:
		return ""
	case times.Each:
		return fmt.Sprintf("more than %d such calls were made", most)
	}
	return fmt.Sprintf("the request is for %d such calls, which were made", most)
}

// drewAgain reports whether an entry covered other calls for the same values as often as it may. One that is for each value of a source, or
// for all of them, covers one call for each. One for several different values covers as many calls for each as these go into its number of
// calls.
func (t *Task) drewAgain(c *Cover) bool {
	if c.drawn == "" {
		return false
	}
	others, most := 0, t.scope.Calls[c.Entry].often
	for _, call := range t.drawn[c.drawn] {
		if call != c.call {
			others++
		}
		if others == most {
			return true
		}
	}
	return false
}

// isForEach reports whether an entry is for each value of a source, or for all of them.
func (e *Call) isForEach() bool {
	return e.Times.Each || slices.ContainsFunc(e.Args, func(a Arg) bool { return a.isAll() })
}

// isAll reports whether a constraint means all values of a source.
func (c *Constraint) isAll() bool { return c.From != nil && c.Pick == scope.All }

// oftenest returns how often an entry covers a call for the same values; 0 where all its calls may be for the same. Everybody on the list
// is paid once, and of two that the user named each.
func (e *Call) oftenest() int {
	if e.isForEach() {
		return 1
	}
	ways := e.differing()
	if ways == 1 {
		return 0
	}
	return (e.Times.N + ways - 1) / ways
}

// differing returns for how many different values an entry is.
func (e *Call) differing() int {
	ways := 1
	for i := range e.Args {
		ways = min(ways*e.Args[i].ways(), scope.MaxTimes)
	}
	return ways
}

// ways returns how many different values a constraint means.
func (c *Constraint) ways() int {
	if by, ok := c.positions(); ok {
		return by.means()
	}
	ways := max(1, len(c.apart)+len(c.Date))
	for _, hole := range c.Holes {
		ways = min(ways*hole.ways(), scope.MaxTimes)
	}
	return ways
}

// stated returns the value of those that a constraint states and that are others which a text is.
func (c *Constraint) stated(text string, p *Proposal) string {
	isDay := func(day scope.Value) bool { return isOnDay(day, strings.TrimSpace(text), p.zone(), false) }
	isName := func(v scope.Value) bool { return isInOther(string(v), text) }
	if i := slices.IndexFunc(c.apart, isName); i >= 0 {
		return string(c.apart[i])
	}
	if i := slices.IndexFunc(c.Date, isDay); i >= 0 {
		return string(c.Date[i])
	}
	return canonical(text)
}

// differing returns those of the values that a constraint states which are others: of a name in two ways, one has the other in it.
func differing(all []scope.Value) []scope.Value {
	const most = 32 // that are compared
	var out []scope.Value
	for _, v := range all {
		isKnown := func(other scope.Value) bool { return len(all) <= most && isInOther(string(v), string(other)) }
		if v != "" && !slices.ContainsFunc(out, isKnown) {
			out = append(out, v)
		}
	}
	return out
}

// leaveTranslations leaves out of the values that each entry is for what a planner adds to those of the user: the user has no word of it, and
// has others as they are. Where an entry has as many calls for each value, or no more than values, each is for another one: Maria, for "my wife"
// beside Ann.
func (s *Scope) leaveTranslations(said string) {
	for i := range s.Calls {
		e := &s.Calls[i]
		if e.oftenest() == 1 || e.Times.N%e.differing() == 0 {
			continue
		}
		for j := range s.Calls[i].Args {
			s.Calls[i].Args[j].leaveTranslations(said)
		}
	}
}

func (c *Constraint) leaveTranslations(said string) {
	isSaid := func(v scope.Value) bool { return appears(said, fold(string(v))) }
	in := words(said)
	isWords := func(v scope.Value) bool {
		return hasLetters(string(v)) && !strings.ContainsFunc(string(v), unicode.IsDigit)
	}
	isForeign := func(v scope.Value) bool { return isWords(v) && !isSaid(v) && !mayBeInflected(words(string(v)), in) }
	if slices.ContainsFunc(c.apart, isSaid) {
		c.apart = slices.DeleteFunc(c.apart, isForeign)
	}
	for name, hole := range c.Holes {
		hole.leaveTranslations(said)
		c.Holes[name] = hole
	}
}

// mayBeInflected reports whether one of several words may be another form of one of a text.
func mayBeInflected(all, text []string) bool {
	const stem = 3 // runes
	begin := func(w string) string { return string([]rune(w)[:min(stem, utf8.RuneCountInString(w))]) }
	return slices.ContainsFunc(all, func(w string) bool {
		return slices.ContainsFunc(text, func(said string) bool { return strings.HasPrefix(said, begin(w)) })
	})
}

// isInOther reports whether two texts are the same, or one is in the other as whole words.
func isInOther(a, b string) bool {
	return same(a, b, false) || appears(fold(a), fold(b)) || appears(fold(b), fold(a))
}

// drawn names an entry and the values of a call of which the entry has several: those that it takes from sources, and unless it is for each
// of these, those of which it states others. The order of a list, or of the arguments of one choice, doesn't matter. It is empty where there
// are none.
func drawn(entry int, e *Call, grants []Grant, p *Proposal) string {
	var values []string
	for i := range grants {
		g := &grants[i]
		at := slices.IndexFunc(p.Args, func(a Argument) bool { return a.Pointer == g.Pointer })
		if place, is := e.draws(g, p); is != nil && at >= 0 {
			values = append(values, strconv.Quote(place)+strconv.Quote(is(p.Args[at].Text)))
		}
	}

	if len(values) == 0 {
		return ""
	}
	slices.Sort(values)
	return strconv.Itoa(entry) + strings.Join(values, "")
}

// draws returns where an entry has the value of a grant, of which it has several, and what is the same of each; nil for another value.
func (e *Call) draws(g *Grant, p *Proposal) (place string, is func(text string) string) {
	place = g.Pointer
	switch {
	case g.Way == WayFrom:
		is = canonical
	case g.each != "":
		is = func(string) string { return g.each }
	}

	for i := range e.Args {
		c := &e.Args[i]
		if !within(c.Pointer, g.Pointer) {
			continue
		}
		place = c.Pointer
		if by, ok := c.positions(); ok && by.means() > 1 {
			place = c.key() + c.By
		}
		if isStated := g.Way == WayIs || g.Way == WayTemplate; isStated && c.ways() > 1 && !e.isForEach() {
			is = func(text string) string { return c.stated(text, p) }
		}
	}
	return place, is
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
