// Package match decides whether an entry of a scope covers a call, without a model: [Task.Match]
// compares every argument of the call with the entry's constraints and with the results of
// earlier calls. The work of one match is bounded, and one that runs out covers nothing.
package match

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	// key is the digest of the call, and drawn that of the values that it takes from
	// sources.
	key, call, drawn string
	irreversible     bool
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
	ran                   map[string]run           // the calls that ran, by their digests
	drawn                 map[string]string        // the calls that can't be taken back, by their entries and what they drew
	confirmed             bool
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
	compiled := compile(s)
	return &Task{
		written: s, scope: compiled, request: request, said: said, folded: fold(said), spent: make([]int, len(s.Calls)),
		stating: compiled.stating(), ran: map[string]run{}, drawn: map[string]string{},
	}
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
		m := newMatcher(state{
			scope: t.scope, results: results, request: t.request, said: t.said, folded: t.folded, quiet: true, effect: true, irreversible: true,
			in: &Call{}, proposal: &Proposal{},
		})
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

// run is a call that ran, and by which entry.
type run struct {
	entry int
	call  string
}

// Spend counts a call that an entry covered and that may run. The same call again is a retry, and
// is not counted. For a call that can't be taken back, only one with the same id is a retry.
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
	cover, misses, ok = t.match(t.matcher(p, results, true), p)
	worded := ok || slices.Contains(misses, errWork)
	if !worded {
		_, misses, _ = t.match(t.matcher(p, results, false), p)
	}
	return cover, misses, ok
}

// matcher returns what matches a call with the results of earlier ones.
func (t *Task) matcher(p *Proposal, results []*Result, quiet bool) *matcher {
	return newMatcher(state{
		scope: t.scope, results: readable(results, p), agreed: p.Readings, request: t.request, said: t.said, folded: t.folded, quiet: quiet,
		stating: t.stating, effect: !p.Read, irreversible: p.Irreversible, confirmed: t.confirmed, grants: make([]Grant, 0, len(p.Args)),
	})
}

func (t *Task) match(m *matcher, p *Proposal) (cover Cover, misses []string, ok bool) {
	for i := range t.scope.Calls {
		e := &t.scope.Calls[i]
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
			c := Cover{Entry: i, Grants: grants, key: p.Digest, call: p.Call, drawn: drawn(i, e, grants, p), irreversible: p.Irreversible}
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
	if times.Each && spent >= scope.MaxTimes {
		return fmt.Sprintf("more than %d such calls were made", scope.MaxTimes)
	}
	return ""
}

// drewAgain reports whether an entry for each value of a source, or for all of them, covered another call for
// the same ones: everybody on the list is paid once.
func (t *Task) drewAgain(c *Cover) bool {
	call, again := t.drawn[c.drawn]
	e := &t.scope.Calls[c.Entry]
	isEach := e.Times.Each || slices.ContainsFunc(e.Args, func(a Arg) bool { return a.From != nil && a.Pick == scope.All })
	return again && c.irreversible && isEach && call != c.call
}

// drawn names an entry and the values that a call takes from sources, in whatever order a list or the arguments
// of one choice have them; empty where it takes none.
func drawn(entry int, e *Call, grants []Grant, p *Proposal) string {
	var values []string
	for _, g := range grants {
		if g.Way != WayFrom {
			continue
		}
		place := g.Pointer
		for i := range e.Args {
			if c := &e.Args[i]; within(c.Pointer, g.Pointer) {
				place = c.Pointer
				if by, ok := c.positions(); ok && by.means() > 1 {
					place = c.key() + c.By
				}
			}
		}
		for i := range p.Args {
			if p.Args[i].Pointer == g.Pointer {
				values = append(values, strconv.Quote(place)+strconv.Quote(canonical(p.Args[i].Text)))
			}
		}
	}

	if len(values) == 0 {
		return ""
	}
	slices.Sort(values)
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
