package eval

import (
	"context"
	"fmt"
	"strings"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/contract"
	"github.com/remit-project/remit/label"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/schema"
	"github.com/remit-project/remit/scope"
)

// Conversation is one conversation under a defense. It takes the same events as
// [ledger.Session], which implements it, so that every defense sees the same
// recordings.
type Conversation interface {
	System(ctx context.Context, text string) error
	User(ctx context.Context, text string) error
	Decide(ctx context.Context, c remit.Call) (*remit.Decision, error)
	Confirm(ctx context.Context, call string) (*remit.Decision, error)
	Result(ctx context.Context, r remit.Result) error
}

// Begin starts a conversation under a defense.
type Begin func(id string) Conversation

// Description describes a defense.
type Description struct {
	// Name is short and stable: tables, plots and JSON use it.
	Name string `json:"name"`
	// About is one line for a reader who knows the design but not this code.
	About string `json:"about"`
	// Follows names the published system or the ablation that it represents.
	Follows string `json:"follows"`
}

// Defense is a way to guard an agent's calls.
type Defense interface {
	Describe() Description
	// Ready prepares the defense for a set of tools. It doesn't modify the
	// contracts.
	Ready(contracts []*contract.File, tools []*schema.Catalogue) (Begin, error)
}

// defenses returns the compared defenses: none, the published monitors as the
// PACT paper describes them, Remit at its four precisions, and Remit with one
// part removed.
func defenses() []Defense {
	const pact, ablation = "PACT", "ablation of Remit"
	return []Defense{
		none{},
		flat{},
		flat{conservative: true},
		engine{Description{"per-argument-user", "every argument is judged by itself, and all must come from the user", pact + ", uniform floor"}, uniform(label.User)},
		engine{Description{"per-argument-external", "every argument is judged by itself, and may come from anywhere", pact + ", uniform floor"}, uniform(label.External)},
		engine{Description{"no-roles", "all arguments of a tool have one role and the tool's strictest floor", ablation}, withoutRoles},
		forgetful{},
		engine{Description{"no-certificates", "roles and floors, and nothing recovers a blocked value (L2)", ablation}, setPrecision(label.L2)},
		engine{Description{"no-global-rules", "contracts alone: no sink rules, unprovoked calls pass", ablation}, withoutGlobalRules},
		engine{Description{"remit-L0", "the whole call is one value that must come from the user", pact + ", L0"}, setPrecision(label.L0)},
		engine{Description{"remit-L1", "the whole call is one value, held to the tool's strictest floor", pact + ", L1"}, setPrecision(label.L1)},
		engine{Description{"remit-L2", "every argument by its own role and floor", pact + ", L2"}, setPrecision(label.L2)},
		remitDefense(),
	}
}

// remitDefense returns the whole engine with its defaults.
func remitDefense() Defense {
	return engine{Description{"remit", "every argument by its own role and floor, with certificates (L3)", "PACT, L3"}, setPrecision(label.L3)}
}

// engine is Remit with changed contracts.
type engine struct {
	Description
	change func(*contract.File)
}

func (e engine) Describe() Description { return e.Description }

func (e engine) Ready(contracts []*contract.File, tools []*schema.Catalogue) (Begin, error) {
	m, err := monitor(contracts, tools, e.change, scope.ModeOff)
	if err != nil {
		return nil, err
	}
	return func(id string) Conversation { return ledger.Begin(m, id) }, nil
}

func monitor(contracts []*contract.File, tools []*schema.Catalogue, change func(*contract.File), scopes scope.Mode) (*remit.Monitor, error) {
	changed := make([]*contract.File, len(contracts))
	for i, f := range contracts {
		changed[i] = f.Clone()
		change(changed[i])
	}
	m, err := remit.New(remit.Options{Contracts: changed, Tools: tools, Scopes: scopes})
	if err != nil {
		return nil, fmt.Errorf("make the monitor: %w", err)
	}
	return m, nil
}

// arguments calls f for every argument entry of a tool, including those of
// variants.
func arguments(t *contract.Tool, f func(*contract.Arg)) {
	for i := range t.Args {
		f(&t.Args[i])
	}
	if t.Variants == nil {
		return
	}
	for i := range t.Variants.Cases {
		for j := range t.Variants.Cases[i].Args {
			f(&t.Variants.Cases[i].Args[j])
		}
	}
}

// setPrecision returns a change that sets the precision everywhere.
func setPrecision(p label.Precision) func(*contract.File) {
	return func(f *contract.File) {
		f.Precision = p
		for i := range f.Tools {
			f.Tools[i].Precision = label.PrecisionUnset
		}
	}
}

// withoutGlobalRules disables every rule outside of the contract.
func withoutGlobalRules(f *contract.File) {
	f.Sinks, f.Unprovoked = contract.Off, contract.Off
	for i := range f.Tools {
		t := &f.Tools[i]
		t.Sinks, t.Unprovoked = "", ""
		if t.Variants == nil {
			continue
		}
		for j := range t.Variants.Cases {
			t.Variants.Cases[j].Unprovoked = ""
		}
	}
}

// uniform returns a change that gives every argument the same floor. This
// baseline has neither certificates nor global rules.
func uniform(floor label.Trust) func(*contract.File) {
	return func(f *contract.File) {
		setPrecision(label.L2)(f)
		withoutGlobalRules(f)
		for i := range f.Tools {
			arguments(&f.Tools[i], func(a *contract.Arg) { a.Floor = floor })
		}
	}
}

// withoutRoles makes every argument of a tool a target with the strictest floor
// of the tool's arguments.
func withoutRoles(f *contract.File) {
	setPrecision(label.L3)(f)
	for i := range f.Tools {
		strictest := label.External
		arguments(&f.Tools[i], func(a *contract.Arg) { strictest = max(strictest, a.Floor) })
		arguments(&f.Tools[i], func(a *contract.Arg) { a.Role, a.Floor = label.Target, strictest })
	}
}

// none allows everything.
type none struct{}

func (none) Describe() Description {
	return Description{"none", "every call runs", "no defense"}
}

func (none) Ready([]*contract.File, []*schema.Catalogue) (Begin, error) {
	return func(string) Conversation { return open{} }, nil
}

type open struct{}

func (open) System(context.Context, string) error { return nil }
func (open) User(context.Context, string) error   { return nil }
func (open) Decide(_ context.Context, c remit.Call) (*remit.Decision, error) {
	return &remit.Decision{Call: c.ID, Tool: c.Tool, Verdict: remit.Allow}, nil
}
func (open) Confirm(_ context.Context, call string) (*remit.Decision, error) {
	return &remit.Decision{Call: call, Verdict: remit.Allow}, nil
}
func (open) Result(context.Context, remit.Result) error { return nil }

// flat is a monitor with one label for the whole call. Its lattice has two
// levels, as in the systems that it represents: text that outsiders may have
// written, and everything else.
type flat struct {
	// conservative uses the label of everything that the model has seen, instead
	// of the label of the call's own arguments.
	conservative bool
}

func (f flat) Describe() Description {
	if f.conservative {
		return Description{"flat-conservative", "the whole context has one label, and no call with a side effect follows external text", "CaMeL-like"}
	}
	return Description{"flat", "the call has one label, the merge of its arguments', and no side effect may have an external one", "FIDES-like"}
}

func (f flat) Ready(contracts []*contract.File, tools []*schema.Catalogue) (Begin, error) {
	// The engine only labels here: it accepts everything, and the flat rule
	// judges the labels.
	m, err := monitor(contracts, tools, uniform(label.External), scope.ModeOff)
	if err != nil {
		return nil, err
	}
	return func(id string) Conversation {
		return &flatSession{Session: ledger.Begin(m, id), conservative: f.conservative, contracts: contracts,
			context: label.User, outputs: map[string]label.Trust{}}
	}, nil
}

type flatSession struct {
	*ledger.Session
	conservative bool
	contracts    []*contract.File
	context      label.Trust
	outputs      map[string]label.Trust // by call
}

func (s *flatSession) Decide(ctx context.Context, c remit.Call) (*remit.Decision, error) {
	d, err := s.Session.Decide(ctx, c)
	if err != nil || d.Verdict == remit.Deny {
		return d, err
	}

	if d.Verdict == remit.Ask { // a doubt that this baseline doesn't know
		if d, err = s.Session.Confirm(ctx, d.Call); err != nil {
			return nil, err
		}
	}
	s.outputs[d.Call] = s.output(d)
	whole := s.context
	if !s.conservative {
		whole = label.Trusted
		for _, f := range d.Findings {
			whole = min(whole, f.Trust)
		}
	}

	if d.Effect != contract.Read && whole == label.External {
		d.Verdict, d.Confirmed = remit.Deny, false
		d.Reasons = []remit.Reason{{Code: remit.BelowFloor, Verdict: remit.Deny, Message: "the call as a whole is EXTERNAL and has a side effect"}}
	}
	return d, nil
}

// output returns the trust that the contract gives a call's result.
func (s *flatSession) output(d *remit.Decision) label.Trust {
	for _, f := range s.contracts {
		if f.Server != d.Server {
			continue
		}
		t, ok := f.Tool(d.Tool)
		if !ok {
			continue
		}
		if t.Variants != nil {
			for _, k := range t.Variants.Cases {
				if k.Value == d.Variant && k.Output != nil {
					return k.Output.Trust
				}
			}
		}
		return t.Output.Trust
	}
	return label.External
}

// Confirm implements [Conversation]; this defense never asks.
func (s *flatSession) Confirm(_ context.Context, call string) (*remit.Decision, error) {
	return &remit.Decision{Call: call, Verdict: remit.Deny}, nil
}

func (s *flatSession) Result(ctx context.Context, r remit.Result) error {
	switch strings.TrimSpace(r.Content) {
	case "", "[]", "{}", "null", "None":
		// Nothing that an outsider could have written.
	default:
		s.context = min(s.context, s.outputs[r.Call])
	}
	return s.Session.Result(ctx, r)
}

// forgetful is Remit without persistent labels: a value keeps its label for one
// step. Text in the last result has that result's label, and earlier text counts
// as the model's own.
type forgetful struct{}

func (forgetful) Describe() Description {
	return Description{"no-cross-step", "labels last one step: only the last result's values keep theirs", "ablation of Remit"}
}

func (forgetful) Ready(contracts []*contract.File, tools []*schema.Catalogue) (Begin, error) {
	m, err := monitor(contracts, tools, setPrecision(label.L3), scope.ModeOff)
	if err != nil {
		return nil, err
	}
	return func(id string) Conversation {
		return &forgetfulSession{monitor: m, id: id, calls: map[string]remit.Call{}}
	}, nil
}

type forgetfulSession struct {
	monitor *remit.Monitor
	id      string
	texts   []func(context.Context, *ledger.Session) error
	calls   map[string]remit.Call
	last    *remit.Result
	now     *ledger.Session
}

func (s *forgetfulSession) System(_ context.Context, text string) error {
	s.texts = append(s.texts, func(ctx context.Context, to *ledger.Session) error { return to.System(ctx, text) })
	return nil
}

func (s *forgetfulSession) User(_ context.Context, text string) error {
	s.texts = append(s.texts, func(ctx context.Context, to *ledger.Session) error { return to.User(ctx, text) })
	return nil
}

// newSession starts a session that knows the texts and, if last is set, the last
// result.
func (s *forgetfulSession) newSession(ctx context.Context, last bool) (*ledger.Session, error) {
	to := ledger.Begin(s.monitor, s.id)
	for _, say := range s.texts {
		if err := say(ctx, to); err != nil {
			return nil, err
		}
	}

	if !last {
		return to, nil
	}
	d, err := to.Decide(ctx, s.calls[s.last.Call])
	if err != nil {
		return nil, err
	}

	if d.Verdict == remit.Ask { // it ran: something settled it then
		if _, err := to.Confirm(ctx, d.Call); err != nil {
			return nil, err
		}
	}
	return to, to.Result(ctx, *s.last)
}

func (s *forgetfulSession) Decide(ctx context.Context, c remit.Call) (*remit.Decision, error) {
	s.calls[c.ID] = c
	if s.last != nil {
		to, err := s.newSession(ctx, true)
		if err != nil {
			return nil, err
		}
		d, err := to.Decide(ctx, c)
		if err != nil {
			return nil, err
		}
		if fromResult(d) {
			s.now = to
			return d, nil
		}
	}

	to, err := s.newSession(ctx, false)
	if err != nil {
		return nil, err
	}
	s.now = to
	return to.Decide(ctx, c)
}

// fromResult reports whether some argument appears whole in a result.
func fromResult(d *remit.Decision) bool {
	for _, f := range d.Findings {
		for _, e := range f.Evidence {
			if strings.HasPrefix(e.Origin, "result:") && e.ValueEnd-e.ValueStart >= len(f.Value) {
				return true
			}
		}
	}
	return false
}

func (s *forgetfulSession) Confirm(ctx context.Context, call string) (*remit.Decision, error) {
	return s.now.Confirm(ctx, call)
}

func (s *forgetfulSession) Result(_ context.Context, r remit.Result) error {
	s.last = &r
	return nil
}
