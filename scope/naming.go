package scope

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Namer is a [Planner] that also says which member of a result a name of its scope means. A planner writes names
// before anything is read, and guesses them where a tool doesn't say what it returns. Once a result has no such
// member, the planner is asked about the names of those that it has, and about no value.
//
// Its answer can only say what a guessed name stands for: see [Meant].
type Namer interface {
	Name(ctx context.Context, r *NameRequest) (*Naming, error)
}

// The bounds of a request for names.
const (
	// MaxMembers bounds the members that are offered, and MaxMemberName the name of each, in characters.
	MaxMembers    = 64
	MaxMemberName = 40
	// MaxGuesses bounds the names that are asked about, and MaxUses what is said of each.
	MaxGuesses = 32
	MaxUses    = 4
	// MaxNamings bounds the questions that are asked in a row.
	MaxNamings = 16
)

// NameRequest is all that a [Namer] is shown.
type NameRequest struct {
	// Turn counts the user's turns up to the one whose scope has the names, from 1 on, and Call is the call whose
	// result has the members.
	Turn int    `json:"-"`
	Call string `json:"-"`
	// Now, Said and Omitted are those of the turn's [Request].
	Now     time.Time `json:"now"`
	Said    []Said    `json:"said"`
	Omitted int       `json:"omitted,omitempty"`
	// Server and Tool are those of the call.
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool"`
	// Guesses are names of the scope that no record of the result has.
	Guesses []Guess `json:"guesses"`
	// Members are the names of the members that all records have. They are those of the tool, and may speak to a
	// model where the tool is hostile.
	Members []string `json:"members"`
}

// Guess is a name of the scope.
type Guess struct {
	// Name is as the scope has it; of a choice without a member that it is by, the whole criterion.
	Name string `json:"name"`
	// Uses say what the scope has it for.
	Uses []string `json:"uses"`
}

// Meant says that a name of the scope means a member of the tool's results.
type Meant struct {
	Guess  string `json:"guess"`
	Member string `json:"member"`
}

// Naming is a namer's answer.
type Naming struct {
	// Names are the guesses for which a member is meant; the others mean none.
	Names []Meant
	// Model, InputTokens and OutputTokens are as those of a [Plan].
	Model                     string
	InputTokens, OutputTokens int
}

// Named is the log's record of a naming: what was asked, and what was answered.
type Named struct {
	Turn   int    `json:"turn"`
	Call   string `json:"call"`
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool"`
	// Shown is the digest of the request.
	Shown string  `json:"shown,omitempty"`
	Names []Meant `json:"names,omitempty"`
	Model string  `json:"model,omitempty"`
	// Failed says why there is no answer; empty where there is one.
	Failed       string `json:"failed,omitempty"`
	InputTokens  int    `json:"input_tokens,omitempty"`
	OutputTokens int    `json:"output_tokens,omitempty"`
}

// Digest names the request as that of a [Request] does.
func (r *NameRequest) Digest() string { return digest(r) }

// Check returns an error unless each guess of an answer is one that was asked about, and is given one of the members that
// were offered, once.
func (r *NameRequest) Check(names []Meant) error {
	seen := map[string]bool{}
	for _, n := range names {
		isAsked := slices.ContainsFunc(r.Guesses, func(g Guess) bool { return g.Name == n.Guess })
		switch {
		case !isAsked:
			return fmt.Errorf("%q is not one of the names that were asked about", n.Guess)
		case !slices.Contains(r.Members, n.Member):
			return fmt.Errorf("%q is not one of the members", n.Member)
		case seen[n.Guess]:
			return fmt.Errorf("%q is in the answer twice", n.Guess)
		}
		seen[n.Guess] = true
	}
	return nil
}

// AskNames asks a namer as [Ask] asks a planner. An answer that says more than it may is an error.
func AskNames(ctx context.Context, n Namer, r *NameRequest, limit time.Duration) (*Naming, error) {
	return within(ctx, limit, func(ctx context.Context) (*Naming, error) {
		naming, err := n.Name(ctx, r)
		switch {
		case err != nil:
			return nil, err
		case naming == nil:
			return nil, errors.New("the planner answered nothing")
		}
		return naming, r.Check(naming.Names)
	})
}

// EachNaming asks a namer until nothing is left to ask, within a time altogether: next returns a request, or nil, and took
// is given each answer, or why there is none.
func EachNaming(ctx context.Context, n Namer, limit time.Duration, next func() (*NameRequest, error), took func(*NameRequest, *Naming, error) error) error {
	if limit <= 0 {
		limit = DefaultPlanTime
	}
	asking, stop := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the planner gave no answer within %v", limit))
	defer stop()

	for range MaxNamings {
		r, err := next()
		if r == nil || err != nil {
			return err
		}
		naming, failed := AskNames(asking, n, r, limit)
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("wait for the names of the turn's scope: %w", err)
		}
		if err := took(r, naming, failed); err != nil {
			return err
		}
	}
	return nil
}
