// Package figures sums up what agents did, for those who look at it: calls by verdict, why
// they were stopped, and how long decisions and answers took.
package figures

import (
	"cmp"
	"slices"
	"time"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/store"
)

// Verdicts counts decisions. Shadow are those that would have stopped their calls, where
// decisions are recorded and not enforced.
type Verdicts struct{ Allow, Ask, Deny, Shadow int }

// All returns their sum.
func (v Verdicts) All() int { return v.Allow + v.Ask + v.Deny + v.Shadow }

// Stopped returns the calls that did not simply run, or would not have.
func (v Verdicts) Stopped() int { return v.Ask + v.Deny + v.Shadow }

// Add counts decisions of one verdict.
func (v *Verdicts) Add(verdict remit.Verdict, shadow bool, n int) {
	switch {
	case verdict == remit.Allow:
		v.Allow += n
	case shadow:
		v.Shadow += n
	case verdict == remit.Ask:
		v.Ask += n
	case verdict == remit.Deny:
		v.Deny += n
	}
}

// Cause counts the calls that one kind of reason stopped: those of a tool, or, without a tool,
// all of them.
type Cause struct {
	Verdicts
	Server, Tool string
	Code         remit.Code
}

// Causes counts the reasons of stopped calls by their kind, each once a call, and by tool and
// kind; the most frequent ones first.
func Causes(stopped []store.Record) (byKind, byTool []Cause) {
	kinds, tools := map[Cause]*Cause{}, map[Cause]*Cause{}
	count := func(in map[Cause]*Cause, key Cause, r *store.Record) {
		if in[key] == nil {
			c := key
			in[key] = &c
		}
		in[key].Add(r.Decision.Verdict, r.Shadow, 1)
	}

	for i := range stopped {
		d := stopped[i].Decision
		seen := map[remit.Code]bool{}
		for _, reason := range d.Reasons {
			if !seen[reason.Code] {
				seen[reason.Code] = true
				count(kinds, Cause{Code: reason.Code}, &stopped[i])
				count(tools, Cause{Server: d.Server, Tool: d.Tool, Code: reason.Code}, &stopped[i])
			}
		}
	}
	return sorted(kinds), sorted(tools)
}

func sorted(in map[Cause]*Cause) []Cause {
	var out []Cause
	for _, c := range in {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(b.All(), a.All()), cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Code, b.Code))
	})
	return out
}

// Waits says how long questions waited for a person.
type Waits struct {
	Answered, Approved, Expired int
	// Half is the median of those that were answered, and Most the 95th of a hundred.
	Half, Most time.Duration
	// Times are how long they took, the shortest first.
	Times []time.Duration
}

// WaitsOf sums up how long questions waited.
func WaitsOf(list []store.Waited) Waits {
	var out Waits
	for _, w := range list {
		switch w.State {
		case store.Approved, store.Used:
			out.Approved++
		case store.Expired:
			out.Expired++
			continue
		case store.Denied:
		default:
			continue // withdrawn
		}
		out.Times = append(out.Times, w.Settled.Sub(w.Created))
	}

	slices.Sort(out.Times)
	if out.Answered = len(out.Times); out.Answered > 0 {
		out.Half, out.Most = out.Times[len(out.Times)/2], out.Times[len(out.Times)*95/100]
	}
	return out
}

// Took says how long decisions took.
type Took struct {
	// Half is the median, and Most the 99th of a hundred.
	Half, Most time.Duration
	// Times are all of them, the shortest first.
	Times []time.Duration
}

// TookOf sums up how long decisions took.
func TookOf(list []time.Duration) Took {
	out := Took{Times: slices.Sorted(slices.Values(list))}
	if n := len(list); n > 0 {
		out.Half, out.Most = out.Times[n/2], out.Times[n*99/100]
	}
	return out
}
