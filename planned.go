package remit

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/scope"
)

// Errors of plans.
var (
	// ErrPlanned is returned where the user's last turn has its plan, needs none, or can
	// have none.
	ErrPlanned = errors.New("the turn needs no plan")
	// ErrTurnPassed is returned for a plan of an earlier turn.
	ErrTurnPassed = errors.New("the plan is for another turn than the user's last one")
)

const (
	// maxPlanTalk bounds the earlier texts of a conversation that a planner is shown, in
	// bytes: the last ones count. System text has as much for itself.
	maxPlanTalk = 64 << 10
	// saidCost is what each text counts for beside its own bytes, so that empty ones don't add up.
	saidCost = 64
	// maxPlanName and maxPlanValues bound what an unreviewed definition may say.
	maxPlanName, maxPlanValues = 64, 64
)

// talk is what a planner may be shown of the conversation.
type talk struct {
	system, said         []scope.Said
	systemSize, saidSize int
	omitted              int
	at                   time.Time // of the user's last turn
	tainted              bool      // the model has read what others may have written
	unseen               string    // the assistant's last text since then
}

// heard keeps a text of the conversation for planners.
func (t *talk) heard(e Event, at time.Time) {
	said := scope.Said{Text: e.Text}

	switch e.Kind {
	case SystemEvent:
		said.By = scope.BySystem
		t.systemSize += sizeOf(said)
		if t.systemSize > maxPlanTalk {
			t.omitted++
			return
		}
		t.system = append(t.system, said)
	case UserEvent:
		said.By, t.at = scope.ByUser, at
		t.keep(said)
	case AssistantEvent:
		if t.tainted {
			t.unseen = e.Text // others may speak through it
			return
		}
		said.By = scope.ByAssistant
		t.keep(said)
	case AttachmentEvent:
		t.tainted = true
	}
}

// texts returns what was said, the oldest first.
func (t *talk) texts() []string {
	var out []string
	for _, s := range t.said {
		out = append(out, s.Text)
	}
	return out
}

// keep adds a text, and drops the oldest ones that are too much. The last one stays, and
// so does the user's last one: an assistant's text that has no room is left out.
func (t *talk) keep(s scope.Said) {
	if s.By == scope.ByAssistant && s.Text == "" {
		return // beside its calls it says nothing
	}
	if s.By == scope.ByAssistant && len(s.Text) > maxPlanTalk/2 {
		t.omitted++
		return
	}
	t.said = append(t.said, s)
	t.saidSize += sizeOf(s)
	for len(t.said) > 1 && t.saidSize > maxPlanTalk {
		oldest := 0
		if t.lastTurn() == 0 {
			oldest = 1
		}
		t.saidSize -= sizeOf(t.said[oldest])
		t.said = slices.Delete(t.said, oldest, oldest+1)
		t.omitted++
	}
}

// sizeOf returns what a text takes of the bound.
func sizeOf(s scope.Said) int { return saidCost + len(s.Text) }

// lastTurn returns the place of the user's last turn; -1 where there is none.
func (t *talk) lastTurn() int {
	for i, s := range slices.Backward(t.said) {
		if s.By == scope.ByUser {
			return i
		}
	}
	return -1
}

// Planner returns the planner of [Options], and how long a decision waits for it.
func (m *Monitor) Planner() (scope.Planner, time.Duration) { return m.planner, m.planTime }

// PlanRequest returns what a planner is to be shown for the user's last turn: the user's
// words, the deployment's, the assistant's from before the model read anything that
// others may have written, and the tools. Nothing in it comes from a result. It returns
// [ErrPlanned] where the turn has its plan or no plan is wanted, and [ErrNoTurn] or
// [ErrLongTurn] where there can be none.
func (s *Session) PlanRequest() (*scope.Request, error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	if err := s.needsPlan(s.counts.user); err != nil {
		return nil, err
	}
	if len(s.task.turn) > MaxScopeTurn {
		return nil, ErrLongTurn
	}
	return s.planned(), nil
}

// planned returns what a planner is shown for the user's last turn.
func (s *Session) planned() *scope.Request {
	t := &s.task.talk
	last := t.lastTurn() // the answer is not part of the turn
	return &scope.Request{
		Turn: s.counts.user, Now: t.at, Said: slices.Concat(t.system, t.said[:last+1]), Omitted: t.omitted, Tools: s.monitor.planTools,
	}
}

// Unplanned reports whether the user's last turn waits for its plan.
func (s *Session) Unplanned() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.needsPlan(s.counts.user) == nil && len(s.task.turn) <= MaxScopeTurn
}

// needsPlan returns nil where a turn waits for its plan.
func (s *Session) needsPlan(turn int) error {
	switch {
	case s.monitor.planner == nil || !s.monitor.takesScopes() || len(s.monitor.planTools) == 0:
		return ErrPlanned
	case s.counts.user == 0:
		return ErrNoTurn
	case turn != s.counts.user:
		return ErrTurnPassed
	case s.task.planned:
		return ErrPlanned
	}
	return nil
}

// Planned returns the event of a plan for the request: its scope, or why there is none. A caller
// that keeps a log writes the event, then applies it by [Session.Replay]; [Session.Plan] does
// both in one step. An event without a scope counts, too: the turn isn't planned for again.
func (s *Session) Planned(r *scope.Request, plan *scope.Plan, failed error) (Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.newPlan(r, plan, failed)
}

// newPlan is Planned under the session's lock.
func (s *Session) newPlan(r *scope.Request, plan *scope.Plan, failed error) (Event, error) {
	if err := s.needsPlan(r.Turn); err != nil {
		return Event{}, err
	}

	p := &scope.Planned{Turn: r.Turn, Shown: r.Digest(), Tools: s.monitor.planDigest}
	e := Event{Kind: ScopeEvent, Planned: p}
	if failed == nil {
		p.Model, p.InputTokens, p.OutputTokens = plan.Model, plan.InputTokens, plan.OutputTokens
		if _, _, err := s.parseScope(plan.Scope); err != nil {
			failed = fmt.Errorf("the planner's answer is not a scope: %w", err)
		}
	}
	if failed != nil {
		p.Failed = failed.Error()
		return e, nil
	}
	e.Scope = plan.Scope
	return e, nil
}

// Plan asks the planner of [Options] about the user's last turn, unless it was asked, and
// puts the scope that it writes into force. [Session.Decide] does so by itself; callers
// who want the planner to run beside the model's first answer start Plan in a goroutine
// of their own as soon as the user has spoken. A planner that fails leaves the turn
// without a scope, which is not an error.
func (s *Session) Plan(ctx context.Context) error {
	if s.monitor.planner == nil {
		return nil
	}
	select {
	case s.planning <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("wait for the plan of the turn: %w", ctx.Err())
	}
	defer func() { <-s.planning }()

	r, err := s.PlanRequest()
	if err != nil {
		return nil // there is nothing to plan
	}
	plan, failed := scope.Ask(ctx, s.monitor.planner, r, s.monitor.planTime)
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("wait for the plan of the turn: %w", err)
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	e, err := s.newPlan(r, plan, failed)
	if err != nil {
		return nil // the user has spoken again
	}
	return s.applyPlan(e)
}

// restorePlan puts a plan of the log into force.
func (s *Session) restorePlan(e Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.applyPlan(e)
}

// applyPlan applies the event of a plan.
func (s *Session) applyPlan(e Event) error {
	p := e.Planned
	if p.Turn != s.counts.user {
		return ErrTurnPassed
	}

	s.begin(e.Time)
	mine := p.Tools == s.monitor.planDigest
	if p.Failed != "" || len(e.Scope) == 0 {
		s.task.planned = s.task.planned || mine
		return nil
	}
	parsed, _, err := s.parseScope(compacted(e.Scope))
	if err != nil {
		return err
	}
	// An enforcement point with other tools may have planned for the same turn. Its
	// scope says nothing about these.
	if !mine && len(parsed.Calls) == 0 {
		return nil
	}
	s.putScope(parsed)
	return nil
}

// plannerTools returns the tools that scopes can speak of, as a planner sees them. Only
// definitions that a person has reviewed are shown with their words: the words of others may try
// to steer the planner.
func (d *deployment) plannerTools(o *Options) []scope.Tool {
	var out []scope.Tool
	for _, c := range d.catalogues {
		for i := range c.Tools {
			t := &c.Tools[i]
			reviewed := o.reviewed(t)
			b, ok := d.find(c.Server, t.Name)
			if !ok || b.changed != "" || !plainName(t.Name) {
				continue
			}

			tool := scope.Tool{Server: c.Server, Name: t.Name, Effect: string(b.contract.Tool.Effect)}
			if len(d.tools[t.Name]) == 1 {
				tool.Server = ""
			}
			if reviewed {
				tool.Description = cmp.Or(t.Description, t.Title)
			}
			tool.Args = parameters(t.Leaves(), reviewed)
			b.addRoles(tool.Args)
			if t.Output != nil {
				tool.Returns = parameters(t.Output.Leaves(), reviewed)
			} else {
				tool.Returns = b.returns()
			}
			out = append(out, tool)
		}
	}
	return out
}

// returns lists the members of a tool's result that its contract names.
func (b *binding) returns() []scope.Parameter {
	var out []scope.Parameter
	v, ok := b.contract.Variant("", false)
	if !ok || v == nil || v.Output == nil {
		return nil
	}
	for _, pattern := range v.Output.Returns {
		if plainPointer(pattern) {
			out = append(out, scope.Parameter{Pointer: pattern})
		}
	}
	return out
}

// addRoles adds what the contract says of the arguments.
func (b *binding) addRoles(args []scope.Parameter) {
	v, ok := b.contract.Variant("", false)
	if !ok || v == nil {
		return
	}
	for i := range args {
		if a, ok := v.Match(strings.ReplaceAll(args[i].Pointer, "*", "0")); ok {
			args[i].Role = a.Role.String()
		}
	}
}

func parameters(leaves []schema.Leaf, reviewed bool) []scope.Parameter {
	var out []scope.Parameter
	for _, l := range leaves {
		if !plainPointer(l.Pattern) {
			continue
		}
		p := scope.Parameter{Pointer: l.Pattern, Type: strings.Join(l.Node.Types, " or "), Required: l.Required}
		for _, v := range l.Node.Enum {
			if reviewed || (len(p.Values) < maxPlanValues && plainName(strings.Trim(v, `"`))) {
				p.Values = append(p.Values, v)
			}
		}
		if reviewed {
			p.Description, p.Default = described(l), l.Node.Default
		}
		out = append(out, p)
	}
	return out
}

// described returns the description of a place. An element of a list, or a member that the
// definition doesn't name, has that of the list or object where it has none of its own.
func described(l schema.Leaf) string {
	d := l.Node.Description
	if i := len(l.Path) - 2; d == "" && i > 0 && strings.HasSuffix(l.Pattern, "/*") {
		d = l.Path[i].Description
	}
	return d
}

// plainPointer reports whether each part of a pointer is a plain name.
func plainPointer(pointer string) bool {
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if part != "*" && !plainName(part) {
			return false
		}
	}
	return true
}

// plainName reports whether a name is one word that can't speak to a planner.
func plainName(name string) bool {
	if name == "" || len(name) > maxPlanName {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.:/$@", r)
	})
}

// planDigest names the tools that a scope may speak of.
func planDigest(catalogues []*schema.Catalogue) string {
	h := sha256.New()
	for _, c := range catalogues {
		fmt.Fprintf(h, "%q %s\n", c.Server, c.Fingerprint())
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
