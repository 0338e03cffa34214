package store

import (
	"context"
	"time"

	"github.com/remit-project/remit"
)

// Views are the lists and counts that people look at. They are read from indexes, so
// that a page of a list costs the same in a large store.
type Views interface {
	// Find lists sessions, those in which something happened last first.
	Find(ctx context.Context, f Filter, limit int) ([]Found, error)
	// Turns returns the user's words in a session before a place in its log, the last
	// first.
	Turns(ctx context.Context, session string, before int64, limit int) ([]Record, error)
	// Stopped returns the decisions since a time that did not let their call run, the
	// last first, up to a limit and up to the one with which they have [MaxStopped] bytes.
	Stopped(ctx context.Context, w Whose, since time.Time, limit int) ([]Record, error)
	// Tally counts decisions since a time by server, tool and verdict, in steps of time.
	Tally(ctx context.Context, w Whose, since time.Time, step time.Duration) ([]Count, error)
	// Took lists how long the decisions since a time took, where that was measured: the
	// last ones, up to a limit of at most [MaxTimes], in no order.
	Took(ctx context.Context, w Whose, since time.Time, limit int) ([]time.Duration, error)
	// Verified returns what [Audit.Verify] has last found; [ErrNotFound] when it never ran.
	Verified(ctx context.Context) (Verification, error)
	// Index brings the index of texts up to date with the logs. Find does without, and has
	// it done in the background: the more the index lacks, the more a search reads.
	Index(ctx context.Context) error
	// Waits lists how long the questions that were asked since a time have waited, the
	// last first.
	Waits(ctx context.Context, w Whose, since time.Time, limit int) ([]Waited, error)
}

// MaxSearch bounds the text of a [Filter], in bytes.
const MaxSearch = 256

// MaxStopped bounds what one call of [Views.Stopped] reads, in bytes: an agent chooses how much is
// said of its calls, and people look at all of them.
const MaxStopped = 16 << 20

// MaxTimes bounds what one call of [Views.Took] returns: enough for one in a hundred of
// them to be a hundred.
const MaxTimes = 10_000

// Filter selects sessions. Its zero value selects those without an owner, and
// [Whose.Everybody] alone selects all.
type Filter struct {
	Whose
	// Owner selects the sessions of one principal among them; empty for all.
	Owner string
	// Server, Tool and Verdict select sessions with such a decision; empty for any.
	Server, Tool string
	Verdict      remit.Verdict
	// Shadow selects sessions with such a decision that would have stopped its call, which
	// shadow mode let run.
	Shadow bool
	// Since selects sessions in which something happened at or after the time.
	Since time.Time
	// Text selects sessions in whose log or id the text appears, in any case of its ASCII
	// letters. From three characters on it is looked for in an index; what [Views.Index] has
	// not seen yet, and the logs of what many sessions say, are read.
	Text string
	// After is the last session of the page before; nil for the first page.
	After *SessionInfo
}

// Found is a session of a list, with its decisions by verdict; those that would have stopped
// their calls, and were not enforced, are counted apart.
type Found struct {
	SessionInfo
	Allowed int `json:"allowed"`
	Asked   int `json:"asked"`
	Denied  int `json:"denied"`
	Shadow  int `json:"shadow"`
}

// Count is how often one verdict was given on the calls of one tool, within a step of
// time.
type Count struct {
	Server, Tool string
	Verdict      remit.Verdict
	// Confirms is set for decisions that followed from a person's agreement.
	Confirms bool
	// Shadow is set for decisions that were not enforced.
	Shadow bool
	// Step is the beginning of the step of time.
	Step time.Time
	N    int
}

// Verification is what a check of the audit log found. It is kept beside the log, not in it, and
// proves nothing: an attacker who can write the store can write it too. The proof are heads that
// were kept elsewhere.
type Verification struct {
	At       time.Time
	Entries  int64
	Sessions int
	// Problems is how many there were.
	Problems int
	// Head is the last entry of the store's own chain that was checked.
	Head ChainHead
}

// Waited is how long a question waited.
type Waited struct {
	State            State
	Created, Settled time.Time
}
