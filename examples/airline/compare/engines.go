package compare

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/cedar-policy/cedar-go"
	"github.com/open-policy-agent/opa/v1/rego"

	"github.com/remit-project/remit/examples/airline"
	"github.com/remit-project/remit/guard"
)

// Call is a call with everything that the rules need to know, as JSON: what
// other engines are given, and what Remit looks up.
type Call struct {
	Tool        string            `json:"tool"`
	Args        json.RawMessage   `json:"args"`
	Now         time.Time         `json:"now"`
	Said        string            `json:"said"`
	Reservation json.RawMessage   `json:"reservation"`
	User        json.RawMessage   `json:"user"`
	Flights     []json.RawMessage `json:"flights"`
}

// Engine names the rules that a call violates, in the order of their names.
type Engine interface {
	Violations(ctx context.Context, c *Call) ([]string, error)
}

// rules are those that all engines have, by their tools.
var rules = map[string][]string{
	"cancel_reservation":          {"cancellable", "not-flown"},
	"update_reservation_baggages": {"bags-are-only-added", "free-bags"},
}

// Remit evaluates the example's own guards.
type Remit struct{ guards *guard.Set }

// NewRemit compiles the guards, with the compared rules alone.
func NewRemit() (*Remit, error) {
	scope, err := airline.Deployment()
	if err != nil {
		return nil, err
	}
	files, err := airline.Policies()
	if err != nil {
		return nil, err
	}
	var some []*guard.File
	for _, f := range files {
		f.Policies = slices.DeleteFunc(f.Policies, func(p guard.Policy) bool { return !slices.Contains(rules[f.Tool], p.Name) })
		if len(f.Policies) > 0 {
			some = append(some, f)
		}
	}
	set, err := guard.Compile(some, scope)
	return &Remit{set}, err
}

// Violations implements [Engine]. Look-ups are answered from the call.
func (r *Remit) Violations(ctx context.Context, c *Call) ([]string, error) {
	g, ok := r.guards.Guard(airline.Name, c.Tool)
	if !ok {
		return nil, fmt.Errorf("no guard for %s", c.Tool)
	}
	out := g.Evaluate(ctx, guard.Request{Arguments: c.Args, Now: c.Now, Reader: &lookups{call: c},
		History: &guard.History{Entries: []guard.Entry{{Kind: guard.UserEntry, Text: c.Said}}}})
	var names []string
	for _, v := range out.Violations {
		if v.Failed != "" {
			return nil, fmt.Errorf("%s: %s", v.Policy, v.Failed)
		}
		names = append(names, v.Policy)
	}
	slices.Sort(names)
	return names, nil
}

type lookups struct{ call *Call }

// Read implements [guard.Reader].
func (l *lookups) Read(_ context.Context, _, tool string, arguments json.RawMessage) (*guard.Result, error) {
	switch tool {
	case "get_reservation_details":
		return &guard.Result{Structured: l.call.Reservation}, nil
	case "get_user_details":
		return &guard.Result{Structured: l.call.User}, nil
	}

	var want, have struct {
		Number string `json:"flight_number"`
		Date   string `json:"date"`
	}
	if err := json.Unmarshal(arguments, &want); err != nil {
		return nil, err
	}

	for _, f := range l.call.Flights {
		if err := json.Unmarshal(f, &have); err != nil {
			return nil, err
		}
		if have == want {
			return &guard.Result{Structured: f}, nil
		}
	}

	return nil, fmt.Errorf("no flight %s", want.Number)
}

//go:embed airline.rego
var regoSource string

// Rego evaluates the rules in Open Policy Agent's language.
type Rego struct{ query rego.PreparedEvalQuery }

// NewRego compiles them.
func NewRego(ctx context.Context) (*Rego, error) {
	q, err := rego.New(rego.Query("data.airline.violations"), rego.Module("airline.rego", regoSource)).PrepareForEval(ctx)
	return &Rego{q}, err
}

// Violations implements [Engine].
func (r *Rego) Violations(ctx context.Context, c *Call) ([]string, error) {
	document, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}

	var input any
	if err := json.Unmarshal(document, &input); err != nil {
		return nil, err
	}
	results, err := r.query.Eval(ctx, rego.EvalInput(input))
	if err != nil {
		return nil, err
	}
	if len(results) == 0 {
		return nil, fmt.Errorf("the query is undefined")
	}
	values, ok := results[0].Expressions[0].Value.([]any)
	if !ok {
		return nil, fmt.Errorf("the result is a %T", results[0].Expressions[0].Value)
	}

	var names []string
	for _, v := range values {
		names = append(names, v.(string))
	}
	slices.Sort(names)
	return names, nil
}

//go:embed airline.cedar
var cedarSource []byte

// Cedar evaluates the rules in Cedar's language. What it can't work out, the
// program does before.
type Cedar struct{ policies *cedar.PolicySet }

// NewCedar compiles them.
func NewCedar() (*Cedar, error) {
	p, err := cedar.NewPolicySetFromBytes("airline.cedar", cedarSource)
	return &Cedar{p}, err
}

// Violations implements [Engine].
func (e *Cedar) Violations(_ context.Context, c *Call) ([]string, error) {
	facts, err := c.facts()
	if err != nil {
		return nil, err
	}
	_, why := cedar.Authorize(e.policies, cedar.EntityMap{}, cedar.Request{
		Principal: cedar.NewEntityUID("Agent", "a"), Action: cedar.NewEntityUID("Action", cedar.String(c.Tool)), Resource: cedar.NewEntityUID("Tool", cedar.String(c.Tool)),
		Context: cedar.NewRecord(facts)})
	if len(why.Errors) > 0 {
		return nil, fmt.Errorf("%v", why.Errors)
	}
	var names []string
	for _, reason := range why.Reasons {
		if p := e.policies.Get(reason.PolicyID); p.Effect() == cedar.Forbid {
			names = append(names, string(p.Annotations()["id"]))
		}
	}
	slices.Sort(names)
	return names, nil
}

// facts brings a call into what Cedar's rules can be about: no lists of records,
// and no counts.
func (c *Call) facts() (cedar.RecordMap, error) {
	var args struct {
		Total   int64 `json:"total_baggages"`
		Nonfree int64 `json:"nonfree_baggages"`
	}
	var reservation airline.Reservation
	var user struct{ Membership string }
	for raw, into := range map[*json.RawMessage]any{&c.Args: &args, &c.Reservation: &reservation, &c.User: &user} {
		if err := json.Unmarshal(*raw, into); err != nil {
			return nil, err
		}
	}

	created, err := time.Parse(time.RFC3339, reservation.CreatedAt+"-05:00")
	if err != nil {
		return nil, err
	}

	var statuses []cedar.Value
	for _, f := range c.Flights {
		var flight struct{ Status string }
		if err := json.Unmarshal(f, &flight); err != nil {
			return nil, err
		}
		statuses = append(statuses, cedar.String(flight.Status))
	}

	return cedar.RecordMap{
		"now": cedar.NewDatetime(c.Now), "created": cedar.NewDatetime(created), "said": cedar.String(c.Said),
		"cabin": cedar.String(reservation.Cabin), "insurance": cedar.String(reservation.Insurance), "statuses": cedar.NewSet(statuses...),
		"membership": cedar.String(user.Membership), "passengers": cedar.Long(len(reservation.Passengers)),
		"total": cedar.Long(args.Total), "nonfree": cedar.Long(args.Nonfree), "had": cedar.Long(reservation.TotalBaggages),
	}, nil
}
