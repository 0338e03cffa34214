package scope

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"unicode/utf8"
)

// The bounds of a plan that is made of a delegated source: a person reads all of it.
const (
	// MaxMaterial bounds the text of the source, in bytes. A longer one can't be shown.
	MaxMaterial = 8 << 10
	// MaxDelegated bounds the entries of such a plan, MaxStated the alternatives of a
	// value in it, and MaxStatedText the length of each, in characters.
	MaxDelegated, MaxStated, MaxStatedText = 16, 8, 256
	// maxRepeats bounds how often such an entry says that its call may be made.
	maxRepeats = 16
)

// Material is a text that a planner plans for beside the user's words: a source whose
// instructions the user told the agent to follow. An attacker may have written it, so its plan
// counts only once a person has agreed to it.
type Material struct {
	// From names the tool that returned the text; empty for the assistant's words.
	From string `json:"from,omitempty"`
	Text string `json:"text"`
}

// Delegated is the log's record of a plan that a person agreed to: which source it was
// made of, and what it took.
type Delegated struct {
	// Turn counts the user's turns up to the one that delegates, from 1 on.
	Turn int `json:"turn"`
	// Call is the call in whose result the source is, empty for a proposal of the
	// assistant's, and Digest that of its text.
	Call   string `json:"call,omitempty"`
	Digest string `json:"digest"`
	// Beside is set where the answer came with other words of the user's: the plan holds through
	// the turn that these begin.
	Beside bool `json:"beside,omitempty"`
	// Plan is the digest of the entries that the person was shown.
	Plan string `json:"plan,omitempty"`
	// Shown is the digest of the planner's request, and Model what answered.
	Shown        string `json:"shown,omitempty"`
	Model        string `json:"model,omitempty"`
	InputTokens  int    `json:"input_tokens,omitempty"`
	OutputTokens int    `json:"output_tokens,omitempty"`
}

// TextDigest returns the digest that identifies the text of a source.
func TextDigest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Confirmable returns the part of a plan that a person can agree to by reading it: entries that
// state their values, or take the only one of a source. It grants nothing that it doesn't say.
// The others are refused, and so are further delegations.
func (s *Scope) Confirmable() (*Scope, []Refusal) {
	out := &Scope{}
	var refused []Refusal
	for i := range s.Calls {
		c := &s.Calls[i]
		why := c.unreadable()
		if why == "" && len(out.Calls) == MaxDelegated {
			why = fmt.Sprintf("the plan has more than %d calls", MaxDelegated)
		}
		if why != "" {
			refused = append(refused, Refusal{fmt.Sprintf("/calls/%d", i), why})
			continue
		}
		out.Calls = append(out.Calls, *c)
	}
	return out, refused
}

// unreadable says why a person can't tell from an entry what it authorises; empty where
// that is plain.
func (c *Call) unreadable() string {
	if tooLong(c.Tool) || tooLong(c.Server) {
		return fmt.Sprintf("the tool's name has more than %d characters", MaxStatedText)
	}
	if c.Times.Each || c.Times.N > maxRepeats {
		return fmt.Sprintf("the call may be made more than %d times", maxRepeats)
	}
	if c.Group != "" || len(c.If)+len(c.Unless)+len(c.OnlyIf) > 0 {
		return "the call has conditions"
	}
	return unreadable(c.Args, 0)
}

func unreadable(args []Arg, depth int) string {
	for i := range args {
		a := &args[i]
		if tooLong(a.Pointer) {
			return fmt.Sprintf("an argument's name has more than %d characters", MaxStatedText)
		}
		if why := a.Constraint.unreadable(depth); why != "" {
			return a.Pointer + ": " + why
		}
	}
	return ""
}

func tooLong(text string) bool { return utf8.RuneCountInString(text) > MaxStatedText }

func (c *Constraint) unreadable(depth int) string {
	switch {
	case len(c.Is)+len(c.Date) > MaxStated:
		return fmt.Sprintf("it has more than %d alternatives", MaxStated)
	case slices.ContainsFunc(slices.Concat(c.Is, c.Date), func(v Value) bool { return tooLong(string(v)) }):
		return fmt.Sprintf("a value has more than %d characters", MaxStatedText)
	case c.Computed, c.Unchanged, c.Template != "", len(c.Except) > 0, c.Record != "":
		return "what it may be is not stated"
	case len(c.From) == 0:
		return ""
	case len(c.From) > 1 || c.Pick != Only || depth > 0:
		return "it may be one of several values"
	}

	s := &c.From[0]
	if len(s.Where)+len(s.Or) > 0 || tooLong(s.Field) || tooLong(s.Tool) || tooLong(s.Server) {
		return "where it comes from is more than a field of a call"
	}
	return unreadable(s.Args, depth+1)
}
