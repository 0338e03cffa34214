package guard

import (
	"context"
	"slices"
	"strings"
)

// Set is the guards of all tools, ready for decisions. It is immutable and safe for
// concurrent use.
type Set struct {
	guards map[toolName]*Guard
	// statements are those that rules ask for, by the functions with which they do.
	statements map[string][]string
	// hangsOnWords is set where some rule asks what was said.
	hangsOnWords bool
}

type toolName struct{ server, tool string }

// Guard returns the guard for a tool, or for [EveryTool]. A guard without a server is
// for the tools of that name of any server.
func (s *Set) Guard(server, tool string) (*Guard, bool) {
	if s == nil {
		return nil, false
	}
	if g, ok := s.guards[toolName{server, tool}]; ok {
		return g, true
	}
	g, ok := s.guards[toolName{"", tool}]
	return g, ok
}

// Applying lists the guards that apply to the calls of a tool, from the general to
// the particular: for every tool, for every tool of its server, and its own. A
// decision has their reasons in the same order.
func (s *Set) Applying(server, tool string) []*Guard {
	if s == nil {
		return nil
	}
	out := make([]*Guard, 0, 3)
	if g, ok := s.guards[toolName{"", EveryTool}]; ok {
		out = append(out, g)
	}
	if g, ok := s.guards[toolName{server, EveryTool}]; ok && server != "" {
		out = append(out, g)
	}
	if tool == EveryTool {
		return out // a tool may have this name; it can't have a guard of its own
	}
	if g, ok := s.Guard(server, tool); ok {
		out = append(out, g)
	}
	return out
}

// Guards lists all guards, ordered by server and tool.
func (s *Set) Guards() []*Guard {
	var out []*Guard
	for _, g := range s.guards {
		out = append(out, g)
	}
	slices.SortFunc(out, func(a, b *Guard) int {
		if n := strings.Compare(a.Server, b.Server); n != 0 {
			return n
		}
		return strings.Compare(a.Tool, b.Tool)
	})
	return out
}

// Evaluate judges a call by all policies that apply to it, in the order of
// [Set.Applying]. They share look-ups and judgments, and the bounds on these.
func (s *Set) Evaluate(ctx context.Context, r Request) Outcome {
	return evaluate(ctx, s.Applying(r.Server, r.Tool), r)
}

// Recall judges a call like [Set.Evaluate], but by the recorded facts alone: it makes
// no look-ups and asks no questions. See [Outcome.Missing].
func (s *Set) Recall(r Request) Outcome {
	if r.Recorded == nil {
		r.Recorded = new(Facts)
	}
	guards := s.Applying(r.Server, r.Tool)
	if s != nil && s.hangsOnWords && r.History != nil && r.History.memo != nil {
		r.History.memo().rehearse(&r)
	}
	return evaluate(context.Background(), guards, r)
}

// Inquire makes the look-ups and asks the questions that [Set.Recall] misses, and
// returns the facts that are new. The session of the request must not change
// meanwhile.
func (s *Set) Inquire(ctx context.Context, r Request) *Facts {
	guards := s.Applying(r.Server, r.Tool)
	if len(guards) == 0 {
		return nil
	}
	x := newEvaluation(guards[0], r)
	x.inquires = true
	x.evaluate(ctx, guards)
	return x.fresh()
}
