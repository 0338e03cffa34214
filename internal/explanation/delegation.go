package explanation

import (
	"context"
	"encoding/json"

	"github.com/remit-project/remit"
	"github.com/remit-project/remit/internal/question"
	"github.com/remit-project/remit/ledger"
	"github.com/remit-project/remit/scope"
)

// Delegation is a source whose instructions the user told the agent to follow, with the plan that
// was made of it, for the caller who asks a person about it.
type Delegation struct {
	// Call, Server and Tool name the call that returned the source; empty for a proposal of
	// the assistant's.
	Call   string `json:"call,omitempty"`
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool,omitempty"`
	// Text is the source, raw: an attacker may have written it.
	Text string `json:"text"`
	// Question is what a person is to read, with everything of others in quotes.
	Question string `json:"question"`
	// Plan and Delegated are what an agreement sends back as they are; nil where there is no
	// plan, which Failed explains.
	Plan      json.RawMessage  `json:"plan,omitempty"`
	Delegated *scope.Delegated `json:"delegated,omitempty"`
	// Words are the calls that an agreement lets through, in words, and Left counts those
	// that can't be shown so.
	Words  []string `json:"words,omitempty"`
	Left   int      `json:"left,omitempty"`
	Failed string   `json:"failed,omitempty"`
}

// OfDelegations returns the sources that the user's last turn delegates to, that were read and
// whose plans await agreement. A planner is asked about each.
func OfDelegations(ctx context.Context, s *ledger.Session) ([]Delegation, error) {
	list, err := s.Delegated(ctx)
	out := make([]Delegation, len(list))
	for i, d := range list {
		out[i] = Delegation{Call: d.Call, Server: d.Server, Tool: d.Tool, Text: d.Text, Question: question.Delegation(d), Left: d.Left, Failed: d.Failed}
		if d.Scope != nil {
			out[i].Plan, out[i].Delegated, out[i].Words = d.Plan, &d.Record, Words(d.Scope)
		}
	}
	return out, err
}

// Agreed returns the delegation to which a person agreed who was shown a plan elsewhere.
func Agreed(plan json.RawMessage, delegated scope.Delegated) *remit.Delegation {
	return &remit.Delegation{Turn: delegated.Turn, Call: delegated.Call, Digest: delegated.Digest, Plan: plan, Record: delegated}
}
