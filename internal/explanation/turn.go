package explanation

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/display"
	"github.com/remit-project/remit/internal/planner"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/scope"
)

// Turn is what a turn of the user's authorises, or why it has no scope.
type Turn struct {
	// Calls counts the entries that hold, and Refused says why others don't.
	Calls   int             `json:"calls"`
	Refused []scope.Refusal `json:"refused,omitempty"`
	// Words are the entries that hold, in words.
	Words []string `json:"words,omitempty"`
	// Scope is the scope as it was written; nil where there is none.
	Scope json.RawMessage `json:"scope,omitempty"`
	// Planned says what the planner was shown, what it took, and where it failed; nil
	// where the trusted side gave the scope.
	Planned *scope.Planned `json:"planned,omitempty"`
	// Names are what the planner said, once results were there, of the names in the scope.
	Names []scope.Named `json:"names,omitempty"`
}

// OfTurn reads the scope of the user's last turn from a session; nil where the turn has none, and
// no plan either.
func OfTurn(ctx context.Context, s *ledger.Session) (*Turn, error) {
	e, err := s.LastScope(ctx)
	if e == nil {
		return nil, err
	}
	out, err := OfScope(ctx, s, e)
	if err != nil {
		return nil, err
	}
	out.Names, err = s.LastNames(ctx)
	return out, err
}

// Names says which members names of a scope mean, each in words.
func Names(n *scope.Named) []string {
	var out []string
	for _, m := range n.Names {
		out = append(out, fmt.Sprintf("%s: %s is %s", display.Name(n.Tool), display.Name(m.Guess), display.Name(m.Member)))
	}
	if n.Failed == "" && len(out) == 0 {
		out = []string{display.Name(n.Tool) + ": no name means a member of its results"}
	}
	return out
}

// OfScope says what the scope of an event is in a session.
func OfScope(ctx context.Context, s *ledger.Session, e *remit.Event) (*Turn, error) {
	out := &Turn{Scope: e.Scope, Planned: e.Planned}
	if len(e.Scope) == 0 {
		return out, nil
	}
	parsed, refused, err := s.CheckScope(ctx, e.Scope)
	if err != nil {
		return nil, err
	}
	out.Calls, out.Refused, out.Words = len(parsed.Calls), refused, Words(parsed)
	return out, nil
}

// Words says each entry of a scope in words. Text of others in it is quoted, and bounded.
func Words(s *scope.Scope) []string {
	var out []string
	for i := range s.Calls {
		c := &s.Calls[i]
		text := display.Name(c.Tool) + " " + Often(c.Times)
		for j := range c.Args {
			a := &c.Args[j]
			text += "; " + display.Name(strings.TrimPrefix(a.Pointer, "/")) + ": " + planner.Says(&a.Constraint)
		}
		out = append(out, text)
	}
	for i := range s.Delegates {
		out = append(out, "instructions in "+planner.Source(&s.Delegates[i]))
	}
	return out
}

// Often says how often a call may be made.
func Often(t scope.Times) string {
	switch {
	case t.Each:
		return "once for each value"
	case t.N == 1:
		return "once"
	}
	return fmt.Sprintf("up to %d times", t.N)
}
