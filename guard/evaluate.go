package guard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/remit-project/remit/internal/record"
	"github.com/remit-project/remit/label"
)

var (
	errNoStructure = errors.New("the result is a text, and the tool's schema says that it has fields")
	errNotBoolean  = errors.New("the rule is neither true nor false")
)

// Request is a call to judge, with what is known about it.
type Request struct {
	// Server and Tool are the tool that is called. An empty Tool means the guard's
	// own.
	Server, Tool string
	// Arguments are one JSON object in the canonical form of package strictjson.
	Arguments json.RawMessage
	// Labels returns the leaves of the arguments with their labels. It is called
	// only if a rule asks for a label. If it is nil, no value has one.
	Labels func() []LabeledValue
	// History is what happened before the call.
	History *History
	// Message names the agent's message that the call is in, and Beside is what the agent says in
	// it. Without a name, both come from the history.
	Message, Beside string
	Now             time.Time
	// Reader makes the look-ups of rules, and Judge answers their questions. Where the reader
	// can't call a tool, the result of the agent's own latest call of it counts, as long as
	// nothing changed since. A rule fails without an answer that it needs.
	Reader Reader
	Judge  Judge
	// Recorded are the facts of an earlier decision on the call. If it is set, they
	// are used, and nothing is looked up or asked.
	Recorded *Facts
}

// Outcome is the result of judging a call.
type Outcome struct {
	// Violations are the policies that the call violates, in the order of the file.
	Violations []Violation
	// Facts are the results of look-ups and judgments; nil if there were none.
	Facts *Facts
	// Missing is set by [Set.Recall] if a rule needs a fact that is not recorded. That
	// rule failed.
	Missing bool
}

// Violation is a policy that a call violates, or that could not be decided.
type Violation struct {
	// Policy is the policy's name; References and Message are as in [Policy].
	Policy     string
	References []string
	Message    string
	// Verdict is [label.Deny] or [label.Ask].
	Verdict label.Verdict
	// Failed says why the policy could not be decided; empty if its rule is
	// false.
	Failed string
	// Unclear says what the words of the conversation don't settle, where the rule
	// hangs on it. The verdict is [label.Ask] then, whatever the policy's own is.
	Unclear string
	// Unproven is set with Failed where only guessed look-ups kept the policy from being decided:
	// see [Policy.Guessed]. The verdict is [label.Ask] then.
	Unproven bool
	// Values are the parts of the rule that decided.
	Values []Value
	// Place is where the policy is defined, as file:line:column.
	Place string
}

// Value is a part of a rule with its value.
type Value struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Evaluate judges a call by all policies of the guard.
func (g *Guard) Evaluate(ctx context.Context, r Request) Outcome {
	if r.Tool == "" {
		r.Server, r.Tool = g.Server, g.Tool
	}
	r.Server = g.callee(r.Server, r.Tool).server
	return evaluate(ctx, []*Guard{g}, r)
}

// evaluate judges a call by all policies of several guards.
func evaluate(ctx context.Context, guards []*Guard, r Request) Outcome {
	if len(guards) == 0 {
		return Outcome{}
	}
	return newEvaluation(guards[0], r).evaluate(ctx, guards)
}

func (x *evaluation) evaluate(ctx context.Context, guards []*Guard) Outcome {
	n := 1
	for _, g := range guards {
		n += len(g.policies)
	}
	verdicts, undecided, decided := make([]verdict, 0, n), make([]*verdict, 0, n), make([]*Violation, 0, n)
	for _, g := range guards {
		v, failed := x.view(g)
		if failed != nil {
			// The same failure of several guards is reported once.
			if !slices.ContainsFunc(decided, func(d *Violation) bool { return d != nil && d.Failed == failed.Failed && d.Verdict == failed.Verdict }) {
				undecided, decided = append(undecided, nil), append(decided, failed)
			}
			continue
		}
		for _, it := range g.policies {
			if !it.policy.about(x.request.Server, x.request.Tool) {
				continue
			}
			verdicts = append(verdicts, verdict{scope: scope{x: v, policy: it, values: make([]ref.Val, len(it.variables))}})
			undecided = append(undecided, &verdicts[len(verdicts)-1])
			decided = append(decided, nil)
		}
	}

	x.rounds(ctx, func() bool {
		open := false
		for i, v := range undecided {
			if v == nil {
				continue
			}
			var done bool
			if decided[i], done = v.decide(); done {
				undecided[i] = nil
			} else {
				open = true
			}
		}
		return open
	})

	out := Outcome{Facts: x.all(), Missing: x.missing}
	for _, v := range decided {
		if v != nil {
			out.Violations = append(out.Violations, *v)
		}
	}

	return out
}

// failed returns the violation for a guard none of whose rules could be evaluated.
func (g *Guard) failed(v label.Verdict, why string) *Violation {
	return &Violation{Verdict: v, Failed: why, Place: g.File.Position.String()}
}

// strictest returns the verdict of the guard's policies for a tool where none of them can be
// evaluated: it denies where one of them would.
func (g *Guard) strictest(server, tool string) label.Verdict {
	for i := range g.File.Policies {
		if p := &g.File.Policies[i]; p.Otherwise == label.Deny && p.about(server, tool) {
			return label.Deny
		}
	}
	return g.File.Otherwise
}

// evaluation is one call that is being judged.
type evaluation struct {
	request Request
	types   sessionTypes
	// onlyReads are the tools that change nothing.
	onlyReads map[toolName]bool
	session   *sessionValue
	present   ref.Val // the call as expressions see it; nil until one asks
	shape     *record.Shape
	args      ref.Val // typed by shape
	leaves    []LabeledValue

	memo *remembered
	// sound is set where recorded look-ups may be used at once.
	sound bool

	inquiries
	inquires bool // facts that are not recorded are looked up and asked
	missing  bool // a rule needed a fact that is not recorded
	// complete is set where the rules look nothing more up before it is clear what was said.
	complete bool
	dialogue *dialogue // nil until a rule asks what was said
	// unsettledParts are what words don't settle, of the current rule. While assuming,
	// it is tried as if they did.
	unsettledParts []string
	assuming       bool
	// failures are the look-ups and questions of the current rule that have no
	// answer. The rule fails, whatever CEL makes of them.
	failures []error
	// guesses are those of the current rule.
	guesses map[string]*guess
}

// newEvaluation begins with one of the guards that apply; all of a set know the same
// tools.
func newEvaluation(g *Guard, r Request) *evaluation {
	if r.History == nil {
		r.History = &History{}
	}
	var m *remembered
	if r.History.memo != nil {
		m = r.History.memo()
	} else {
		m = newRemembered()
	}
	return &evaluation{sound: r.Recorded.sound(), request: r, types: g.types, onlyReads: g.onlyReads, memo: m, session: &sessionValue{types: g.types, session: r.History, memo: m, message: r.Message, besides: r.Beside, present: &Call{Server: r.Server, Tool: r.Tool, Arguments: r.Arguments}}}
}

// view is a call as the rules of one guard see it.
type view struct {
	*evaluation
	guard *Guard
	args  ref.Val
	// shared are the values of variables that several policies have.
	shared []ref.Val
}

// view returns the call as a guard's rules see it, or a violation if none of them
// can be evaluated.
func (x *evaluation) view(g *Guard) (*view, *Violation) {
	if g.broken != nil {
		// What a file with mistakes would have asked about isn't known: it only denies.
		return nil, g.failed(label.Deny, "the policies for "+g.subject()+" have mistakes: remit policy lint lists them")
	}
	args, err := x.arguments(g.callee(x.request.Server, x.request.Tool).args)
	if err != nil {
		return nil, g.failed(g.strictest(x.request.Server, x.request.Tool), "the arguments are not as the tool's schema has them: "+err.Error())
	}
	if g.Tool == EveryTool {
		args = record.AsMap(args)
	}
	return &view{evaluation: x, guard: g, args: args, shared: make([]ref.Val, g.shared)}, nil
}

// arguments returns the arguments of the call, typed by a shape. Guards with the same
// shape share them.
func (x *evaluation) arguments(s *record.Shape) (ref.Val, error) {
	if x.shape == s {
		return x.args, nil
	}
	args, err := s.Decode(x.request.Arguments)
	if err == nil {
		x.shape, x.args = s, args
	}
	return args, err
}

// scope is the activation of one rule: its variables, and what all rules see.
type scope struct {
	x      *view
	policy *compiledPolicy
	values []ref.Val // of the variables; nil until they are evaluated
}

// ResolveName implements [cel.Activation].
func (s *scope) ResolveName(name string) (any, bool) {
	switch name {
	case argsVariable:
		return s.x.args, true
	case nowVariable:
		return types.Timestamp{Time: s.x.request.Now}, true
	case sessionVariable:
		return s.x.session, true
	case callVariable:
		if s.x.present == nil {
			r := &s.x.request
			s.x.present = s.x.session.call(len(r.History.Entries), &Entry{Time: r.Now, Call: &Call{Server: r.Server, Tool: r.Tool, Arguments: r.Arguments}})
		}
		return s.x.present, true
	}

	if s.policy == nil {
		return nil, false
	}

	for i, v := range s.policy.variables {
		if v.name == name {
			if s.values[i] == nil {
				s.values[i] = s.x.variable(v, s)
			}
			return s.values[i], true
		}
	}

	return nil, false
}

// variable returns the value of a variable, which policies share that write it alike. An
// error is each policy's own, so that it fails by it.
func (x *view) variable(v *variable, s *scope) ref.Val {
	if v.place >= 0 && x.shared[v.place] != nil {
		return x.shared[v.place]
	}
	value := x.run(v.expression, s)
	if v.place >= 0 && !types.IsUnknownOrError(value) {
		x.shared[v.place] = value
	}
	return value
}

// Value implements [direct.Source].
func (s *scope) Value(name string) ref.Val {
	v, ok := s.ResolveName(name)
	if !ok {
		return nil
	}
	return v.(ref.Val)
}

// Call implements [direct.Source].
func (s *scope) Call(function string, args []ref.Val) ref.Val {
	return s.x.call(function, args)
}

// mark is what an evaluation had found before it began with an expression.
type mark struct {
	failures, unsettled int
	values, shared      uint64 // the variables that had a value, a bit each
}

func (s *scope) mark() mark {
	return mark{len(s.x.failures), len(s.x.unsettledParts), present(s.values), present(s.x.shared)}
}

// back forgets what was found since a mark. Variables are evaluated again, so that what
// fails in them is found again.
func (s *scope) back(to mark) {
	s.x.failures, s.x.unsettledParts = s.x.failures[:to.failures], s.x.unsettledParts[:to.unsettled]
	forget(s.values, to.values)
	forget(s.x.shared, to.shared)
}

func present(values []ref.Val) uint64 {
	var out uint64
	for i, v := range values[:min(len(values), 64)] {
		if v != nil {
			out |= 1 << i
		}
	}
	return out
}

func forget(values []ref.Val, present uint64) {
	for i := range values {
		if i >= 64 || present&(1<<i) == 0 {
			values[i] = nil
		}
	}
}

// Parent implements [cel.Activation].
func (s *scope) Parent() cel.Activation { return nil }

// run evaluates an expression: directly where that has an answer, and otherwise by CEL. An
// error is a value, as in CEL.
func (x *view) run(e *expression, s *scope) ref.Val {
	if p := e.direct(); p != nil {
		before := s.mark()
		if v := p.Eval(s, MaxCost); v != nil {
			return v
		}
		s.back(before) // CEL comes upon the same once more
	}
	program, err := e.plan()
	if err != nil {
		return types.WrapErr(err)
	}
	v, _, err := program.Eval(e.activation(s))
	if err != nil {
		return types.WrapErr(err)
	}
	return v
}

// activation adds the functions that depend on the call to a scope, if the
// expression calls one.
func (e *expression) activation(s *scope) cel.Activation {
	if !e.asks {
		return s
	}
	return calling{s}
}

// calling is a scope with the functions that depend on the call. It implements
// [cel.FunctionActivation].
type calling struct{ *scope }

// ResolveFunction returns a function by its name.
func (c calling) ResolveFunction(name string) (cel.LateBoundFunction, bool) {
	return func(_ string, args ...ref.Val) ref.Val { return c.x.call(name, args) }, true
}

// verdict is a policy that is being decided.
type verdict struct {
	scope scope
}

// decide evaluates the rule of the policy. It returns no violation if the rule is
// true; done is false while a look-up or a judgment is missing.
func (v *verdict) decide() (violation *Violation, done bool) {
	x, it := v.scope.x, v.scope.policy
	if it.require == nil {
		return it.violation("nothing checks this rule yet", nil), true
	}

	clear(v.scope.values)
	x.failures, x.unsettledParts = nil, nil
	x.guesses = it.guesses
	result := x.run(it.require, &v.scope)
	open := !types.IsUnknown(result) && result != types.True && result != types.False
	if open && len(x.unsettledParts) > 0 && len(x.failures) == 0 {
		// What is unclear is for a person to say, unless the call violates the policy
		// however they answer.
		x.assuming = true
		clear(v.scope.values)
		result = x.run(it.require, &v.scope)
		x.assuming = false
		if result == types.True && len(x.failures) == 0 {
			out := it.violation("", nil)
			out.Verdict, out.Unclear = label.Ask, cut(strings.Join(x.unsettledParts, "; "), MaxShown)
			return out, true
		}
	}

	switch {
	case len(x.failures) > 0 && !onlyUnproven(x.failures):
		return it.violation(cut(errors.Join(x.failures...).Error(), MaxShown), nil), true
	case len(x.failures) > 0 && result != types.False: // false whatever the look-ups return
		return it.unproven(errors.Join(x.failures...)), true
	case types.IsUnknown(result):
		return nil, false
	case result == types.True:
		return nil, true
	case result == types.False:
		return it.violation("", v.values()), true
	}

	err, ok := result.Value().(error)
	if !types.IsError(result) || !ok {
		err = errNotBoolean
	}
	return it.violation(cut(err.Error(), MaxShown), nil), true
}

func (it *compiledPolicy) violation(failed string, values []Value) *Violation {
	p := it.policy
	return &Violation{Policy: p.Name, References: p.References, Message: p.Message, Verdict: p.Otherwise, Failed: failed, Values: values, Place: p.Position.String()}
}

// unproven is the violation of a policy that a guessed look-up keeps from being decided.
func (it *compiledPolicy) unproven(err error) *Violation {
	out := it.violation(cut(err.Error(), MaxShown), nil)
	out.Verdict, out.Unproven = label.Ask, true
	return out
}

// call calls one of the functions whose results depend on the call that is judged.
func (x *view) call(function string, args []ref.Val) ref.Val {
	switch function {
	case agreedFunction:
		return x.hasAgreed()
	case listedFunction:
		return x.said(listedNotion, args[1])
	case statedFunction:
		return x.said(statedNotion, args[1])
	case toldFunction:
		return x.asserted(&toldStatement, args[1])
	case completeFunction:
		return x.asserted(&completeStatement, args[1])
	case answeredFunction:
		return x.asserted(&answeredStatement, args[1])
	case judgedFunction:
		return x.judged(args[1:])
	case judgeFunction:
		return x.ask(args)
	case labelFunction:
		return x.labelOf(args[0])
	}

	r, ok := x.guard.readers[function]
	if !ok {
		return types.NewErr("no such function: %s", function)
	}
	return x.lookUp(r, args[0])
}

// fail records that the current rule can't be decided.
func (x *evaluation) fail(err error) ref.Val {
	x.failures = append(x.failures, err)
	return types.WrapErr(err)
}

func textOf(v ref.Val) string { return cut(record.Text(v), MaxShown) }

// about wraps an error of a look-up or a question with what it was about.
func about(what string, err error) error { return fmt.Errorf("%s: %w", what, err) }
