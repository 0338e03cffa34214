package remit

import (
	"context"
	"fmt"
	"slices"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/scope"
)

// maxNamings bounds the questions about names in one session. A server whose results have other members each time could
// have one asked in every turn.
const maxNamings = 64

// NameRequest returns what the monitor's planner is to be asked next about the names of the turn's scope, where it is a
// [scope.Namer]: for a result whose records don't have them. It is nil where there is nothing to ask, and where each
// tool was asked about once in the turn. With a tool, the entries of the scope for that one count alone.
func (s *Session) NameRequest(tool string) *scope.NameRequest {
	s.mu.Lock()
	defer s.mu.Unlock()

	t := s.monitor.scoped(&s.task)
	_, names := s.monitor.planner.(scope.Namer)
	if t == nil || !names || s.counts.named >= maxNamings || s.task.isSettled(t, tool) {
		return nil
	}
	open, ok := t.Unnamed(s.task.results, tool, s.task.isNamed, s.monitor.effects)
	if !ok {
		s.task.settled.tools[tool] = true
		return nil
	}
	said := s.planned()
	return &scope.NameRequest{
		Turn: said.Turn, Call: open.Call, Now: said.Now, Said: said.Said, Omitted: said.Omitted,
		Server: open.Server, Tool: open.Tool, Guesses: open.Guesses, Members: open.Members,
	}
}

// settled are the tools for whose entries nothing is to be asked, in a state of the session.
type settled struct {
	of    *match.Task
	last  *match.Result
	known int // results
	named int
	tools map[string]bool
}

// isSettled reports whether nothing is to be asked for the entries of a tool, as far as that is known.
func (t *task) isSettled(of *match.Task, tool string) bool {
	if len(t.results) == 0 {
		return true
	}
	now := settled{of: of, last: t.results[len(t.results)-1], known: len(t.results), named: len(t.named)}
	was := &t.settled
	if was.of != now.of || was.last != now.last || was.known != now.known || was.named != now.named {
		now.tools = map[string]bool{}
		t.settled = now
	}
	return t.settled.tools[tool]
}

// isNamed reports whether the planner was asked about the names of a tool in the turn.
func (t *task) isNamed(server, tool string) bool {
	return slices.ContainsFunc(t.named, func(n scope.Named) bool { return n.Server == server && n.Tool == tool })
}

// effects tells what a call of a tool does, by its contract.
func (d *deployment) effects(server, tool string) (reads, isIrreversible bool) {
	b, ok := d.find(server, tool)
	if !ok {
		return false, true
	}
	return b.contract.Tool.Effect == contract.Read, irreversible(b.contract.Tool.Effect)
}

// Named returns the event of an answer to a request for names, or of why there is none. A caller that keeps a log writes the
// event, then applies it by [Session.Replay]; [Session.Name] does all of it.
func (s *Session) Named(r *scope.NameRequest, naming *scope.Naming, failed error) (Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case r.Turn != s.counts.user:
		return Event{}, ErrTurnPassed
	case s.task.isNamed(r.Server, r.Tool):
		return Event{}, ErrPlanned
	}

	n := &scope.Named{Turn: r.Turn, Call: r.Call, Server: r.Server, Tool: r.Tool, Shown: r.Digest()}
	if failed == nil {
		n.Model, n.InputTokens, n.OutputTokens = naming.Model, naming.InputTokens, naming.OutputTokens
		failed = r.Check(naming.Names)
	}
	if failed != nil {
		n.Failed = failed.Error()
	} else {
		n.Names = naming.Names
	}
	return Event{Kind: ScopeEvent, Named: n}, nil
}

// Name asks the monitor's planner which members of the results so far the names of the turn's scope mean that these don't
// have, where it is a [scope.Namer]. [Session.Decide] does so for the entries of the call's tool; callers who want the
// planner to run beside the model's next answer start Name in a goroutine of their own once a result is told, for all
// entries, with "". A planner that fails leaves the names as they are, which is not an error.
func (s *Session) Name(ctx context.Context, tool string) error {
	namer, ok := s.monitor.planner.(scope.Namer)
	if !ok || s.NameRequest(tool) == nil {
		return nil
	}
	select {
	case s.naming <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("wait for the names of the turn's scope: %w", ctx.Err())
	}
	defer func() { <-s.naming }()

	return scope.EachNaming(ctx, namer, s.monitor.planTime, func() (*scope.NameRequest, error) { return s.NameRequest(tool), nil },
		func(r *scope.NameRequest, naming *scope.Naming, failed error) error {
			e, err := s.Named(r, naming, failed)
			if err != nil {
				return nil // the user has spoken again
			}
			s.restoreNamed(e)
			return nil
		})
}

// restoreNamed puts an answer about names into force. It counts in its turn alone.
func (s *Session) restoreNamed(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := e.Named
	s.begin(e.Time)
	s.counts.named++
	if n.Turn != s.counts.user || s.task.isNamed(n.Server, n.Tool) {
		return
	}
	s.task.named = append(s.task.named, *n)
	if s.task.scope != nil && n.Failed == "" && len(n.Names) <= scope.MaxGuesses {
		s.task.scope.Name(n.Server, n.Tool, n.Names)
	}
}
