package guard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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

// Request is a call that is to be judged, with what is known about it.
type Request struct {
	// Server and Tool are the tool that is called. Where there is no tool, it is
	// the one of the guard that is asked.
	Server, Tool string
	// Arguments are one JSON object in the canonical form of package strictjson.
	Arguments json.RawMessage
	// Leaves are the scalars of the arguments with their labels; it is called
	// only where a rule asks. Without it, no value has a label.
	Labels func() []LabeledValue
	// Session is what happened before.
	History *History
	Now     time.Time
	// Reader calls tools for rules, and Judge answers their questions. A rule
	// that needs one which isn't there fails.
	Reader Reader
	Judge  Judge
	// Recorded are what look-ups and questions found when the call was judged
	// before. When it is set, nothing is asked anew.
	Recorded *Facts
}

// Outcome is what a guard says of a call.
type Outcome struct {
	// Violations are the rules that don't hold, in the order of the file.
	Violations []Violation
	// Facts are what was looked up and asked; nil when nothing was.
	Facts *Facts
	// Missing is set by [Set.Recall] when a rule wants what the recorded facts don't
	// have. That rule failed.
	Missing bool
}

// Violation is a rule that doesn't hold, or of which nobody can tell.
type Violation struct {
	// Policy is the rule's name, References its sentences, Message its words.
	Policy     string
	References []string
	Message    string
	// Verdict is [label.Deny] or [label.Ask].
	Verdict label.Verdict
	// Failed says what went wrong where the rule could not be decided; empty
	// where it was, and doesn't hold.
	Failed string
	// Values are those that decided.
	Values []Value
	// Place is where the rule stands, as file:line:column.
	Place string
}

// Value is a part of a rule with what it was.
type Value struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Evaluate judges a call by all rules of the guard.
func (g *Guard) Evaluate(ctx context.Context, r Request) Outcome {
	if r.Tool == "" {
		r.Server, r.Tool = g.Server, g.Tool
	}
	r.Server = g.callee(r.Server, r.Tool).server
	return evaluate(ctx, []*Guard{g}, r)
}

// evaluate judges a call by all rules of several guards.
func evaluate(ctx context.Context, guards []*Guard, r Request) Outcome {
	if len(guards) == 0 {
		return Outcome{}
	}
	return newEvaluation(guards[0].types, r).evaluate(ctx, guards)
}

func (x *evaluation) evaluate(ctx context.Context, guards []*Guard) Outcome {
	var undecided []*verdict
	var decided []*Violation
	for _, g := range guards {
		v, failed := x.by(g)
		if failed != nil {
			// What keeps several guards from looking is said once.
			if !slices.ContainsFunc(decided, func(d *Violation) bool { return d != nil && d.Failed == failed.Failed && d.Verdict == failed.Verdict }) {
				undecided, decided = append(undecided, nil), append(decided, failed)
			}
			continue
		}
		for _, it := range g.policies {
			undecided = append(undecided, &verdict{scope: scope{x: v, policy: it, values: make([]ref.Val, len(it.variables))}})
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

	out := Outcome{Facts: x.learned(), Missing: x.missing}
	for _, v := range decided {
		if v != nil {
			out.Violations = append(out.Violations, *v)
		}
	}

	return out
}

// failed is what is said where no rule of the guard could be looked at.
func (g *Guard) failed(why string) *Violation {
	return &Violation{Verdict: g.File.Otherwise, Failed: why, Place: g.File.Position.String()}
}

// evaluation is one call that is being judged.
type evaluation struct {
	request Request
	types   sessionTypes
	session *sessionValue
	call    ref.Val // the call as expressions see it; nil while none has asked
	shape   *record.Shape
	args    ref.Val // as the shape has them
	leaves  []LabeledValue

	inquiries
	inquires bool // what the recorded facts don't have is looked up and asked
	missing  bool // a rule wanted what they don't have
	// failures are the look-ups and questions without an answer that the rule at
	// hand needed: it fails, whatever CEL makes of them.
	failures []error
}

func newEvaluation(t sessionTypes, r Request) *evaluation {
	if r.History == nil {
		r.History = &History{}
	}
	return &evaluation{request: r, types: t, session: &sessionValue{types: t, session: r.History}}
}

// view is what the rules of one guard see of a call.
type view struct {
	*evaluation
	guard *Guard
	args  ref.Val
	funcs map[string]cel.LateBoundFunction
}

// by is the call as a guard's rules see it. There is a violation instead where
// none of them can be looked at.
func (x *evaluation) by(g *Guard) (*view, *Violation) {
	if g.broken != nil {
		return nil, g.failed("the rules of " + g.of() + " have mistakes, and hold nothing: remit policy lint lists them")
	}
	args, err := x.arguments(g.callee(x.request.Server, x.request.Tool).args)
	if err != nil {
		return nil, g.failed("the arguments are not as the tool's schema has them: " + err.Error())
	}
	if g.Tool == EveryTool {
		args = record.AsMap(args)
	}
	return &view{evaluation: x, guard: g, args: args}, nil
}

// arguments reads those of the call, once for all guards to which they are the
// same.
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

// scope is the activation of one rule: its variables above what all rules see.
type scope struct {
	x      *view
	policy *compiledPolicy
	values []ref.Val // of the variables; nil where not worked out yet
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
		if s.x.call == nil {
			r := &s.x.request
			s.x.call = s.x.session.call(len(r.History.Entries), &Entry{Time: r.Now, Call: &Call{Server: r.Server, Tool: r.Tool, Arguments: r.Arguments}})
		}
		return s.x.call, true
	}

	if s.policy == nil {
		return nil, false
	}

	for i, v := range s.policy.variables {
		if v.name == name {
			if s.values[i] == nil {
				s.values[i] = s.x.run(v.expression, s)
			}
			return s.values[i], true
		}
	}

	return nil, false
}

// Parent implements [cel.Activation].
func (s *scope) Parent() cel.Activation { return nil }

// run evaluates an expression. An error is a value, as in CEL.
func (x *view) run(e *expression, s *scope) ref.Val {
	program, err := e.plan()
	if err != nil {
		return types.WrapErr(err)
	}
	vars, err := x.activation(e, s)
	if err != nil {
		return types.WrapErr(err)
	}
	v, _, err := program.Eval(vars)
	if err != nil {
		return types.WrapErr(err)
	}
	return v
}

// activation adds the functions that depend on the call to a scope, where an
// expression calls any.
func (x *view) activation(e *expression, s *scope) (cel.Activation, error) {
	if !e.asks {
		return s, nil
	}
	if x.funcs == nil {
		x.funcs = x.functions()
	}
	return cel.FunctionVars(s, x.funcs)
}

// verdict is a policy that is being decided.
type verdict struct {
	scope scope
}

// decide evaluates the policy; done is false while it waits for a look-up or an
// answer. There is no violation where the policy holds.
func (v *verdict) decide() (violation *Violation, done bool) {
	x, it := v.scope.x, v.scope.policy
	if it.require == nil {
		return it.violation("nothing checks this rule yet", nil), true
	}

	clear(v.scope.values)
	x.failures = nil
	result := x.run(it.require, &v.scope)
	switch {
	case len(x.failures) > 0:
		return it.violation(cut(errors.Join(x.failures...).Error(), MaxShown), nil), true
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

// functions are those whose answers depend on the call.
func (x *view) functions() map[string]cel.LateBoundFunction {
	funcs := make(map[string]cel.LateBoundFunction, len(x.guard.readers)+2)
	for name, r := range x.guard.readers {
		funcs[name] = func(_ string, args ...ref.Val) ref.Val { return x.lookUp(r, args[0]) }
	}
	funcs["judge"] = func(_ string, args ...ref.Val) ref.Val { return x.ask(args) }
	funcs["label"] = func(_ string, args ...ref.Val) ref.Val { return x.labelOf(args[0]) }
	return funcs
}

// fail notes that the rule at hand can't be decided.
func (x *evaluation) fail(err error) ref.Val {
	x.failures = append(x.failures, err)
	return types.WrapErr(err)
}

func textOf(v ref.Val) string { return cut(record.Text(v), MaxShown) }

// errorf is an error of a look-up or question, with what it was about.
func about(what string, err error) error { return fmt.Errorf("%s: %w", what, err) }
