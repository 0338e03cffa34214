package scope

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Planner writes down what a turn of the user's authorises. It sees a [Request], which
// has trusted text alone, and nothing else: an implementation must not fetch anything.
// It is called at most once for a turn, beside the agent's own first answer, and its
// context ends when the monitor stops waiting.
//
// What it returns is not believed: the monitor reads it strictly, enforces it, and takes
// an error for a turn without a scope.
type Planner interface {
	Plan(ctx context.Context, r *Request) (*Plan, error)
}

// Request is all that a planner is shown.
type Request struct {
	// Turn counts the user's turns up to the one that is planned for, from 1 on.
	Turn int `json:"-"`
	// Now is when the user's turn arrived, with the user's time zone.
	Now time.Time `json:"now"`
	// Said is the conversation, oldest first. The last one is the user's turn that is
	// planned for.
	Said []Said `json:"said"`
	// Omitted counts the older texts that Said leaves out for their size.
	Omitted int `json:"omitted,omitempty"`
	// Tools are those that the agent has.
	Tools []Tool `json:"tools"`
	// Material is the source that the user's turn delegates to, where the plan is for
	// what that says. The plan of a turn never has any.
	Material *Material `json:"material,omitempty"`
}

// Said is one text of a conversation.
type Said struct {
	By   Speaker `json:"by"`
	Text string  `json:"text"`
}

// Speaker says who wrote a text.
type Speaker string

// The speakers. An assistant's text is in a [Request] only where it was written before
// the model read anything untrusted.
const (
	BySystem    Speaker = "system"
	ByUser      Speaker = "user"
	ByAssistant Speaker = "assistant"
)

// Tool is a tool as a planner sees it.
type Tool struct {
	Server string `json:"server,omitempty"`
	Name   string `json:"name"`
	// Effect is the contract's: read, write, destructive, execute or egress.
	Effect string `json:"effect"`
	// Description is empty where no person has reviewed the server's definitions.
	Description string `json:"description,omitempty"`
	// Args are the places of the tool's input that a scope can constrain.
	Args []Parameter `json:"args,omitempty"`
	// Returns are the members of its structured result, where the server describes it.
	Returns []Parameter `json:"returns,omitempty"`
}

// Parameter is a place in a tool's input or result.
type Parameter struct {
	// Pointer is a JSON pointer with "*" for any index.
	Pointer  string   `json:"path"`
	Type     string   `json:"type,omitempty"`
	Required bool     `json:"required,omitempty"`
	Values   []string `json:"values,omitempty"`
	// Role is what the contract says of the argument: target, content and so on.
	Role string `json:"role,omitempty"`
	// Description is empty where no person has reviewed it, as Default is.
	Description string `json:"description,omitempty"`
	Default     string `json:"default,omitempty"`
}

// Digest names the request: "sha256:" and the digest of its JSON. Two requests with the
// same digest have the same answer.
func (r *Request) Digest() string { return digest(r) }

// digest names what a planner is asked by its JSON.
func digest(request any) string {
	text, err := json.Marshal(request)
	if err != nil {
		return "" // times beyond the year 9999 alone can't be written
	}
	return TextDigest(string(text))
}

// Plan is a planner's answer.
type Plan struct {
	// Scope is the scope as the planner wrote it.
	Scope json.RawMessage
	// Model names what answered, for the log.
	Model string
	// InputTokens and OutputTokens are what the answer took; 0 where that isn't known,
	// or where it took nothing.
	InputTokens, OutputTokens int
}

// Planned is the log's record of a plan: what the planner was shown, and what it took.
type Planned struct {
	// Turn counts the user's turns up to the one that was planned for, from 1 on.
	Turn int `json:"turn"`
	// Shown is the digest of the request, and Tools that of the tools in it.
	Shown string `json:"shown,omitempty"`
	Tools string `json:"tools,omitempty"`
	Model string `json:"model,omitempty"`
	// Failed says why there is no scope; empty where there is one.
	Failed       string `json:"failed,omitempty"`
	InputTokens  int    `json:"input_tokens,omitempty"`
	OutputTokens int    `json:"output_tokens,omitempty"`
}

// DefaultPlanTime is how long a decision waits for the turn's plan where nothing else is
// configured, from when the planner was asked.
const DefaultPlanTime = 20 * time.Second

// Ask asks a planner within a time; [DefaultPlanTime] when zero. A planner that errs,
// panics, is late or answers nothing is an error, which says so in words for the log.
// Ask returns when the time is over even if the planner doesn't.
func Ask(ctx context.Context, p Planner, r *Request, limit time.Duration) (*Plan, error) {
	return within(ctx, limit, func(ctx context.Context) (*Plan, error) {
		plan, err := p.Plan(ctx, r)
		if err == nil && (plan == nil || len(plan.Scope) == 0) {
			err = errors.New("the planner answered nothing")
		}
		return plan, err
	})
}

// within asks a planner within a time, and returns when it is over.
func within[T any](ctx context.Context, limit time.Duration, ask func(context.Context) (*T, error)) (*T, error) {
	if limit <= 0 {
		limit = DefaultPlanTime
	}
	late := fmt.Errorf("the planner gave no answer within %v", limit)
	ctx, stop := context.WithTimeoutCause(ctx, limit, late)
	defer stop()

	type answer struct {
		of  *T
		err error
	}
	answered := make(chan answer, 1)
	go func() {
		of, err := guarded(ctx, ask)
		answered <- answer{of, err}
	}()

	select {
	case a := <-answered:
		if a.err != nil && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return a.of, a.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// guarded asks a planner and turns a panic into an error.
func guarded[T any](ctx context.Context, ask func(context.Context) (*T, error)) (of *T, err error) {
	defer func() {
		if v := recover(); v != nil {
			of, err = nil, fmt.Errorf("the planner panicked: %v", v)
		}
	}()
	return ask(ctx)
}
