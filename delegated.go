package remit

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/internal/reply"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/scope"
)

// Errors of delegations.
var (
	// ErrNotDelegated is returned where no delegated source waits for an answer: none has been
	// read, or the user was asked about all that have.
	ErrNotDelegated = errors.New("nothing that the user's turn delegates to waits for an answer")
	// ErrSourceChanged is returned where a delegated source differs from what the person was
	// shown.
	ErrSourceChanged = errors.New("the source differs from what was shown: ask again")
	// ErrPlanChanged is returned where a plan differs from what the person was shown.
	ErrPlanChanged = errors.New("the plan differs from what was shown: ask again")
)

const (
	// maxDelegations bounds the plans of one turn to which a person agrees.
	maxDelegations = 4
	// maxReference bounds the turn that may mean what the assistant proposed before ("yes, do
	// that", "the second one, please"), in bytes: a user who writes more says what is meant.
	maxReference = 256
)

// Delegation is a source whose instructions the user told the agent to follow ("do what my
// TODO list says"), once it was read, with the plan that was made of it. It authorises
// nothing before a person has seen the text and the plan, and agreed: see
// [Session.Delegate]. It may be the assistant's own proposal as well, where the model had
// read what others may have written: "yes, do that" is not a word about what that is.
type Delegation struct {
	// Turn counts the user's turns up to the one that delegates.
	Turn int
	// Call is the call in whose result the source is, of this tool; all three are empty
	// for a proposal of the assistant's.
	Call, Server, Tool string
	// Text is the source. It may come from an attacker: never show it raw.
	Text string
	// Digest is the [scope.TextDigest] of Text.
	Digest string
	// Plan is the plan as the planner wrote it, and Scope what of it a person can agree
	// to; nil where there is none. Left counts the entries that are left out.
	Plan  json.RawMessage
	Scope *scope.Scope
	Left  int
	// Failed says why there is no plan: each call is asked about then.
	Failed string
	// Beside is set, before [Session.Delegate], where the person's answer comes in one message
	// with other words of the user's, which begin a turn: the plan holds through that turn.
	Beside bool

	// Record is the agreement as the log keeps it. With the Plan, it says what a person agrees
	// to: a caller that shows the question elsewhere keeps both.
	Record scope.Delegated

	catalogues []*schema.Catalogue
}

// Delegated returns the sources that the user's last turn delegates to, that have been read, and
// whose plans await agreement, each without a plan, and with the request by which a planner makes
// one. The request is nil where no plan can be made, which Failed explains. Its material is the
// text of the source.
func (s *Session) Delegated() ([]*Delegation, []*scope.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.monitor.scoped(&s.task)
	if t == nil {
		return nil, nil
	}

	var out []*Delegation
	var requests []*scope.Request
	for _, d := range s.sources(t) {
		d.Turn, d.Digest, d.catalogues = s.counts.user, scope.TextDigest(d.Text), s.monitor.catalogues
		if s.task.agreedTo(d.Digest) || len(s.task.delegated)+len(out) == maxDelegations {
			continue
		}
		d.Record = scope.Delegated{Turn: d.Turn, Call: d.Call, Digest: d.Digest}
		request := s.planOf(d)
		if request != nil {
			d.Record.Shown = request.Digest()
		}
		out, requests = append(out, d), append(requests, request)
	}
	return out, requests
}

// sources returns what the user's turn delegates to, or may mean.
func (s *Session) sources(t *match.Task) []*Delegation {
	var out []*Delegation
	for _, r := range t.Delegates(s.task.results) {
		out = append(out, &Delegation{Call: r.Call, Server: r.Server, Tool: r.Tool, Text: r.Text})
	}
	if s.monitor.planner != nil && s.refers() {
		out = append(out, &Delegation{Text: s.task.proposal})
	}
	return out
}

// refers reports whether the user's turn may mean what the assistant asked before it: a
// short turn that doesn't refuse.
func (s *Session) refers() bool {
	asks := reply.HasQuestion(s.task.proposal)
	short := len(s.task.turn) <= maxReference && len(s.task.proposal) <= scope.MaxMaterial
	return asks && short && reply.Read(s.task.proposal, s.task.turn).Answer != reply.Refused
}

// planOf returns the request for the plan of a delegation; nil where there can be none.
func (s *Session) planOf(d *Delegation) *scope.Request {
	switch {
	case s.monitor.planner == nil:
		d.Failed = "no planner is configured"
		return nil
	case len(d.Text) > scope.MaxMaterial:
		d.Failed = fmt.Sprintf("the text has %d bytes, which is too long to be shown", len(d.Text))
		return nil
	case strings.TrimSpace(d.Text) == "":
		d.Failed = "the text is empty"
		return nil
	}
	r := s.planned()
	r.Material = &scope.Material{From: d.Tool, Text: d.Text}
	return r
}

// Planned adds a planner's answer to the delegation.
func (d *Delegation) Planned(plan *scope.Plan, failed error) {
	if failed != nil {
		d.Failed = failed.Error()
		return
	}
	parsed, refused, err := scope.Parse(plan.Scope, d.catalogues)
	if err != nil {
		d.Failed = fmt.Sprintf("the planner's answer is not a scope: %v", err)
		return
	}

	shown, left := parsed.Confirmable()
	d.Left = len(refused) + len(left)
	d.Record.Model, d.Record.InputTokens, d.Record.OutputTokens = plan.Model, plan.InputTokens, plan.OutputTokens
	if len(shown.Calls) == 0 {
		d.Failed = "the planner found nothing in it that can be shown as calls"
		return
	}
	digest, err := shownDigest(shown)
	if err != nil {
		d.Failed = err.Error()
		return
	}
	d.Plan, d.Scope, d.Record.Plan = plan.Scope, shown, digest
}

// Delegate returns the event by which a person's agreement to the plan of a delegation
// takes effect: for the rest of the user's turn, and only for what the plan says. The
// person has seen the text and the plan, and answered with a text, if there is one.
// [Session.Replay] applies it.
func (s *Session) Delegate(d *Delegation, answer string) (Event, error) {
	if len(d.Plan) == 0 {
		return Event{}, fmt.Errorf("delegate to %s: there is no plan to agree to: %s", d.Tool, d.Failed)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	record := d.Record
	record.Beside = record.Beside || d.Beside
	if err := s.delegable(&record); err != nil {
		return Event{}, err
	}
	if shown, err := s.confirmable(d.Plan); err != nil || !isShown(shown, record.Plan) {
		return Event{}, errors.Join(ErrPlanChanged, err)
	}
	return Event{Kind: ScopeEvent, Text: answer, Scope: d.Plan, Delegated: &record}, nil
}

// delegable returns nil where a person's agreement to a plan can take effect: in the turn
// that delegates, once for each source, and while the source is the one that was shown.
func (s *Session) delegable(d *scope.Delegated) error {
	t := s.monitor.scoped(&s.task)
	switch {
	case t == nil || d.Turn != s.counts.user:
		return ErrTurnPassed
	case s.task.agreedTo(d.Digest) || len(s.task.delegated) == maxDelegations:
		return ErrNotDelegated
	}
	for _, source := range s.sources(t) {
		if (source.Call == "") == (d.Call == "") && scope.TextDigest(source.Text) == d.Digest {
			return nil // it may have been read again
		}
	}
	return ErrSourceChanged
}

// delegated is a plan to which a person agreed.
type delegated struct {
	digest, call, tool string
	beside             bool // it holds through the turn that follows
	scope              *match.Task
}

// carried returns the plans that hold on when the user's next turn begins.
func (t *task) carried() []*delegated {
	var out []*delegated
	for _, d := range t.delegated {
		if d.beside {
			next := *d
			next.beside = false
			out = append(out, &next)
		}
	}
	return out
}

// source names what the plan was made of.
func (d *delegated) source() string {
	if d.call == "" {
		return "the assistant's proposal"
	}
	return fmt.Sprintf("the result of %s (%s)", d.call, d.tool)
}

// planForm is the version of the form in which plans are compared. A digest of another form, such
// as those without a version that older logs have, is of no plan: it grants nothing.
const planForm = "v1:"

// shownDigest names what of a plan a person was shown. Two plans have one digest only if every
// member of theirs is the same; members that a plan doesn't set don't count, so that plans keep
// their digest when the form of scopes gets further ones.
func shownDigest(shown *scope.Scope) (string, error) {
	text, err := json.Marshal(shown)
	if err != nil {
		return "", fmt.Errorf("the plan has no form to compare: %w", err)
	}
	var form any
	if err := json.Unmarshal(text, &form); err != nil {
		return "", fmt.Errorf("the plan has no form to compare: %w", err)
	}
	if text, err = json.Marshal(withoutUnset(form)); err != nil { // the names in order
		return "", fmt.Errorf("the plan has no form to compare: %w", err)
	}
	return planForm + scope.TextDigest(string(text)), nil
}

// withoutUnset drops the members of objects that are unset. An element of a list is a value.
func withoutUnset(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = withoutUnset(v[i])
		}
	case map[string]any:
		for name, member := range v {
			list, isList := member.([]any)
			if member == nil || member == "" || member == false || member == 0.0 || (isList && len(list) == 0) {
				delete(v, name)
				continue
			}
			v[name] = withoutUnset(member)
		}
	}
	return v
}

// isShown reports whether a plan is the one that was shown.
func isShown(plan *scope.Scope, digest string) bool {
	own, err := shownDigest(plan)
	return err == nil && own == digest
}

func (t *task) agreedTo(digest string) bool {
	return slices.ContainsFunc(t.delegated, func(d *delegated) bool { return d.digest == digest })
}

// delegate returns a plan to which a person agrees, as decisions use it.
func (t *task) delegate(d *scope.Delegated, tool string, plan *scope.Scope) *delegated {
	return &delegated{d.Digest, d.Call, tool, d.Beside, match.NewTask(plan, t.turn, t.talk.texts()...).Confirmed()}
}

// confirmable returns what of a plan a person can agree to.
func (s *Session) confirmable(plan json.RawMessage) (*scope.Scope, error) {
	parsed, _, err := scope.Parse(compacted(plan), s.monitor.catalogues)
	if err != nil {
		return nil, err
	}
	shown, _ := parsed.Confirmable()
	return shown, nil
}

// restoreDelegated puts the plan of a delegation into force. One that doesn't fit the
// session grants nothing.
func (s *Session) restoreDelegated(e Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin(e.Time)
	if s.delegable(e.Delegated) != nil {
		return nil
	}
	shown, err := s.confirmable(e.Scope)
	if err != nil {
		return fmt.Errorf("the plan of a delegation: %w", err)
	}

	if !isShown(shown, e.Delegated.Plan) {
		return nil // with these tools it is not what the person saw
	}
	tool := ""
	for _, r := range s.task.results {
		if r.Call == e.Delegated.Call && r.Call != "" {
			tool = r.Tool
		}
	}
	// A decision may be looking at the list.
	s.task.delegated = append(slices.Clip(s.task.delegated), s.task.delegate(e.Delegated, tool, shown))
	return nil
}

// Covers reports whether the plan of a delegation would let a call through that was held
// back: a person who is asked about the plan need not be asked about the call.
func (s *Session) Covers(d *Delegation, held *Decision) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	record, ok := s.calls[held.Call]
	if !ok || d.Scope == nil {
		return false
	}
	call := record.call
	call.ID = ""
	in, err := s.input(question{call: call, now: s.at}, nil)
	if err != nil {
		return false
	}
	in.delegated = append(slices.Clip(in.delegated), s.task.delegate(&d.Record, d.Tool, d.Scope))
	return decide(in).decision.Verdict == Allow
}
