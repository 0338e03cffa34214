package remit

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/internal/match"
	"github.com/remit-project/remit/internal/provenance"
	"github.com/remit-project/remit/internal/serialized"
	"github.com/remit-project/remit/internal/strictjson"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/scope"
)

// Errors of [Session.Scope].
var (
	// ErrNoTurn is returned before the user has said anything.
	ErrNoTurn = errors.New("a scope is for a turn of the user's, and there is none yet")
	// ErrLongTurn is returned for a turn that no person wrote by hand: what is pasted
	// into it must not be planned by.
	ErrLongTurn = fmt.Errorf("the user's turn is longer than %d bytes, which is too long for a scope", MaxScopeTurn)
)

const (
	// MaxScopeTurn bounds the turn that a scope may be for, in bytes.
	MaxScopeTurn = 64 << 10
	// maxScopeResults bounds the results in which a scope looks for values: the last
	// ones count.
	maxScopeResults = 256
)

// CheckScope returns what [Session.Scope] would, and changes nothing: for callers that log a
// scope before it takes effect.
func (s *Session) CheckScope(data []byte) (*scope.Scope, []scope.Refusal, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.parseScope(data)
}

// Scope puts what the user's last turn authorises into force, as a planner wrote it down
// from trusted text alone. It holds until the user's next turn. Only the trusted side may
// call it: never pass on a scope that an agent or a tool sent. It returns the scope that is
// in force, and the entries that were left out since they name what the session doesn't
// have. The same scope again changes nothing. It has no effect where [Options.Scopes] is off.
func (s *Session) Scope(data []byte) (*scope.Scope, []scope.Refusal, error) {
	return s.setScope(data, time.Time{})
}

func (s *Session) setScope(data []byte, at time.Time) (*scope.Scope, []scope.Refusal, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	parsed, refused, err := s.parseScope(data)
	if err != nil {
		return nil, nil, err
	}

	s.begin(at)
	s.putScope(parsed)
	return parsed, refused, nil
}

// putScope puts a scope into force. One that says what the turn's scope says is that one, with what was
// spent of it: whoever sends it again authorises nothing more.
func (s *Session) putScope(parsed *scope.Scope) {
	s.task.planned = true
	if s.task.scope != nil && reflect.DeepEqual(s.task.scope.Scope(), parsed) {
		return
	}
	s.task.scope, s.task.named = match.NewTask(parsed, s.task.turn, s.task.talk.texts()...), nil
}

// parseScope reads a scope for the last turn.
func (s *Session) parseScope(data []byte) (*scope.Scope, []scope.Refusal, error) {
	if s.counts.user == 0 {
		return nil, nil, ErrNoTurn
	}
	if len(s.task.turn) > MaxScopeTurn {
		return nil, nil, ErrLongTurn
	}
	return scope.Parse(data, s.monitor.catalogues)
}

// task is what the user's last turn authorises, with what earlier calls returned.
type task struct {
	turn    string
	scope   *match.Task // nil where there is none for the turn
	planned bool        // the turn has its plan, or will have none
	foreign bool        // the session has read what others may have written
	talk    talk
	results []*match.Result
	// proposal is what the assistant wrote before the turn, after it had read what others
	// may have written; empty for nothing.
	proposal string
	// delegated are plans of delegated sources to which a person agreed.
	delegated []*delegated
	named     []scope.Named // what the planner was asked about names in the turn
	settled   settled
}

// scoped returns the task's scope for a decision; nil where scopes are off.
func (d *deployment) scoped(t *task) *match.Task {
	if !d.takesScopes() {
		return nil
	}
	return t.scope
}

func (d *deployment) takesScopes() bool {
	return d.scopes == scope.ModeGrant || d.scopes == scope.ModeBound
}

// settledByScope are the codes of reasons that a scope settles. Guards, forbidden
// origins, unknown tools and arguments, and changed definitions are never among them.
var settledByScope = []Code{BelowFloor, OpenObligation, GroupBelowFloor, Unprovoked, ExternalSink}

// scoped decides what the scope of the turn says of the call: it settles doubts, and
// where it bounds, asks about an effect that no entry covers.
func (x *deciding) scoped() {
	if x.in.task == nil {
		return
	}
	x.out.scopeArgs = x.scopeArguments()
	task, by := x.in.task, "the user's request authorises it"
	cover, misses, ok := task.Match(x.scopeProposal(), x.in.results)
	withheld := cover.Withheld // a plan that a person agreed to may cover the call all the same
	for _, d := range x.in.delegated {
		if ok {
			break
		}
		if cover, _, ok = d.scope.Match(x.scopeProposal(), x.in.results); ok {
			task, by = d.scope, "the user agreed to the plan that was made of "+d.source()
		}
	}
	if !ok {
		asks := x.in.scopes == scope.ModeBound || withheld
		if asks && x.variant.Effect != contract.Read {
			x.outside(misses)
		}
		return
	}

	x.out.cover, x.out.coverTask = &cover, task
	x.certify(&cover, by)
	x.d.Reasons = slices.DeleteFunc(x.d.Reasons, func(r Reason) bool { return x.settledBy(&cover, r) })
}

// outside asks about an effect that no entry of the scope covers.
func (x *deciding) outside(misses []string) {
	why := "nothing in the user's request is about such a call"
	if len(misses) > 0 {
		why = "its scope has another one: " + strings.Join(misses, "; ")
	}
	reads, shown := x.readings()
	x.d.Reasons = append(x.d.Reasons, Reason{
		Code: OutsideScope, Verdict: Ask, Reads: reads,
		Message:  fmt.Sprintf("the call (%s) is outside of what the user asked for; %s%s", x.variant.Effect, why, shown),
		Remedies: []string{"ask the user whether this is wanted"},
	})
}

// certify records what the scope says of each value. The value keeps its label: a
// certificate of a scope is for this call.
func (x *deciding) certify(c *match.Cover, by string) {
	for _, g := range c.Grants {
		i := slices.IndexFunc(x.leaves, func(l leaf) bool { return !l.outer && l.place == g.Pointer })
		if i < 0 || x.d.Findings[i].Satisfied {
			continue
		}
		f := &x.d.Findings[i]
		f.Satisfied = true
		f.Certificates = append(f.Certificates, Discharge{
			Procedure: ScopeProcedure, Max: label.User, Roles: []label.Role{f.Role},
			Basis: fmt.Sprintf("%s: %s%s (entry %d of the scope, %s)%s", by, g, x.readAs(g), c.Entry+1, g.Pointer, saidLater(c)),
		})
	}
}

// saidLater says which members stand for names of the entry that no result had.
func saidLater(c *match.Cover) string {
	if len(c.Names) == 0 {
		return ""
	}
	var names []string
	for _, n := range c.Names {
		names = append(names, fmt.Sprintf("%q is %s", n.Guess, n.Member))
	}
	return "; by what the planner said once the results were there, " + strings.Join(names, ", ")
}

// ScopeProcedure is the procedure of certificates that a scope issues.
const ScopeProcedure = "scope"

// settledBy reports whether a scope settles a reason. Content goes on being checked for
// links and secrets, unless the scope says where the value comes from.
func (x *deciding) settledBy(c *match.Cover, r Reason) bool {
	if r.Verdict != Ask || !slices.Contains(settledByScope, r.Code) {
		return false
	}
	i := slices.IndexFunc(x.leaves, func(l leaf) bool { return l.Pointer == r.Path })
	if i >= 0 && x.leaves[i].outer {
		return false // an argument of the meta-tool, of which no scope speaks
	}
	if r.Code != ExternalSink {
		return true
	}
	if i < 0 {
		// The call leaves something out. The scope has to say that it may.
		left, constrained := x.out.coverTask.Scope().Calls[c.Entry].Arg(strings.TrimPrefix(r.Path, x.target.prefix))
		return !constrained || left.Absent || left.Any
	}
	return slices.ContainsFunc(c.Grants, func(g match.Grant) bool {
		return g.Pointer == x.leaves[i].place && g.Names() && !x.reaches(i, g.Beside)
	})
}

// reaches reports whether a part of an argument, which the scope leaves open beside a value that it
// names, has what content is checked for.
func (x *deciding) reaches(i int, part string) bool {
	if part == "" {
		return false
	}
	_, address := x.in.seen.Sink(part)
	right := x.variant.Effect.Outward() && provenance.Right(part)
	broken := hasLineBreak(part) && x.oneLine(i)
	option := provenance.IsOption(x.leaves[i].Text) && !strings.ContainsAny(part, " \t\n")
	return address || right || broken || option || x.contacted(x.leaves[i].place, part)
}

// scopeProposal returns the call as scopes see it.
func (x *deciding) scopeProposal() *match.Proposal {
	effect := x.variant.Effect
	return &match.Proposal{
		Server: x.d.Server, Tool: x.d.Tool, Call: x.out.counted, Digest: x.digest(), Args: x.out.scopeArgs,
		Read:         effect == contract.Read,
		Irreversible: irreversible(effect),
		Role:         x.roleAt, Default: x.defaultAt, Now: x.in.now, Readings: x.in.readings,
	}
}

// irreversible reports whether what a call does can't be taken back.
func irreversible(e contract.Effect) bool {
	return e == contract.Egress || e == contract.Destructive || e == contract.Execute
}

func (x *deciding) scopeArguments() []match.Argument {
	out := make([]match.Argument, 0, len(x.leaves))
	for i, l := range x.leaves {
		if l.outer {
			continue
		}
		trust := x.checked[i].Certified.Trust
		out = append(out, match.Argument{
			Pointer: l.place, Text: l.Text, Role: x.arguments[i].Role, Listed: x.listed(l.place), Required: x.required(l.place), Usual: x.usual(l.place, l.Text),
			Undeclared: x.bound.definition != nil && x.bound.definition.Undeclared(l.place),
			Null:       l.Kind == strictjson.Null,
			String:     l.Kind == strictjson.String,
			Empty:      l.Kind == strictjson.Null || l.Kind == strictjson.Object || l.Kind == strictjson.Array || l.Text == "",
			Said:       trust >= label.User,
			Foreign:    trust <= label.External && x.resolved[i].How != provenance.HowConstant,
			Doubtful:   slices.ContainsFunc(x.d.Reasons, func(r Reason) bool { return r.Path == l.Pointer }),
		})
	}
	return out
}

// roleAt returns the role of an argument, which the call may leave out.
func (x *deciding) roleAt(pointer string) label.Role {
	element := strings.ReplaceAll(pointer, "/*", "/0")
	if a, ok := x.variant.Match(element); ok {
		return a.Role
	}
	return label.NoRole
}

// listed reports whether the tool's definition lists the values that an argument may have.
func (x *deciding) listed(pointer string) bool {
	if x.bound.definition == nil {
		return false
	}
	n, ok := x.bound.definition.Lookup(pointer)
	return ok && len(n.Enum) > 0
}

// required reports whether the tool's definition requires a member of the arguments.
func (x *deciding) required(pointer string) bool {
	definition := x.bound.definition
	if definition == nil || definition.Input == nil {
		return false
	}
	return slices.ContainsFunc(definition.Input.Properties, func(p schema.Property) bool { return p.Required && pointer == "/"+p.Name })
}

// usual reports whether the definitions of the tool's server give a value as the usual one.
func (x *deciding) usual(pointer, text string) bool {
	if text == "" {
		return false
	}
	otherwise, _ := x.defaultAt(pointer)
	return text == otherwise || (x.bound.usual != nil && x.bound.usual().Is(pointer, text))
}

// defaultAt returns the value that an argument has by the tool's definition when the call
// leaves it out; that of a switch also by its description.
func (x *deciding) defaultAt(pointer string) (string, bool) {
	if x.bound.definition == nil {
		return "", false
	}
	n, ok := x.bound.definition.Lookup(pointer)
	if !ok {
		return "", false
	}
	text, known := x.bound.defaults[n.Default]
	if on, isSwitch := n.Switched(); !known && isSwitch {
		return strconv.FormatBool(on), true
	}
	return text, known
}

// defaultsOf returns the texts of all defaults in a tool's definition, by their JSON; empty for an
// object, a list and null.
func defaultsOf(definition *schema.Tool) map[string]string {
	out := map[string]string{}
	for _, value := range definition.Defaults() {
		doc, err := strictjson.Parse([]byte(value), strictjson.Limits{Size: scope.MaxSize, Depth: 2, Leaves: scope.MaxValues})
		if err != nil || len(doc.Leaves()) != 1 {
			continue
		}

		switch leaf := doc.Leaves()[0]; leaf.Kind {
		case strictjson.Object, strictjson.Array, strictjson.Null:
			out[value] = ""
		default:
			out[value] = leaf.Text
		}
	}
	return out
}

// keepResult keeps what a call returned for the scopes of this turn and the next ones.
func (s *Session) keepResult(record *callRecord, r Result, doc *strictjson.Document) {
	if !s.monitor.takesScopes() {
		return
	}
	out := &match.Result{Call: r.Call, Server: record.bound.server, Tool: record.bound.contract.Tool.Name,
		Args: record.scopeArgs, Covered: record.covered, Read: record.variant.Effect == contract.Read, Early: record.early, Failed: r.Failed != nil && *r.Failed, Verbatim: verbatim(record, r), Returns: record.variant.Output.Returns}
	out.SetContent(r.Content, doc)
	if o := record.variant.Output; o.Format == "" && (len(r.Structured) == 0 || wrapsText(r)) {
		out.SetAppearance(serialized.Trust{Own: ownFields(o)}, o.Pinned())
	}

	t := &s.task
	if len(t.results) == maxScopeResults {
		t.results = slices.Clone(t.results[1:]) // a decision may be looking at them
	}
	t.results = append(t.results, out)
}

// restoreScope puts a scope of the log into force.
func (s *Session) restoreScope(e Event) error {
	switch {
	case e.Named != nil:
		s.restoreNamed(e)
		return nil
	case e.Delegated != nil:
		return s.restoreDelegated(e)
	case e.Planned != nil:
		return s.restorePlan(e)
	}
	_, _, err := s.setScope(compacted(e.Scope), e.Time)
	return err
}

// compacted undoes what a log's encoder may have escaped, which makes a scope longer.
func compacted(data json.RawMessage) json.RawMessage {
	if len(data) <= scope.MaxSize {
		return data
	}
	doc, err := strictjson.Parse(data, strictjson.Limits{Size: 6 * scope.MaxSize, Depth: 32, Leaves: 32 << 10})
	if err != nil {
		return data
	}
	return doc.Canonical()
}
